#include "languages/charts/gamma.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "languages/charts/gamma_inside.h"

// Components, how they are connected, and what a step of the whole system is.

#define DEPTH_LIMIT 30

// ---- ports -------------------------------------------------------------------------------------

const char *gamma_event_of(const struct gamma_signal *signal)
{
    assert(strchr(signal->name, '.') != NULL); // PORT.EVENT
    return strrchr(signal->name, '.') + 1;
}

struct chart_variable *gamma_own_variable(struct gamma_reader *reader, const char *prefix,
                                          const char *name, const struct chart_type *type,
                                          enum chart_role role, struct position at)
{
    struct chart *chart = reader->chart;
    return chart_add_variable(chart, chart_text(chart, "%s%s", prefix, name), type, role, at);
}

// A signal like this one, for what is on its way.
static struct gamma_signal *twin(struct gamma_reader *reader, const struct gamma_signal *signal,
                                 const char *suffix)
{
    struct gamma_signal *made = arena_zalloc(&reader->arena, sizeof *made);
    struct position at = signal->flag->source;
    *made = (struct gamma_signal){.name = signal->name, .persistent = signal->persistent};
    made->flag =
        gamma_own_variable(reader, signal->flag->name, suffix, &CHART_TYPE_BOOL, CHART_EVENT, at);
    made->flag->scratch = true;
    for (uint32_t i = 0; i < signal->parameter_count; i++) {
        struct chart_variable *parameter =
            gamma_own_variable(reader, signal->parameters[i]->name, suffix,
                               signal->parameters[i]->type, CHART_PARAMETER, at);
        parameter->scratch = true;
        CHART_APPEND(&reader->arena, made->parameters, made->parameter_count, parameter);
    }
    return made;
}

// ( name : type, … )
static void read_event_parameters(struct gamma_reader *reader, struct gamma_signal *signal,
                                  const char *prefix)
{
    if (!gamma_accept(reader, "("))
        return;
    while (!gamma_failed(reader) && !gamma_at(reader, ")")) {
        struct position at = lexer_position(reader->lexer, lexer_token(reader->lexer));
        const struct token *name = gamma_name(reader, "a parameter");
        if (name == NULL || !gamma_expect(reader, ":"))
            return;
        const struct chart_type *type = gamma_type(reader);
        if (type == NULL)
            return;
        const char *text = chart_text(reader->chart, "%s::%s", signal->name,
                                      chart_token_text(reader->chart, name));
        CHART_APPEND(&reader->arena, signal->parameters, signal->parameter_count,
                     gamma_own_variable(reader, prefix, text, type, CHART_PARAMETER, at));
        if (!gamma_accept(reader, ","))
            break;
    }
    gamma_expect(reader, ")");
}

static void read_interface(struct gamma_reader *reader, struct gamma_port *port,
                           const struct gamma_declaration *interface, const char *prefix);

static void read_event(struct gamma_reader *reader, struct gamma_port *port, const char *prefix)
{
    const struct token *direction = lexer_token(reader->lexer);
    struct gamma_signal *signal = arena_zalloc(&reader->arena, sizeof *signal);
    bool out = gamma_accept(reader, "out"), in = !out && gamma_accept(reader, "in"),
         internal = !out && !in && gamma_accept(reader, "internal");
    if (!out && !in && !internal) {
        lexer_not_supported(reader->lexer, direction, "the %s `%.*s` of an event",
                            token_is(direction, "priority") ? "word" : "direction",
                            (int)direction->length, direction->text);
        return; // nothing more is read
    }
    signal->input = internal || in == port->provides;
    signal->persistent = gamma_accept(reader, "persistent");
    if (!signal->persistent)
        gamma_accept(reader, "transient");
    if (!gamma_expect(reader, "event"))
        return;
    struct position at = lexer_position(reader->lexer, lexer_token(reader->lexer));
    const struct token *name = gamma_name(reader, "an event");
    if (name == NULL)
        return;
    signal->name =
        chart_text(reader->chart, "%s.%s", port->name, chart_token_text(reader->chart, name));
    signal->flag =
        gamma_own_variable(reader, prefix, signal->name, &CHART_TYPE_BOOL, CHART_EVENT, at);
    signal->flag->comes_in = signal->input;
    read_event_parameters(reader, signal, prefix);
    if (internal && !gamma_failed(reader)) {
        signal->loop = twin(reader, signal, " raised");
        CHART_APPEND(&reader->chart->arena, signal->flag->goes_to, signal->flag->goes_count,
                     signal->flag);
    }
    CHART_APPEND(&reader->arena, port->signals, port->signal_count, signal);
    VECTOR_PUSH(&reader->signals, signal);
}

