#include <string.h>

#include "languages/charts/gamma_inside.h"

// Expressions and actions inside a statechart.

#define DEPTH_LIMIT 50
#define ROUND_LIMIT 10000

static const struct chart_expression *read_name(struct chart_scope *scope);

static const struct chart_expression *
read(struct gamma_reader *reader, const struct chart_type *type, const char *what, bool trigger)
{
    struct chart_scope scope = {.chart = reader->chart,
                                .lexer = reader->lexer,
                                .notation = CHART_WORDS,
                                .trigger = trigger,
                                .fractions = true,
                                .context = reader,
                                .name = read_name};
    return type == NULL ? chart_parse_expression(&scope) : chart_parse_typed(&scope, type, what);
}

const struct chart_expression *gamma_expression(struct gamma_reader *reader,
                                                const struct chart_type *type, const char *what)
{
    return read(reader, type, what, false);
}

const struct chart_expression *gamma_trigger(struct gamma_reader *reader)
{
    return read(reader, &CHART_TYPE_BOOL, "a trigger", true);
}

// ---- names -------------------------------------------------------------------------------------

struct gamma_signal *gamma_signal_of(struct gamma_reader *reader, const struct token *port,
                                     const struct token *event)
{
    const char *name = chart_text(reader->chart, "%s.%s", chart_token_text(reader->chart, port),
                                  chart_token_text(reader->chart, event));
    for (uint32_t i = 0; i < reader->instance->port_count; i++) {
        const struct gamma_port *p = reader->instance->ports[i];
        for (uint32_t j = 0; j < p->signal_count; j++) {
            if (strcmp(p->signals[j]->name, name) == 0)
                return p->signals[j];
        }
    }
    lexer_error(reader->lexer, port, "found `%s`, expected an event of a port", name);
    return NULL;
}

static const struct chart_expression *any_input(struct gamma_reader *reader, const char *port)
{
    const struct chart_expression *any = NULL;
    for (uint32_t i = 0; i < reader->instance->port_count; i++) {
        const struct gamma_port *p = reader->instance->ports[i];
        for (uint32_t j = 0; j < p->signal_count && (port == NULL || strcmp(p->name, port) == 0);
             j++) {
            if (p->signals[j]->input)
                any = chart_either(reader->chart, any,
                                   chart_read(reader->chart, p->signals[j]->flag));
        }
    }
    return any != NULL ? any : chart_literal(reader->chart, &CHART_TYPE_BOOL, 0);
}

// port.event, port.event::parameter, port.any
static const struct chart_expression *read_signal(struct gamma_reader *reader,
                                                  const struct token *port)
{
    struct lexer *lexer = reader->lexer;
    lexer_next(lexer); // the dot
    const struct token *event = gamma_name(reader, "an event");
    if (event == NULL)
        return NULL;
    if (token_is(event, "any"))
        return any_input(reader, chart_token_text(reader->chart, port));
    const struct gamma_signal *signal = gamma_signal_of(reader, port, event);
    if (signal == NULL)
        return NULL;
    if (lexer_accept(lexer, CHART_TOKEN_SCOPE) == NULL) {
        if (!signal->input) {
            lexer_error(lexer, port,
                        "found the event `%s`, which goes out, expected one that comes in",
                        signal->name);
            return NULL;
        }
        return chart_read(reader->chart, signal->flag);
    }
    if (!lexer_at(lexer, TOKEN_NAME)) // PORT.EVENT:: is there an event?
        return chart_read(reader->chart, signal->flag);
    const struct token *parameter = gamma_name(reader, "a parameter");
    if (parameter == NULL)
        return NULL;
    const char *name = chart_token_text(reader->chart, parameter);
    for (uint32_t i = 0; i < signal->parameter_count; i++) {
        if (strcmp(strrchr(signal->parameters[i]->name, ':') + 1, name) == 0)
            return chart_read(reader->chart, signal->parameters[i]);
    }
    lexer_error(lexer, parameter, "found `%s`, expected a parameter of %s", name, signal->name);
    return NULL;
}

// Type::LITERAL
static const struct chart_expression *read_literal(struct gamma_reader *reader,
                                                   const struct token *at)
{
    lexer_next(reader->lexer);
    const struct token *literal = gamma_name(reader, "a literal");
    const char *name = chart_token_text(reader->chart, at);
    const struct chart_type *type = gamma_find_type(reader, name);
    for (uint32_t i = 0; literal != NULL && type != NULL && i < type->literal_count; i++) {
        if (strcmp(type->literals[i], chart_token_text(reader->chart, literal)) == 0)
            return chart_literal(reader->chart, type, i);
    }
    if (literal != NULL)
        lexer_error(reader->lexer, at, "found `%s::%.*s`, expected a literal of an enumeration",
                    name, (int)literal->length, literal->text);
    return NULL;
}

static const struct gamma_binding *find_binding(const struct gamma_instance *instance,
                                                const char *name)
{
    for (size_t i = instance == NULL ? 0 : instance->bindings.count; i-- > 0;) {
        bool is_seen = i >= instance->floor || i < instance->parameters;
        if (is_seen && strcmp(instance->bindings.data[i].name, name) == 0)
            return &instance->bindings.data[i];
    }
    return NULL;
}

