#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "engines/cegar/interpolation.h"
#include "engines/cegar/unsat_core.h"
#include "logic/terms/print.h"

enum { MAX_PARTS = 64 };

struct fixture {
    struct term_store *store;
    struct smt_context *context;
    struct smt *smt;
};

static int setup(void **state)
{
    struct fixture *f = memory_zalloc(sizeof *f);
    const char *error = NULL;
    f->store = term_store_create(NULL);
    f->context = smt_context_create("z3", f->store, &(struct smt_options){.seed = 1}, &error);
    assert_non_null(f->context);
    f->smt = smt_create(f->context);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    smt_context_destroy(f->context);
    term_store_destroy(f->store);
    memory_free(f);
    return 0;
}

// Building blocks.

static const struct term *int_at(struct fixture *f, const char *name, uint32_t index)
{
    return term_var_copy(f->store, term_var(f->store, name, sort_int(f->store)), index);
}

static const struct term *rat_at(struct fixture *f, const char *name, uint32_t index)
{
    return term_var_copy(f->store, term_var(f->store, name, sort_rat(f->store)), index);
}

static const struct term *bool_at(struct fixture *f, const char *name, uint32_t index)
{
    return term_var_copy(f->store, term_var(f->store, name, sort_bool(f->store)), index);
}

static const struct term *number(struct fixture *f, int64_t n)
{
    return term_int(f->store, n);
}

static const struct term *plus(struct fixture *f, const struct term *a, int64_t n)
{
    return term_add2(f->store, a, number(f, n));
}

static const struct term *times(struct fixture *f, int64_t n, const struct term *a)
{
    return term_mul2(f->store, number(f, n), a);
}

static const struct term *eq(struct fixture *f, const struct term *a, const struct term *b)
{
    return term_eq(f->store, a, b);
}

static const struct term *le(struct fixture *f, const struct term *a, const struct term *b)
{
    return term_le(f->store, a, b);
}

static const struct term *lt(struct fixture *f, const struct term *a, const struct term *b)
{
    return term_lt(f->store, a, b);
}

static const struct term *both(struct fixture *f, const struct term *a, const struct term *b)
{
    return term_and2(f->store, a, b);
}

static const struct term *within(struct fixture *f, int64_t low, const struct term *a, int64_t high)
{
    return both(f, le(f, number(f, low), a), le(f, a, number(f, high)));
}

static const struct term *no(struct fixture *f, const struct term *a)
{
    return term_not(f->store, a);
}

// The sequence as text, for messages of failed tests.
static void fail_with(const struct term *const *parts, size_t count,
                      const struct term *const *interpolants, const char *message)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s\n", message);
    for (size_t i = 0; i < count; i++) {
        text_add(&text, "part ");
        print_term(&text, parts[i], PRINT_SMTLIB);
        if (interpolants != NULL && i + 1 < count) {
            text_add(&text, "\n    ==> ");
            print_term(&text, interpolants[i], PRINT_SMTLIB);
        }
        text_add_char(&text, '\n');
    }
    fail_msg("%s", text_string(&text));
}

static void expect_sequence(struct fixture *f, const struct term *const *parts, size_t count,
                            unsigned branches, const struct term **out)
{
    if (!interpolate_farkas(f->store, f->context, parts, count, branches, out))
        fail_with(parts, count, NULL, "no interpolants for");
    if (interpolation_check(f->smt, f->store, parts, count, out) != SMT_UNSAT)
        fail_with(parts, count, out, "not a sequence of interpolants");
}

static void expect_none(struct fixture *f, const struct term *const *parts, size_t count,
                        unsigned branches)
{
    const struct term *out[MAX_PARTS] = {0};
    assert_false(interpolate_farkas(f->store, f->context, parts, count, branches, out));
    for (size_t i = 0; i < MAX_PARTS; i++)
        assert_null(out[i]);
}

// Single cases.

static void test_bound_is_carried_through_assignments(void **state)
{
    struct fixture *f = *state;
    const struct term *x0 = int_at(f, "x", 1), *x1 = int_at(f, "x", 2);
    const struct term *parts[] = {eq(f, x0, number(f, 5)), eq(f, x1, plus(f, x0, 1)),
                                  lt(f, x1, number(f, 3))};
    const struct term *out[2];
    expect_sequence(f, parts, 3, 0, out);
    // The weakest that the last part leaves: just enough for x1 < 3 to fail.
    assert_ptr_equal(out[0], le(f, number(f, 5), x0));
    assert_ptr_equal(out[1], le(f, number(f, 6), x1));
}