static void read_interface(struct gamma_reader *reader, struct gamma_port *port,
                           const struct gamma_declaration *interface, const char *prefix)
{
    struct gamma_place place = gamma_go_to(reader, interface->file, interface->at);
    while (!gamma_failed(reader) &&
           (gamma_accept(reader, "extends") || gamma_accept(reader, ","))) {
        const struct token *name = gamma_name(reader, "an interface");
        const struct gamma_declaration *parent = name == NULL ? NULL : gamma_find(reader, name);
        if (++reader->depth > DEPTH_LIMIT)
            lexer_not_supported(reader->lexer, lexer_token(reader->lexer),
                                "interfaces that extend themselves");
        if (parent != NULL && !gamma_failed(reader))
            read_interface(reader, port, parent, prefix);
        reader->depth--;
    }
    if (!gamma_failed(reader) && gamma_expect(reader, "{")) {
        while (!gamma_failed(reader) && !gamma_at(reader, "}"))
            read_event(reader, port, prefix);
        gamma_expect(reader, "}");
    }
    gamma_return(reader, place);
}

void gamma_ports(struct gamma_reader *reader, struct gamma_instance *instance, bool leaf)
{
    if (!gamma_expect(reader, "["))
        return;
    while (!gamma_failed(reader) && gamma_accept(reader, "port")) {
        struct gamma_port *port = arena_zalloc(&reader->arena, sizeof *port);
        const struct token *name = gamma_name(reader, "a port");
        if (name == NULL || !gamma_expect(reader, ":"))
            return;
        port->name = chart_token_text(reader->chart, name);
        port->provides = gamma_accept(reader, "provides");
        if (!port->provides && !gamma_expect(reader, "requires"))
            return;
        const struct token *type = gamma_name(reader, "an interface");
        const struct gamma_declaration *interface = type == NULL ? NULL : gamma_find(reader, type);
        if (interface == NULL)
            return;
        if (interface->kind != GAMMA_INTERFACE)
            lexer_error(reader->lexer, type, "found `%s`, expected an interface", interface->name);
        else if (leaf)
            read_interface(reader, port, interface, instance->prefix);
        CHART_APPEND(&reader->arena, instance->ports, instance->port_count, port);
        if (gamma_at(reader, "{"))
            lexer_not_supported(reader->lexer, lexer_token(reader->lexer), "invariants of a port");
        gamma_accept(reader, ",");
    }
    if (!gamma_failed(reader))
        gamma_expect(reader, "]");
}

struct gamma_port *gamma_find_port(const struct gamma_instance *instance, const char *name)
{
    for (uint32_t i = 0; i < instance->port_count; i++) {
        if (strcmp(instance->ports[i]->name, name) == 0)
            return instance->ports[i];
    }
    return NULL;
}

// ---- composites --------------------------------------------------------------------------------

// The system's own parameters have arbitrary values, which stay the same.
static void bind_any(struct gamma_reader *reader, struct gamma_instance *instance,
                     const struct token *name, const struct chart_type *type)
{
    struct chart *chart = reader->chart;
    char *text = chart_token_text(chart, name);
    struct position at = lexer_position(reader->lexer, name);
    struct chart_variable *variable = chart_add_variable(chart, text, type, CHART_DATA, at);
    struct chart_action *havoc = chart_add_action(chart, CHART_HAVOC, at);
    havoc->variable = variable;
    chart_append_actions(&chart->start, havoc);
    struct gamma_binding binding = {text, chart_read(chart, variable), NULL};
    VECTOR_PUSH(&instance->bindings, binding);
}

