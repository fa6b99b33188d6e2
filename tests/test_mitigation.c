#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "certify/certify.h"
#include "languages/registry/registry.h"
#include "monitors/monitor.h"
#include "tests/engine_run.h"
#include "tests/oracle.h"
#include "tests/part.h"

// The engine and the monitors together: what each mode makes of refinement that repeats itself.

static struct model *parse(const char *text)
{
    struct messages messages;
    messages_init(&messages);
    struct language_request request = {
        .model_path = "m.cfa", .model_text = text, .model_bytes = strlen(text)};
    struct model *model = language_cfa.read(&request, &messages);
    if (model == NULL)
        messages_print(&messages, stderr);
    assert_non_null(model);
    messages_finish(&messages);
    return model;
}

static struct engine_run run_engine(const struct model *source, const char *options,
                                    enum engine_fault fault, uint64_t steps)
{
    static struct progress progress;
    struct engine_run run;
    engine_run_prepare(&run, source, options, &progress);
    struct watch *watch = watch_create(&run.configuration);
    run.environment.observe = watch_judge;
    run.environment.observer = watch;
    run.environment.fault = fault;
    run.environment.step_limit = steps;
    engine_run_start(&run);
    watch_destroy(watch);
    return run;
}

static bool proved(const struct engine_run *run)
{
    struct text why;
    text_init(&why);
    bool good = run->result.invariant != NULL &&
                certify_invariant(run->prepared, run->store, run->result.invariant, "z3", NULL,
                                  &why) == CERTIFY_ACCEPTED;
    text_finish(&why);
    return good;
}

static bool replays(const struct engine_run *run)
{
    struct text why;
    text_init(&why);
    struct trace *mapped = prepare_map_trace(run->result.trace);
    bool good = mapped != NULL && certify_replay(mapped, &why);
    trace_destroy(mapped);
    text_finish(&why);
    return good;
}

// Values, no enumeration, every edge a step: the weakest there is.
#define WEAK "domain=EXPL,maxenum=1,encoding=SBE,propagate=false,cone=false,search=BFS,"

static void expect(const char *text, const char *options, enum verdict verdict,
                   enum end_reason reason)
{
    struct model *model = parse(text);
    struct engine_run run = run_engine(model, options, ENGINE_FAULT_NONE, 3000);
    if (run.result.verdict != verdict || run.result.reason != reason)
        fail_msg("%s: %s, %s", options, verdict_name(run.result.verdict),
                 end_reason_name(run.result.reason));
    if (verdict == VERDICT_SAFE)
        assert_true(proved(&run));
    if (verdict == VERDICT_UNSAFE)
        assert_true(replays(&run));
    engine_run_finish(&run);
    model_destroy(model);
}

#define HEAD                                                                                       \
    "main process p { var x : int var y : int init loc START loc P loc Q loc S error loc ERROR "   \
    "loc A loc B loc C loc D loc E START -> P { havoc x } P -> Q { assume x /= 0 } "               \
    "Q -> S { assume x = 0 } "

static const char *const STUCK = HEAD "S -> ERROR { assume true } }";

static void test_value_that_cannot_be_said_stalls(void **state)
{
    (void)state;
    static const char *const modes[] = {"monitor=CHECK", "monitor=CHECK_ARG", "monitor=MITIGATE",
                                        "monitor=MITIGATE_ARG"};
    for (size_t i = 0; i < 4; i++) {
        char options[300];
        for (int full = 0; full < 2; full++) {
            snprintf(options, sizeof options, WEAK "%s,prunestrategy=%s", modes[i],
                     full ? "FULL" : "LAZY");
            expect(STUCK, options, VERDICT_UNKNOWN, END_STALLED);
        }
    }
    expect(STUCK, WEAK "monitor=DISABLE", VERDICT_UNKNOWN, END_STEPS);
    expect(STUCK, "domain=PRED_CART", VERDICT_SAFE, END_SOLVED);
}

static void test_only_refuted_paths_are_a_proof(void **state)
{
    (void)state;
    expect(STUCK, WEAK "monitor=MITIGATE,mitigate_safe=true", VERDICT_SAFE, END_SOLVED);
    expect(STUCK, WEAK "monitor=MITIGATE_ARG,mitigate_safe=true,prunestrategy=FULL", VERDICT_SAFE,
           END_SOLVED);
}

// The source's example: behind the path that repeats itself waits one that adds y to the
// precision, and then one that is feasible.
static void test_second_branch_is_found_behind_a_known_path(void **state)
{
    (void)state;
    static const char *const text =
        HEAD "S -> ERROR { assume true } START -> A { y := 1 } A -> B { assume true } "
             "B -> C { assume true } C -> D { assume true } D -> ERROR { assume y = 2 } "
             "D -> E { assume true } E -> ERROR { assume y = 1 } }";
    expect(text, WEAK "monitor=CHECK,prunestrategy=FULL", VERDICT_UNKNOWN, END_STALLED);
    expect(text, WEAK "monitor=MITIGATE,prunestrategy=FULL", VERDICT_UNSAFE, END_SOLVED);
    expect(text, WEAK "monitor=MITIGATE_ARG,prunestrategy=FULL", VERDICT_UNSAFE, END_SOLVED);
    expect(text, WEAK "monitor=MITIGATE", VERDICT_UNSAFE, END_SOLVED);
}

