#include <assert.h>

#include "logic/smt/bottom_up.h"
#include "logic/smt/linearise.h"
#include "logic/smt/presburger.h"
#include "logic/smt/smt_backend.h"

// Quantifier elimination, innermost quantifier first. Most quantifiers in model checking come from
// a havoc followed by an assignment or a guard, so the cheap and exact rules come before the
// solver:
//   exists x: A or B        = (exists x: A) or (exists x: B)
//   exists x: A and B       = A and (exists x: B)            x not in A
//   exists x: x = t and B   = B[t/x]                         x not in t, any sort
//   exists x: B             = B[v1/x] or … or B[vn/x]        few values
//   integers                = Cooper's method (presburger.h)
// Only what is left goes to the back end. forall x: B is not (exists x: not B).

#define EXPANSION_VALUES 16    // most values of a variable that is expanded
#define EXPANSION_NODES 200000 // most nodes an expansion may write, as trees, per call
#define DEPTH_LIMIT 200

struct elimination {
    struct smt_context *context;
    struct term_store *store;
    uint64_t nodes; // that expansions may still write
    uint32_t fresh; // new variables so far
    unsigned depth;
};

static const struct term *exists(struct elimination *e, const struct term_vector *variables,
                                 const struct term *body);

// ---- substitution of one variable

struct binding {
    const struct term *variable, *value;
};

static const struct term *bound_value(void *data, const struct term *variable)
{
    const struct binding *binding = data;
    return variable == binding->variable ? binding->value : variable;
}

static const struct term *put(struct elimination *e, const struct term *body,
                              const struct term *variable, const struct term *value)
{
    assert(variable->sort == value->sort);
    struct binding binding = {variable, value};
    return rewrite_substitute(e->store, body, bound_value, &binding);
}

static void without(const struct term_vector *from, const struct term *variable,
                    struct term_vector *out)
{
    for (size_t i = 0; i < from->count; i++)
        if (from->data[i] != variable)
            VECTOR_PUSH(out, from->data[i]);
}

static void occurring(const struct term_vector *variables, const struct term *body,
                      struct term_vector *out)
{
    for (size_t i = 0; i < variables->count; i++)
        if (rewrite_contains(body, variables->data[i]))
            VECTOR_PUSH(out, variables->data[i]);
}

// ---- the one-point rule

static bool is_unit_monomial(const struct term *part, const struct term *x, bool *negative)
{
    *negative = false;
    if (part == x)
        return true;
    if (part->kind != TERM_MUL || part->child_count != 2)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const struct term *factor = part->child[i];
        if (part->child[1 - i] != x || factor->kind != TERM_INT)
            continue;
        *negative = value_equal(factor->u.value, value_small(-1));
        return *negative || value_equal(factor->u.value, value_small(1));
    }
    return false;
}

// t when the equation a = b says x = t and x is in no other monomial.
static const struct term *solve_linear(struct elimination *e, const struct term *equation,
                                       const struct term *x)
{
    const struct term *difference = term_sub(e->store, equation->child[0], equation->child[1]);
    if (difference->kind != TERM_ADD)
        return NULL;
    for (uint32_t i = 0; i < difference->child_count; i++) {
        bool negative;
        const struct term *part = difference->child[i];
        if (!is_unit_monomial(part, x, &negative))
            continue;
        const struct term *rest = term_sub(e->store, difference, part);
        if (rewrite_contains(rest, x))
            return NULL;
        return negative ? rest : term_neg(e->store, rest);
    }
    return NULL;
}

// t when the conjunct says x = t, else NULL.
static const struct term *solved_for(struct elimination *e, const struct term *conjunct,
                                     const struct term *x)
{
    if (conjunct == x)
        return term_true(e->store);
    if (conjunct->kind == TERM_NOT && conjunct->child[0] == x)
        return term_false(e->store);
    if (conjunct->kind != TERM_EQ)
        return NULL;
    for (uint32_t i = 0; i < 2; i++)
        if (conjunct->child[i] == x && !rewrite_contains(conjunct->child[1 - i], x))
            return conjunct->child[1 - i];
    if (x->sort->kind != SORT_INT && x->sort->kind != SORT_RAT)
        return NULL;
    return conjunct->child[0]->sort == x->sort ? solve_linear(e, conjunct, x) : NULL;
}

