#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/random.h"
#include "logic/smt/product_words.h"
#include "logic/smt/products.h"
#include "logic/smt/smt.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"
#include "tests/part.h"

// Questions without products of words: what satisfies a formula still does, and equations of polynomials are told.

#define WORDS 4
#define WIDTH 8
#define WIDE 64

struct fixture {
    struct random random;
    struct term_store *store;
    const struct term *word[WORDS], *value[WORDS];
};

static void make(struct fixture *f, uint64_t seed)
{
    char name[8];
    random_init(&f->random, seed);
    f->store = term_store_create(NULL);
    for (int i = 0; i < WORDS; i++) {
        snprintf(name, sizeof name, "w%d", i);
        f->word[i] = term_var(f->store, name, sort_bv(f->store, WIDTH));
        uint64_t small = random_below(&f->random, 7) - 3;
        f->value[i] =
            term_bv(f->store, WIDTH, random_below(&f->random, 2) ? small : random_next(&f->random));
    }
}

static const struct term *value_of(void *context, const struct term *variable)
{
    const struct fixture *f = context;
    for (int i = 0; i < WORDS; i++)
        if (f->word[i] == variable)
            return f->value[i];
    return variable;
}

// Of the terms: what they are under the assignment that is to satisfy the formula.
static bool is_true(struct fixture *f, const struct term *condition)
{
    return term_is_true(rewrite_substitute(f->store, condition, value_of, f));
}

static const struct term *op(struct fixture *f, enum term_kind kind, const struct term *a,
                             const struct term *b)
{
    return term_bv_binary(f->store, kind, a, b);
}

static const struct term *number(struct fixture *f, uint64_t value)
{
    return term_bv(f->store, WIDTH, value);
}

static const struct term *word(struct fixture *f, int depth);

static const struct term *cut(struct fixture *f, int depth)
{
    static const enum term_kind divisions[] = {TERM_BV_UDIV, TERM_BV_UREM, TERM_BV_SDIV,
                                               TERM_BV_SREM};
    const struct term *w = word(f, depth);
    const uint64_t bits = 1 + random_below(&f->random, 3);
    switch (random_below(&f->random, 6)) {
    case 0:
        return op(f, TERM_BV_LSHR, w, number(f, bits));
    case 1:
        return op(f, TERM_BV_ASHR, w, number(f, bits));
    case 2:
        return op(f, TERM_BV_AND, w, number(f, (1u << bits) - 1));
    case 3:
        return term_bv_extend(f->store, TERM_BV_ZEXT,
                              term_bv_extract(f->store, w, (uint32_t)bits - 1, 0), WIDTH);
    default:
        return op(f, divisions[random_below(&f->random, 4)], w,
                  number(f, 2 + random_below(&f->random, random_below(&f->random, 2) ? 2 : 9)));
    }
}

static const struct term *condition(struct fixture *f, int depth);

static const struct term *word(struct fixture *f, int depth)
{
    if (depth == 0 || random_below(&f->random, 4) == 0)
        return random_below(&f->random, 4) == 0 ? number(f, random_below(&f->random, 9) - 4)
                                                : f->word[random_below(&f->random, WORDS)];
    switch (random_below(&f->random, 8)) {
    case 0:
    case 1:
        return op(f, TERM_BV_MUL, word(f, depth - 1), word(f, depth - 1));
    case 2:
        return term_bv_unary(f->store, TERM_BV_NEG, word(f, depth - 1));
    case 3:
        return op(f, TERM_BV_SHL, word(f, depth - 1), number(f, random_below(&f->random, 9)));
    case 4:
    case 5:
        return cut(f, depth - 1);
    case 6:
        return random_below(&f->random, 3)
                   ? op(f, TERM_BV_ADD, word(f, depth - 1), word(f, depth - 1))
                   : term_ite(f->store, condition(f, depth - 1), word(f, depth - 1),
                              word(f, depth - 1));
    default:
        return op(f, TERM_BV_ADD, word(f, depth - 1), word(f, depth - 1));
    }
}

