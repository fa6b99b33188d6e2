#include "logic/terms/linear.h"

#include <assert.h>
#include <stdlib.h>

#include "logic/terms/number.h"

struct linear linear_open(struct term_store *store, const struct sort *sort)
{
    return (struct linear){sort, number_zero(store, sort), store->monomials.count};
}

void linear_close(struct term_store *store, struct linear *sum)
{
    store->monomials.count = sum->begin;
}

static size_t length(const struct term_store *store, const struct linear *sum)
{
    return store->monomials.count - sum->begin;
}

static struct monomial *at(const struct term_store *store, const struct linear *sum, size_t i)
{
    return &store->monomials.data[sum->begin + i];
}

static const struct term *product_without_literal(struct term_store *store,
                                                  const struct term *product)
{
    if (product->child_count == 2)
        return product->child[1];
    return store_make(store, TERM_MUL, product->sort, product->child + 1, product->child_count - 1);
}

void linear_add(struct term_store *store, struct linear *sum, const struct term *term,
                struct value coefficient)
{
    assert(term->sort == sum->sort);
    if (term_is_literal(term)) {
        struct value product = number_mul(store, sum->sort, term_value(term), coefficient);
        sum->constant = number_add(store, sum->sort, sum->constant, product);
    } else if (term->kind == TERM_ADD) {
        for (uint32_t i = 0; i < term->child_count; i++)
            linear_add(store, sum, term->child[i], coefficient);
    } else if (term->kind == TERM_MUL && term_is_literal(term->child[0])) {
        struct value own = term_value(term->child[0]);
        struct monomial m = {number_mul(store, sum->sort, own, coefficient),
                             product_without_literal(store, term)};
        VECTOR_PUSH(&store->monomials, m);
    } else {
        struct monomial m = {coefficient, term};
        VECTOR_PUSH(&store->monomials, m);
    }
}

static int compare_monomials(const void *left, const void *right)
{
    const struct monomial *a = left, *b = right;
    return store_compare(a->base, b->base);
}

static void sort_monomials(struct monomial *data, size_t count)
{
    if (count > 16) {
        qsort(data, count, sizeof *data, compare_monomials);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct monomial m = data[i];
        size_t j = i;
        for (; j > 0 && compare_monomials(&data[j - 1], &m) > 0; j--)
            data[j] = data[j - 1];
        data[j] = m;
    }
}

void linear_normalise(struct term_store *store, struct linear *sum)
{
    size_t count = length(store, sum), kept = 0;
    if (count == 0)
        return;
    sort_monomials(at(store, sum, 0), count);
    for (size_t i = 0; i < count;) {
        struct monomial m = *at(store, sum, i);
        for (i++; i < count && at(store, sum, i)->base == m.base; i++)
            m.coefficient =
                number_add(store, sum->sort, m.coefficient, at(store, sum, i)->coefficient);
        if (number_sign(sum->sort, m.coefficient) != 0)
            *at(store, sum, kept++) = m;
    }
    store->monomials.count = sum->begin + kept;
}

void linear_scale(struct term_store *store, struct linear *sum, struct value factor)
{
    sum->constant = number_mul(store, sum->sort, sum->constant, factor);
    for (size_t i = 0; i < length(store, sum); i++) {
        struct monomial *m = at(store, sum, i);
        m->coefficient = number_mul(store, sum->sort, m->coefficient, factor);
    }
}

static const struct term *monomial_term(struct term_store *store, const struct sort *sort,
                                        struct monomial m)
{
    if (value_equal(m.coefficient, number_one(store, sort)))
        return m.base;
    size_t begin = store->stack.count;
    VECTOR_PUSH(&store->stack, term_of_value(store, sort, m.coefficient));
    if (m.base->kind == TERM_MUL)
        for (uint32_t i = 0; i < m.base->child_count; i++)
            VECTOR_PUSH(&store->stack, m.base->child[i]);
    else
        VECTOR_PUSH(&store->stack, m.base);
    const struct term *product =
        store_make(store, TERM_MUL, sort, store->stack.data + begin, store->stack.count - begin);
    store->stack.count = begin;
    return product;
}

static const struct term *build(struct term_store *store, const struct linear *sum,
                                struct value constant)
{
    size_t begin = store->stack.count;
    for (size_t i = 0; i < length(store, sum); i++) {
        const struct term *m = monomial_term(store, sum->sort, *at(store, sum, i));
        VECTOR_PUSH(&store->stack, m);
    }
    if (number_sign(sum->sort, constant) != 0 || store->stack.count == begin) {
        const struct term *literal = term_of_value(store, sum->sort, constant);
        VECTOR_PUSH(&store->stack, literal);
    }
    size_t count = store->stack.count - begin;
    const struct term *const *parts = store->stack.data + begin;
    const struct term *result =
        count == 1 ? parts[0] : store_make(store, TERM_ADD, sum->sort, parts, count);
    store->stack.count = begin;
    return result;
}