static bool find_procedure(struct gamma_reader *reader, const char *name,
                           struct gamma_declaration *out)
{
    const struct gamma_declaration *found =
        reader->instance == NULL ? NULL : chart_names_find(&reader->instance->procedures, name);
    if (found == NULL)
        found = chart_names_find(&reader->declarations, name);
    if (found == NULL || found->kind != GAMMA_PROCEDURE)
        return false;
    *out = *found;
    return true;
}

static void bind_name(struct gamma_reader *reader, const char *name,
                      const struct chart_expression *value)
{
    struct gamma_binding binding = {name, value, NULL};
    VECTOR_PUSH(&reader->instance->bindings, binding);
}

// ( name : type, … ) with arguments that are read at the call; the caller drops the bindings.
static bool bind_parameters(struct gamma_reader *reader,
                            const struct chart_expression *const *arguments, size_t count)
{
    size_t number = 0;
    if (gamma_accept(reader, "(")) {
        while (!gamma_at(reader, ")")) {
            const struct token *name = gamma_name(reader, "a parameter");
            if (name == NULL || !gamma_expect(reader, ":"))
                return false;
            const struct chart_type *type = gamma_type(reader);
            if (type == NULL)
                return false;
            if (number < count && arguments[number]->type == type)
                bind_name(reader, chart_token_text(reader->chart, name), arguments[number]);
            else
                lexer_error(reader->lexer, name, "found no argument of type %s for `%.*s`",
                            type->name, (int)name->length, name->text);
            number++;
            if (!gamma_accept(reader, ","))
                break;
        }
        if (!gamma_expect(reader, ")"))
            return false;
    }
    if (number != count)
        lexer_error(reader->lexer, lexer_token(reader->lexer), "found %zu arguments, expected %zu",
                    count, number);
    return number == count && !gamma_failed(reader);
}

static const struct chart_expression *symbolic_body(struct gamma_reader *reader);

// What a branch returns: { … return VALUE; }, or that statement alone.
static const struct chart_expression *symbolic_branch(struct gamma_reader *reader)
{
    bool block = gamma_accept(reader, "{");
    size_t bindings = reader->instance->bindings.count;
    const struct chart_expression *value = symbolic_body(reader);
    reader->instance->bindings.count = bindings;
    return value != NULL && (!block || gamma_expect(reader, "}")) ? value : NULL;
}

// if ( CONDITION ) …, behind `if`, where all branches return, and what follows returns for one that is not there.
static const struct chart_expression *symbolic_if(struct gamma_reader *reader,
                                                  const struct token *at)
{
    if (++reader->depth > DEPTH_LIMIT) {
        lexer_not_supported(reader->lexer, at, "branches nested so deeply");
        return NULL;
    }
    if (!gamma_expect(reader, "("))
        return NULL;
    const struct chart_expression *condition =
        gamma_expression(reader, &CHART_TYPE_BOOL, "a condition");
    const struct chart_expression *then =
        condition != NULL && gamma_expect(reader, ")") ? symbolic_branch(reader) : NULL;
    if (then == NULL)
        return NULL;
    bool more = gamma_accept(reader, "elseif") ||
                (gamma_at(reader, "else") && token_is(lexer_peek(reader->lexer, 1), "if"));
    if (more && gamma_accept(reader, "else"))
        gamma_accept(reader, "if");
    const struct chart_expression *otherwise = more ? symbolic_if(reader, at)
                                               : gamma_accept(reader, "else")
                                                   ? symbolic_branch(reader)
                                                   : symbolic_body(reader);
    reader->depth--;
    if (otherwise == NULL)
        return NULL;
    if (then->type != otherwise->type) {
        lexer_error(reader->lexer, at, "found results of the types %s and %s, expected one",
                    then->type->name, otherwise->type->name);
        return NULL;
    }
    struct chart_expression *made =
        chart_make(reader->chart, CHART_IF, then->type, lexer_position(reader->lexer, at));
    made->child[0] = condition;
    made->child[1] = then;
    made->child[2] = otherwise;
    made->depth = condition->depth + then->depth + otherwise->depth + 1;
    return made;
}

// The body of a procedure that gives a value: local variables are names for expressions.
static const struct chart_expression *symbolic_body(struct gamma_reader *reader)
{
    struct lexer *lexer = reader->lexer;
    while (!gamma_failed(reader) && !gamma_at(reader, "}")) {
        const struct token *at = lexer_token(lexer);
        if (gamma_accept(reader, "return")) {
            const struct chart_expression *value = gamma_expression(reader, NULL, "a result");
            gamma_accept(reader, ";");
            return value;
        }
        if (gamma_accept(reader, "if"))
            return symbolic_if(reader, at);
        bool declares = gamma_accept(reader, "var");
        const struct token *name = gamma_name(reader, "a statement");
        if (name == NULL)
            return NULL;
        const char *text = chart_token_text(reader->chart, name);
        const struct chart_type *type = NULL;
        if (declares && gamma_expect(reader, ":"))
            type = gamma_type(reader);
        if (!gamma_at(reader, ":=") ||
            (!declares && find_binding(reader->instance, text) == NULL)) {
            lexer_not_supported(lexer, at, "a procedure with a value and an effect");
            return NULL;
        }
        lexer_next(lexer);
        const struct chart_expression *value = gamma_expression(reader, type, "a value");
        if (value == NULL || !gamma_expect(reader, ";"))
            return NULL;
        bind_name(reader, text, value);
    }
    if (!gamma_failed(reader))
        lexer_not_supported(lexer, lexer_token(lexer),
                            "a procedure with a value that does not return here");
    return NULL;
}

