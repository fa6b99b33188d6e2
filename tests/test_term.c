#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/print.h"
#include "logic/terms/rewrite.h"
#include "logic/terms/term.h"
#include "tests/random_term.h"

struct fixture {
    struct term_store *s;
    const struct term *x, *y, *z, *p, *q, *r, *u, *v;
};

static const struct term *integer(struct fixture *f, int64_t n)
{
    return term_int(f->s, n);
}

static int set_up(void **state)
{
    struct fixture *f = memory_zalloc(sizeof *f);
    struct term_store *s = f->s = term_store_create(NULL);
    f->x = term_var(s, "x", sort_int(s));
    f->y = term_var(s, "y", sort_int(s));
    f->z = term_var(s, "z", sort_int(s));
    f->p = term_var(s, "p", sort_bool(s));
    f->q = term_var(s, "q", sort_bool(s));
    f->r = term_var(s, "r", sort_bool(s));
    f->u = term_var(s, "u", sort_rat(s));
    f->v = term_var(s, "v", sort_rat(s));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    term_store_destroy(f->s);
    memory_free(f);
    return 0;
}

static void equal_structure_is_one_pointer(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    char name[] = "x";
    assert_ptr_equal(term_var(s, name, sort_int(s)), f->x);
    assert_ptr_not_equal(term_var(s, name, sort_bool(s)), f->x);
    assert_ptr_not_equal(term_var_copy(s, f->x, 3), f->x);
    assert_ptr_equal(term_var_copy(s, term_var_copy(s, f->x, 3), 0), f->x);
    assert_ptr_equal(term_mul2(s, f->x, f->y), term_mul2(s, f->y, f->x));
    assert_ptr_equal(sort_bv(s, 5), sort_bv(s, 5));
    assert_ptr_equal(sort_array(s, sort_int(s), sort_bv(s, 5)),
                     sort_array(s, sort_int(s), sort_bv(s, 5)));
    static const char *const colours[] = {"RED", "GREEN"}, *const other[] = {"RED", "BLUE"};
    assert_ptr_equal(sort_enum(s, "Colour", colours, 2), sort_enum(s, "Colour", colours, 2));
    assert_ptr_not_equal(sort_enum(s, "Colour", colours, 2), sort_enum(s, "Colour", other, 2));
    assert_ptr_not_equal(sort_enum(s, "Colour", colours, 2), sort_enum(s, "Color", colours, 2));
    assert_ptr_equal(term_int_text(s, "00012"), integer(f, 12));
    assert_ptr_equal(term_int_text(s, "-0"), integer(f, 0));
    assert_ptr_equal(term_rat(s, -4, -6), term_rat_text(s, "2", "3"));
    assert_ptr_equal(term_bv_text(s, 4, "21"), term_bv(s, 4, 5));
    assert_ptr_equal(term_bv_text(s, 70, "-1"), term_bv_unary(s, TERM_BV_NOT, term_bv(s, 70, 0)));
}

static void hashes_are_the_same_on_every_run(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *args[] = {term_le(s, f->x, f->y), term_eq(s, f->z, integer(f, 5)), f->p};
    char hash[33];
    hash128_print(term_and(s, args, 3)->hash, hash);
    assert_string_equal(hash, "6d452266dae317d9b1cf52ca0e3f9f8d");
    // Another store, another order of creation, other numbers.
    struct term_store *other = term_store_create(NULL);
    const struct term *z = term_var(other, "z", sort_int(other));
    const struct term *p = term_var(other, "p", sort_bool(other));
    const struct term *y = term_var(other, "y", sort_int(other));
    const struct term *x = term_var(other, "x", sort_int(other));
    const struct term *again[] = {p, term_eq(other, term_int(other, 5), z), term_le(other, x, y)};
    assert_true(hash128_equal(term_and(other, again, 3)->hash, term_and(s, args, 3)->hash));
    term_store_destroy(other);
}

