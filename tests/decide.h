#ifndef REGATTA_TESTS_DECIDE_H
#define REGATTA_TESTS_DECIDE_H

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/certify/certify.h"
#include "engines/engine.h"
#include "engines/frontends/frontend.h"

// For tests of front ends: a text as a model, and a model's answer. Include after cmocka.h.

// NULL with messages. Caller: model_destroy.
static inline struct model *decide_load(const struct frontend *frontend, const struct text *text,
                                        const char *property, struct messages *messages)
{
    struct frontend_request request = {
        .model_path = "text",
        .model_text = text_string(text),
        .model_bytes = text->length,
        .property_text = property,
        .property_bytes = property ? strlen(property) : 0,
        .property_inline = property != NULL,
    };
    return frontend->read(&request, messages);
}

// The trace on the model that was read. Consumes its argument.
static inline struct trace *decide_map(struct trace *trace)
{
    while (trace->model->source) {
        struct trace *nearer = prepare_map_trace(trace);
        trace_destroy(trace);
        trace = nearer;
    }
    return trace;
}

// The verdict of a configuration ("engine=ic3"). Fails the test when a trace does not replay or a proof is not
// accepted.
static inline enum verdict decide_run_as(const struct model *source, const char *text,
                                         uint64_t seed)
{
    struct messages messages;
    struct configuration configuration;
    struct prepare_options options;
    struct text why;
    static struct progress progress;
    _Atomic int stop = END_NONE;
    messages_init(&messages);
    configuration_init(&configuration, "test");
    assert_true(configuration_parse(&configuration, text, &messages));
    messages_finish(&messages);
    const struct engine *engine = engine_find(configuration.engine);
    engine->preparation(&configuration, &options);
    struct model *model = prepare_model(source, &options, NULL);
    struct engine_environment environment = {
        .model = model,
        .configuration = &configuration,
        .stop = &stop,
        .step_limit = engine == &engine_bmc ? 20 : 2000,
        .progress = &progress,
        .store = term_store_create(model->store),
    };
    struct engine_result result = engine->run(&environment);
    text_init(&why);
    if (result.verdict == VERDICT_UNSAFE) {
        struct trace *mapped = decide_map(result.trace);
        result.trace = NULL;
        if (!certify_replay(mapped, &why))
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, text, text_string(&why));
        trace_destroy(mapped);
    } else if (result.verdict == VERDICT_SAFE && result.invariant) {
        if (certify_invariant(model, environment.store, result.invariant, "z3", NULL, &why) !=
            CERTIFY_ACCEPTED)
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, text, text_string(&why));
    }
    text_finish(&why);
    trace_destroy(result.trace);
    memory_free(result.invariant);
    term_store_destroy(environment.store);
    model_destroy(model);
    configuration_finish(&configuration);
    return result.verdict;
}

// The engine's verdict under its standard options.
static inline enum verdict decide_run(const struct model *source, const char *engine_name,
                                      uint64_t seed)
{
    char text[64];
    snprintf(text, sizeof text, "engine=%s", engine_name);
    return decide_run_as(source, text, seed);
}

#endif
