#include "languages/charts/scxml_inside.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/charts/expression.h"

static bool failed(const struct scxml_reader *reader)
{
    return reader->messages->errors + reader->messages->unsupported > reader->failures;
}

bool scxml_is(const struct chart_xml_element *element, const char *name)
{
    return !element->foreign && strcmp(element->name, name) == 0;
}

static void error(struct scxml_reader *reader, const struct chart_xml_element *at,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));
static void error(struct scxml_reader *reader, const struct chart_xml_element *at,
                  const char *format, ...)
{
    struct text text;
    text_init(&text);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    message_add(reader->messages, MESSAGE_ERROR, at->at, "%s", text_string(&text));
    text_finish(&text);
}

void scxml_not_supported(struct scxml_reader *reader, const struct chart_xml_element *at)
{
    message_add(reader->messages, MESSAGE_UNSUPPORTED, at->at, "the element <%s> here", at->name);
}

struct position scxml_place(const struct scxml_reader *reader,
                            const struct chart_xml_element *element)
{
    return (struct position){reader->chart->path, element->at.line, element->at.column};
}

char *scxml_next_word(struct arena *arena, const char **list)
{
    const char *at = *list;
    while (isspace((unsigned char)*at) || *at == ',')
        at++;
    const char *end = at;
    while (*end != '\0' && !isspace((unsigned char)*end) && *end != ',')
        end++;
    *list = end;
    return end == at ? NULL : arena_strndup(arena, at, (size_t)(end - at));
}

const char *scxml_written(struct scxml_reader *reader, const struct chart_xml_element *element,
                          const char *name)
{
    const char *plain = chart_xml_attribute(element, name),
               *text = chart_xml_attribute(element, chart_text(reader->chart, "%sexpr", name));
    size_t length = text == NULL ? 0 : strlen(text);
    bool literal = length >= 2 && (*text == '\'' || *text == '"') && text[length - 1] == *text &&
                   strchr(text + 1, *text) == text + length - 1 && strchr(text, '\\') == NULL;
    return plain != NULL || !literal ? plain : arena_strndup(&reader->arena, text + 1, length - 2);
}

// ---- expressions -------------------------------------------------------------------------------

static const struct chart_expression *read_in(struct chart_scope *scope)
{
    struct scxml_reader *reader = scope->context;
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_next(lexer);
    if (lexer_expect(lexer, CHART_TOKEN_OPEN) == NULL)
        return NULL;
    const struct token *name = lexer_expect(lexer, CHART_TOKEN_STRING);
    if (name == NULL || lexer_expect(lexer, CHART_TOKEN_CLOSE) == NULL)
        return NULL;
    char *id = arena_strndup(&reader->arena, name->text + 1, name->length - 2);
    const struct chart_state *state = chart_names_find(&reader->states, id);
    if (state != NULL && !chart_can_be_active(state)) // a history is never active
        return chart_literal(reader->chart, &CHART_TYPE_BOOL, 0);
    if (state == NULL) {
        lexer_error(lexer, name, "found In('%s'), expected the id of a state", id);
        return NULL;
    }
    struct chart_expression *made =
        chart_make(scope->chart, CHART_ACTIVE, &CHART_TYPE_BOOL, lexer_position(lexer, at));
    made->state = state;
    return made;
}

static const struct chart_expression *event_is(struct scxml_reader *reader,
                                               struct chart_event *event);

// _event.name == 'NAME', where there is an event
static const struct chart_expression *read_event_name(struct chart_scope *scope)
{
    struct scxml_reader *reader = scope->context;
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_next(lexer);
    bool name =
        lexer_accept(lexer, CHART_TOKEN_DOT) != NULL && token_is(lexer_token(lexer), "name");
    const struct token *relation = lexer_peek(lexer, 1), *text = lexer_peek(lexer, 2);
    bool equals = relation->kind == CHART_TOKEN_EQUAL,
         differs = relation->kind == CHART_TOKEN_DIFFERS && relation->text[0] == '!';
    if (!name || !(equals || differs) || text->kind != CHART_TOKEN_STRING || !reader->has_event) {
        lexer_not_supported(lexer, at,
                            "`_event` but for its name compared with a text, in a transition with "
                            "an event");
        return NULL;
    }
    for (int i = 0; i < 3; i++)
        lexer_next(lexer);
    struct chart_event *event = chart_names_find(
        &reader->events, arena_strndup(&reader->arena, text->text + 1, text->length - 2));
    const struct chart_expression *made =
        event != NULL ? event_is(reader, event) : chart_literal(scope->chart, &CHART_TYPE_BOOL, 0);
    return differs ? chart_unary(scope->chart, CHART_NOT, made) : made;
}

// Words of ECMAScript that begin what we do not read.
static bool is_reserved(const struct token *word)
{
    static const char *const WORDS[] = {"typeof", "new",  "null", "undefined", "function",
                                        "this",   "void", "NaN",  "Infinity",  "delete"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (token_is(word, WORDS[i]))
            return true;
    }
    return false;
}

static const struct chart_expression *read_name(struct chart_scope *scope)
{
    struct scxml_reader *reader = scope->context;
    const struct token *at = lexer_token(scope->lexer);
    if (token_is(at, "In"))
        return read_in(scope);
    if (token_is(at, "_event"))
        return read_event_name(scope);
    lexer_next(scope->lexer);
    char *name = chart_token_text(scope->chart, at);
    const struct chart_variable *variable = chart_names_find(&reader->variables, name);
    int follows = lexer_token(scope->lexer)->kind;
    if (name[0] == '_' || follows == CHART_TOKEN_DOT || follows == CHART_TOKEN_OPEN ||
        follows == CHART_TOKEN_OPEN_SQUARE) {
        lexer_not_supported(scope->lexer, at, "`%s`: objects, functions and system variables",
                            name);
        return NULL;
    }
    if (variable == NULL && chart_names_find(&reader->arrays, name) != NULL) {
        lexer_not_supported(scope->lexer, at, "`%s`: an array but for loops over it", name);
        return NULL;
    }
    if (variable == NULL && is_reserved(at)) {
        lexer_not_supported(scope->lexer, at, "`%s` in an expression", name);
        return NULL;
    }
    if (variable == NULL) {
        lexer_error(scope->lexer, at, "found `%s`, expected a variable of the data model", name);
        return NULL;
    }
    return chart_read(scope->chart, variable);
}

