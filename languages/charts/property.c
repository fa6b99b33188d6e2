#include "languages/charts/property.h"

#include <string.h>

#include "base/text.h"
#include "languages/charts/expression.h"

// A name with dots, or the text of a string; consumed. NULL with a message.
static char *read_path(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    if (at->kind == CHART_TOKEN_STRING) {
        lexer_next(lexer);
        return arena_strndup(&scope->chart->arena, at->text + 1, at->length - 2);
    }
    struct text text;
    text_init(&text);
    bool good = true;
    do {
        // Ids may have minus signs; numbers and keywords too are parts of names.
        const struct token *token = lexer_token(lexer);
        good = token->kind == TOKEN_NAME || token->kind == TOKEN_NUMBER;
        if (!good)
            break;
        lexer_next(lexer);
        const char *part = chart_token_text(scope->chart, token);
        text_printf(&text, "%s%s", text.length > 0 ? "." : "", part);
    } while (lexer_accept(lexer, CHART_TOKEN_DOT) != NULL);
    char *path = good ? arena_strdup(&scope->chart->arena, text_string(&text)) : NULL;
    text_finish(&text);
    if (!good)
        lexer_unexpected(lexer, "a name");
    return path;
}

static const struct chart_expression *state_named(struct chart_scope *scope, const struct token *at,
                                                  const char *name)
{
    bool several;
    const struct chart_state *state = chart_find_state(scope->chart, name, &several);
    if (state == NULL) {
        lexer_error(scope->lexer, at, "found `%s`, %s", name,
                    several ? "which names several states, expected more of its name"
                            : "expected the name of a state");
        return NULL;
    }
    struct chart_expression *made =
        chart_make(scope->chart, CHART_ACTIVE, &CHART_TYPE_BOOL, lexer_position(scope->lexer, at));
    made->state = state;
    return made;
}

static const struct chart_expression *enumeration_literal(struct chart_scope *scope,
                                                          const struct token *at, const char *type,
                                                          const char *name)
{
    for (uint32_t i = 0; i < scope->chart->type_count; i++) {
        const struct chart_type *t = scope->chart->types[i];
        for (uint32_t j = 0; (type == NULL || strcmp(t->name, type) == 0) && j < t->literal_count;
             j++) {
            if (strcmp(t->literals[j], name) == 0)
                return chart_literal(scope->chart, t, j);
        }
    }
    if (type != NULL)
        lexer_error(scope->lexer, at, "found `%s::%s`, expected a literal of an enumeration", type,
                    name);
    return NULL;
}

static const struct chart_expression *variable_named(struct chart_scope *scope,
                                                     const struct token *at, const char *name)
{
    bool several;
    const struct chart_variable *variable = chart_find_variable(scope->chart, name, &several);
    if (variable != NULL)
        return chart_read(scope->chart, variable);
    const struct chart_expression *literal =
        several ? NULL : enumeration_literal(scope, at, NULL, name);
    if (literal != NULL)
        return literal;
    lexer_error(scope->lexer, at, "found `%s`, %s", name,
                several ? "which names several variables, expected more of its name"
                        : "expected a variable, an event or In(STATE)");
    return NULL;
}

// The numbers of the transitions between two states are in document order, from 1.
static struct chart_transition *find_transition(struct chart *chart,
                                                const struct chart_state *source,
                                                const struct chart_state *target, int64_t number)
{
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        struct chart_transition *t = chart->transitions[i];
        bool fits = t->source == source && t->target_count > 0 && t->targets[0] == target;
        if (fits && --number == 0)
            return t;
    }
    return NULL;
}

// Of any kind: choices have transitions too.
static const struct chart_state *node_named(struct chart_scope *scope, const struct token *at,
                                            const char *name)
{
    for (uint32_t i = 0; i < scope->chart->state_count; i++) {
        const struct chart_state *state = scope->chart->states[i];
        size_t length = strlen(name), all = strlen(state->text);
        bool end = length <= all && strcmp(state->text + all - length, name) == 0;
        bool whole = end && (length == all || state->text[all - length - 1] == '.');
        bool is_short = strchr(name, '.') != NULL && chart_is_named(state, name);
        if (whole || is_short)
            return state;
    }
    lexer_error(scope->lexer, at, "found `%s`, expected the name of a state", name);
    return NULL;
}

// Fires(SOURCE to TARGET), Fires(SOURCE to TARGET 2): has it ever fired? A variable of our own remembers.
static const struct chart_expression *read_fires(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    struct chart *chart = scope->chart;
    const struct token *at = lexer_token(lexer);
    const char *from = read_path(scope);
    const struct chart_state *source = from == NULL ? NULL : node_named(scope, at, from);
    if (source == NULL)
        return NULL;
    if (!token_is(lexer_token(lexer), "to")) {
        lexer_unexpected(lexer, "`to`");
        return NULL;
    }
    lexer_next(lexer);
    const struct token *to = lexer_token(lexer);
    const char *path = read_path(scope);
    const struct chart_state *target = path == NULL ? NULL : node_named(scope, to, path);
    int64_t number = 1;
    const struct token *which = lexer_accept(lexer, TOKEN_NUMBER);
    if (target == NULL || (which != NULL && !chart_parse_number(lexer, which, &number)) ||
        lexer_expect(lexer, CHART_TOKEN_CLOSE) == NULL)
        return NULL;
    struct chart_transition *transition = find_transition(chart, source, target, number);
    if (transition == NULL) {
        lexer_error(lexer, at, "found no transition number %lld from `%s` to `%s`",
                    (long long)number, from, path);
        return NULL;
    }
    return chart_read(chart, chart_remember_firing(chart, transition));
}

