#include "languages/charts/gamma_queues.h"

// What adapters do: places of their queues, messages that are put in and taken out, a turn.

#define PLACE_LIMIT 4096

// ---- who fills which queue ---------------------------------------------------------------------

static bool is_posted(const struct gamma_reader *reader, const struct gamma_signal *input)
{
    for (size_t i = 0; i < reader->signals.count; i++) {
        const struct gamma_signal *signal = reader->signals.data[i];
        for (uint32_t j = 0; j < signal->post_count; j++) {
            if (signal->posts[j] == input)
                return true;
        }
    }
    return false;
}

static bool is_system_input(const struct gamma_instance *top, const struct gamma_signal *input)
{
    for (uint32_t i = 0; i < top->port_count; i++) {
        for (uint32_t j = 0; j < top->ports[i]->signal_count; j++) {
            if (top->ports[i]->signals[j] == input)
                return input->input && input->loop == NULL;
        }
    }
    return false;
}

// The queue that takes a signal in: the first one, in the order of priorities.
static struct queue *queue_for(const struct gamma_adapter *adapter,
                               const struct gamma_signal *signal, uint32_t *number)
{
    for (uint32_t q = 0; q < adapter->queue_count; q++) {
        for (*number = 0; *number < adapter->queues[q]->message_count; ++*number) {
            if (adapter->queues[q]->messages[*number].from == signal)
                return adapter->queues[q];
        }
    }
    return NULL;
}

static void classify(struct gamma_reader *reader, const struct gamma_instance *top,
                     const struct gamma_adapter *adapter, struct queue *queue)
{
    for (uint32_t i = 0; i < queue->message_count; i++) {
        struct letter *message = &queue->messages[i];
        uint32_t number;
        if (message->clock == NULL && (queue_for(adapter, message->from, &number) != queue))
            continue; // goes elsewhere
        message->from_outside = message->clock == NULL && is_system_input(top, message->from);
        queue->outside |= message->from_outside;
        queue->inside |= message->clock != NULL || !message->from->input ||
                         message->from->loop != NULL || is_posted(reader, message->from);
    }
}

static struct chart_variable *hidden(struct gamma_reader *reader,
                                     const struct gamma_adapter *adapter, const char *name,
                                     const struct chart_type *type, enum chart_role role)
{
    struct chart_variable *made =
        gamma_own_variable(reader, adapter->instance->prefix, name, type, role,
                           (struct position){reader->chart->path, 0, 0});
    made->scratch = true;
    return made;
}

static const char *message_name(struct gamma_reader *reader, const struct letter *message)
{
    return message->event == NULL
               ? message->port
               : chart_text(reader->chart, "%s.%s", message->port, message->event);
}

static uint32_t parameters_of(const struct letter *message)
{
    return message->clock != NULL ? 0 : message->from->parameter_count;
}

static const struct chart_type *kinds_of(struct gamma_reader *reader,
                                         const struct gamma_adapter *adapter,
                                         const struct queue *queue)
{
    struct chart_type *type = arena_zalloc(&reader->chart->arena, sizeof *type);
    const char **literals =
        arena_zalloc(&reader->chart->arena, (queue->message_count + 1) * sizeof *literals);
    literals[0] = "none";
    for (uint32_t i = 0; i < queue->message_count; i++)
        literals[i + 1] = message_name(reader, &queue->messages[i]);
    *type = (struct chart_type){
        CHART_ENUM,
        chart_text(reader->chart, "%s%s messages", adapter->instance->prefix, queue->name),
        literals, queue->message_count + 1};
    return type;
}

static void make_place(struct gamma_reader *reader, const struct gamma_adapter *adapter,
                       const struct queue *queue, uint32_t number, const struct chart_type *kinds)
{
    struct chart *chart = reader->chart;
    struct queue_place *place = &queue->places[number];
    place->kind =
        hidden(reader, adapter, chart_text(chart, "%s %u", queue->name, number), kinds, CHART_DATA);
    place->kind->scratch = false;
    place->parameters =
        arena_zalloc(&reader->arena, (queue->message_count + 1) * sizeof *place->parameters);
    for (uint32_t m = 0; m < queue->message_count; m++) {
        const struct letter *message = &queue->messages[m];
        uint32_t count = parameters_of(message);
        place->parameters[m] =
            arena_zalloc(&reader->arena, (count + 1) * sizeof *place->parameters[m]);
        for (uint32_t p = 0; p < count; p++) {
            const struct chart_variable *parameter = message->from->parameters[p];
            place->parameters[m][p] =
                hidden(reader, adapter,
                       chart_text(chart, "%s %u %s %s", queue->name, number,
                                  message_name(reader, message), strrchr(parameter->name, ':') + 1),
                       parameter->type, CHART_PARAMETER);
        }
    }
}

