#include <string.h>

#include "languages/charts/gamma_inside.h"

// What a step of the whole system is: its environment, and its components one behind the other.

// ---- lists of actions --------------------------------------------------------------------------

struct chart_action *gamma_act(struct gamma_list *list, enum chart_action_kind kind,
                               struct chart_variable *variable,
                               const struct chart_expression *value)
{
    struct chart *chart = list->reader->chart;
    struct chart_action *action =
        chart_add_action(chart, kind, (struct position){chart->path, 0, 0});
    action->variable = variable;
    action->expression = value;
    chart_append_actions(&list->first, action);
    return action;
}

void gamma_set(struct gamma_list *list, struct chart_variable *variable, int64_t value)
{
    gamma_act(list, CHART_ASSIGN, variable,
              chart_literal(list->reader->chart, variable->type, value));
}

void gamma_copy(struct gamma_list *list, struct chart_variable *to,
                const struct chart_variable *from)
{
    gamma_act(list, CHART_ASSIGN, to, chart_read(list->reader->chart, from));
}

struct gamma_list gamma_branch(struct gamma_list *list, const struct chart_expression *condition,
                               struct chart_action **out)
{
    *out = gamma_act(list, CHART_BRANCH, NULL, condition);
    return (struct gamma_list){list->reader, NULL};
}

void gamma_clear(struct gamma_list *list, const struct gamma_signal *signal)
{
    gamma_set(list, signal->flag, 0);
    for (uint32_t i = 0; i < signal->parameter_count && !signal->persistent; i++)
        gamma_set(list, signal->parameters[i], 0);
}

void gamma_clear_all(struct gamma_list *list, const struct gamma_instance *leaf, bool inputs)
{
    for (uint32_t i = 0; i < leaf->port_count; i++) {
        for (uint32_t j = 0; j < leaf->ports[i]->signal_count; j++) {
            if (leaf->ports[i]->signals[j]->input == inputs)
                gamma_clear(list, leaf->ports[i]->signals[j]);
        }
    }
}

// What waits in `buffer` comes in.
static void deliver(struct gamma_list *list, const struct gamma_signal *signal,
                    const struct gamma_signal *buffer)
{
    struct chart_action *when;
    struct gamma_list inner =
        gamma_branch(list, chart_read(list->reader->chart, buffer->flag), &when);
    gamma_set(&inner, signal->flag, 1);
    gamma_set(&inner, buffer->flag, 0);
    for (uint32_t i = 0; i < signal->parameter_count; i++) {
        gamma_copy(&inner, signal->parameters[i], buffer->parameters[i]);
        gamma_set(&inner, buffer->parameters[i], 0);
    }
    when->then = inner.first;
}

void gamma_add_operation(struct gamma_reader *reader, const struct chart_component *component,
                         const struct chart_action *actions, const struct chart_expression *when)
{
    struct chart_operation operation = {component, actions, when};
    if (component != NULL || actions != NULL)
        CHART_APPEND(&reader->chart->arena, reader->chart->operations,
                     reader->chart->operation_count, operation);
}

static const struct chart_action *deliveries(struct gamma_reader *reader,
                                             const struct gamma_instance *instance)
{
    struct gamma_list list = {reader, NULL};
    for (uint32_t i = 0; i < instance->late_count; i++)
        deliver(&list, instance->late[i], instance->late[i]->buffer);
    return list.first;
}

// Internal events that no queue takes in come back at once, for the next run.
static void deliver_internal(struct gamma_list *list, const struct gamma_instance *leaf)
{
    for (uint32_t i = 0; i < leaf->port_count; i++) {
        for (uint32_t j = 0; j < leaf->ports[i]->signal_count; j++) {
            const struct gamma_signal *signal = leaf->ports[i]->signals[j];
            if (signal->loop != NULL && !signal->queued)
                deliver(list, signal, signal->loop);
        }
    }
}