// Messages about an attribute's text name the element. What is wrong in an expression is an event of a run (error.execution) and no fault
// of the document, so it is not supported.
static void pass_on(struct scxml_reader *reader, const struct chart_xml_element *element,
                    const char *attribute, const struct messages *inner)
{
    for (size_t i = 0; i < inner->count; i++)
        message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at, "in `%s`, column %u: %s",
                    attribute, inner->items[i].column, inner->items[i].text);
}

static const struct chart_expression *read_expression(struct scxml_reader *reader,
                                                      const struct chart_xml_element *element,
                                                      const char *attribute, const char *text,
                                                      const struct chart_type *type)
{
    struct messages inner;
    messages_init(&inner);
    struct lexer lexer;
    lexer_init(&lexer, &CHART_LEXER_ECMASCRIPT, NULL, text, strlen(text), &inner);
    struct chart_scope scope = {.chart = reader->chart,
                                .lexer = &lexer,
                                .notation = CHART_ECMASCRIPT,
                                .strings = true,
                                .truth = strcmp(attribute, "cond") == 0,
                                .context = reader,
                                .name = read_name};
    const struct chart_expression *made = type == NULL
                                              ? chart_parse_expression(&scope)
                                              : chart_parse_typed(&scope, type, "an expression");
    if (made != NULL && lexer_at(&lexer, CHART_TOKEN_ASSIGN))
        lexer_not_supported(&lexer, lexer_token(&lexer), "an assignment inside an expression");
    else if (made != NULL && !lexer_at(&lexer, TOKEN_END))
        lexer_unexpected(&lexer, "the end of the expression");
    pass_on(reader, element, attribute, &inner);
    if (messages_failed(&inner))
        made = NULL;
    lexer_finish(&lexer);
    messages_finish(&inner);
    return made;
}

static const struct chart_expression *read_condition(struct scxml_reader *reader,
                                                     const struct chart_xml_element *element)
{
    const char *text = chart_xml_attribute(element, "cond");
    return text == NULL ? NULL : read_expression(reader, element, "cond", text, &CHART_TYPE_BOOL);
}

// ---- executable content ------------------------------------------------------------------------

static const struct chart_action *read_assign(struct scxml_reader *reader,
                                              const struct chart_xml_element *element)
{
    const char *location = chart_xml_attribute(element, "location"),
               *text = chart_xml_attribute(element, "expr");
    if (location != NULL && text == NULL && (element->text != NULL || element->first != NULL)) {
        scxml_not_supported(reader, element);
        return NULL;
    }
    if (location == NULL || text == NULL) {
        error(reader, element, "found <assign> without `%s`, expected it",
              location == NULL ? "location" : "expr");
        return NULL;
    }
    struct chart_variable *variable = chart_names_find(&reader->variables, location);
    if (variable == NULL && chart_names_find(&reader->arrays, location) != NULL) {
        scxml_not_supported(reader, element);
        return NULL;
    }
    if (variable == NULL) {
        message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                    "found `%s`, expected a variable of the data model", location);
        return NULL;
    }
    struct chart_action *action =
        chart_add_action(reader->chart, CHART_ASSIGN, scxml_place(reader, element));
    action->variable = variable;
    action->expression = read_expression(reader, element, "expr", text, variable->type);
    if (variable->set != NULL) {
        struct chart_action *set =
            chart_add_action(reader->chart, CHART_ASSIGN, scxml_place(reader, element));
        set->variable = variable->set;
        set->expression = chart_literal(reader->chart, &CHART_TYPE_BOOL, 1);
        action->next = set;
    }
    return action;
}

const struct chart_action *scxml_raise(struct scxml_reader *reader,
                                       const struct chart_xml_element *element)
{
    const char *name = scxml_written(reader, element, "event");
    if (name == NULL) {
        error(reader, element, "found <%s> without `event`, expected it", element->name);
        return NULL;
    }
    struct chart_action *action =
        chart_add_action(reader->chart, CHART_RAISE, scxml_place(reader, element));
    struct chart_event *event = chart_names_find(&reader->events, name);
    assert(event != NULL); // collect_events has seen the element
    event->raised = true;
    action->event = event;
    return action;
}

// ---- scripts -----------------------------------------------------------------------------------

static bool touches(const struct token *first, const struct token *second)
{
    return first->text + first->length == second->text;
}

// The value that `NAME = …`, `NAME += …`, `NAME++` give; the lexer stands behind the name.
static const struct chart_expression *assigned(struct chart_scope *scope,
                                               struct chart_variable *variable)
{
    struct lexer *lexer = scope->lexer;
    struct chart *chart = scope->chart;
    const struct token *sign = lexer_next(lexer), *next = lexer_token(lexer);
    enum chart_operator op = sign->kind == CHART_TOKEN_PLUS    ? CHART_ADD
                             : sign->kind == CHART_TOKEN_MINUS ? CHART_SUBTRACT
                                                               : CHART_MULTIPLY;
    if (sign->kind == CHART_TOKEN_ASSIGN)
        return chart_parse_typed(scope, variable->type, "a value");
    bool arithmetic = sign->kind == CHART_TOKEN_PLUS || sign->kind == CHART_TOKEN_MINUS ||
                      sign->kind == CHART_TOKEN_TIMES;
    bool twice = sign->kind == next->kind && op != CHART_MULTIPLY;
    if (!arithmetic || !touches(sign, next) || variable->type != &CHART_TYPE_INT ||
        !(twice || next->kind == CHART_TOKEN_ASSIGN)) {
        lexer_not_supported(lexer, sign, "statements of scripts other than assignments");
        return NULL;
    }
    lexer_next(lexer);
    const struct chart_expression *right =
        twice ? chart_literal(chart, &CHART_TYPE_INT, 1)
              : chart_parse_typed(scope, &CHART_TYPE_INT, "a value");
    return right == NULL ? NULL : chart_binary(chart, op, chart_read(chart, variable), right);
}

