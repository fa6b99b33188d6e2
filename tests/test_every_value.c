#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "certify/certify.h"
#include "engines/monolithic/every_value.h"
#include "tests/engine_run.h"
#include "tests/part.h"

// What must hold before a havoc, and the proofs of k-induction that need it.

static struct progress progress;
static const struct position NOWHERE = {0};

enum { BITS = 2, VALUES = 1 << BITS, PLENTY = 1 << 26, WORDS = 3, TRUTHS = 3 };

struct bench {
    struct model *model;
    struct engine_run run;
    struct workspace workspace;
    struct monolith monolith;
    struct term_store *store;
    const struct term *word[WORDS], *truth[TRUTHS];
};

// A model with some variables, on which formulas are made.
static void open_bench(struct bench *b)
{
    struct model_builder *builder = model_builder_create(&dialect_plain, "variables", NULL);
    struct term_store *store = model_builder_store(builder);
    struct location *start = model_builder_location(builder, "start", PHASE_NONE, true);
    struct location *error = model_builder_location(builder, "error", PHASE_NONE, true);
    const struct term *all = term_true(store);
    char name[16];
    for (int i = 0; i < WORDS; i++) {
        snprintf(name, sizeof name, "w%d", i);
        b->word[i] = model_builder_variable(builder, name, sort_bv(store, BITS), 0, NOWHERE)->term;
        all = term_and2(store, all, term_eq(store, b->word[i], term_bv(store, BITS, 0)));
    }
    for (int i = 0; i < TRUTHS; i++) {
        snprintf(name, sizeof name, "t%d", i);
        b->truth[i] = model_builder_variable(builder, name, sort_bool(store), 0, NOWHERE)->term;
        all = term_and2(store, all, b->truth[i]);
    }
    model_builder_initial(builder, start, NULL);
    model_builder_error(builder, error);
    model_builder_edge(builder, start, error, model_assume(builder, all, NOWHERE), NULL, NOWHERE);
    b->model = model_builder_finish(builder);
    engine_run_prepare(&b->run, b->model, "engine=kind", &progress);
    workspace_init(&b->workspace, &b->run.environment);
    monolith_init(&b->monolith, &b->workspace);
    b->workspace.finite = FINITE_HARD;
    b->store = b->monolith.store;
}

static void close_bench(struct bench *b)
{
    monolith_finish(&b->monolith);
    workspace_finish(&b->workspace);
    configuration_finish(&b->run.configuration);
    engine_run_finish(&b->run);
    model_destroy(b->model);
}

static const struct term *random_word(struct bench *b, struct random *r, int depth)
{
    static const enum term_kind KINDS[] = {TERM_BV_ADD, TERM_BV_MUL, TERM_BV_XOR, TERM_BV_AND};
    uint64_t pick = random_below(r, depth > 0 ? 8 : 4);
    if (pick == 0)
        return term_bv(b->store, BITS, random_below(r, VALUES));
    if (pick < 4)
        return b->word[pick - 1];
    const struct term *left = random_word(b, r, depth - 1);
    return term_bv_binary(b->store, KINDS[pick - 4], left, random_word(b, r, depth - 1));
}

static const struct term *random_formula(struct bench *b, struct random *r, int depth)
{
    uint64_t pick = random_below(r, depth > 0 ? 10 : 4);
    if (pick < 2)
        return b->truth[random_below(r, TRUTHS)];
    const struct term *left, *right;
    if (pick < 4) {
        left = random_word(b, r, 1);
        right = random_word(b, r, 1);
        return pick == 2 ? term_eq(b->store, left, right)
                         : term_bv_binary(b->store, TERM_BV_ULE, left, right);
    }
    left = random_formula(b, r, depth - 1);
    if (pick == 4)
        return term_not(b->store, left);
    right = random_formula(b, r, depth - 1);
    if (pick == 5)
        return term_ite(b->store, random_formula(b, r, depth - 1), left, right);
    return pick < 8 ? term_and2(b->store, left, right) : term_or2(b->store, left, right);
}