// Something has come in, or a timeout is over, where the component runs only then; NULL: it always runs.
static const struct chart_expression *awaited(struct gamma_reader *reader,
                                              const struct gamma_instance *leaf)
{
    struct chart *chart = reader->chart;
    const struct chart_expression *any = NULL;
    if (!leaf->waits_for_events && !leaf->waits_for_timeouts)
        return NULL;
    for (uint32_t i = 0; i < leaf->port_count; i++) {
        for (uint32_t j = 0; j < leaf->ports[i]->signal_count; j++) {
            if (leaf->ports[i]->signals[j]->input)
                any = chart_either(chart, any, chart_read(chart, leaf->ports[i]->signals[j]->flag));
        }
    }
    for (size_t i = 0; leaf->waits_for_timeouts && i < reader->timers.count; i++) {
        const struct chart_variable *timer = reader->timers.data[i];
        const char *name = strncmp(timer->name, leaf->prefix, strlen(leaf->prefix)) == 0
                               ? timer->name + strlen(leaf->prefix)
                               : "";
        if (chart_names_find(&leaf->variables, name) == timer)
            any = chart_either(chart, any,
                               chart_binary(chart, CHART_EQUAL, chart_read(chart, timer),
                                            chart_literal(chart, &CHART_TYPE_INT, 0)));
    }
    return any != NULL ? any : chart_literal(chart, &CHART_TYPE_BOOL, 0);
}

static void add_leaf(struct gamma_reader *reader, const struct gamma_instance *leaf,
                     const struct chart_expression *when)
{
    struct gamma_list list = {reader, NULL}, first = {reader, NULL};
    const struct chart_expression *condition = awaited(reader, leaf);
    gamma_add_operation(reader, leaf->component, NULL, chart_both(reader->chart, when, condition));
    if (leaf->invariant != NULL) {
        gamma_act(&list, CHART_ASSUME, NULL, leaf->invariant);
        gamma_act(&first, CHART_ASSUME, NULL, leaf->invariant);
    }
    gamma_clear_all(&list, leaf, true);
    deliver_internal(&list, leaf);
    gamma_add_operation(reader, NULL, list.first, when);
    deliver_internal(&first, leaf);
    chart_append_actions(&reader->chart->settle, first.first);
}

// One component of an asynchronous composite in a step, whichever: a number that stands for it.
static struct chart_variable *choose_any(struct gamma_reader *reader,
                                         const struct gamma_instance *instance, uint32_t count,
                                         const struct chart_expression *when)
{
    struct chart *chart = reader->chart;
    struct gamma_list list = {reader, NULL};
    const char **literals = arena_zalloc(&chart->arena, (count + 1) * sizeof *literals);
    struct chart_type *type = arena_zalloc(&chart->arena, sizeof *type);
    for (uint32_t i = 0; i < count; i++)
        literals[i] = instance->children[i]->name;
    *type = (struct chart_type){CHART_ENUM, chart_text(chart, "%scomponents", instance->prefix),
                                literals, count};
    struct chart_variable *chosen = gamma_own_variable(
        reader, instance->prefix, "runs", type, CHART_DATA, (struct position){chart->path, 0, 0});
    chosen->scratch = true;
    gamma_act(&list, CHART_HAVOC, chosen, NULL);
    gamma_add_operation(reader, NULL, list.first, when);
    return chosen;
}

static void add_choice(struct gamma_reader *reader, const struct gamma_instance *instance,
                       const struct chart_expression *when)
{
    struct chart *chart = reader->chart;
    struct gamma_list after = {reader, NULL};
    if (instance->child_count == 0)
        return;
    struct chart_variable *chosen = choose_any(reader, instance, instance->child_count, when);
    for (uint32_t i = 0; i < instance->child_count; i++) {
        const struct chart_expression *is = chart_binary(
            chart, CHART_EQUAL, chart_read(chart, chosen), chart_literal(chart, chosen->type, i));
        gamma_add_operations(reader, instance->children[i], chart_both(chart, when, is));
    }
    gamma_set(&after, chosen, 0);
    gamma_add_operation(reader, NULL, after.first, NULL);
}

void gamma_add_operations(struct gamma_reader *reader, const struct gamma_instance *instance,
                          const struct chart_expression *when)
{
    if (instance->adapter != NULL) {
        gamma_adapter_turn(reader, instance, when);
        return;
    }
    if (instance->component != NULL) {
        add_leaf(reader, instance, when);
        return;
    }
    if (instance->declaration->kind == GAMMA_ASYNC) {
        add_choice(reader, instance, when);
        return;
    }
    bool ordered = instance->order_count > 0;
    uint32_t count = ordered ? instance->order_count : instance->child_count;
    for (uint32_t i = 0; i < count; i++)
        gamma_add_operations(reader, ordered ? instance->order[i] : instance->children[i], when);
    gamma_add_operation(reader, NULL, deliveries(reader, instance), when);
    chart_append_actions(&reader->chart->settle, deliveries(reader, instance));
}