void gamma_parameters(struct gamma_reader *reader, struct gamma_instance *instance,
                      const struct chart_expression *const *arguments, size_t count)
{
    size_t number = 0;
    const struct token *at = lexer_token(reader->lexer);
    if (gamma_accept(reader, "(")) {
        while (!gamma_failed(reader) && !gamma_at(reader, ")")) {
            const struct token *name = gamma_name(reader, "a parameter");
            if (name == NULL || !gamma_expect(reader, ":"))
                return;
            const struct chart_type *type = gamma_type(reader);
            if (type == NULL)
                return;
            if (number < count && arguments[number]->type == type) {
                struct gamma_binding binding = {chart_token_text(reader->chart, name),
                                                arguments[number], NULL};
                VECTOR_PUSH(&instance->bindings, binding);
            } else if (instance->declaration == reader->top) {
                bind_any(reader, instance, name, type);
                count++;
            } else {
                lexer_error(reader->lexer, name, "found no argument of type %s for `%.*s`",
                            type->name, (int)name->length, name->text);
            }
            number++;
            if (!gamma_accept(reader, ","))
                break;
        }
        gamma_expect(reader, ")");
    }
    if (!gamma_failed(reader) && number != count)
        lexer_error(reader->lexer, at, "found %zu arguments, expected %zu", count, number);
}

static bool is_asynchronous(const struct gamma_instance *instance)
{
    return instance->adapter != NULL || instance->declaration->kind >= GAMMA_ASYNC;
}

// component NAME : TYPE (arguments)
static void read_component(struct gamma_reader *reader, struct gamma_instance *instance)
{
    const struct token *name = gamma_name(reader, "a component");
    if (name == NULL || !gamma_expect(reader, ":"))
        return;
    const struct token *type = gamma_name(reader, "a component's type");
    const struct gamma_declaration *declaration = type == NULL ? NULL : gamma_find(reader, type);
    const struct chart_expression **arguments = NULL;
    uint32_t count = 0;
    if (declaration != NULL && gamma_accept(reader, "(")) {
        while (!gamma_failed(reader) && !gamma_at(reader, ")")) {
            const struct chart_expression *argument = gamma_expression(reader, NULL, "an argument");
            if (argument == NULL)
                return;
            CHART_APPEND(&reader->arena, arguments, count, argument);
            if (!gamma_accept(reader, ","))
                break;
        }
        gamma_expect(reader, ")");
    }
    if (declaration == NULL || gamma_failed(reader))
        return;
    bool inside_async = instance->declaration->kind == GAMMA_ASYNC ||
                        instance->declaration->kind == GAMMA_SCHEDULED;
    bool fits = inside_async
                    ? declaration->kind >= GAMMA_ADAPTER || declaration->kind == GAMMA_STATECHART
                    : declaration->kind <= GAMMA_CASCADE;
    if (declaration->kind < GAMMA_STATECHART || declaration->kind == GAMMA_OTHER || !fits) {
        lexer_not_supported(reader->lexer, type, "the component `%s` here", declaration->name);
        return;
    }
    struct gamma_instance *child =
        gamma_instantiate(reader, declaration, chart_token_text(reader->chart, name),
                          instance->prefix, arguments, count);
    if (child != NULL && inside_async != is_asynchronous(child))
        lexer_not_supported(reader->lexer, type, "%s component `%s` in one that is %s",
                            inside_async ? "the synchronous" : "the asynchronous",
                            declaration->name, inside_async ? "asynchronous" : "synchronous");
    if (child != NULL)
        CHART_APPEND(&reader->arena, instance->children, instance->child_count, child);
}