static void booleans_simplify(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *p = f->p, *q = f->q, *r = f->r, *not_p = term_not(s, p);
    assert_ptr_equal(term_not(s, not_p), p);
    assert_true(term_is_false(term_and2(s, p, not_p)));
    assert_true(term_is_true(term_or2(s, p, not_p)));
    assert_ptr_equal(term_and2(s, p, term_true(s)), p);
    assert_true(term_is_true(term_or2(s, p, term_true(s))));
    assert_ptr_equal(term_and2(s, term_and2(s, p, q), r), term_and2(s, r, term_and2(s, q, p)));
    assert_int_equal(term_and2(s, term_and2(s, p, q), term_and2(s, r, p))->child_count, 3);
    // A negated disjunction under "and" is taken apart.
    assert_ptr_equal(term_and2(s, r, term_not(s, term_or2(s, p, q))),
                     term_and(s, (const struct term *[]){r, not_p, term_not(s, q)}, 3));
    assert_true(term_is_false(term_and2(s, p, term_not(s, term_or2(s, p, q)))));
    assert_ptr_equal(term_and2(s, term_or2(s, p, q), q), q);
    assert_ptr_equal(term_or(s, (const struct term *[]){r, term_and2(s, p, q), q}, 3),
                     term_or2(s, q, r));
    assert_true(term_is_true(term_and(s, NULL, 0)));
    assert_true(term_is_false(term_or(s, NULL, 0)));
    assert_ptr_equal(term_iff(s, p, term_true(s)), p);
    assert_ptr_equal(term_iff(s, not_p, q), term_not(s, term_iff(s, q, p)));
    assert_ptr_equal(term_xor(s, p, q), term_iff(s, not_p, q));
    assert_true(term_is_false(term_iff(s, p, not_p)));
    assert_ptr_equal(term_ite(s, not_p, q, r), term_ite(s, p, r, q));
    assert_ptr_equal(term_ite(s, p, q, q), q);
    assert_ptr_equal(term_ite(s, p, term_true(s), q), term_or2(s, p, q));
    assert_ptr_equal(term_ite(s, p, q, term_not(s, q)), term_iff(s, p, q));
    assert_ptr_equal(term_ite(s, p, term_ite(s, p, f->x, f->y), f->z), term_ite(s, p, f->x, f->z));
}

static void predicates_that_mean_the_same_are_one_atom(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *x = f->x, *y = f->y, *zero = integer(f, 0), *one = integer(f, 1);
    const struct term *positive = term_lt(s, zero, x);
    assert_ptr_equal(positive, term_le(s, one, x));
    assert_ptr_equal(positive, term_not(s, term_le(s, x, zero)));
    assert_ptr_equal(positive, term_lt(s, term_neg(s, x), zero));
    assert_ptr_equal(term_lt(s, x, y), term_not(s, term_le(s, y, x)));
    assert_ptr_equal(term_lt(s, x, y), term_le(s, term_add2(s, x, one), y));
    // Divided by the common divisor, the bound rounded down: 2x <= 2y + 3 is x - y <= 1.
    const struct term *two = integer(f, 2);
    assert_ptr_equal(
        term_le(s, term_mul2(s, two, x), term_add2(s, term_mul2(s, two, y), integer(f, 3))),
        term_le(s, term_sub(s, x, y), one));
    assert_ptr_equal(term_eq(s, term_mul2(s, two, x), term_mul2(s, two, y)), term_eq(s, y, x));
    assert_true(term_is_false(term_eq(s, term_mul2(s, two, x), one)));
    assert_ptr_equal(term_eq(s, term_add2(s, x, one), integer(f, 4)), term_eq(s, x, integer(f, 3)));
    assert_ptr_equal(term_eq(s, term_sub(s, x, y), zero), term_eq(s, x, y));
    assert_ptr_equal(term_eq(s, x, integer(f, 3))->child[0], x);
    assert_true(term_is_true(term_lt(s, x, term_add2(s, x, one))));
    assert_true(term_is_false(term_lt(s, x, x)));
    // Rationals have no next one.
    const struct term *u = f->u, *v = f->v, *half = term_rat(s, 1, 2);
    assert_ptr_equal(term_lt(s, u, half), term_not(s, term_le(s, half, u)));
    assert_ptr_not_equal(term_lt(s, u, half), term_le(s, u, half));
    assert_ptr_equal(term_lt(s, term_mul2(s, u, half), v),
                     term_lt(s, u, term_mul2(s, v, term_rat(s, 2, 1))));
    assert_ptr_equal(term_le(s, term_neg(s, u), term_neg(s, v)), term_le(s, v, u));
}

