#include "languages/charts/told.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "languages/charts/interpret.h"
#include "model/trace.h"

// A replay goes from one stable state of the trace to the next. The interpreter is given the event and the values that the
// environment chose, and must have a way to the trace's state; choices that the trace does not tell are tried out.

struct telling {
    const struct chart *chart;
    const struct chart_map *map;
    const struct trace *trace;
    struct interpreter *interpreter;
    int64_t *cells, *next;
    size_t step;      // of the trace: what has been told up to
    struct text *out; // NULL: only replayed
    // Somebody who walks along; NULL: nobody.
    void *walker;
    const struct interpreter_observer *(*begin)(void *walker);
    void (*end)(void *walker, const int64_t *cells);
};

// ---- values ------------------------------------------------------------------------------------

static bool agrees(const struct telling *t, size_t step, const struct variable *variable,
                   int64_t value)
{
    assert(step <= t->trace->step_count);
    struct value there = trace_step_at(t->trace, step)->state[variable->index];
    return value_is_small(there) && value_small_get(there) == value;
}

// Bits of a model that has configurations as such.
static bool same_bits(const struct telling *t, size_t step, const int64_t *cells)
{
    const struct chart_map *map = t->map;
    if (map->codes == NULL)
        return true;
    bool *bits = memory_zalloc(map->bit_count + 1), same = true;
    chart_bits_of(t->chart, map->codes, cells, bits); // the cells of regions come first
    for (uint32_t b = 0; b < map->bit_count && same; b++)
        same = agrees(t, step, map->bits[b], bits[b]);
    memory_free(bits);
    return same;
}

// Do the interpreter's cells say what the trace's state says?
static bool same_state(const struct telling *t, size_t step, const int64_t *cells)
{
    const struct chart *chart = t->chart;
    if (!same_bits(t, step, cells))
        return false;
    for (uint32_t i = 0; i < chart->region_count; i++) {
        const struct chart_region *region = chart->regions[i];
        const struct variable *active = t->map->region[i], *history = t->map->history[i];
        if (active != NULL && !agrees(t, step, active, cells[interpreter_region_cell(region)] + 1))
            return false;
        if (history != NULL &&
            !agrees(t, step, history, cells[interpreter_history_cell(chart, region)] + 1))
            return false;
    }
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        if (!agrees(t, step, t->map->variable[i],
                    cells[interpreter_variable_cell(chart, chart->variables[i])]))
            return false;
    }
    return true;
}

// What the interpreter is told and tells, in one step of the chart.
struct given {
    const struct telling *telling;
    size_t first, last;                          // steps of the trace
    struct text *out;                            // NULL: nobody listens
    const struct interpreter_observer *listener; // NULL: none
};

// The value that the model's havoc of this variable took in these steps.
static int64_t give(void *context, const struct chart_variable *variable)
{
    const struct given *given = context;
    const struct variable *wanted = given->telling->map->variable[variable->index];
    for (size_t step = given->first; step <= given->last; step++) {
        const struct trace_step *at = trace_step_at(given->telling->trace, step);
        for (size_t i = 0; i < at->event_count; i++) {
            const struct statement *statement = at->events[i].statement;
            if (statement->kind == STATEMENT_HAVOC && statement->variable == wanted &&
                value_is_small(at->events[i].value))
                return value_small_get(at->events[i].value);
        }
    }
    return 0;
}

// ---- words -------------------------------------------------------------------------------------

void chart_told_value(struct text *out, const struct chart_variable *variable, int64_t value)
{
    assert(variable->type->kind != CHART_BOOL || value == 0 || value == 1);
    assert(variable->type->kind != CHART_ENUM ||
           (value >= 0 && value < variable->type->literal_count));
    if (variable->type->kind == CHART_BOOL)
        text_add(out, value ? "true" : "false");
    else if (variable->type->kind == CHART_ENUM)
        text_add(out, variable->type->literals[value]);
    else
        text_printf(out, "%lld", (long long)value);
}

bool chart_told_note(struct text *out, enum interpreter_note kind, const void *thing)
{
    switch (kind) {
    case NOTE_EVENT:
        text_printf(out, "event %s", ((const struct chart_event *)thing)->name);
        break;
    case NOTE_FIRE:
        text_printf(out, "fires %s", ((const struct chart_transition *)thing)->text);
        break;
    case NOTE_EXIT:
        text_printf(out, "leaves %s", ((const struct chart_state *)thing)->text);
        break;
    case NOTE_ENTER:
        text_printf(out, "enters %s", ((const struct chart_state *)thing)->text);
        break;
    case NOTE_RAISE:
        text_printf(out, "raises %s", ((const struct chart_event *)thing)->name);
        break;
    case NOTE_RUN:
        return false;
    }
    return true;
}

