#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "logic/terms/eval.h"
#include "languages/charts/build.h"
#include "languages/charts/gamma.h"
#include "languages/charts/interpret.h"
#include "languages/charts/property.h"
#include "languages/charts/scxml.h"
#include "languages/charts/translate.h"
#include "tests/oracle.h"
#include "tests/random_chart.h"

// Charts: the interpreter against the scenarios of the shared folder, and the translation against the interpreter.

#define SHARED SOURCE_DIR "/../shared/tasks/"
#define STATE_LIMIT 20000

// ---- translation against interpreter -----------------------------------------------------------

struct lookup {
    const struct chart_map *map;
    const int64_t *cells;
};

static struct value cell_value(const struct sort *sort, int64_t cell)
{
    return sort->kind == SORT_BOOL ? value_bool(cell != 0) : value_small(cell);
}

static bool bit_of(const struct lookup *l, uint32_t number)
{
    bool *bits = memory_zalloc(l->map->bit_count + 1);
    chart_bits_of(l->map->chart, l->map->codes, l->cells, bits);
    bool bit = bits[number];
    memory_free(bits);
    return bit;
}

// The model's variable in a configuration; what belongs to no cell is at rest: no event, an empty queue.
static struct value look_up(void *context, const struct term *variable)
{
    const struct lookup *l = context;
    const struct chart *chart = l->map->chart;
    for (uint32_t i = 0; i < chart->region_count; i++) {
        const struct chart_region *region = chart->regions[i];
        if (l->map->region[i] != NULL && l->map->region[i]->term == variable)
            return value_small(l->cells[interpreter_region_cell(region)] + 1);
        if (l->map->history[i] != NULL && l->map->history[i]->term == variable)
            return value_small(l->cells[interpreter_history_cell(chart, region)] + 1);
    }
    for (uint32_t b = 0; b < l->map->bit_count; b++) {
        if (l->map->bits[b]->term == variable)
            return value_bool(bit_of(l, b));
    }
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        if (l->map->variable[i]->term == variable)
            return cell_value(variable->sort,
                              l->cells[interpreter_variable_cell(chart, chart->variables[i])]);
    }
    return variable->sort->kind == SORT_BOOL ? value_bool(false) : value_small(0);
}

static bool is_local(const struct model *model, const struct term *term)
{
    if (term->kind == TERM_VAR)
        return (model_variable_of(model, term)->flags & VARIABLE_LOCAL) != 0;
    for (uint32_t i = 0; i < term->child_count; i++) {
        if (is_local(model, term->child[i]))
            return true;
    }
    return false;
}

// The oracle's set of states, a disjunction of conjunctions, without what it says about local variables.
static bool holds(const struct model *model, const struct term *set, struct evaluator *evaluator,
                  struct lookup *lookup)
{
    if (set->kind != TERM_OR && set->kind != TERM_AND)
        return is_local(model, set) ||
               value_is_true(evaluator_run(evaluator, set, look_up, lookup));
    for (uint32_t i = 0; i < set->child_count; i++) {
        if (holds(model, set->child[i], evaluator, lookup) == (set->kind == TERM_OR))
            return set->kind == TERM_OR;
    }
    return set->kind == TERM_AND;
}

static const struct chart_expression *cell_is(struct chart *chart,
                                              const struct chart_region *region, int64_t place)
{
    struct chart_expression *in =
        chart_make(chart, CHART_ACTIVE, &CHART_TYPE_BOOL, (struct position){"", 0, 0});
    const struct chart_expression *any = NULL;
    for (uint32_t i = 0; i < region->active_count; i++) {
        in = chart_make(chart, CHART_ACTIVE, &CHART_TYPE_BOOL, (struct position){"", 0, 0});
        in->state = region->states[i];
        if ((int64_t)i == place)
            return in;
        any = chart_either(chart, any, in);
    }
    return chart_unary(chart, CHART_NOT, any);
}

