#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "certify/certify.h"
#include "languages/registry/registry.h"
#include "tracegen/coverage.h"
#include "tracegen/follow.h"
#include "tests/oracle.h"

// Traces of random models against an oracle that looks at every state.

#define MODELS 60
#define STATE_LIMIT 3000
#define NODE_LIMIT 150

struct setting {
    uint64_t seed;
    bool all;
    unsigned complete;
};

struct run {
    struct model *model;
    struct term_store *store;
    struct suite *suite;
    const struct variable *variables[8];
};

static void generate(struct run *run, const struct setting *setting)
{
    *run = (struct run){.model = oracle_random_model(setting->seed)};
    run->store = term_store_create(run->model->store);
    struct random random;
    random_init(&random, setting->seed);
    size_t count = 0;
    for (uint32_t v = 0; v < run->model->variable_count && count < 8; v++)
        if (!(run->model->variables[v]->flags & VARIABLE_LOCAL) && random_below(&random, 2))
            run->variables[count++] = run->model->variables[v];
    struct tracegen_request request = {
        .model = run->model,
        .store = run->store,
        .all_variables = setting->all,
        .variables = run->variables,
        .variable_count = count,
        .value_limit = 16,
        .node_limit = NODE_LIMIT,
        .trace_limit = 60,
        .complete = setting->complete,
    };
    run->suite = tracegen_run(&request);
}

// Z3 may never come back from products of variables.
static bool is_hard(uint64_t seed)
{
    struct model *model = oracle_random_model(seed);
    bool hard = model->features.nonlinear;
    model_destroy(model);
    return hard;
}

static void finish(struct run *run)
{
    suite_destroy(run->suite);
    term_store_destroy(run->store);
    model_destroy(run->model);
}

static void check_replays(const struct run *run)
{
    assert_null(run->suite->internal_error);
    for (size_t i = 0; i < run->suite->traces.count; i++) {
        struct text why;
        text_init(&why);
        assert_true(certify_replay_run(run->suite->traces.data[i].trace, &why));
        text_finish(&why);
    }
}

// Is every state that the oracle finds at the location in some state of the suite that a trace visits?
static void check_location(const struct run *run, struct smt *smt, const struct term *found,
                           uint32_t location)
{
    struct term_vector visited = {0};
    for (size_t i = 0; i < run->suite->states.count; i++) {
        const struct suite_state *state = &run->suite->states.data[i];
        if (state->covered && state->location->index == location)
            VECTOR_PUSH(&visited, state->formula);
    }
    smt_reset(smt);
    smt_assert(smt, found);
    smt_assert(smt, term_not(run->store, term_or(run->store, visited.data, visited.count)));
    assert_int_equal(smt_check(smt), SMT_UNSAT);
    VECTOR_FINISH(&visited);
}

// A claim of full coverage is held against the oracle. True when there was one.
static bool check_claim(const struct run *run)
{
    if (!run->suite->full_coverage)
        return false;
    struct oracle_answer answer = oracle_run(run->model, STATE_LIMIT, run->store);
    bool checked = answer.verdict == VERDICT_SAFE;
    if (checked) {
        const char *error;
        struct smt_options options = {0};
        struct smt_context *context = smt_context_create("z3", run->store, &options, &error);
        struct smt *smt = smt_create(context);
        for (uint32_t l = 0; l < run->model->location_count; l++)
            if (run->model->locations[l]->observable && answer.invariant[l] != NULL)
                check_location(run, smt, answer.invariant[l], l);
        smt_context_destroy(context);
    }
    oracle_answer_finish(&answer);
    return checked;
}

static void test_everything_tracked(void **state)
{
    (void)state;
    unsigned checked = 0;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        if (is_hard(seed))
            continue;
        struct run run;
        generate(&run, &(struct setting){seed, true, 0});
        check_replays(&run);
        if (run.suite->concrete && run.suite->explore_end == END_NONE)
            assert_true(run.suite->full_coverage);
        checked += check_claim(&run);
        finish(&run);
    }
    assert_true(checked >= 5);
}

static void test_abstract(void **state)
{
    (void)state;
    unsigned checked = 0, lost = 0;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        if (is_hard(seed))
            continue;
        struct run run;
        generate(&run, &(struct setting){seed, false, 0});
        check_replays(&run);
        checked += check_claim(&run);
        lost += !run.suite->full_coverage;
        finish(&run);
    }
    assert_true(checked >= 5);
    assert_true(lost >= 1);
}

static void test_completed(void **state)
{
    (void)state;
    unsigned more = 0;
    for (uint64_t seed = 1; seed <= MODELS / 2; seed++) {
        if (is_hard(seed))
            continue;
        struct run plain, completed;
        generate(&plain, &(struct setting){seed, true, 0});
        generate(&completed, &(struct setting){seed, true, (1u << CRITERION_COUNT) - 1});
        check_replays(&completed);
        struct coverage *before = coverage_create(plain.model, plain.suite);
        struct coverage *after = coverage_create(completed.model, completed.suite);
        for (size_t i = 0; i < plain.suite->traces.count; i++)
            coverage_add(before, &plain.suite->traces.data[i], NULL, 0);
        for (size_t i = 0; i < completed.suite->traces.count; i++) {
            bool fresh = coverage_add(after, &completed.suite->traces.data[i], NULL,
                                      (1u << CRITERION_COUNT) - 1);
            assert_true(fresh || !completed.suite->traces.data[i].added);
        }
        for (unsigned c = 0; c < CRITERION_COUNT; c++) {
            assert_true(coverage_count(after, c) >= coverage_count(before, c));
            assert_true(coverage_count(after, c) <= coverage_total(after, c, completed.suite));
            more += coverage_count(after, c) > coverage_count(before, c);
        }
        coverage_destroy(before);
        coverage_destroy(after);
        finish(&plain);
        finish(&completed);
    }
    assert_true(more >= 5);
}

static void test_follows_itself(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        if (is_hard(seed))
            continue;
        struct run run;
        generate(&run, &(struct setting){seed, true, 0});
        struct follow_request request = {.leader = run.model, .model = run.model};
        struct follower *follower = follower_create(&request);
        for (size_t i = 0; i < run.suite->traces.count && i < 20; i++) {
            size_t states;
            assert_int_equal(follower_try(follower, run.suite->traces.data[i].trace, &states),
                             FOLLOW_YES);
            assert_int_equal(states, run.suite->traces.data[i].state_count);
        }
        follower_destroy(follower);
        finish(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_tracked),
        cmocka_unit_test(test_abstract),
        cmocka_unit_test(test_completed),
        cmocka_unit_test(test_follows_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
