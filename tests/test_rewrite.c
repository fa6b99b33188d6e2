#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "logic/terms/eval.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"
#include "tests/random_term.h"

struct fixture {
    struct term_store *s;
    const struct term *x, *y, *z, *p, *q;
};

static int set_up(void **state)
{
    struct fixture *f = memory_zalloc(sizeof *f);
    struct term_store *s = f->s = term_store_create(NULL);
    f->x = term_var(s, "x", sort_int(s));
    f->y = term_var(s, "y", sort_int(s));
    f->z = term_var(s, "z", sort_int(s));
    f->p = term_var(s, "p", sort_bool(s));
    f->q = term_var(s, "q", sort_bool(s));
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

struct pairs {
    const struct term *from[3], *to[3];
};

static const struct term *by_pairs(void *context, const struct term *variable)
{
    const struct pairs *pairs = context;
    for (int i = 0; i < 3; i++)
        if (pairs->from[i] == variable)
            return pairs->to[i];
    return variable;
}

static void substitution_is_simultaneous(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    struct pairs swap = {{f->x, f->y}, {f->y, f->x}};
    const struct term *t = term_le(s, term_add2(s, f->x, term_int(s, 1)), f->y);
    assert_ptr_equal(rewrite_substitute(s, t, by_pairs, &swap),
                     term_le(s, term_add2(s, f->y, term_int(s, 1)), f->x));
    struct pairs value = {{f->x}, {term_int(s, 3)}};
    assert_ptr_equal(rewrite_substitute(s, t, by_pairs, &value), term_le(s, term_int(s, 4), f->y));
    struct pairs none = {{f->z}, {f->x}};
    assert_ptr_equal(rewrite_substitute(s, t, by_pairs, &none), t);
    size_t most = 100;
    assert_ptr_equal(rewrite_substitute_within(s, t, by_pairs, &swap, &most),
                     rewrite_substitute(s, t, by_pairs, &swap));
    assert_in_range(most, 90, 98); // x, y, the sum, the comparison and what they are written with
    most = 2;
    assert_null(rewrite_substitute_within(s, t, by_pairs, &swap, &most));
}

// A cache gives what a call of its own gives, also when answers change, variables join, and under
// quantifiers.
static void a_cache_notices_that_answers_change(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    struct rewrite_cache *cache = rewrite_cache_create(s);
    const struct term *sum = term_add2(s, f->x, f->y);
    const struct term *terms[] = {
        term_le(s, sum, term_int(s, 5)),
        term_lt(s, term_mul2(s, sum, f->z), f->y),
        term_quantifier(s, TERM_EXISTS, &f->z, 1, term_lt(s, f->z, sum)),
        f->x,
        term_int(s, 2),
    };
    struct pairs answers[] = {{{f->x}, {term_int(s, 3)}},
                              {{f->x, f->y}, {term_int(s, 3), f->z}},
                              {{f->z}, {f->x}},
                              {{f->y, f->x}, {f->x, f->y}},
                              {{f->y, f->x}, {f->x, f->y}}};
    for (size_t a = 0; a < sizeof answers / sizeof *answers; a++)
        for (size_t t = 0; t < sizeof terms / sizeof *terms; t++)
            assert_ptr_equal(rewrite_substitute_cached(cache, terms[t], by_pairs, &answers[a]),
                             rewrite_substitute(s, terms[t], by_pairs, &answers[a]));
    rewrite_cache_destroy(cache);
    rewrite_cache_destroy(NULL);
}

static void substitution_does_not_capture(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    // exists x. x < y, with y := x + z, is not exists x. x < x + z.
    const struct term *t = term_quantifier(s, TERM_EXISTS, &f->x, 1, term_lt(s, f->x, f->y));
    struct pairs pairs = {{f->y, f->x}, {term_add2(s, f->x, f->z), term_int(s, 7)}};
    const struct term *result = rewrite_substitute(s, t, by_pairs, &pairs);
    const struct term *fresh = result->child[0];
    assert_int_equal(result->kind, TERM_EXISTS);
    assert_ptr_not_equal(fresh, f->x);
    assert_ptr_equal(result->child[1], term_lt(s, fresh, term_add2(s, f->x, f->z)));
    // A bound variable is not replaced; without capture it keeps its name.
    struct pairs only = {{f->x, f->y}, {term_int(s, 7), f->z}};
    assert_ptr_equal(rewrite_substitute(s, t, by_pairs, &only),
                     term_quantifier(s, TERM_EXISTS, &f->x, 1, term_lt(s, f->x, f->z)));
    // The same term free and bound, in one formula.
    const struct term *both = term_and2(s, t, term_lt(s, f->x, f->y));
    assert_ptr_equal(
        rewrite_substitute(s, both, by_pairs, &only),
        term_and2(s, rewrite_substitute(s, t, by_pairs, &only), term_lt(s, term_int(s, 7), f->z)));
}

static void fresh_names_avoid_all_others(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *taken = term_var(s, "x!1", sort_int(s));
    const struct term *inner[] = {f->x, taken};
    const struct term *sum = term_add(s, (const struct term *[]){f->x, taken, f->y}, 3);
    const struct term *t = term_quantifier(s, TERM_FORALL, inner, 2, term_le(s, sum, f->z));
    struct pairs pairs = {{f->y}, {f->x}};
    const struct term *result = rewrite_substitute(s, t, by_pairs, &pairs);
    struct term_vector variables = {0};
    rewrite_free_variables(result, &variables);
    assert_int_equal(variables.count, 2);
    VECTOR_FINISH(&variables);
    assert_ptr_not_equal(result->child[0], f->x);
    assert_ptr_not_equal(result->child[0], result->child[1]);
    assert_true(rewrite_contains(result, f->x));
}

static void replacing_respects_binders(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *sum = term_mod(s, f->x, f->y);
    const struct term *free_part = term_le(s, sum, f->z);
    const struct term *bound = term_quantifier(s, TERM_EXISTS, &f->y, 1, free_part);
    const struct term *t = term_and2(s, free_part, bound);
    assert_ptr_equal(rewrite_replace(s, t, sum, f->x), term_and2(s, term_le(s, f->x, f->z), bound));
    // z := y must not be caught by exists y.
    const struct term *result = rewrite_replace(s, bound, f->z, f->y);
    assert_int_equal(result->kind, TERM_EXISTS);
    assert_ptr_not_equal(result->child[0], f->y);
    assert_true(rewrite_contains(result, f->y));
    assert_false(rewrite_contains(result, f->z));
    assert_ptr_equal(rewrite_replace(s, f->x, f->x, f->y), f->y);
}

static void free_variables_come_once(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *bound = term_quantifier(s, TERM_FORALL, &f->x, 1, term_le(s, f->x, f->y));
    const struct term *t = term_ite(s, f->p, term_or2(s, f->q, bound), term_le(s, f->x, f->x));
    struct term_vector v = {0};
    rewrite_free_variables(t, &v);
    bool y = false, p = false, q = false;
    for (size_t i = 0; i < v.count; i++) {
        y |= v.data[i] == f->y;
        p |= v.data[i] == f->p;
        q |= v.data[i] == f->q;
    }
    assert_true(y && p && q && v.count == 3);
    rewrite_free_variables(f->z, &v);
    rewrite_free_variables(t, &v);
    assert_int_equal(v.count, 4);
    VECTOR_FINISH(&v);
    assert_false(rewrite_contains(t, f->x));
    assert_true(rewrite_contains(t, f->y));
    // From the left.
    const struct term *ite = term_ite(s, f->p, f->z, term_mod(s, f->x, f->y));
    rewrite_free_variables(ite, &v);
    assert_ptr_equal(v.data[0], f->p);
    assert_ptr_equal(v.data[1], f->z);
    assert_ptr_equal(v.data[2], f->x);
    assert_ptr_equal(v.data[3], f->y);
    VECTOR_FINISH(&v);
}

static void atoms_are_what_connectives_join(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *a = term_le(s, f->x, f->y), *b = term_eq(s, f->x, term_int(s, 3));
    const struct term *bound =
        term_quantifier(s, TERM_FORALL, &f->z, 1, term_or2(s, term_le(s, f->z, f->y), f->q));
    const struct term *t = term_and(
        s, (const struct term *[]){term_iff(s, a, f->p), term_not(s, b), bound, term_or2(s, a, b)},
        4);
    struct term_vector v = {0};
    rewrite_atoms(t, &v);
    const struct term *expected[] = {a->kind == TERM_NOT ? a->child[0] : a, b, f->p, f->q};
    assert_int_equal(v.count, 4);
    for (size_t i = 0; i < 4; i++) {
        bool found = false;
        for (size_t j = 0; j < v.count; j++)
            found |= v.data[j] == expected[i];
        assert_true(found);
    }
    rewrite_atoms(t, &v);
    assert_int_equal(v.count, 4);
    VECTOR_FINISH(&v);
}

static void conjuncts_are_listed(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    struct term_vector v = {0};
    rewrite_conjuncts(term_true(s), &v);
    assert_int_equal(v.count, 0);
    rewrite_conjuncts(f->p, &v);
    assert_int_equal(v.count, 1);
    rewrite_conjuncts(term_and2(s, f->p, f->q), &v);
    assert_int_equal(v.count, 3);
    VECTOR_FINISH(&v);
}

static void equations_are_solved(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *next = term_var(s, "next", sort_int(s));
    const struct term *sum = term_add2(s, f->x, term_mul2(s, term_int(s, 3), f->y));
    assert_ptr_equal(rewrite_solve(s, term_eq(s, next, sum), next), sum);
    assert_ptr_equal(rewrite_solve(s, term_eq(s, sum, next), f->x),
                     term_sub(s, next, term_mul2(s, term_int(s, 3), f->y)));
    assert_null(rewrite_solve(s, term_eq(s, next, sum), f->y)); // a third need not be an integer
    assert_null(rewrite_solve(s, term_eq(s, next, term_mod(s, next, f->y)), next));
    assert_null(rewrite_solve(s, term_le(s, next, sum), next));
    assert_ptr_equal(rewrite_solve(s, term_eq(s, next, term_int(s, 5)), next), term_int(s, 5));
    assert_ptr_equal(rewrite_solve(s, term_not(s, f->p), f->p), term_false(s));
    assert_ptr_equal(rewrite_solve(s, f->p, f->p), term_true(s));
    assert_ptr_equal(rewrite_solve(s, term_xor(s, f->p, f->q), f->p), term_not(s, f->q));
    const struct term *u = term_var(s, "u", sort_rat(s)), *v = term_var(s, "v", sort_rat(s));
    assert_ptr_equal(rewrite_solve(s, term_eq(s, term_mul2(s, u, term_rat(s, 2, 1)), v), u),
                     term_mul2(s, v, term_rat(s, 1, 2)));
    const struct sort *array = sort_array(s, sort_int(s), sort_int(s));
    const struct term *a = term_var(s, "a", array), *b = term_var(s, "b", array);
    const struct term *write = term_store_at(s, a, f->x, f->y);
    assert_ptr_equal(rewrite_solve(s, term_eq(s, b, write), b), write);
    assert_null(rewrite_solve(s, term_eq(s, b, write), a));
}

// Substituting the values is the same as evaluating.
static const struct term *sample_lookup(void *context, const struct term *variable)
{
    struct random_terms *terms = context;
    for (int sort = 0; sort < RANDOM_SORTS; sort++)
        for (int i = 0; i < VARIABLES; i++)
            if (terms->variable[sort][i].term == variable)
                return random_literal_of(terms, (enum random_sort)sort,
                                         &terms->variable[sort][i].value, 0);
    return variable;
}

static void substituting_values_evaluates(void **state)
{
    struct fixture *f = *state;
    struct random random;
    random_init(&random, 77);
    struct random_terms terms;
    random_terms_init(&terms, f->s, &random);
    unsigned decided = 0;
    for (int i = 0; i < 3000; i++) {
        enum random_sort sort = (enum random_sort)random_below(&random, RANDOM_SORTS);
        struct random_term t = random_term(&terms, sort, 4);
        const struct term *result = rewrite_substitute(f->s, t.term, sample_lookup, &terms);
        assert_false(result->flags & TERM_HAS_VARIABLE);
        if (!term_is_literal(result)) {
            assert_true(result->flags & TERM_HAS_DIVISION); // by zero
            continue;
        }
        decided++;
        if ((t.term->flags & TERM_HAS_DIVISION) == 0)
            assert_ptr_equal(result, random_literal_of(&terms, sort, &t.value, 0));
    }
    assert_true(decided > 2000);
    random_terms_finish(&terms);
}

static struct value all_one(void *context, const struct term *variable)
{
    (void)context;
    (void)variable;
    return value_small(1);
}

static void sharing_is_kept(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *t = f->x;
    for (int i = 0; i < 500; i++)
        t = term_mod(s, term_mul2(s, t, t), term_int(s, i + 3));
    struct pairs pairs = {{f->x}, {f->y}};
    const struct term *result = rewrite_substitute(s, t, by_pairs, &pairs);
    assert_true(rewrite_contains(result, f->y));
    assert_false(rewrite_contains(result, f->x));
    assert_ptr_equal(rewrite_replace(s, result, f->y, f->x), t);
}

// Deeper than a thread's stack would bear if the walks called themselves.
static void deep_terms_are_walked(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *t = f->x;
    for (int i = 0; i < 100000; i++)
        t = term_mod(s, term_ite(s, f->p, t, f->y), term_int(s, i + 2));
    struct pairs pairs = {{f->x}, {f->z}};
    const struct term *result = rewrite_substitute(s, t, by_pairs, &pairs);
    assert_false(rewrite_contains(result, f->x));
    assert_ptr_equal(rewrite_replace(s, result, f->z, f->x), t);
    struct term_vector v = {0};
    rewrite_free_variables(t, &v);
    assert_int_equal(v.count, 3);
    VECTOR_FINISH(&v);
    rewrite_atoms(t, &v);
    assert_int_equal(v.count, 1);
    VECTOR_FINISH(&v);
    struct evaluator *evaluator = evaluator_create(s);
    assert_true(value_known(evaluator_run(evaluator, t, all_one, NULL)));
    evaluator_destroy(evaluator);
}

static void what_makes_terms_equal_is_guessed(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *x = term_var(s, "i", sort_bv(s, 32)), *y = term_var(s, "k", sort_bv(s, 32));
    const struct term *sum = term_bv_binary(s, TERM_BV_ADD, x, term_bv(s, 32, 7));
    const struct term *wide = term_bv_extend(s, TERM_BV_SEXT, sum, 64);
    const struct term *key = term_bv_binary(s, TERM_BV_MUL, wide, term_bv(s, 64, 4));
    const struct term *others[] = {
        rewrite_replace(s, key, x, y),
        term_bv_binary(s, TERM_BV_MUL, term_bv_extend(s, TERM_BV_SEXT, y, 64), term_bv(s, 64, 4)),
        term_bv(s, 64, 4),
        term_bv(s, 64, 400),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct term *found = rewrite_match(s, key, x, others[i]);
        assert_non_null(found);
        assert_ptr_equal(rewrite_replace(s, key, x, found), others[i]);
    }
    assert_null(rewrite_match(s, key, x, term_bv(s, 64, 6))); // no multiple
    assert_null(rewrite_match(s, key, x, x));
    assert_ptr_equal(rewrite_match(s, x, x, y), y);
    // A sum all of whose factors are multiples; numbers with sign.
    const struct term *four = term_bv_binary(s, TERM_BV_MUL, x, term_bv(s, 32, 4));
    const struct term *multiple =
        term_bv_binary(s, TERM_BV_ADD, term_bv_binary(s, TERM_BV_MUL, y, term_bv(s, 32, 800)),
                       term_bv(s, 32, (uint32_t)-8));
    const struct term *quotient = rewrite_match(s, four, x, multiple);
    assert_non_null(quotient);
    struct polynomial difference;
    assert_true(
        polynomial_of_difference(s, rewrite_replace(s, four, x, quotient), multiple, &difference));
    assert_int_equal(difference.count, 0);
    polynomial_finish(&difference);
    assert_true(polynomial_of(s, quotient, 32, &difference));
    assert_int_equal(difference.count, 2);
    assert_int_equal(difference.data[0].factor, (uint32_t)-2);
    assert_int_equal(difference.data[1].factor, 200);
    polynomial_finish(&difference);
    assert_null(rewrite_match(s, four, x, term_bv_binary(s, TERM_BV_ADD, multiple, y)));
    // Put together: the part where it is.
    const struct term *pair = term_bv_binary(s, TERM_BV_CONCAT, x, term_bv(s, 2, 0));
    const struct term *z = term_var(s, "z", sort_bv(s, 34));
    assert_ptr_equal(rewrite_match(s, pair, x, rewrite_replace(s, pair, x, y)), y);
    assert_ptr_equal(rewrite_match(s, pair, x, z), term_bv_extract(s, z, 33, 2));
    assert_ptr_equal(rewrite_match(s, pair, x, term_bv(s, 34, 12)), term_bv(s, 32, 3));
}

int main(void)
{
#define REWRITE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        REWRITE_TEST(substitution_is_simultaneous),
        REWRITE_TEST(a_cache_notices_that_answers_change),
        REWRITE_TEST(substitution_does_not_capture),
        REWRITE_TEST(fresh_names_avoid_all_others),
        REWRITE_TEST(replacing_respects_binders),
        REWRITE_TEST(free_variables_come_once),
        REWRITE_TEST(atoms_are_what_connectives_join),
        REWRITE_TEST(conjuncts_are_listed),
        REWRITE_TEST(equations_are_solved),
        REWRITE_TEST(what_makes_terms_equal_is_guessed),
        REWRITE_TEST(substituting_values_evaluates),
        REWRITE_TEST(sharing_is_kept),
        REWRITE_TEST(deep_terms_are_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