// child.port
static struct gamma_port *read_port(struct gamma_reader *reader, struct gamma_instance *instance)
{
    const struct token *name = gamma_name(reader, "a component");
    if (name == NULL || !gamma_expect(reader, "."))
        return NULL;
    const struct token *port_name = gamma_name(reader, "a port");
    if (port_name == NULL)
        return NULL;
    const char *text = chart_token_text(reader->chart, name);
    for (uint32_t i = 0; i < instance->child_count; i++) {
        if (strcmp(instance->children[i]->name, text) != 0)
            continue;
        struct gamma_port *port =
            gamma_find_port(instance->children[i], chart_token_text(reader->chart, port_name));
        if (port == NULL)
            lexer_error(reader->lexer, port_name, "found `%.*s`, expected a port of `%s`",
                        (int)port_name->length, port_name->text, text);
        return port;
    }
    lexer_error(reader->lexer, name, "found `%s`, expected a component", text);
    return NULL;
}

static void add_signals(struct gamma_reader *reader, struct gamma_port *port,
                        const struct gamma_port *from)
{
    for (uint32_t i = 0; i < from->signal_count; i++)
        CHART_APPEND(&reader->arena, port->signals, port->signal_count, from->signals[i]);
}

// bind PORT -> child.port
static void read_bind(struct gamma_reader *reader, struct gamma_instance *instance)
{
    const struct token *name = gamma_name(reader, "a port");
    if (name == NULL || !gamma_expect(reader, "->"))
        return;
    struct gamma_port *own = gamma_find_port(instance, chart_token_text(reader->chart, name));
    if (own == NULL)
        lexer_error(reader->lexer, name, "found `%.*s`, expected a port", (int)name->length,
                    name->text);
    const struct gamma_port *inner = read_port(reader, instance);
    if (own != NULL && inner != NULL)
        add_signals(reader, own, inner);
}

// What a synchronous composite delivers one step later.
static void add_buffer(struct gamma_reader *reader, struct gamma_instance *instance,
                       struct gamma_signal *signal)
{
    signal->buffer = twin(reader, signal, " next");
    CHART_APPEND(&reader->arena, instance->late, instance->late_count, signal);
}

// Is there one of the same event before it? Then the two are inputs of one adapter, bound to the same port.
static bool is_second(const struct gamma_port *port, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (port->signals[i]->input == port->signals[number]->input &&
            strcmp(gamma_event_of(port->signals[i]), gamma_event_of(port->signals[number])) == 0)
            return true;
    }
    return false;
}

static void connect(struct gamma_reader *reader, struct gamma_instance *instance,
                    const struct gamma_port *from, const struct gamma_port *to)
{
    bool sync = instance->declaration->kind == GAMMA_SYNC,
         messages = instance->declaration->kind >= GAMMA_ASYNC;
    for (uint32_t i = 0; i < from->signal_count; i++) {
        for (uint32_t j = 0; j < to->signal_count; j++) {
            struct gamma_signal *out = from->signals[i], *in = to->signals[j];
            if (out->input || !in->input || in->loop != NULL ||
                strcmp(gamma_event_of(out), gamma_event_of(in)) != 0)
                continue;
            CHART_APPEND(&reader->chart->arena, out->flag->goes_to, out->flag->goes_count,
                         in->flag);
            if (messages) {
                if (!is_second(to, j))
                    CHART_APPEND(&reader->arena, out->posts, out->post_count, in);
                continue;
            }
            if (sync && in->buffer == NULL)
                add_buffer(reader, instance, in);
            CHART_APPEND(&reader->arena, out->to, out->to_count, in);
        }
    }
}

