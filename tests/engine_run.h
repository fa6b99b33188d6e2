#ifndef REGATTA_TESTS_ENGINE_RUN_H
#define REGATTA_TESTS_ENGINE_RUN_H

#include "base/memory.h"
#include "engines/registry/registry.h"

// One run of an engine on a model, as an attempt would make it. Include after cmocka.h.
//
// engine_run_prepare, then what is special about the run is set in `environment`, then
// engine_run_start; between the two it must stay where it is.

struct engine_run {
    struct configuration configuration; // gone after the start
    struct model *prepared;
    struct term_store *store;
    _Atomic int stop;
    struct engine_environment environment;
    struct engine_result result; // owned: trace, invariant
};

// `text`: a legal configuration. `progress`: cleared, kept by the caller.
static inline void engine_run_prepare(struct engine_run *run, const struct model *source,
                                      const char *text, struct progress *progress)
{
    struct messages messages;
    *run = (struct engine_run){.stop = END_NONE};
    messages_init(&messages);
    configuration_init(&run->configuration, "test");
    assert_true(configuration_parse(&run->configuration, text, &messages));
    assert_true(configuration_check(&run->configuration, &messages));
    messages_finish(&messages);
    configuration_seal(&run->configuration);
    struct prepare_options options = {0};
    const struct engine *engine = engine_find(configuration_engine(&run->configuration));
    assert_non_null(engine);
    engine->preparation(&run->configuration, &options);
    run->prepared = prepare_model(source, &options, NULL);
    run->store = term_store_create(run->prepared->store);
    *progress = (struct progress){0};
    run->environment = (struct engine_environment){
        .helpers = engine_all(),
        .model = run->prepared,
        .configuration = &run->configuration,
        .stop = &run->stop,
        .progress = progress,
        .store = run->store,
    };
}

static inline void engine_run_start(struct engine_run *run)
{
    run->result = engine_find(configuration_engine(&run->configuration))->run(&run->environment);
    configuration_finish(&run->configuration);
}

static inline void engine_run_finish(struct engine_run *run)
{
    trace_destroy(run->result.trace);
    memory_free(run->result.invariant);
    memory_free(run->result.procedures);
    term_store_destroy(run->result.procedures_store);
    term_store_destroy(run->store);
    model_destroy(run->prepared);
}

#endif