// By putting in all of them.
static const struct term *by_all_values(struct bench *b, const struct term *variable,
                                        const struct term *formula)
{
    const struct term *all = term_true(b->store);
    for (uint64_t value = 0; value < (variable->sort->kind == SORT_BOOL ? 2 : VALUES); value++) {
        const struct term *literal = variable->sort->kind == SORT_BOOL
                                         ? term_bool(b->store, value != 0)
                                         : term_bv(b->store, BITS, value);
        all = term_and2(b->store, all, rewrite_replace(b->store, formula, variable, literal));
    }
    return all;
}

static bool are_equivalent(struct bench *b, const struct term *left, const struct term *right)
{
    struct smt *smt = smt_create(workspace_solver(&b->workspace));
    smt_assert(smt, term_xor(b->store, left, right));
    enum smt_result result = smt_check(smt);
    smt_destroy(smt);
    return result == SMT_UNSAT;
}

static void it_is_what_all_values_say(void **state)
{
    (void)state;
    struct bench b;
    unsigned count = part_models(400, 40), with = 0;
    open_bench(&b);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct random r;
        random_init(&r, seed);
        const struct term *formula = random_formula(&b, &r, 4);
        const struct term *variable =
            seed % 2 ? b.word[random_below(&r, WORDS)] : b.truth[random_below(&r, TRUTHS)];
        with += rewrite_contains(formula, variable);
        struct every_value every = every_value_begin(&b.monolith, PLENTY);
        const struct term *found = every_value(&every, variable, formula);
        assert_non_null(found); // of few values
        assert_false(rewrite_contains(found, variable));
        if (!are_equivalent(&b, found, by_all_values(&b, variable, formula)))
            fail_msg("seed %u: it is something else", (unsigned)seed);
    }
    print_message("# %u of %u formulas have the variable\n", with, count);
    assert_true(with > count / 4);
    close_bench(&b);
}

static void without_questions_there_is_none(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    const struct term *square = term_bv_binary(b.store, TERM_BV_MUL, b.word[0], b.word[0]);
    const struct term *formula = term_not(b.store, term_eq(b.store, square, b.word[1]));
    struct every_value every = every_value_begin(&b.monolith, PLENTY);
    every.questions = 0;
    assert_null(every_value(&every, b.word[0], formula));
    every = every_value_begin(&b.monolith, 0);
    assert_true(every_value_is_over(&every));
    assert_null(every_value(&every, b.word[0], formula));
    every = every_value_begin(&b.monolith, PLENTY);
    assert_non_null(every_value(&every, b.word[0], formula));
    close_bench(&b);
}

// Proofs.

struct made {
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *x, *y, *v, *w;
    struct location *start, *loop, *error;
};

static struct made begin(uint32_t bits)
{
    struct made m = {.builder = model_builder_create(&dialect_plain, "made", NULL)};
    m.store = model_builder_store(m.builder);
    const struct sort *sort = sort_bv(m.store, bits);
    m.x = model_builder_variable(m.builder, "x", sort, 0, NOWHERE);
    m.y = model_builder_variable(m.builder, "y", sort, 0, NOWHERE);
    m.v = model_builder_variable(m.builder, "v", sort, 0, NOWHERE);
    m.w = model_builder_variable(m.builder, "w", sort, 0, NOWHERE);
    m.start = model_builder_location(m.builder, "start", PHASE_NONE, true);
    m.loop = model_builder_location(m.builder, "loop", PHASE_NONE, true);
    m.error = model_builder_location(m.builder, "error", PHASE_NONE, true);
    model_builder_error(m.builder, m.error);
    return m;
}

static struct statement *assign(struct made *m, const struct variable *variable,
                                const struct term *value)
{
    return model_assign(m->builder, variable, value, NOWHERE);
}

static void edge(struct made *m, struct location *from, struct location *to,
                 struct statement *action)
{
    model_builder_edge(m->builder, from, to, action, NULL, NOWHERE);
}