// ++NAME, --NAME: the sign, which is passed over; NULL: something else.
static const struct token *accept_prefix(struct lexer *lexer)
{
    const struct token *first = lexer_token(lexer);
    if (!chart_at_step(lexer))
        return NULL;
    lexer_next(lexer);
    lexer_next(lexer);
    return first;
}

// One more or one less.
static const struct chart_expression *stepped(struct chart_scope *scope, const struct token *sign,
                                              struct chart_variable *variable)
{
    if (variable->type != &CHART_TYPE_INT) {
        lexer_not_supported(scope->lexer, sign, "statements of scripts other than assignments");
        return NULL;
    }
    return chart_binary(scope->chart, sign->kind == CHART_TOKEN_PLUS ? CHART_ADD : CHART_SUBTRACT,
                        chart_read(scope->chart, variable),
                        chart_literal(scope->chart, &CHART_TYPE_INT, 1));
}

// NAME = …, in the script of the document: the variable is made by its first value. NULL: it is something else.
static const struct chart_action *read_first(struct chart_scope *scope)
{
    struct scxml_reader *reader = scope->context;
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    if (!reader->loading || at->kind != TOKEN_NAME || is_reserved(at) || *at->text == '_' ||
        lexer_peek(lexer, 1)->kind != CHART_TOKEN_ASSIGN)
        return NULL;
    char *name = chart_token_text(scope->chart, at);
    if (chart_names_find(&reader->variables, name) != NULL ||
        chart_names_find(&reader->arrays, name) != NULL)
        return NULL;
    lexer_next(lexer);
    lexer_next(lexer);
    const struct chart_expression *value = chart_parse_expression(scope);
    if (value == NULL)
        return NULL;
    struct chart_variable *made =
        chart_add_variable(reader->chart, name, value->type, CHART_DATA, lexer_position(lexer, at));
    made->source.path = reader->chart->path;
    chart_names_add(&reader->variables, made->name, made);
    return scxml_set(reader, made, value);
}

// Without a semicolon a statement may end at the end of a line.
static bool ends(struct lexer *lexer, const struct token *begin)
{
    const struct token *end = lexer_token(lexer);
    return lexer_accept(lexer, CHART_TOKEN_SEMICOLON) != NULL || end->kind == TOKEN_END ||
           end->line != begin->line || lexer_unexpected(lexer, "the end of a statement");
}

static void accept_keyword(struct chart_scope *scope)
{
    const struct scxml_reader *reader = scope->context;
    const struct token *at = lexer_token(scope->lexer);
    bool word = token_is(at, "var") || token_is(at, "let") || token_is(at, "const");
    if (reader->loading && word && lexer_peek(scope->lexer, 1)->kind == TOKEN_NAME)
        lexer_next(scope->lexer);
}

static const struct chart_action *read_statement(struct chart_scope *scope)
{
    struct scxml_reader *reader = scope->context;
    struct lexer *lexer = scope->lexer;
    accept_keyword(scope);
    const struct token *prefix = accept_prefix(lexer), *at = lexer_token(lexer);
    const struct chart_action *first = prefix == NULL ? read_first(scope) : NULL;
    if (first != NULL)
        return ends(lexer, at) ? first : NULL;
    if (messages_failed(lexer->messages))
        return NULL;
    struct chart_variable *variable =
        at->kind == TOKEN_NAME
            ? chart_names_find(&reader->variables, chart_token_text(scope->chart, at))
            : NULL;
    if (variable == NULL) {
        lexer_not_supported(lexer, at, "statements of scripts other than assignments to data");
        return NULL;
    }
    lexer_next(lexer);
    const struct chart_expression *value =
        prefix != NULL ? stepped(scope, prefix, variable) : assigned(scope, variable);
    if (value == NULL)
        return NULL;
    if (!ends(lexer, at))
        return NULL;
    struct chart_action *action = scxml_set(reader, variable, value);
    if (variable->set != NULL)
        action->next =
            scxml_set(reader, variable->set, chart_literal(scope->chart, &CHART_TYPE_BOOL, 1));
    return action;
}

static const struct chart_action *read_script(struct scxml_reader *reader,
                                              const struct chart_xml_element *element)
{
    if (chart_xml_attribute(element, "src") != NULL || element->first != NULL) {
        scxml_not_supported(reader, element);
        return NULL;
    }
    const char *text = element->text == NULL ? "" : element->text;
    struct messages inner;
    messages_init(&inner);
    struct lexer lexer;
    lexer_init(&lexer, &CHART_LEXER_ECMASCRIPT, NULL, text, strlen(text), &inner);
    struct chart_scope scope = {.chart = reader->chart,
                                .lexer = &lexer,
                                .notation = CHART_ECMASCRIPT,
                                .strings = true,
                                .context = reader,
                                .name = read_name};
    const struct chart_action *list = NULL;
    while (!lexer_at(&lexer, TOKEN_END) && !messages_failed(&inner)) {
        if (lexer_accept(&lexer, CHART_TOKEN_SEMICOLON) == NULL)
            chart_append_actions(&list, read_statement(&scope));
    }
    pass_on(reader, element, "script", &inner);
    lexer_finish(&lexer);
    messages_finish(&inner);
    return list;
}

// ---- branches ----------------------------------------------------------------------------------

static bool is_part(const struct chart_xml_element *element)
{
    return scxml_is(element, "elseif") || scxml_is(element, "else");
}

