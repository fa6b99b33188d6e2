#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/charts/gamma.h"
#include "languages/charts/interpret.h"
#include "languages/charts/property.h"
#include "languages/charts/told.h"
#include "tests/decide.h"

// Gamma's charts: known answers and recorded runs of the shared folder, in which nothing is written here.

#define MODELS SOURCE_DIR "/../shared/tasks/gamma/models/"

static bool shared_is_there(void)
{
    struct stat status;
    bool there = stat(MODELS, &status) == 0;
    if (!there)
        print_message("skipped: " MODELS " is not there\n");
    return there;
}

// ---- known answers -----------------------------------------------------------------------------

struct fact {
    const char *model, *question;
    bool reachable;
};

// facts.csv of the folder, in our words.
static const struct fact FACTS[] = {
    {"INPE/System/Mission.gcd", "reach In(slp.SLP_Read_Experiment)", true},
    {"INPE/System/Mission.gcd", "reach Fires(slp.SLP_Acquisition_Experiment to SLP_Receive)", true},
    {"INPE/System/Mission.gcd", "reach Fires(slp.SLP_Read_Experiment to SLP_Send)", true},
    {"INPE/System/Mission.gcd", "reach Fires(slp.SLP_Receive to SLP_Send 1)", true},
    {"INPE/System/Mission.gcd", "reach Fires(slp.SLP_Receive to SLP_Send 2)", false},
    {"INPE/System/Mission.gcd", "reach Fires(slp.SLP_Receive to SLP_Send 3)", false},
    {"INPE/System/Mission.gcd", "reach Fires(slp.SLP_Send to SLP_Receive)", false},
    {"INPE/System/Mission.gcd", "reach Fires(obc.OBC_IDLE to OBC_SEND 1)", true},
    {"INPE/System/Mission.gcd", "reach Fires(obc.OBC_Receive to OBC_IDLE 1)", true},
    {"INPE/System/Mission.gcd", "reach Fires(obc.OBC_Receive to OBC_IDLE 2)", false},
    {"INPE/System/Mission.gcd", "reach Fires(obc.OBC_SEND to OBC_Receive)", true},
    {"INPE/System/Mission.gcd", "reach Fires(obc.OBC_Write to OBC_Receive)", false},
    {"Crossroads/System/Cascade/Crossroad.gcd",
     "E F [{ state prior.normal.Green and state second.normal.Green }]", true},
    {"COID/System/ANTIVAL_CHK_COID/ANTIVAL_CHK_COID_System.gcd", "reach coid.Oldas_Exit", true},
    {"ParallelRegion/ParallelMachine/ParallelMachine.gcd", "reach x = 1 and y = 1", true},
    {"ParallelRegion/ParallelMachine/ParallelMachine.gcd", "reach x = 1 and y = 2", false},
    {"ParallelRegion/ParallelMachine/ParallelMachine.gcd", "reach x = 2 and y = 1", false},
    {"ParallelRegion/ParallelMachine/ParallelMachine.gcd", "reach x = 2 and y = 2", false},
};

static void known_answers(void **state)
{
    (void)state;
    if (!shared_is_there())
        return;
    for (size_t i = 0; i < sizeof FACTS / sizeof FACTS[0]; i++) {
        struct messages messages;
        struct text path;
        messages_init(&messages);
        text_init(&path);
        text_printf(&path, MODELS "%s", FACTS[i].model);
        struct model *model = language_load(text_string(&path), FACTS[i].question,
                                            PROPERTY_AT_STABLE, NULL, &messages);
        messages_print(&messages, stderr);
        assert_non_null(model);
        enum verdict verdict = decide_run(model, "kind", i);
        if (verdict != (FACTS[i].reachable ? VERDICT_UNSAFE : VERDICT_SAFE))
            fail_msg("%s: %s: %s", FACTS[i].model, FACTS[i].question, verdict_name(verdict));
        model_destroy(model);
        text_finish(&path);
        messages_finish(&messages);
    }
}

// ---- arrays, records, loops --------------------------------------------------------------------