// Looks for a conjunct that fixes a variable; true with the pair.
static bool find_point(struct elimination *e, const struct term_vector *variables,
                       const struct term_vector *conjuncts, struct binding *found)
{
    for (size_t i = 0; i < conjuncts->count; i++)
        for (size_t k = 0; k < variables->count; k++) {
            const struct term *value = solved_for(e, conjuncts->data[i], variables->data[k]);
            if (value != NULL) {
                *found = (struct binding){variables->data[k], value};
                return true;
            }
        }
    return false;
}

// ---- expansion over all values

static const struct term *value_at(struct elimination *e, const struct sort *sort, uint64_t index)
{
    switch (sort->kind) {
    case SORT_BOOL:
        return term_bool(e->store, index != 0);
    case SORT_ENUM:
        return term_enum(e->store, sort, (uint32_t)index);
    case SORT_BV:
        return term_bv(e->store, sort->width, index);
    default:
        return NULL;
    }
}

static const struct term *finite_variable(const struct term_vector *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        const struct sort *sort = variables->data[i]->sort;
        if (sort->kind != SORT_ARRAY && sort_value_count(sort, EXPANSION_VALUES) != 0)
            return variables->data[i];
    }
    return NULL;
}

static const struct term *expand(struct elimination *e, const struct term_vector *variables,
                                 const struct term *variable, const struct term *body)
{
    uint64_t values = sort_value_count(variable->sort, EXPANSION_VALUES);
    assert(values > 0 && values <= EXPANSION_VALUES);
    if (values * body->tree_size > e->nodes)
        return NULL;
    e->nodes -= values * body->tree_size;
    struct term_vector rest = {0};
    without(variables, variable, &rest);
    const struct term *result = term_false(e->store);
    for (uint64_t i = 0; i < values && result != NULL; i++) {
        const struct term *instance = put(e, body, variable, value_at(e, variable->sort, i));
        const struct term *part = exists(e, &rest, instance);
        result = part == NULL ? NULL : term_or2(e->store, result, part);
    }
    VECTOR_FINISH(&rest);
    return result;
}

// ---- the rules in order

static const struct term *exists_or(struct elimination *e, const struct term_vector *variables,
                                    const struct term *body)
{
    struct term_vector parts = {0};
    const struct term *result = term_false(e->store);
    for (uint32_t i = 0; i < body->child_count && result != NULL; i++) {
        const struct term *part = exists(e, variables, body->child[i]);
        if (part == NULL)
            result = NULL;
        else
            VECTOR_PUSH(&parts, part);
    }
    if (result != NULL)
        result = term_or(e->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return result;
}

static bool all_arithmetic(const struct term_vector *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        enum sort_kind kind = variables->data[i]->sort->kind;
        if (kind != SORT_INT && kind != SORT_RAT && kind != SORT_BOOL)
            return false;
    }
    return true;
}

// Integers here, the rest by the back end.
static const struct term *exists_linear(struct elimination *e, const struct linearised *linear)
{
    const struct term *integer = NULL;
    for (size_t i = 0; i < linear->bound.count; i++)
        if (linear->bound.data[i]->sort->kind == SORT_INT)
            integer = linear->bound.data[i]; // the last: quotients have the tightest bounds
    if (integer == NULL)
        return e->context->backend->eliminate(e->context, true, linear->bound.data,
                                              linear->bound.count, linear->body);
    struct term_vector rest = {0};
    without(&linear->bound, integer, &rest);
    assert(rest.count + 1 == linear->bound.count);
    const struct term *result = presburger_exists(e->store, integer, linear->body, &e->nodes);
    if (result != NULL)
        result = exists(e, &rest, result);
    VECTOR_FINISH(&rest);
    return result;
}

static const struct term *ask_back_end(struct elimination *e, const struct term_vector *variables,
                                       const struct term *body)
{
    const struct smt_backend *backend = e->context->backend;
    if (backend->eliminate == NULL || smt_stopped(e->context))
        return NULL;
    if (!all_arithmetic(variables))
        return backend->eliminate(e->context, false, variables->data, variables->count, body);
    struct linearised linear;
    const struct term *result = NULL;
    if (linearise(e->store, &e->fresh, variables->data, variables->count, body, &linear))
        result = exists_linear(e, &linear);
    if (result != NULL)
        result = linearised_restore(e->store, &linear, result);
    linearised_finish(&linear);
    return result;
}