// "One of these configurations", but for histories, which no property can speak of.
static const struct chart_expression *one_of(struct chart *chart,
                                             const struct chart_configurations *all)
{
    const struct chart_expression *any = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const int64_t *cells = all->data + i * all->cells;
        const struct chart_expression *each = NULL;
        for (uint32_t r = 0; r < chart->region_count; r++)
            each = chart_both(chart, each, cell_is(chart, chart->regions[r], cells[r]));
        for (uint32_t v = 0; v < chart->variable_count; v++) {
            const struct chart_variable *variable = chart->variables[v];
            if (variable->set != NULL)
                continue; // a property must not read what has no value
            each = chart_both(
                chart, each,
                chart_binary(chart, CHART_EQUAL, chart_read(chart, variable),
                             chart_literal(chart, variable->type,
                                           cells[interpreter_variable_cell(chart, variable)])));
        }
        any = chart_either(chart, any, each);
    }
    return any;
}

// Every configuration of the interpreter is a stable state of the model.
static void check_all_reached(const struct chart *chart, const struct chart_configurations *all,
                              const char *what)
{
    struct chart_map map;
    struct model *model = chart_translate(chart, NULL, &map, NULL);
    struct term_store *store = term_store_create(model->store);
    struct oracle_answer answer = oracle_run(model, STATE_LIMIT, store);
    if (answer.verdict == VERDICT_SAFE) {
        const struct term *stable = answer.invariant[map.stable->index];
        struct evaluator *evaluator = evaluator_create(store);
        for (size_t i = 0; i < all->count; i++) {
            struct lookup lookup = {&map, all->data + i * all->cells};
            if (!holds(model, stable, evaluator, &lookup))
                fail_msg("%s: the model does not reach configuration %zu of %zu", what, i,
                         all->count);
        }
        evaluator_destroy(evaluator);
    } else if (!(all->overflow && answer.verdict == VERDICT_UNSAFE)) {
        assert_int_equal(answer.verdict, VERDICT_UNKNOWN);
    }
    oracle_answer_finish(&answer);
    term_store_destroy(store);
    model_destroy(model);
    chart_map_finish(&map);
}

// No other state of the model is stable.
static void check_no_more(struct chart *chart, const struct chart_configurations *all,
                          const char *what)
{
    struct chart_map map;
    struct model *model = chart_translate(chart, one_of(chart, all), &map, NULL);
    enum verdict verdict = oracle_decide(model, STATE_LIMIT);
    if (verdict != VERDICT_UNKNOWN && verdict != (all->overflow ? VERDICT_UNSAFE : VERDICT_SAFE))
        fail_msg("%s: the model reaches a configuration that the interpreter does not", what);
    model_destroy(model);
    chart_map_finish(&map);
}

static bool compare(struct chart *chart, const char *what)
{
    struct chart_configurations all = chart_explore(chart, 2000);
    bool compared = all.complete;
    if (compared) {
        check_all_reached(chart, &all, what);
        check_no_more(chart, &all, what);
        chart->bits = chart_bits_suffice(chart);
        if (chart->bits) {
            check_all_reached(chart, &all, what);
            check_no_more(chart, &all, what);
        }
        chart->bits = false;
    }
    chart_configurations_finish(&all);
    return compared;
}

static void compare_random(enum chart_semantics semantics, bool document, const char *name)
{
    // scripts/test-charts sets more.
    const char *wanted = getenv("REGATTA_CHARTS"), *first = getenv("REGATTA_CHARTS_FIRST");
    uint64_t count = wanted == NULL ? 200 : strtoull(wanted, NULL, 10),
             begin = first == NULL ? 1 : strtoull(first, NULL, 10), compared = 0;
    for (uint64_t seed = begin; seed < begin + count; seed++) {
        char what[64];
        snprintf(what, sizeof what, "%s chart %llu", name, (unsigned long long)seed);
        struct chart *chart = document ? random_document(seed) : random_chart(semantics, seed);
        compared += compare(chart, what);
        chart_destroy(chart);
    }
    print_message("%llu of %llu %s charts compared\n", (unsigned long long)compared,
                  (unsigned long long)count, name);
    assert_true(2 * compared > count);
}

static void random_interleaving(void **state)
{
    (void)state;
    compare_random(CHART_INTERLEAVING, false, "interleaving");
}

static void random_scxml(void **state)
{
    (void)state;
    compare_random(CHART_SCXML, false, "scxml");
}

static void random_documents(void **state)
{
    (void)state;
    compare_random(CHART_SCXML, true, "rich scxml");
}

static void random_gamma(void **state)
{
    (void)state;
    compare_random(CHART_GAMMA, false, "gamma");
}

// ---- the scenarios of the shared folder --------------------------------------------------------