static const char PARTS[] =
    "package p "
    "type Inner : record { cnt : integer } "
    "type Outer : record { cnt : integer, inner : Inner, a : [3]integer } "
    "type Num : integer const N : integer := 3 "
    "lambda twice(k : integer) : integer := k + k "
    "interface I { out event go(n : integer) } "
    "@TransitionPriority = value-based "
    "statechart R [ port p : requires I ] { "
    "  var o : Outer "
    "  var q : Outer := #Outer { cnt := 1, inner := #Inner { cnt := 2 }, a := #[1, 2, 3] } "
    "  var n : Num := 0 var m : integer "
    "  region g { initial i state A state B state C } "
    "  transition from i to A "
    "  transition (1) from A to A when p.go [o.cnt < 2] / o.cnt := o.cnt + 1; "
    "    o.inner.cnt := o.inner.cnt + 2; n := p.go::n; "
    "    for (k : integer in <+ 0 .. N ->) { o.a[k] := q.a[k] + twice(k); } "
    "  transition (5) from A to B when p.go [o.cnt = 1 and n >= 0 and n < 3] / "
    "    switch (o.a[n]) { case 1 : m := 10; case 4 : { m := 40; } default : m := 70; } "
    "    if (m = 70) m := m + 1; elseif (m = 40) { m := 41; } else m := 11; "
    "  transition (1) from B to C when p.go "
    "[p.go::n >= 0 and p.go::n < 3 and o.a[p.go::n] = 4] }";

struct asked {
    const char *question;
    enum verdict verdict;
};

// Two engines may be asked: the second one when the first does not know what is safe.
static void ask_engines(const char *text, const struct asked *asked, size_t count,
                        const char *first, const char *second)
{
    for (size_t i = 0; i < count; i++) {
        struct messages messages;
        messages_init(&messages);
        struct chart *chart = gamma_read("text.gcd", text, strlen(text), NULL, &messages);
        const struct chart_expression *property =
            chart == NULL ? NULL
                          : chart_property_read(chart, NULL, asked[i].question,
                                                strlen(asked[i].question), &messages);
        messages_print(&messages, stderr);
        assert_non_null(property);
        struct chart_view *view = chart_view_create(chart, property);
        struct model *model = chart_translate(chart, property, &view->map, &view->head);
        enum verdict verdict = decide_run(model, first, i);
        if (verdict == VERDICT_UNKNOWN && asked[i].verdict == VERDICT_SAFE)
            verdict = decide_run(model, second, i);
        if (verdict != asked[i].verdict)
            fail_msg("%s: %s", asked[i].question, verdict_name(verdict));
        model_destroy(model);
        messages_finish(&messages);
    }
}

static void ask_all(const char *text, const struct asked *asked, size_t count)
{
    ask_engines(text, asked, count, "bmc", "kind");
}

static void parts_of_variables(void **state)
{
    (void)state;
    static const struct asked ASKED[] = {{"reach o.inner.cnt = 4", VERDICT_UNSAFE},
                                         {"reach o.a[2] = 7", VERDICT_UNSAFE},
                                         {"reach o.a[1] = 2", VERDICT_SAFE},
                                         {"reach m = 11", VERDICT_UNSAFE},
                                         {"reach m = 41", VERDICT_UNSAFE},
                                         {"reach m = 71", VERDICT_UNSAFE},
                                         {"reach m = 10", VERDICT_SAFE},
                                         {"always q.a[2] = 3", VERDICT_SAFE},
                                         {"reach In(C)", VERDICT_UNSAFE},
                                         // Some index lies outside: no proof.
                                         {"never In(C) and m = 12", VERDICT_UNKNOWN}};
    ask_all(PARTS, ASKED, sizeof ASKED / sizeof ASKED[0]);
}

// ---- procedures, triggers ----------------------------------------------------------------------