// An <if> whose branches begin at `part`, the <if> itself or one of its <elseif>.
static const struct chart_action *read_if(struct scxml_reader *reader,
                                          const struct chart_xml_element *part)
{
    const struct chart_xml_element *first = scxml_is(part, "if") ? part->first : part->next,
                                   *end = first;
    while (end != NULL && !is_part(end))
        end = end->next;
    const struct chart_action *inside = scxml_actions(reader, first, end);
    if (scxml_is(part, "else")) {
        if (end != NULL)
            error(reader, end, "found <%s> behind <else>, expected none", end->name);
        return inside;
    }
    struct chart_action *action =
        chart_add_action(reader->chart, CHART_BRANCH, scxml_place(reader, part));
    if (chart_xml_attribute(part, "cond") == NULL)
        error(reader, part, "found <%s> without `cond`, expected it", part->name);
    action->expression = read_condition(reader, part);
    action->then = inside;
    action->otherwise = end != NULL ? read_if(reader, end) : NULL;
    return action;
}

// Where an editor has drawn it.
static bool is_layout(const struct chart_xml_element *element)
{
    return element->foreign && strcmp(element->name, "editorinfo") == 0;
}

static const struct chart_action *read_action(struct scxml_reader *reader,
                                              const struct chart_xml_element *element)
{
    if (scxml_is(element, "assign"))
        return read_assign(reader, element);
    if (scxml_is(element, "raise"))
        return scxml_raise(reader, element);
    if (scxml_is(element, "if"))
        return read_if(reader, element);
    if (scxml_is(element, "send"))
        return scxml_send(reader, element);
    if (scxml_is(element, "cancel"))
        return scxml_cancel(reader, element);
    if (scxml_is(element, "script"))
        return read_script(reader, element);
    if (scxml_is(element, "foreach"))
        return scxml_foreach(reader, element);
    if (scxml_is(element, "log"))
        scxml_log(reader, element);
    else if (!is_layout(element))
        scxml_not_supported(reader, element);
    return NULL;
}

const struct chart_action *scxml_actions(struct scxml_reader *reader,
                                         const struct chart_xml_element *first,
                                         const struct chart_xml_element *end)
{
    const struct chart_action *list = NULL;
    for (const struct chart_xml_element *e = first; e != end; e = e->next)
        chart_append_actions(&list, read_action(reader, e));
    return list;
}

// ---- states ------------------------------------------------------------------------------------

static bool is_state(const struct chart_xml_element *element)
{
    return scxml_is(element, "state") || scxml_is(element, "parallel") ||
           scxml_is(element, "final");
}

static bool has_states(const struct chart_xml_element *element)
{
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        if (is_state(e))
            return true;
    }
    return false;
}

static void read_states(struct scxml_reader *reader, const struct chart_xml_element *element,
                        struct chart_state *parent);

static enum chart_kind kind_of(const struct chart_xml_element *element)
{
    if (scxml_is(element, "final"))
        return CHART_FINAL;
    if (!scxml_is(element, "history"))
        return CHART_STATE;
    const char *type = chart_xml_attribute(element, "type");
    return type != NULL && strcmp(type, "deep") == 0 ? CHART_DEEP_HISTORY : CHART_SHALLOW_HISTORY;
}

static void read_state(struct scxml_reader *reader, struct chart_xml_element *element,
                       struct chart_region *region)
{
    const char *id = chart_xml_attribute(element, "id");
    const char *name =
        id != NULL ? id : chart_text(reader->chart, "%s@%u", element->name, element->at.line);
    struct chart_state *state = chart_add_state(reader->chart, region, kind_of(element), name,
                                                scxml_place(reader, element));
    const char *type = chart_xml_attribute(element, "type");
    if (scxml_is(element, "history") && type != NULL && strcmp(type, "deep") != 0 &&
        strcmp(type, "shallow") != 0)
        error(reader, element, "found the type `%s`, expected `shallow` or `deep`", type);
    VECTOR_PUSH(&reader->elements, element);
    assert(reader->elements.count == state->index + 1); // read_inside finds it there
    if (chart_names_add(&reader->states, state->name, state) != state) {
        if (id != NULL)
            error(reader, element, "found a second state `%s`, expected unique ids", id);
        else
            error(reader, element, "found two states without `id` in one line");
    }
    state->parallel = scxml_is(element, "parallel");
    if (state->kind == CHART_STATE)
        read_states(reader, element, state);
    else if (has_states(element))
        error(reader, element, "found a state inside <%s>", element->name);
}

// The region of a child: all children of a state are in one, each child of a parallel one has its own.
static struct chart_region *region_for(struct scxml_reader *reader, struct chart_state *parent,
                                       const struct chart_xml_element *element, bool *first_taken)
{
    struct chart *chart = reader->chart;
    struct chart_component *component = chart->components[0];
    if (parent == NULL)
        return chart->regions[0];
    bool own = parent->parallel && is_state(element) && *first_taken;
    *first_taken = *first_taken || (parent->parallel && is_state(element));
    if (parent->region_count > 0 && !own)
        return parent->regions[0];
    return chart_add_region(chart, component, parent, "");
}

static void read_states(struct scxml_reader *reader, const struct chart_xml_element *element,
                        struct chart_state *parent)
{
    bool first_taken = false;
    for (struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        if (is_state(e) || (scxml_is(e, "history") && has_states(element)))
            read_state(reader, e, region_for(reader, parent, e, &first_taken));
    }
}

// ---- events ------------------------------------------------------------------------------------

static struct chart_event *add_event(struct scxml_reader *reader, const char *name,
                                     const struct chart_xml_element *at)
{
    struct chart_event *event = chart_names_find(&reader->events, name);
    if (event != NULL)
        return event;
    struct position where = {reader->chart->path, at != NULL ? at->at.line : 0,
                             at != NULL ? at->at.column : 0};
    event = chart_add_event(reader->chart, name, where);
    chart_names_add(&reader->events, event->name, event);
    return event;
}

// Names that the platform makes.
static bool is_platform(const char *name)
{
    return strncmp(name, "done.", 5) == 0 || strcmp(name, "done") == 0 ||
           strncmp(name, "error.", 6) == 0 || strcmp(name, "error") == 0;
}