static char *read_shared(const char *folder, const char *name, const char *extension, size_t *bytes)
{
    struct text path;
    text_init(&path);
    text_printf(&path, SHARED "%s/%s%s", folder, name, extension);
    char *text = text_read_file(text_string(&path), bytes);
    text_finish(&path);
    return text;
}

static uint32_t atomic_active(const struct chart *chart, const int64_t *cells)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        count += chart_can_be_active(state) && state->region_count == 0 &&
                 interpreter_is_active(chart, cells, state);
    }
    return count;
}

static void check_configuration(const struct chart *chart, const int64_t *cells,
                                const cJSON *expected, const char *what)
{
    const cJSON *name;
    bool several;
    cJSON_ArrayForEach(name, expected)
    {
        const struct chart_state *state = chart_find_state(chart, name->valuestring, &several);
        assert_non_null(state);
        if (!interpreter_is_active(chart, cells, state))
            fail_msg("%s: %s is not active", what, name->valuestring);
    }
    assert_int_equal(atomic_active(chart, cells), cJSON_GetArraySize(expected));
}

static void run_scenario(const struct chart *chart, const cJSON *scenario, const char *what)
{
    struct interpreter *it = interpreter_create(chart);
    struct interpreter_choices choices = {0};
    int64_t *cells = memory_zalloc((interpreter_cell_count(chart) + 1) * sizeof *cells);
    assert_int_equal(interpreter_start(it, &choices, NULL, cells), INTERPRETER_DONE);
    check_configuration(chart, cells, cJSON_GetObjectItem(scenario, "initialConfiguration"), what);
    const cJSON *step;
    cJSON_ArrayForEach(step, cJSON_GetObjectItem(scenario, "events"))
    {
        const char *name =
            cJSON_GetObjectItem(cJSON_GetObjectItem(step, "event"), "name")->valuestring;
        const struct chart_event *event = chart_find_event(chart, name);
        assert_non_null(event);
        assert_int_equal(interpreter_step(it, cells, event, &choices, NULL, cells),
                         INTERPRETER_DONE);
        check_configuration(chart, cells, cJSON_GetObjectItem(step, "nextConfiguration"), what);
    }
    memory_free(cells);
    interpreter_choices_finish(&choices);
    interpreter_destroy(it);
}

static void add_event_names(struct text *out, const cJSON *scenario)
{
    const cJSON *step;
    cJSON_ArrayForEach(step, cJSON_GetObjectItem(scenario, "events"))
    {
        text_printf(out, "%s ",
                    cJSON_GetObjectItem(cJSON_GetObjectItem(step, "event"), "name")->valuestring);
    }
}

// Runs the scenario in the interpreter, and compares all that is reachable with the translation.
static void check_shared(const char *name)
{
    size_t bytes;
    char *json = read_shared("scxml", name, ".json", NULL),
         *text = read_shared("scxml", name, ".scxml", &bytes);
    assert_true(json != NULL && text != NULL);
    cJSON *whole = cJSON_Parse(json);
    // The one file whose main block does not follow the recommendation (README there).
    const cJSON *scenario = strcmp(name, "more-parallel/test10b") == 0
                                ? cJSON_GetObjectItem(whole, "legacySemantics")
                                : whole;
    struct text events;
    text_init(&events);
    add_event_names(&events, scenario);
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = scxml_read(name, text, bytes, text_string(&events), 0, &messages);
    if (chart == NULL)
        messages_print(&messages, stderr);
    assert_non_null(chart);
    run_scenario(chart, scenario, name);
    compare(chart, name);
    chart_destroy(chart);
    messages_finish(&messages);
    text_finish(&events);
    cJSON_Delete(whole);
    memory_free(json);
    memory_free(text);
}

static void shared_scenarios(void **state)
{
    (void)state;
    char *list = text_read_file(SHARED "scxml/tests.csv", NULL);
    if (list == NULL) {
        print_message("skipped: " SHARED "scxml is not there\n");
        return;
    }
    int count = 0;
    char *line = strchr(list, '\n');
    for (char *row = strtok(line, "\n"); row != NULL; row = strtok(NULL, "\n")) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(row, ","), row);
        check_shared(name);
        count++;
    }
    print_message("%d scenarios\n", count);
    assert_true(count > 0);
    memory_free(list);
}

// ---- what a chart sends to itself --------------------------------------------------------------

