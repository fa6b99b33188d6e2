#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/message.h"
#include "engines/engine.h"
#include "monitors/monitor.h"
#include "tests/decide.h"

// What monitors make of the state equation's refinement: it is ended when it comes back to where it was, and only then.

// Chain 1 + 3: three tokens are to be fetched one after the other.
#define CHAIN                                                                                      \
    "pl p4 (3)\ntr t0 p1?1 p2?1 p3?1 -> p0\ntr a p1 -> p2\ntr b p2 -> p1\n"                        \
    "tr c p2 -> p3\ntr d p3 -> p2\ntr e p3 -> p4\ntr f p4 -> p3\n"
#define FETCHED "p0 = 1 and p4 = 3 and p1 = 0 and p2 = 0 and p3 = 0"

// N5 and N7 of docs/petri.md, which need distant invariants, and N7 better intermediate markings as well.
#define N5 "pl p1 (1)\ntr t0 p1?2 -> p0\ntr t1 p2 -> p1\ntr t2 p1 -> p2\ntr t3 -> p2\ntr t4 p2 ->\n"
#define N7                                                                                         \
    "pl p1 (1)\npl p4 (2)\ntr t0 p1?3 -> p0\ntr t1 p2 -> p1\ntr t2 p1 -> p2\n"                     \
    "tr t3 p3 -> p2\ntr t4 p2 -> p3\ntr t5 p4 -> p3\ntr t6 p3 -> p4\n"
#define N7_GOAL "EF p0 = 1 and p1 = 1 and p2 = 0 and p3 = 0 and p4 = 2"

static const struct {
    const char *net, *goal, *options;
    enum verdict verdict;
    enum end_reason reason;
} WATCHED[] = {
    // The second look, with distant invariants, begins with the solutions that the first one began with.
    {CHAIN, "EF " FETCHED, "eqsearch=BFS", VERDICT_UNSAFE, END_SOLVED},
    {CHAIN, "EF " FETCHED, "eqsearch=BFS,patience=1", VERDICT_UNSAFE, END_SOLVED},
    // Each alternative is a look of its own; numbers of solutions and remainders begin anew.
    {CHAIN "tr u never?1 -> z\n", "EF z = 1 or " FETCHED, "distant=OFF,patience=1", VERDICT_UNSAFE,
     END_SOLVED},
    // Solutions come back and nothing else waits.
    {N7, N7_GOAL, "better=OFF,eqsearch=BFS", VERDICT_UNKNOWN, END_STALLED},
    // Nothing comes back; there is nothing more to ask for.
    {N5, "EF p0 = 1 and p1 = 1 and p2 = 0", "distant=OFF", VERDICT_UNKNOWN, END_UNKNOWN},
};

static void check(size_t i)
{
    struct text net;
    struct engine_run run;
    struct messages messages;
    static struct progress progress;
    char options[200];
    snprintf(options, sizeof options, "engine=petri,netmethod=EQUATION,monitor=CHECK,%s",
             WATCHED[i].options);
    messages_init(&messages);
    text_init(&net);
    text_add(&net, WATCHED[i].net);
    struct model *model = decide_load(&language_net, &net, WATCHED[i].goal, &messages);
    assert_non_null(model);
    engine_run_prepare(&run, model, options, &progress);
    struct watch *watch = watch_create(&run.configuration);
    run.environment.observe = watch_judge;
    run.environment.observer = watch;
    run.environment.step_limit = 2000000;
    engine_run_start(&run);
    if (run.result.verdict != WATCHED[i].verdict || run.result.reason != WATCHED[i].reason)
        fail_msg("%s, %s: %s, %s (%s; %s)", WATCHED[i].goal, options,
                 verdict_name(run.result.verdict), end_reason_name(run.result.reason),
                 run.result.why ? run.result.why : "-", run.result.notes);
    watch_destroy(watch);
    engine_run_finish(&run);
    model_destroy(model);
    text_finish(&net);
    messages_finish(&messages);
}

static void test_watched(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof WATCHED / sizeof *WATCHED; i++)
        check(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
