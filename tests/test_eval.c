#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/eval.h"
#include "logic/terms/print.h"
#include "tests/random_term.h"

struct sample {
    struct random_terms *terms;
    int k;
    unsigned hidden; // variables of this number are unknown; VARIABLES = none
};

static struct value look_up(void *context, const struct term *variable)
{
    struct sample *sample = context;
    for (int s = 0; s < RANDOM_SORTS; s++)
        for (unsigned i = 0; i < VARIABLES; i++)
            if (sample->terms->variable[s][i].term == variable)
                return i == sample->hidden
                           ? VALUE_UNKNOWN
                           : term_value(random_literal_of(sample->terms, (enum random_sort)s,
                                                          &sample->terms->variable[s][i].value,
                                                          sample->k));
    return VALUE_UNKNOWN;
}

static struct value divide_by_zero(void *context, enum term_kind kind, const struct sort *sort,
                                   struct value dividend)
{
    (void)context;
    (void)sort;
    return value_small(random_zero_division(kind, value_small_get(dividend)));
}

static void assert_same_value(struct random_terms *terms, const struct random_term *t,
                              enum random_sort sort, int k, struct value found)
{
    struct value expected = term_value(random_literal_of(terms, sort, &t->value, k));
    if (value_equal(found, expected))
        return;
    struct text text;
    text_init(&text);
    text_printf(&text, "%s simplified to ", t->smt);
    print_term(&text, t->term, PRINT_SMTLIB);
    print_error("%s\n", text_string(&text));
    text_finish(&text);
    fail();
}

static void simplified_terms_keep_their_values(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 2024);
    for (int round = 0; round < 60; round++) {
        struct term_store *store = term_store_create(NULL);
        struct random_terms terms;
        random_terms_init(&terms, store, &random);
        struct evaluator *evaluator = evaluator_create(store);
        evaluator_set_zero_division(evaluator, divide_by_zero, NULL);
        for (int i = 0; i < 150; i++) {
            enum random_sort sort = (enum random_sort)random_below(&random, RANDOM_SORTS);
            int depth = (int)random_below(&random, 5);
            struct random_term t = random_term(&terms, sort, depth);
            for (int k = 0; k < SAMPLES; k++) {
                struct sample all = {&terms, k, VARIABLES};
                assert_same_value(&terms, &t, sort, k,
                                  evaluator_run(evaluator, t.term, look_up, &all));
                // With something unknown the answer is the same or none.
                struct sample some = {&terms, k, (unsigned)random_below(&random, VARIABLES)};
                struct value v = evaluator_run(evaluator, t.term, look_up, &some);
                if (value_known(v))
                    assert_same_value(&terms, &t, sort, k, v);
            }
        }
        evaluator_destroy(evaluator);
        random_terms_finish(&terms);
        term_store_destroy(store);
    }
}

struct fixture {
    struct term_store *store;
    struct evaluator *evaluator;
    const struct term *x, *y, *p, *q;
};

static int set_up(void **state)
{
    struct fixture *f = memory_zalloc(sizeof *f);
    f->store = term_store_create(NULL);
    f->evaluator = evaluator_create(f->store);
    f->x = term_var(f->store, "x", sort_int(f->store));
    f->y = term_var(f->store, "y", sort_int(f->store));
    f->p = term_var(f->store, "p", sort_bool(f->store));
    f->q = term_var(f->store, "q", sort_bool(f->store));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    evaluator_destroy(f->evaluator);
    term_store_destroy(f->store);
    memory_free(f);
    return 0;
}

// x is 7, p is false, all others are unknown.
static struct value some_known(void *context, const struct term *variable)
{
    struct fixture *f = context;
    return variable == f->x ? value_small(7) : variable == f->p ? value_bool(false) : VALUE_UNKNOWN;
}

static struct value run(struct fixture *f, const struct term *term)
{
    return evaluator_run(f->evaluator, term, some_known, f);
}

static void partial_assignments_decide_what_they_can(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *big = term_lt(s, f->y, term_int(s, 3));
    assert_true(value_is_false(run(f, term_and2(s, f->p, big))));
    assert_false(value_known(run(f, term_or2(s, f->p, big))));
    assert_true(value_is_true(run(f, term_or2(s, term_not(s, f->p), big))));
    // The chosen branch only; both branches when nothing chooses.
    assert_int_equal(value_small_get(run(f, term_ite(s, f->p, f->y, f->x))), 7);
    assert_int_equal(
        value_small_get(run(f, term_ite(s, big, f->x, term_ite(s, f->p, f->y, term_int(s, 7))))),
        7);
    assert_false(value_known(run(f, term_ite(s, big, f->x, term_int(s, 8)))));
    const struct term *zero = term_sub(s, f->x, term_ite(s, f->p, f->y, term_int(s, 7)));
    assert_int_equal(value_small_get(run(f, term_mul2(s, f->y, zero))), 0);
    assert_false(value_known(run(f, term_mul2(s, f->y, f->x))));
}

