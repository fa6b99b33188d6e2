#include "languages/charts/property.h"

#include <string.h>

#include "base/text.h"
#include "languages/charts/expression.h"

// [NUMBER] behind a name, of an array.
static void add_elements(struct lexer *lexer, struct text *path)
{
    while (lexer_at(lexer, CHART_TOKEN_OPEN_SQUARE) && lexer_peek(lexer, 1)->kind == TOKEN_NUMBER &&
           lexer_peek(lexer, 2)->kind == CHART_TOKEN_CLOSE_SQUARE) {
        const struct token *number = lexer_peek(lexer, 1);
        text_printf(path, "[%.*s]", (int)number->length, number->text);
        for (int i = 0; i < 3; i++)
            lexer_next(lexer);
    }
}

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
        add_elements(lexer, &text);
    } while (lexer_accept(lexer, CHART_TOKEN_DOT) != NULL ||
             lexer_accept(lexer, CHART_TOKEN_ARROW) != NULL); // of instances, in Gamma's files
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

// The number of a transition in the order of the text, from 1.
static struct chart_transition *read_number(struct chart_scope *scope)
{
    const struct token *at = lexer_expect(scope->lexer, TOKEN_NUMBER);
    int64_t number;
    if (at == NULL || !chart_parse_number(scope->lexer, at, &number))
        return NULL;
    if (number >= 1 && number <= scope->chart->transition_count)
        return scope->chart->transitions[number - 1];
    lexer_error(scope->lexer, at, "found %lld, expected the number of a transition, up to %u",
                (long long)number, scope->chart->transition_count);
    return NULL;
}

// Overlap(N, M): could both of these, which leave the same state, ever fire at the same time?
static const struct chart_expression *read_overlap(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    const struct chart_transition *a = read_number(scope);
    if (a == NULL || lexer_expect(lexer, CHART_TOKEN_COMMA) == NULL)
        return NULL;
    const struct chart_transition *b = read_number(scope);
    if (b == NULL || lexer_expect(lexer, CHART_TOKEN_CLOSE) == NULL)
        return NULL;
    if (a->source != b->source || a == b || scope->chart->overlapped != NULL) {
        lexer_error(lexer, at, "found %s, expected two transitions of one state",
                    scope->chart->overlapped != NULL ? "a second overlap in the question"
                    : a == b                         ? "a transition and itself"
                                                     : "transitions of different states");
        return NULL;
    }
    return chart_read(scope->chart, chart_remember_overlap(scope->chart, a, b));
}

