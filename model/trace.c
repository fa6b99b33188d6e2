#include "model/trace.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "model/trace_print.h"

struct trace *trace_create(const struct model *model)
{
    struct trace *trace = memory_zalloc(sizeof *trace);
    trace->model = model;
    trace->store = term_store_create(model->store);
    trace->start = memory_zalloc((model->variable_count + 1) * sizeof *trace->start);
    return trace;
}

static void forget_step(struct trace_step *step)
{
    step->state = NULL;
    step->events = NULL;
    step->event_count = 0;
}

void trace_forget_states(struct trace *trace)
{
    forget_step(&trace->initial);
    for (size_t i = 0; i < trace->step_count; i++)
        forget_step(&trace->steps[i]);
    memory_free(trace->states);
    memory_free(trace->events);
    trace->states = NULL;
    trace->events = NULL;
}

static void take_step(struct trace_step *step, struct trace_event *events, struct value *state)
{
    step->state = state;
    step->events = events;
    step->event_count = step->hint_count;
    for (size_t i = 0; i < step->hint_count; i++)
        events[i] = (struct trace_event){step->hints[i].statement, step->hints[i].value};
}

void trace_take_hints(struct trace *trace)
{
    const uint32_t variables = trace->model->variable_count;
    size_t count = trace->initial.hint_count;
    trace_forget_states(trace);
    for (size_t i = 0; i < trace->step_count; i++)
        count += trace->steps[i].hint_count;
    trace->events = memory_alloc((count + 1) * sizeof *trace->events);
    trace->states = memory_alloc(((size_t)2 * variables + 1) * sizeof *trace->states);
    for (uint32_t v = 0; v < variables; v++) {
        trace->states[v] = trace->start[v];
        trace->states[variables + v] = VALUE_UNKNOWN;
    }
    for (size_t i = 0; i < trace->initial.hint_count; i++) {
        const struct trace_hint *hint = &trace->initial.hints[i];
        if (hint->statement->kind == STATEMENT_HAVOC)
            trace->states[hint->statement->variable->index] = hint->value;
    }
    take_step(&trace->initial, trace->events, trace->states);
    size_t next = trace->initial.hint_count;
    for (size_t i = 0; i < trace->step_count; i++) {
        take_step(&trace->steps[i], trace->events + next, trace->states + variables);
        next += trace->steps[i].hint_count;
    }
}

void trace_destroy(struct trace *trace)
{
    if (trace == NULL)
        return;
    trace_forget_states(trace);
    memory_free(trace->initial.hints);
    for (size_t i = 0; i < trace->step_count; i++)
        memory_free(trace->steps[i].hints);
    memory_free(trace->steps);
    memory_free(trace->divisions);
    memory_free(trace->start);
    term_store_destroy(trace->store);
    memory_free(trace);
}

struct trace_step *trace_add_step(struct trace *trace, const struct edge *edge)
{
    assert(edge != NULL);
    if (trace->step_count == trace->step_capacity) {
        trace->step_capacity = trace->step_capacity ? 2 * trace->step_capacity : 16;
        trace->steps = memory_realloc(trace->steps, trace->step_capacity * sizeof *trace->steps);
    }
    struct trace_step *step = &trace->steps[trace->step_count++];
    *step = (struct trace_step){.edge = edge};
    return step;
}

void trace_add_hint(struct trace *trace, struct trace_step *step, const struct statement *statement,
                    const struct sort *sort, struct value value)
{
    assert(statement->kind == STATEMENT_CHOICE || statement->kind == STATEMENT_HAVOC);
    if (step->hint_count == step->hint_capacity) {
        step->hint_capacity = step->hint_capacity ? 2 * step->hint_capacity : 4;
        step->hints = memory_realloc(step->hints, step->hint_capacity * sizeof *step->hints);
    }
    if (statement->kind == STATEMENT_HAVOC)
        value = trace_own(trace, sort, value);
    step->hints[step->hint_count++] = (struct trace_hint){statement, value};
}