static void test_only_what_matters_is_in_the_interpolants(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1), *y = int_at(f, "y", 1), *z = int_at(f, "z", 1);
    const struct term *parts[] = {
        both(f, eq(f, x, number(f, 1)), both(f, eq(f, y, number(f, 2)), eq(f, z, number(f, 3)))),
        lt(f, plus(f, y, 4), times(f, 3, z)), both(f, lt(f, x, z), le(f, x, number(f, 0)))};
    const struct term *out[2];
    expect_sequence(f, parts, 3, 0, out);
    assert_ptr_equal(out[0], le(f, number(f, 1), x));
    assert_ptr_equal(out[1], out[0]);
}

static void test_disequality_is_split(void **state)
{
    struct fixture *f = *state;
    const struct term *x0 = int_at(f, "x", 1), *y0 = int_at(f, "y", 1);
    const struct term *x1 = int_at(f, "x", 2), *y1 = int_at(f, "y", 2);
    const struct term *parts[] = {both(f, eq(f, x0, number(f, 0)), eq(f, y0, number(f, 0))),
                                  both(f, eq(f, x1, plus(f, x0, 1)), eq(f, y1, plus(f, y0, 1))),
                                  no(f, eq(f, x1, y1))};
    const struct term *out[2];
    expect_none(f, parts, 3, 1);
    expect_sequence(f, parts, 3, 2, out);
    assert_ptr_equal(out[1], both(f, le(f, x1, y1), le(f, y1, x1)));
}

static void test_opposite_equations_are_interpolated_by_one(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1), *y = int_at(f, "y", 1);
    const struct term *parts[] = {no(f, eq(f, x, y)), eq(f, x, y)};
    const struct term *out[1];
    expect_sequence(f, parts, 2, 8, out);
    assert_ptr_equal(out[0], parts[0]);
}

static void test_parity_needs_branching_on_integers(void **state)
{
    struct fixture *f = *state;
    const struct term *a = int_at(f, "a", 1), *b = int_at(f, "b", 1), *c = int_at(f, "c", 1);
    const struct term *parts[] = {
        both(f, eq(f, b, times(f, 2, a)), within(f, 0, a, 3)),
        both(f, eq(f, b, plus(f, times(f, 2, c), 1)), within(f, 0, c, 3))};
    const struct term *out[1];
    expect_none(f, parts, 2, 2);
    expect_sequence(f, parts, 2, 64, out);
}

static void test_branching_without_end_is_given_up(void **state)
{
    struct fixture *f = *state;
    const struct term *a = int_at(f, "a", 1), *b = int_at(f, "b", 1), *c = int_at(f, "c", 1);
    const struct term *parts[] = {eq(f, b, times(f, 2, a)), eq(f, b, plus(f, times(f, 2, c), 1))};
    expect_none(f, parts, 2, 50);
}

static void test_remainders_are_explained(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1), *y = int_at(f, "y", 1);
    const struct term *three = number(f, 3);
    const struct term *parts[] = {
        both(f, eq(f, term_mod(f->store, x, three), number(f, 1)), within(f, -4, x, 5)),
        eq(f, y, plus(f, x, 1)), eq(f, term_mod(f->store, y, three), number(f, 0))};
    const struct term *out[2];
    expect_sequence(f, parts, 3, 200, out);
    const struct term *quotient[] = {le(f, number(f, 12), x),
                                     lt(f, term_div(f->store, x, three), number(f, 4))};
    expect_sequence(f, quotient, 2, 0, out);
}

static void test_strict_rationals(void **state)
{
    struct fixture *f = *state;
    const struct term *x = rat_at(f, "x", 1), *y = rat_at(f, "y", 1), *z = rat_at(f, "z", 1);
    const struct term *half = term_rat(f->store, 1, 2);
    const struct term *parts[] = {both(f, lt(f, x, y), lt(f, half, x)),
                                  le(f, term_mul2(f->store, half, y), z),
                                  le(f, z, term_rat(f->store, 1, 4))};
    const struct term *out[2];
    expect_sequence(f, parts, 3, 0, out);
    assert_ptr_equal(out[0], lt(f, half, y));
    assert_ptr_equal(out[1], lt(f, term_rat(f->store, 1, 4), z));
}