static void make_places(struct gamma_reader *reader, const struct gamma_adapter *adapter,
                        struct queue *queue)
{
    uint64_t each = 1;
    for (uint32_t m = 0; m < queue->message_count; m++)
        each += parameters_of(&queue->messages[m]);
    if (queue->capacity == 0 || each * queue->capacity > PLACE_LIMIT) {
        lexer_not_supported(&adapter->instance->declaration->file->lexer, queue->at,
                            queue->capacity == 0 ? "a queue between components without a capacity"
                                                 : "a queue with so many places for parameters");
        return;
    }
    queue->places = arena_zalloc(&reader->arena, queue->capacity * sizeof *queue->places);
    const struct chart_type *kinds = kinds_of(reader, adapter, queue);
    for (uint32_t i = 0; i < queue->capacity; i++)
        make_place(reader, adapter, queue, i, kinds);
}

// A message from outside goes to one adapter: two would have to get the same ones.
static void check_bindings(struct gamma_reader *reader, const struct gamma_instance *top)
{
    for (uint32_t i = 0; i < top->port_count; i++) {
        const struct gamma_port *port = top->ports[i];
        for (uint32_t j = 0; j < port->signal_count; j++) {
            uint32_t takers = 0, number;
            for (size_t a = 0; a < reader->adapters.count; a++) {
                bool takes = false;
                for (uint32_t k = 0; k < port->signal_count; k++)
                    takes |= port->signals[k]->input &&
                             same_event(port->signals[k], port->signals[j]) &&
                             queue_for(reader->adapters.data[a], port->signals[k], &number) != NULL;
                takers += takes;
            }
            if (takers > 1 && !gamma_failed(reader))
                lexer_not_supported(&top->declaration->file->lexer,
                                    &top->declaration->file->lexer.tokens[top->declaration->at],
                                    "a port of an asynchronous system, `%s`, that is bound to "
                                    "several components",
                                    port->name);
        }
    }
}

void gamma_make_queues(struct gamma_reader *reader, const struct gamma_instance *top)
{
    check_bindings(reader, top);
    for (size_t a = 0; a < reader->adapters.count; a++) {
        struct gamma_adapter *adapter = reader->adapters.data[a];
        for (uint32_t q = 0; q < adapter->queue_count && !gamma_failed(reader); q++) {
            classify(reader, top, adapter, adapter->queues[q]);
            if (adapter->queues[q]->inside)
                make_places(reader, adapter, adapter->queues[q]);
        }
    }
}

// ---- putting in and taking out -----------------------------------------------------------------

static const struct chart_expression *holds_kind(struct gamma_reader *reader,
                                                 const struct queue_place *place, uint32_t kind)
{
    return chart_binary(reader->chart, CHART_EQUAL, chart_read(reader->chart, place->kind),
                        chart_literal(reader->chart, place->kind->type, kind));
}

// values: of the parameters.
static void fill(struct gamma_list *list, const struct queue *queue, uint32_t number,
                 uint32_t message, struct chart_variable *const *values)
{
    struct queue_place *place = &queue->places[number];
    gamma_set(list, place->kind, (int64_t)message + 1);
    for (uint32_t p = 0; p < parameters_of(&queue->messages[message]); p++)
        gamma_copy(list, place->parameters[message][p], values[p]);
}

static void shift(struct gamma_list *list, const struct queue *queue)
{
    for (uint32_t i = 0; i < queue->capacity; i++) {
        struct queue_place *to = &queue->places[i];
        const struct queue_place *from = i + 1 < queue->capacity ? &queue->places[i + 1] : NULL;
        if (from != NULL)
            gamma_copy(list, to->kind, from->kind);
        else
            gamma_set(list, to->kind, 0);
        for (uint32_t m = 0; m < queue->message_count; m++) {
            for (uint32_t p = 0; p < parameters_of(&queue->messages[m]); p++) {
                if (from != NULL)
                    gamma_copy(list, to->parameters[m][p], from->parameters[m][p]);
                else
                    gamma_set(list, to->parameters[m][p], 0);
            }
        }
    }
}

static void empty(struct gamma_list *list, const struct queue *queue)
{
    for (uint32_t i = 0; queue->places != NULL && i < queue->capacity; i++) {
        gamma_set(list, queue->places[i].kind, 0);
        for (uint32_t m = 0; m < queue->message_count; m++) {
            for (uint32_t p = 0; p < parameters_of(&queue->messages[m]); p++)
                gamma_set(list, queue->places[i].parameters[m][p], 0);
        }
    }
}

