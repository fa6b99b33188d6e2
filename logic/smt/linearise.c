#include "logic/smt/linearise.h"

#include <assert.h>

#include "base/vector.h"
#include "logic/smt/bottom_up.h"
#include "logic/smt/id_map.h"

struct linearisation {
    struct term_store *store;
    struct linearised *out;
    uint32_t *fresh;
    struct term_vector limits; // what defines the quotients
    struct id_map bound;       // ids of (rebuilt) terms with a bound variable in them
    struct id_map named;       // id of a term -> its new free variable
};

static bool is_bound(const struct linearisation *l, const struct term *term)
{
    return id_map_get(&l->bound, term->id) != NULL;
}

static const struct term *new_variable(struct linearisation *l, const char *name,
                                       const struct sort *sort)
{
    return term_var_copy(l->store, term_var(l->store, name, sort), ++*l->fresh);
}

static const struct term *name_for(struct linearisation *l, const struct term *term)
{
    const struct term *name = id_map_get(&l->named, term->id);
    if (name != NULL)
        return name;
    name = new_variable(l, "(value)", term->sort);
    VECTOR_PUSH(&l->out->names, name);
    VECTOR_PUSH(&l->out->values, term);
    id_map_put(&l->named, term->id, name);
    return name;
}

// ---- division of a bound term by a literal

static const struct term *quotient(struct linearisation *l, const struct term *dividend,
                                   const struct term *size)
{
    assert(size->kind == TERM_INT && term_compare_values(size, term_int(l->store, 0)) > 0);
    struct term_store *s = l->store;
    const struct term *q = new_variable(l, "(quotient)", sort_int(s));
    const struct term *low = term_mul2(s, size, q);
    VECTOR_PUSH(&l->out->bound, q);
    VECTOR_PUSH(&l->limits, term_le(s, low, dividend));
    VECTOR_PUSH(&l->limits, term_lt(s, dividend, term_add2(s, low, size)));
    id_map_put(&l->bound, q->id, q);
    return q;
}

// Euclid: a = k (a div k) + (a mod k), 0 <= a mod k < |k|; rem is mod with the sign of k.
static const struct term *divide(struct linearisation *l, enum term_kind kind, const struct term *a,
                                 const struct term *k)
{
    struct term_store *s = l->store;
    const struct term *zero = term_int(s, 0);
    if (k->kind != TERM_INT || k == zero)
        return NULL;
    bool negative = term_compare_values(k, zero) < 0;
    const struct term *size = negative ? term_neg(s, k) : k;
    const struct term *q = quotient(l, a, size);
    if (kind == TERM_DIV)
        return negative ? term_neg(s, q) : q;
    const struct term *mod = term_sub(s, a, term_mul2(s, size, q));
    return kind == TERM_REM && negative ? term_neg(s, mod) : mod;
}

// ---- if-then-else of numbers

static const struct term *choice(struct linearisation *l, const struct term *const *children)
{
    assert(children[1]->sort == children[2]->sort);
    struct term_store *s = l->store;
    const struct term *v = new_variable(l, "(choice)", children[1]->sort);
    VECTOR_PUSH(&l->out->bound, v);
    VECTOR_PUSH(&l->limits,
                term_ite(s, children[0], term_eq(s, v, children[1]), term_eq(s, v, children[2])));
    id_map_put(&l->bound, v->id, v);
    return v;
}

// ---- one term

static bool is_sum(const struct term *term)
{
    for (uint32_t i = 0; i < term->child_count; i++) {
        const struct term *child = term->child[i];
        bool flat = child->child_count == 0 ||
                    (child->kind == TERM_MUL && child->child_count == 2 &&
                     child->child[0]->child_count == 0 && child->child[1]->child_count == 0 &&
                     (term_is_literal(child->child[0]) || term_is_literal(child->child[1])));
        if (!flat)
            return false;
    }
    return term->child_count == 0 || term->kind == TERM_ADD ||
           (term->kind == TERM_MUL &&
            term_is_literal(term->child[0]) != term_is_literal(term->child[1]));
}

