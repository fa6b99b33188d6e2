#include "model/trace_print.h"

#include <assert.h>
#include <string.h>

// The readable form: states as differences, and between them what ran.

void trace_print(struct text *out, const struct trace *trace, enum trace_format format)
{
    assert(!trace->model->source && trace->initial.state);
    const struct dialect *dialect = trace->model->dialect;
    switch (format) {
    case TRACE_READABLE:
        if (dialect->print_readable != NULL)
            dialect->print_readable(out, trace);
        else
            trace_print_readable(out, trace);
        break;
    case TRACE_JSON:
        if (dialect->print_json != NULL)
            dialect->print_json(out, trace);
        else
            trace_print_json(out, trace);
        break;
    case TRACE_PAGE:
        assert(dialect->print_page != NULL);
        dialect->print_page(out, trace);
        break;
    case TRACE_DOT:
        assert(dialect->print_dot != NULL);
        dialect->print_dot(out, trace);
        break;
    case TRACE_SEXPR:
        if (dialect->print_sexpr != NULL)
            dialect->print_sexpr(out, trace);
        else
            trace_print_cfa(out, trace);
        break;
    }
}

// As it was written; what nobody wrote, by its term.
static void print_statement(struct text *out, const struct trace *trace,
                            const struct statement *statement)
{
    if (statement->written != NULL) {
        text_add(out, statement->written);
        return;
    }
    if (statement->kind == STATEMENT_ASSIGN)
        text_printf(out, "%s := ", statement->variable->name);
    else if (statement->kind == STATEMENT_ASSUME)
        text_add(out, "assume ");
    print_term(out, statement->expression, trace_language(trace));
}

static bool is_hidden(const struct variable *variable)
{
    return (variable->flags & VARIABLE_LOCAL) != 0;
}

static void print_event(struct text *out, const struct trace *trace,
                        const struct trace_event *event)
{
    const struct statement *statement = event->statement;
    switch (statement->kind) {
    case STATEMENT_ASSIGN:
        if (is_hidden(statement->variable))
            return;
        text_add(out, "    ");
        print_statement(out, trace, statement);
        break;
    case STATEMENT_HAVOC:
        if (is_hidden(statement->variable))
            return;
        text_printf(out, "    havoc %s", statement->variable->name);
        break;
    case STATEMENT_ASSUME:
        text_add(out, "    ");
        print_statement(out, trace, statement);
        break;
    case STATEMENT_IF:
        text_add(out, "    if ");
        print_statement(out, trace, statement);
        text_add(out, value_is_true(event->value) ? ": yes" : ": no");
        break;
    case STATEMENT_CHOICE:
        text_printf(out, "    choice %d of %u", (int)value_small_get(event->value) + 1,
                    statement->child_count);
        break;
    default:
        return;
    }
    if (statement->source.line > 0)
        text_printf(out, "   // line %u", statement->source.line);
    text_add_char(out, '\n');
}

static void print_events(struct text *out, const struct trace *trace, size_t step)
{
    const struct trace_step *at = trace_step_at(trace, step);
    for (size_t i = 0; i < at->event_count; i++)
        print_event(out, trace, &at->events[i]);
}

// All values when `before` is NULL, else those that changed.
static void print_changes(struct text *out, const struct trace *trace, const struct value *before,
                          const struct value *now)
{
    for (uint32_t i = 0; i < trace->model->variable_count; i++) {
        const struct variable *variable = trace->model->variables[i];
        if (is_hidden(variable) || (before != NULL && value_equal(before[i], now[i])))
            continue;
        text_printf(out, "  %s = ", variable->name);
        variable_print(out, variable, now[i]);
        text_add_char(out, '\n');
    }
}

// A state as the application of a predicate, "inv(1, true)".
static void print_application(struct text *out, const struct location *location,
                              const struct value *now)
{
    for (uint32_t i = 0; i < location->argument_count; i++) {
        const struct variable *variable = location->arguments[i];
        text_add(out, i == 0 ? "(" : ", ");
        variable_print(out, variable, now[variable->index]);
    }
    text_add(out, location->argument_count > 0 ? ")\n" : "\n");
}

void trace_print_readable(struct text *out, const struct trace *trace)
{
    const struct value *before = NULL;
    size_t number = 0;
    for (size_t step = 0; step <= trace->step_count; step++) {
        const struct trace_step *at = trace_step_at(trace, step);
        bool shown = trace_shows(trace, step);
        if (step > 0 && step == trace->step_count && !shown && at->edge->target->observable) {
            text_printf(out, "error: %s\n", at->edge->label);
            print_events(out, trace, step);
            break;
        }
        if (step > 0)
            text_printf(out, "step %zu: %s\n", number + 1, at->edge->label);
        print_events(out, trace, step);
        if (!shown)
            continue;
        number += step > 0;
        const struct location *location = trace_location_at(trace, step);
        text_printf(out, "state %zu at %s", number, location->name);
        if (location->arguments != NULL) {
            print_application(out, location, at->state);
            continue;
        }
        text_add_char(out, '\n');
        print_changes(out, trace, before, at->state);
        before = at->state;
    }
}