static void test_integers_lifted_to_rationals_are_rounded(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1);
    const struct term *q = term_to_rat(f->store, x);
    const struct term *parts[] = {lt(f, term_rat(f->store, 1, 2), q),
                                  lt(f, q, term_rat(f->store, 2, 3))};
    const struct term *out[1];
    expect_sequence(f, parts, 2, 0, out);
    assert_ptr_equal(out[0], le(f, number(f, 1), x));
}

static void test_numbers_of_any_size(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1), *y = int_at(f, "y", 1);
    const struct term *huge = term_int_text(f->store, "123456789012345678901234567890");
    const struct term *parts[] = {eq(f, x, huge), eq(f, y, term_mul2(f->store, huge, x)),
                                  lt(f, y, x)};
    const struct term *out[2];
    expect_sequence(f, parts, 3, 0, out);
}

static void test_opposite_booleans(void **state)
{
    struct fixture *f = *state;
    const struct term *b = bool_at(f, "b", 1), *t = term_true(f->store);
    const struct term *late[] = {t, no(f, b), t, b, t};
    const struct term *out[4];
    expect_sequence(f, late, 5, 0, out);
    assert_ptr_equal(out[0], t);
    assert_ptr_equal(out[1], no(f, b));
    assert_ptr_equal(out[2], no(f, b));
    assert_ptr_equal(out[3], term_false(f->store));
}

static void test_booleans_copied_along_a_path(void **state)
{
    struct fixture *f = *state;
    const struct term *parts[32], *out[31];
    parts[0] = bool_at(f, "b", 1);
    for (uint32_t i = 1; i < 31; i++)
        parts[i] = term_iff(f->store, bool_at(f, "b", i + 1), bool_at(f, "b", i));
    parts[31] = no(f, bool_at(f, "b", 31));
    expect_sequence(f, parts, 32, 100, out);
    assert_ptr_equal(out[15], bool_at(f, "b", 16));
}

static void test_conditionals_and_disjunctions_are_split(void **state)
{
    struct fixture *f = *state;
    struct term_store *store = f->store;
    const struct term *x0 = int_at(f, "x", 1), *x1 = int_at(f, "x", 2), *b = bool_at(f, "b", 1);
    const struct term *step = term_ite(store, b, plus(f, x0, 1), plus(f, x0, 3));
    const struct term *parts[] = {
        term_or2(store, within(f, 2, x0, 3), eq(f, x0, number(f, 7))), eq(f, x1, step),
        term_or2(store, lt(f, x1, number(f, 3)), both(f, b, lt(f, number(f, 8), x1)))};
    const struct term *out[2];
    expect_sequence(f, parts, 3, 40, out);
}

static void test_other_terms_count_as_variables(void **state)
{
    struct fixture *f = *state;
    struct term_store *store = f->store;
    const struct sort *sort = sort_array(store, sort_int(store), sort_int(store));
    const struct term *i = int_at(f, "i", 1), *x = int_at(f, "x", 1);
    const struct term *cell = term_select(store, term_var(store, "a", sort), i);
    const struct term *product = term_mul2(store, i, cell);
    const struct term *parts[] = {both(f, lt(f, cell, x), eq(f, product, number(f, 4))),
                                  both(f, le(f, x, cell), le(f, number(f, 3), product))};
    const struct term *out[1];
    expect_sequence(f, parts, 2, 0, out);
    const struct term *square[] = {lt(f, number(f, 9), product), lt(f, product, number(f, 9))};
    expect_sequence(f, square, 2, 0, out);
    assert_ptr_equal(out[0], lt(f, number(f, 9), product));
}

static void test_one_part_and_false_parts(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1), *out[2];
    const struct term *alone = both(f, lt(f, x, number(f, 0)), lt(f, number(f, 0), x));
    expect_sequence(f, &alone, 1, 0, out);
    const struct term *falsehood[] = {le(f, x, number(f, 0)), term_false(f->store),
                                      term_true(f->store)};
    expect_sequence(f, falsehood, 3, 0, out);
    assert_ptr_equal(out[0], term_true(f->store));
    assert_ptr_equal(out[1], term_false(f->store));
}

static void test_satisfiable_parts_have_none(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1);
    const struct term *parts[] = {le(f, x, number(f, 3)), le(f, number(f, 3), x)};
    expect_none(f, parts, 2, 10);
}