struct call {
    const struct chart_expression **arguments;
    uint32_t count;
};

static bool read_arguments(struct gamma_reader *reader, struct call *call)
{
    if (!gamma_expect(reader, "("))
        return false;
    while (!gamma_at(reader, ")")) {
        const struct chart_expression *argument = gamma_expression(reader, NULL, "an argument");
        if (argument == NULL)
            return false;
        CHART_APPEND(&reader->arena, call->arguments, call->count, argument);
        if (!gamma_accept(reader, ","))
            break;
    }
    return gamma_expect(reader, ")");
}

static struct chart_action *assign(struct gamma_reader *reader, const struct token *at,
                                   struct chart_variable *variable,
                                   const struct chart_expression *value);

static struct chart_variable *add_local(struct gamma_reader *reader, const struct token *at,
                                        const char *name, const struct chart_type *type)
{
    struct chart_variable *local =
        chart_add_variable(reader->chart,
                           chart_text(reader->chart, "%s%s local %u", reader->instance->prefix,
                                      name, reader->chart->variable_count),
                           type, CHART_DATA, lexer_position(reader->lexer, at));
    local->scratch = true;
    return local;
}

// The body of a procedure may change what its arguments were computed from, so these are kept in variables first.
// *after: actions that give them up again.
static const struct chart_action *keep_arguments(struct gamma_reader *reader,
                                                 const struct token *at, struct call *call,
                                                 const struct chart_action **after)
{
    const struct chart_action *list = NULL;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct chart_expression *argument = call->arguments[i];
        if (argument->op == CHART_LITERAL)
            continue;
        struct chart_variable *kept = add_local(reader, at, "argument", argument->type);
        chart_append_actions(&list, assign(reader, at, kept, argument));
        chart_append_actions(after,
                             assign(reader, at, kept, chart_literal(reader->chart, kept->type, 0)));
        call->arguments[i] = chart_read(reader->chart, kept);
    }
    return list;
}

// Reads the procedure's body here. value NULL: it is a statement, and *actions its effect.
static bool expand(struct gamma_reader *reader, const struct token *at,
                   const struct gamma_declaration *procedure, const struct call *call,
                   const struct chart_expression **value, const struct chart_action **actions)
{
    if (reader->depth >= DEPTH_LIMIT) {
        lexer_not_supported(reader->lexer, at, "procedures that call themselves");
        return false;
    }
    reader->depth++;
    size_t bindings = reader->instance->bindings.count, floor = reader->instance->floor;
    reader->instance->floor = bindings;
    struct gamma_place place = gamma_go_to(reader, procedure->file, procedure->at);
    bool good = bind_parameters(reader, call->arguments, call->count) && gamma_expect(reader, ":");
    if (good && !gamma_accept(reader, "void"))
        good = gamma_type(reader) != NULL;
    bool lambda = good && gamma_accept(reader, ":="); // an expression instead of a body
    good = good && (lambda ? value != NULL : gamma_expect(reader, "{"));
    if (lambda && value == NULL)
        lexer_not_supported(reader->lexer, at, "a lambda as a statement");
    if (good && lambda)
        good = (*value = gamma_expression(reader, NULL, "a value")) != NULL;
    else if (good && value != NULL)
        good = (*value = symbolic_body(reader)) != NULL;
    else if (good) {
        reader->in_block++;
        *actions = gamma_actions(reader);
        reader->in_block--;
    }
    if (good && value == NULL && !gamma_at(reader, "}"))
        good = lexer_unexpected(reader->lexer, "a statement or `}`");
    gamma_return(reader, place);
    reader->instance->bindings.count = bindings;
    reader->instance->floor = floor;
    reader->depth--;
    return good;
}

static struct chart_variable *read_timeout(struct gamma_reader *reader)
{
    const struct token *name = gamma_name(reader, "a timeout");
    struct chart_variable *timer =
        name == NULL
            ? NULL
            : chart_names_find(&reader->instance->variables, chart_token_text(reader->chart, name));
    if (timer != NULL && timer->role == CHART_TIMER)
        return timer;
    if (name != NULL)
        lexer_error(reader->lexer, name, "found `%.*s`, expected a timeout", (int)name->length,
                    name->text);
    return NULL;
}

static const struct chart_expression *is_over(struct gamma_reader *reader,
                                              const struct chart_variable *timer)
{
    return chart_binary(reader->chart, CHART_EQUAL, chart_read(reader->chart, timer),
                        chart_literal(reader->chart, &CHART_TYPE_INT, 0));
}