// `(t mod k) = r` with a plain sum t is fine as it is.
static bool is_divisibility(void *context, const struct term *term)
{
    struct linearisation *l = context;
    if (term->kind != TERM_EQ || term->child[0]->sort->kind != SORT_INT)
        return false;
    const struct term *mod = term->child[term->child[0]->kind != TERM_MOD];
    const struct term *residue = term->child[term->child[0]->kind == TERM_MOD];
    if (mod->kind != TERM_MOD || residue->kind != TERM_INT || mod->child[1]->kind != TERM_INT ||
        (mod->flags & TERM_HAS_DIVISION) != 0 || !is_sum(mod->child[0]))
        return false;
    for (size_t i = 0; i < l->out->bound.count && !is_bound(l, term); i++)
        if (rewrite_contains(term, l->out->bound.data[i]))
            id_map_put(&l->bound, term->id, term);
    return true;
}

static bool is_linear_sort(const struct sort *sort)
{
    return sort->kind == SORT_BOOL || sort->kind == SORT_INT || sort->kind == SORT_RAT;
}

static bool is_linear(const struct term *term, const struct term *const *children)
{
    size_t factors = 0;
    switch ((enum term_kind)term->kind) {
    case TERM_BOOL:
    case TERM_INT:
    case TERM_RAT:
    case TERM_VAR:
        return is_linear_sort(term->sort);
    case TERM_NOT:
    case TERM_AND:
    case TERM_OR:
    case TERM_LE:
    case TERM_LT:
    case TERM_ADD:
        return true;
    case TERM_EQ:
        return is_linear_sort(children[0]->sort);
    case TERM_ITE:
        return is_linear_sort(term->sort);
    case TERM_MUL:
        for (uint32_t i = 0; i < term->child_count; i++)
            factors += !term_is_literal(children[i]);
        return factors <= 1;
    default:
        return false;
    }
}

static const struct term *linear_form(void *context, const struct term *term,
                                      const struct term *const *children)
{
    struct linearisation *l = context;
    if (is_bound(l, term))
        return term;
    bool bound = false;
    for (uint32_t i = 0; i < term->child_count; i++)
        bound = bound || is_bound(l, children[i]);
    bool linear = is_linear(term, children);
    if (bound && term->kind == TERM_ITE && linear && term->sort->kind != SORT_BOOL)
        return choice(l, children);
    const struct term *result = NULL;
    if (linear)
        result = term->child_count == 0 ? term : term_rebuild(l->store, term, children);
    else if (!bound) // stays whole; named where a linear term uses it
        return is_linear_sort(term->sort) ? name_for(l, term) : term;
    else if (term->sort->kind == SORT_INT &&
             (term->kind == TERM_DIV || term->kind == TERM_MOD || term->kind == TERM_REM))
        result = divide(l, (enum term_kind)term->kind, children[0], children[1]);
    if (bound && result != NULL)
        id_map_put(&l->bound, result->id, result);
    return result;
}

bool linearise(struct term_store *store, uint32_t *fresh, const struct term *const *variables,
               size_t count, const struct term *body, struct linearised *out)
{
    *out = (struct linearised){0};
    struct linearisation l = {.store = store, .out = out, .fresh = fresh};
    for (size_t i = 0; i < count; i++) {
        VECTOR_PUSH(&out->bound, variables[i]);
        id_map_put(&l.bound, variables[i]->id, variables[i]);
    }
    out->body = bottom_up(body, is_divisibility, linear_form, &l);
    if (out->body != NULL) {
        VECTOR_PUSH(&l.limits, out->body);
        out->body = term_and(store, l.limits.data, l.limits.count);
    }
    VECTOR_FINISH(&l.limits);
    id_map_finish(&l.bound);
    id_map_finish(&l.named);
    return out->body != NULL;
}

static const struct term *value_of_name(void *context, const struct term *variable)
{
    const struct linearised *from = context;
    for (size_t i = 0; i < from->names.count; i++)
        if (from->names.data[i] == variable)
            return from->values.data[i];
    return variable;
}

const struct term *linearised_restore(struct term_store *store, const struct linearised *from,
                                      const struct term *result)
{
    assert(from->names.count == from->values.count);
    if (from->names.count == 0)
        return result;
    struct linearised copy = *from;
    return rewrite_substitute(store, result, value_of_name, &copy);
}

void linearised_finish(struct linearised *linearised)
{
    VECTOR_FINISH(&linearised->bound);
    VECTOR_FINISH(&linearised->names);
    VECTOR_FINISH(&linearised->values);
}
