#include <assert.h>

#include "base/memory.h"
#include "logic/smt/z3/z3_backend.h"

// Quantifier elimination and simplification through tactics.
//
// `qsat` and `nlqsat` only decide; `qe2` eliminates, over linear arithmetic. On bit-vectors and
// arrays the complete ones do not come back, so only `qe-light` is tried. Z3 has no step limit for
// tactics and its timers can deadlock: the size of the input is limited, and the stop flag and
// smt_interrupt end the rest.

#define ELIMINATE_SIZE_LIMIT 50000 // nodes of the tree
#define SIMPLIFY_SIZE_LIMIT 100000
#define SIMPLIFY_STEPS 200000

static Z3_tactic named(struct z3_context *context, const char *name)
{
    Z3_tactic tactic = z3_library.mk_tactic(context->z3, name);
    if (!z3_ok(context) || tactic == NULL)
        return NULL;
    z3_library.tactic_inc_ref(context->z3, tactic);
    return tactic;
}

// Both arguments are given away and may be NULL.
static Z3_tactic then(struct z3_context *context, Z3_tactic first, Z3_tactic second)
{
    Z3_context z3 = context->z3;
    Z3_tactic both = NULL;
    if (first != NULL && second != NULL) {
        both = z3_library.tactic_and_then(z3, first, second);
        if (!z3_ok(context))
            both = NULL;
        if (both != NULL)
            z3_library.tactic_inc_ref(z3, both);
    }
    if (first != NULL)
        z3_library.tactic_dec_ref(z3, first);
    if (second != NULL)
        z3_library.tactic_dec_ref(z3, second);
    return both;
}

static Z3_tactic bounded(struct z3_context *context, Z3_tactic tactic, const char *parameter,
                         unsigned limit)
{
    if (tactic == NULL)
        return NULL;
    Z3_context z3 = context->z3;
    Z3_params params = z3_library.mk_params(z3);
    Z3_tactic result = NULL;
    if (z3_ok(context) && params != NULL) {
        z3_library.params_inc_ref(z3, params);
        z3_library.params_set_uint(z3, params, z3_library.mk_string_symbol(z3, parameter), limit);
        result = z3_library.tactic_using_params(z3, tactic, params);
        if (!z3_ok(context))
            result = NULL;
        if (result != NULL)
            z3_library.tactic_inc_ref(z3, result);
        z3_library.params_dec_ref(z3, params);
    }
    z3_library.tactic_dec_ref(z3, tactic);
    return result;
}

// The conjunction of a goal's formulas.
static const struct term *import_goal(struct z3_context *context, Z3_goal goal)
{
    Z3_context z3 = context->z3;
    struct term_vector parts = {0};
    bool good = true;
    unsigned size = z3_library.goal_size(z3, goal);
    for (unsigned i = 0; i < size && good; i++) {
        size_t mark = z3_mark(context);
        Z3_ast formula = z3_keep(context, z3_library.goal_formula(z3, goal, i));
        const struct term *part = formula == NULL ? NULL : z3_import(context, formula, NULL);
        z3_release(context, mark);
        good = part != NULL;
        if (good)
            VECTOR_PUSH(&parts, part);
    }
    struct term_store *store = context->base.store;
    const struct term *result = NULL;
    if (good)
        result = parts.count == 0 ? term_true(store) : term_and(store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return result;
}

// One goal that is as precise as what went in: an equivalent formula.
static const struct term *import_result(struct z3_context *context, Z3_apply_result applied)
{
    Z3_context z3 = context->z3;
    if (z3_library.apply_result_get_num_subgoals(z3, applied) != 1)
        return NULL;
    Z3_goal goal = z3_library.apply_result_get_subgoal(z3, applied, 0);
    if (!z3_ok(context) || goal == NULL)
        return NULL;
    z3_library.goal_inc_ref(z3, goal);
    const struct term *result = NULL;
    if (z3_library.goal_precision(z3, goal) == Z3_GOAL_PRECISE)
        result = import_goal(context, goal);
    z3_library.goal_dec_ref(z3, goal);
    return result;
}

static const struct term *run(struct z3_context *context, Z3_tactic tactic, Z3_goal goal)
{
    if (!smt_begin(&context->base))
        return NULL;
    Z3_apply_result applied = z3_library.tactic_apply(context->z3, tactic, goal);
    smt_end(&context->base);
    if (!z3_ok(context) || applied == NULL)
        return NULL;
    z3_library.apply_result_inc_ref(context->z3, applied);
    const struct term *result = import_result(context, applied);
    z3_library.apply_result_dec_ref(context->z3, applied);
    return result;
}

// Applies a tactic (given away, may be NULL) to one formula.
static const struct term *apply(struct z3_context *context, Z3_tactic tactic, Z3_ast formula)
{
    Z3_context z3 = context->z3;
    if (tactic == NULL)
        return NULL;
    const struct term *result = NULL;
    Z3_goal goal = z3_library.mk_goal(z3, false, false, false);
    if (z3_ok(context) && goal != NULL) {
        z3_library.goal_inc_ref(z3, goal);
        z3_library.goal_assert(z3, goal, formula);
        if (z3_ok(context))
            result = run(context, tactic, goal);
        z3_library.goal_dec_ref(z3, goal);
    }
    z3_library.tactic_dec_ref(z3, tactic);
    return result;
}

static Z3_ast exists(struct z3_context *context, const struct term *const *variables, size_t count,
                     const struct term *body)
{
    Z3_app *bound = memory_alloc(count * sizeof *bound);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        Z3_ast variable = z3_translate(context, variables[i]);
        good = variable != NULL;
        if (good)
            bound[i] = z3_library.to_app(context->z3, variable);
    }
    Z3_ast inner = good ? z3_translate(context, body) : NULL;
    Z3_ast result = NULL;
    if (inner != NULL)
        result = z3_keep(context, z3_library.mk_exists_const(context->z3, 0, (unsigned)count, bound,
                                                             0, NULL, inner));
    memory_free(bound);
    return result;
}

const struct term *z3_eliminate(struct smt_context *base, bool linear,
                                const struct term *const *variables, size_t count,
                                const struct term *body)
{
    struct z3_context *context = (struct z3_context *)base;
    if (body->tree_size > ELIMINATE_SIZE_LIMIT)
        return NULL;
    size_t mark = z3_mark(context);
    Z3_ast formula = exists(context, variables, count, body);
    const struct term *result = NULL;
    if (formula != NULL) {
        const char *name = linear ? "qe2" : "qe-light";
        result = apply(context, then(context, named(context, name), named(context, "simplify")),
                       formula);
    }
    z3_release(context, mark);
    return result; // the import refuses what has a quantifier left
}

const struct term *z3_simplify(struct smt_context *base, const struct term *formula)
{
    struct z3_context *context = (struct z3_context *)base;
    if ((formula->flags & TERM_HAS_QUANTIFIER) != 0 || formula->sort->kind != SORT_BOOL ||
        formula->tree_size > SIMPLIFY_SIZE_LIMIT)
        return NULL;
    Z3_ast translated = z3_translate(context, formula);
    if (translated == NULL)
        return NULL;
    Z3_tactic cheap =
        then(context, bounded(context, named(context, "simplify"), "max_steps", SIMPLIFY_STEPS),
             bounded(context, named(context, "propagate-values"), "max_steps", SIMPLIFY_STEPS));
    Z3_tactic deep = bounded(context, named(context, "ctx-simplify"), "max_steps", SIMPLIFY_STEPS);
    return apply(context, then(context, cheap, deep), translated);
}