// in-state(REGION.STATE), behind `in`
static const struct chart_expression *read_in_state(struct gamma_reader *reader)
{
    gamma_expect(reader, "-");
    if (!gamma_expect(reader, "state") || !gamma_expect(reader, "("))
        return NULL;
    const struct token *region = gamma_name(reader, "a region");
    if (region == NULL || !gamma_expect(reader, "."))
        return NULL;
    const struct token *name = gamma_name(reader, "a state");
    if (name == NULL || !gamma_expect(reader, ")"))
        return NULL;
    const struct chart_state *state =
        chart_names_find(&reader->instance->states, chart_token_text(reader->chart, name));
    if (state == NULL || !chart_can_be_active(state) || !token_is(region, state->parent->name)) {
        lexer_error(reader->lexer, name, "found `%.*s`, expected a state of the region `%.*s`",
                    (int)name->length, name->text, (int)region->length, region->text);
        return NULL;
    }
    struct chart_expression *made = chart_make(reader->chart, CHART_ACTIVE, &CHART_TYPE_BOOL,
                                               lexer_position(reader->lexer, name));
    made->state = state;
    return made;
}

static const struct chart_expression *read_name(struct chart_scope *scope)
{
    struct gamma_reader *reader = scope->context;
    struct lexer *lexer = reader->lexer;
    const struct token *at = lexer_next(lexer);
    const char *name = chart_token_text(reader->chart, at);
    bool minus = lexer_at(lexer, CHART_TOKEN_MINUS) && reader->instance != NULL;
    if (token_is(at, "in") && minus && token_is(lexer_peek(lexer, 1), "state"))
        return read_in_state(reader);
    if (token_is(at, "time") && minus && token_is(lexer_peek(lexer, 1), "elapsed")) {
        lexer_not_supported(lexer, at, "`time-elapsed`, how long a timeout has been running");
        return NULL;
    }
    const struct gamma_store *store =
        reader->instance == NULL || find_binding(reader->instance, name) != NULL
            ? NULL
            : chart_names_find(&reader->instance->stores, name);
    if (store != NULL)
        return gamma_store_read(reader, store);
    if (lexer_at(lexer, CHART_TOKEN_DOT))
        return reader->instance == NULL ? (lexer_unexpected(lexer, "a name"), NULL)
                                        : read_signal(reader, at);
    if (lexer_at(lexer, CHART_TOKEN_SCOPE))
        return read_literal(reader, at);
    struct gamma_declaration procedure;
    if (lexer_at(lexer, CHART_TOKEN_OPEN) && reader->instance != NULL &&
        find_procedure(reader, name, &procedure)) {
        struct call call = {0};
        const struct chart_expression *value;
        return read_arguments(reader, &call) && expand(reader, at, &procedure, &call, &value, NULL)
                   ? value
                   : NULL;
    }
    if (reader->instance != NULL && scope->trigger) {
        if (token_is(at, "cycle"))
            return chart_literal(reader->chart, &CHART_TYPE_BOOL, 1);
        if (token_is(at, "any"))
            return any_input(reader, NULL);
    }
    if (token_is(at, "timeout") && lexer_at(lexer, TOKEN_NAME))
        name = chart_token_text(reader->chart, lexer_next(lexer));
    const struct gamma_binding *binding = find_binding(reader->instance, name);
    if (binding != NULL)
        return binding->local != NULL ? chart_read(reader->chart, binding->local) : binding->value;
    struct chart_variable *variable =
        reader->instance == NULL ? NULL : chart_names_find(&reader->instance->variables, name);
    if (variable != NULL && variable->role == CHART_TIMER)
        return is_over(reader, variable);
    if (variable != NULL)
        return chart_read(reader->chart, variable);
    const struct gamma_declaration *constant = chart_names_find(&reader->declarations, name);
    if (constant != NULL && constant->kind == GAMMA_CONSTANT && constant->value != NULL)
        return constant->value;
    lexer_error(lexer, at, "found `%s`, expected a variable, a constant or an event", name);
    return NULL;
}

// ---- actions -----------------------------------------------------------------------------------

static struct chart_action *assign(struct gamma_reader *reader, const struct token *at,
                                   struct chart_variable *variable,
                                   const struct chart_expression *value)
{
    struct chart_action *action =
        chart_add_action(reader->chart, CHART_ASSIGN, lexer_position(reader->lexer, at));
    action->variable = variable;
    action->expression = value;
    return action;
}

// Sets flag and parameters of the signal, and of all inputs that it goes to.
static void raise_to(struct gamma_reader *reader, const struct token *at,
                     const struct gamma_signal *signal, const struct call *call,
                     const struct chart_action **list)
{
    for (uint32_t i = 0; i < signal->parameter_count && i < call->count; i++)
        chart_append_actions(list, assign(reader, at, signal->parameters[i], call->arguments[i]));
    chart_append_actions(
        list, assign(reader, at, signal->flag, chart_literal(reader->chart, &CHART_TYPE_BOOL, 1)));
    for (uint32_t i = 0; i < signal->to_count; i++) {
        const struct gamma_signal *to = signal->to[i];
        raise_to(reader, at, to->buffer != NULL ? to->buffer : to, call, list);
    }
}