// All conjuncts have some of the variables, and no rule for conjunctions applies.
static const struct term *exists_core(struct elimination *e, const struct term_vector *variables,
                                      const struct term *body)
{
    const struct term *finite = finite_variable(variables);
    if (finite != NULL) {
        const struct term *expanded = expand(e, variables, finite, body);
        if (expanded != NULL)
            return expanded;
    }
    return ask_back_end(e, variables, body);
}

static const struct term *exists_and(struct elimination *e, const struct term_vector *variables,
                                     const struct term *body)
{
    struct term_vector conjuncts = {0}, inside = {0}, outside = {0}, rest = {0};
    rewrite_conjuncts(body, &conjuncts);
    struct binding point;
    const struct term *result = NULL;
    if (find_point(e, variables, &conjuncts, &point)) {
        without(variables, point.variable, &rest);
        result = exists(e, &rest, put(e, body, point.variable, point.value));
    } else {
        for (size_t i = 0; i < conjuncts.count; i++) {
            VECTOR_CLEAR(&rest);
            occurring(variables, conjuncts.data[i], &rest);
            if (rest.count > 0)
                VECTOR_PUSH(&inside, conjuncts.data[i]);
            else
                VECTOR_PUSH(&outside, conjuncts.data[i]);
        }
        assert(inside.count + outside.count == conjuncts.count);
        const struct term *core = term_and(e->store, inside.data, inside.count);
        result =
            core->kind == TERM_OR ? exists(e, variables, core) : exists_core(e, variables, core);
        if (result != NULL) {
            VECTOR_PUSH(&outside, result);
            result = term_and(e->store, outside.data, outside.count);
        }
    }
    VECTOR_FINISH(&conjuncts);
    VECTOR_FINISH(&inside);
    VECTOR_FINISH(&outside);
    VECTOR_FINISH(&rest);
    return result;
}

static const struct term *exists(struct elimination *e, const struct term_vector *variables,
                                 const struct term *body)
{
    struct term_vector left = {0};
    occurring(variables, body, &left);
    const struct term *result = NULL;
    if (left.count == 0)
        result = body;
    else if (++e->depth > DEPTH_LIMIT || smt_stopped(e->context))
        result = NULL;
    else if (body->kind == TERM_OR)
        result = exists_or(e, &left, body);
    else
        result = exists_and(e, &left, body);
    if (left.count != 0)
        e->depth--;
    VECTOR_FINISH(&left);
    return result;
}

// ---- the walk over the formula

static const struct term *quantifier(struct elimination *e, const struct term *term,
                                     const struct term *body)
{
    assert(term->child_count > 1 && body->sort->kind == SORT_BOOL);
    struct term_vector variables = {0};
    for (uint32_t i = 0; i + 1 < term->child_count; i++)
        VECTOR_PUSH(&variables, term->child[i]);
    bool all = term->kind == TERM_FORALL;
    const struct term *result = exists(e, &variables, all ? term_not(e->store, body) : body);
    VECTOR_FINISH(&variables);
    return result == NULL || !all ? result : term_not(e->store, result);
}

static bool has_no_quantifier(void *context, const struct term *term)
{
    (void)context;
    return (term->flags & TERM_HAS_QUANTIFIER) == 0;
}

static const struct term *without_quantifier(void *context, const struct term *term,
                                             const struct term *const *children)
{
    struct elimination *e = context;
    if (term->kind == TERM_FORALL || term->kind == TERM_EXISTS)
        return quantifier(e, term, children[term->child_count - 1]);
    return term_rebuild(e->store, term, children);
}

const struct term *smt_eliminate(struct smt_context *context, const struct term *formula)
{
    assert(formula->sort->kind == SORT_BOOL);
    if ((formula->flags & TERM_HAS_QUANTIFIER) == 0)
        return formula;
    context->statistics.eliminations++;
    struct elimination elimination = {
        .context = context, .store = context->store, .nodes = EXPANSION_NODES};
    const struct term *made =
        bottom_up(formula, has_no_quantifier, without_quantifier, &elimination);
    assert(made == NULL || (made->sort == formula->sort && !(made->flags & TERM_HAS_QUANTIFIER)));
    return made;
}
