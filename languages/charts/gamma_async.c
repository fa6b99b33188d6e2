#include "languages/charts/gamma_queues.h"

// Adapters as they are written: queues and their messages, clocks, control specifications. An asynchronous statechart
// is its own.

#define CAPACITY_LIMIT 64

static void add_message(struct gamma_reader *reader, struct queue *queue, struct letter message)
{
    CHART_APPEND(&reader->arena, queue->messages, queue->message_count, message);
}

// The inputs of a port that have the event's name.
static struct signals inputs_of(struct gamma_reader *reader, const struct gamma_port *port,
                                const char *event)
{
    struct signals found = {0};
    for (uint32_t i = 0; i < port->signal_count; i++) {
        struct gamma_signal *signal = port->signals[i];
        if (signal->input && strcmp(gamma_event_of(signal), event) == 0)
            CHART_APPEND(&reader->arena, found.data, found.count, signal);
    }
    return found;
}

static bool fits(const struct gamma_signal *from, const struct gamma_signal *to)
{
    bool same = from->parameter_count == to->parameter_count;
    for (uint32_t i = 0; same && i < from->parameter_count; i++)
        same = from->parameters[i]->type == to->parameters[i]->type;
    return same;
}

// PORT . EVENT, PORT . any; NULL with a message. *event NULL: any.
static const struct gamma_port *read_reference(struct gamma_reader *reader,
                                               const struct gamma_instance *instance,
                                               const char **name, const char **event)
{
    const struct token *port = gamma_name(reader, "a port");
    if (port == NULL || !gamma_expect(reader, "."))
        return NULL;
    const struct token *what = gamma_name(reader, "an event");
    if (what == NULL)
        return NULL;
    *name = chart_token_text(reader->chart, port);
    *event = token_is(what, "any") ? NULL : chart_token_text(reader->chart, what);
    const struct gamma_port *found = gamma_find_port(instance, *name);
    bool known = *event == NULL;
    for (uint32_t i = 0; found != NULL && i < found->signal_count; i++)
        known |= *event != NULL && strcmp(gamma_event_of(found->signals[i]), *event) == 0;
    if (found == NULL || !known) {
        lexer_error(reader->lexer, found == NULL ? port : what, "found `%.*s`, expected %s",
                    (int)(found == NULL ? port : what)->length, (found == NULL ? port : what)->text,
                    found == NULL ? "a port" : "an event of the port");
        return NULL;
    }
    return found;
}

// What the component sends, or raises for itself, is passed on to its inputs.
static void add_passed(struct gamma_reader *reader, struct queue *queue, struct letter message,
                       const struct gamma_port *target, const char *event)
{
    message.to = inputs_of(reader, target, event != NULL ? event : gamma_event_of(message.from));
    const struct gamma_signal *to = message.to.count == 0 ? NULL : message.to.data[0];
    if (to == NULL || to->loop != NULL || !fits(message.from, to))
        lexer_not_supported(reader->lexer, message.at,
                            "an event that is passed on to none of the same parameters");
    else
        add_message(reader, queue, message);
}

// PORT.EVENT, or PORT.EVENT -> PORT.EVENT, where an event may be `any`
static void read_messages(struct gamma_reader *reader, const struct gamma_instance *instance,
                          struct queue *queue)
{
    struct letter message = {.at = lexer_token(reader->lexer)};
    const char *event, *target_name, *target_event = NULL;
    const struct gamma_port *port = read_reference(reader, instance, &message.port, &event),
                            *target = NULL;
    if (port != NULL && lexer_accept(reader->lexer, CHART_TOKEN_ARROW) != NULL)
        target = read_reference(reader, instance, &target_name, &target_event);
    for (uint32_t i = 0; port != NULL && !gamma_failed(reader) && i < port->signal_count; i++) {
        struct gamma_signal *signal = port->signals[i];
        message.event = gamma_event_of(signal);
        message.from = signal;
        if (event != NULL && strcmp(event, message.event) != 0)
            continue;
        bool second = false; // the same event of the same port of another component
        for (uint32_t j = 0; j < i; j++)
            second |=
                port->signals[j]->input == signal->input && same_event(port->signals[j], signal);
        if (second && signal->input && signal->loop == NULL)
            continue;
        signal->queued = true;
        if (target != NULL && (!signal->input || signal->loop != NULL)) {
            add_passed(reader, queue, message, target, target_event);
        } else if (target != NULL) {
            lexer_not_supported(reader->lexer, message.at, "an input that is passed on");
        } else if (signal->input) {
            message.to = inputs_of(reader, port, message.event);
            add_message(reader, queue, message);
        }
    }
}