// In words of more bits, where sums do not wrap.
static const struct term *wide(struct fixture *f, int depth)
{
    const struct term *a = term_bv_extend(
        f->store, random_below(&f->random, 3) ? TERM_BV_SEXT : TERM_BV_ZEXT, word(f, depth), WIDE);
    const struct term *by = term_bv(f->store, WIDE, random_below(&f->random, 2) ? 11 : 0 - 100000u);
    return random_below(&f->random, 2) ? a : op(f, TERM_BV_MUL, a, by);
}

static const struct term *condition(struct fixture *f, int depth)
{
    static const enum term_kind orders[] = {TERM_BV_ULE, TERM_BV_ULT, TERM_BV_SLE, TERM_BV_SLT};
    const bool extended = random_below(&f->random, 4) == 0;
    const struct term *a = extended ? wide(f, depth) : word(f, depth),
                      *b = extended ? wide(f, depth) : word(f, depth);
    return random_below(&f->random, 2) ? term_eq(f->store, a, b)
                                       : op(f, orders[random_below(&f->random, 4)], a, b);
}

// One that the assignment satisfies.
static const struct term *satisfied(struct fixture *f, int depth)
{
    const struct term *one = condition(f, depth);
    if (!is_true(f, one))
        one = term_not(f->store, one);
    if (random_below(&f->random, 5) == 0)
        one = term_or2(f->store, one, condition(f, depth));
    return one;
}

// What it says of a word by others is true: an equation to be made use of.
static const struct term *equation(struct fixture *f)
{
    const struct term *w = f->word[random_below(&f->random, WORDS)], *sum = word(f, 2);
    const struct term *is = rewrite_substitute(f->store, w, value_of, f);
    const struct term *others = rewrite_substitute(f->store, sum, value_of, f);
    const struct term *less = op(f, TERM_BV_ADD, is, term_bv_unary(f->store, TERM_BV_NEG, others));
    return term_eq(f->store, w, op(f, TERM_BV_ADD, sum, less));
}

static const struct term *as_it_is(struct fixture *f, const struct term *condition)
{
    return is_true(f, condition) ? condition : term_not(f->store, condition);
}

// a and b in order, and a - b against 1 in wider words.
static const struct term *next(struct fixture *f, const struct term *a, const struct term *b,
                               bool with_sign)
{
    const enum term_kind extension = with_sign ? TERM_BV_SEXT : TERM_BV_ZEXT;
    const struct term *difference =
        op(f, TERM_BV_ADD, term_bv_extend(f->store, extension, a, WIDE),
           term_bv_unary(f->store, TERM_BV_NEG, term_bv_extend(f->store, extension, b, WIDE)));
    return term_and2(f->store, as_it_is(f, op(f, with_sign ? TERM_BV_SLE : TERM_BV_ULE, a, b)),
                     as_it_is(f, op(f, TERM_BV_SLE, difference, term_bv(f->store, WIDE, 1))));
}

static const struct term *formula(struct fixture *f)
{
    const struct term *out = term_true(f->store);
    if (random_below(&f->random, 3) == 0)
        out = next(f, f->word[random_below(&f->random, WORDS)],
                   f->word[random_below(&f->random, WORDS)], random_below(&f->random, 2) == 0);
    for (uint64_t n = 1 + random_below(&f->random, 4); n > 0; n--)
        out = term_and2(f->store, out, satisfied(f, 2));
    for (uint64_t n = random_below(&f->random, 4); n > 0; n--)
        out = term_and2(f->store, out, equation(f));
    for (uint64_t n = random_below(&f->random, 4); n > 0; n--) {
        const struct term *w = f->word[random_below(&f->random, WORDS)];
        const struct term *most = number(f, 20 + random_below(&f->random, 60));
        const struct term *bound = op(f, TERM_BV_SLE, w, most);
        out = term_and2(f->store, out, is_true(f, bound) ? bound : term_not(f->store, bound));
    }
    return out;
}

static enum smt_result ask(struct term_store *store, const struct term *t)
{
    const char *error;
    struct smt_context *context =
        smt_context_create("circuit", store, &(struct smt_options){0}, &error);
    assert_non_null(context);
    struct smt *smt = smt_create(context);
    smt_assert(smt, t);
    enum smt_result result = smt_check(smt);
    smt_destroy(smt);
    smt_context_destroy(context);
    return result;
}