static void sums_and_products_have_one_form(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *x = f->x, *y = f->y;
    const struct term *two = integer(f, 2), *three = integer(f, 3), *five = integer(f, 5);
    assert_ptr_equal(term_add2(s, term_mul2(s, two, x), term_mul2(s, three, x)),
                     term_mul2(s, five, x));
    assert_ptr_equal(term_sub(s, term_add2(s, x, y), y), x);
    assert_ptr_equal(term_sub(s, x, x), integer(f, 0));
    assert_ptr_equal(term_mul2(s, two, term_add2(s, x, three)),
                     term_add2(s, integer(f, 6), term_mul2(s, x, two)));
    assert_ptr_equal(term_mul2(s, term_mul2(s, x, two), term_mul2(s, y, three)),
                     term_mul2(s, integer(f, 6), term_mul2(s, y, x)));
    assert_ptr_equal(term_sub(s, term_mul2(s, x, y), term_mul2(s, y, x)), integer(f, 0));
    assert_ptr_equal(term_mul2(s, integer(f, 0), x), integer(f, 0));
    assert_ptr_equal(term_div(s, x, integer(f, 1)), x);
    assert_ptr_equal(term_mod(s, x, integer(f, -3)), term_mod(s, x, three));
    assert_ptr_equal(term_rem(s, x, integer(f, -3)), term_neg(s, term_mod(s, x, three)));
    assert_ptr_equal(term_to_rat(s, term_add2(s, x, two)),
                     term_add2(s, term_to_rat(s, x), term_rat(s, 2, 1)));
    assert_ptr_equal(term_div(s, f->u, term_rat(s, 2, 1)), term_mul2(s, f->u, term_rat(s, 1, 2)));
}

static void choices_between_literals_vanish_in_comparisons(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *choice = term_ite(s, f->p, integer(f, 1), integer(f, 0));
    assert_ptr_equal(term_eq(s, choice, integer(f, 1)), f->p);
    assert_ptr_equal(term_eq(s, choice, integer(f, 0)), term_not(s, f->p));
    assert_true(term_is_false(term_eq(s, choice, integer(f, 2))));
    assert_ptr_equal(term_lt(s, integer(f, 0), choice), f->p);
    assert_true(term_is_true(term_le(s, choice, integer(f, 1))));
    static const char *const colours[] = {"RED", "GREEN", "BLUE"};
    const struct sort *colour = sort_enum(s, "Colour", colours, 3);
    const struct term *c = term_var(s, "c", colour);
    const struct term *red = term_enum(s, colour, 0), *green = term_enum(s, colour, 1);
    const struct term *t = term_ite(s, f->p, red, term_ite(s, f->q, green, c));
    assert_ptr_equal(term_eq(s, t, green),
                     term_and2(s, term_not(s, f->p), term_or2(s, f->q, term_eq(s, c, green))));
}

static void arrays_have_one_form(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct sort *sort = sort_array(s, sort_int(s), sort_int(s));
    const struct term *a = term_var(s, "a", sort), *zeros = term_default(s, sort);
    const struct term *one = integer(f, 1), *two = integer(f, 2), *zero = integer(f, 0);
    const struct term *left = term_store_at(s, term_store_at(s, zeros, one, two), two, one);
    const struct term *right = term_store_at(s, term_store_at(s, zeros, two, one), one, two);
    assert_ptr_equal(left, right);
    assert_ptr_equal(term_store_at(s, term_store_at(s, left, one, zero), two, zero), zeros);
    assert_ptr_equal(term_array(s, sort, zero,
                                (const struct term *[]){two, zero, one, one, two, one, one, two},
                                4),
                     left);
    assert_ptr_equal(term_select(s, left, one), two);
    assert_ptr_equal(term_select(s, left, f->x)->child[0], left);
    assert_ptr_equal(term_select(s, zeros, f->x), zero);
    assert_ptr_equal(term_select(s, term_store_at(s, a, f->x, one), f->x), one);
    assert_ptr_equal(term_select(s, term_store_at(s, a, one, two), two), term_select(s, a, two));
    assert_ptr_equal(term_store_at(s, term_store_at(s, a, f->x, one), f->x, two),
                     term_store_at(s, a, f->x, two));
    assert_ptr_equal(term_store_at(s, a, f->x, term_select(s, a, f->x)), a);
    // Writes at literal keys commute.
    assert_ptr_equal(term_store_at(s, term_store_at(s, a, one, f->x), two, f->y),
                     term_store_at(s, term_store_at(s, a, two, f->y), one, f->x));
    assert_ptr_equal(
        term_store_at(s, term_store_at(s, term_store_at(s, a, one, f->x), two, f->y), one, f->z),
        term_store_at(s, term_store_at(s, a, two, f->y), one, f->z));
    assert_ptr_equal(term_array(s, sort, f->x, NULL, 0)->child[0], f->x);
    assert_ptr_equal(term_select(s, term_array(s, sort, f->x, NULL, 0), f->y), f->x);
}

