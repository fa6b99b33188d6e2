#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/trace_print.h"

// The S-expression forms of docs/definitions/formats.md 8: layout A for XSTS (8.1), CFA (8.2) and STS (8.3).

static void print_binding(struct text *out, const struct variable *variable, struct value value)
{
    text_printf(out, "(%s ", variable->name);
    print_value(out, variable->sort, value);
    text_add_char(out, ')');
}

static bool is_state(const struct variable *variable)
{
    return (variable->flags & VARIABLE_LOCAL) == 0;
}

static void print_xsts_state(struct text *out, const struct trace *trace, size_t step)
{
    static const char *const FLAGS[] = {
        [PHASE_NONE] = "post_init last_internal",
        [PHASE_START] = "pre_init last_env",
        [PHASE_STABLE] = "post_init last_internal",
        [PHASE_STIMULATED] = "post_init last_env",
    };
    const struct model *model = trace->model;
    text_printf(out, "\n  (XstsState %s\n    (ExplState",
                FLAGS[trace_location_at(trace, step)->phase]);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        if (!is_state(model->variables[i]))
            continue;
        text_add(out, "\n      ");
        print_binding(out, model->variables[i], trace_step_at(trace, step)->state[i]);
    }
    text_add(out, "))");
}

void trace_print_xsts(struct text *out, const struct trace *trace)
{
    text_add(out, "(XstsStateSequence");
    for (size_t step = 0; step <= trace->step_count; step++)
        if (trace_shows(trace, step))
            print_xsts_state(out, trace, step);
    text_add(out, ")\n");
}

void trace_print_sts(struct text *out, const struct trace *trace)
{
    const struct model *model = trace->model;
    for (size_t step = 0; step <= trace->step_count; step++) {
        if (!trace_shows(trace, step))
            continue;
        text_add(out, "(val");
        for (uint32_t i = 0; i < model->variable_count; i++) {
            if (!is_state(model->variables[i]))
                continue;
            text_add_char(out, ' ');
            print_binding(out, model->variables[i], trace_step_at(trace, step)->state[i]);
        }
        text_add(out, ")\n");
    }
}

// CFA: every simple statement of an edge is a step of its own, through anonymous locations.

struct cfa_printer {
    struct text *out;
    const struct trace *trace;
    struct value *state;    // unknown = the variable has no value yet
    uint32_t *first_hidden; // per edge: number of its first anonymous location
};

static uint32_t count_leaves(const struct statement *statement)
{
    if (statement->kind < STATEMENT_SEQUENCE)
        return 1;
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < statement->child_count; i++)
        leaves += count_leaves(statement->child[i]);
    return leaves;
}

static void print_cfa_state(struct cfa_printer *printer, const char *name, uint32_t anonymous)
{
    struct text *out = printer->out;
    const struct model *model = printer->trace->model;
    if (name != NULL)
        text_printf(out, "\n  (CfaState %s\n    (ExplState", name);
    else
        text_printf(out, "\n  (CfaState __%u\n    (ExplState", anonymous);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        if (!is_state(model->variables[i]) || !value_known(printer->state[i]))
            continue;
        text_add_char(out, ' ');
        print_binding(out, model->variables[i], printer->state[i]);
    }
    text_add(out, "))");
}

static void print_cfa_statement(struct text *out, const struct trace_event *event)
{
    const struct statement *statement = event->statement;
    text_add(out, "\n  (CfaAction\n    ");
    switch (statement->kind) {
    case STATEMENT_ASSIGN:
        text_printf(out, "(assign %s ", statement->variable->name);
        print_term(out, statement->expression, PRINT_PREFIX);
        text_add(out, "))");
        break;
    case STATEMENT_HAVOC:
        text_printf(out, "(havoc %s))", statement->variable->name);
        break;
    case STATEMENT_ASSUME:
    case STATEMENT_IF:
        text_add(out, value_is_true(event->value) ? "(assume " : "(assume (not ");
        print_term(out, statement->expression, PRINT_PREFIX);
        text_add(out, value_is_true(event->value) ? "))" : ")))");
        break;
    default:
        text_add(out, "skip)");
        break;
    }
}

// An edge without statements is one skip; other skips and choices leave nothing to show.
static bool prints(const struct trace_event *event)
{
    return event->statement->kind != STATEMENT_CHOICE && event->statement->kind != STATEMENT_SKIP;
}

static void print_cfa_step(struct cfa_printer *printer, const struct trace_step *step)
{
    size_t left = 0, done = 0;
    for (size_t i = 0; i < step->event_count; i++)
        left += prints(&step->events[i]);
    if (left == 0)
        text_add(printer->out, "\n  (CfaAction\n    skip)");
    for (size_t i = 0; i < step->event_count; i++) {
        const struct trace_event *event = &step->events[i];
        if (!prints(event))
            continue;
        print_cfa_statement(printer->out, event);
        if (event->statement->variable != NULL)
            printer->state[event->statement->variable->index] = event->value;
        if (--left > 0)
            print_cfa_state(printer, NULL, printer->first_hidden[step->edge->id] + (uint32_t)done);
        done++;
    }
    print_cfa_state(printer, step->edge->target->name, 0);
}

// A start value is shown when some statement reads it before the variable is written.
static void find_start_values(struct cfa_printer *printer)
{
    const struct trace *trace = printer->trace;
    bool *written = memory_zalloc(trace->model->variable_count + 1);
    struct term_vector read = {0};
    for (size_t step = 0; step <= trace->step_count; step++) {
        const struct trace_step *at = trace_step_at(trace, step);
        for (size_t i = 0; i < at->event_count; i++) {
            const struct statement *statement = at->events[i].statement;
            VECTOR_CLEAR(&read);
            if (statement->expression != NULL)
                rewrite_free_variables(statement->expression, &read);
            for (size_t k = 0; k < read.count; k++) {
                const struct variable *variable = model_variable_of(trace->model, read.data[k]);
                if (variable != NULL && !written[variable->index])
                    printer->state[variable->index] = trace->start[variable->index];
            }
            if (statement->variable != NULL)
                written[statement->variable->index] = true;
        }
    }
    VECTOR_FINISH(&read);
    memory_free(written);
}

static void run_initial_action(struct cfa_printer *printer)
{
    const struct trace_step *initial = &printer->trace->initial;
    for (size_t i = 0; i < initial->event_count; i++)
        if (initial->events[i].statement->variable != NULL)
            printer->state[initial->events[i].statement->variable->index] =
                initial->events[i].value;
}

void trace_print_cfa(struct text *out, const struct trace *trace)
{
    const struct model *model = trace->model;
    struct cfa_printer printer = {out, trace, NULL, NULL};
    printer.state = memory_zalloc((model->variable_count + 1) * sizeof *printer.state);
    printer.first_hidden = memory_zalloc((model->edge_count + 1) * sizeof *printer.first_hidden);
    for (uint32_t i = 0; i < model->edge_count; i++) {
        uint32_t leaves = count_leaves(model->edges[i]->action);
        printer.first_hidden[i + 1] = printer.first_hidden[i] + (leaves > 1 ? leaves - 1 : 0);
    }
    find_start_values(&printer);
    run_initial_action(&printer);
    text_add(out, "(Trace");
    print_cfa_state(&printer, model->initial->name, 0);
    for (size_t i = 0; i < trace->step_count; i++)
        print_cfa_step(&printer, &trace->steps[i]);
    text_add(out, ")\n");
    memory_free(printer.state);
    memory_free(printer.first_hidden);
}