// With the values that words have in an assignment that satisfies the formula, there are values of what was put for products.
static void what_satisfies_a_formula_satisfies_its_question(void **state)
{
    (void)state;
    const unsigned models = part_models(1000, 100);
    unsigned asked = 0;
    for (uint64_t seed = 1; seed <= models; seed++) {
        struct fixture f;
        make(&f, seed);
        const struct term *whole = formula(&f);
        assert_true(is_true(&f, whole));
        int64_t work = PRODUCTS_WORK / 10;
        const struct term *question = products_question(f.store, whole, &work);
        if (question != NULL) {
            asked++;
            assert_false(products_occur(f.store, question) && term_is_false(question));
            question = rewrite_substitute(f.store, question, value_of, &f);
            if (term_is_false(question) || ask(f.store, question) != SMT_SAT)
                fail_msg("seed %u: lost", (unsigned)seed);
        }
        term_store_destroy(f.store);
    }
    assert_true(asked > models / 4);
}

// Told in two parts, of which the first is heeded.
static const struct term *with_product_words(struct fixture *f, const struct term *first,
                                             const struct term *second)
{
    struct product_words *words = product_words_create(f->store);
    product_words_heed(words, first);
    const struct term *out = product_words_of(words, first);
    const struct term *other = product_words_of(words, second);
    assert_true(out != NULL && other != NULL);
    out = term_and2(f->store, term_and2(f->store, out, other), product_words_facts(words));
    product_words_destroy(words);
    return out;
}

static void what_satisfies_formulas_satisfies_them_with_words_for_products(void **state)
{
    (void)state;
    const unsigned models = part_models(1000, 100);
    unsigned told = 0;
    for (uint64_t seed = 1; seed <= models; seed++) {
        struct fixture f;
        make(&f, seed);
        const struct term *first = formula(&f), *second = formula(&f);
        const struct term *whole = term_and2(f.store, first, second);
        const struct term *question = with_product_words(&f, first, second);
        told += question != whole;
        question = rewrite_substitute(f.store, question, value_of, &f);
        if (term_is_false(question) || ask(f.store, question) != SMT_SAT)
            fail_msg("seed %u: lost", (unsigned)seed);
        term_store_destroy(f.store);
    }
    assert_true(told > models / 4);
}

// x' = x + step, s' = s + 2 x + 1: s = x * x is kept by a step of 1. Of equal words the products are.
static void products_as_words_keep_squares(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, 1);
    const struct term *x = f.word[0], *s = f.word[1], *next = f.word[2], *sum = f.word[3];
    for (uint64_t step = 1; step <= 2; step++) {
        const struct term *twice = op(&f, TERM_BV_MUL, x, number(&f, 2));
        const struct term *more = op(&f, TERM_BV_ADD, twice, number(&f, 1));
        const struct term *holds =
            term_and2(f.store, term_eq(f.store, next, op(&f, TERM_BV_ADD, x, number(&f, step))),
                      term_and2(f.store, term_eq(f.store, sum, op(&f, TERM_BV_ADD, s, more)),
                                term_eq(f.store, s, op(&f, TERM_BV_MUL, x, x))));
        const struct term *fails =
            term_not(f.store, term_eq(f.store, sum, op(&f, TERM_BV_MUL, next, next)));
        assert_int_equal(ask(f.store, with_product_words(&f, holds, fails)),
                         step == 1 ? SMT_UNSAT : SMT_SAT);
    }
    const struct term *same =
        term_and2(f.store, op(&f, TERM_BV_ULE, x, s), op(&f, TERM_BV_ULE, s, x));
    const struct term *differ = term_not(
        f.store, term_eq(f.store, op(&f, TERM_BV_MUL, x, next), op(&f, TERM_BV_MUL, next, s)));
    assert_int_equal(ask(f.store, with_product_words(&f, same, differ)), SMT_UNSAT);
    term_store_destroy(f.store);
}

// Two terms with the same polynomial have the same value, and the term of a polynomial has it.
static void polynomials_keep_values(void **state)
{
    (void)state;
    const unsigned models = part_models(4000, 1000);
    for (uint64_t seed = 1; seed <= models; seed++) {
        struct fixture f;
        struct polynomial p;
        make(&f, seed);
        const struct term *w = word(&f, 4);
        if (polynomial_of(f.store, w, WIDTH, &p)) {
            const struct term *same = polynomial_term(f.store, &p);
            assert_true(is_true(&f, term_eq(f.store, w, same)));
            polynomial_scale(&p, 5);
            const struct term *zero = polynomial_is_zero(f.store, &p);
            assert_int_equal(is_true(&f, zero), is_true(&f, term_eq(f.store, w, number(&f, 0))));
        }
        polynomial_finish(&p);
        term_store_destroy(f.store);
    }
}

