#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "logic/terms/print.h"
#include "logic/smt/smt.h"

// Elimination, simplification and interpolation. Results are checked by the solver and, for
// elimination, by trying small values.

struct fixture {
    struct term_store *store;
    struct smt_context *context;
    struct smt *smt;
    struct random random;
    _Atomic int stop;
};

static int setup(void **state)
{
    struct fixture *f = memory_zalloc(sizeof *f);
    f->store = term_store_create(NULL);
    const char *error = NULL;
    struct smt_options options = {.seed = 3, .stop = &f->stop};
    f->context = smt_context_create("z3", f->store, &options, &error);
    assert_non_null(f->context);
    f->smt = smt_create(f->context);
    random_init(&f->random, 99);
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

static bool valid(struct fixture *f, const struct term *formula)
{
    smt_push(f->smt);
    smt_assert(f->smt, term_not(f->store, formula));
    enum smt_result answer = smt_check(f->smt);
    smt_pop(f->smt, 1);
    return answer == SMT_UNSAT;
}

static const struct term *eliminate(struct fixture *f, const struct term *formula)
{
    const struct term *result = smt_eliminate(f->context, formula);
    if (result != NULL)
        assert_int_equal(result->flags & TERM_HAS_QUANTIFIER, 0);
    return result;
}

static const struct term *var(struct fixture *f, const char *name, const struct sort *sort)
{
    return term_var(f->store, name, sort);
}

static const struct term *quantify(struct fixture *f, enum term_kind kind, const struct term *x,
                                   const struct term *body)
{
    return term_quantifier(f->store, kind, &x, 1, body);
}

static void equivalent(struct fixture *f, const struct term *quantified, const struct term *wanted)
{
    const struct term *result = eliminate(f, quantified);
    assert_non_null(result);
    assert_true(valid(f, term_iff(f->store, result, wanted)));
}

static void linear_integers_are_eliminated(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *x = var(f, "x", sort_int(s)), *y = var(f, "y", sort_int(s)),
                      *z = var(f, "z", sort_int(s));
    const struct term *between = term_and2(s, term_lt(s, y, x), term_lt(s, x, z));
    equivalent(f, quantify(f, TERM_EXISTS, x, between),
               term_lt(s, term_add2(s, y, term_int(s, 1)), z));
    // for all x: x <= y or x >= z
    equivalent(f, quantify(f, TERM_FORALL, x, term_or2(s, term_le(s, x, y), term_le(s, z, x))),
               term_le(s, z, term_add2(s, y, term_int(s, 1))));
    // exists x: 3x = y
    equivalent(f, quantify(f, TERM_EXISTS, x, term_eq(s, term_mul2(s, term_int(s, 3), x), y)),
               term_eq(s, term_mod(s, y, term_int(s, 3)), term_int(s, 0)));
    // for all z exists x: x > z and x > y
    const struct term *above = term_and2(s, term_lt(s, z, x), term_lt(s, y, x));
    equivalent(f, quantify(f, TERM_FORALL, z, quantify(f, TERM_EXISTS, x, above)), term_true(s));
}

static void rationals_are_eliminated(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *x = var(f, "rx", sort_rat(s)), *y = var(f, "ry", sort_rat(s)),
                      *z = var(f, "rz", sort_rat(s));
    const struct term *between = term_and2(s, term_lt(s, y, x), term_lt(s, x, z));
    equivalent(f, quantify(f, TERM_EXISTS, x, between), term_lt(s, y, z));
    equivalent(f, quantify(f, TERM_EXISTS, x, term_eq(s, term_add2(s, x, x), y)), term_true(s));
}

static void finite_sorts_are_expanded(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    static const char *const names[] = {"RED", "GREEN", "BLUE"};
    const struct sort *colour = sort_enum(s, "colour", names, 3);
    const struct term *c = var(f, "c", colour), *d = var(f, "d", colour), *e = var(f, "e", colour);
    const struct term *p = var(f, "p", sort_bool(s)), *q = var(f, "q", sort_bool(s)),
                      *r = var(f, "r", sort_bool(s));
    // A third colour exists always.
    const struct term *other =
        term_and2(s, term_not(s, term_eq(s, c, d)), term_not(s, term_eq(s, c, e)));
    equivalent(f, quantify(f, TERM_EXISTS, c, other), term_true(s));
    equivalent(f, quantify(f, TERM_FORALL, c, term_or2(s, p, term_eq(s, c, d))), p);
    equivalent(
        f, quantify(f, TERM_EXISTS, p, term_and2(s, term_implies(s, p, q), term_implies(s, r, p))),
        term_implies(s, r, q));
    equivalent(f, quantify(f, TERM_FORALL, p, term_xor(s, p, q)), term_false(s));
}

static void equations_are_used_for_any_sort(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct sort *word = sort_bv(s, 32), *array = sort_array(s, sort_int(s), sort_int(s));
    const struct term *x = var(f, "bx", word), *y = var(f, "by", word);
    const struct term *sum = term_bv_binary(s, TERM_BV_ADD, y, term_bv(s, 32, 1));
    const struct term *body =
        term_and2(s, term_eq(s, x, sum), term_bv_binary(s, TERM_BV_ULT, x, y));
    equivalent(f, quantify(f, TERM_EXISTS, x, body), term_bv_binary(s, TERM_BV_ULT, sum, y));
    const struct term *a = var(f, "a", array), *b = var(f, "b", array),
                      *i = var(f, "i", sort_int(s));
    const struct term *written = term_store_at(s, b, i, term_int(s, 5));
    body = term_and2(s, term_eq(s, a, written),
                     term_lt(s, term_select(s, a, term_int(s, 0)), term_int(s, 3)));
    equivalent(f, quantify(f, TERM_EXISTS, a, body),
               term_lt(s, term_select(s, written, term_int(s, 0)), term_int(s, 3)));
}

static void what_cannot_be_eliminated_fails_cleanly(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct sort *word = sort_bv(s, 32), *array = sort_array(s, sort_int(s), sort_int(s));
    const struct term *x = var(f, "bx", word), *y = var(f, "by", word);
    const struct term *product = term_bv_binary(s, TERM_BV_MUL, x, x);
    const struct term *hard =
        term_bv_binary(s, TERM_BV_ULT, product, term_bv_binary(s, TERM_BV_XOR, x, y));
    const struct term *result = eliminate(f, quantify(f, TERM_EXISTS, x, hard));
    assert_true(result == NULL || !rewrite_contains(result, x));
    const struct term *a = var(f, "a", array), *i = var(f, "i", sort_int(s)),
                      *j = var(f, "j", sort_int(s));
    const struct term *order = term_lt(s, term_select(s, a, i), term_select(s, a, j));
    result = eliminate(f, quantify(f, TERM_EXISTS, a, order));
    assert_true(result == NULL || !rewrite_contains(result, a));
    // Stopped.
    atomic_store(&f->stop, 1);
    const struct term *n = var(f, "n", sort_int(s));
    const struct term *linear =
        term_and2(s, term_lt(s, i, term_mul2(s, term_int(s, 3), n)), term_lt(s, n, j));
    assert_null(smt_eliminate(f->context, quantify(f, TERM_EXISTS, n, linear)));
    atomic_store(&f->stop, 0);
    assert_non_null(smt_eliminate(f->context, quantify(f, TERM_EXISTS, n, linear)));
    assert_ptr_equal(smt_eliminate(f->context, linear), linear);
}

// ---- random linear formulas against small values

static int64_t small(struct fixture *f, uint64_t bound)
{
    return (int64_t)random_below(&f->random, 2 * bound + 1) - (int64_t)bound;
}

static const struct term *linear_atom(struct fixture *f, const struct term *const *variables,
                                      size_t count)
{
    struct term_store *s = f->store;
    const struct term *sum = term_int(s, small(f, 5));
    for (size_t i = 0; i < count; i++)
        sum = term_add2(s, sum, term_mul2(s, term_int(s, small(f, 3)), variables[i]));
    const struct term *zero = term_int(s, 0);
    switch (random_below(&f->random, 7)) {
    case 3:
        sum = term_ite(s, term_lt(s, sum, variables[count - 1]), variables[0], sum);
        return term_le(s, sum, term_int(s, 2));
    case 4:
        return term_not(s, term_eq(s, sum, zero));
    case 0:
        return term_eq(s, sum, zero);
    case 1:
        return term_eq(s, term_mod(s, sum, term_int(s, 3)), zero);
    case 2:
        return term_lt(s, term_div(s, sum, term_int(s, 2)), zero);
    default:
        return term_le(s, sum, zero);
    }
}

static const struct term *linear_formula(struct fixture *f, const struct term *const *variables,
                                         size_t count, int depth)
{
    if (depth == 0)
        return linear_atom(f, variables, count);
    const struct term *a = linear_formula(f, variables, count, depth - 1);
    const struct term *b = linear_formula(f, variables, count, depth - 1);
    switch (random_below(&f->random, 4)) {
    case 0:
        return term_or2(f->store, a, b);
    case 1:
        return term_and2(f->store, a, term_not(f->store, b));
    default:
        return term_and2(f->store, a, b);
    }
}

struct point {
    const struct term *const *variables;
    const struct term *values[2];
};

static const struct term *at_point(void *data, const struct term *variable)
{
    const struct point *point = data;
    for (size_t i = 0; i < 2; i++)
        if (point->variables[i] == variable)
            return point->values[i];
    return variable;
}

// At each small value of the free variables the result must say what the solver says of the body.
static void check_elimination(struct fixture *f, const struct term *const *variables,
                              const struct term *body, const struct term *result)
{
    for (int64_t a = -3; a <= 3; a += 2)
        for (int64_t b = -2; b <= 4; b += 3) {
            struct point point = {variables, {term_int(f->store, a), term_int(f->store, b)}};
            const struct term *said = rewrite_substitute(f->store, result, at_point, &point);
            const struct term *truth = rewrite_substitute(f->store, body, at_point, &point);
            assert_true(term_is_literal(said));
            smt_push(f->smt);
            smt_assert(f->smt, truth);
            enum smt_result answer = smt_check(f->smt);
            smt_pop(f->smt, 1);
            if (answer != SMT_UNKNOWN)
                assert_int_equal(answer == SMT_SAT, term_is_true(said));
        }
}

static void random_linear_formulas_are_eliminated_correctly(void **state)
{
    struct fixture *f = *state;
    const struct term *variables[4];
    static const char *const names[] = {"fa", "fb", "ea", "eb"};
    for (size_t i = 0; i < 4; i++)
        variables[i] = var(f, names[i], sort_int(f->store));
    size_t solved = 0;
    for (int round = 0; round < 40; round++) {
        const struct term *body = linear_formula(f, variables, 4, 1 + round % 3);
        const struct term *formula = term_quantifier(f->store, TERM_EXISTS, variables + 2, 2, body);
        const struct term *result = eliminate(f, formula);
        if (result == NULL)
            continue;
        solved++;
        check_elimination(f, variables, body, result);
    }
    print_message("# %zu of 40 eliminated\n", solved);
    assert_true(solved >= 24);
}

// ---- simplification

static void simplification_keeps_the_meaning(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *x = var(f, "x", sort_int(s)), *y = var(f, "y", sort_int(s));
    const struct term *five = term_int(s, 5);
    // x = 5 and (x < y or x < 0): the second disjunct is dead.
    const struct term *formula = term_and2(
        s, term_eq(s, x, five), term_or2(s, term_lt(s, x, y), term_lt(s, term_add2(s, x, x), x)));
    const struct term *simpler = smt_simplify(f->context, formula);
    assert_true(simpler->tree_size < formula->tree_size);
    assert_true(valid(f, term_iff(s, formula, simpler)));
    assert_ptr_equal(smt_simplify(f->context, x), x);
    const struct term *variables[3] = {x, y, var(f, "z", sort_int(s))};
    for (int round = 0; round < 40; round++) {
        formula = linear_formula(f, variables, 3, 3);
        simpler = smt_simplify(f->context, formula);
        assert_true(simpler->tree_size <= formula->tree_size);
        assert_true(valid(f, term_iff(s, formula, simpler)));
    }
}

// ---- interpolation

static bool only_common(const struct term *interpolant, const struct term *const *parts,
                        size_t count, size_t cut)
{
    struct term_vector variables = {0};
    rewrite_free_variables(interpolant, &variables);
    bool good = true;
    for (size_t i = 0; i < variables.count; i++) {
        bool before = false, after = false;
        for (size_t k = 0; k < count; k++) {
            bool here = rewrite_contains(parts[k], variables.data[i]);
            before = before || (k < cut && here);
            after = after || (k >= cut && here);
        }
        good = good && before && after;
    }
    VECTOR_FINISH(&variables);
    return good;
}

static void check_sequence(struct fixture *f, const struct term *const *parts, size_t count)
{
    struct term_store *s = f->store;
    const struct term *out[8];
    assert_true(smt_interpolate_spacer(f->context, parts, count, out));
    const struct term *last = term_true(s);
    for (size_t i = 0; i < count; i++) {
        const struct term *next = i + 1 < count ? out[i] : term_false(s);
        assert_true(valid(f, term_implies(s, term_and2(s, last, parts[i]), next)));
        if (i + 1 < count)
            assert_true(only_common(next, parts, count, i + 1));
        last = next;
    }
}

static void spacer_interpolates_linear_integers(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *x = var(f, "x", sort_int(s)), *y = var(f, "y", sort_int(s));
    const struct term *x1 = term_var_copy(s, x, 1), *x2 = term_var_copy(s, x, 2);
    const struct term *y1 = term_var_copy(s, y, 1), *unused = var(f, "unused", sort_int(s));
    const struct term *one = term_int(s, 1);
    const struct term *parts[3] = {
        term_and2(s, term_eq(s, x, term_int(s, 0)), term_le(s, x, y)),
        term_and2(s, term_eq(s, x1, term_add2(s, x, one)), term_le(s, term_add2(s, y, one), y1)),
        term_and2(s, term_eq(s, x2, term_add2(s, x1, one)), term_lt(s, y1, x1))};
    check_sequence(f, parts, 3);
    // The middle part has nothing to do with it, and one variable passes through.
    const struct term *other[3] = {term_lt(s, x, y), term_lt(s, unused, one), term_lt(s, y, x)};
    check_sequence(f, other, 3);
    // The contradiction is in one part alone; parts without variables.
    const struct term *early[3] = {term_and2(s, term_lt(s, x, y), term_lt(s, y, x)),
                                   term_lt(s, x, one), term_lt(s, y, one)};
    check_sequence(f, early, 3);
    const struct term *late[3] = {term_lt(s, x, one), term_true(s), term_false(s)};
    check_sequence(f, late, 3);
    // Satisfiable: no interpolants.
    const struct term *open[3] = {term_lt(s, x, y), term_true(s), term_lt(s, one, y)};
    const struct term *out[2];
    assert_false(smt_interpolate_spacer(f->context, open, 3, out));
    // Stopped.
    atomic_store(&f->stop, 1);
    assert_false(smt_interpolate_spacer(f->context, parts, 3, out));
}

static void spacer_interpolates_other_sorts(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct term *a = var(f, "ra", sort_rat(s)), *b = var(f, "rb", sort_rat(s));
    const struct term *p = var(f, "p", sort_bool(s)), *q = var(f, "q", sort_bool(s));
    const struct term *half = term_rat(s, 1, 2);
    const struct term *reals[3] = {term_lt(s, a, half), term_eq(s, b, term_add2(s, a, half)),
                                   term_lt(s, term_rat(s, 1, 1), b)};
    check_sequence(f, reals, 3);
    const struct term *bools[3] = {p, term_iff(s, p, q), term_not(s, q)};
    check_sequence(f, bools, 3);
    static const char *const names[] = {"RED", "GREEN", "BLUE"};
    const struct sort *colour = sort_enum(s, "colour", names, 3);
    const struct term *c = var(f, "c", colour), *d = var(f, "d", colour);
    const struct term *enums[3] = {term_eq(s, c, term_enum(s, colour, 0)), term_eq(s, c, d),
                                   term_eq(s, d, term_enum(s, colour, 1))};
    const struct term *out[2];
    if (smt_interpolate_spacer(f->context, enums, 3, out))
        check_sequence(f, enums, 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(linear_integers_are_eliminated),
        TEST(rationals_are_eliminated),
        TEST(finite_sorts_are_expanded),
        TEST(equations_are_used_for_any_sort),
        TEST(what_cannot_be_eliminated_fails_cleanly),
        TEST(random_linear_formulas_are_eliminated_correctly),
        TEST(simplification_keeps_the_meaning),
        TEST(spacer_interpolates_linear_integers),
        TEST(spacer_interpolates_other_sorts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
