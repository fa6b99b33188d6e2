#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "languages/charts/gamma.h"
#include "languages/charts/property.h"
#include "languages/charts/scxml.h"
#include "languages/charts/told.h"
#include "languages/language.h"

// What a property may say before the question: `events a, b;`, `queue 4;` (SCXML), `component NAME;` (Gamma).
struct preamble {
    char *events, *component;
    uint32_t queue;
    size_t length; // of its text
};

static size_t blanks(const char *text)
{
    size_t length = 0;
    while (isspace((unsigned char)text[length]))
        length++;
    return length;
}

static bool begins_with(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && isspace((unsigned char)text[length]);
}

static char *rest(const char *begin, const char *end)
{
    char *text = memory_zalloc((size_t)(end - begin) + 1);
    memcpy(text, begin, (size_t)(end - begin));
    return text;
}

// One clause up to its semicolon; false when there is none.
static bool read_clause(const char *text, struct preamble *out)
{
    const char *at = text + out->length + blanks(text + out->length);
    const char *end = strchr(at, ';');
    if (end == NULL)
        return false;
    if (begins_with(at, "events")) {
        memory_free(out->events);
        out->events = rest(at + strlen("events"), end);
    } else if (begins_with(at, "component")) {
        const char *name = at + strlen("component");
        memory_free(out->component);
        out->component = rest(name + blanks(name), end);
    } else if (begins_with(at, "queue")) {
        long number = strtol(at + strlen("queue"), NULL, 10);
        if (number < 1 || number > 64)
            return false;
        out->queue = (uint32_t)number;
    } else {
        return false;
    }
    out->length = (size_t)(end + 1 - text);
    return true;
}

// Takes over the chart when there is a model.
static struct model *build(struct chart *chart, const struct language_request *request,
                           const struct preamble *preamble, struct messages *messages)
{
    const char *text = request->property_text == NULL ? "" : request->property_text;
    const char *question = text + preamble->length;
    const struct chart_expression *property = NULL;
    bool asks = question[blanks(question)] != '\0';
    if (asks)
        property = chart_property_read(chart, request->property_path, question, strlen(question),
                                       messages);
    else if (request->property_at != PROPERTY_AT_NONE)
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found no property, expected one such as `never In(STATE)`");
    if (property == NULL && request->property_at != PROPERTY_AT_NONE)
        return NULL;
    struct chart_view *view = chart_view_create(chart, property);
    return chart_translate(chart, property, &view->map, &view->head);
}

static struct chart *open(const struct language_request *request, const struct preamble *preamble,
                          enum chart_semantics semantics, struct messages *messages)
{
    if (semantics == CHART_SCXML)
        return scxml_read(request->model_path, request->model_text, request->model_bytes,
                          preamble->events, preamble->queue, messages);
    return gamma_read(request->model_path, request->model_text, request->model_bytes,
                      preamble->component, messages);
}

static struct model *read(const struct language_request *request, enum chart_semantics semantics,
                          struct messages *messages)
{
    struct preamble preamble = {0};
    while (request->property_text != NULL && read_clause(request->property_text, &preamble))
        continue;
    struct chart *chart = open(request, &preamble, semantics, messages);
    struct model *model = chart == NULL ? NULL : build(chart, request, &preamble, messages);
    if (model == NULL)
        chart_destroy(chart);
    memory_free(preamble.events);
    memory_free(preamble.component);
    return model;
}

static struct model *read_scxml(const struct language_request *request, struct messages *messages)
{
    return read(request, CHART_SCXML, messages);
}

static struct model *read_gamma(const struct language_request *request, struct messages *messages)
{
    return read(request, CHART_GAMMA, messages);
}

const struct language language_scxml = {
    .name = "scxml",
    .extension = ".scxml",
    .description = "statecharts (W3C SCXML)",
    .read = read_scxml,
};

const struct language language_gamma = {
    .name = "gamma",
    .extension = ".gcd",
    .description = "statecharts and their compositions (Gamma)",
    .read = read_gamma,
};