// What the engine says of its future, checked against that future: behind the first refinement that is said to repeat itself
// nothing is new.
struct repeating {
    struct hash128 last, repeated; // counterexamples
    uint64_t repeats, first;
};

static struct advice look_for_news(void *context, const struct engine_event *event)
{
    struct repeating *r = context;
    if (event->kind == EVENT_COUNTEREXAMPLE)
        r->last = event->counterexample->hash;
    if (event->kind != EVENT_REFINED)
        return (struct advice){.kind = ADVICE_GO_ON};
    assert_true(!event->repeats || !event->precision_changed);
    if (r->repeats == 0 && !event->repeats)
        return (struct advice){.kind = ADVICE_GO_ON};
    if (r->repeats++ == 0) {
        r->first = event->iteration;
        r->repeated = r->last;
    }
    assert_true(event->repeats && hash128_equal(r->last, r->repeated));
    return (struct advice){.kind = ADVICE_GO_ON};
}

static const char *nothing_heard(void *context)
{
    (void)context;
    return "";
}

static struct repeating watch_for_news(const struct model *model, const char *options, bool hears)
{
    struct progress progress = {0};
    struct repeating r = {0};
    struct engine_run run;
    engine_run_prepare(&run, model, options, &progress);
    run.environment.observe = look_for_news;
    run.environment.observer = &r;
    run.environment.step_limit = 300;
    run.environment.hear = hears ? nothing_heard : NULL;
    engine_run_start(&run);
    assert_true(r.repeats == 0 || run.result.verdict == VERDICT_UNKNOWN);
    engine_run_finish(&run);
    return r;
}

static void test_a_precision_that_stays_proves_the_loop(void **state)
{
    (void)state;
    struct model *model = parse(STUCK);
    struct repeating r = watch_for_news(model, WEAK "prunestrategy=FULL", false);
    assert_int_equal(r.first, 2);
    assert_true(r.repeats > 10);
    // Not where something else than the precision decides.
    assert_int_equal(watch_for_news(model, WEAK "prunestrategy=FULL", true).repeats, 0);
    assert_int_equal(watch_for_news(model, WEAK "prunestrategy=LAZY", false).repeats, 0);
    assert_int_equal(watch_for_news(model, WEAK "prunestrategy=FULL,stop=ALL", false).repeats, 0);
    struct engine_run run =
        run_engine(model, WEAK "prunestrategy=FULL,monitor=CHECK", ENGINE_FAULT_NONE, 3000);
    assert_int_equal(run.result.reason, END_STALLED);
    assert_int_equal(strncmp(run.result.why, "exact loop: a refinement", 24), 0);
    assert_int_equal(atomic_load(&run.environment.progress->iterations), 2);
    engine_run_finish(&run);
    model_destroy(model);
}

static void test_what_is_said_to_repeat_itself_does(void **state)
{
    (void)state;
    static const char *const options[] = {
        WEAK "prunestrategy=FULL,refinement=BW_BIN_ITP",
        WEAK "prunestrategy=FULL,refinement=UNSAT_CORE",
        "domain=EXPL,maxenum=3,prunestrategy=FULL,search=ERR",
        "domain=PRED_CART,prunestrategy=FULL,refinement=FW_BIN_ITP,predsplit=WHOLE",
        "domain=EXPL_PRED_CART,autoexpl=STATIC,prunestrategy=FULL,refinement=NWT_IT_WP",
    };
    unsigned repeating = 0, count = part_models(10, 2);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct model *model = oracle_random_model(seed);
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            repeating += watch_for_news(model, options[i], false).repeats > 0;
        model_destroy(model);
    }
    print_message("# %u of %u runs repeat themselves\n", repeating, 5 * count);
    assert_true(repeating > 0 || count < 10);
}

struct counts {
    uint64_t events, checks;
    int64_t ns;
};

static struct advice count(void *context, const struct engine_event *event)
{
    struct counts *counts = context;
    assert_true(event->solver_checks >= counts->checks && event->solver_ns >= counts->ns);
    *counts = (struct counts){counts->events + 1, event->solver_checks, event->solver_ns};
    return (struct advice){.kind = ADVICE_GO_ON};
}

static void test_every_event_counts_what_solvers_did(void **state)
{
    (void)state;
    static const char *const options[] = {"engine=bmc,abstraction=PREDICATES", "engine=kind",
                                          "engine=ic3", "engine=cegar"};
    uint64_t checks = 0;
    for (size_t i = 0; i < 4; i++) {
        struct model *model = parse(STUCK);
        struct progress progress = {0};
        struct counts counts = {0};
        struct engine_run run;
        engine_run_prepare(&run, model, options[i], &progress);
        run.environment.observe = count;
        run.environment.observer = &counts;
        run.environment.step_limit = 300;
        engine_run_start(&run);
        assert_true(counts.events > 0);
        checks += counts.checks;
        engine_run_finish(&run);
        model_destroy(model);
    }
    assert_true(checks > 0);
}