void trace_add_division(struct trace *trace, enum term_kind kind, const struct sort *sort,
                        struct value dividend, struct value result)
{
    if (trace->division_count == trace->division_capacity) {
        trace->division_capacity = trace->division_capacity ? 2 * trace->division_capacity : 4;
        trace->divisions =
            memory_realloc(trace->divisions, trace->division_capacity * sizeof *trace->divisions);
    }
    dividend = trace_own(trace, sort, dividend);
    result = trace_own(trace, sort, result);
    trace->divisions[trace->division_count++] =
        (struct trace_division){kind, sort, dividend, result};
}

void trace_add_divisions(struct trace *trace, const struct trace *from)
{
    for (size_t i = 0; i < from->division_count; i++) {
        const struct trace_division *d = &from->divisions[i];
        trace_add_division(trace, d->kind, d->sort, d->dividend, d->result);
    }
}

static const struct term *own_literal(struct term_store *store, const struct sort *sort,
                                      const struct term *literal);

static const struct term *own_array(struct term_store *store, const struct sort *sort,
                                    const struct term *literal)
{
    assert(literal->child_count % 2 == 1 && sort->kind == SORT_ARRAY);
    size_t count = literal->child_count - 1;
    const struct term **entries = memory_alloc((count + 1) * sizeof(*entries));
    for (size_t i = 0; i < count; i++)
        entries[i] =
            own_literal(store, i % 2 == 0 ? sort->key : sort->element, literal->child[i + 1]);
    const struct term *fallback = own_literal(store, sort->element, literal->child[0]);
    const struct term *array = term_array(store, sort, fallback, entries, count / 2);
    memory_free(entries);
    return array;
}

static const struct term *own_rational(struct term_store *store, const char *text)
{
    const char *slash = strchr(text, '/');
    assert(slash != NULL);
    char *numerator = memory_strdup(text);
    numerator[slash - text] = '\0';
    const struct term *rational = term_rat_text(store, numerator, slash + 1);
    memory_free(numerator);
    return rational;
}

static const struct term *own_literal(struct term_store *store, const struct sort *sort,
                                      const struct term *literal)
{
    assert(term_is_literal(literal));
    struct value value = term_value(literal);
    if (value_is_small(value))
        return term_of_value(store, sort, value);
    switch (literal->kind) {
    case TERM_INT:
        return term_int_text(store, literal->u.text);
    case TERM_RAT:
        return own_rational(store, literal->u.text);
    case TERM_BV:
        return term_bv_text(store, sort->width, literal->u.text);
    default:
        assert(literal->kind == TERM_ARRAY);
        return own_array(store, sort, literal);
    }
}

struct value trace_own(struct trace *trace, const struct sort *sort, struct value value)
{
    if (!value_known(value) || value_is_small(value))
        return value;
    return term_value(own_literal(trace->store, sort, value_pointer_get(value)));
}

static bool only_tests(const struct statement *action)
{
    if (action->kind == STATEMENT_ASSIGN || action->kind == STATEMENT_HAVOC)
        return false;
    for (uint32_t i = 0; i < action->child_count; i++)
        if (!only_tests(action->child[i]))
            return false;
    return true;
}

bool trace_only_tests(const struct model *model, const struct edge *edge)
{
    return edge->target == model->error && model->property != NULL && only_tests(edge->action);
}

const struct trace_step *trace_step_at(const struct trace *trace, size_t step)
{
    assert(step <= trace->step_count);
    return step == 0 ? &trace->initial : &trace->steps[step - 1];
}

const struct location *trace_location_at(const struct trace *trace, size_t step)
{
    assert(step <= trace->step_count);
    return step == 0 ? trace->model->initial : trace->steps[step - 1].edge->target;
}

bool trace_shows(const struct trace *trace, size_t step)
{
    if (step == 0)
        return true;
    const struct edge *edge = trace->steps[step - 1].edge;
    return edge->target->observable && !trace_only_tests(trace->model, edge);
}

enum print_language trace_language(const struct trace *trace)
{
    return trace->model->dialect->terms;
}

size_t trace_length(const struct trace *trace)
{
    size_t length = 0;
    for (size_t i = 1; i <= trace->step_count; i++)
        length += trace_shows(trace, i);
    return length;
}