static const struct chart_action *read_raise(struct gamma_reader *reader)
{
    const struct token *port = gamma_name(reader, "a port");
    if (port == NULL || !gamma_expect(reader, "."))
        return NULL;
    const struct token *event = gamma_name(reader, "an event");
    const struct gamma_signal *signal = event == NULL ? NULL : gamma_signal_of(reader, port, event);
    struct call call = {0};
    if (signal == NULL || (gamma_at(reader, "(") && !read_arguments(reader, &call)))
        return NULL;
    if (signal->loop != NULL)
        signal = signal->loop;
    if (signal->input)
        lexer_error(reader->lexer, port,
                    "found the event `%s`, which comes in, expected one that goes out",
                    signal->name);
    if (call.count != signal->parameter_count)
        lexer_error(reader->lexer, event, "found %u arguments, expected %u", call.count,
                    signal->parameter_count);
    for (uint32_t i = 0; i < call.count && i < signal->parameter_count; i++) {
        if (call.arguments[i]->type != signal->parameters[i]->type)
            lexer_error(reader->lexer, event, "found an argument of type %s, expected type %s",
                        call.arguments[i]->type->name, signal->parameters[i]->type->name);
    }
    const struct chart_action *list = NULL;
    if (!gamma_failed(reader))
        raise_to(reader, port, signal, &call, &list);
    return list;
}