void gamma_add_first_operations(struct gamma_reader *reader, const struct gamma_instance *top)
{
    struct chart *chart = reader->chart;
    struct chart_operation *usual = chart->operations;
    uint32_t count = chart->operation_count;
    chart->operations = NULL;
    chart->operation_count = 0;
    for (uint32_t i = 0; i < top->initial_count; i++)
        gamma_add_operations(reader, top->initial_order[i], NULL);
    chart->first = chart->operations;
    chart->first_count = chart->operation_count;
    chart->operations = usual;
    chart->operation_count = count;
}

static void havoc_input(struct gamma_list *list, const struct gamma_port *port, uint32_t number)
{
    struct chart *chart = list->reader->chart;
    const struct gamma_signal *signal = port->signals[number];
    struct chart_action *when;
    for (uint32_t i = 0; i < number; i++) { // bound to several: as the first one
        const struct gamma_signal *first = port->signals[i];
        if (!first->input || strcmp(gamma_event_of(first), gamma_event_of(signal)) != 0)
            continue;
        gamma_copy(list, signal->flag, first->flag);
        struct gamma_list inner = gamma_branch(list, chart_read(chart, signal->flag), &when);
        for (uint32_t p = 0; p < signal->parameter_count; p++)
            gamma_copy(&inner, signal->parameters[p], first->parameters[p]);
        when->then = inner.first;
        return;
    }
    gamma_act(list, CHART_HAVOC, signal->flag, NULL);
    struct gamma_list inner = gamma_branch(list, chart_read(chart, signal->flag), &when);
    for (uint32_t p = 0; p < signal->parameter_count; p++)
        gamma_act(&inner, CHART_HAVOC, signal->parameters[p], NULL);
    when->then = inner.first;
}

// The same time passes for all timers that run.
static void elapse(struct gamma_list *list)
{
    struct gamma_reader *reader = list->reader;
    struct chart *chart = reader->chart;
    if (reader->timers.count == 0)
        return;
    struct chart_variable *elapsed = chart_add_variable(
        chart, "elapsed", &CHART_TYPE_INT, CHART_DATA, (struct position){chart->path, 0, 0});
    const struct chart_expression *zero = chart_literal(chart, &CHART_TYPE_INT, 0),
                                  *time = chart_read(chart, elapsed);
    elapsed->scratch = true;
    chart->elapsing =
        gamma_act(list, CHART_HAVOC, elapsed, chart_binary(chart, CHART_LESS_EQUAL, zero, time));
    for (size_t i = 0; i < reader->timers.count; i++) {
        struct chart_variable *timer = reader->timers.data[i];
        const struct chart_expression *left = chart_read(chart, timer);
        struct chart_expression *value =
            chart_make(chart, CHART_IF, &CHART_TYPE_INT, timer->source);
        value->child[0] = chart_binary(chart, CHART_LESS, time, left);
        value->child[1] = chart_binary(chart, CHART_SUBTRACT, left, time);
        value->child[2] = zero;
        struct chart_action *when;
        struct gamma_list inner =
            gamma_branch(list, chart_binary(chart, CHART_LESS_EQUAL, zero, left), &when);
        gamma_act(&inner, CHART_ASSIGN, timer, value);
        when->then = inner.first;
    }
    gamma_set(list, elapsed, 0);
}

// Synchronous components are given their inputs; asynchronous ones take messages when they run, and keep what they
// have raised until then.
static void give_inputs(struct gamma_list *list, const struct gamma_instance *top)
{
    struct gamma_reader *reader = list->reader;
    for (size_t i = 0; i < reader->instances.count; i++) {
        if (reader->instances.data[i]->component != NULL)
            gamma_clear_all(list, reader->instances.data[i], false);
    }
    for (uint32_t i = 0; i < top->port_count; i++) {
        for (uint32_t j = 0; j < top->ports[i]->signal_count; j++) {
            const struct gamma_signal *signal = top->ports[i]->signals[j];
            if (signal->input && signal->loop == NULL)
                havoc_input(list, top->ports[i], j);
        }
    }
}

void gamma_make_environment(struct gamma_reader *reader, const struct gamma_instance *top)
{
    struct gamma_list list = {reader, NULL};
    if (reader->adapters.count == 0)
        give_inputs(&list, top);
    elapse(&list);
    gamma_arrivals(&list);
    reader->chart->environment = list.first;
}