static void note(void *context, enum interpreter_note kind, const void *thing)
{
    struct text *out = ((const struct given *)context)->out;
    if (out == NULL || kind == NOTE_RUN)
        return;
    text_add(out, kind == NOTE_EVENT || kind == NOTE_FIRE ? "    " : "      ");
    chart_told_note(out, kind, thing);
    const struct chart_transition *fired = kind == NOTE_FIRE ? thing : NULL;
    if (fired != NULL && fired->source_position.line > 0)
        text_printf(out, "   // line %u", fired->source_position.line);
    text_add_char(out, '\n');
}

// To one who walks along.
static void pass_note(void *context, enum interpreter_note kind, const void *thing)
{
    const struct interpreter_observer *listener = ((const struct given *)context)->listener;
    listener->note(listener->context, kind, thing);
}

static void pass_value(void *context, const struct chart_variable *variable, int64_t value)
{
    const struct interpreter_observer *listener = ((const struct given *)context)->listener;
    listener->chose(listener->context, variable, value);
}

static bool is_shown(const struct chart_variable *variable, int64_t value, const int64_t *before)
{
    if (variable->scratch)
        return false;
    if (variable->role == CHART_EVENT)
        return value != 0;
    return before == NULL || *before != value;
}

// The innermost active states, events that are there, and variables that changed (all when `before` is NULL).
static void print_configuration(struct text *out, const struct telling *t, size_t number,
                                const int64_t *before, const int64_t *now)
{
    const struct chart *chart = t->chart;
    text_printf(out, "state %zu:", number);
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        if (chart_can_be_active(state) && state->region_count == 0 &&
            interpreter_is_active(chart, now, state))
            text_printf(out, " %s", state->text);
    }
    text_add_char(out, '\n');
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        const struct chart_variable *variable = chart->variables[i];
        size_t cell = interpreter_variable_cell(chart, variable);
        if (!is_shown(variable, now[cell], before == NULL ? NULL : &before[cell]))
            continue;
        text_printf(out, "  %s = ", variable->text);
        chart_told_value(out, variable, now[cell]);
        text_add_char(out, '\n');
    }
}

// The values that came from outside, of a step of GAMMA.
static void print_inputs(const struct given *given)
{
    struct text *out = given->out;
    const struct telling *t = given->telling;
    for (size_t step = given->first; step <= given->last; step++) {
        const struct trace_step *at = trace_step_at(t->trace, step);
        for (size_t i = 0; i < at->event_count; i++) {
            const struct statement *statement = at->events[i].statement;
            if (statement->kind != STATEMENT_HAVOC)
                continue;
            for (uint32_t v = 0; v < t->chart->variable_count; v++) {
                const struct chart_variable *variable = t->chart->variables[v];
                int64_t value = value_small_get(at->events[i].value);
                if (t->map->variable[v] != statement->variable ||
                    (variable->role == CHART_EVENT && value == 0))
                    continue;
                text_printf(out, "    %s%s", variable->role == CHART_EVENT ? "event " : "",
                            variable->text);
                if (variable->role != CHART_EVENT) {
                    text_add(out, " = ");
                    chart_told_value(out, variable, value);
                }
                text_add_char(out, '\n');
            }
        }
    }
}

// ---- steps -------------------------------------------------------------------------------------

static enum interpreter_outcome run(struct telling *t, bool start, const struct chart_event *event,
                                    struct interpreter_choices *choices,
                                    const struct interpreter_observer *observer)
{
    return start ? interpreter_start(t->interpreter, choices, observer, t->next)
                 : interpreter_step(t->interpreter, t->cells, event, choices, observer, t->next);
}

// Finds the interpreter's way from `cells` to the trace's state `last`, and tells it.
static bool follow(struct telling *t, bool start, size_t first, size_t last)
{
    struct given given = {t, first, last, NULL, NULL};
    struct interpreter_observer observer = {.context = &given, .note = note, .havoc = give};
    const struct edge *edge = trace_step_at(t->trace, first)->edge;
    const struct chart_event *event = edge == NULL ? NULL : t->map->arrives[edge->id];
    struct interpreter_choices choices = {0};
    bool found = false;
    do
        found = run(t, start, event, &choices, &observer) == INTERPRETER_DONE &&
                same_state(t, last, t->next);
    while (!found && interpreter_next(&choices));
    if (found && t->out != NULL) { // the same way once more, with words
        given.out = t->out;
        if (t->chart->semantics == CHART_INTERLEAVING && event != NULL)
            note(&given, NOTE_EVENT, event);
        print_inputs(&given);
        run(t, start, event, &choices, &observer);
    }
    if (found && t->begin != NULL) {
        given.listener = t->begin(t->walker);
        observer.note = pass_note;
        observer.chose = pass_value;
        run(t, start, event, &choices, &observer);
        t->end(t->walker, t->next);
    }
    interpreter_choices_finish(&choices);
    return found;
}