// A descriptor is an event's name or the beginning of one, up to a dot; stars at its end say nothing. `.*` and `*` begin all.
static char *trim_descriptor(char *word)
{
    size_t length = strlen(word);
    if (strcmp(word, ".*") == 0)
        return word + 1;
    if (length >= 2 && strcmp(word + length - 2, ".*") == 0)
        word[length - 2] = '\0';
    else if (length >= 1 && word[length - 1] == '.')
        word[length - 1] = '\0';
    return word;
}

static void collect_descriptors(struct scxml_reader *reader,
                                const struct chart_xml_element *element)
{
    const char *list = chart_xml_attribute(element, "event");
    char *word;
    while (list != NULL && (word = scxml_next_word(&reader->arena, &list)) != NULL) {
        word = trim_descriptor(word);
        bool all = strcmp(word, "*") == 0;
        reader->listens_to_all |= all;
        VECTOR_PUSH(&reader->descriptors, word);
        if (!all && strncmp(word, "done", 4) == 0)
            VECTOR_PUSH(&reader->done, word);
        add_event(reader, word, element)->external = !is_platform(word);
    }
}

// Texts that the name of an event may be compared with: there may be such an event.
static void collect_compared(struct scxml_reader *reader, const struct chart_xml_element *element,
                             const char *text)
{
    if (text == NULL || strstr(text, "_event") == NULL)
        return;
    for (const char *at = strpbrk(text, "'\""); at != NULL; at = strpbrk(at, "'\"")) {
        const char *end = strchr(at + 1, *at);
        if (end == NULL)
            return;
        char *word = arena_strndup(&reader->arena, at + 1, (size_t)(end - at - 1));
        if (*word != '\0' && strpbrk(word, " \t\n") == NULL)
            add_event(reader, word, element)->external |= !is_platform(word);
        at = end + 1;
    }
}

// All events that can happen get known before any expression or action is read.
static void collect_events(struct scxml_reader *reader, const struct chart_xml_element *element)
{
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        if (scxml_is(e, "transition"))
            collect_descriptors(reader, e);
        bool sends = scxml_is(e, "raise") || scxml_is(e, "send");
        const char *name = sends ? scxml_written(reader, e, "event") : NULL;
        if (name != NULL)
            add_event(reader, name, e);
        collect_compared(reader, e, chart_xml_attribute(e, "cond"));
        collect_compared(reader, e, chart_xml_attribute(e, "expr"));
        collect_compared(reader, e, scxml_is(e, "script") ? e->text : NULL);
        collect_events(reader, e);
    }
}