// Into the first free place; when there is none the message is lost, or the oldest one is.
static void put(struct gamma_list *list, const struct queue *queue, uint32_t message,
                struct chart_variable *const *values)
{
    struct gamma_list rest = {list->reader, NULL};
    if (queue->drops_oldest) {
        shift(&rest, queue);
        fill(&rest, queue, queue->capacity - 1, message, values);
    }
    for (uint32_t i = queue->capacity; i-- > 0;) {
        struct chart_action *when;
        struct gamma_list outer = {list->reader, NULL};
        struct gamma_list inner =
            gamma_branch(&outer, holds_kind(list->reader, &queue->places[i], 0), &when);
        fill(&inner, queue, i, message, values);
        when->then = inner.first;
        when->otherwise = rest.first;
        rest = outer;
    }
    chart_append_actions(&list->first, rest.first);
}

// ---- the environment ---------------------------------------------------------------------------

// What the environment may send: one message of a queue, or none.
struct arrival {
    struct chart_variable *flag;
    struct chart_variable **parameters;
};

// The input itself when nothing else is written to it, else variables of its own.
static struct arrival make_arrival(struct gamma_reader *reader, const struct gamma_adapter *adapter,
                                   const struct letter *message, bool itself)
{
    const struct gamma_signal *from = message->from;
    if (itself)
        return (struct arrival){from->flag, from->parameters};
    struct arrival made = {0};
    uint32_t number = reader->chart->variable_count;
    made.flag = hidden(reader, adapter,
                       chart_text(reader->chart, "%s %u", message_name(reader, message), number),
                       &CHART_TYPE_BOOL, CHART_EVENT);
    made.parameters =
        arena_zalloc(&reader->arena, (from->parameter_count + 1) * sizeof *made.parameters);
    for (uint32_t p = 0; p < from->parameter_count; p++)
        made.parameters[p] =
            hidden(reader, adapter,
                   chart_text(reader->chart, "%s %u %s", message_name(reader, message), number,
                              strrchr(from->parameters[p]->name, ':') + 1),
                   from->parameters[p]->type, CHART_PARAMETER);
    return made;
}

static struct arrival *send(struct gamma_list *list, const struct gamma_adapter *adapter,
                            const struct queue *queue, bool themselves,
                            const struct chart_expression **any)
{
    struct gamma_reader *reader = list->reader;
    struct chart *chart = reader->chart;
    struct arrival *arrivals =
        arena_zalloc(&reader->arena, (queue->message_count + 1) * sizeof *arrivals);
    *any = NULL;
    for (uint32_t m = 0; m < queue->message_count; m++) {
        const struct letter *message = &queue->messages[m];
        if (!message->from_outside)
            continue;
        struct arrival arrival = make_arrival(reader, adapter, message, themselves);
        const struct chart_expression *flag = chart_read(chart, arrival.flag), *alone = NULL;
        if (*any != NULL)
            alone = chart_unary(chart, CHART_NOT, chart_binary(chart, CHART_AND, flag, *any));
        gamma_act(list, CHART_HAVOC, arrival.flag, alone);
        struct chart_action *when;
        struct gamma_list inner = gamma_branch(list, flag, &when);
        for (uint32_t p = 0; p < message->from->parameter_count; p++)
            gamma_act(&inner, CHART_HAVOC, arrival.parameters[p], NULL);
        when->then = inner.first;
        *any = chart_either(chart, *any, flag);
        arrivals[m] = arrival;
    }
    return arrivals;
}

static void forget(struct gamma_list *list, const struct letter *message,
                   const struct arrival *arrival)
{
    if (arrival->flag == NULL || arrival->flag == message->from->flag)
        return;
    gamma_set(list, arrival->flag, 0);
    for (uint32_t p = 0; p < message->from->parameter_count; p++)
        gamma_set(list, arrival->parameters[p], 0);
}

// Into a queue that others fill, too: at any time, so before a step as many as have place.
static void arrive(struct gamma_list *list, const struct gamma_adapter *adapter,
                   const struct queue *queue)
{
    struct chart *chart = list->reader->chart;
    for (uint32_t i = 0; i < queue->capacity; i++) {
        const struct chart_expression *any;
        struct arrival *arrivals = send(list, adapter, queue, false, &any);
        for (uint32_t m = 0; m < queue->message_count; m++) {
            if (arrivals[m].flag == NULL)
                continue;
            struct chart_action *when;
            struct gamma_list inner =
                gamma_branch(list, chart_read(chart, arrivals[m].flag), &when);
            put(&inner, queue, m, arrivals[m].parameters);
            forget(&inner, &queue->messages[m], &arrivals[m]);
            when->then = inner.first;
        }
    }
}