// S on the infeasible path has the state x = 0, and so has S on the longer, feasible way: if the first
// covers the second, the error behind it is taken for the one that is known.
static const char *const HAZARD =
    HEAD "S -> ERROR { assume true } START -> A { x := 0 } A -> B { assume true } "
         "B -> C { assume true } C -> D { assume true } D -> S { assume true } }";

static void test_nodes_of_known_paths_do_not_cover(void **state)
{
    (void)state;
    expect(HAZARD, WEAK "monitor=MITIGATE,prunestrategy=FULL,mitigate_safe=true", VERDICT_UNSAFE,
           END_SOLVED);
    expect(HAZARD, WEAK "monitor=MITIGATE,prunestrategy=LAZY,mitigate_safe=true", VERDICT_UNSAFE,
           END_SOLVED);
}

static void test_without_that_precaution_the_answer_is_wrong(void **state)
{
    (void)state;
    struct model *model = parse(HAZARD);
    assert_int_equal(oracle_decide(model, 10000), VERDICT_UNSAFE);
    struct engine_run run =
        run_engine(model, WEAK "monitor=MITIGATE,prunestrategy=FULL,mitigate_safe=true",
                   ENGINE_FAULT_KNOWN_PATHS_COVER, 3000);
    assert_int_equal(run.result.verdict, VERDICT_SAFE);
    assert_false(proved(&run)); // who checks the certificate would have noticed
    engine_run_finish(&run);
    model_destroy(model);
}

static const char *const random_settings[] = {
    WEAK "monitor=MITIGATE,prunestrategy=FULL,mitigate_safe=true",
    WEAK "monitor=MITIGATE,prunestrategy=LAZY,mitigate_safe=true",
    WEAK "monitor=MITIGATE_ARG,prunestrategy=LAZY,mitigate_safe=true,stop=N,stopcount=3",
    "domain=EXPL,maxenum=3,search=DFS,monitor=MITIGATE,mitigate_safe=true",
    ("domain=EXPL,maxenum=1,search=ERR,prunestrategy=FULL,monitor=MITIGATE_ARG,"
     "mitigate_safe=true,refinement=UNSAT_CORE"),
    "domain=PRED_CART,predsplit=ATOMS,monitor=MITIGATE,mitigate_safe=true,refinement=BW_BIN_ITP",
    "domain=PRED_CART,predsplit=ATOMS,monitor=MITIGATE,refinement=MULTI_SEQ,stop=ALL",
    "domain=PRED_SPLIT,monitor=CHECK_ARG",
};

static void agrees_with_the_oracle(void **state)
{
    const char *text = *state;
    unsigned solved = 0, stalled = 0;
    unsigned count = part_models(60, 6);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct model *model = oracle_random_model(seed);
        enum verdict expected = oracle_decide(model, 100000);
        struct engine_run run = run_engine(model, text, ENGINE_FAULT_NONE, 1000);
        enum verdict verdict = run.result.verdict;
        if (expected != VERDICT_UNKNOWN && verdict != VERDICT_UNKNOWN && verdict != expected)
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, text, verdict_name(verdict));
        if (verdict == VERDICT_UNSAFE && !replays(&run))
            fail_msg("seed %llu, %s: the trace does not replay", (unsigned long long)seed, text);
        if (verdict == VERDICT_SAFE && !proved(&run))
            fail_msg("seed %llu, %s: no proof", (unsigned long long)seed, text);
        solved += verdict != VERDICT_UNKNOWN;
        stalled += run.result.reason == END_STALLED;
        engine_run_finish(&run);
        model_destroy(model);
    }
    print_message("# %s: %u solved, %u stalled\n", text, solved, stalled);
    assert_true(solved > 0);
}

int main(int argument_count, char **arguments)
{
    struct CMUnitTest tests[8 + sizeof random_settings / sizeof *random_settings] = {
        cmocka_unit_test(test_value_that_cannot_be_said_stalls),
        cmocka_unit_test(test_only_refuted_paths_are_a_proof),
        cmocka_unit_test(test_second_branch_is_found_behind_a_known_path),
        cmocka_unit_test(test_a_precision_that_stays_proves_the_loop),
        cmocka_unit_test(test_what_is_said_to_repeat_itself_does),
        cmocka_unit_test(test_every_event_counts_what_solvers_did),
        cmocka_unit_test(test_nodes_of_known_paths_do_not_cover),
        cmocka_unit_test(test_without_that_precaution_the_answer_is_wrong),
    };
    for (size_t i = 0; i < sizeof random_settings / sizeof *random_settings; i++)
        tests[8 + i] = (struct CMUnitTest){
            .name = random_settings[i],
            .test_func = agrees_with_the_oracle,
            .initial_state = (void *)random_settings[i],
        };
    return part_run(argument_count, arguments, tests);
}
