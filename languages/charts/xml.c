#include "languages/charts/xml.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/libxml.h"
#include "base/text.h"

struct reading {
    struct arena *arena;
    const char *path, *text;
    size_t bytes;
    struct messages *messages;
    xmlParserCtxtPtr parser;
    struct chart_xml_element *root, *open;
    const xmlChar *space; // the root's namespace
    struct text content;  // of the element that is open
    // Where the last element began: positions only grow.
    size_t offset;
    unsigned line, column;
    bool failed;
};

// The parser stands at the end of a start tag: the tag begins at the last `<`, which no attribute
// may contain.
static struct position tag_position(struct reading *reading)
{
    long consumed = libxml->xmlByteConsumed(reading->parser);
    size_t at = consumed < 0 ? reading->offset : (size_t)consumed;
    if (at > reading->bytes)
        at = reading->bytes;
    while (at > reading->offset && reading->text[at - (at == reading->bytes)] != '<')
        at--;
    for (; reading->offset < at; reading->offset++) {
        bool newline = reading->text[reading->offset] == '\n';
        reading->line += newline;
        reading->column = newline ? 1 : reading->column + 1;
    }
    return (struct position){reading->path, reading->line, reading->column};
}

static bool is_blank(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return *text == '\0';
}

static void keep_content(struct reading *reading)
{
    if (reading->open != NULL && !is_blank(text_string(&reading->content)) &&
        reading->open->text == NULL)
        reading->open->text = arena_strdup(reading->arena, text_string(&reading->content));
    text_clear(&reading->content);
}

static void start_element(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *space, int namespaces, const xmlChar **namespace_list,
                          int count, int defaulted, const xmlChar **values)
{
    (void)prefix, (void)namespaces, (void)namespace_list, (void)defaulted;
    struct reading *reading = context;
    struct chart_xml_element *made = arena_zalloc(reading->arena, sizeof *made);
    keep_content(reading);
    made->name = arena_strdup(reading->arena, (const char *)name);
    made->at = tag_position(reading);
    made->parent = reading->open;
    if (reading->root == NULL) {
        reading->root = made;
        reading->space = space;
    }
    made->foreign =
        space != NULL && (reading->space == NULL || !libxml->xmlStrEqual(space, reading->space));
    for (int i = count; i-- > 0;) {
        struct chart_xml_attribute *attribute = arena_alloc(reading->arena, sizeof *attribute);
        const xmlChar **value = values + 5 * (size_t)i;
        attribute->name = arena_strdup(reading->arena, (const char *)value[0]);
        attribute->value =
            arena_strndup(reading->arena, (const char *)value[3], (size_t)(value[4] - value[3]));
        attribute->next = made->attributes;
        made->attributes = attribute;
    }
    if (reading->open != NULL) {
        if (reading->open->last != NULL)
            reading->open->last->next = made;
        else
            reading->open->first = made;
        reading->open->last = made;
    }
    reading->open = made;
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *space)
{
    (void)name, (void)prefix, (void)space;
    struct reading *reading = context;
    keep_content(reading);
    reading->open = reading->open->parent;
}

static void characters(void *context, const xmlChar *data, int length)
{
    struct reading *reading = context;
    text_add_bytes(&reading->content, (const char *)data, (size_t)length);
}

static void declaration(void *context, const xmlChar *name, const xmlChar *external,
                        const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    struct reading *reading = context;
    reading->failed = true;
    message_add(reading->messages, MESSAGE_UNSUPPORTED,
                (struct position){reading->path, (unsigned)reading->parser->input->line,
                                  (unsigned)reading->parser->input->col},
                "a document type declaration");
    libxml->xmlStopParser(reading->parser);
}

static void structured_error(void *context, xmlErrorPtr error)
{
    struct reading *reading = context;
    if (reading->failed || error->level < XML_ERR_ERROR)
        return;
    reading->failed = true;
    struct text words;
    text_init(&words);
    libxml_say(&words, "found XML that is not well-formed", error);
    message_add(reading->messages, MESSAGE_ERROR,
                (struct position){reading->path, error->line > 0 ? (unsigned)error->line : 0,
                                  error->int2 > 0 ? (unsigned)error->int2 : 0},
                "%s", text_string(&words));
    text_finish(&words);
}

static struct chart_xml_element *parse(struct reading *reading)
{
    xmlParserCtxtPtr parser = libxml->xmlCreateMemoryParserCtxt(reading->text, (int)reading->bytes);
    if (parser == NULL)
        return NULL;
    xmlSAXHandler handler = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = start_element,
        .endElementNs = end_element,
        .characters = characters,
        .cdataBlock = characters,
        .internalSubset = declaration,
        .serror = structured_error,
    };
    *parser->sax = handler;
    parser->userData = reading;
    reading->parser = parser;
    // Entities of the language itself (&amp;) are replaced; there can be no others.
    libxml->xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOENT);
    parser->userData = reading;
    int result = libxml->xmlParseDocument(parser);
    bool good = result == 0 && parser->wellFormed && !reading->failed;
    if (!good && !reading->failed)
        message_add(reading->messages, MESSAGE_ERROR, (struct position){reading->path, 0, 0},
                    "found XML that is not well-formed");
    if (parser->myDoc != NULL)
        libxml->xmlFreeDoc(parser->myDoc);
    libxml->xmlFreeParserCtxt(parser);
    return good ? reading->root : NULL;
}

struct chart_xml_element *chart_xml_read(struct arena *arena, const char *path, const char *text,
                                         size_t bytes, struct messages *messages)
{
    struct position whole = {path, 0, 0};
    const char *missing = libxml_load();
    if (missing != NULL) {
        message_add(messages, MESSAGE_ERROR, whole, "%s", missing);
        return NULL;
    }
    if (bytes == 0 || bytes > INT_MAX / 2) {
        message_add(messages, MESSAGE_ERROR, whole, "found %s, expected XML",
                    bytes == 0 ? "an empty file" : "a file of a gigabyte and more");
        return NULL;
    }
    struct reading reading = {.arena = arena,
                              .path = path,
                              .text = text,
                              .bytes = bytes,
                              .messages = messages,
                              .line = 1,
                              .column = 1};
    text_init(&reading.content);
    struct chart_xml_element *root = parse(&reading);
    text_finish(&reading.content);
    return root;
}

const char *chart_xml_attribute(const struct chart_xml_element *element, const char *name)
{
    for (const struct chart_xml_attribute *a = element->attributes; a != NULL; a = a->next) {
        if (strcmp(a->name, name) == 0)
            return a->value;
    }
    return NULL;
}