// channel [ a.p ] -o)- [ b.q ] , …
static void read_channel(struct gamma_reader *reader, struct gamma_instance *instance)
{
    if (!gamma_expect(reader, "["))
        return;
    const struct gamma_port *provided = read_port(reader, instance);
    if (provided == NULL || !gamma_expect(reader, "]") ||
        lexer_expect(reader->lexer, CHART_TOKEN_CHANNEL) == NULL)
        return;
    do {
        bool bracket = gamma_accept(reader, "[");
        do {
            const struct gamma_port *required = read_port(reader, instance);
            if (required == NULL)
                return;
            connect(reader, instance, provided, required);
            connect(reader, instance, required, provided);
        } while (bracket && gamma_accept(reader, ","));
        if (bracket && !gamma_expect(reader, "]"))
            return;
    } while (gamma_accept(reader, ","));
}

// execute a, b, a
static void read_order(struct gamma_reader *reader, struct gamma_instance *instance, bool initial)
{
    do {
        const struct token *name = gamma_name(reader, "a component");
        if (name == NULL)
            return;
        struct gamma_instance *found = NULL;
        for (uint32_t i = 0; i < instance->child_count; i++) {
            if (strcmp(instance->children[i]->name, chart_token_text(reader->chart, name)) == 0)
                found = instance->children[i];
        }
        if (found == NULL)
            lexer_error(reader->lexer, name, "found `%.*s`, expected a component",
                        (int)name->length, name->text);
        else if (initial)
            CHART_APPEND(&reader->arena, instance->initial_order, instance->initial_count, found);
        else
            CHART_APPEND(&reader->arena, instance->order, instance->order_count, found);
    } while (!gamma_failed(reader) && gamma_accept(reader, ","));
}

// initial execute a, b: of the system that is looked at, whose components see at once what the others have raised.
static void read_initial_order(struct gamma_reader *reader, struct gamma_instance *instance)
{
    const struct token *at = lexer_token(reader->lexer);
    bool cascade = instance->declaration->kind == GAMMA_CASCADE;
    lexer_next(reader->lexer);
    if (!gamma_expect(reader, "execute"))
        return;
    if (!cascade || instance->prefix[0] != '\0')
        lexer_not_supported(reader->lexer, at,
                            "`initial execute` in what is no cascade at the top");
    else
        read_order(reader, instance, true);
}

static bool begins_part(struct gamma_reader *reader)
{
    static const char *const WORDS[] = {"component", "bind", "channel", "execute", "initial"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (gamma_at(reader, WORDS[i]))
            return true;
    }
    return false;
}

// Over one part of a composite, to the next one.
static void skip_part(struct gamma_reader *reader)
{
    do {
        if (gamma_at(reader, "[") || gamma_at(reader, "("))
            gamma_skip_block(reader);
        else
            lexer_next(reader->lexer);
    } while (!lexer_at(reader->lexer, TOKEN_END) && !gamma_at(reader, "}") && !begins_part(reader));
}

static void read_part(struct gamma_reader *reader, struct gamma_instance *instance)
{
    const struct token *at = lexer_token(reader->lexer);
    if (gamma_accept(reader, "bind"))
        read_bind(reader, instance);
    else if (gamma_accept(reader, "channel"))
        read_channel(reader, instance);
    else if (gamma_accept(reader, "execute"))
        read_order(reader, instance, false);
    else if (gamma_at(reader, "initial"))
        read_initial_order(reader, instance);
    else
        lexer_not_supported(reader->lexer, at, "`%.*s` in a component", (int)at->length, at->text);
}

// Components first, as they may be declared behind what speaks of them.
static void read_composite(struct gamma_reader *reader, struct gamma_instance *instance)
{
    if (!gamma_expect(reader, "{"))
        return;
    size_t body = reader->lexer->at;
    for (int pass = 0; pass < 2 && !gamma_failed(reader); pass++) {
        reader->lexer->at = body;
        while (!gamma_failed(reader) && !gamma_at(reader, "}") &&
               !lexer_at(reader->lexer, TOKEN_END)) {
            bool component = gamma_at(reader, "component");
            if (component == (pass == 1)) {
                skip_part(reader);
            } else if (component) {
                lexer_next(reader->lexer);
                read_component(reader, instance);
            } else {
                read_part(reader, instance);
            }
        }
    }
    if (!gamma_failed(reader))
        gamma_expect(reader, "}");
}