static bool begins(const char *descriptor, const char *name)
{
    size_t length = strlen(descriptor);
    return strncmp(descriptor, name, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static struct chart_event *done_event(struct scxml_reader *reader, const struct chart_state *state)
{
    char *name = chart_text(reader->chart, "done.state.%s", state->name);
    bool heard = reader->listens_to_all;
    for (size_t i = 0; i < reader->done.count && !heard; i++)
        heard = begins(reader->done.data[i], name);
    if (!heard)
        return NULL;
    struct chart_event *event = add_event(reader, name, NULL);
    event->raised = true;
    return event;
}

static void collect_done_events(struct scxml_reader *reader)
{
    struct chart *chart = reader->chart;
    for (uint32_t i = 0; i < chart->state_count; i++) {
        struct chart_state *state = chart->states[i];
        const struct chart_state *parent = chart_parent(state);
        if (state->kind == CHART_FINAL && parent != NULL)
            state->done = done_event(reader, parent);
        if (state->parallel)
            state->all_done = done_event(reader, state);
    }
}

static void choose_events(struct scxml_reader *reader, const char *events)
{
    if (events == NULL)
        return;
    for (uint32_t i = 0; i < reader->chart->event_count; i++)
        reader->chart->events[i]->external = false;
    char *word;
    while ((word = scxml_next_word(&reader->arena, &events)) != NULL)
        add_event(reader, word, NULL)->external = true;
}

// Of those that the user has named: perhaps not the ones that were meant.
static void warn_of_unheard(struct scxml_reader *reader, const char *events)
{
    char *word;
    while (events != NULL && (word = scxml_next_word(&reader->arena, &events)) != NULL) {
        const struct chart_event *event = chart_names_find(&reader->events, word);
        if (!event->heard)
            message_add(reader->messages, MESSAGE_WARNING,
                        (struct position){reader->chart->path, 0, 0},
                        "no transition takes the event `%s`, which is sent from outside", word);
    }
}

static int compare_events(const void *a, const void *b)
{
    return strcmp((*(struct chart_event *const *)a)->name, (*(struct chart_event *const *)b)->name);
}

static void sort_events(struct scxml_reader *reader)
{
    uint32_t count = reader->chart->event_count;
    reader->sorted = arena_alloc(&reader->arena, (count + 1) * sizeof *reader->sorted);
    for (uint32_t i = 0; i < count; i++)
        reader->sorted[i] = reader->chart->events[i];
    if (count > 1)
        qsort(reader->sorted, count, sizeof *reader->sorted, compare_events);
}

// Position of the first event whose name is not before `name`.
static uint32_t lower_bound(const struct scxml_reader *reader, const char *name)
{
    uint32_t low = 0, high = reader->chart->event_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (strcmp(reader->sorted[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct chart_expression *event_is(struct scxml_reader *reader,
                                               struct chart_event *event)
{
    struct chart_expression *made =
        chart_make(reader->chart, CHART_NOW, &CHART_TYPE_BOOL, event->source);
    made->event = event;
    event->heard = true;
    return made;
}

static const struct chart_expression *read_descriptor(struct scxml_reader *reader, const char *word)
{
    struct chart *chart = reader->chart;
    const struct chart_expression *any = NULL;
    bool all = strcmp(word, "*") == 0;
    uint32_t at = all ? 0 : lower_bound(reader, word);
    if (!all && at < chart->event_count && strcmp(reader->sorted[at]->name, word) == 0)
        any = event_is(reader, reader->sorted[at]);
    if (!all)
        at = lower_bound(reader, chart_text(chart, "%s.", word));
    for (; at < chart->event_count && (all || begins(word, reader->sorted[at]->name)); at++)
        any = chart_either(chart, any, event_is(reader, reader->sorted[at]));
    return any;
}

// ---- transitions -------------------------------------------------------------------------------

static void read_targets(struct scxml_reader *reader, const struct chart_xml_element *element,
                         const char *list, struct chart_transition *transition)
{
    char *word;
    while ((word = scxml_next_word(&reader->arena, &list)) != NULL) {
        const struct chart_state *target = chart_names_find(&reader->states, word);
        if (target == NULL)
            error(reader, element, "found the target `%s`, expected the id of a state", word);
        else
            chart_add_target(reader->chart, transition, target);
    }
}

// Can the two be active together, or are they the same or above one another?
static bool agree(const struct chart_state *a, const struct chart_state *b)
{
    if (a == b || chart_is_below(a, b) || chart_is_below(b, a))
        return true;
    while (a->depth > b->depth)
        a = chart_parent(a);
    while (b->depth > a->depth)
        b = chart_parent(b);
    while (chart_parent(a) != chart_parent(b)) {
        a = chart_parent(a);
        b = chart_parent(b);
    }
    assert(chart_parent(a) == chart_parent(b) && a->depth == b->depth);
    return a == b || a->parent != b->parent;
}

static void check_targets(struct scxml_reader *reader, const struct chart_xml_element *element,
                          const struct chart_transition *transition)
{
    for (uint32_t i = 0; i < transition->target_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const struct chart_state *a = transition->targets[i], *b = transition->targets[j];
            if (!agree(a, b))
                error(reader, element, "found the targets `%s` and `%s`, which exclude each other",
                      b->name, a->name);
        }
        const struct chart_state *target = transition->targets[i];
        bool deep = target->kind == CHART_DEEP_HISTORY && transition->source != NULL &&
                    transition->source->kind == CHART_STATE;
        const struct chart_state *owner = chart_parent(target);
        if (deep && (owner == NULL || chart_is_below(transition->source, owner)))
            message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                        "a transition from inside `%s` to its deep history",
                        owner == NULL ? "" : owner->name);
    }
}

static void describe(struct scxml_reader *reader, const struct chart_xml_element *element,
                     struct chart_transition *transition)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s ->", transition->source == NULL ? "start" : transition->source->name);
    for (uint32_t i = 0; i < transition->target_count; i++)
        text_printf(&text, " %s", transition->targets[i]->name);
    if (chart_xml_attribute(element, "event") != NULL)
        text_printf(&text, " on %s", chart_xml_attribute(element, "event"));
    if (chart_xml_attribute(element, "cond") != NULL)
        text_printf(&text, " [%s]", chart_xml_attribute(element, "cond"));
    transition->text = arena_strdup(&reader->chart->arena, text_string(&text));
    text_finish(&text);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static void read_trigger(struct scxml_reader *reader, const struct chart_xml_element *element,
                         struct chart_transition *transition)
{
    const char *list = chart_xml_attribute(element, "event");
    transition->spontaneous = list == NULL;
    char *word;
    while (list != NULL && (word = scxml_next_word(&reader->arena, &list)) != NULL)
        transition->trigger = chart_either(reader->chart, transition->trigger,
                                           read_descriptor(reader, trim_descriptor(word)));
    if (list != NULL && transition->trigger == NULL && is_blank(list))
        message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                    "`event` without a name, which some take for none");
    if (!transition->spontaneous && transition->trigger == NULL)
        transition->trigger = chart_literal(reader->chart, &CHART_TYPE_BOOL, 0);
    assert(transition->spontaneous == (transition->trigger == NULL));
}

static struct chart_transition *read_transition(struct scxml_reader *reader,
                                                const struct chart_xml_element *element,
                                                struct chart_state *source)
{
    struct chart_transition *transition =
        chart_add_transition(reader->chart, source, scxml_place(reader, element));
    const char *targets = chart_xml_attribute(element, "target"),
               *type = chart_xml_attribute(element, "type");
    if (targets != NULL)
        read_targets(reader, element, targets, transition);
    check_targets(reader, element, transition);
    transition->internal = type != NULL && strcmp(type, "internal") == 0;
    if (type != NULL && !transition->internal && strcmp(type, "external") != 0)
        error(reader, element, "found the type `%s`, expected `internal` or `external`", type);
    read_trigger(reader, element, transition);
    reader->has_event = !transition->spontaneous;
    transition->guard = read_condition(reader, element);
    transition->action = scxml_actions(reader, element->first, NULL);
    reader->has_event = false;
    describe(reader, element, transition);
    return transition;
}

// How a region is entered by default. NULL: by its first state.
static const struct chart_transition *read_initial(struct scxml_reader *reader,
                                                   const struct chart_xml_element *element,
                                                   const struct chart_state *owner)
{
    const char *list = chart_xml_attribute(element, "initial");
    struct chart_transition *initial = NULL;
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        if (scxml_is(e, "initial") && e->first != NULL && scxml_is(e->first, "transition"))
            initial = read_transition(reader, e->first, NULL);
        else if (scxml_is(e, "initial"))
            error(reader, e, "found <initial> without a transition, expected one");
    }
    if (list != NULL && initial != NULL)
        error(reader, element, "found both `initial` and <initial>, expected one of them");
    if (list != NULL) {
        initial = chart_add_transition(reader->chart, NULL, scxml_place(reader, element));
        read_targets(reader, element, list, initial);
        check_targets(reader, element, initial);
        if (is_blank(list))
            error(reader, element, "found `initial` without a name, expected ids of states");
    }
    for (uint32_t i = 0; initial != NULL && i < initial->target_count; i++) {
        if (!chart_is_below(initial->targets[i], owner))
            error(reader, element, "found the initial state `%s`, expected one inside `%s`",
                  initial->targets[i]->name, owner == NULL ? "scxml" : owner->name);
    }
    return initial;
}

static bool is_known_child(const struct chart_xml_element *e)
{
    bool of_document = scxml_is(e, "script") && e->parent->parent == NULL;
    return of_document || is_state(e) || scxml_is(e, "history") || scxml_is(e, "initial") ||
           scxml_is(e, "onentry") || scxml_is(e, "onexit") || scxml_is(e, "transition") ||
           scxml_is(e, "datamodel") || is_layout(e);
}

static void check_history(struct scxml_reader *reader, const struct chart_xml_element *element,
                          const struct chart_state *state)
{
    const struct chart_state *owner = chart_parent(state);
    if (state->out_count != 1 || state->out[0]->target_count == 0) {
        error(reader, element, "found a history without exactly one transition with a target");
        return;
    }
    for (uint32_t i = 0; i < state->out[0]->target_count; i++) {
        if (!chart_is_below(state->out[0]->targets[i], owner))
            error(reader, element,
                  "found the default `%s` of a history, expected a state beside it",
                  state->out[0]->targets[i]->name);
    }
}

static void read_inside(struct scxml_reader *reader, struct chart_state *state)
{
    const struct chart_xml_element *element = reader->elements.data[state->index];
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        if (scxml_is(e, "onentry"))
            chart_append_actions(&state->entry, scxml_actions(reader, e->first, NULL));
        else if (scxml_is(e, "onexit"))
            chart_append_actions(&state->exit, scxml_actions(reader, e->first, NULL));
        else if (scxml_is(e, "transition"))
            read_transition(reader, e, state);
        else if (state->kind == CHART_FINAL && scxml_is(e, "donedata"))
            scxml_check_data(reader, e);
        else if (!is_known_child(e))
            scxml_not_supported(reader, e);
    }
    if (!chart_can_be_active(state))
        check_history(reader, element, state);
    if (state->region_count == 1 && !state->parallel)
        state->regions[0]->initial = read_initial(reader, element, state);
}

// ---- data --------------------------------------------------------------------------------------

// 'text' alone, or behind the colon of a choice.
static bool is_string(const char *text)
{
    size_t length = strlen(text);
    char quote = length > 1 ? text[length - 1] : '\0';
    if (quote != '\'' && quote != '"')
        return false;
    const char *begin = text + length - 1;
    while (begin > text && *--begin != quote)
        ;
    bool opened = *begin == quote;
    while (begin > text && isspace((unsigned char)begin[-1]))
        begin--;
    return opened && (begin == text || begin[-1] == ':');
}

// The type of the first assignment that shows it by itself; a number if none does.
static const struct chart_type *
assigned_type(struct scxml_reader *reader, const struct chart_xml_element *element, const char *id)
{
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        const char *location = chart_xml_attribute(e, "location"),
                   *text = chart_xml_attribute(e, "expr");
        bool here = scxml_is(e, "assign") && location != NULL && strcmp(location, id) == 0;
        if (here && text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0))
            return &CHART_TYPE_BOOL;
        if (here && text != NULL && is_string(text))
            return chart_text_type(reader->chart);
        const struct chart_variable *other =
            here && text != NULL ? chart_names_find(&reader->variables, text) : NULL;
        if (other != NULL)
            return other->type;
        const struct chart_type *inside = assigned_type(reader, e, id);
        if (inside != &CHART_TYPE_INT)
            return inside;
    }
    return &CHART_TYPE_INT;
}