// Every map from a finite sort is one term, however it was made.
static void finite_maps_are_one_term(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct sort *key = sort_bv(s, 2), *sort = sort_array(s, key, sort_int(s));
    enum { MAPS = 81 };
    const struct term *known[MAPS] = {NULL};
    for (int64_t rest = 0; rest < 3; rest++) {
        for (int map = 0; map < MAPS; map++) {
            const struct term *a = term_array(s, sort, integer(f, rest), NULL, 0);
            for (int i = 0, code = map; i < 4; i++, code /= 3)
                a = term_store_at(s, a, term_bv(s, 2, (uint64_t)i), integer(f, code % 3));
            if (known[map] == NULL)
                known[map] = a;
            assert_ptr_equal(a, known[map]);
            for (int i = 0, code = map; i < 4; i++, code /= 3)
                assert_ptr_equal(term_select(s, a, term_bv(s, 2, (uint64_t)i)),
                                 integer(f, code % 3));
        }
    }
    for (int i = 0; i < MAPS; i++)
        for (int j = 0; j < i; j++)
            assert_true(term_is_false(term_eq(s, known[i], known[j])));
    // Arrays as keys.
    const struct sort *bits = sort_array(s, sort_bool(s), sort_bool(s));
    const struct sort *nested = sort_array(s, bits, sort_bool(s));
    assert_int_equal(sort_value_count(bits, 100), 4);
    assert_int_equal(sort_value_count(nested, 100), 16);
    assert_int_equal(sort_value_count(nested, 15), 0);
    const struct term *all = term_default(s, nested);
    const struct term *e[] = {term_false(s), term_true(s)};
    for (int i = 0; i < 4; i++) {
        const struct term *k = term_array(s, bits, e[i & 1], NULL, 0);
        k = term_store_at(s, k, e[1], e[i >> 1]);
        all = term_store_at(s, all, k, e[1]);
    }
    assert_ptr_equal(all, term_array(s, nested, e[1], NULL, 0));
}

static void values_and_literals_correspond(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    static const char *const colours[] = {"RED", "GREEN"};
    const struct sort *colour = sort_enum(s, "Colour", colours, 2);
    const struct term *literals[] = {term_true(s),
                                     integer(f, -5),
                                     term_rat(s, 1, 3),
                                     term_int_text(s, "99999999999999999999"),
                                     term_bv(s, 60, UINT64_MAX),
                                     term_bv(s, 61, UINT64_MAX),
                                     term_bv(s, 200, 7),
                                     term_enum(s, colour, 1),
                                     term_default(s, sort_array(s, colour, sort_bool(s)))};
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        struct value v = term_value(literals[i]);
        assert_true(term_is_literal(literals[i]));
        assert_true(value_known(v));
        assert_ptr_equal(term_of_value(s, literals[i]->sort, v), literals[i]);
    }
    assert_int_equal(term_compare_values(integer(f, -5), integer(f, 3)), -1);
    assert_int_equal(term_compare_values(term_rat(s, 1, 2), term_rat(s, 1, 3)), 1);
    assert_int_equal(term_compare_values(term_bv(s, 80, 9), term_bv(s, 80, 10)), -1);
}

static void quantifiers_drop_what_they_do_not_need(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *variables[] = {f->x, f->y, f->x};
    const struct term *body = term_le(s, f->x, f->z);
    const struct term *t = term_quantifier(s, TERM_EXISTS, variables, 3, body);
    assert_int_equal(t->child_count, 2);
    assert_true(t->flags & TERM_HAS_QUANTIFIER);
    assert_ptr_equal(term_quantifier(s, TERM_EXISTS, &f->y, 1, body), body);
    const struct term *both = term_le(s, f->x, f->y);
    assert_ptr_equal(
        term_quantifier(s, TERM_FORALL, &f->x, 1, term_quantifier(s, TERM_FORALL, &f->y, 1, both)),
        term_quantifier(s, TERM_FORALL, (const struct term *[]){f->x, f->y}, 2, both));
}

