#ifndef REGATTA_TESTS_LINK_H
#define REGATTA_TESTS_LINK_H

#include "model/specialize.h"
#include "tests/decide.h"
#include "tests/oracle.h"

// A model that was made of another one decides as that does: a visit of all states of each, runs of the made one brought back and
// replayed, its states brought back and checked as a proof. Include after cmocka.h.

// Of proofs that are checked: each state is a cube of one.
#define LINK_MOST_STATES 300

struct link_tally {
    size_t models, unsafe, proved, large;
};

static inline size_t link_count_state(const struct model *model)
{
    size_t count = 0;
    for (uint32_t v = 0; v < model->variable_count; v++)
        count += !(model->variables[v]->flags & VARIABLE_LOCAL);
    return count;
}

static inline void link_check_trace(const struct trace *trace, uint64_t seed)
{
    struct text why;
    struct trace *mapped = decide_map(prepare_map_trace(trace));
    text_init(&why);
    if (!certify_replay(mapped, &why))
        fail_msg("seed %llu: %s", (unsigned long long)seed, text_string(&why));
    trace_destroy(mapped);
    text_finish(&why);
}

static inline void link_check_proof(const struct model *made, struct term_store *store,
                                    const struct term *const *invariant, const struct model *source,
                                    uint64_t seed)
{
    struct text why;
    const struct term **lifted = decide_lift(made, store, invariant);
    text_init(&why);
    if (certify_invariant_owned(source, store, lifted, (struct induction_rule){0}, "z3", NULL, NULL,
                                &why) != CERTIFY_ACCEPTED)
        fail_msg("seed %llu: %s", (unsigned long long)seed, text_string(&why));
    memory_free(lifted);
    text_finish(&why);
}

static inline void link_compare(const struct model *source, const struct model *made, uint64_t seed,
                                struct link_tally *tally)
{
    struct term_store *store = term_store_create(made->store);
    struct oracle_answer expected = oracle_run(source, 100000, NULL);
    struct oracle_answer got = oracle_run(made, 100000, store);
    bool large = expected.verdict == VERDICT_UNKNOWN || got.verdict == VERDICT_UNKNOWN;
    tally->models++;
    tally->large += large;
    if (!large && expected.verdict != got.verdict)
        fail_msg("seed %llu: it decides otherwise", (unsigned long long)seed);
    if (got.verdict == VERDICT_UNSAFE) {
        tally->unsafe++;
        link_check_trace(got.trace, seed);
    } else if (!large && got.states <= LINK_MOST_STATES &&
               link_count_state(made) == made->variable_count) {
        tally->proved++;
        link_check_proof(made, store, got.invariant, source, seed);
    }
    oracle_answer_finish(&expected);
    oracle_answer_finish(&got);
    term_store_destroy(store);
}

// Random models of which specialize_model makes models without loops, `most` of them: both decide the same. More than one in `least` is unsafe.
static inline void link_compare_special(struct model *(*make)(uint64_t seed), size_t most,
                                        size_t least)
{
    size_t models = 0, unsafe = 0, none = 0;
    for (uint64_t seed = 1; models < most; seed++) {
        struct model *source = make(seed), *given = make(seed);
        struct model *made = specialize_model(given, false);
        none += made == given;
        if (made != given) {
            struct oracle_answer expected = oracle_run(source, 100000, NULL);
            struct oracle_answer got = oracle_run(made, 100000, NULL);
            if (expected.verdict == VERDICT_UNKNOWN || expected.verdict != got.verdict)
                fail_msg("seed %llu: %d instead of %d", (unsigned long long)seed, (int)got.verdict,
                         (int)expected.verdict);
            assert_int_equal(made->variable_count, source->variable_count);
            assert_int_equal(made->features.loops, 0);
            models++;
            unsafe += got.verdict == VERDICT_UNSAFE;
            oracle_answer_finish(&expected);
            oracle_answer_finish(&got);
        }
        model_destroy(made);
        model_destroy(source);
    }
    print_message("# %zu models of %zu, %zu unsafe\n", models, models + none, unsafe);
    assert_true(unsafe > models / least && unsafe < models * 9 / 10);
}

#endif