static const struct chart_expression *read_name(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    bool call = lexer_peek(lexer, 1)->kind == CHART_TOKEN_OPEN;
    bool word = lexer_peek(lexer, 1)->kind == TOKEN_NAME;
    if (token_is(at, "In") && call) {
        lexer_next(lexer);
        lexer_next(lexer);
        const struct token *name = lexer_token(lexer);
        const char *path = read_path(scope);
        if (path == NULL || lexer_expect(lexer, CHART_TOKEN_CLOSE) == NULL)
            return NULL;
        return state_named(scope, name, path);
    }
    if (token_is(at, "Fires") && call) {
        lexer_next(lexer);
        lexer_next(lexer);
        return read_fires(scope);
    }
    if (word && (token_is(at, "state") || token_is(at, "variable") || token_is(at, "event"))) {
        lexer_next(lexer);
        const struct token *name = lexer_token(lexer);
        const char *path = read_path(scope);
        if (path == NULL)
            return NULL;
        return token_is(at, "state") ? state_named(scope, name, path)
                                     : variable_named(scope, name, path);
    }
    const char *path = read_path(scope);
    if (path == NULL)
        return NULL;
    if (lexer_accept(lexer, CHART_TOKEN_SCOPE) == NULL)
        return variable_named(scope, at, path);
    const char *literal = read_path(scope);
    if (literal == NULL)
        return NULL;
    bool several; // `port.event::parameter`, or `Type::LITERAL`
    const char *both = chart_text(scope->chart, "%s::%s", path, literal);
    if (chart_find_variable(scope->chart, both, &several) != NULL)
        return variable_named(scope, at, both);
    return enumeration_literal(scope, at, path, literal);
}

// The brackets of Gamma's properties: [ { EXPR } ] in any depth, round ones as well.
static const struct chart_expression *read_bracketed(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    static const int OPEN[] = {CHART_TOKEN_OPEN_SQUARE, CHART_TOKEN_OPEN_CURLY};
    for (int i = 0; i < 2; i++) {
        if (lexer_accept(lexer, OPEN[i]) == NULL)
            continue;
        const struct chart_expression *inside = read_bracketed(scope);
        if (inside == NULL || lexer_expect(lexer, i == 0 ? CHART_TOKEN_CLOSE_SQUARE
                                                         : CHART_TOKEN_CLOSE_CURLY) == NULL)
            return NULL;
        return inside;
    }
    return chart_parse_typed(scope, &CHART_TYPE_BOOL, "a property");
}

static bool accept_word(struct lexer *lexer, const char *word)
{
    if (!token_is(lexer_token(lexer), word))
        return false;
    lexer_next(lexer);
    return true;
}

// Two letters of temporal logic; nested ones are beyond us.
static bool accept_letters(struct lexer *lexer, const char *first, const char *second)
{
    const struct token *at = lexer_token(lexer);
    if (!token_is(at, first) || !token_is(lexer_peek(lexer, 1), second))
        return false;
    lexer_next(lexer);
    lexer_next(lexer);
    return true;
}

static const struct chart_expression *read_question(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    bool never = accept_word(lexer, "never") || accept_word(lexer, "reach") ||
                 accept_letters(lexer, "E", "F");
    if (!never && !accept_word(lexer, "always"))
        accept_letters(lexer, "A", "G");
    if (token_is(at, "A") && token_is(at + 1, "F")) {
        chart_not_supported(lexer, at, "properties other than `E F` and `A G`");
        return NULL;
    }
    const struct chart_expression *body = read_bracketed(scope);
    if (body == NULL)
        return NULL;
    lexer_accept(lexer, CHART_TOKEN_SEMICOLON);
    if (!lexer_at(lexer, TOKEN_END)) {
        lexer_unexpected(lexer, "the end of the property");
        return NULL;
    }
    return never ? chart_unary(scope->chart, CHART_NOT, body) : body;
}

const struct chart_expression *chart_property_read(struct chart *chart, const char *path,
                                                   const char *text, size_t bytes,
                                                   struct messages *messages)
{
    size_t failures = messages->errors + messages->unsupported;
    struct lexer lexer;
    lexer_init(&lexer, &CHART_LEXER_WORDS, path, text, bytes, messages);
    struct chart_scope scope = {
        .chart = chart, .lexer = &lexer, .notation = CHART_WORDS, .name = read_name};
    const struct chart_expression *read = read_question(&scope);
    lexer_finish(&lexer);
    return messages->errors + messages->unsupported == failures ? read : NULL;
}
