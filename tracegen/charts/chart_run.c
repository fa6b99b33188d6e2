#include "tracegen/charts/chart_run.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "languages/charts/told.h"

// ---- listening ---------------------------------------------------------------------------------

static void note(void *context, enum interpreter_note kind, const void *thing)
{
    struct chart_listener *listener = context;
    if (kind == NOTE_FIRE) {
        const struct chart_transition *transition = thing;
        VECTOR_PUSH(&listener->step->fired, transition);
    }
    if (chart_told_note(&listener->words, kind, thing))
        text_add_char(&listener->words, '\n');
}

static void chose(void *context, const struct chart_variable *variable, int64_t value)
{
    struct chart_listener *listener = context;
    struct chart_input input = {variable, value};
    VECTOR_PUSH(&listener->step->inputs, input);
    if (value == 0 && (variable->role == CHART_EVENT || variable->scratch))
        return;
    bool event = variable->role == CHART_EVENT;
    text_printf(&listener->words, "%s%s", event ? "event " : "", variable->text);
    if (!event) {
        text_add(&listener->words, " = ");
        chart_told_value(&listener->words, variable, value);
    }
    text_add_char(&listener->words, '\n');
}

void chart_listen(struct chart_listener *listener, struct chart_step *step, const int64_t *numbers,
                  uint32_t number_count)
{
    *step = (struct chart_step){0};
    *listener = (struct chart_listener){.step = step};
    listener->observer = (struct interpreter_observer){.context = listener,
                                                       .note = note,
                                                       .chose = chose,
                                                       .numbers = numbers,
                                                       .number_count = number_count};
    text_init(&listener->words);
}

void chart_listened(struct chart_listener *listener, const struct chart *chart,
                    const int64_t *cells)
{
    size_t bytes = interpreter_cell_count(chart) * sizeof *cells;
    listener->step->words = memory_strdup(text_string(&listener->words));
    listener->step->cells = memory_alloc(bytes + 1);
    memcpy(listener->step->cells, cells, bytes);
    text_finish(&listener->words);
}

void chart_step_finish(struct chart_step *step)
{
    memory_free(step->words);
    memory_free(step->cells);
    VECTOR_FINISH(&step->fired);
    VECTOR_FINISH(&step->inputs);
}

void chart_run_finish(struct chart_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        chart_step_finish(&run->data[i]);
    VECTOR_FINISH(run);
}

// ---- words -------------------------------------------------------------------------------------

void chart_print_values(struct text *out, const struct chart *chart, const int64_t *before,
                        const int64_t *cells)
{
    const char *between = "";
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        const struct chart_variable *variable = chart->variables[i];
        size_t cell = interpreter_variable_cell(chart, variable);
        bool event = variable->role == CHART_EVENT;
        bool changed = before == NULL || before[cell] != cells[cell];
        if (variable->scratch || (event ? cells[cell] == 0 : !changed))
            continue;
        text_printf(out, "%s%s", between, variable->text);
        if (!event) {
            text_add(out, " = ");
            chart_told_value(out, variable, cells[cell]);
        }
        between = ", ";
    }
}

void chart_print_active(struct text *out, const struct chart *chart, const int64_t *cells)
{
    const char *between = "";
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        if (!chart_can_be_active(state) || state->region_count > 0 ||
            !interpreter_is_active(chart, cells, state))
            continue;
        text_printf(out, "%s%s", between, state->text);
        between = " ";
    }
}

void chart_run_print(struct text *out, const struct chart *chart, const struct chart_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct chart_step *step = &run->data[i];
        if (i == 0)
            text_add(out, "start\n");
        else
            text_printf(out, "step %zu\n", i);
        for (const char *line = step->words; *line != '\0'; line = strchr(line, '\n') + 1)
            text_printf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
        text_printf(out, "state %zu: ", i);
        chart_print_active(out, chart, step->cells);
        text_add_char(out, '\n');
        struct text values;
        text_init(&values);
        chart_print_values(&values, chart, i == 0 ? NULL : run->data[i - 1].cells, step->cells);
        if (values.length > 0)
            text_printf(out, "  %s\n", text_string(&values));
        text_finish(&values);
    }
}

// ---- sequence diagrams -------------------------------------------------------------------------

static void quoted(struct text *out, const char *words)
{
    for (const char *c = words; *c != '\0'; c++)
        text_add_char(out, *c == '"' || *c == '\n' ? ' ' : *c);
}

static const char *component_name(const struct chart *chart,
                                  const struct chart_component *component)
{
    return component->name[0] != '\0' ? component->name
           : chart->name[0] != '\0'   ? chart->name
                                      : "chart";
}