// set TIMEOUT := EXPR UNIT
static const struct chart_action *read_set(struct gamma_reader *reader)
{
    static const struct {
        const char *name;
        int64_t factor;
    } UNITS[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    const struct token *name = lexer_token(reader->lexer);
    struct chart_variable *timer = read_timeout(reader);
    if (timer == NULL || !gamma_expect(reader, ":="))
        return NULL;
    const struct chart_expression *value = gamma_expression(reader, &CHART_TYPE_INT, "a time");
    const struct token *unit = value == NULL ? NULL : gamma_name(reader, "a unit of time");
    if (unit == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (token_is(unit, UNITS[i].name))
            return assign(
                reader, name, timer,
                UNITS[i].factor == 1
                    ? value
                    : chart_binary(reader->chart, CHART_MULTIPLY, value,
                                   chart_literal(reader->chart, &CHART_TYPE_INT, UNITS[i].factor)));
    }
    lexer_not_supported(reader->lexer, unit, "the unit of time `%.*s`", (int)unit->length,
                        unit->text);
    return NULL;
}

static const struct chart_action *read_action(struct gamma_reader *reader);

static const struct chart_action *read_block(struct gamma_reader *reader)
{
    if (!gamma_expect(reader, "{"))
        return NULL;
    size_t bindings = reader->instance->bindings.count;
    const struct chart_action *list = gamma_actions(reader);
    reader->instance->bindings.count = bindings;
    gamma_expect(reader, "}");
    return list;
}

// At an action that has others in it and ends without a semicolon.
static bool at_compound(struct gamma_reader *reader)
{
    return gamma_at(reader, "if") || gamma_at(reader, "for") || gamma_at(reader, "switch") ||
           gamma_at(reader, "choice");
}

// A block, or one statement with its semicolon.
static const struct chart_action *read_body(struct gamma_reader *reader)
{
    if (lexer_at(reader->lexer, CHART_TOKEN_OPEN_CURLY))
        return read_block(reader);
    bool compound = at_compound(reader);
    const struct chart_action *list = read_action(reader);
    if (!compound)
        gamma_expect(reader, ";");
    return list;
}

static const struct chart_action *read_if(struct gamma_reader *reader, const struct token *at)
{
    struct chart_action *action =
        chart_add_action(reader->chart, CHART_BRANCH, lexer_position(reader->lexer, at));
    if (++reader->depth > DEPTH_LIMIT) {
        lexer_not_supported(reader->lexer, at, "branches nested so deeply");
        return NULL;
    }
    if (!gamma_expect(reader, "("))
        return NULL;
    action->expression = gamma_expression(reader, &CHART_TYPE_BOOL, "a condition");
    if (action->expression == NULL || !gamma_expect(reader, ")"))
        return NULL;
    action->then = read_body(reader);
    const struct token *otherwise = lexer_token(reader->lexer);
    if (gamma_accept(reader, "elseif"))
        action->otherwise = read_if(reader, otherwise);
    else if (gamma_accept(reader, "else"))
        action->otherwise =
            gamma_accept(reader, "if") ? read_if(reader, otherwise) : read_body(reader);
    reader->depth--;
    return action;
}

// case VALUE : ACTION … default : ACTION, of which the first one that fits is done.
static const struct chart_action *read_cases(struct gamma_reader *reader,
                                             const struct chart_expression *control)
{
    const struct token *at = lexer_token(reader->lexer);
    if (gamma_accept(reader, "default"))
        return gamma_expect(reader, ":") ? read_body(reader) : NULL;
    if (gamma_at(reader, "}"))
        return NULL;
    if (++reader->depth > 20 * DEPTH_LIMIT) {
        lexer_not_supported(reader->lexer, at, "so many cases");
        return NULL;
    }
    struct chart_action *action =
        chart_add_action(reader->chart, CHART_BRANCH, lexer_position(reader->lexer, at));
    if (!gamma_expect(reader, "case"))
        return NULL;
    const struct chart_expression *value = gamma_expression(reader, control->type, "a case");
    if (value == NULL || !gamma_expect(reader, ":"))
        return NULL;
    action->expression = chart_binary(reader->chart, CHART_EQUAL, control, value);
    action->then = read_body(reader);
    if (!gamma_failed(reader))
        action->otherwise = read_cases(reader, control);
    reader->depth--;
    return action;
}

// switch ( EXPR ) { case …  default … }; the value is taken once.
static const struct chart_action *read_switch(struct gamma_reader *reader, const struct token *at)
{
    if (!gamma_expect(reader, "("))
        return NULL;
    const struct chart_expression *control = gamma_expression(reader, NULL, "a value");
    if (control == NULL || !gamma_expect(reader, ")") || !gamma_expect(reader, "{"))
        return NULL;
    struct chart_variable *kept =
        chart_add_variable(reader->chart,
                           chart_text(reader->chart, "%sswitch %u", reader->instance->prefix,
                                      reader->chart->variable_count),
                           control->type, CHART_DATA, lexer_position(reader->lexer, at));
    kept->scratch = true;
    const struct chart_action *list = assign(reader, at, kept, control);
    chart_append_actions(&list, read_cases(reader, chart_read(reader->chart, kept)));
    chart_append_actions(&list,
                         assign(reader, at, kept, chart_literal(reader->chart, kept->type, 0)));
    gamma_expect(reader, "}");
    return list;
}

// ---- choices -----------------------------------------------------------------------------------

struct choices {
    const struct chart_expression **guards; // NULL: [else]
    const struct chart_action **bodies;
    uint32_t count, places;
};

// branch [ GUARD ] ACTION
static bool read_choice(struct gamma_reader *reader, struct choices *choices)
{
    const struct chart_expression *guard = NULL;
    if (!gamma_expect(reader, "branch") || !gamma_expect(reader, "["))
        return false;
    if (!gamma_accept(reader, "else")) {
        guard = gamma_expression(reader, &CHART_TYPE_BOOL, "a condition");
        if (guard == NULL)
            return false;
    }
    if (!gamma_expect(reader, "]"))
        return false;
    const struct chart_action *body = read_body(reader);
    CHART_APPEND(&reader->arena, choices->guards, choices->places, guard);
    CHART_APPEND(&reader->arena, choices->bodies, choices->count, body);
    return !gamma_failed(reader);
}

static const struct chart_expression *is_chosen(struct gamma_reader *reader,
                                                const struct chart_variable *chosen, uint32_t i)
{
    return chart_binary(reader->chart, CHART_EQUAL, chart_read(reader->chart, chosen),
                        chart_literal(reader->chart, chosen->type, i));
}

// Any of those whose guard holds; with none of them the step cannot be.
static const struct chart_expression *allowed(struct gamma_reader *reader,
                                              const struct choices *choices,
                                              const struct chart_variable *chosen)
{
    struct chart *chart = reader->chart;
    const struct chart_expression *any = NULL, *one = NULL;
    for (uint32_t i = 0; i < choices->count; i++)
        any = chart_either(chart, any, choices->guards[i]);
    const struct chart_expression *otherwise = chart_unary(
        chart, CHART_NOT, any != NULL ? any : chart_literal(chart, &CHART_TYPE_BOOL, 0));
    for (uint32_t i = 0; i < choices->count; i++)
        one = chart_either(chart, one,
                           chart_both(chart, is_chosen(reader, chosen, i),
                                      choices->guards[i] != NULL ? choices->guards[i] : otherwise));
    return one;
}

static struct chart_variable *add_chosen(struct gamma_reader *reader, const struct token *at,
                                         uint32_t count)
{
    struct chart *chart = reader->chart;
    struct chart_type *type = arena_zalloc(&chart->arena, sizeof *type);
    const char **literals = arena_alloc(&chart->arena, count * sizeof *literals);
    for (uint32_t i = 0; i < count; i++)
        literals[i] = chart_text(chart, "branch %u", i + 1);
    const char *name =
        chart_text(chart, "%schoice %u", reader->instance->prefix, chart->variable_count);
    *type = (struct chart_type){CHART_ENUM, name, literals, count};
    struct chart_variable *chosen =
        chart_add_variable(chart, name, type, CHART_DATA, lexer_position(reader->lexer, at));
    chosen->scratch = true;
    return chosen;
}

// choice { branch [ GUARD ] ACTION … }
static const struct chart_action *read_choices(struct gamma_reader *reader, const struct token *at)
{
    struct chart *chart = reader->chart;
    struct choices choices = {0};
    if (!gamma_expect(reader, "{"))
        return NULL;
    while (!gamma_at(reader, "}")) {
        if (!read_choice(reader, &choices))
            return NULL;
    }
    gamma_expect(reader, "}");
    if (choices.count == 0) {
        lexer_error(reader->lexer, at, "found a choice without a branch");
        return NULL;
    }
    struct position here = lexer_position(reader->lexer, at);
    struct chart_variable *chosen = add_chosen(reader, at, choices.count);
    struct chart_action *havoc = chart_add_action(chart, CHART_HAVOC, here);
    havoc->variable = chosen;
    havoc->expression = allowed(reader, &choices, chosen);
    const struct chart_action *list = NULL, *rest = NULL;
    for (uint32_t i = choices.count; i-- > 0;) {
        struct chart_action *branch = chart_add_action(chart, CHART_BRANCH, here);
        branch->expression = is_chosen(reader, chosen, i);
        branch->then = choices.bodies[i];
        branch->otherwise = rest;
        rest = branch;
    }
    chart_append_actions(&list, havoc);
    chart_append_actions(&list, rest);
    chart_append_actions(&list, assign(reader, at, chosen, chart_literal(chart, chosen->type, 0)));
    return list;
}

// A bound of a loop: a number or a constant. False with a message.
static bool read_bound(struct gamma_reader *reader, int64_t *out)
{
    bool negative = lexer_accept(reader->lexer, CHART_TOKEN_MINUS) != NULL;
    const struct token *at = lexer_token(reader->lexer);
    bool good = false;
    if (at->kind == TOKEN_NUMBER) {
        good = chart_parse_number(reader->lexer, at, out);
    } else if (at->kind == TOKEN_NAME) {
        const char *name = chart_token_text(reader->chart, at);
        const struct gamma_binding *binding = find_binding(reader->instance, name);
        const struct gamma_declaration *constant = chart_names_find(&reader->declarations, name);
        const struct chart_expression *value = NULL;
        if (binding != NULL)
            value = binding->value;
        else if (constant != NULL && constant->kind == GAMMA_CONSTANT)
            value = constant->value;
        good = value != NULL && value->type == &CHART_TYPE_INT && value->op == CHART_LITERAL;
        *out = good ? value->value : 0;
    }
    lexer_next(reader->lexer);
    if (!good && !gamma_failed(reader))
        lexer_not_supported(reader->lexer, at, "a loop whose bounds are not written down");
    *out = negative ? -*out : *out;
    return good;
}

// <+ 0 .. 8 ->: with a plus the bound belongs to it. False with a message.
static bool read_range(struct gamma_reader *reader, int64_t *first, int64_t *last)
{
    struct lexer *lexer = reader->lexer;
    const struct token *at = lexer_token(lexer);
    bool range = lexer_accept(lexer, CHART_TOKEN_LESS) != NULL;
    bool closed = range && lexer_accept(lexer, CHART_TOKEN_PLUS) != NULL;
    if (!range || (!closed && lexer_accept(lexer, CHART_TOKEN_MINUS) == NULL)) {
        lexer_not_supported(lexer, at, "a loop over something else than a range");
        return false;
    }
    if (!read_bound(reader, first))
        return false;
    *first += !closed;
    if (!gamma_expect(reader, ".") || !gamma_expect(reader, ".") || !read_bound(reader, last))
        return false;
    bool open = lexer_accept(lexer, CHART_TOKEN_ARROW) != NULL;
    *last -= open;
    return open || (gamma_expect(reader, "+") && gamma_expect(reader, ">"));
}

// for ( NAME : integer in RANGE ) ACTION: the body is read again for each round.
static const struct chart_action *read_for(struct gamma_reader *reader, const struct token *at)
{
    int64_t first, last;
    const struct chart_action *list = NULL;
    if (!gamma_expect(reader, "("))
        return NULL;
    const struct token *name = gamma_name(reader, "a variable");
    if (name == NULL || !gamma_expect(reader, ":") || gamma_type(reader) != &CHART_TYPE_INT ||
        !gamma_expect(reader, "in") || !read_range(reader, &first, &last) ||
        !gamma_expect(reader, ")"))
        return NULL;
    size_t body = reader->lexer->at, bindings = reader->instance->bindings.count;
    const char *text = chart_token_text(reader->chart, name);
    for (int64_t i = first; i <= last && !gamma_failed(reader); i++) {
        if (++reader->unrolled > ROUND_LIMIT) {
            lexer_not_supported(reader->lexer, at, "loops with so many rounds");
            return NULL;
        }
        reader->lexer->at = body;
        bind_name(reader, text, chart_literal(reader->chart, &CHART_TYPE_INT, i));
        chart_append_actions(&list, read_body(reader));
        reader->instance->bindings.count = bindings;
    }
    if (first > last) { // never, but its text has to be passed over
        bind_name(reader, text, chart_literal(reader->chart, &CHART_TYPE_INT, first));
        read_body(reader);
        reader->instance->bindings.count = bindings;
    }
    return list;
}

// deactivate TIMEOUT
static const struct chart_action *read_deactivate(struct gamma_reader *reader)
{
    const struct token *at = lexer_token(reader->lexer);
    struct chart_variable *timer = read_timeout(reader);
    return timer == NULL
               ? NULL
               : assign(reader, at, timer, chart_literal(reader->chart, &CHART_TYPE_INT, -1));
}

// var NAME : TYPE := EXPR, and with `const`, too
static const struct chart_action *read_local(struct gamma_reader *reader)
{
    const struct token *name = gamma_name(reader, "a variable");
    if (name == NULL || !gamma_expect(reader, ":"))
        return NULL;
    const struct chart_type *type = gamma_type(reader);
    if (type == NULL)
        return NULL;
    const struct chart_expression *value = chart_literal(reader->chart, type, 0);
    if (gamma_accept(reader, ":="))
        value = gamma_expression(reader, type, "a value");
    if (value == NULL)
        return NULL;
    const char *text = chart_token_text(reader->chart, name);
    struct chart_variable *local = add_local(reader, name, text, type);
    struct gamma_binding binding = {text, NULL, local};
    VECTOR_PUSH(&reader->instance->bindings, binding);
    return assign(reader, name, local, value);
}

static const struct chart_action *read_call(struct gamma_reader *reader, const struct token *at)
{
    struct gamma_declaration procedure;
    struct call call = {0};
    const struct chart_action *actions = NULL;
    if (!find_procedure(reader, chart_token_text(reader->chart, at), &procedure)) {
        lexer_error(reader->lexer, at, "found `%.*s`, expected a procedure", (int)at->length,
                    at->text);
        return NULL;
    }
    if (!read_arguments(reader, &call))
        return NULL;
    const struct chart_action *after = NULL, *list = keep_arguments(reader, at, &call, &after);
    expand(reader, at, &procedure, &call, NULL, &actions);
    chart_append_actions(&list, actions);
    chart_append_actions(&list, after);
    return list;
}

static const struct chart_action *read_assignment(struct gamma_reader *reader,
                                                  const struct token *at)
{
    const char *name = chart_token_text(reader->chart, at);
    const struct gamma_binding *binding = find_binding(reader->instance, name);
    const struct gamma_store *store =
        binding != NULL ? NULL : chart_names_find(&reader->instance->stores, name);
    if (store != NULL)
        return gamma_store_assign(reader, store);
    struct chart_variable *variable =
        binding != NULL ? binding->local : chart_names_find(&reader->instance->variables, name);
    if (!gamma_expect(reader, ":="))
        return NULL;
    if (variable == NULL || variable->role != CHART_DATA) {
        lexer_error(reader->lexer, at, "found `%s`, expected a variable", name);
        return NULL;
    }
    const struct chart_expression *value = gamma_expression(reader, variable->type, "a value");
    return value == NULL ? NULL : assign(reader, at, variable, value);
}

// What is no action ends the list without a message.
static bool begins_action(struct gamma_reader *reader)
{
    static const char *const ENDS[] = {"transition", "region",    "var",     "timeout", "entry",
                                       "exit",       "state",     "initial", "shallow", "deep",
                                       "choice",     "merge",     "fork",    "join",    "procedure",
                                       "lambda",     "invariant", "const",   "do"};
    struct lexer *lexer = reader->lexer;
    if (lexer_at(lexer, CHART_TOKEN_OPEN_CURLY))
        return true;
    if (!lexer_at(lexer, TOKEN_NAME))
        return false;
    if (gamma_at(reader, "choice") && lexer_peek(lexer, 1)->kind == CHART_TOKEN_OPEN_CURLY)
        return true; // and no pseudo-state
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
        // A local variable is declared inside a block, one of the chart at its top.
        if (gamma_at(reader, ENDS[i]))
            return (gamma_at(reader, "var") || gamma_at(reader, "const")) && reader->in_block > 0;
    }
    return true;
}

