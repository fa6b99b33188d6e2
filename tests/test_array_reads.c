#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/random.h"
#include "certify/ground.h"
#include "logic/smt/array_reads.h"
#include "logic/smt/smt.h"
#include "tests/part.h"

// Random formulas about small arrays, told without arrays and quantifiers, against a solver that is given them as they are.

#define ARRAYS 3
#define NUMBERS 4
#define WIDTH 3

struct fixture {
    struct random random;
    struct term_store *store;
    const struct term *array[ARRAYS], *number[NUMBERS], *flag;
};

static void make(struct fixture *f, uint64_t seed)
{
    char name[8];
    random_init(&f->random, seed);
    f->store = term_store_create(NULL);
    const struct sort *word = sort_bv(f->store, WIDTH);
    for (int i = 0; i < ARRAYS; i++) {
        snprintf(name, sizeof name, "a%d", i);
        f->array[i] = term_var(f->store, name, sort_array(f->store, word, word));
    }
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(name, sizeof name, "n%d", i);
        f->number[i] = term_var(f->store, name, word);
    }
    f->flag = term_var(f->store, "flag", sort_bool(f->store));
}

static const struct term *array(struct fixture *f, int depth);

static const struct term *number(struct fixture *f, int depth)
{
    uint64_t kind = random_below(&f->random, depth > 0 ? 5 : 2);
    if (kind == 0)
        return term_bv(f->store, WIDTH, random_below(&f->random, 1 << WIDTH));
    if (kind < 3)
        return f->number[random_below(&f->random, NUMBERS)];
    if (kind == 3)
        return term_bv_binary(f->store, TERM_BV_ADD, number(f, depth - 1), number(f, depth - 1));
    return term_select(f->store, array(f, depth - 1), number(f, depth - 1));
}

static const struct term *array(struct fixture *f, int depth)
{
    uint64_t kind = random_below(&f->random, depth > 0 ? 4 : 1);
    if (kind < 2)
        return f->array[random_below(&f->random, ARRAYS)];
    if (kind == 2)
        return term_store_at(f->store, array(f, depth - 1), number(f, depth - 1),
                             number(f, depth - 1));
    return term_ite(f->store, f->flag, array(f, depth - 1), array(f, depth - 1));
}

static const struct term *condition(struct fixture *f, bool equations)
{
    // That arrays differ may be lost, so it is not asked.
    if (equations && random_below(&f->random, 3) == 0)
        return term_eq(f->store, array(f, 1), array(f, 1));
    const struct term *a = number(f, 2), *b = number(f, 2);
    const struct term *out = random_below(&f->random, 2)
                                 ? term_eq(f->store, a, b)
                                 : term_bv_binary(f->store, TERM_BV_ULT, a, b);
    return random_below(&f->random, 2) ? term_not(f->store, out) : out;
}

// Conditions of which most must hold, so that about half of all formulas can be satisfied.
static const struct term *formula(struct fixture *f, bool equations)
{
    const struct term *out = term_true(f->store);
    for (uint64_t n = 3 + random_below(&f->random, 7); n > 0; n--) {
        const struct term *one = condition(f, equations);
        if (random_below(&f->random, 3) == 0)
            one = term_or2(f->store, one, condition(f, equations));
        out = term_and2(f->store, out, one);
    }
    return out;
}

static enum smt_result ask(struct term_store *store, const char *backend, const struct term *t)
{
    const char *error;
    struct smt_context *context =
        smt_context_create(backend, store, &(struct smt_options){0}, &error);
    assert_non_null(context);
    struct smt *smt = smt_create(context);
    smt_assert(smt, t);
    enum smt_result result = smt_check(smt);
    smt_destroy(smt);
    smt_context_destroy(context);
    return result;
}

static void what_is_read_is_all_there_is_to_know(void **state)
{
    (void)state;
    const unsigned models = part_models(600, 60);
    unsigned count[2] = {0};
    for (uint64_t seed = 1; seed <= models; seed++) {
        struct fixture f;
        make(&f, seed);
        const struct term *asked = formula(&f, seed % 2);
        struct array_reads *reads = array_reads_create(f.store);
        const struct term *told = array_reads_of(reads, asked);
        assert_non_null(told);
        told = term_and2(f.store, told, array_reads_facts(reads));
        array_reads_destroy(reads);
        enum smt_result without = ask(f.store, "circuit", told);
        enum smt_result with = ask(f.store, "circuit", asked);
        assert_int_equal(with, without);
        assert_int_not_equal(with, SMT_UNKNOWN);
        count[with == SMT_SAT]++;
        term_store_destroy(f.store);
    }
    assert_true(count[0] > models / 10 && count[1] > models / 10);
}

static const struct term *for_all(struct fixture *f)
{
    const struct term *x = term_var(f->store, "x", f->number[0]->sort);
    const struct term *read = term_select(f->store, array(f, 1), x);
    const struct term *body =
        random_below(&f->random, 2)
            ? term_eq(f->store, read, number(f, 1))
            : term_bv_binary(f->store, TERM_BV_ULE, read, term_select(f->store, array(f, 1), x));
    const struct term *range = term_bv_binary(f->store, TERM_BV_ULT, x, number(f, 1));
    return term_quantifier(f->store, TERM_FORALL, &x, 1, term_implies(f->store, range, body));
}

static void ground_questions_lose_no_solution(void **state)
{
    (void)state;
    const unsigned models = part_models(200, 20);
    unsigned refuted = 0, refutable = 0;
    for (uint64_t seed = 1; seed <= models; seed++) {
        struct fixture f;
        make(&f, seed);
        const struct term *goal = for_all(&f);
        const struct term *asked = term_and2(f.store, formula(&f, true), for_all(&f));
        asked = term_and2(f.store, asked, term_not(f.store, goal));
        const unsigned rounds = 1 + seed % GROUND_ROUNDS;
        const struct term *ground = ground_question(f.store, asked, rounds);
        assert_non_null(ground);
        assert_int_equal(ground->flags & TERM_HAS_QUANTIFIER, 0);
        enum smt_result exact = ask(f.store, "z3", asked);
        enum smt_result weaker = ask(f.store, "circuit", ground);
        assert_int_not_equal(weaker, SMT_UNKNOWN);
        assert_true(weaker == SMT_SAT || exact != SMT_SAT);
        refuted += weaker == SMT_UNSAT;
        refutable += exact == SMT_UNSAT;
        term_store_destroy(f.store);
    }
    assert_true(refuted > models / 10 && 2 * refuted > refutable);
}

static void what_cannot_be_told_is_not(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, 1);
    const struct sort *word = f.number[0]->sort;
    const struct sort *rows = sort_array(f.store, word, f.array[0]->sort);
    const struct term *row = term_select(f.store, term_var(f.store, "r", rows), f.number[0]);
    const struct term *asked =
        term_eq(f.store, term_select(f.store, row, f.number[1]), f.number[2]);
    struct array_reads *reads = array_reads_create(f.store);
    assert_null(array_reads_of(reads, asked));
    assert_null(array_reads_of(reads, for_all(&f)));
    array_reads_destroy(reads);
    // A quantifier that counts both ways.
    assert_null(ground_question(f.store, term_eq(f.store, for_all(&f), f.flag), 1));
    term_store_destroy(f.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_is_all_there_is_to_know),
                                       cmocka_unit_test(ground_questions_lose_no_solution),
                                       cmocka_unit_test(what_cannot_be_told_is_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