const struct term *linear_monomials(struct term_store *store, const struct linear *sum)
{
    return build(store, sum, number_zero(store, sum->sort));
}

const struct term *linear_term(struct term_store *store, const struct linear *sum)
{
    return build(store, sum, sum->constant);
}

// Integers: the greatest common divisor of the coefficients. Rationals: the factor that makes them
// integers without a common divisor.
static struct value int_content(struct term_store *store, const struct linear *sum)
{
    struct value gcd = value_small(0);
    for (size_t i = 0; i < length(store, sum); i++)
        gcd = number_int_gcd(store, gcd, at(store, sum, i)->coefficient);
    return gcd;
}

static struct value rat_primitive_factor(struct term_store *store, const struct linear *sum)
{
    struct value gcd = value_small(0), lcm = value_small(1);
    for (size_t i = 0; i < length(store, sum); i++) {
        struct value c = at(store, sum, i)->coefficient;
        struct value d = number_rat_denominator(store, c);
        struct value common = number_int_gcd(store, lcm, d);
        lcm = number_mul(store, store->int_sort, lcm, number_int_div(store, d, common));
        // Of reduced fractions p/q the greatest common divisor is gcd(p…)/lcm(q…).
        gcd = number_int_gcd(store, gcd, number_rat_numerator(store, c));
    }
    return number_rat_div(store, number_rat_of_int(store, lcm), number_rat_of_int(store, gcd));
}

static void divide_monomials(struct term_store *store, struct linear *sum, struct value divisor)
{
    for (size_t i = 0; i < length(store, sum); i++) {
        struct monomial *m = at(store, sum, i);
        m->coefficient = number_int_div(store, m->coefficient, divisor);
    }
}

// Makes the first coefficient positive; true when the signs were changed.
static bool orient(struct term_store *store, struct linear *sum)
{
    if (number_sign(sum->sort, at(store, sum, 0)->coefficient) > 0)
        return false;
    struct value one = number_one(store, sum->sort);
    linear_scale(store, sum, number_neg(store, sum->sort, one));
    return true;
}

const struct term *linear_primitive_part(struct term_store *store, const struct term *term,
                                         struct value *content)
{
    struct linear sum = linear_open(store, term->sort);
    struct value one = number_one(store, sum.sort);
    linear_add(store, &sum, term, one);
    linear_normalise(store, &sum);
    bool negative = number_sign(sum.sort, at(store, &sum, 0)->coefficient) < 0;
    if (sum.sort->kind == SORT_RAT) {
        struct value factor = rat_primitive_factor(store, &sum);
        *content = number_rat_div(store, one, factor);
        linear_scale(store, &sum, factor);
    } else {
        *content = number_int_gcd(store, int_content(store, &sum), sum.constant);
        divide_monomials(store, &sum, *content);
        sum.constant = number_int_div(store, sum.constant, *content);
    }
    if (negative) {
        *content = number_neg(store, sum.sort, *content);
        linear_scale(store, &sum, number_neg(store, sum.sort, one));
    }
    const struct term *result = linear_term(store, &sum);
    linear_close(store, &sum);
    return result;
}

static struct linear difference(struct term_store *store, const struct term *a,
                                const struct term *b)
{
    struct linear sum = linear_open(store, a->sort);
    struct value one = number_one(store, a->sort);
    linear_add(store, &sum, a, one);
    linear_add(store, &sum, b, number_neg(store, a->sort, one));
    linear_normalise(store, &sum);
    return sum;
}

static bool is_unit(struct term_store *store, const struct linear *sum, size_t i, bool negative)
{
    struct value unit = number_one(store, sum->sort);
    if (negative)
        unit = number_neg(store, sum->sort, unit);
    return value_equal(at(store, sum, i)->coefficient, unit);
}

// sum = 0, the sum normalised, primitive and oriented.
static const struct term *equation(struct term_store *store, const struct linear *sum)
{
    const struct term *left, *right;
    if (length(store, sum) == 2 && number_sign(sum->sort, sum->constant) == 0 &&
        is_unit(store, sum, 0, false) && is_unit(store, sum, 1, true)) {
        left = at(store, sum, 0)->base;
        right = at(store, sum, 1)->base;
    } else {
        left = linear_monomials(store, sum);
        right = term_of_value(store, sum->sort, number_neg(store, sum->sort, sum->constant));
        if (left->kind == TERM_ITE &&
            (term_is_literal(left->child[1]) || term_is_literal(left->child[2])))
            return term_ite(store, left->child[0], term_eq(store, left->child[1], right),
                            term_eq(store, left->child[2], right));
    }
    return store_make2(store, TERM_EQ, store->bool_sort, left, right);
}

