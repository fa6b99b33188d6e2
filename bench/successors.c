// How fast is the hot loop? Runs the engine on a model that has no end for the configuration, up to a
// number of engine steps, and prints abstract successors a second and what was allocated for them. One
// line a run; compare lines of one call only.
//
//   successors MODEL CONFIGURATION STEPS [PROPERTY]
//   successors bench/counters.xsts "domain=EXPL,initprec=ALLVARS,maxenum=0" 2000000

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engines/registry/registry.h"
#include "languages/registry/registry.h"

static int usage(void)
{
    fputs("usage: successors MODEL CONFIGURATION STEPS [PROPERTY]\n", stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5)
        return usage();
    struct messages messages;
    struct configuration configuration;
    messages_init(&messages);
    configuration_init(&configuration, "bench");
    bool good = configuration_parse(&configuration, argv[2], &messages) &&
                configuration_check(&configuration, &messages);
    struct model *model =
        good ? language_load(argv[1], argc == 5 ? argv[4] : NULL, PROPERTY_AT_ALL, NULL, &messages)
             : NULL;
    messages_print(&messages, stderr);
    messages_finish(&messages);
    const struct engine *engine =
        model != NULL ? engine_find(configuration_engine(&configuration)) : NULL;
    if (engine == NULL)
        return EXIT_USAGE;
    configuration_seal(&configuration);

    struct prepare_options options;
    engine->preparation(&configuration, &options);
    struct model *prepared = prepare_model(model, &options, NULL);
    struct term_store *store = term_store_create(prepared->store);
    static struct progress progress;
    struct engine_environment environment = {
        .helpers = engine_all(),
        .model = prepared,
        .configuration = &configuration,
        .step_limit = strtoull(argv[3], NULL, 10),
        .progress = &progress,
        .store = store,
    };
    int64_t begin = clock_thread_cpu_ns();
    struct engine_result result = engine->run(&environment);
    double seconds = clock_seconds(clock_thread_cpu_ns() - begin);
    uint64_t successors = progress.successors, checks = progress.solver_checks;
    uint64_t hits = progress.cache_hits[CACHE_VALUES] + progress.cache_hits[CACHE_PREDICATES];
    uint64_t lookups =
        progress.cache_lookups[CACHE_VALUES] + progress.cache_lookups[CACHE_PREDICATES];
    printf("%s: %" PRIu64 " successors in %.2f s of CPU, %.0f a second; %" PRIu64
           " nodes, %.1f bytes a node, %" PRIu64 " solver checks, %" PRIu64 " of %" PRIu64
           " posts remembered; %s\n",
           argv[2], successors, seconds, (double)successors / seconds,
           (uint64_t)progress.nodes_created,
           (double)progress.bytes / (double)(progress.nodes_created + 1), checks, hits, lookups,
           end_reason_name(result.reason));
    trace_destroy(result.trace);
    memory_free(result.invariant);
    term_store_destroy(store);
    model_destroy(prepared);
    model_destroy(model);
    configuration_finish(&configuration);
    return 0;
}