static struct chart_variable *declare(struct scxml_reader *reader,
                                      const struct chart_xml_element *element, const char *id,
                                      const struct chart_type *type)
{
    struct chart_variable *variable =
        chart_add_variable(reader->chart, id, type, CHART_DATA, scxml_place(reader, element));
    if (chart_names_find(&reader->arrays, variable->name) != NULL ||
        chart_names_add(&reader->variables, variable->name, variable) != variable)
        error(reader, element, "found a second variable `%s`, expected unique names", id);
    return variable;
}

struct chart_variable *scxml_declare_unset(struct scxml_reader *reader,
                                           const struct chart_xml_element *element, const char *id,
                                           const struct chart_type *type)
{
    struct chart_variable *variable = declare(reader, element, id, type);
    variable->set = chart_add_variable(reader->chart, chart_text(reader->chart, "%s is set", id),
                                       &CHART_TYPE_BOOL, CHART_DATA, scxml_place(reader, element));
    variable->set->scratch = true;
    return variable;
}

static void read_data(struct scxml_reader *reader, const struct chart_xml_element *element)
{
    const char *id = chart_xml_attribute(element, "id"),
               *text = chart_xml_attribute(element, "expr");
    if (text == NULL)
        text = element->text;
    if (id == NULL) {
        error(reader, element, "found <data> without `id`, expected it");
        return;
    }
    if (chart_xml_attribute(element, "src") != NULL || element->first != NULL) {
        scxml_not_supported(reader, element);
        return;
    }
    if (text == NULL) {
        const struct chart_xml_element *root = element;
        while (root->parent != NULL)
            root = root->parent;
        scxml_declare_unset(reader, element, id, assigned_type(reader, root, id));
        return;
    }
    struct scxml_array *array = scxml_read_array(reader, text);
    if (array != NULL) {
        if (chart_names_find(&reader->variables, id) != NULL ||
            chart_names_add(&reader->arrays, arena_strdup(&reader->arena, id), array) != array)
            error(reader, element, "found a second variable `%s`, expected unique names", id);
        return;
    }
    const struct chart_expression *value = read_expression(reader, element, "expr", text, NULL);
    int64_t initial;
    if (value == NULL)
        return;
    if (!chart_constant(value, &initial)) {
        message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                    "a first value that is not computed from constants alone");
        return;
    }
    declare(reader, element, id, value->type)->initial = initial;
}

static void read_data_models(struct scxml_reader *reader, const struct chart_xml_element *element)
{
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        for (const struct chart_xml_element *d = e->first; d != NULL && scxml_is(e, "datamodel");
             d = d->next) {
            if (!scxml_is(d, "data"))
                scxml_not_supported(reader, d);
            else if (!reader->ecmascript)
                error(reader, d, "found data in the data model `null`, expected none");
            else
                read_data(reader, d);
        }
        if (is_state(e))
            read_data_models(reader, e);
    }
}