static void child_stores_share_their_parent(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *sum = term_add2(s, f->x, f->y);
    uint32_t next = term_store_next_id(s);
    struct term_store *a = term_store_create(s), *b = term_store_create(s);
    struct term_store *c = term_store_create(a = (term_store_destroy(a), term_store_create(s)));
    for (int i = 0; i < 2; i++) {
        struct term_store *child = i == 0 ? c : b;
        assert_ptr_equal(term_var(child, "x", sort_int(child)), f->x);
        assert_ptr_equal(term_add2(child, f->y, f->x), sum);
        assert_ptr_equal(term_true(child), term_true(s));
        assert_ptr_equal(sort_int(child), sort_int(s));
        const struct term *own = term_add2(child, sum, term_var(child, "own", sort_int(child)));
        assert_true(own->id >= next);
        assert_ptr_equal(own, term_add2(child, term_var(child, "own", sort_int(child)), sum));
    }
    assert_int_equal(term_store_next_id(s), next);
    term_store_destroy(c);
    term_store_destroy(a);
    term_store_destroy(b);
    term_var(s, "more", sort_bool(s)); // alone again, it may grow
}

static int64_t small(const struct term *t)
{
    return value_small_get(term_value(t));
}

static void narrow_bit_vectors_match_the_reference(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    for (int64_t i = 0; i <= BIT_MASK; i++) {
        const struct term *a = term_bv(s, BITS, (uint64_t)i);
        assert_int_equal(small(term_bv_unary(s, TERM_BV_NOT, a)), ~i & BIT_MASK);
        assert_int_equal(small(term_bv_unary(s, TERM_BV_NEG, a)), -i & BIT_MASK);
        assert_int_equal(small(term_bv_extend(s, TERM_BV_SEXT, a, 8)), reference_signed(i) & 255);
        assert_int_equal(small(term_bv_extend(s, TERM_BV_ZEXT, a, 8)), i);
        for (int64_t j = 0; j <= BIT_MASK; j++) {
            const struct term *b = term_bv(s, BITS, (uint64_t)j);
            for (int k = TERM_BV_AND; k <= TERM_BV_SLE; k++) {
                enum term_kind kind = (enum term_kind)k;
                assert_int_equal(small(term_bv_binary(s, kind, a, b)), reference_bits(kind, i, j));
            }
            assert_int_equal(small(term_bv_binary(s, TERM_BV_CONCAT, a, b)), i << BITS | j);
        }
    }
    // The vectors of docs/definitions/formats.md 10, vector 5.
    assert_int_equal(small(term_bv_binary(s, TERM_BV_ROR, term_bv(s, 4, 1), term_bv(s, 4, 1))), 8);
    assert_int_equal(small(term_bv_extend(s, TERM_BV_SEXT, term_bv(s, 2, 2), 4)), 14);
    assert_int_equal(
        small(term_bv_binary(s, TERM_BV_CONCAT,
                             term_bv_binary(s, TERM_BV_CONCAT, term_bv(s, 2, 2), term_bv(s, 2, 1)),
                             term_bv(s, 1, 1))),
        19);
}

static const struct term *wide(struct term_store *s, uint32_t width, unsigned __int128 n)
{
    char text[64], *at = text + sizeof text - 1;
    *at = '\0';
    do
        *--at = (char)('0' + (int)(n % 10));
    while ((n /= 10) != 0);
    return term_bv_text(s, width, at);
}

