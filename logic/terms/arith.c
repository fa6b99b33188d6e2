#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "logic/terms/linear.h"
#include "logic/terms/number.h"

static const struct term *scaled(struct term_store *store, const struct term *term,
                                 struct value factor)
{
    struct linear sum = linear_open(store, term->sort);
    linear_add(store, &sum, term, factor);
    linear_normalise(store, &sum);
    const struct term *result = linear_term(store, &sum);
    linear_close(store, &sum);
    return result;
}

const struct term *term_neg(struct term_store *store, const struct term *a)
{
    return scaled(store, a, number_neg(store, a->sort, number_one(store, a->sort)));
}

static int compare_factors(const void *left, const void *right)
{
    return store_compare(*(const struct term *const *)left, *(const struct term *const *)right);
}

// Products of so many factors stay what they are in another: x*x of x*x of x*x … has exponentially many.
enum { MOST_FACTORS = 1000 };

// Puts the factors that are no literals on the stack; the product of the literals is the result.
static struct value push_factors(struct term_store *store, const struct term *a,
                                 struct value product)
{
    if (term_is_literal(a))
        return number_mul(store, a->sort, product, term_value(a));
    if (a->kind != TERM_MUL || a->child_count > MOST_FACTORS) {
        VECTOR_PUSH(&store->stack, a);
        return product;
    }
    for (uint32_t i = 0; i < a->child_count; i++)
        product = push_factors(store, a->child[i], product);
    return product;
}

// Takes common divisors out of the sums among several factors, so that (2*x + 2)*y is 2*((x + 1)*y).
static struct value take_contents(struct term_store *store, const struct term **factors,
                                  size_t count, struct value product)
{
    for (size_t i = 0; i < count; i++) {
        if (factors[i]->kind != TERM_ADD)
            continue;
        struct value content;
        factors[i] = linear_primitive_part(store, factors[i], &content);
        product = number_mul(store, factors[i]->sort, product, content);
    }
    return product;
}

const struct term *term_mul(struct term_store *store, const struct term *const *args, size_t count)
{
    assert(count > 0);
    const struct sort *sort = args[0]->sort;
    assert(sort->kind == SORT_INT || sort->kind == SORT_RAT);
    struct value product = number_one(store, sort);
    size_t begin = store->stack.count;
    for (size_t i = 0; i < count; i++) {
        assert(args[i]->sort == sort);
        product = push_factors(store, args[i], product);
    }
    size_t factors = store->stack.count - begin;
    const struct term *rest = NULL;
    if (factors > 1) {
        const struct term **data = memory_alloc(factors * sizeof *data);
        memcpy(data, store->stack.data + begin, factors * sizeof *data);
        product = take_contents(store, data, factors, product);
        qsort(data, factors, sizeof *data, compare_factors);
        rest = store_make(store, TERM_MUL, sort, data, factors);
        memory_free(data);
    } else if (factors == 1) {
        rest = store->stack.data[begin];
    }
    store->stack.count = begin;
    return rest == NULL ? term_of_value(store, sort, product) : scaled(store, rest, product);
}

const struct term *term_mul2(struct term_store *store, const struct term *a, const struct term *b)
{
    return term_mul(store, (const struct term *[]){a, b}, 2);
}

static bool is_zero(const struct term *a)
{
    return term_is_literal(a) && number_sign(a->sort, term_value(a)) == 0;
}

static bool is_one(struct term_store *store, const struct term *a)
{
    return term_is_literal(a) && value_equal(term_value(a), number_one(store, a->sort));
}

// Integer division by a nonzero literal: made positive, for
// a div -n = -(a div n), a mod -n = a mod n.
static const struct term *div_literal(struct term_store *store, const struct term *a,
                                      const struct term *b)
{
    if (term_is_literal(a))
        return term_of_value(store, a->sort, number_int_div(store, term_value(a), term_value(b)));
    if (is_one(store, b))
        return a;
    if (number_sign(b->sort, term_value(b)) < 0)
        return term_neg(store, div_literal(store, a, term_neg(store, b)));
    return store_make2(store, TERM_DIV, a->sort, a, b);
}

static const struct term *mod_literal(struct term_store *store, const struct term *a,
                                      const struct term *b)
{
    if (term_is_literal(a))
        return term_of_value(store, a->sort, number_int_mod(store, term_value(a), term_value(b)));
    if (number_sign(b->sort, term_value(b)) < 0)
        b = term_neg(store, b);
    if (is_one(store, b))
        return term_int(store, 0);
    if (a->kind == TERM_MOD && a->child[1] == b)
        return a;
    return store_make2(store, TERM_MOD, a->sort, a, b);
}

const struct term *term_div(struct term_store *store, const struct term *a, const struct term *b)
{
    assert(a->sort == b->sort && (a->sort->kind == SORT_INT || a->sort->kind == SORT_RAT));
    if (!term_is_literal(b) || is_zero(b))
        return store_make2(store, TERM_DIV, a->sort, a, b);
    if (a->sort->kind == SORT_INT)
        return div_literal(store, a, b);
    return scaled(store, a, number_rat_div(store, store->rat_one, term_value(b)));
}

const struct term *term_mod(struct term_store *store, const struct term *a, const struct term *b)
{
    assert(a->sort == b->sort && a->sort->kind == SORT_INT);
    if (!term_is_literal(b) || is_zero(b))
        return store_make2(store, TERM_MOD, a->sort, a, b);
    return mod_literal(store, a, b);
}

const struct term *term_rem(struct term_store *store, const struct term *a, const struct term *b)
{
    assert(a->sort == b->sort && a->sort->kind == SORT_INT);
    if (!term_is_literal(b) || is_zero(b))
        return store_make2(store, TERM_REM, a->sort, a, b);
    const struct term *m = mod_literal(store, a, b);
    return number_sign(b->sort, term_value(b)) > 0 ? m : term_neg(store, m);
}

// Lifts through sums and products, so that linear forms over rationals stay linear.
static const struct term *lift_children(struct term_store *store, const struct term *a)
{
    size_t count = a->child_count;
    const struct term **lifted = memory_alloc(count * sizeof *lifted);
    for (size_t i = 0; i < count; i++)
        lifted[i] = term_to_rat(store, a->child[i]);
    const struct term *result =
        a->kind == TERM_ADD ? term_add(store, lifted, count) : term_mul(store, lifted, count);
    memory_free(lifted);
    return result;
}

const struct term *term_to_rat(struct term_store *store, const struct term *a)
{
    assert(a->sort->kind == SORT_INT);
    if (term_is_literal(a))
        return value_pointer_get(number_rat_of_int(store, term_value(a)));
    if (a->kind == TERM_ADD || a->kind == TERM_MUL)
        return lift_children(store, a);
    return store_make1(store, TERM_TO_RAT, store->rat_sort, a);
}