// Arguments are what they were at the call; a procedure does not see its caller's variables.
static const char CALLS[] =
    "package p interface I { out event x out event y out event z } "
    "@TransitionPriority = order-based "
    "statechart S [ port p : requires I ] { "
    "  var n : integer var m : integer var k : integer "
    "  var x : boolean var y : boolean var z : boolean "
    "  region g { initial i state A state B state C state D state E } "
    "  transition from i to A "
    "  transition from A to B when p.x / count(n + 1); "
    "  transition from B to C when p.x / { var n : integer := 5; put(); k := larger(n, 4); } "
    "  transition from C to D when p.x && p.y == p.z / x := p.x::; y := p.y::; z := p.z::; "
    "  transition from D to E when p.x ^ p.y || p.z -> p.x / x := p.x::; y := p.y::; z := p.z::; "
    "  procedure count(k : integer) : void { n := n + 10; m := k; } "
    "  procedure put() : void { n := 7; } "
    "  procedure larger(a : integer, b : integer) : integer { "
    "    if (a > b) { var c : integer := a; return c; } elseif (a = b) return b; return b; } }";

static void procedures_and_triggers(void **state)
{
    (void)state;
    static const struct asked ASKED[] = {{"reach In(B) and m = 1 and k = 0", VERDICT_UNSAFE},
                                         {"reach m = 11", VERDICT_SAFE},
                                         {"reach n = 7 and k = 5 and In(C)", VERDICT_UNSAFE},
                                         {"reach k = 7", VERDICT_SAFE},
                                         {"reach In(D) and not x and not z", VERDICT_UNSAFE},
                                         {"reach In(D) and not x and z", VERDICT_SAFE},
                                         {"reach In(E) and x and y", VERDICT_UNSAFE},
                                         {"reach In(E) and not x and y", VERDICT_SAFE},
                                         {"reach In(E) and not x and not y", VERDICT_UNSAFE},
                                         {"reach In(E) and not x and z", VERDICT_SAFE}};
    ask_engines(CALLS, ASKED, sizeof ASKED / sizeof ASKED[0], "cegar", "cegar");
}

// ---- timeouts, formulas ------------------------------------------------------------------------

static const char WAITS[] =
    "package p interface I { out event go } "
    "@TransitionPriority = order-based "
    "statechart S [ port p : requires I ] { "
    "  timeout t var late : boolean @Unremovable var n : integer "
    "  region g { initial i state A { entry / set t := 5 ms; } state B state C } "
    "  transition from i to A "
    "  transition from A to B when p.go && timeout t / { const was : boolean := true; late := was; "
    "    deactivate t; no operation; n := 1; } "
    "  transition from A to B when p.go / deactivate t; n := 1; "
    "  transition from B to C when timeout t }";

static void timeouts_and_formulas(void **state)
{
    (void)state;
    static const struct asked ASKED[] = {
        {"E F [ ({ state g.B } && !({ variable late })) ^ { n = 2 } ]", VERDICT_UNSAFE},
        {"@(\"both\") E F [{ state g.B } && { variable late }]", VERDICT_UNSAFE},
        {"A G [ { state g.B } -> { var n = 1 } ]", VERDICT_SAFE},
        {"A G [ { state g.B } || { not late } -> { n = 0 } ]", VERDICT_UNSAFE},
        {"A G ({ not state g.C })", VERDICT_SAFE}};
    ask_engines(WAITS, ASKED, sizeof ASKED / sizeof ASKED[0], "cegar", "cegar");
}

// ---- invariants, initial execution -------------------------------------------------------------

static const char BOUNDED[] =
    "package p interface I { out event go(n : integer) } "
    "statechart S [ port p : requires I ] { "
    "  var x : integer var y : integer := 7 "
    "  invariant (x > 0) and (x < 10) "
    "  transition from i to A / x := 1; "
    "  transition from A to A when p.go / x := x + p.go::n "
    "  transition from A to B when any [x > 8 and p.go:: and in-state(g.A)] / y := x; "
    "  transition from B to A when any "
    "  region g { initial i state A state B { invariant y > 8 invariant "
    "x = y entry / x := x; } } }";

