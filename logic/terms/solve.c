#include <assert.h>

#include "logic/terms/linear.h"
#include "logic/terms/number.h"
#include "logic/terms/rewrite.h"

static const struct term *solve_boolean(struct term_store *store, const struct term *formula,
                                        const struct term *variable)
{
    bool negated = formula->kind == TERM_NOT;
    const struct term *atom = negated ? formula->child[0] : formula;
    if (atom == variable)
        return term_bool(store, !negated);
    if (atom->kind != TERM_EQ)
        return NULL;
    for (int i = 0; i < 2; i++) {
        const struct term *other = atom->child[1 - i];
        if (atom->child[i] == variable && !rewrite_contains(other, variable))
            return negated ? term_not(store, other) : other;
    }
    return NULL;
}

// c * variable + rest = 0 gives -rest / c; over the integers c must be 1 or -1.
static const struct term *solve_linear(struct term_store *store, const struct term *equation,
                                       const struct term *variable)
{
    const struct sort *sort = variable->sort;
    struct value one = number_one(store, sort), minus_one = number_neg(store, sort, one);
    struct linear sum = linear_open(store, sort);
    linear_add(store, &sum, equation->child[0], one);
    linear_add(store, &sum, equation->child[1], minus_one);
    linear_normalise(store, &sum);
    struct value coefficient = VALUE_UNKNOWN;
    size_t kept = sum.begin;
    for (size_t i = sum.begin; i < store->monomials.count; i++) {
        struct monomial m = store->monomials.data[i];
        if (m.base == variable)
            coefficient = m.coefficient;
        else
            store->monomials.data[kept++] = m;
    }
    store->monomials.count = kept;
    bool unit = value_equal(coefficient, one) || value_equal(coefficient, minus_one);
    const struct term *result = NULL;
    if (value_known(coefficient) && (unit || sort->kind == SORT_RAT)) {
        struct value inverse =
            unit ? coefficient : number_rat_div(store, one, coefficient); // of 1 and -1: itself
        linear_scale(store, &sum, number_neg(store, sort, inverse));
        result = linear_term(store, &sum);
    }
    linear_close(store, &sum);
    return result != NULL && !rewrite_contains(result, variable) ? result : NULL;
}

const struct term *rewrite_solve(struct term_store *store, const struct term *formula,
                                 const struct term *variable)
{
    assert(variable->kind == TERM_VAR);
    if (variable->sort->kind == SORT_BOOL)
        return solve_boolean(store, formula, variable);
    if (formula->kind != TERM_EQ || formula->child[0]->sort != variable->sort)
        return NULL;
    if (variable->sort->kind == SORT_INT || variable->sort->kind == SORT_RAT)
        return solve_linear(store, formula, variable);
    for (int i = 0; i < 2; i++)
        if (formula->child[i] == variable && !rewrite_contains(formula->child[1 - i], variable))
            return formula->child[1 - i];
    return NULL;
}
