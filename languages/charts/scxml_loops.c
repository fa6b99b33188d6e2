#include "languages/charts/scxml_inside.h"

#include <ctype.h>
#include <string.h>

#include "languages/charts/expression.h"

// Arrays that are written down and never change, and the loops over them, which are unrolled.

#define MOST_ROUNDS 10000 // of all loops of a document

struct scxml_array {
    const struct chart_type *type;
    int64_t *values;
    uint32_t count;
};

static bool read_element(struct lexer *lexer, const struct chart_type **type, int64_t *value)
{
    bool negative = lexer_accept(lexer, CHART_TOKEN_MINUS) != NULL;
    const struct token *at = lexer_next(lexer);
    *type = at->kind == TOKEN_NUMBER ? &CHART_TYPE_INT : &CHART_TYPE_BOOL;
    *value = at->kind == CHART_TOKEN_TRUE;
    if (at->kind != TOKEN_NUMBER)
        return !negative && (at->kind == CHART_TOKEN_TRUE || at->kind == CHART_TOKEN_FALSE);
    if (!chart_parse_script_number(lexer, at, value))
        return false;
    *value = negative ? -*value : *value;
    return true;
}

static bool read_elements(struct scxml_reader *reader, struct lexer *lexer,
                          struct scxml_array *array)
{
    if (lexer_accept(lexer, CHART_TOKEN_OPEN_SQUARE) == NULL)
        return false;
    bool more = !lexer_at(lexer, CHART_TOKEN_CLOSE_SQUARE);
    while (more) {
        const struct chart_type *type;
        int64_t value;
        if (!read_element(lexer, &type, &value) || (array->count > 0 && type != array->type))
            return false;
        array->type = type;
        CHART_APPEND(&reader->arena, array->values, array->count, value);
        more = lexer_accept(lexer, CHART_TOKEN_COMMA) != NULL;
    }
    return lexer_accept(lexer, CHART_TOKEN_CLOSE_SQUARE) != NULL && lexer_at(lexer, TOKEN_END);
}

struct scxml_array *scxml_read_array(struct scxml_reader *reader, const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    if (*text != '[')
        return NULL;
    struct scxml_array *array = arena_zalloc(&reader->arena, sizeof *array);
    array->type = &CHART_TYPE_INT;
    struct messages inner;
    messages_init(&inner);
    struct lexer lexer;
    lexer_init(&lexer, &CHART_LEXER_ECMASCRIPT, NULL, text, strlen(text), &inner);
    bool good = read_elements(reader, &lexer, array) && !messages_failed(&inner);
    lexer_finish(&lexer);
    messages_finish(&inner);
    return good ? array : NULL;
}

static const struct scxml_array *array_of(struct scxml_reader *reader,
                                          const struct chart_xml_element *element)
{
    const char *text = chart_xml_attribute(element, "array");
    if (text == NULL)
        return NULL;
    const struct scxml_array *known = chart_names_find(&reader->arrays, text);
    return known != NULL ? known : scxml_read_array(reader, text);
}

// ---- the loops' variables ----------------------------------------------------------------------

static bool is_identifier(const char *name)
{
    static const char *const TAKEN[] = {"true",   "false", "null", "undefined", "break", "continue",
                                        "return", "this",  "for",  "if",        "var",   "In"};
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++) {
        if (strcmp(name, TAKEN[i]) == 0)
            return false;
    }
    if (!isalpha((unsigned char)*name) && *name != '$')
        return false;
    while (isalnum((unsigned char)*name) || *name == '_' || *name == '$')
        name++;
    return *name == '\0';
}

static void declare(struct scxml_reader *reader, const struct chart_xml_element *element,
                    const char *name, const struct chart_type *type)
{
    if (name == NULL || !is_identifier(name) ||
        chart_names_find(&reader->variables, name) != NULL ||
        chart_names_find(&reader->arrays, name) != NULL)
        return;
    struct chart_variable *made = scxml_declare_unset(reader, element, name, type);
    chart_names_add(&reader->implicit, made->name, made);
}

void scxml_declare_items(struct scxml_reader *reader, const struct chart_xml_element *element)
{
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        const struct scxml_array *array = scxml_is(e, "foreach") ? array_of(reader, e) : NULL;
        if (array != NULL) {
            declare(reader, e, chart_xml_attribute(e, "item"), array->type);
            declare(reader, e, chart_xml_attribute(e, "index"), &CHART_TYPE_INT);
        }
        scxml_declare_items(reader, e);
    }
}

// ---- loops -------------------------------------------------------------------------------------

// variable := value, which it has from then on.
static void assign(struct scxml_reader *reader, const struct chart_action **list,
                   struct chart_variable *variable, int64_t value)
{
    struct chart *chart = reader->chart;
    if (variable == NULL)
        return;
    chart_append_actions(list,
                         scxml_set(reader, variable, chart_literal(chart, variable->type, value)));
    if (variable->set != NULL)
        chart_append_actions(
            list, scxml_set(reader, variable->set, chart_literal(chart, &CHART_TYPE_BOOL, 1)));
}

static bool can_hold(const struct chart_variable *variable, const struct chart_type *type)
{
    return variable == NULL || variable->type == type;
}

// NULL with a message when the loop is none that is read here.
static const struct scxml_array *check_loop(struct scxml_reader *reader,
                                            const struct chart_xml_element *element)
{
    const char *item = chart_xml_attribute(element, "item"),
               *index = chart_xml_attribute(element, "index");
    const struct scxml_array *array = array_of(reader, element);
    const char *wrong = NULL;
    if (array == NULL)
        wrong = "over other things than an array of numbers or truth values that is written down";
    else if (item == NULL || chart_names_find(&reader->variables, item) == NULL ||
             !can_hold(chart_names_find(&reader->variables, item), array->type))
        wrong = "whose `item` is no variable for the elements";
    else if (index != NULL &&
             (chart_names_find(&reader->variables, index) == NULL ||
              !can_hold(chart_names_find(&reader->variables, index), &CHART_TYPE_INT)))
        wrong = "whose `index` is no variable for numbers";
    else if (array->count > MOST_ROUNDS - reader->rounds)
        wrong = "with more than 10000 rounds in the document";
    if (wrong == NULL)
        return array;
    message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at, "<foreach> %s", wrong);
    return NULL;
}

const struct chart_action *scxml_foreach(struct scxml_reader *reader,
                                         const struct chart_xml_element *element)
{
    const struct scxml_array *array = check_loop(reader, element);
    const char *index = chart_xml_attribute(element, "index");
    const struct chart_action *list = NULL;
    if (array == NULL)
        return NULL;
    struct chart_variable *item =
        chart_names_find(&reader->variables, chart_xml_attribute(element, "item"));
    struct chart_variable *number =
        index == NULL ? NULL : chart_names_find(&reader->variables, index);
    reader->rounds += array->count;
    for (uint32_t i = 0; i < array->count; i++) {
        assign(reader, &list, item, array->values[i]);
        assign(reader, &list, number, i);
        chart_append_actions(&list, scxml_actions(reader, element->first, NULL));
    }
    return list;
}