// Fires(SOURCE to TARGET), Fires(SOURCE to TARGET 2), Fires(NUMBER): has it ever fired? A variable of our own remembers.
static const struct chart_expression *read_fires(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    struct chart *chart = scope->chart;
    const struct token *at = lexer_token(lexer);
    if (at->kind == TOKEN_NUMBER && lexer_peek(lexer, 1)->kind == CHART_TOKEN_CLOSE) {
        struct chart_transition *numbered = read_number(scope);
        if (numbered == NULL || lexer_expect(lexer, CHART_TOKEN_CLOSE) == NULL)
            return NULL;
        return chart_read(chart, chart_remember_firing(chart, numbered));
    }
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

// Left(STATE): has it ever been left?
static const struct chart_expression *read_left(struct chart_scope *scope)
{
    const struct token *at = lexer_token(scope->lexer);
    const char *path = read_path(scope);
    const struct chart_state *state = path == NULL ? NULL : node_named(scope, at, path);
    if (state == NULL || lexer_expect(scope->lexer, CHART_TOKEN_CLOSE) == NULL)
        return NULL;
    if (!chart_can_be_active(state)) {
        lexer_error(scope->lexer, at, "found `%s`, which is never active, expected a state", path);
        return NULL;
    }
    return chart_read(scope->chart, chart_remember_leaving(scope->chart, state));
}

// `port.event::parameter`, or `Type::LITERAL`
static const struct chart_expression *scoped(struct chart_scope *scope, const struct token *at,
                                             const char *path)
{
    lexer_next(scope->lexer);
    const char *part = read_path(scope);
    if (part == NULL)
        return NULL;
    bool several;
    const char *both = chart_text(scope->chart, "%s::%s", path, part);
    if (chart_find_variable(scope->chart, both, &several) != NULL)
        return variable_named(scope, at, both);
    return enumeration_literal(scope, at, path, part);
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
    if (token_is(at, "Left") && call) {
        lexer_next(lexer);
        lexer_next(lexer);
        return read_left(scope);
    }
    if (token_is(at, "Fires") && call) {
        lexer_next(lexer);
        lexer_next(lexer);
        return read_fires(scope);
    }
    if (token_is(at, "Overlap") && call) {
        lexer_next(lexer);
        lexer_next(lexer);
        return read_overlap(scope);
    }
    if (word && (token_is(at, "state") || token_is(at, "variable") || token_is(at, "event") ||
                 token_is(at, "var") || token_is(at, "param") || token_is(at, "parameter"))) {
        lexer_next(lexer);
        const struct token *name = lexer_token(lexer);
        const char *path = read_path(scope);
        if (path == NULL)
            return NULL;
        if (token_is(at, "state"))
            return state_named(scope, name, path);
        return lexer_at(lexer, CHART_TOKEN_SCOPE) ? scoped(scope, name, path)
                                                  : variable_named(scope, name, path);
    }
    const char *path = read_path(scope);
    if (path == NULL)
        return NULL;
    return lexer_at(lexer, CHART_TOKEN_SCOPE) ? scoped(scope, at, path)
                                              : variable_named(scope, at, path);
}

// Temporal operators inside a formula, which are beyond us.
static bool is_temporal(const struct token *at)
{
    static const char *const WORDS[] = {"A", "E", "F", "G", "X", "U", "R"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (token_is(at, WORDS[i]))
            return true;
    }
    return false;
}

static bool opens(int kind)
{
    return kind == CHART_TOKEN_OPEN || kind == CHART_TOKEN_OPEN_SQUARE ||
           kind == CHART_TOKEN_OPEN_CURLY;
}

// The brackets of Gamma's properties: [ { EXPR } ] in any depth, round ones around them.
static const struct chart_expression *read_bracketed(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    bool round = at->kind == CHART_TOKEN_OPEN;
    const struct token *next = lexer_peek(lexer, 1);
    if (is_temporal(at) && (is_temporal(next) || next->kind == CHART_TOKEN_OPEN_SQUARE)) {
        lexer_not_supported(lexer, at, "a temporal operator inside a formula");
        return NULL;
    }
    bool formula =
        at->kind == CHART_TOKEN_OPEN_CURLY || (round && next->kind == CHART_TOKEN_OPEN_CURLY);
    if (!opens(at->kind) || formula || (round && !opens(next->kind) && !is_temporal(next)))
        return chart_parse_typed(scope, &CHART_TYPE_BOOL, "a property");
    if (round && is_temporal(next) && !opens(lexer_peek(lexer, 2)->kind) &&
        !is_temporal(lexer_peek(lexer, 2)))
        return chart_parse_typed(scope, &CHART_TYPE_BOOL, "a property");
    if (round && next->kind == CHART_TOKEN_OPEN) { // of an expression, or of a formula
        size_t inner = 1;
        while (lexer_peek(lexer, inner)->kind == CHART_TOKEN_OPEN)
            inner++;
        if (!opens(lexer_peek(lexer, inner)->kind))
            return chart_parse_typed(scope, &CHART_TYPE_BOOL, "a property");
    }
    if (round && is_temporal(next)) {
        lexer_not_supported(lexer, next, "a temporal operator inside a formula");
        return NULL;
    }
    lexer_next(lexer);
    const struct chart_expression *inside = read_bracketed(scope);
    static const int CLOSE[] = {CHART_TOKEN_CLOSE, CHART_TOKEN_CLOSE_SQUARE,
                                CHART_TOKEN_CLOSE_CURLY};
    int close = CLOSE[round ? 0 : at->kind == CHART_TOKEN_OPEN_SQUARE ? 1 : 2];
    if (inside == NULL)
        return NULL;
    if (round && lexer_token(lexer)->kind != close) {
        lexer_not_supported(lexer, lexer_token(lexer), "a formula that is put together of others");
        return NULL;
    }
    return lexer_expect(lexer, close) != NULL ? inside : NULL;
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

// A question's beginning: whether it asks for what must not be. False: a property that is not supported.
static bool read_quantifier(struct chart_scope *scope, bool *never)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    accept_word(lexer, "formula");
    *never = accept_word(lexer, "never") || accept_word(lexer, "reach") ||
             accept_letters(lexer, "E", "F");
    bool said = *never || accept_word(lexer, "always") || accept_letters(lexer, "A", "G");
    const struct token *next = lexer_token(lexer);
    bool quantified = is_temporal(at) && (is_temporal(next) || opens(lexer_peek(lexer, 1)->kind));
    bool nested = said && is_temporal(next) && opens(lexer_peek(lexer, 1)->kind);
    if ((!said && quantified) || nested) {
        lexer_not_supported(lexer, at, "properties other than `E F` and `A G`");
        return false;
    }
    return true;
}

// @ ( "TEXT" ), before a formula of Gamma's
static bool skip_comments(struct lexer *lexer)
{
    while (lexer_accept(lexer, CHART_TOKEN_AT) != NULL) {
        if (lexer_expect(lexer, CHART_TOKEN_OPEN) == NULL ||
            lexer_expect(lexer, CHART_TOKEN_STRING) == NULL ||
            lexer_expect(lexer, CHART_TOKEN_CLOSE) == NULL)
            return false;
    }
    return true;
}

static const struct chart_expression *read_question(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    bool never;
    if (!skip_comments(lexer) || !read_quantifier(scope, &never))
        return NULL;
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
    struct chart_scope scope = {.chart = chart,
                                .lexer = &lexer,
                                .notation = CHART_WORDS,
                                .formulas = true,
                                .strings = chart->texts != NULL,
                                .name = read_name};
    const struct chart_expression *read = read_question(&scope);
    lexer_finish(&lexer);
    return messages->errors + messages->unsupported == failures ? read : NULL;
}

// ---- several questions -------------------------------------------------------------------------

static bool ends_expression(const struct token *at)
{
    switch (at->kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case CHART_TOKEN_CLOSE:
    case CHART_TOKEN_CLOSE_SQUARE:
    case CHART_TOKEN_CLOSE_CURLY:
    case CHART_TOKEN_SEMICOLON:
    case CHART_TOKEN_TRUE:
    case CHART_TOKEN_FALSE:
    case CHART_TOKEN_STRING:
        return true;
    default:
        return false;
    }
}

// Does a question begin here? Names of variables may be the same words.
static bool begins_question(const struct lexer *lexer, size_t i)
{
    const struct token *at = &lexer->tokens[i];
    static const char *const WORDS[] = {"never", "always", "reach", "formula"};
    if (i > 0 && !ends_expression(at - 1))
        return false;
    if (i > 0 && token_is(at - 1, "formula"))
        return false;
    for (size_t w = 0; w < sizeof WORDS / sizeof WORDS[0]; w++) {
        if (token_is(at, WORDS[w]) && at[1].kind != TOKEN_END)
            return true;
    }
    return (token_is(at, "A") || token_is(at, "E")) &&
           (is_temporal(at + 1) || at[1].kind == CHART_TOKEN_OPEN);
}

// NAME: before a question.
static bool is_label(const struct lexer *lexer, size_t i)
{
    return lexer->tokens[i].kind == TOKEN_NAME && i + 2 < lexer->count &&
           lexer->tokens[i + 1].kind == CHART_TOKEN_COLON &&
           (i == 0 || ends_expression(&lexer->tokens[i - 1]));
}

static void add_question(struct language_questions *out, const struct lexer *lexer, size_t label,
                         size_t first, size_t end, const char *before, size_t before_bytes)
{
    const struct token *begin = &lexer->tokens[first], *last = &lexer->tokens[end - 1];
    struct text name, property;
    text_init(&name);
    text_init(&property);
    if (label != SIZE_MAX)
        text_printf(&name, "%.*s", (int)lexer->tokens[label].length, lexer->tokens[label].text);
    else
        text_printf(&name, "question %zu", out->count + 1);
    text_printf(&property, "%.*s", (int)before_bytes, before);
    if (before_bytes > 0)
        text_add_char(&property, '\n');
    text_printf(&property, "%.*s", (int)(last->text + last->length - begin->text), begin->text);
    language_questions_add(out, text_string(&name), text_string(&property));
    text_finish(&name);
    text_finish(&property);
}

void chart_property_split(const char *path, const char *before, size_t before_bytes,
                          const char *text, struct language_questions *out)
{
    struct messages messages;
    messages_init(&messages); // whoever reads a question tells what is wrong with it
    struct lexer lexer;
    lexer_init(&lexer, &CHART_LEXER_WORDS, path, text, strlen(text), &messages);
    size_t depth = 0, first = SIZE_MAX, label = SIZE_MAX;
    struct language_questions found = {0};
    for (size_t i = 0; i < lexer.count; i++) {
        int kind = lexer.tokens[i].kind;
        depth += opens(kind);
        depth -= depth > 0 && (kind == CHART_TOKEN_CLOSE || kind == CHART_TOKEN_CLOSE_SQUARE ||
                               kind == CHART_TOKEN_CLOSE_CURLY);
        bool labelled = depth == 0 && is_label(&lexer, i);
        bool starts = depth == 0 && !labelled && i + 1 < lexer.count &&
                      ((i >= 2 && is_label(&lexer, i - 2)) || begins_question(&lexer, i));
        bool comment = depth == 0 && kind == CHART_TOKEN_AT;
        if (first != SIZE_MAX && (starts || labelled || comment || kind == TOKEN_END)) {
            add_question(&found, &lexer, label, first, i, before, before_bytes);
            first = label = SIZE_MAX;
        }
        if (labelled)
            label = i;
        if (starts)
            first = i;
    }
    for (size_t i = 0; found.count > 1 && i < found.count; i++)
        language_questions_add(out, found.data[i].name, found.data[i].property);
    language_questions_finish(&found);
    lexer_finish(&lexer);
    messages_finish(&messages);
}