// Those of a composite or an adapter: none that changes its meaning.
static void check_annotations(struct gamma_reader *reader,
                              const struct gamma_declaration *declaration)
{
    struct gamma_place place = gamma_go_to(reader, declaration->file, declaration->annotations);
    while (!gamma_failed(reader) && lexer_accept(reader->lexer, CHART_TOKEN_AT) != NULL) {
        const struct token *name = lexer_token(reader->lexer);
        if (lexer_at(reader->lexer, CHART_TOKEN_OPEN)) {
            gamma_skip_block(reader);
            continue;
        }
        if (!token_is(name, "WrapperComponent"))
            lexer_not_supported(reader->lexer, name, "the annotation @%.*s here", (int)name->length,
                                name->text);
        lexer_next(reader->lexer);
    }
    gamma_return(reader, place);
}

// STATECHART capacity ( N ), of an asynchronous one
static void read_capacity(struct gamma_reader *reader, struct gamma_instance *instance)
{
    int64_t value = 0;
    const struct token *at = lexer_token(reader->lexer);
    if (!gamma_accept(reader, "capacity") || !gamma_expect(reader, "("))
        return;
    const struct chart_expression *capacity = gamma_expression(reader, &CHART_TYPE_INT, "a size");
    if (capacity != NULL && (!chart_constant(capacity, &value) || value < 1 || value > 64))
        lexer_not_supported(reader->lexer, at, "a capacity other than 1 to 64");
    instance->capacity = (uint32_t)value;
    gamma_expect(reader, ")");
}

struct gamma_instance *gamma_instantiate(struct gamma_reader *reader,
                                         const struct gamma_declaration *declaration,
                                         const char *name, const char *prefix,
                                         const struct chart_expression *const *arguments,
                                         size_t count)
{
    struct gamma_instance *instance = arena_zalloc(&reader->arena, sizeof *instance);
    instance->name = name;
    instance->prefix =
        chart_text(reader->chart, "%s%s%s", prefix, name, name[0] != '\0' ? "." : "");
    instance->declaration = declaration;
    VECTOR_PUSH(&reader->instances, instance);
    if (++reader->depth > DEPTH_LIMIT) {
        lexer_not_supported(&declaration->file->lexer, &declaration->file->lexer.tokens[0],
                            "components that contain themselves");
        return NULL;
    }
    struct gamma_place place = gamma_go_to(reader, declaration->file, declaration->at);
    bool adapter = declaration->kind == GAMMA_ADAPTER;
    if (declaration->kind == GAMMA_STATECHART)
        read_capacity(reader, instance);
    gamma_parameters(reader, instance, arguments, count);
    instance->parameters = instance->bindings.count;
    struct gamma_instance *outer = reader->instance;
    reader->instance = instance; // for its parameters
    if (declaration->kind != GAMMA_STATECHART)
        check_annotations(reader, declaration);
    if (adapter && !gamma_failed(reader) && gamma_expect(reader, "of") &&
        gamma_expect(reader, "component"))
        read_component(reader, instance);
    if (!gamma_failed(reader) && gamma_at(reader, "["))
        gamma_ports(reader, instance, adapter || declaration->kind == GAMMA_STATECHART);
    for (uint32_t i = 0;
         adapter && instance->child_count > 0 && i < instance->children[0]->port_count; i++)
        CHART_APPEND(&reader->arena, instance->ports, instance->port_count,
                     instance->children[0]->ports[i]);
    if (gamma_failed(reader)) {
        // said already
    } else if (declaration->kind == GAMMA_STATECHART) {
        gamma_statechart(reader, instance);
    } else if (adapter) {
        gamma_adapter(reader, instance);
    } else {
        read_composite(reader, instance);
    }
    reader->instance = outer;
    reader->depth--;
    gamma_return(reader, place);
    return gamma_failed(reader) ? NULL : instance;
}