static const struct clock *find_clock(const struct gamma_adapter *adapter, const char *name)
{
    for (uint32_t i = 0; i < adapter->clock_count; i++) {
        if (strcmp(adapter->clocks[i]->name, name) == 0)
            return adapter->clocks[i];
    }
    return NULL;
}

static bool at_reference(struct gamma_reader *reader)
{
    return lexer_peek(reader->lexer, 1)->kind == CHART_TOKEN_DOT;
}

static bool read_number(struct gamma_reader *reader, const char *what, int64_t *out)
{
    const struct token *at = lexer_token(reader->lexer);
    const struct chart_expression *value = gamma_expression(reader, &CHART_TYPE_INT, what);
    if (value != NULL && !chart_constant(value, out))
        lexer_not_supported(reader->lexer, at, "%s that is not constant", what);
    return !gamma_failed(reader);
}

// ( priority = N, capacity = N, discard = incoming )
static void read_queue_options(struct gamma_reader *reader, struct queue *queue)
{
    int64_t capacity = 0;
    gamma_expect(reader, "(");
    do {
        const struct token *at = lexer_token(reader->lexer);
        bool discards = false;
        lexer_next(reader->lexer);
        if (!gamma_expect(reader, "="))
            return;
        if (token_is(at, "priority")) {
            read_number(reader, "a priority", &queue->priority);
        } else if (token_is(at, "capacity")) {
            read_number(reader, "a capacity", &capacity);
        } else if (token_is(at, "discard")) {
            discards = queue->drops_oldest = gamma_accept(reader, "oldest");
            if (!discards)
                gamma_expect(reader, "incoming");
        } else {
            lexer_error(reader->lexer, at, "found `%.*s`, expected priority, capacity or discard",
                        (int)at->length, at->text);
        }
    } while (!gamma_failed(reader) && gamma_accept(reader, ","));
    gamma_expect(reader, ")");
    if (!gamma_failed(reader) && (capacity < 1 || capacity > CAPACITY_LIMIT))
        lexer_not_supported(reader->lexer, queue->at, "a queue of capacity %lld, only 1 to %d",
                            (long long)capacity, CAPACITY_LIMIT);
    queue->capacity = (uint32_t)capacity;
}

// queue NAME ( … ) { PORT.EVENT, CLOCK, … }
static void read_queue(struct gamma_reader *reader, struct gamma_adapter *adapter)
{
    struct queue *queue = arena_zalloc(&reader->arena, sizeof *queue);
    const struct token *name = gamma_name(reader, "a queue");
    if (name == NULL)
        return;
    queue->name = chart_token_text(reader->chart, name);
    queue->at = name;
    read_queue_options(reader, queue);
    if (!gamma_expect(reader, "{"))
        return;
    do {
        const struct token *at = lexer_token(reader->lexer);
        struct letter message = {.at = at, .port = chart_token_text(reader->chart, at)};
        if (at_reference(reader)) {
            read_messages(reader, adapter->instance, queue);
        } else if ((message.clock = find_clock(adapter, message.port)) != NULL) {
            lexer_next(reader->lexer);
            add_message(reader, queue, message);
        } else {
            lexer_unexpected(reader->lexer, "an event of a port, or a clock declared before");
        }
    } while (!gamma_failed(reader) && gamma_accept(reader, ","));
    gamma_expect(reader, "}");
    CHART_APPEND(&reader->arena, adapter->queues, adapter->queue_count, queue);
}