static void tells(struct fixture *f, const struct term *const *facts, size_t count, bool refuted)
{
    int64_t work = PRODUCTS_WORK;
    const struct term *question =
        products_question(f->store, term_and(f->store, facts, count), &work);
    assert_non_null(question);
    assert_int_equal(term_is_false(question), refuted);
}

static void equations_of_polynomials_need_no_solver(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, 1);
    const struct term *x = f.word[0], *y = f.word[1], *z = f.word[2], *n = f.word[3];
    const struct term *one = number(&f, 1), *two = number(&f, 2);
    const struct term *minus_y = term_bv_unary(f.store, TERM_BV_NEG, y);
    const struct term *product =
        op(&f, TERM_BV_MUL, op(&f, TERM_BV_ADD, x, y), op(&f, TERM_BV_ADD, x, minus_y));
    const struct term *squares =
        op(&f, TERM_BV_ADD, op(&f, TERM_BV_MUL, x, x), op(&f, TERM_BV_MUL, minus_y, y));
    const struct term *differ = term_not(f.store, term_eq(f.store, product, squares));
    tells(&f, &differ, 1, true);
    // z + x * y = n is kept by y odd: z += x, then y /= 2 and x *= 2; not so if x stays.
    const struct term *invariant =
        term_eq(f.store, op(&f, TERM_BV_ADD, z, op(&f, TERM_BV_MUL, x, y)), n);
    const struct term *odd = term_eq(f.store, op(&f, TERM_BV_UREM, y, two), one);
    const struct term *half = op(&f, TERM_BV_UDIV, op(&f, TERM_BV_ADD, y, number(&f, 255)), two);
    for (int doubled = 0; doubled < 2; doubled++) {
        const struct term *by = doubled ? op(&f, TERM_BV_MUL, x, two) : x;
        const struct term *sum =
            op(&f, TERM_BV_ADD, op(&f, TERM_BV_ADD, z, x), op(&f, TERM_BV_MUL, by, half));
        const struct term *facts[] = {invariant, odd, term_not(f.store, term_eq(f.store, sum, n))};
        tells(&f, facts, 3, doubled);
    }
    // Two orders make n equal to x.
    const struct term *orders[] = {
        op(&f, TERM_BV_SLE, n, x), op(&f, TERM_BV_SLE, x, n),
        term_not(f.store, term_eq(f.store, op(&f, TERM_BV_MUL, n, y), op(&f, TERM_BV_MUL, x, y)))};
    tells(&f, orders, 3, true);
    tells(&f, orders + 1, 2, false);
    // x above y, and not by more than 1, makes x equal to y + 1: (y + 2) y = x * x - 1.
    for (int with_sign = 0; with_sign < 2; with_sign++) {
        f.value[0] = number(&f, 5);
        f.value[1] = number(&f, 4);
        const struct term *squared =
            op(&f, TERM_BV_ADD, op(&f, TERM_BV_MUL, x, x), number(&f, (uint64_t)0 - 1));
        const struct term *facts[] = {
            next(&f, x, y, with_sign == 1),
            term_not(f.store, term_eq(f.store, squared,
                                      op(&f, TERM_BV_MUL, y, op(&f, TERM_BV_ADD, y, two))))};
        tells(&f, facts, 2, true);
        f.value[0] = number(&f, 6);
        facts[0] = next(&f, x, y, with_sign == 1);
        tells(&f, facts, 2, false);
    }
    term_store_destroy(f.store);
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(what_satisfies_a_formula_satisfies_its_question),
        cmocka_unit_test(what_satisfies_formulas_satisfies_them_with_words_for_products),
        cmocka_unit_test(products_as_words_keep_squares),
        cmocka_unit_test(polynomials_keep_values),
        cmocka_unit_test(equations_of_polynomials_need_no_solver),
    };
    return part_run(count, arguments, tests);
}