static void invariants(void **state)
{
    (void)state;
    static const struct asked ASKED[] = {{"reach x = 9", VERDICT_UNSAFE},
                                         {"reach x = 10", VERDICT_SAFE},
                                         {"reach x < 1", VERDICT_SAFE},
                                         {"reach In(B)", VERDICT_UNSAFE},
                                         {"reach In(B) and y < 9", VERDICT_SAFE},
                                         {"reach In(A) and x /= y and y > 8", VERDICT_UNSAFE},
                                         {"reach In(A) and y = 7 and x = 3", VERDICT_UNSAFE}};
    ask_all(BOUNDED, ASKED, sizeof ASKED / sizeof ASKED[0]);
}

// The watcher sees what the light raises when it is entered, before the first step.
static const char WATCHED[] =
    "package p interface L { out event red out event green } interface T { out event tick } "
    "statechart Light [ port l : provides L port t : requires T ] { "
    "  transition from i to Red transition from Red to Green when t.tick "
    "  region g { initial i state Red { entry / raise l.red; } "
    "             state Green { entry / raise l.green; } } } "
    "statechart Watcher [ port l : requires L ] { var runs : integer "
    "  transition from i to Idle transition from Idle to Seen when l.red "
    "  transition from Seen to Again when l.red transition from Seen to Seen when any "
    "  region g { initial i state Idle state Seen { entry / runs := runs + 1; } state Again } } "
    "cascade System [ port t : requires T ] { component w : Watcher component x : Light "
    "  bind t -> x.t channel [ x.l ] -o)- [ w.l ] %s }";

static void initial_execution(void **state)
{
    (void)state;
    static const struct asked WITH[] = {{"reach In(w.Idle)", VERDICT_SAFE},
                                        {"reach In(w.Seen) and In(x.Red)", VERDICT_UNSAFE},
                                        {"reach w.runs = 0", VERDICT_SAFE},
                                        {"reach In(w.Again)", VERDICT_SAFE},
                                        {"reach In(x.Green)", VERDICT_UNSAFE}};
    static const struct asked WITHOUT[] = {{"reach In(w.Idle)", VERDICT_UNSAFE},
                                           {"reach In(w.Seen)", VERDICT_UNSAFE},
                                           {"reach In(w.Again)", VERDICT_SAFE}};
    struct text text;
    text_init(&text);
    text_printf(&text, WATCHED, "initial execute w");
    ask_all(text_string(&text), WITH, sizeof WITH / sizeof WITH[0]);
    text_clear(&text);
    text_printf(&text, WATCHED, "");
    ask_all(text_string(&text), WITHOUT, sizeof WITHOUT / sizeof WITHOUT[0]);
    text_finish(&text);
}

// ---- recorded runs -----------------------------------------------------------------------------

