#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engines/engine.h"
#include "tests/oracle.h"

// Every place where an engine looks at the stop flag: what happens when the stop comes just there. The
// engine ends without a verdict, for the reason it was given, soon, and leaves nothing behind (address
// sanitizer).

static const char *const settings[] = {
    "domain=EXPL",
    "domain=EXPL,maxenum=1,refinement=UNSAT_CORE",
    "domain=EXPL,refinement=NWT_SP_LV,precgranularity=LOCAL",
    "domain=PRED_CART",
    "domain=PRED_BOOL,refinement=BW_BIN_ITP",
    "domain=PRED_SPLIT,refinement=FW_BIN_ITP,prunestrategy=FULL",
    "domain=PRED_CART,refinement=NWT_IT_WP",
    "domain=PRED_CART,refinement=UCB",
    "domain=PRED_CART,stop=ALL,refinement=MULTI_SEQ",
    "domain=EXPL_PRED_COMBINED",
    "domain=EXPL_PRED_CART,monitor=MITIGATE,mitigate_safe=true",
    "engine=bmc",
    "engine=kind",
    "engine=imc",
    "engine=bmc,abstraction=PREDICATES",
    "engine=kind,abstraction=PREDICATES",
    "engine=imc,abstraction=VARIABLES,refinement=UNSAT_CORE",
    "engine=ic3",
    "engine=ic3,cubes=PREDICATES",
};

enum { MOST_SITES = 128, MODELS = 4, AFTERWARDS = 60 };

struct sites {
    const char *names[MOST_SITES];
    size_t visits[MOST_SITES];
    size_t count;
};

struct watched {
    _Atomic int stop;
    struct sites sites;
    const char *stop_at; // site; NULL = never
    size_t nth;          // visit of it at which the stop comes, from 1
    size_t afterwards;   // looks after that
    enum end_reason end; // how the run ended
};

static size_t *visits_of(struct sites *sites, const char *name)
{
    for (size_t i = 0; i < sites->count; i++)
        if (strcmp(sites->names[i], name) == 0)
            return &sites->visits[i];
    assert_true(sites->count < MOST_SITES);
    sites->names[sites->count] = name;
    return &sites->visits[sites->count++];
}

static void polled(void *context, const char *site)
{
    struct watched *w = context;
    size_t visit = ++*visits_of(&w->sites, site);
    if (atomic_load(&w->stop) != END_NONE)
        w->afterwards++;
    else if (w->stop_at && strcmp(w->stop_at, site) == 0 && visit == w->nth)
        atomic_store(&w->stop, END_INTERRUPTED);
}

static struct advice observe(void *context, const struct engine_event *event)
{
    (void)context, (void)event;
    return (struct advice){.kind = ADVICE_GO_ON};
}

static enum verdict run(const struct model *source, const char *text, struct watched *w)
{
    struct messages messages;
    struct configuration configuration;
    messages_init(&messages);
    configuration_init(&configuration, "test");
    assert_true(configuration_parse(&configuration, text, &messages));
    const struct engine *engine = engine_find(configuration.engine);
    struct prepare_options options;
    engine->preparation(&configuration, &options);
    struct model *model = prepare_model(source, &options, NULL);
    struct term_store *store = term_store_create(model->store);
    struct progress progress = {0};
    struct engine_environment environment = {
        .model = model,
        .configuration = &configuration,
        .stop = &w->stop,
        // Longer and longer runs become hard for the solver.
        .step_limit = strcmp(engine->name, "bmc") && strcmp(engine->name, "kind") ? 400 : 12,
        .progress = &progress,
        .observe = observe,
        .observer = w,
        .polled = polled,
        .store = store,
    };
    struct engine_result result = engine->run(&environment);
    if (w->stop_at) {
        assert_int_equal(result.verdict == VERDICT_UNKNOWN, result.reason != END_SOLVED);
        // What was all but finished may still be, and what had ended by itself keeps its reason.
        if (result.verdict == VERDICT_UNKNOWN && result.reason != END_INTERRUPTED &&
            result.reason != w->end)
            fail_msg("%s, stopped in %s: ended as %s", text, w->stop_at,
                     end_reason_name(result.reason));
    }
    w->end = result.reason;
    enum verdict verdict = result.verdict;
    trace_destroy(result.trace);
    memory_free(result.invariant);
    term_store_destroy(store);
    model_destroy(model);
    configuration_finish(&configuration);
    messages_finish(&messages);
    return verdict;
}

// The first visit, the last one, and one between.
static void stop_there(const struct model *model, const char *text, const struct sites *sites,
                       size_t site, enum end_reason end, size_t *late, size_t *runs)
{
    size_t visits = sites->visits[site];
    const size_t nth[] = {1, (visits + 1) / 2, visits};
    for (size_t k = 0; k < 3; k++) {
        if (k > 0 && nth[k] == nth[k - 1])
            continue;
        struct watched w = {.stop_at = sites->names[site], .nth = nth[k], .end = end};
        enum verdict verdict = run(model, text, &w);
        ++*runs;
        if (atomic_load(&w.stop) == END_NONE)
            fail_msg("%s: %s was not reached again", text, sites->names[site]);
        if (w.afterwards > AFTERWARDS)
            fail_msg("%s, stopped in %s: %zu looks at the flag afterwards", text,
                     sites->names[site], w.afterwards);
        *late += verdict != VERDICT_UNKNOWN;
    }
}

static void a_stop_ends_the_engine_wherever_it_comes(void **state)
{
    (void)state;
    struct sites all = {0};
    size_t runs = 0, late = 0;
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (uint64_t seed = 1; seed <= MODELS; seed++) {
            struct model *model = oracle_random_model(seed);
            struct watched free_run = {0};
            run(model, settings[s], &free_run);
            for (size_t i = 0; i < free_run.sites.count; i++) {
                size_t *seen = visits_of(&all, free_run.sites.names[i]);
                // Where a site was tried often, other settings need not go there again.
                if (*seen < 12)
                    stop_there(model, settings[s], &free_run.sites, i, free_run.end, &late, &runs);
                ++*seen;
            }
            model_destroy(model);
        }
    print_message("# %zu stop sites, %zu runs stopped, %zu answered all the same\n", all.count,
                  runs, late);
    for (size_t i = 0; i < all.count; i++)
        print_message("#   %s\n", all.names[i]);
    assert_true(all.count > 15);
    assert_true(late < runs / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_ends_the_engine_wherever_it_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