// Written with the compiler's 128-bit numbers; both widths on either side of the small form.
static void wide_bit_vectors_match_the_compiler(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    struct random random;
    random_init(&random, 5);
    for (int round = 0; round < 2000; round++) {
        uint32_t width = 58 + (uint32_t)random_below(&random, 8);
        unsigned __int128 mask = ((unsigned __int128)1 << width) - 1;
        unsigned __int128 x = random_next(&random) >> random_below(&random, 64);
        unsigned __int128 y = random_next(&random) >> random_below(&random, 64);
        if (random_below(&random, 3) == 0)
            x = ~x;
        if (random_below(&random, 3) == 0)
            y = ~y;
        x &= mask;
        y &= mask;
        __int128 a = (x >> (width - 1)) != 0 ? (__int128)x - (__int128)mask - 1 : (__int128)x;
        __int128 b = (y >> (width - 1)) != 0 ? (__int128)y - (__int128)mask - 1 : (__int128)y;
        const struct term *p = wide(s, width, x), *q = wide(s, width, y);
        unsigned __int128 by = y % width;
        struct {
            enum term_kind kind;
            unsigned __int128 expected;
        } cases[] = {
            {TERM_BV_AND, x & y},
            {TERM_BV_OR, x | y},
            {TERM_BV_XOR, x ^ y},
            {TERM_BV_ADD, x + y},
            {TERM_BV_MUL, x * y},
            {TERM_BV_UDIV, y == 0 ? mask : x / y},
            {TERM_BV_UREM, y == 0 ? x : x % y},
            {TERM_BV_SDIV, b == 0 ? (a < 0 ? 1 : mask) : (unsigned __int128)(a / b)},
            {TERM_BV_SREM, b == 0 ? x : (unsigned __int128)(a % b)},
            {TERM_BV_SMOD, b == 0 ? x : (unsigned __int128)((a % b + b) % b)},
            {TERM_BV_SHL, y >= width ? 0 : x << y},
            {TERM_BV_LSHR, y >= width ? 0 : x >> y},
            {TERM_BV_ASHR, (unsigned __int128)(a >> (y >= width ? width - 1 : y))},
            {TERM_BV_ROL, x << by | x >> (width - by)},
            {TERM_BV_ROR, x >> by | x << (width - by)},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            assert_ptr_equal(term_bv_binary(s, cases[i].kind, p, q),
                             wide(s, width, cases[i].expected & mask));
        assert_int_equal(term_is_true(term_bv_binary(s, TERM_BV_ULT, p, q)), x < y);
        assert_int_equal(term_is_true(term_bv_binary(s, TERM_BV_ULE, p, q)), x <= y);
        assert_int_equal(term_is_true(term_bv_binary(s, TERM_BV_SLT, p, q)), a < b);
        assert_int_equal(term_is_true(term_bv_binary(s, TERM_BV_SLE, p, q)), a <= b);
        assert_ptr_equal(term_bv_unary(s, TERM_BV_NOT, p), wide(s, width, ~x & mask));
        assert_ptr_equal(term_bv_unary(s, TERM_BV_NEG, p), wide(s, width, -x & mask));
        assert_ptr_equal(term_bv_extract(s, p, width - 2, 3),
                         wide(s, width - 4, (x >> 3) & (mask >> 4)));
        const struct term *pair = term_bv_binary(s, TERM_BV_CONCAT, p, q);
        assert_ptr_equal(term_bv_extract(s, pair, 2 * width - 1, width), p);
        assert_ptr_equal(term_bv_extract(s, pair, width - 1, 0), q);
        const struct term *longer = term_bv_extend(s, TERM_BV_SEXT, p, width + 9);
        assert_ptr_equal(term_bv_extract(s, longer, width - 1, 0), p);
        assert_ptr_equal(longer, wide(s, width + 9, (unsigned __int128)a & (mask << 9 | 511)));
    }
}

static void comparisons_of_bit_vectors_have_one_form(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *a = term_var(s, "a", sort_bv(s, 8)), *b = term_var(s, "b", sort_bv(s, 8));
    const struct term *five = term_bv(s, 8, 5), *four = term_bv(s, 8, 4);
    assert_ptr_equal(term_bv_binary(s, TERM_BV_ULT, a, b),
                     term_not(s, term_bv_binary(s, TERM_BV_ULE, b, a)));
    assert_ptr_equal(term_bv_binary(s, TERM_BV_ULT, a, five),
                     term_bv_binary(s, TERM_BV_ULE, a, four));
    assert_ptr_equal(term_bv_binary(s, TERM_BV_ULE, five, a),
                     term_not(s, term_bv_binary(s, TERM_BV_ULE, a, four)));
    assert_true(term_is_false(term_bv_binary(s, TERM_BV_ULT, a, term_bv(s, 8, 0))));
    assert_true(term_is_false(term_bv_binary(s, TERM_BV_SLT, a, term_bv(s, 8, 128))));
    assert_true(term_is_true(term_bv_binary(s, TERM_BV_SLE, a, term_bv(s, 8, 127))));
    assert_ptr_equal(term_eq(s, term_bv_binary(s, TERM_BV_ADD, a, five), four),
                     term_eq(s, a, term_bv(s, 8, 255)));
    const struct term *pair = term_bv_binary(s, TERM_BV_CONCAT, a, b);
    assert_ptr_equal(term_eq(s, pair, term_bv(s, 16, 0x0504)),
                     term_and2(s, term_eq(s, a, five), term_eq(s, b, four)));
    assert_true(
        term_is_false(term_eq(s, term_bv_extend(s, TERM_BV_ZEXT, a, 16), term_bv(s, 16, 256))));
}

// What is put together of a word and a literal, with literals: for all of them, and all words.
static void literals_below_a_word_carry_nothing_wrong(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    static const enum term_kind kinds[] = {TERM_BV_ADD, TERM_BV_ULT, TERM_BV_ULE, TERM_BV_SLT,
                                           TERM_BV_SLE};
    const struct term *x = term_var(s, "high part", sort_bv(s, 3));
    size_t merged = 0;
    for (uint64_t n = 0; n < 4 * 32 * 5 * 2; n++) {
        const struct term *low = term_bv(s, 2, n % 4), *other = term_bv(s, 5, n / 4 % 32);
        enum term_kind kind = kinds[n / 128 % 5];
        const struct term *pair = term_bv_binary(s, TERM_BV_CONCAT, x, low);
        bool left = n / 640 == 0;
        const struct term *made = term_bv_binary(s, kind, left ? pair : other, left ? other : pair);
        merged += made->kind != kind;
        for (uint64_t k = 0; k < 8; k++) {
            const struct term *value = term_bv(s, 3, k);
            const struct term *word = term_bv_binary(s, TERM_BV_CONCAT, value, low);
            assert_ptr_equal(rewrite_replace(s, made, x, value),
                             term_bv_binary(s, kind, left ? word : other, left ? other : word));
        }
    }
    assert_true(merged > 0);
}

static void rebuilding_simplifies_again(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    struct random random;
    random_init(&random, 11);
    struct random_terms terms;
    random_terms_init(&terms, s, &random);
    for (int i = 0; i < 1000; i++) {
        enum random_sort sort = (enum random_sort)random_below(&random, RANDOM_SORTS);
        const struct term *t = random_term(&terms, sort, 4).term;
        assert_ptr_equal(term_rebuild(s, t, t->child), t);
    }
    const struct term *sum = term_add2(s, f->x, f->y);
    const struct term *children[] = {f->z, f->z};
    assert_ptr_equal(term_rebuild(s, sum, children), term_mul2(s, integer(f, 2), f->z));
    random_terms_finish(&terms);
}

// The n-th allocation fails, for each n: the trap is taken, nothing breaks, what was there before is
// still good and the store can be destroyed.
static void failing_allocations_leave_the_store_whole(void **state)
{
    (void)state;
    uint64_t before = memory_thread_bytes();
    volatile bool finished = false;
    for (volatile uint64_t n = 1; !finished; n = n + 1) {
        struct term_store *volatile store = NULL;
        struct memory_trap trap;
        volatile uint32_t last = 0;
        if (setjmp(trap.jump) == 0) {
            memory_trap_push(&trap);
            store = term_store_create(NULL);
            const struct term *x = term_var(store, "x", sort_int(store));
            memory_thread_fail_at(n);
            const struct term *sum = x;
            for (int i = 0; i < 400; i++) {
                char name[16];
                snprintf(name, sizeof name, "v%d", i);
                const struct term *v = term_var(store, name, sort_int(store));
                sum = term_add2(store, v, term_mod(store, sum, term_int(store, i + 2)));
                last = sum->id;
            }
            memory_thread_fail_at(0);
            memory_trap_pop(&trap);
            finished = true;
        }
        const struct term *x = term_var(store, "x", sort_int(store));
        assert_ptr_equal(x, term_var(store, "x", sort_int(store)));
        assert_ptr_equal(term_add2(store, x, x), term_mul2(store, term_int(store, 2), x));
        assert_true(term_store_next_id(store) > last);
        term_store_destroy(store);
    }
    assert_int_equal(memory_thread_bytes(), before);
}

// Who runs out of memory loses the child that it has made: the parent is still destroyed in the end.
static void a_lost_child_does_not_keep_its_parent(void **state)
{
    (void)state;
    static struct term_store *lost; // reachable, so no leak
    struct term_store *parent = term_store_create(NULL);
    struct memory_trap trap;
    if (setjmp(trap.jump) == 0) {
        memory_trap_push(&trap);
        lost = term_store_create(parent);
        memory_thread_fail_at(1);
        for (int i = 0;; i++)
            term_int(lost, 1000 + i);
    }
    assert_non_null(lost);
    term_store_destroy(parent);
}

// By substitution of all values of both, where zero and the least number are among them.
static void quotients_and_remainders_have_one_form(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct sort *word = sort_bv(s, 4);
    const struct term *x = term_var(s, "x", word), *y = term_var(s, "y", word);
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        const enum term_kind div = is_signed ? TERM_BV_SDIV : TERM_BV_UDIV,
                             rem = is_signed ? TERM_BV_SREM : TERM_BV_UREM,
                             le = is_signed ? TERM_BV_SLE : TERM_BV_ULE;
        const struct term *q = term_bv_binary(s, div, x, y), *r = term_bv_binary(s, rem, x, y);
        const struct term *product = term_bv_binary(s, TERM_BV_MUL, q, y);
        const struct term *less = term_bv_unary(s, TERM_BV_NEG, product);
        const struct term *minus = term_bv_unary(s, TERM_BV_NEG, y);
        assert_ptr_equal(term_bv_binary(s, TERM_BV_ADD, product, r), x);
        assert_ptr_equal(term_bv_binary(s, TERM_BV_ADD, x, less), r);
        const struct term *made[] = {term_bv_binary(s, le, y, r), term_bv_binary(s, le, r, x),
                                     term_bv_binary(s, le, r, minus)};
        for (unsigned i = 0; i < 16; i++) {
            for (unsigned j = 0; j < 16; j++) {
                const struct term *a = term_bv(s, 4, i), *b = term_bv(s, 4, j);
                const struct term *c = term_bv_binary(s, rem, a, b);
                const struct term *from = term_bv_binary(s, div, a, b);
                from = term_bv_binary(s, TERM_BV_MUL, from, b);
                assert_ptr_equal(term_bv_binary(s, TERM_BV_ADD, from, c), a);
                const struct term *known[] = {
                    term_bv_binary(s, le, b, c), term_bv_binary(s, le, c, a),
                    term_bv_binary(s, le, c, term_bv_unary(s, TERM_BV_NEG, b))};
                for (unsigned k = 0; k < 3; k++)
                    assert_ptr_equal(rewrite_replace(s, rewrite_replace(s, made[k], x, a), y, b),
                                     known[k]);
            }
        }
    }
}

int main(void)
{
#define TERM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TERM_TEST(equal_structure_is_one_pointer),
        TERM_TEST(hashes_are_the_same_on_every_run),
        TERM_TEST(booleans_simplify),
        TERM_TEST(predicates_that_mean_the_same_are_one_atom),
        TERM_TEST(sums_and_products_have_one_form),
        TERM_TEST(choices_between_literals_vanish_in_comparisons),
        TERM_TEST(arrays_have_one_form),
        TERM_TEST(finite_maps_are_one_term),
        TERM_TEST(values_and_literals_correspond),
        TERM_TEST(quantifiers_drop_what_they_do_not_need),
        TERM_TEST(child_stores_share_their_parent),
        TERM_TEST(narrow_bit_vectors_match_the_reference),
        TERM_TEST(wide_bit_vectors_match_the_compiler),
        TERM_TEST(comparisons_of_bit_vectors_have_one_form),
        TERM_TEST(literals_below_a_word_carry_nothing_wrong),
        TERM_TEST(quotients_and_remainders_have_one_form),
        TERM_TEST(rebuilding_simplifies_again),
        cmocka_unit_test(failing_allocations_leave_the_store_whole),
        cmocka_unit_test(a_lost_child_does_not_keep_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