static struct chart *load(const char *name)
{
    struct text path;
    struct messages messages;
    size_t bytes;
    text_init(&path);
    messages_init(&messages);
    text_printf(&path, MODELS "%s", name);
    char *text = text_read_file(text_string(&path), &bytes);
    assert_non_null(text);
    struct chart *chart = gamma_read(text_string(&path), text, bytes, NULL, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    memory_free(text);
    text_finish(&path);
    messages_finish(&messages);
    return chart;
}

// What a step is given: lines `raise port.event(value)` and `elapse time`.
struct given {
    const char *event; // NULL: none
    size_t length;
    int64_t value, elapsed;
};

static int64_t give(void *context, const struct chart_variable *variable)
{
    const struct given *given = context;
    const char *name = variable->text;
    size_t length = strlen(name);
    if (strcmp(name, "elapsed") == 0)
        return given->elapsed;
    if (variable->role == CHART_PARAMETER)
        return given->value;
    // "machine.port.event", given "port.event"
    return given->event != NULL && length > given->length &&
           strncmp(name + length - given->length, given->event, given->length) == 0;
}

static void read_act(const char *line, struct given *given)
{
    const char *raise = strstr(line, "raise "), *elapse = strstr(line, "elapse ");
    if (elapse != NULL)
        given->elapsed = strtoll(elapse + strlen("elapse "), NULL, 10);
    if (raise == NULL)
        return;
    given->event = raise + strlen("raise ");
    given->length = strcspn(given->event, "(\n\r ");
    const char *value = given->event + given->length + 1;
    if (given->event[given->length] == '(')
        given->value = strncmp(value, "true", 4) == 0 ? 1 : strtoll(value, NULL, 10);
}

// variable a.b = VALUE;
static void check_assertion(struct chart *chart, const int64_t *cells, const char *line)
{
    struct messages messages;
    messages_init(&messages);
    size_t length = strcspn(line, ";\n");
    char *text = memory_zalloc(length + 1);
    memcpy(text, line, length);
    const struct chart_expression *expression =
        chart_property_read(chart, NULL, text, length, &messages);
    messages_print(&messages, stderr);
    assert_non_null(expression);
    bool fine;
    if (!interpreter_value(chart, cells, expression, &fine) || !fine)
        fail_msg("%s: %s does not hold", chart->name, text);
    memory_free(text);
    messages_finish(&messages);
}

static int run_recorded(const char *model, const char *run)
{
    struct chart *chart = load(model);
    struct text path;
    text_init(&path);
    text_printf(&path, MODELS "%s", run);
    char *text = text_read_file(text_string(&path), NULL);
    assert_non_null(text);
    struct interpreter *it = interpreter_create(chart);
    struct interpreter_choices choices = {0};
    struct given given = {0};
    struct interpreter_observer observer = {.context = &given, .havoc = give};
    int64_t *cells = memory_zalloc(interpreter_cell_count(chart) * sizeof *cells);
    int asserted = 0;
    for (char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strcspn(line, "\n");
        char *copy = memory_zalloc(length + 1);
        memcpy(copy, line, length);
        read_act(copy, &given);
        char *kept = given.event == NULL ? NULL : memory_strdup(given.event);
        if (strstr(copy, "reset") != NULL)
            assert_int_equal(interpreter_start(it, &choices, &observer, cells), INTERPRETER_DONE);
        if (strstr(copy, "raise") != NULL) { // the line goes, the event stays
            given.event = strstr(line, "raise ") + strlen("raise ");
        }
        if (strstr(copy, "schedule") != NULL) {
            assert_int_equal(interpreter_step(it, cells, NULL, &choices, &observer, cells),
                             INTERPRETER_DONE);
            given = (struct given){0};
        }
        const char *variable = strstr(copy, "variable ");
        if (variable != NULL) {
            check_assertion(chart, cells, variable);
            asserted++;
        }
        memory_free(kept);
        memory_free(copy);
        if (*line == '\0')
            break;
    }
    memory_free(cells);
    interpreter_choices_finish(&choices);
    interpreter_destroy(it);
    memory_free(text);
    text_finish(&path);
    chart_destroy(chart);
    return asserted;
}

static void recorded_runs(void **state)
{
    (void)state;
    if (!shared_is_there())
        return;
    static const char *const NAMES[] = {
        "MachineVarMachine", "RegionMachine",          "TimedMachine",     "GuardMachine",
        "StateMachine",      "ComplexFunctionMachine", "InnerStateMachine"};
    int asserted = run_recorded("Crossroads/TrafficLight/TrafficLightCtrl.gcd",
                                "Crossroads/TrafficLight/Test.get");
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        struct text model, run;
        text_init(&model);
        text_init(&run);
        text_printf(&model, "Manual/model/%s/%sWrapper.gcd", NAMES[i], NAMES[i]);
        text_printf(&run, "Manual/test/%s/%sTest.get", NAMES[i], NAMES[i]);
        asserted += run_recorded(text_string(&model), text_string(&run));
        text_finish(&model);
        text_finish(&run);
    }
    print_message("%d assertions\n", asserted);
    assert_true(asserted > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(parts_of_variables),
        cmocka_unit_test(procedures_and_triggers),
        cmocka_unit_test(timeouts_and_formulas),
        cmocka_unit_test(invariants),
        cmocka_unit_test(initial_execution),
        cmocka_unit_test(recorded_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