// k-induction alone, without another engine's invariants: its own is accepted on the source. Gives the number of locations
// of the prepared model that do without a formula.
static unsigned prove(const struct model *source)
{
    struct engine_run run;
    struct text why;
    unsigned without = 0;
    text_init(&why);
    engine_run_prepare(&run, source, "engine=kind,aux=NONE,encoding=SBE,propagate=0", &progress);
    run.environment.invariant_unwanted = true;
    run.environment.step_limit = 400;
    engine_run_start(&run);
    assert_int_equal(run.result.verdict, VERDICT_SAFE);
    assert_non_null(run.result.invariant);
    for (uint32_t l = 0; l < run.prepared->location_count; l++)
        without += run.result.invariant[l] == NULL;
    const struct term **lifted =
        prepare_lift_invariant(run.prepared, run.store, run.result.invariant);
    if (certify_invariant(source, run.store, lifted, "z3", NULL, &why) != CERTIFY_ACCEPTED)
        fail_msg("%s", text_string(&why));
    memory_free(lifted);
    text_finish(&why);
    engine_run_finish(&run);
    return without;
}

// An input goes two ways that say the same: after one more step they are compared.
static void inputs_in_a_loop(void **state)
{
    (void)state;
    struct made m = begin(4);
    const struct term *zero = term_bv(m.store, 4, 0), *two = term_bv(m.store, 4, 2);
    const struct term *input = m.v->term;
    struct statement *first[] = {assign(&m, m.x, zero), assign(&m, m.y, zero)};
    model_builder_initial(m.builder, m.loop, model_sequence(m.builder, first, 2, NOWHERE));
    struct statement *round[] = {
        model_havoc(m.builder, m.v, NOWHERE),
        assign(&m, m.x, term_bv_binary(m.store, TERM_BV_ADD, input, input)),
        assign(&m, m.y, term_bv_binary(m.store, TERM_BV_MUL, two, input)),
    };
    edge(&m, m.loop, m.loop, model_sequence(m.builder, round, 3, NOWHERE));
    const struct term *differ = term_not(m.store, term_eq(m.store, m.x->term, m.y->term));
    edge(&m, m.loop, m.error, model_assume(m.builder, differ, NOWHERE));
    struct model *model = model_builder_finish(m.builder);
    assert_int_equal(prove(model), 0);
    model_destroy(model);
}

// Which numbers are no square of 16 bits is nothing that a few of them say, but nothing leads back to where it is asked.
static void an_input_at_the_start(void **state)
{
    (void)state;
    struct made m = begin(16);
    const struct term *x = m.x->term, *v = m.v->term;
    const struct term *low = term_bv_binary(m.store, TERM_BV_AND, x, term_bv(m.store, 16, 7));
    struct statement *first[] = {
        model_havoc(m.builder, m.x, NOWHERE),
        model_assume(m.builder, term_eq(m.store, low, term_bv(m.store, 16, 3)), NOWHERE),
    };
    model_builder_initial(m.builder, m.start, model_sequence(m.builder, first, 2, NOWHERE));
    struct statement *square[] = {
        model_havoc(m.builder, m.v, NOWHERE),
        assign(&m, m.y, term_bv_binary(m.store, TERM_BV_MUL, v, v)),
    };
    edge(&m, m.start, m.loop, model_sequence(m.builder, square, 2, NOWHERE));
    edge(&m, m.loop, m.loop, assign(&m, m.w, x));
    const struct term *same = term_eq(m.store, m.y->term, x);
    edge(&m, m.loop, m.error, model_assume(m.builder, same, NOWHERE));
    struct model *model = model_builder_finish(m.builder);
    assert_int_equal(prove(model), 1);
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_all_values_say),
        cmocka_unit_test(without_questions_there_is_none),
        cmocka_unit_test(inputs_in_a_loop),
        cmocka_unit_test(an_input_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