static void division_follows_the_table(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    static const int table[][5] = {
        {5, 3, 1, 2, 2}, {5, -3, -1, 2, -2}, {-5, 3, -2, 1, 1}, {-5, -3, 2, 1, -1}};
    for (size_t i = 0; i < 4; i++) {
        const struct term *a = term_int(s, table[i][0]), *b = term_int(s, table[i][1]);
        assert_ptr_equal(term_div(s, a, b), term_int(s, table[i][2]));
        assert_ptr_equal(term_mod(s, a, b), term_int(s, table[i][3]));
        assert_ptr_equal(term_rem(s, a, b), term_int(s, table[i][4]));
    }
    // The same laws where no machine word reaches.
    const struct term *a = term_int_text(s, "-100000000000000000000000000000000000007");
    const struct term *b = term_int_text(s, "-30000000000000000000");
    const struct term *m = term_mod(s, a, b);
    assert_ptr_equal(term_add2(s, term_mul2(s, b, term_div(s, a, b)), m), a);
    assert_true(term_is_true(term_le(s, term_int(s, 0), m)));
    assert_true(term_is_true(term_lt(s, m, term_neg(s, b))));
    assert_ptr_equal(term_rem(s, a, b), term_neg(s, m));
}

static struct value seventeen(void *context, enum term_kind kind, const struct sort *sort,
                              struct value dividend)
{
    int *calls = context;
    ++*calls;
    assert_int_equal(kind, TERM_MOD);
    assert_int_equal(sort->kind, SORT_INT);
    assert_int_equal(value_small_get(dividend), 7);
    return value_small(17);
}

static void zero_divisors_are_unknown_or_asked_for(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *zero = term_int(s, 0);
    const struct term *t = term_mod(s, f->x, zero);
    assert_int_equal(t->kind, TERM_MOD);
    assert_true(t->flags & TERM_HAS_DIVISION);
    assert_false(term_mod(s, f->x, term_int(s, 2))->flags & TERM_HAS_DIVISION);
    assert_false(value_known(run(f, t)));
    int calls = 0;
    evaluator_set_zero_division(f->evaluator, seventeen, &calls);
    assert_int_equal(value_small_get(run(f, t)), 17);
    assert_int_equal(calls, 1);
}

static void large_values_are_exact(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *t = term_mul2(s, f->x, term_int_text(s, "1000000000000000000000"));
    struct value v = run(f, t);
    assert_false(value_is_small(v));
    assert_ptr_equal(value_pointer_get(v), term_int_text(s, "7000000000000000000000"));
    // Down to a small one again.
    assert_int_equal(
        value_small_get(run(f, term_div(s, t, term_int_text(s, "1000000000000000000000")))), 7);
    const struct term *third = term_div(s, term_to_rat(s, f->x), term_rat(s, 3, 1));
    assert_ptr_equal(value_pointer_get(run(f, third)), term_rat(s, 7, 3));
    // The border of the small range, from both sides.
    const struct term *border = term_int(s, VALUE_SMALL_MAX);
    assert_true(value_is_small(term_value(border)));
    const struct term *above = term_add2(s, border, term_int(s, 1));
    assert_string_equal(above->u.text, "2305843009213693952");
    assert_ptr_equal(term_sub(s, above, term_int(s, 1)), border);
    assert_ptr_equal(term_neg(s, term_int(s, INT64_MIN)), term_int_text(s, "9223372036854775808"));
}

// 2^200 nodes as a tree.
static void sharing_is_used(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *t = term_mod(s, f->x, term_int(s, 5));
    for (int i = 0; i < 200; i++)
        t = term_mod(s, term_add2(s, term_mul2(s, t, t), f->x), term_int(s, 1000 + i));
    assert_int_equal(t->tree_size, UINT32_MAX);
    assert_true(value_known(run(f, t)));
}

static void small_steps_allocate_nothing(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *t = f->x;
    for (int i = 0; i < 300; i++)
        t = term_ite(s, term_le(s, t, term_int(s, i)), term_add2(s, t, f->x),
                     term_mod(s, t, term_int(s, i + 2)));
    run(f, t);
    uint64_t bytes = memory_thread_bytes();
    memory_thread_fail_at(1);
    for (int i = 0; i < 100; i++)
        assert_true(value_known(run(f, t)));
    memory_thread_fail_at(0);
    assert_int_equal(memory_thread_bytes(), bytes);
}

static void arrays_are_read_through_writes(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct sort *sort = sort_array(s, sort_int(s), sort_int(s));
    const struct term *a = term_var(s, "a", sort); // unknown
    const struct term *written = term_store_at(s, a, f->x, term_int(s, 5));
    assert_int_equal(value_small_get(run(f, term_select(s, written, term_int(s, 7)))), 5);
    assert_false(value_known(run(f, term_select(s, written, term_int(s, 8)))));
    const struct term *zeros = term_default(s, sort);
    struct value v = run(f, term_store_at(s, zeros, f->x, f->x));
    const struct term *expected = term_store_at(s, zeros, term_int(s, 7), term_int(s, 7));
    assert_ptr_equal(value_pointer_get(v), expected);
    const struct term *eq = term_eq(s, term_store_at(s, zeros, f->x, f->x), expected);
    assert_true(value_is_true(run(f, eq)));
}

static void quantified_terms_are_unknown(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *t = term_quantifier(s, TERM_FORALL, &f->y, 1, term_le(s, f->x, f->y));
    assert_false(value_known(run(f, t)));
    assert_true(value_is_false(run(f, term_and2(s, t, f->p))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplified_terms_keep_their_values),
        cmocka_unit_test_setup_teardown(partial_assignments_decide_what_they_can, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(division_follows_the_table, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zero_divisors_are_unknown_or_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_values_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sharing_is_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(small_steps_allocate_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrays_are_read_through_writes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quantified_terms_are_unknown, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
