#include "languages/charts/scxml_inside.h"

#include <string.h>

#include "languages/charts/expression.h"

// Expressions whose value goes where nobody looks (log, parameters). What matters is that computing them is no error: that would cut off the rest
// of its block, drop the message, and raise error.execution. So they are read by a grammar that is wider than the one of those that
// are computed, and all names in them must be there.

#define DEPTH_LIMIT 100

struct glance {
    struct scxml_reader *reader;
    const struct chart_xml_element *element;
    struct lexer *lexer;
    int depth;
};

static bool value(struct glance *glance);

static bool accept(struct glance *glance, int kind)
{
    return lexer_accept(glance->lexer, kind) != NULL;
}

static bool accept_word(struct glance *glance, const char *word)
{
    if (!lexer_at(glance->lexer, TOKEN_NAME) || !token_is(lexer_token(glance->lexer), word))
        return false;
    lexer_next(glance->lexer);
    return true;
}

static bool in_parentheses(struct glance *glance)
{
    return accept(glance, CHART_TOKEN_OPEN) && value(glance) && accept(glance, CHART_TOKEN_CLOSE);
}

// In('STATE')
static bool in_state(struct glance *glance)
{
    return accept(glance, CHART_TOKEN_OPEN) && accept(glance, CHART_TOKEN_STRING) &&
           accept(glance, CHART_TOKEN_CLOSE);
}

// A variable that a loop makes is there inside of it, and elsewhere perhaps not yet.
static bool is_made(struct glance *glance, const char *name)
{
    if (chart_names_find(&glance->reader->implicit, name) == NULL)
        return chart_names_find(&glance->reader->variables, name) != NULL ||
               chart_names_find(&glance->reader->arrays, name) != NULL;
    for (const struct chart_xml_element *e = glance->element; e != NULL; e = e->parent) {
        const char *item = chart_xml_attribute(e, "item"), *index = chart_xml_attribute(e, "index");
        if (scxml_is(e, "foreach") && ((item != NULL && strcmp(item, name) == 0) ||
                                       (index != NULL && strcmp(index, name) == 0)))
            return true;
    }
    return false;
}

static bool name(struct glance *glance)
{
    if (accept_word(glance, "In"))
        return in_state(glance);
    if (accept_word(glance, "_name") || accept_word(glance, "_sessionid") ||
        accept_word(glance, "null") || accept_word(glance, "undefined"))
        return true;
    if (accept_word(glance, "String") || accept_word(glance, "Number"))
        return in_parentheses(glance);
    if (accept_word(glance,
                    "_event")) // where there is one, each of its fields is at least undefined
        return glance->reader->has_event &&
               (!accept(glance, CHART_TOKEN_DOT) || accept(glance, TOKEN_NAME));
    const struct token *at = lexer_next(glance->lexer);
    return is_made(glance, arena_strndup(&glance->reader->arena, at->text, at->length));
}

// Without escapes but the simple ones, some of which are errors.
static bool is_plain(const struct token *string)
{
    for (size_t i = 0; i + 1 < string->length; i++) {
        if (string->text[i] != '\\')
            continue;
        i++;
        if (strchr("nrt'\"\\", string->text[i]) == NULL)
            return false;
    }
    return true;
}

static bool primary(struct glance *glance)
{
    const struct token *at = lexer_token(glance->lexer);
    if (at->kind == CHART_TOKEN_OPEN)
        return in_parentheses(glance);
    if (at->kind == TOKEN_NAME)
        return name(glance);
    lexer_next(glance->lexer);
    if (at->kind == TOKEN_NUMBER)
        return !accept(glance, CHART_TOKEN_DOT) || accept(glance, TOKEN_NUMBER);
    return (at->kind == CHART_TOKEN_STRING && is_plain(at)) || at->kind == CHART_TOKEN_TRUE ||
           at->kind == CHART_TOKEN_FALSE;
}

static bool is_operator(int kind)
{
    return (kind >= CHART_TOKEN_LESS && kind <= CHART_TOKEN_TIMES) || kind == CHART_TOKEN_OR ||
           kind == CHART_TOKEN_AND || kind == CHART_TOKEN_EQUAL || kind == CHART_TOKEN_DIFFERS ||
           kind == CHART_TOKEN_SLASH || kind == CHART_TOKEN_PERCENT;
}