// Makes the coefficients coprime integers. False when sum = 0 has no solution in the integers.
static bool make_primitive(struct term_store *store, struct linear *sum)
{
    if (sum->sort->kind == SORT_RAT) {
        linear_scale(store, sum, rat_primitive_factor(store, sum));
        return true;
    }
    struct value gcd = int_content(store, sum);
    if (value_equal(gcd, value_small(1)))
        return true;
    if (number_sign(sum->sort, number_int_mod(store, sum->constant, gcd)) != 0)
        return false;
    divide_monomials(store, sum, gcd);
    sum->constant = number_int_div(store, sum->constant, gcd);
    return true;
}

const struct term *linear_eq(struct term_store *store, const struct term *a, const struct term *b)
{
    struct linear sum = difference(store, a, b);
    const struct term *result;
    if (length(store, &sum) == 0) {
        result = store->truth[number_sign(sum.sort, sum.constant) == 0];
    } else if (!make_primitive(store, &sum)) {
        result = store->truth[0];
    } else {
        orient(store, &sum);
        result = equation(store, &sum);
    }
    linear_close(store, &sum);
    return result;
}

// sum <= bound or sum < bound, where the sum has no constant. A chosen literal decides it.
static const struct term *bound_atom(struct term_store *store, enum term_kind kind,
                                     const struct term *sum, const struct term *bound)
{
    if (sum->kind == TERM_ITE && term_is_literal(sum->child[1]) && term_is_literal(sum->child[2])) {
        int then = term_compare_values(sum->child[1], bound);
        int otherwise = term_compare_values(sum->child[2], bound);
        int most = kind == TERM_LE ? 0 : -1;
        return term_ite(store, sum->child[0], store->truth[then <= most],
                        store->truth[otherwise <= most]);
    }
    return store_make2(store, kind, store->bool_sort, sum, bound);
}

// sum < 0 (strict) or sum <= 0 over the integers: coprime coefficients, the bound tightened, always
// with <=, the first coefficient positive or else as a negation.
static const struct term *int_inequality(struct term_store *store, struct linear *sum, bool strict)
{
    const struct sort *sort = sum->sort;
    if (strict)
        sum->constant = number_add(store, sort, sum->constant, value_small(1));
    struct value gcd = int_content(store, sum);
    divide_monomials(store, sum, gcd);
    struct value bound =
        number_int_div(store, number_neg(store, sort, sum->constant), gcd); // gcd > 0: rounds down
    sum->constant = value_small(0);
    bool flipped = orient(store, sum);
    if (flipped) // -s <= k is not s <= -k-1
        bound = number_add(store, sort, number_neg(store, sort, bound), value_small(-1));
    const struct term *atom =
        bound_atom(store, TERM_LE, linear_monomials(store, sum), term_of_value(store, sort, bound));
    return flipped ? term_not(store, atom) : atom;
}

static const struct term *rat_inequality(struct term_store *store, struct linear *sum, bool strict)
{
    make_primitive(store, sum);
    bool flipped = orient(store, sum);
    if (flipped) // -s < k is not s <= -k
        strict = !strict;
    struct value bound = number_neg(store, sum->sort, sum->constant);
    const struct term *atom =
        bound_atom(store, strict ? TERM_LT : TERM_LE, linear_monomials(store, sum),
                   term_of_value(store, sum->sort, bound));
    return flipped ? term_not(store, atom) : atom;
}

static const struct term *inequality(struct term_store *store, const struct term *a,
                                     const struct term *b, bool strict)
{
    assert(a->sort == b->sort && (a->sort->kind == SORT_INT || a->sort->kind == SORT_RAT));
    struct linear sum = difference(store, a, b);
    const struct term *result;
    if (length(store, &sum) == 0)
        result = store->truth[number_sign(sum.sort, sum.constant) < (strict ? 0 : 1)];
    else if (sum.sort->kind == SORT_INT)
        result = int_inequality(store, &sum, strict);
    else
        result = rat_inequality(store, &sum, strict);
    linear_close(store, &sum);
    return result;
}

const struct term *term_le(struct term_store *store, const struct term *a, const struct term *b)
{
    return inequality(store, a, b, false);
}

const struct term *term_lt(struct term_store *store, const struct term *a, const struct term *b)
{
    return inequality(store, a, b, true);
}

const struct term *term_add(struct term_store *store, const struct term *const *args, size_t count)
{
    assert(count > 0);
    struct linear sum = linear_open(store, args[0]->sort);
    struct value one = number_one(store, sum.sort);
    for (size_t i = 0; i < count; i++)
        linear_add(store, &sum, args[i], one);
    linear_normalise(store, &sum);
    const struct term *result = linear_term(store, &sum);
    linear_close(store, &sum);
    return result;
}

const struct term *term_add2(struct term_store *store, const struct term *a, const struct term *b)
{
    return term_add(store, (const struct term *[]){a, b}, 2);
}

const struct term *term_sub(struct term_store *store, const struct term *a, const struct term *b)
{
    struct linear sum = difference(store, a, b);
    const struct term *result = linear_term(store, &sum);
    linear_close(store, &sum);
    return result;
}
