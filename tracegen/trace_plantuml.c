#include <string.h>

#include "tracegen/suite_print.h"

// One trace as a PlantUML diagram. Sequence: the environment's steps are messages to the model, the model's
// steps are its own, with the values they change. State: each state of the trace is one state.

struct diagram {
    struct text *out;
    const struct trace *trace;
};

static void begin(struct text *out, const char *title)
{
    text_printf(out, "@startuml\ntitle %s\n", title);
}

static void take_message(void *context, struct shown_step step)
{
    struct diagram *d = context;
    bool environment = step.location->phase == PHASE_STIMULATED;
    if (step.number == 0) {
        text_printf(d->out, "note over Model : ");
        suite_print_changes(d->out, d->trace, NULL, step.now, "\\n");
    } else {
        text_printf(d->out, "%s -> Model : %s\n", environment ? "Environment" : "Model",
                    step.label);
        text_printf(d->out, "note %s of Model : %s", "right", step.location->name);
        bool changed = false;
        for (uint32_t v = 0; v < d->trace->model->variable_count; v++)
            changed |= !(d->trace->model->variables[v]->flags & VARIABLE_LOCAL) &&
                       !value_equal(step.before[v], step.now[v]);
        if (changed)
            text_add(d->out, "\\n");
        suite_print_changes(d->out, d->trace, step.before, step.now, "\\n");
    }
    text_add_char(d->out, '\n');
}

void trace_print_sequence(struct text *out, const struct trace *trace, const char *title)
{
    struct diagram d = {out, trace};
    begin(out, title);
    if (trace->model->dialect->phases)
        text_add(out, "actor Environment\n");
    text_add(out, "participant Model\n");
    suite_each_step(trace, take_message, &d);
    text_add(out, "@enduml\n");
}

static void take_state(void *context, struct shown_step step)
{
    struct diagram *d = context;
    text_printf(d->out, "state \"%s\" as s%zu\n", step.location->name, step.number);
    if (step.number == 0)
        text_add(d->out, "[*] --> s0\n");
    else
        text_printf(d->out, "s%zu --> s%zu : %s\n", step.number - 1, step.number, step.label);
    struct text changes;
    text_init(&changes);
    suite_print_changes(&changes, d->trace, step.before, step.now, "\\n");
    if (changes.length > 0)
        text_printf(d->out, "s%zu : %s\n", step.number, text_string(&changes));
    text_finish(&changes);
}

void trace_print_state_diagram(struct text *out, const struct trace *trace, const char *title)
{
    struct diagram d = {out, trace};
    begin(out, title);
    suite_each_step(trace, take_state, &d);
    text_add(out, "@enduml\n");
}