// Queue, timers, cancelled ones, scripts, names of events; times are small numbers, as the interpreter tries no others.
static const char SENDS[] =
    "<scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='ecmascript' initial='a'>"
    "<datamodel><data id='x' expr='0'/></datamodel>"
    "<state id='a'><onentry><send event='one'/><send event='two'/>"
    "<send event='late' delay='3ms' id='l'/><send event='soon' delay='1ms'/></onentry>"
    "<transition event='two' target='fail'/>"
    "<transition event='one' target='b'><script>x += 2; x--\n x = x * "
    "3</script></transition></state>"
    "<state id='b'><transition event='*' cond=\"_event.name == 'two'\" target='c'/>"
    "<transition event='*' target='fail'/></state>"
    "<state id='c'><transition event='soon' cond='x' target='d'/>"
    "<transition event='late' target='fail'/></state>"
    "<state id='d'><onentry><if cond='x == 3 &amp;&amp; go'><cancel sendid='l'/></if>"
    "<send event='end' delay='5ms'/></onentry>"
    "<transition event='late' target='e'/><transition event='end' target='f'/></state>"
    "<state id='e'/><state id='f'/><state id='fail'/></scxml>";

static void sends_in_their_order(void **state)
{
    (void)state;
    for (int go = 0; go < 2; go++) {
        struct messages messages;
        struct text text;
        messages_init(&messages);
        text_init(&text);
        const char *at = strstr(SENDS, "go");
        text_printf(&text, "%.*s%s%s", (int)(at - SENDS), SENDS, go ? "true" : "false", at + 2);
        struct chart *chart =
            scxml_read("sends.scxml", text_string(&text), text.length, "", 0, &messages);
        messages_print(&messages, stderr);
        assert_non_null(chart);
        assert_true(compare(chart, "sends"));
        struct chart_configurations all = chart_explore(chart, 100);
        bool several, reached[6] = {false};
        static const char *const NAMES[] = {"b", "c", "d", "e", "f", "fail"};
        for (size_t i = 0; i < all.count; i++) {
            for (int k = 0; k < 6; k++)
                reached[k] |= interpreter_is_active(chart, all.data + i * all.cells,
                                                    chart_find_state(chart, NAMES[k], &several));
        }
        assert_true(reached[0] && reached[1] && reached[2]);
        assert_int_equal(reached[3], !go); // cancelled
        assert_int_equal(reached[4], go);
        assert_false(reached[5]);
        chart_configurations_finish(&all);
        chart_destroy(chart);
        text_finish(&text);
        messages_finish(&messages);
    }
}

// Loops over arrays, the script of the document, an event whose name is an expression; logs and parameters do nothing.
static const char LOOPS[] =
    "<scxml xmlns='http://www.w3.org/2005/07/scxml' xmlns:qt='urn:qt' datamodel='ecmascript'>"
    "<qt:editorinfo/><datamodel><data id='list'>[3, -1, 4]</data><data id='n'/></datamodel>"
    "<script>var sum = 10; odd = false</script>"
    "<state id='a'><onentry><foreach array='list' item='i' index='n'><log expr=\"'i: ' + i\"/>"
    "<assign location='sum' expr='sum + i * n'/><if cond='i == -1'>"
    "<foreach array='[true, false, true]' item='b'><script>odd = odd != b</script></foreach></if>"
    "</foreach><send eventexpr=\"'e.f'\" delayexpr='\"0s\"'><param name='p' expr='sum'/></send>"
    "</onentry><transition event='e' cond='sum == 17 &amp;&amp; i == 4 &amp;&amp; n == 2 "
    "&amp;&amp; !odd' "
    "target='b'/><transition event='.*' target='fail'/></state>"
    "<state id='b'/><state id='fail'/></scxml>";

static void loops_and_scripts(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = scxml_read("loops.scxml", LOOPS, strlen(LOOPS), "", 0, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "loops"));
    struct chart_configurations all = chart_explore(chart, 100);
    bool several, reached = false;
    for (size_t i = 0; i < all.count; i++) {
        const int64_t *cells = all.data + i * all.cells;
        reached |= interpreter_is_active(chart, cells, chart_find_state(chart, "b", &several));
        assert_false(
            interpreter_is_active(chart, cells, chart_find_state(chart, "fail", &several)));
    }
    assert_true(reached);
    chart_configurations_finish(&all);
    chart_destroy(chart);
    messages_finish(&messages);
}