static const struct chart_action *read_action(struct gamma_reader *reader)
{
    const struct token *at = lexer_token(reader->lexer);
    if (lexer_at(reader->lexer, CHART_TOKEN_OPEN_CURLY)) {
        reader->in_block++;
        const struct chart_action *list = read_block(reader);
        reader->in_block--;
        return list;
    }
    lexer_next(reader->lexer);
    if (token_is(at, "raise"))
        return read_raise(reader);
    if (token_is(at, "set"))
        return read_set(reader);
    if (token_is(at, "if")) {
        reader->in_block++;
        const struct chart_action *made = read_if(reader, at);
        reader->in_block--;
        return made;
    }
    if (token_is(at, "for") || token_is(at, "switch") || token_is(at, "choice")) {
        reader->in_block++;
        const struct chart_action *made = token_is(at, "for")      ? read_for(reader, at)
                                          : token_is(at, "switch") ? read_switch(reader, at)
                                                                   : read_choices(reader, at);
        reader->in_block--;
        return made;
    }
    if (token_is(at, "var") || token_is(at, "const"))
        return read_local(reader);
    if (token_is(at, "deactivate"))
        return read_deactivate(reader);
    if (token_is(at, "no") && gamma_accept(reader, "operation"))
        return NULL;
    if (token_is(at, "break") || token_is(at, "assert") || token_is(at, "return")) {
        lexer_not_supported(reader->lexer, at, "the action `%.*s`", (int)at->length, at->text);
        return NULL;
    }
    if (token_is(at, "call"))
        at = lexer_next(reader->lexer);
    return lexer_at(reader->lexer, CHART_TOKEN_OPEN) ? read_call(reader, at)
                                                     : read_assignment(reader, at);
}

const struct chart_action *gamma_actions(struct gamma_reader *reader)
{
    const struct chart_action *list = NULL;
    while (!gamma_failed(reader) && begins_action(reader)) {
        bool block = lexer_at(reader->lexer, CHART_TOKEN_OPEN_CURLY) || at_compound(reader);
        chart_append_actions(&list, read_action(reader));
        if (gamma_failed(reader))
            break;
        // Older models have none behind the last one.
        bool last = !begins_action(reader);
        if (lexer_accept(reader->lexer, CHART_TOKEN_SEMICOLON) == NULL && !block && !last) {
            lexer_unexpected(reader->lexer, "`;`");
            break;
        }
    }
    return list;
}

const struct chart_action *gamma_effect(struct gamma_reader *reader)
{
    bool local = gamma_at(reader, "var");
    size_t bindings = reader->instance->bindings.count;
    reader->in_block += local;
    const struct chart_action *list = gamma_actions(reader);
    reader->in_block -= local;
    reader->instance->bindings.count = bindings;
    return list;
}