static void test_what_is_not_linear_is_refused(void **state)
{
    struct fixture *f = *state;
    struct term_store *store = f->store;
    const struct term *x = term_var(store, "x", sort_bv(store, 8));
    const struct term *low = term_bv_binary(store, TERM_BV_ULT, x, term_bv(store, 8, 3));
    const struct term *high = term_bv_binary(store, TERM_BV_ULT, term_bv(store, 8, 9), x);
    const struct term *parts[] = {low, high};
    expect_none(f, parts, 2, 10);
}

static void test_a_raised_stop_flag_gives_up(void **state)
{
    struct fixture *f = *state;
    _Atomic int stop = 1;
    const char *error = NULL;
    struct smt_options options = {.stop = &stop};
    struct smt_context *context = smt_context_create("z3", f->store, &options, &error);
    const struct term *x = int_at(f, "x", 1), *out[1] = {0};
    const struct term *parts[] = {lt(f, x, number(f, 3)), lt(f, number(f, 3), x)};
    assert_false(interpolate_farkas(f->store, context, parts, 2, 10, out));
    assert_null(out[0]);
    smt_context_destroy(context);
}

static void test_check_refuses_what_is_no_sequence(void **state)
{
    struct fixture *f = *state;
    const struct term *x0 = int_at(f, "x", 1), *x1 = int_at(f, "x", 2);
    const struct term *parts[] = {eq(f, x0, number(f, 5)), eq(f, x1, plus(f, x0, 1)),
                                  lt(f, x1, number(f, 3))};
    const struct {
        const struct term *out[2];
        enum smt_result expected;
    } cases[] = {
        {{le(f, number(f, 4), x0), le(f, number(f, 5), x1)}, SMT_UNSAT},
        {{le(f, number(f, 6), x0), le(f, number(f, 7), x1)}, SMT_SAT}, // not implied
        {{le(f, number(f, 4), x0), le(f, number(f, 6), x1)}, SMT_SAT}, // not inductive
        {{le(f, number(f, 1), x0), le(f, number(f, 2), x1)}, SMT_SAT}, // does not contradict
        // Inductive, but x1 is not yet, or x0 no longer, a common variable.
        {{term_or2(f->store, le(f, number(f, 4), x0), le(f, number(f, 5), x1)),
          le(f, number(f, 5), x1)},
         SMT_SAT},
        {{le(f, number(f, 4), x0), both(f, le(f, number(f, 4), x0), le(f, number(f, 5), x1))},
         SMT_SAT},
        {{term_true(f->store), term_false(f->store)}, SMT_SAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(interpolation_check(f->smt, f->store, parts, 3, cases[i].out),
                         cases[i].expected);
}

// Each member of the core is necessary.
static void expect_minimal(struct fixture *f, const struct term_vector *core)
{
    const struct term *others[64];
    for (size_t left_out = 0; left_out < core->count; left_out++) {
        size_t count = 0;
        for (size_t i = 0; i < core->count; i++)
            if (i != left_out)
                others[count++] = core->data[i];
        assert_int_equal(smt_check_assuming(f->smt, others, count), SMT_SAT);
    }
}

static void test_cores_are_minimal(void **state)
{
    struct fixture *f = *state;
    enum { FACTS = 60 };
    const struct term *uses[FACTS];
    struct random random;
    random_init(&random, 3);
    struct term_vector core = {0};
    unsigned larger = 0; // cores that were not minimal as the solver gave them
    for (unsigned round = 0; round < 30; round++) {
        smt_push(f->smt);
        for (uint32_t i = 0; i < FACTS; i++) {
            const struct term *clause[3];
            for (size_t k = 0; k < 3; k++) {
                clause[k] = bool_at(f, "b", (uint32_t)random_below(&random, 6));
                if (random_below(&random, 2) == 0)
                    clause[k] = no(f, clause[k]);
            }
            uses[i] = bool_at(f, "use", i + 1);
            const struct term *fact = term_or(f->store, clause, 3);
            smt_assert(f->smt, term_implies(f->store, uses[i], fact));
        }
        VECTOR_CLEAR(&core);
        assert_int_equal(unsat_core_find(f->smt, uses, FACTS, 0, &core), SMT_UNSAT);
        size_t given = core.count;
        VECTOR_CLEAR(&core);
        assert_int_equal(unsat_core_find(f->smt, uses, FACTS, FACTS, &core), SMT_UNSAT);
        expect_minimal(f, &core);
        larger += core.count < given;
        smt_pop(f->smt, 1);
    }
    VECTOR_FINISH(&core);
    assert_true(larger > 0); // else this test shows nothing
}

static void test_assumptions_that_agree_have_no_core(void **state)
{
    struct fixture *f = *state;
    const struct term *x = int_at(f, "x", 1), *use = bool_at(f, "use", 1);
    smt_assert(f->smt, term_implies(f->store, use, lt(f, x, number(f, 3))));
    struct term_vector core = {0};
    assert_int_equal(unsat_core_find(f->smt, &use, 1, 64, &core), SMT_SAT);
    assert_int_equal(core.count, 0);
    assert_true(term_compare_values(smt_model_value(f->smt, x), number(f, 3)) < 0);
}

// Random paths.

enum { VARIABLES = 4, FLAGS = 2 };

struct path_kind {
    const char *name;
    bool rational;
    bool flags;       // Boolean variables, conditionals and disjunctions too
    bool disequality; // ≠ among the comparisons
    size_t steps;
    unsigned branches;
    unsigned wanted; // contradictory paths to try
    unsigned solved; // at least so many must be interpolated
};

struct path {
    struct fixture *f;
    const struct path_kind *kind;
    struct random random;
    const struct term *numbers[VARIABLES], *flags[FLAGS]; // current copies
    const struct term *parts[MAX_PARTS];
    size_t count;
};

static const struct term *constant(struct path *path, int64_t n)
{
    struct term_store *store = path->f->store;
    return path->kind->rational ? term_rat(store, n, 1 + (int64_t)random_below(&path->random, 3))
                                : term_int(store, n);
}

static int64_t small(struct path *path, int64_t magnitude)
{
    return (int64_t)random_below(&path->random, 2 * (uint64_t)magnitude + 1) - magnitude;
}

static const struct term *next_copy(struct path *path, const struct term *variable)
{
    return term_var_copy(path->f->store, variable, variable->u.var.index + 1);
}

static const struct term *random_sum(struct path *path)
{
    struct term_store *store = path->f->store;
    const struct term *sum = constant(path, small(path, 6));
    for (unsigned i = 0; i < 2; i++) {
        const struct term *variable = path->numbers[random_below(&path->random, VARIABLES)];
        const struct term *factor = constant(path, small(path, 2));
        sum = term_add2(store, sum, term_mul2(store, factor, variable));
    }
    return sum;
}

static const struct term *random_comparison(struct path *path)
{
    struct term_store *store = path->f->store;
    const struct term *a = random_sum(path), *b = random_sum(path);
    switch (random_below(&path->random, path->kind->disequality ? 4 : 3)) {
    case 0:
        return term_le(store, a, b);
    case 1:
        return term_lt(store, a, b);
    case 2:
        return term_eq(store, a, b);
    default:
        return term_not(store, term_eq(store, a, b));
    }
}

static const struct term *random_condition(struct path *path)
{
    struct term_store *store = path->f->store;
    const struct term *flag = path->flags[random_below(&path->random, FLAGS)];
    if (!path->kind->flags)
        return random_comparison(path);
    switch (random_below(&path->random, 4)) {
    case 0:
        return flag;
    case 1:
        return term_not(store, flag);
    case 2:
        return term_or2(store, flag, random_comparison(path));
    default:
        return random_comparison(path);
    }
}

static const struct term *assign_number(struct path *path)
{
    struct term_store *store = path->f->store;
    size_t target = random_below(&path->random, VARIABLES);
    const struct term *value = random_sum(path);
    if (path->kind->flags && random_below(&path->random, 3) == 0)
        value = term_ite(store, random_condition(path), value, random_sum(path));
    path->numbers[target] = next_copy(path, path->numbers[target]);
    return term_eq(store, path->numbers[target], value);
}

static const struct term *assign_flag(struct path *path)
{
    struct term_store *store = path->f->store;
    size_t target = random_below(&path->random, FLAGS);
    const struct term *value = random_condition(path);
    path->flags[target] = next_copy(path, path->flags[target]);
    return term_eq(store, path->flags[target], value);
}

static const struct term *random_step(struct path *path)
{
    uint64_t choice = random_below(&path->random, 8);
    if (choice < 4)
        return assign_number(path);
    if (choice == 4 && path->kind->flags)
        return assign_flag(path);
    return random_condition(path);
}

static void random_path(struct path *path)
{
    struct term_store *store = path->f->store;
    const struct sort *sort = path->kind->rational ? sort_rat(store) : sort_int(store);
    static const char *const names[] = {"p", "q", "r", "s"};
    const struct term *initial = term_true(store);
    for (size_t i = 0; i < VARIABLES; i++) {
        path->numbers[i] = term_var_copy(store, term_var(store, names[i], sort), 1);
        if (i != 0) // one stays open
            initial = term_and2(store, initial,
                                term_eq(store, path->numbers[i], constant(path, small(path, 4))));
    }
    for (size_t i = 0; i < FLAGS; i++)
        path->flags[i] = bool_at(path->f, i == 0 ? "f" : "g", 1);
    path->parts[0] = initial;
    path->count = 1;
    while (path->count < path->kind->steps)
        path->parts[path->count++] = random_step(path);
}

static enum smt_result path_check(struct path *path)
{
    struct smt *smt = path->f->smt;
    smt_push(smt);
    for (size_t i = 0; i < path->count; i++)
        smt_assert(smt, path->parts[i]);
    enum smt_result result = smt_check(smt);
    smt_pop(smt, 1);
    return result;
}

static void run_paths(struct fixture *f, const struct path_kind *kind)
{
    struct path path = {.f = f, .kind = kind};
    random_init(&path.random, random_derive(7, kind->name));
    unsigned contradictory = 0, solved = 0;
    const struct term *out[MAX_PARTS];
    while (contradictory < kind->wanted) {
        random_path(&path);
        enum smt_result result = path_check(&path);
        bool found =
            interpolate_farkas(f->store, f->context, path.parts, path.count, kind->branches, out);
        if (result == SMT_SAT && found)
            fail_with(path.parts, path.count, out, "interpolants of satisfiable parts");
        if (result != SMT_UNSAT)
            continue;
        contradictory++;
        solved += found;
        if (found &&
            interpolation_check(f->smt, f->store, path.parts, path.count, out) != SMT_UNSAT)
            fail_with(path.parts, path.count, out, "not a sequence of interpolants");
    }
    print_message("# %s: %u of %u\n", kind->name, solved, contradictory);
    assert_in_range(solved, kind->solved, kind->wanted);
}

static void test_random_integer_paths(void **state)
{
    run_paths(*state, &(struct path_kind){.name = "integers",
                                          .steps = 12,
                                          .disequality = true,
                                          .branches = 64,
                                          .wanted = 200,
                                          .solved = 180});
}

static void test_random_rational_paths(void **state)
{
    run_paths(*state, &(struct path_kind){.name = "rationals",
                                          .rational = true,
                                          .steps = 12,
                                          .disequality = true,
                                          .branches = 64,
                                          .wanted = 200,
                                          .solved = 200});
}

static void test_random_mixed_paths(void **state)
{
    run_paths(*state, &(struct path_kind){.name = "flags and integers",
                                          .flags = true,
                                          .steps = 14,
                                          .branches = 200,
                                          .wanted = 150,
                                          .solved = 130});
    run_paths(*state, &(struct path_kind){.name = "flags and rationals",
                                          .flags = true,
                                          .rational = true,
                                          .steps = 14,
                                          .disequality = true,
                                          .branches = 200,
                                          .wanted = 100,
                                          .solved = 100});
}

static void test_random_long_paths(void **state)
{
    run_paths(*state, &(struct path_kind){
                          .name = "long", .steps = 40, .branches = 64, .wanted = 30, .solved = 25});
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_bound_is_carried_through_assignments),
        CASE(test_only_what_matters_is_in_the_interpolants),
        CASE(test_disequality_is_split),
        CASE(test_opposite_equations_are_interpolated_by_one),
        CASE(test_parity_needs_branching_on_integers),
        CASE(test_branching_without_end_is_given_up),
        CASE(test_remainders_are_explained),
        CASE(test_strict_rationals),
        CASE(test_integers_lifted_to_rationals_are_rounded),
        CASE(test_numbers_of_any_size),
        CASE(test_opposite_booleans),
        CASE(test_booleans_copied_along_a_path),
        CASE(test_conditionals_and_disjunctions_are_split),
        CASE(test_other_terms_count_as_variables),
        CASE(test_one_part_and_false_parts),
        CASE(test_satisfiable_parts_have_none),
        CASE(test_what_is_not_linear_is_refused),
        CASE(test_a_raised_stop_flag_gives_up),
        CASE(test_check_refuses_what_is_no_sequence),
        CASE(test_cores_are_minimal),
        CASE(test_assumptions_that_agree_have_no_core),
        CASE(test_random_integer_paths),
        CASE(test_random_rational_paths),
        CASE(test_random_mixed_paths),
        CASE(test_random_long_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
