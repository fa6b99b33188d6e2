#include "languages/petri/xml.h"

#include <limits.h>
#include <string.h>

#include "base/libxml.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

#define DEPTH_MAX 200
#define CHUNK_BYTES ((size_t)1 << 20)

struct reader {
    const char *path;
    const struct xml_handler *handler;
    struct messages *messages;
    xmlParserCtxtPtr parser;
    struct text texts[DEPTH_MAX + 1]; // of the open elements
    size_t depth;
    bool failed;
    VECTOR(struct xml_attribute) attributes;
    struct text values;
};

static struct position here(const struct reader *r)
{
    const xmlParserInput *input = r->parser->input;
    return (struct position){r->path, input != NULL && input->line > 0 ? (unsigned)input->line : 0,
                             input != NULL && input->col > 0 ? (unsigned)input->col : 0};
}

static void stop(struct reader *r)
{
    r->failed = true;
    libxml->xmlStopParser(r->parser);
}

static void refuse(struct reader *r, enum message_kind kind, const char *what)
{
    if (!r->failed)
        message_add(r->messages, kind, here(r), "%s", what);
    stop(r);
}

static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    refuse(context, MESSAGE_UNSUPPORTED, "a document type in XML (entities could hide in it)");
}

// Values are ranges of the input, valid for the call only.
static void read_attributes(struct reader *r, int count, const xmlChar **list)
{
    VECTOR_CLEAR(&r->attributes);
    text_clear(&r->values);
    for (int i = 0; i < count; i++) {
        const xmlChar *const *a = &list[5 * i];
        text_add_bytes(&r->values, (const char *)a[3], (size_t)(a[4] - a[3]));
        text_add_char(&r->values, '\0');
    }
    const char *value = text_string(&r->values);
    for (int i = 0; i < count; i++) {
        struct xml_attribute attribute = {(const char *)list[5 * i], value};
        VECTOR_PUSH(&r->attributes, attribute);
        value += strlen(value) + 1;
    }
    struct xml_attribute last = {NULL, NULL};
    VECTOR_PUSH(&r->attributes, last);
}

static void on_begin(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int spaces, const xmlChar **space_list, int count, int defaulted,
                     const xmlChar **list)
{
    struct reader *r = context;
    (void)prefix, (void)uri, (void)spaces, (void)space_list, (void)defaulted;
    if (r->failed)
        return;
    if (r->depth == DEPTH_MAX) {
        refuse(r, MESSAGE_ERROR, "found elements nested deeper than 200, expected fewer");
        return;
    }
    read_attributes(r, count, list);
    text_clear(&r->texts[++r->depth]);
    if (!r->handler->begin(r->handler->context, (const char *)name, r->attributes.data, here(r)))
        stop(r);
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct reader *r = context;
    (void)name, (void)prefix, (void)uri;
    if (r->failed)
        return;
    const char *text = text_string(&r->texts[r->depth--]);
    if (!r->handler->end(r->handler->context, text, here(r)))
        stop(r);
}

static void on_text(void *context, const xmlChar *text, int bytes)
{
    struct reader *r = context;
    if (!r->failed && r->depth > 0)
        text_add_bytes(&r->texts[r->depth], (const char *)text, (size_t)bytes);
}

// xmlError is const since libxml2 2.12.
#if LIBXML_VERSION >= 21200
static void on_error(void *context, const xmlError *error)
#else
static void on_error(void *context, xmlError *error)
#endif
{
    struct reader *r = context;
    if (r->failed || error->level < XML_ERR_ERROR)
        return;
    struct position at = {r->path, error->line > 0 ? (unsigned)error->line : 0,
                          error->int2 > 0 ? (unsigned)error->int2 : 0};
    struct text words;
    text_init(&words);
    libxml_say(&words, "this is not XML", error);
    message_add(r->messages, MESSAGE_ERROR, at, "%s", text_string(&words));
    text_finish(&words);
    stop(r);
}

static void feed(struct reader *r, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes && !r->failed; i += CHUNK_BYTES) {
        size_t piece = bytes - i < CHUNK_BYTES ? bytes - i : CHUNK_BYTES;
        libxml->xmlParseChunk(r->parser, text + i, (int)piece, 0);
    }
    if (!r->failed)
        libxml->xmlParseChunk(r->parser, NULL, 0, 1);
    if (!r->failed && !r->parser->wellFormed)
        refuse(r, MESSAGE_ERROR, "this is not XML");
}

bool xml_read(const char *path, const char *text, size_t bytes, const struct xml_handler *handler,
              struct messages *messages)
{
    const char *missing = libxml_load();
    if (missing != NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0}, "%s", missing);
        return false;
    }
    xmlSAXHandler sax = {
        .initialized = XML_SAX2_MAGIC,
        .internalSubset = on_document_type,
        .startElementNs = on_begin,
        .endElementNs = on_end,
        .characters = on_text,
        .cdataBlock = on_text,
        .serror = on_error,
    };
    struct reader *r = memory_zalloc(sizeof *r);
    r->path = path;
    r->handler = handler;
    r->messages = messages;
    r->parser = libxml->xmlCreatePushParserCtxt(&sax, r, NULL, 0, NULL);
    if (r->parser != NULL) {
        // NOENT: "&amp;" in a value is a character; there are no other entities, as there is no document type.
        libxml->xmlCtxtUseOptions(r->parser, XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_NOENT);
        feed(r, text, bytes);
        libxml->xmlFreeParserCtxt(r->parser);
    } else {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0}, "out of memory");
        r->failed = true;
    }
    bool good = !r->failed;
    for (size_t i = 0; i <= DEPTH_MAX; i++)
        text_finish(&r->texts[i]);
    text_finish(&r->values);
    VECTOR_FINISH(&r->attributes);
    memory_free(r);
    return good;
}

const char *xml_attribute(const struct xml_attribute *attributes, const char *name)
{
    for (; attributes->name != NULL; attributes++)
        if (strcmp(attributes->name, name) == 0)
            return attributes->value;
    return NULL;
}
