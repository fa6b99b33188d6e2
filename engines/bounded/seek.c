#include "engines/bounded/seek.h"

#include <assert.h>

// Who is asked, in that order, and for how long: steps of the engine, which like those of the check of an invariant do
// not count against the attempt's limit, and steps of the solver for one check (a million take about a second).
static const struct searcher {
    const char *engine;
    uint64_t most_steps;
    int64_t most_solver_steps;
    int64_t bound; // of the length of runs; 0 = none
} searchers[] = {
    {"kind", 200, 1000000, 1},  // simple facts alone: what a program without loops needs
    {"horn", 2000, 3000000, 0}, // one check is the whole search
    {"ic3", 10000, 1000000, 0},
    {"imc", 2000, 1000000, 0},
};

// What the search did is work of the attempt; its rounds are not the attempt's.
static void count_work(struct progress *progress, const struct progress *search,
                       struct engine_result *result, const struct engine_result *found)
{
    atomic_fetch_add_explicit(&progress->steps,
                              atomic_load_explicit(&search->steps, memory_order_relaxed),
                              memory_order_relaxed);
    smt_statistics_add(&result->solver, &found->solver);
    atomic_store_explicit(&progress->solver_checks, result->solver.checks, memory_order_relaxed);
    atomic_store_explicit(&progress->solver_ns, result->solver.check_ns, memory_order_relaxed);
}

static bool is_stopped(const struct engine_environment *environment)
{
    return environment->stop != NULL && atomic_load(environment->stop) != END_NONE;
}

// False when the search is over: found, or no more of it wanted.
static bool try_engine(const struct engine_environment *environment, const struct engine *engine,
                       const struct searcher *searcher, struct engine_result *result)
{
    assert(result->verdict == VERDICT_SAFE && result->invariant == NULL);
    struct configuration configuration = *environment->configuration;
    configuration.values[OPTION_SOLVER] = TEXT_VALUE_Z3;
    configuration.values[OPTION_ABSTRACTION_SOLVER] = TEXT_VALUE_NONE;
    configuration.values[OPTION_REFINEMENT_SOLVER] = TEXT_VALUE_NONE;
    configuration.values[OPTION_ABSTRACTION] = ABSTRACTION_NONE;
    configuration.values[OPTION_AUXILIARY] = AUXILIARY_SIMPLE;
    configuration.values[OPTION_SIMPLE_PATH] = 0;
    configuration.values[OPTION_BOUND] = searcher->bound;
    if (!configuration.values[OPTION_CHECK_LIMIT])
        configuration.values[OPTION_CHECK_LIMIT] = searcher->most_solver_steps;
    struct progress progress = {0};
    struct engine_environment inner = *environment;
    inner.configuration = &configuration;
    inner.progress = &progress;
    inner.step_limit = searcher->most_steps;
    inner.observe = NULL;
    inner.share = NULL;
    inner.hear = NULL;
    inner.precision_in = NULL;
    inner.precision_out = NULL;
    inner.invariant_unwanted = true; // no search inside the search
    if (is_stopped(environment))
        return false;
    struct engine_result found = engine->run(&inner);
    assert(found.invariant == NULL || found.verdict == VERDICT_SAFE);
    count_work(environment->progress, &progress, result, &found);
    if (found.verdict == VERDICT_UNSAFE) {
        trace_destroy(found.trace);
        result->verdict = VERDICT_UNKNOWN;
        result->reason = END_INTERNAL;
        result->why = "a run to the error was found behind a proof that there is none";
        return false;
    }
    result->invariant = found.verdict == VERDICT_SAFE ? found.invariant : NULL;
    if (result->invariant == NULL)
        return true;
    result->rule = found.rule;
    result->why = NULL;
    result->sat_solver = found.sat_solver;
    engine_note(result->notes, sizeof result->notes, "invariant by %s", engine->name);
    return false;
}

void seek_invariant(const struct engine_environment *environment, const struct engine *passed_over,
                    struct engine_result *result)
{
    if (result->verdict != VERDICT_SAFE || result->invariant != NULL ||
        environment->invariant_unwanted)
        return;
    atomic_store_explicit(&environment->progress->phase, ENGINE_CHECKING, memory_order_relaxed);
    bool abstracted = environment->configuration->values[OPTION_ABSTRACTION] != ABSTRACTION_NONE;
    bool going = true;
    for (size_t i = 0; going && i < sizeof searchers / sizeof *searchers; i++) {
        const struct engine *engine = engine_helper(environment, searchers[i].engine);
        if (engine != NULL && (engine != passed_over || abstracted))
            going = try_engine(environment, engine, &searchers[i], result);
    }
    if (result->verdict == VERDICT_SAFE && result->invariant == NULL)
        engine_note(result->notes, sizeof result->notes, "the search for an invariant %s",
                    is_stopped(environment) ? "was stopped" : "found none");
}