static bool operand(struct glance *glance)
{
    while (!chart_at_step(glance->lexer) && // which changes what it stands at
           (accept(glance, CHART_TOKEN_NOT) || accept(glance, CHART_TOKEN_MINUS) ||
            accept(glance, CHART_TOKEN_PLUS)))
        ;
    return primary(glance);
}

static bool value_inside(struct glance *glance)
{
    if (!operand(glance))
        return false;
    while (is_operator(lexer_token(glance->lexer)->kind)) {
        const struct token *at = lexer_next(glance->lexer);
        // `/=` is an assignment, but cut like a comparison
        if ((at->kind == CHART_TOKEN_DIFFERS && at->text[0] == '/') || !operand(glance))
            return false;
    }
    return !accept(glance, CHART_TOKEN_QUESTION) ||
           (value(glance) && accept(glance, CHART_TOKEN_COLON) && value(glance));
}

static bool value(struct glance *glance)
{
    bool good = ++glance->depth < DEPTH_LIMIT && value_inside(glance);
    glance->depth--;
    return good;
}

static bool is_harmless(struct scxml_reader *reader, const struct chart_xml_element *element,
                        const char *text)
{
    struct messages inner;
    messages_init(&inner);
    struct lexer lexer;
    lexer_init(&lexer, &CHART_LEXER_ECMASCRIPT, NULL, text, strlen(text), &inner);
    struct glance glance = {.reader = reader, .element = element, .lexer = &lexer};
    bool good = value(&glance) && lexer_at(&lexer, TOKEN_END) && !messages_failed(&inner);
    lexer_finish(&lexer);
    messages_finish(&inner);
    return good;
}

// ---- log ---------------------------------------------------------------------------------------

static bool hears_errors(const struct scxml_reader *reader)
{
    if (reader->listens_to_all)
        return true;
    for (size_t i = 0; i < reader->descriptors.count; i++) {
        if (strncmp(reader->descriptors.data[i], "error", strlen("error")) == 0)
            return true;
    }
    return false;
}

void scxml_log(struct scxml_reader *reader, const struct chart_xml_element *element)
{
    const char *text = chart_xml_attribute(element, "expr");
    bool last = element->next == NULL && !scxml_is(element->parent, "if") &&
                !scxml_is(element->parent, "foreach");
    if (text == NULL || !reader->ecmascript || (last && !hears_errors(reader)) ||
        is_harmless(reader, element, text))
        return;
    message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                "<log> of an expression that may be an error, which would cut off what follows");
}

// ---- data of events ----------------------------------------------------------------------------

static bool all_are_made(struct scxml_reader *reader, const struct chart_xml_element *element,
                         const char *list)
{
    struct glance glance = {.reader = reader, .element = element};
    char *word;
    while (list != NULL && (word = scxml_next_word(&reader->arena, &list)) != NULL) {
        if (!is_made(&glance, word))
            return false;
    }
    return true;
}

static bool is_fine(struct scxml_reader *reader, const struct chart_xml_element *e)
{
    const char *text = chart_xml_attribute(e, "expr");
    if (scxml_is(e, "param"))
        return chart_xml_attribute(e, "name") != NULL &&
               (text == NULL || is_harmless(reader, e, text)) &&
               all_are_made(reader, e, chart_xml_attribute(e, "location"));
    return scxml_is(e, "content") && (text == NULL || is_harmless(reader, e, text));
}

bool scxml_check_data(struct scxml_reader *reader, const struct chart_xml_element *element)
{
    if (!all_are_made(reader, element, chart_xml_attribute(element, "namelist"))) {
        message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                    "<%s> with data that may be an error", element->name);
        return false;
    }
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        if (is_fine(reader, e))
            continue;
        if (scxml_is(e, "param") || scxml_is(e, "content"))
            message_add(reader->messages, MESSAGE_UNSUPPORTED, e->at,
                        "<%s> with a value that may be an error", e->name);
        else
            scxml_not_supported(reader, e);
        return false;
    }
    return true;
}