// What nobody listens to is taken from the queue, too, and its time passes.
static void sends_that_nobody_hears(void **state)
{
    (void)state;
    static const char TEXT[] =
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' initial='a'>"
        "<state id='a'><onentry><send event='lost'/><send event='lost' delay='1ms'/>"
        "<send event='t' delay='2ms'/><send event='u'/></onentry>"
        "<transition event='u' target='b'/></state>"
        "<state id='b'><transition event='t' target='c'/></state><state id='c'/></scxml>";
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = scxml_read("lost.scxml", TEXT, strlen(TEXT), "", 0, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "lost"));
    struct chart_configurations all = chart_explore(chart, 100);
    bool several, reached = false;
    for (size_t i = 0; i < all.count; i++)
        reached |= interpreter_is_active(chart, all.data + i * all.cells,
                                         chart_find_state(chart, "c", &several));
    assert_true(reached);
    chart_configurations_finish(&all);
    chart_destroy(chart);
    messages_finish(&messages);
}

// With events from outside: they come in between, and time passes.
static void sends_among_events(void **state)
{
    (void)state;
    static const char TEXT[] =
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' initial='a'>"
        "<state id='a'><onentry><send event='t' delay='2ms' id='i'/></onentry>"
        "<transition event='t' target='b'/><transition event='go' target='c'/></state>"
        "<state id='b'><transition event='go' target='a'/></state>"
        "<state id='c'><onentry><cancel sendid='i'/><send event='u'/></onentry>"
        "<transition event='u' target='b'/></state></scxml>";
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = scxml_read("among.scxml", TEXT, strlen(TEXT), "go", 0, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "among"));
    chart_destroy(chart);
    messages_finish(&messages);
}

// ---- asynchronous components of Gamma ------------------------------------------------------------

#define INTERFACES                                                                                 \
    "package p interface Go { out event go(b : boolean) out event stop } "                         \
    "interface Own { internal event first internal event second(b : boolean) } "

// A sender and a receiver with a queue of two places, which the environment fills, too.
#define SENDER                                                                                     \
    INTERFACES                                                                                     \
    "statechart S [ port i : requires Go port o : provides Go ] { var n : integer "                \
    "  region r { initial e state A } transition from e to A / raise o.go(true); "                 \
    "  transition from A to A when i.go [n < 2] / n := n + 1; raise o.go(i.go::b); raise o.stop; " \
    "}"                                                                                            \
    "@TransitionPriority = order-based "                                                           \
    "statechart R [ port i : requires Go port o : provides Go ] { var n : integer "                \
    "  var b : boolean region r { initial e state A state B } transition from e to A "             \
    "  transition from A to B when i.stop transition from B to A when i.stop / n := 0; "           \
    "  transition from A to A when i.go [n < 2] / n := n + 1; b := i.go::b; } "                    \
    "adapter SA of component s : S { when any / run queue q (priority = 1, capacity = 2) { i.any " \
    "} }"

static const char ONE_AFTER_ANOTHER[] =
    SENDER "adapter RA of component r : R { when any / run "
           "  queue q (priority = 1, capacity = 2, discard = oldest) { i.any } } "
           "scheduled-async X [ port i : requires Go ] { bind i -> a.i component a : SA "
           "  component b : RA channel [ a.o ] -o)- [ b.i ] execute b, a }";
static const char ANY_OF_THEM[] =
    SENDER "adapter RA of component r : R { when i.stop / run "
           "  queue low (priority = 1, capacity = 1) { i.go } "
           "  queue high (priority = 2, capacity = 2) { i.stop } } "
           "async X [ port i : requires Go port j : requires Go ] { component a : SA "
           "  component b : RA bind i -> a.i bind j -> b.i channel [ a.o ] -o)- [ b.i ] }";
static const char TICKS[] =
    SENDER "adapter RA of component r : R [ port c : requires Go ] { clock t (rate = 2 ms) "
           "  when t / run when i.any / run when c.stop / reset-queues "
           "  queue q (priority = 1, capacity = 1) { i.stop, t } "
           "  queue own (priority = 3, capacity = 1) { c.any } } "
           "scheduled-async X [ port i : requires Go port c : requires Go ] { component a : SA "
           "  component b : RA bind i -> a.i bind c -> b.c channel [ a.o ] -o)- [ b.i ] }";