// clock NAME ( rate = TIME UNIT )
static void read_clock(struct gamma_reader *reader, struct gamma_adapter *adapter)
{
    static const struct {
        const char *name;
        int64_t factor;
    } UNITS[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    struct clock *clock = arena_zalloc(&reader->arena, sizeof *clock);
    const struct token *name = gamma_name(reader, "a clock");
    if (name == NULL || !gamma_expect(reader, "(") || !gamma_expect(reader, "rate") ||
        !gamma_expect(reader, "=") || !read_number(reader, "a rate", &clock->rate))
        return;
    const struct token *unit = gamma_name(reader, "a unit of time");
    int64_t factor = 0;
    for (size_t i = 0; unit != NULL && i < sizeof UNITS / sizeof UNITS[0]; i++)
        factor = token_is(unit, UNITS[i].name) ? UNITS[i].factor : factor;
    if (unit == NULL || !gamma_expect(reader, ")"))
        return;
    if (factor == 0 || clock->rate < 1 || clock->rate > INT64_C(1000000000)) {
        lexer_not_supported(reader->lexer, unit, "a clock of this rate");
        return;
    }
    clock->name = chart_token_text(reader->chart, name);
    clock->rate *= factor;
    clock->left =
        gamma_own_variable(reader, adapter->instance->prefix, clock->name, &CHART_TYPE_INT,
                           CHART_TIMER, lexer_position(reader->lexer, name));
    clock->left->initial = clock->rate;
    VECTOR_PUSH(&reader->timers, clock->left);
    CHART_APPEND(&reader->arena, adapter->clocks, adapter->clock_count, clock);
}

// when any | PORT.any | PORT.EVENT | CLOCK / run | reset-queue | reset-queues | reset-other-queues
static void read_control(struct gamma_reader *reader, struct gamma_adapter *adapter)
{
    static const struct {
        const char *name;
        enum control_function function;
    } FUNCTIONS[] = {{"run", RUN},
                     {"reset-queue", CLEAR_OWN},
                     {"reset-queues", CLEAR_ALL},
                     {"reset-other-queues", CLEAR_OTHERS}};
    struct control control = {.at = lexer_token(reader->lexer)};
    if (at_reference(reader))
        read_reference(reader, adapter->instance, &control.port, &control.event);
    else if (!gamma_accept(reader, "any")) {
        control.port = chart_token_text(reader->chart, control.at);
        if (find_clock(adapter, control.port) == NULL) {
            lexer_not_supported(reader->lexer, control.at,
                                "`%s` in a control specification: neither an event of a port nor a "
                                "clock declared before",
                                control.port);
            return;
        }
        lexer_next(reader->lexer);
    }
    if (!gamma_expect(reader, "/"))
        return;
    const struct token *first = gamma_name(reader, "what the adapter does"), *last = first;
    while (first != NULL && lexer_accept(reader->lexer, CHART_TOKEN_MINUS) != NULL)
        last = lexer_next(reader->lexer);
    for (size_t i = 0; first != NULL && i < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; i++) {
        size_t length = (size_t)(last->text + last->length - first->text);
        if (strlen(FUNCTIONS[i].name) != length ||
            strncmp(FUNCTIONS[i].name, first->text, length) != 0)
            continue;
        control.function = FUNCTIONS[i].function;
        CHART_APPEND(&reader->arena, adapter->controls, adapter->control_count, control);
        return;
    }
    if (first != NULL)
        lexer_not_supported(reader->lexer, first,
                            "`%.*s` in a control specification: only run and reset-…queues",
                            (int)(last->text + last->length - first->text), first->text);
}

static bool speaks_of(const struct control *control, const struct letter *message)
{
    if (control->port == NULL)
        return true;
    return strcmp(control->port, message->port) == 0 &&
           (control->event == NULL ||
            (message->event != NULL && strcmp(control->event, message->event) == 0));
}

// Queues go before runs.
static void apply_controls(struct gamma_adapter *adapter, struct letter *message)
{
    for (uint32_t i = 0; i < adapter->control_count; i++) {
        const struct control *control = &adapter->controls[i];
        if (!speaks_of(control, message))
            continue;
        message->runs |= control->function == RUN;
        message->clears_own |= control->function == CLEAR_OWN || control->function == CLEAR_ALL;
        message->clears_others |=
            control->function == CLEAR_OTHERS || control->function == CLEAR_ALL;
    }
    message->runs &= !message->clears_own && !message->clears_others;
    adapter->always_runs &= message->runs;
}

static void sort_queues(struct gamma_adapter *adapter)
{
    for (uint32_t i = 1; i < adapter->queue_count; i++) {
        struct queue *moved = adapter->queues[i];
        uint32_t j = i;
        for (; j > 0 && adapter->queues[j - 1]->priority < moved->priority; j--)
            adapter->queues[j] = adapter->queues[j - 1];
        adapter->queues[j] = moved;
    }
}

static void complete(struct gamma_reader *reader, struct gamma_adapter *adapter)
{
    struct gamma_instance *instance = adapter->instance;
    adapter->always_runs = true;
    for (uint32_t i = 0; i < adapter->queue_count; i++) {
        for (uint32_t m = 0; m < adapter->queues[i]->message_count; m++)
            apply_controls(adapter, &adapter->queues[i]->messages[m]);
    }
    sort_queues(adapter);
    adapter->runs = gamma_own_variable(reader, instance->prefix, "has a message", &CHART_TYPE_BOOL,
                                       CHART_DATA, (struct position){reader->chart->path, 0, 0});
    adapter->runs->scratch = true;
    instance->adapter = adapter;
    VECTOR_PUSH(&reader->adapters, adapter);
}

void gamma_adapter(struct gamma_reader *reader, struct gamma_instance *instance)
{
    struct gamma_adapter *adapter = arena_zalloc(&reader->arena, sizeof *adapter);
    adapter->instance = instance;
    gamma_expect(reader, "{");
    while (!gamma_failed(reader) && !gamma_at(reader, "}")) {
        const struct token *at = lexer_token(reader->lexer);
        if (gamma_accept(reader, "queue")) {
            read_queue(reader, adapter);
        } else if (gamma_accept(reader, "clock")) {
            read_clock(reader, adapter);
        } else if (gamma_accept(reader, "when")) {
            read_control(reader, adapter);
            gamma_accept(reader, ";");
        } else {
            lexer_not_supported(reader->lexer, at, "`%.*s` in an adapter", (int)at->length,
                                at->text);
        }
    }
    if (!gamma_failed(reader))
        gamma_expect(reader, "}");
    if (!gamma_failed(reader))
        complete(reader, adapter);
}

void gamma_own_adapter(struct gamma_reader *reader, struct gamma_instance *instance,
                       uint32_t capacity)
{
    struct gamma_adapter *adapter = arena_zalloc(&reader->arena, sizeof *adapter);
    struct queue *queue = arena_zalloc(&reader->arena, sizeof *queue);
    adapter->instance = instance;
    *queue =
        (struct queue){.name = "messages", .capacity = capacity, .at = lexer_token(reader->lexer)};
    for (uint32_t i = 0; i < instance->port_count; i++) {
        const struct gamma_port *port = instance->ports[i];
        for (uint32_t j = 0; j < port->signal_count; j++) {
            struct letter message = {.port = port->name,
                                     .event = gamma_event_of(port->signals[j]),
                                     .from = port->signals[j],
                                     .at = queue->at};
            message.to = inputs_of(reader, port, message.event);
            if (port->signals[j]->loop != NULL)
                lexer_not_supported(reader->lexer, queue->at,
                                    "internal events of an asynchronous statechart");
            if (port->signals[j]->input)
                add_message(reader, queue, message);
        }
    }
    CHART_APPEND(&reader->arena, adapter->queues, adapter->queue_count, queue);
    static const struct control ALWAYS = {.function = RUN};
    CHART_APPEND(&reader->arena, adapter->controls, adapter->control_count, ALWAYS);
    complete(reader, adapter);
}