static void build(struct gamma_reader *reader, const struct gamma_declaration *declaration)
{
    struct chart *chart = reader->chart;
    chart->name = declaration->name;
    reader->top = declaration;
    struct gamma_instance *top = gamma_instantiate(reader, declaration, "", "", NULL, 0);
    if (top == NULL)
        return;
    chart_finish(chart); // transitions ask where states are
    for (size_t i = 0; i < reader->instances.count && !gamma_failed(reader); i++) {
        if (reader->instances.data[i]->component != NULL)
            gamma_statechart_behaviour(reader, reader->instances.data[i]);
    }
    if (gamma_failed(reader))
        return;
    gamma_make_queues(reader, top);
    if (gamma_failed(reader))
        return;
    gamma_add_operations(reader, top, NULL);
    gamma_add_first_operations(reader, top);
    gamma_make_environment(reader, top);
    if (chart->environment == NULL && chart->operation_count == 0)
        message_add(reader->messages, MESSAGE_ERROR, (struct position){chart->path, 0, 0},
                    "found a system without a statechart");
}

// The one that is named, or the last one of the file.
static const struct gamma_declaration *choose(struct gamma_reader *reader, const char *component)
{
    const struct gamma_declaration *found = NULL;
    for (size_t i = 0; i < reader->in_order.count; i++) {
        const struct gamma_declaration *d = reader->in_order.data[i];
        bool here = d->file == reader->files.data[0] && d->kind >= GAMMA_STATECHART;
        if (component != NULL ? strcmp(d->name, component) == 0 : here)
            found = d;
    }
    struct position whole = {reader->chart->path, 0, 0};
    if (found == NULL)
        message_add(reader->messages, MESSAGE_ERROR, whole,
                    "found no component%s%s, expected a statechart or a composite of some",
                    component != NULL ? " named " : "", component != NULL ? component : "");
    else if (found->kind == GAMMA_OTHER)
        message_add(reader->messages, MESSAGE_UNSUPPORTED,
                    lexer_position(&found->file->lexer, &found->file->lexer.tokens[found->at - 1]),
                    "the kind of the component `%s`", found->name);
    return gamma_failed(reader) ? NULL : found;
}

static void finish(struct gamma_reader *reader)
{
    for (size_t i = 0; i < reader->files.count; i++) {
        lexer_finish(&reader->files.data[i]->lexer);
        memory_free(reader->files.data[i]->text);
    }
    for (size_t i = 0; i < reader->instances.count; i++) {
        struct gamma_instance *instance = reader->instances.data[i];
        chart_names_finish(&instance->states);
        chart_names_finish(&instance->variables);
        chart_names_finish(&instance->procedures);
        chart_names_finish(&instance->stores);
        VECTOR_FINISH(&instance->bindings);
    }
    VECTOR_FINISH(&reader->files);
    VECTOR_FINISH(&reader->in_order);
    VECTOR_FINISH(&reader->instances);
    VECTOR_FINISH(&reader->signals);
    VECTOR_FINISH(&reader->timers);
    VECTOR_FINISH(&reader->adapters);
    chart_names_finish(&reader->paths);
    chart_names_finish(&reader->declarations);
    arena_finish(&reader->arena);
}

struct chart *gamma_read(const char *path, const char *text, size_t bytes, const char *component,
                         struct messages *messages)
{
    struct gamma_reader reader = {.chart = chart_create(CHART_GAMMA, path),
                                  .messages = messages,
                                  .failures = messages->errors + messages->unsupported};
    arena_init(&reader.arena);
    char *own = memory_alloc(bytes + 1);
    memcpy(own, text, bytes);
    own[bytes] = '\0';
    if (gamma_load(&reader, path, own, bytes)) {
        const struct gamma_declaration *chosen = choose(&reader, component);
        if (chosen != NULL)
            build(&reader, chosen);
    }
    bool good = !gamma_failed(&reader);
    finish(&reader);
    if (good)
        return reader.chart;
    chart_destroy(reader.chart);
    return NULL;
}