// ---- the document ------------------------------------------------------------------------------

// Transitions of the document itself, which the recommendation does not have but its implementations do, are those of a
// state around all others.
static struct chart_state *wrap_root(struct scxml_reader *reader, struct chart_xml_element *root,
                                     struct chart_region *top)
{
    const struct chart_xml_element *transition = NULL, *final = NULL;
    for (const struct chart_xml_element *e = root->first; e != NULL; e = e->next) {
        transition = scxml_is(e, "transition") ? e : transition;
        final = scxml_is(e, "final") ? e : final;
    }
    if (transition == NULL)
        return NULL;
    if (final != NULL)
        scxml_not_supported(reader, transition); // the document would not end with that state
    struct chart_state *state =
        chart_add_state(reader->chart, top, CHART_STATE, "(scxml)", scxml_place(reader, root));
    VECTOR_PUSH(&reader->elements, root);
    return state;
}

// The scripts of the document, which run when the data have their first values and before any state is entered.
static const struct chart_action *load(struct scxml_reader *reader,
                                       const struct chart_xml_element *root)
{
    const struct chart_action *list = NULL;
    reader->loading = true;
    for (const struct chart_xml_element *e = root->first; e != NULL; e = e->next) {
        if (!scxml_is(e, "script"))
            continue;
        if (reader->ecmascript)
            chart_append_actions(&list, read_script(reader, e));
        else
            scxml_not_supported(reader, e);
    }
    reader->loading = false;
    return list;
}

static const struct chart_transition *begin_with(struct scxml_reader *reader,
                                                 const struct chart_xml_element *root,
                                                 const struct chart_region *top,
                                                 const struct chart_action *script)
{
    struct chart_transition *initial =
        chart_add_transition(reader->chart, NULL, scxml_place(reader, root));
    for (uint32_t i = 0; top->initial != NULL && i < top->initial->target_count; i++)
        chart_add_target(reader->chart, initial, top->initial->targets[i]);
    if (top->initial == NULL)
        chart_add_target(reader->chart, initial, top->states[0]);
    assert(initial->target_count > 0 && initial->action == NULL);
    initial->action = script;
    return initial;
}

// ---- all of it ---------------------------------------------------------------------------------

static void read_document(struct scxml_reader *reader, struct chart_xml_element *root,
                          const char *events)
{
    struct chart *chart = reader->chart;
    const char *model = chart_xml_attribute(root, "datamodel"),
               *name = chart_xml_attribute(root, "name");
    // Which one it is without the attribute, each implementation decides.
    reader->ecmascript = model == NULL || strcmp(model, "ecmascript") == 0;
    if (model != NULL && !reader->ecmascript && strcmp(model, "null") != 0)
        message_add(reader->messages, MESSAGE_UNSUPPORTED, root->at, "the data model `%s`", model);
    const char *binding = chart_xml_attribute(root, "binding");
    if (binding != NULL && strcmp(binding, "early") != 0)
        message_add(reader->messages, MESSAGE_UNSUPPORTED, root->at,
                    "data that get their values late, `binding=\"%s\"`", binding);
    chart->name = name != NULL ? arena_strdup(&chart->arena, name) : "";
    struct chart_region *top = chart_add_region(chart, chart_add_component(chart, ""), NULL, "");
    struct chart_state *around = wrap_root(reader, root, top);
    read_states(reader, root, around);
    if (!has_states(root))
        error(reader, root, "found no state, expected one");
    for (const struct chart_xml_element *e = root->first; e != NULL; e = e->next) {
        if (!is_state(e) && !scxml_is(e, "datamodel") && !scxml_is(e, "transition") &&
            !scxml_is(e, "script") && !is_layout(e))
            scxml_not_supported(reader, e);
    }
    collect_events(reader, root);
    choose_events(reader, events);
    collect_done_events(reader);
    sort_events(reader);
    scxml_make_sendings(reader, root);
    read_data_models(reader, root);
    scxml_declare_items(reader, root);
    const struct chart_action *script = load(reader, root);
    if (failed(reader))
        return;
    chart_finish(chart); // transitions ask who is below whom
    assert(reader->elements.count == chart->state_count);
    for (uint32_t i = 0; i < chart->state_count; i++)
        read_inside(reader, chart->states[i]);
    if (around == NULL)
        top->initial = read_initial(reader, root, NULL);
    if (script != NULL && !failed(reader))
        top->initial = begin_with(reader, root, top, script);
    warn_of_unheard(reader, events);
}

struct chart *scxml_read(const char *path, const char *text, size_t bytes, const char *events,
                         uint32_t queue, struct messages *messages)
{
    struct scxml_reader reader = {.chart = chart_create(CHART_SCXML, path),
                                  .messages = messages,
                                  .failures = messages->errors + messages->unsupported};
    arena_init(&reader.arena);
    if (queue > 0)
        reader.chart->queue_bound = queue;
    struct chart_xml_element *root =
        chart_xml_read(&reader.arena, reader.chart->path, text, bytes, messages);
    if (root != NULL && strcmp(root->name, "scxml") != 0)
        error(&reader, root, "found <%s>, expected <scxml>", root->name);
    else if (root != NULL)
        read_document(&reader, root, events);
    bool good = root != NULL && !failed(&reader);
    chart_names_finish(&reader.states);
    chart_names_finish(&reader.events);
    chart_names_finish(&reader.variables);
    chart_names_finish(&reader.arrays);
    chart_names_finish(&reader.implicit);
    VECTOR_FINISH(&reader.elements);
    VECTOR_FINISH(&reader.descriptors);
    VECTOR_FINISH(&reader.done);
    VECTOR_FINISH(&reader.senders);
    chart_names_finish(&reader.sent_places);
    arena_finish(&reader.arena);
    if (good)
        return reader.chart;
    chart_destroy(reader.chart);
    return NULL;
}