static void tick(struct gamma_list *list, const struct gamma_adapter *adapter,
                 const struct clock *clock)
{
    struct chart *chart = list->reader->chart;
    struct chart_action *when;
    struct gamma_list inner =
        gamma_branch(list,
                     chart_binary(chart, CHART_EQUAL, chart_read(chart, clock->left),
                                  chart_literal(chart, &CHART_TYPE_INT, 0)),
                     &when);
    gamma_set(&inner, clock->left, clock->rate);
    for (uint32_t q = 0; q < adapter->queue_count; q++) {
        for (uint32_t m = 0; m < adapter->queues[q]->message_count; m++) {
            if (adapter->queues[q]->messages[m].clock == clock)
                put(&inner, adapter->queues[q], m, NULL);
        }
    }
    when->then = inner.first;
}

void gamma_arrivals(struct gamma_list *list)
{
    for (size_t a = 0; a < list->reader->adapters.count; a++) {
        const struct gamma_adapter *adapter = list->reader->adapters.data[a];
        for (uint32_t q = 0; q < adapter->queue_count; q++) {
            if (adapter->queues[q]->inside && adapter->queues[q]->outside)
                arrive(list, adapter, adapter->queues[q]);
        }
        for (uint32_t i = 0; i < adapter->clock_count; i++)
            tick(list, adapter, adapter->clocks[i]);
    }
}

// ---- a turn ------------------------------------------------------------------------------------

// values: of the parameters; those of the inputs themselves need not be copied.
static void receive(struct gamma_list *list, const struct gamma_adapter *adapter,
                    const struct queue *queue, const struct letter *message,
                    struct chart_variable *const *values)
{
    for (uint32_t i = 0; i < message->to.count; i++) {
        const struct gamma_signal *input = message->to.data[i];
        gamma_set(list, input->flag, 1);
        for (uint32_t p = 0; p < input->parameter_count; p++) {
            if (values[p] != input->parameters[p])
                gamma_copy(list, input->parameters[p], values[p]);
        }
    }
    for (uint32_t q = 0; q < adapter->queue_count; q++) {
        bool own = adapter->queues[q] == queue;
        if (own ? message->clears_own : message->clears_others)
            empty(list, adapter->queues[q]);
    }
    if (message->runs)
        gamma_set(list, adapter->runs, 1);
}

static void take_from_outside(struct gamma_list *list, const struct gamma_adapter *adapter,
                              const struct queue *queue, const struct chart_action *other)
{
    struct chart *chart = list->reader->chart;
    const struct chart_expression *any;
    bool themselves = adapter->always_runs && adapter->turns == 1;
    struct arrival *arrivals = send(list, adapter, queue, themselves, &any);
    struct chart_action *taken;
    struct gamma_list inner = gamma_branch(list, any, &taken);
    for (uint32_t m = 0; m < queue->message_count; m++) {
        if (arrivals[m].flag == NULL)
            continue;
        struct chart_action *when;
        struct gamma_list one = gamma_branch(&inner, chart_read(chart, arrivals[m].flag), &when);
        receive(&one, adapter, queue, &queue->messages[m], arrivals[m].parameters);
        forget(&one, &queue->messages[m], &arrivals[m]);
        when->then = one.first;
    }
    taken->then = inner.first;
    taken->otherwise = other;
}

static void take_stored(struct gamma_list *list, const struct gamma_adapter *adapter,
                        const struct queue *queue, const struct chart_action *other)
{
    struct gamma_reader *reader = list->reader;
    const struct queue_place *first = &queue->places[0];
    struct chart_action *is,
        *is_empty = gamma_act(list, CHART_BRANCH, NULL, holds_kind(reader, first, 0));
    // The message leaves its queue before its effects, which may empty the queue; so they go by a copy of it.
    struct chart_variable *taken =
        hidden(reader, adapter,
               chart_text(reader->chart, "%s taken %u", queue->name, reader->chart->variable_count),
               first->kind->type, CHART_DATA);
    struct gamma_list rest = {reader, NULL};
    gamma_copy(&rest, taken, first->kind);
    for (uint32_t m = 0; m < queue->message_count; m++) {
        const struct letter *message = &queue->messages[m];
        struct letter effects = *message;
        effects.clears_own = effects.clears_others = effects.runs = false;
        struct gamma_list one = gamma_branch(&rest, holds_kind(reader, first, m + 1), &is);
        receive(&one, adapter, queue, &effects, first->parameters[m]);
        is->then = one.first;
    }
    shift(&rest, queue);
    for (uint32_t m = 0; m < queue->message_count; m++) {
        struct letter effects = queue->messages[m];
        effects.to.count = 0;
        const struct chart_expression *was =
            chart_binary(reader->chart, CHART_EQUAL, chart_read(reader->chart, taken),
                         chart_literal(reader->chart, taken->type, (int64_t)m + 1));
        struct gamma_list one = gamma_branch(&rest, was, &is);
        receive(&one, adapter, queue, &effects, NULL);
        is->then = one.first;
    }
    gamma_set(&rest, taken, 0);
    is_empty->then = other;
    is_empty->otherwise = rest.first;
}