static const char OWN_EVENTS[] =
    INTERFACES "statechart S [ port g : requires Go port w : provides Own ] { var b : boolean "
               "  region r { initial e state A state B state C } transition from e to A "
               "  transition from A to B when g.any / raise w.first; "
               "  transition from B to C when w.first / raise w.second(true); "
               "  transition from C to A when w.second / b := w.second::b; "
               "  transition from B to A when g.stop } "
               "adapter X of component s : S { when any / run "
               "  queue q (priority = 1, capacity = 4) { g.any } "
               "  queue own (priority = 2, capacity = 2) { w.any } }";
static const char BACK_AT_ONCE[] =
    INTERFACES "statechart S [ port g : requires Go port w : provides Own ] { "
               "  region r { initial e state A state B state C } transition from e to A "
               "  transition from A to B when g.stop / raise w.second(true); "
               "  transition from B to C when w.second and g.go [w.second::b and g.go::b] "
               "  transition from B to A when g.stop transition from C to A when g.go } "
               "cascade X [ port g : requires Go ] { bind g -> s.g component s : S }";
static const char ASYNCHRONOUS[] = INTERFACES
    "@Asynchronous statechart S capacity (2) [ port i : requires Go port o : provides Go ] { "
    "  region r { initial e state A state B } transition from e to A "
    "  transition from A to B when i.go / raise o.go(true); raise o.stop; "
    "  transition from B to A when i.stop / raise o.stop; } "
    "scheduled-async X [ port i : requires Go ] { component a : S component b : S "
    "  bind i -> a.i channel [ a.o ] -o)- [ b.i ] }";

static const struct asynchronous {
    const char *name, *text, *question;
    bool reached;
} ASYNCHRONOUS_CHARTS[] = {
    {"one after another", ONE_AFTER_ANOTHER, "b.r.n = 2", true},
    {"any of them", ANY_OF_THEM, "In(b.B) and a.s.n = 1", true},
    // go waits for stop, which goes before it then.
    {"any of them", ANY_OF_THEM, "b.r.n = 1", false},
    {"ticks", TICKS, "In(b.B)", true},
    {"own events", OWN_EVENTS, "s.b", true},
    // What the chart raises goes before all from outside.
    {"own events", OWN_EVENTS, "In(B) and s.w.second", false},
    {"back at once", BACK_AT_ONCE, "state s->r.C", true},
    {"asynchronous statecharts", ASYNCHRONOUS, "In(a.B) and In(b.B)", true},
};

static bool reaches(struct chart *chart, const char *question)
{
    struct messages messages;
    messages_init(&messages);
    const struct chart_expression *wanted =
        chart_property_read(chart, NULL, question, strlen(question), &messages);
    messages_print(&messages, stderr);
    assert_non_null(wanted);
    struct chart_configurations all = chart_explore(chart, 3000);
    bool found = false, fine;
    for (size_t i = 0; i < all.count && !found; i++)
        found = interpreter_value(chart, all.data + i * all.cells, wanted, &fine) != 0;
    chart_configurations_finish(&all);
    messages_finish(&messages);
    return found;
}

// A history is never active, and may be asked for.
static void histories_are_not_active(void **state)
{
    (void)state;
    static const char TEXT[] =
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' datamodel='ecmascript'>"
        "<state id='s'><history id='h'><transition target='a'/></history><state id='a'/>"
        "<transition cond=\"In('h')\" target='fail'/><transition cond=\"!In('h')\" "
        "target='b'/></state>"
        "<state id='b'/><state id='fail'/></scxml>";
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = scxml_read("history.scxml", TEXT, strlen(TEXT), "", 0, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "history"));
    assert_true(reaches(chart, "In(b)"));
    assert_false(reaches(chart, "In(fail)"));
    chart_destroy(chart);
    messages_finish(&messages);
}

// Whether a parallel state is done is asked while its regions are entered: a region whose only state is final is not there
// before its turn.
static void parallel_states_are_done_last(void **state)
{
    (void)state;
    static const char TEXT[] =
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' datamodel='null'>"
        "<parallel id='p'><transition event='done.state.p' target='fail'/>"
        "<transition event='done.state.r' target='pass'/>"
        "<state id='q'><final id='qf'/></state><state id='r'><final id='rf'/></state></parallel>"
        "<state id='pass'/><state id='fail'/></scxml>";
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = scxml_read("done.scxml", TEXT, strlen(TEXT), "", 0, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "done"));
    assert_true(reaches(chart, "In(pass)"));
    assert_false(reaches(chart, "In(fail)"));
    chart_destroy(chart);
    messages_finish(&messages);
}

