#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "engines/bounded/samples.h"
#include "model/walk.h"
#include "tests/oracle.h"

// Random walks (model/walk.h) and guesses that are held against them (engines/bounded/samples.h), on random models whose states an oracle
// visits one by one.

enum { MODELS = 300, WALKS = 5, STEPS = 20, STATES = 20000 };

struct tally {
    size_t models, states, refuted;
};

// Every state that is met is one that the model reaches.
static void walk_in(const struct model *model, const struct term *const *invariant,
                    struct tally *tally)
{
    struct walk walk;
    walk_init(&walk, model, 5, 100000);
    for (int i = 0; i < WALKS; i++) {
        const struct location *at = walk_begin(&walk) ? model->initial : NULL;
        for (int step = 0; step < STEPS && at != NULL && at != model->error; step++) {
            assert_false(value_is_false(walk_evaluate(&walk, invariant[at->index])));
            tally->states++;
            at = walk_step(&walk, at);
        }
        assert_true(at != model->error); // a safe model
    }
    walk_finish(&walk);
}

// What holds in all states is not refuted; that a location is never reached is, where it is met.
static void refute(const struct model *model, const struct term *const *invariant,
                   struct term_store *store, struct tally *tally)
{
    const uint32_t count = model->location_count;
    struct sampled_fact *facts = memory_zalloc((2 * (size_t)count + 1) * sizeof *facts);
    for (uint32_t l = 0; l < count; l++) {
        facts[2 * l] = (struct sampled_fact){l, invariant[l], NULL, false};
        facts[2 * l + 1] = (struct sampled_fact){l, term_false(store), NULL, false};
    }
    samples_refute(model, facts, 2 * (size_t)count);
    for (uint32_t l = 0; l < count; l++) {
        assert_false(facts[2 * l].fails);
        tally->refuted += facts[2 * l + 1].fails;
        if (facts[2 * l + 1].fails)
            assert_false(term_is_false(invariant[l]));
    }
    memory_free(facts);
}

static void walks_stay_among_states(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        struct model *model = oracle_random_model(seed);
        struct term_store *store = term_store_create(model->store);
        struct oracle_answer answer = oracle_run(model, STATES, store);
        if (answer.verdict == VERDICT_SAFE) {
            walk_in(model, answer.invariant, &tally);
            refute(model, answer.invariant, store, &tally);
            tally.models++;
        }
        oracle_answer_finish(&answer);
        term_store_destroy(store);
        model_destroy(model);
    }
    print_message("# %zu models, %zu states, %zu locations met\n", tally.models, tally.states,
                  tally.refuted);
    assert_true(tally.models > MODELS / 10);
    assert_true(tally.states > 10 * tally.models && tally.refuted > tally.models);
}

// A guess about what is arbitrary fails where it does for some value.
static void arbitrary_values_are_tried(void **state)
{
    (void)state;
    struct model *model = oracle_random_model(1);
    struct term_store *store = term_store_create(model->store);
    const struct sort *sort = sort_int(store);
    const struct term *each = term_var(store, "each", sort);
    struct sampled_fact facts[] = {
        {model->initial->index, term_not(store, term_eq(store, each, term_int(store, 3))), NULL,
         false},
        {model->initial->index, term_le(store, term_int(store, 0), each), NULL, false},
    };
    samples_refute(model, facts, 2);
    assert_true(facts[0].fails);
    assert_false(facts[1].fails);
    term_store_destroy(store);
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(walks_stay_among_states),
                                       cmocka_unit_test(arbitrary_values_are_tried)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