// Whose variable it is: the component with whose name and a dot its text begins; the first one where none does.
static uint32_t owner_of(const struct chart *chart, const struct chart_variable *variable)
{
    for (uint32_t i = 0; i < chart->component_count; i++) {
        const char *name = chart->components[i]->name;
        size_t length = strlen(name);
        if (length > 0 && strncmp(variable->text, name, length) == 0 &&
            variable->text[length] == '.')
            return i;
    }
    return 0;
}

static bool came_in(const struct chart_step *step, const struct chart_variable *variable)
{
    for (size_t i = 0; i < step->inputs.count; i++) {
        if (step->inputs.data[i].variable == variable)
            return true;
    }
    return false;
}

static void sequence_inputs(struct text *out, const struct chart *chart,
                            const struct chart_step *step)
{
    if (step->event != NULL) {
        text_add(out, "E -> C0 : ");
        quoted(out, step->event->name);
        text_add_char(out, '\n');
    }
    for (size_t i = 0; i < step->inputs.count; i++) {
        const struct chart_input *input = &step->inputs.data[i];
        bool event = input->variable->role == CHART_EVENT;
        if (input->value == 0 && (event || input->variable->scratch))
            continue;
        text_printf(out, "E -> C%u : ", owner_of(chart, input->variable));
        quoted(out, input->variable->text);
        if (!event) {
            text_add(out, " = ");
            chart_told_value(out, input->variable, input->value);
        }
        text_add_char(out, '\n');
    }
}

// PORT.EVENT(PARAMETER = VALUE, …), with whose it is where `whole`.
static void print_message(struct text *out, const struct chart *chart,
                          const struct chart_step *step, const struct chart_variable *event,
                          bool whole)
{
    const char *name = chart->components[owner_of(chart, event)]->name, *between = "(";
    size_t skipped = whole || name[0] == '\0' ? 0 : strlen(name) + 1, length = strlen(event->text);
    quoted(out, event->text + skipped);
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        const struct chart_variable *parameter = chart->variables[i];
        if (parameter->role != CHART_PARAMETER || parameter->scratch ||
            strncmp(parameter->text, event->text, length) != 0 ||
            strncmp(parameter->text + length, "::", 2) != 0)
            continue;
        text_add(out, between);
        quoted(out, parameter->text + length + 2);
        text_add(out, " = ");
        chart_told_value(out, parameter, step->cells[interpreter_variable_cell(chart, parameter)]);
        between = ", ";
    }
    text_add(out, between[0] == ',' ? ")\n" : "\n");
}

// What components have raised: to those that their channels lead to, otherwise outside.
static void sequence_outputs(struct text *out, const struct chart *chart,
                             const struct chart_step *step)
{
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        const struct chart_variable *variable = chart->variables[i];
        size_t cell = interpreter_variable_cell(chart, variable);
        bool nothing = variable->comes_in && variable->goes_count == 0;
        if (variable->role != CHART_EVENT || variable->scratch || step->cells[cell] == 0 ||
            nothing || came_in(step, variable))
            continue;
        for (uint32_t k = 0; k < variable->goes_count; k++) {
            text_printf(out, "C%u -> C%u : ", owner_of(chart, variable),
                        owner_of(chart, variable->goes_to[k]));
            print_message(out, chart, step, variable, false);
        }
        if (variable->goes_count > 0)
            continue;
        text_printf(out, "C%u -> E : ", owner_of(chart, variable));
        print_message(out, chart, step, variable, true);
    }
}

static void sequence_states(struct text *out, const struct chart *chart,
                            const struct chart_step *step)
{
    for (uint32_t c = 0; c < chart->component_count; c++) {
        text_printf(out, "hnote over C%u :", c);
        for (uint32_t i = 0; i < chart->state_count; i++) {
            const struct chart_state *state = chart->states[i];
            if (!chart_can_be_active(state) || state->region_count > 0 ||
                state->parent->component != chart->components[c] ||
                !interpreter_is_active(chart, step->cells, state))
                continue;
            text_add_char(out, ' ');
            quoted(out, state->name);
        }
        text_add_char(out, '\n');
    }
}

void chart_run_sequence(struct text *out, const struct chart *chart, const struct chart_run *run)
{
    text_add(out, "@startuml\nactor \"environment\" as E\n");
    for (uint32_t i = 0; i < chart->component_count; i++) {
        text_add(out, "participant \"");
        quoted(out, component_name(chart, chart->components[i]));
        text_printf(out, "\" as C%u\n", i);
    }
    for (size_t i = 0; i < run->count; i++) {
        text_printf(out, i == 0 ? "== start ==\n" : "== step %zu ==\n", i);
        sequence_inputs(out, chart, &run->data[i]);
        sequence_outputs(out, chart, &run->data[i]);
        sequence_states(out, chart, &run->data[i]);
    }
    text_add(out, "@enduml\n");
}