// A state that is entered again has two events of its <send> on their way.
static void sends_again(void **state)
{
    (void)state;
    static const char TEXT[] =
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'>"
        "<state id='a'><onentry><send event='t' delay='5ms'/></onentry>"
        "<transition event='again' target='a'/><transition event='t' target='b'/></state>"
        "<state id='b'><transition event='t' target='c'/></state><state id='c'/></scxml>";
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = scxml_read("again.scxml", TEXT, strlen(TEXT), "again", 0, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "again"));
    assert_true(reaches(chart, "In(c)"));
    chart_destroy(chart);
    messages_finish(&messages);
}

static void asynchronous_components(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ASYNCHRONOUS_CHARTS / sizeof ASYNCHRONOUS_CHARTS[0]; i++) {
        const struct asynchronous *a = &ASYNCHRONOUS_CHARTS[i];
        struct messages messages;
        messages_init(&messages);
        struct chart *chart = gamma_read(a->name, a->text, strlen(a->text), NULL, &messages);
        messages_print(&messages, stderr);
        assert_non_null(chart);
        if ((i == 0 || a[-1].text != a->text) && !compare(chart, a->name))
            fail_msg("%s: too many configurations", a->name);
        if (reaches(chart, a->question) != a->reached)
            fail_msg("%s: %s", a->name, a->question);
        chart_destroy(chart);
        messages_finish(&messages);
    }
}

// A choice statement takes any branch whose guard holds; with none the step cannot be.
static void choice_statements(void **state)
{
    (void)state;
    static const char TEXT[] =
        "package p interface I { out event go out event cut } "
        "@PrioritizedTransitions = order-based statechart S [ port p : requires I ] { "
        "var x : integer var y : integer "
        "transition from i to A "
        "transition from A to A when p.go / choice { branch [x < 3] x := x + 1; "
        "branch [x > 1] { x := 0; choice { branch [y = 0] y := 1; branch [else] y := 2; } } } "
        "transition from A to B when p.cut / choice { branch [x = 3] { } } "
        "region g { initial i @SpecialStateAnnotation accepting state A state B } }";
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = gamma_read("choice.gcd", TEXT, strlen(TEXT), NULL, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "choice"));
    assert_true(reaches(chart, "x = 3 and y = 2"));
    assert_true(reaches(chart, "In(B) and y = 0"));
    assert_false(reaches(chart, "In(B) and x /= 3"));
    assert_false(reaches(chart, "x > 3"));
    chart_destroy(chart);
    messages_finish(&messages);
}

// Variables that a list of actions begins with are its own, whatever stands behind the transition.
static void local_variables(void **state)
{
    (void)state;
    static const char TEXT[] =
        "package p interface I { out event a out event b } statechart S [ port p : requires I ] { "
        "var n : integer region g { initial i state A "
        "state B { entry / var k : integer := n; n := k + 1; exit / n := n + 2; } } "
        "transition from i to A "
        "transition from A to B when p.a / var z : integer := 5; if (z > 4) { z := n; } n := z; "
        "transition from B to A when p.b [n < 6] }";
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = gamma_read("local.gcd", TEXT, strlen(TEXT), NULL, &messages);
    messages_print(&messages, stderr);
    assert_non_null(chart);
    assert_true(compare(chart, "local"));
    assert_true(reaches(chart, "In(B) and n = 4"));
    assert_false(reaches(chart, "In(B) and (n = 5 or n = 6)"));
    chart_destroy(chart);
    messages_finish(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_scenarios),
        cmocka_unit_test(sends_in_their_order),
        cmocka_unit_test(loops_and_scripts),
        cmocka_unit_test(histories_are_not_active),
        cmocka_unit_test(sends_again),
        cmocka_unit_test(asynchronous_components),
        cmocka_unit_test(choice_statements),
        cmocka_unit_test(local_variables),
        cmocka_unit_test(sends_that_nobody_hears),
        cmocka_unit_test(sends_among_events),
        cmocka_unit_test(random_scxml),
        cmocka_unit_test(random_documents),
        cmocka_unit_test(parallel_states_are_done_last),
        cmocka_unit_test(random_gamma),
        cmocka_unit_test(random_interleaving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
