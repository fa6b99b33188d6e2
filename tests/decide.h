#ifndef REGATTA_TESTS_DECIDE_H
#define REGATTA_TESTS_DECIDE_H

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "certify/certify.h"
#include "languages/registry/registry.h"
#include "tests/engine_run.h"
#include "tests/read.h"

// For tests of readers: a text as a model, and a model's answer. Include after cmocka.h.

// NULL with messages. Caller: model_destroy.
static inline struct model *decide_load(const struct language *frontend, const struct text *text,
                                        const char *property, struct messages *messages)
{
    struct language_request request = {
        .model_path = "text",
        .model_text = text_string(text),
        .model_bytes = text->length,
        .property_text = property,
        .property_bytes = property ? strlen(property) : 0,
        .property_inline = property != NULL,
    };
    return read_model(frontend, &request, messages);
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

// The proof on the model that was read, in the store; memory_free. NULL: there is none, or `model` was read.
static inline const struct term **decide_lift(const struct model *model, struct term_store *store,
                                              const struct term *const *invariant)
{
    const struct term **lifted = NULL;
    for (; invariant != NULL && model->source != NULL; model = model->source) {
        const struct term **nearer =
            prepare_lift_invariant(model, store, lifted != NULL ? lifted : invariant);
        memory_free(lifted);
        lifted = nearer;
    }
    return lifted;
}

// The verdict of a configuration ("engine=ic3") within so many steps. Fails the test when a trace does not replay or a
// proof is not accepted.
static inline enum verdict decide_run_within(const struct model *source, const char *text,
                                             uint64_t seed, uint64_t steps)
{
    struct text why;
    struct engine_run run;
    static struct progress progress;
    engine_run_prepare(&run, source, text, &progress);
    run.environment.step_limit = steps;
    engine_run_start(&run);
    const struct engine_result result = run.result;
    text_init(&why);
    if (result.verdict == VERDICT_UNSAFE) {
        struct trace *mapped = decide_map(result.trace);
        run.result.trace = NULL;
        if (!certify_replay(mapped, &why))
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, text, text_string(&why));
        trace_destroy(mapped);
    } else if (result.verdict == VERDICT_SAFE && result.invariant) {
        if (certify_invariant_owned(run.prepared, run.store, result.invariant, result.rule, "z3",
                                    NULL, NULL, &why) != CERTIFY_ACCEPTED)
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, text, text_string(&why));
    }
    text_finish(&why);
    engine_run_finish(&run);
    return result.verdict;
}

static inline enum verdict decide_run_as(const struct model *source, const char *text,
                                         uint64_t seed)
{
    return decide_run_within(source, text, seed, strstr(text, "engine=bmc") != NULL ? 20 : 2000);
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