// From the first queue that has one.
static const struct chart_action *take(struct gamma_reader *reader,
                                       const struct gamma_adapter *adapter)
{
    const struct chart_action *other = NULL;
    for (uint32_t q = adapter->queue_count; q-- > 0;) {
        const struct queue *queue = adapter->queues[q];
        struct gamma_list list = {reader, NULL};
        if (queue->places != NULL)
            take_stored(&list, adapter, queue, other);
        else if (queue->outside)
            take_from_outside(&list, adapter, queue, other);
        else
            continue; // nobody fills it
        other = list.first;
    }
    return other;
}

static void clear_outputs(struct gamma_list *list, const struct gamma_instance *instance)
{
    if (instance->component != NULL)
        gamma_clear_all(list, instance, false);
    for (uint32_t i = 0; i < instance->child_count; i++)
        clear_outputs(list, instance->children[i]);
}

static void post_to(struct gamma_list *list, const struct gamma_signal *out,
                    const struct gamma_signal *message)
{
    for (size_t a = 0; a < list->reader->adapters.count; a++) {
        uint32_t number;
        const struct queue *queue = queue_for(list->reader->adapters.data[a], message, &number);
        if (queue != NULL)
            put(list, queue, number, out->parameters);
    }
}

// What was raised goes to the queues, in the order of ports and events. Internal events are gone then.
static const struct chart_action *posts(struct gamma_reader *reader,
                                        const struct gamma_adapter *adapter)
{
    const struct gamma_instance *instance = adapter->instance;
    struct gamma_list list = {reader, NULL};
    for (uint32_t i = 0; i < instance->port_count; i++) {
        const struct gamma_port *port = instance->ports[i];
        for (uint32_t j = 0; j < port->signal_count; j++) {
            const struct gamma_signal *signal = port->signals[j],
                                      *out = signal->loop != NULL ? signal->loop : signal;
            if (out->input || (signal->loop != NULL && !signal->queued))
                continue;
            struct chart_action *when;
            struct gamma_list inner =
                gamma_branch(&list, chart_read(reader->chart, out->flag), &when);
            uint32_t number;
            const struct queue *own = queue_for(adapter, signal, &number);
            if (own != NULL)
                put(&inner, own, number, out->parameters);
            for (uint32_t k = 0; k < signal->post_count; k++)
                post_to(&inner, out, signal->posts[k]);
            if (signal->loop != NULL)
                gamma_clear(&inner, out);
            when->then = inner.first;
        }
    }
    return list.first;
}

void gamma_adapter_turn(struct gamma_reader *reader, const struct gamma_instance *instance,
                        const struct chart_expression *when)
{
    struct gamma_adapter *adapter = instance->adapter;
    struct gamma_list before = {reader, NULL}, after = {reader, NULL};
    adapter->turns++;
    const struct chart_expression *runs = chart_read(reader->chart, adapter->runs);
    gamma_add_operation(reader, NULL, take(reader, adapter), when);
    clear_outputs(&before, instance);
    gamma_add_operation(reader, NULL, before.first, runs);
    struct gamma_instance inside = *instance; // an asynchronous statechart runs itself
    inside.adapter = NULL;
    gamma_add_operations(reader, instance->child_count > 0 ? instance->children[0] : &inside, runs);
    chart_append_actions(&after.first, posts(reader, adapter));
    if (instance->component == NULL)
        gamma_clear_all(&after, instance, true); // of its own ports
    gamma_set(&after, adapter->runs, 0);
    gamma_add_operation(reader, NULL, after.first, runs);
    if (adapter->turns == 1)
        chart_append_actions(&reader->chart->settle, posts(reader, adapter));
}