// The next step of the trace, from `from` on, that ends in a stable state; the number of steps + 1 if there is none.
static size_t next_stable(const struct telling *t, size_t from)
{
    while (from <= t->trace->step_count && trace_location_at(t->trace, from) != t->map->stable)
        from++;
    return from;
}

// Tells the whole run. False: the interpreter cannot follow, in step *failed.
static bool tell(struct telling *t, size_t *failed)
{
    size_t first = 0, number = 0;
    for (;;) {
        size_t last = next_stable(t, first);
        if (last > t->trace->step_count)
            return true;
        if (t->out != NULL)
            text_printf(t->out, number == 0 ? "start\n" : "step %zu\n", number);
        if (!follow(t, first == 0, first, last)) {
            *failed = number;
            return false;
        }
        if (t->out != NULL)
            print_configuration(t->out, t, number, number == 0 ? NULL : t->cells, t->next);
        memcpy(t->cells, t->next, interpreter_cell_count(t->chart) * sizeof *t->cells);
        first = last + 1;
        number++;
    }
}

static void begin(struct telling *t, const struct trace *trace, struct text *out)
{
    const struct chart_view *view = (const struct chart_view *)model_root(trace->model)->view;
    size_t cells = interpreter_cell_count(view->chart) + 1;
    *t = (struct telling){.chart = view->chart, .map = &view->map, .trace = trace, .out = out};
    t->interpreter = interpreter_create(view->chart);
    t->cells = memory_zalloc(cells * sizeof *t->cells);
    t->next = memory_zalloc(cells * sizeof *t->next);
}

static void end(struct telling *t)
{
    interpreter_destroy(t->interpreter);
    memory_free(t->cells);
    memory_free(t->next);
}

// A run that ends because of a limit of the model is none of the chart; attempts drop it.
static const char *limit_of(const struct trace *trace)
{
    return trace->step_count == 0 ? NULL : trace->steps[trace->step_count - 1].edge->limit;
}

bool chart_told_replay(const struct trace *trace, struct text *why)
{
    struct telling t;
    size_t failed = 0;
    const struct chart_view *view = (const struct chart_view *)model_root(trace->model)->view;
    begin(&t, trace, NULL);
    ENSURE(view->map.chart == view->chart);
    bool good = tell(&t, &failed), fine = true;
    if (!good)
        text_printf(why, "the chart's interpreter cannot follow step %zu", failed);
    bool ends =
        trace->step_count > 0 && trace_location_at(trace, trace->step_count) == trace->model->error;
    if (good && ends && limit_of(trace) == NULL && view->property != NULL &&
        (interpreter_value(t.chart, t.cells, view->property, &fine) != 0 || !fine)) {
        text_add(why, "the last configuration does not violate the property");
        good = false;
    }
    end(&t);
    return good;
}

bool chart_told_walk(const struct trace *trace, void *walker,
                     const struct interpreter_observer *(*begin_step)(void *walker),
                     void (*end_step)(void *walker, const int64_t *cells))
{
    struct telling t;
    size_t failed;
    begin(&t, trace, NULL);
    t.walker = walker;
    t.begin = begin_step;
    t.end = end_step;
    bool good = tell(&t, &failed);
    end(&t);
    return good;
}

void chart_told_print(struct text *out, const struct trace *trace)
{
    struct telling t;
    size_t failed;
    begin(&t, trace, out);
    if (!tell(&t, &failed))
        text_printf(out, "the chart's interpreter cannot follow step %zu\n", failed);
    else if (trace->step_count > 0 &&
             trace_location_at(trace, trace->step_count) == trace->model->error)
        text_printf(out, "error: %s\n",
                    limit_of(trace) != NULL ? limit_of(trace) : "not the property");
    end(&t);
}

// ---- the view ----------------------------------------------------------------------------------

static void destroy(struct model_view *head)
{
    struct chart_view *view = (struct chart_view *)head;
    chart_map_finish(&view->map);
    chart_destroy(view->chart);
    language_source_release(view->source);
    memory_free(view);
}

struct chart_view *chart_view_create(struct chart *chart, const struct chart_expression *property)
{
    struct chart_view *view = memory_zalloc(sizeof *view);
    view->head = (struct model_view){.kind = CHART_VIEW, .destroy = destroy};
    view->chart = chart;
    view->property = property;
    return view;
}
