#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/charts/build.h"
#include "languages/charts/entered.h"
#include "languages/charts/gamma.h"
#include "languages/charts/names.h"
#include "languages/charts/property.h"
#include "languages/charts/scxml.h"
#include "languages/charts/told.h"
#include "languages/language.h"

// What a property may say before the question: `bits;`, `events a, b;`, `queue 4;` (SCXML), `component NAME;`, `elapse 500 ms;`, `elapse 0 to 2 s;`
// (Gamma, whose own property files say `import "FILE"` and `component NAME`, too).
struct preamble {
    char *events, *component, *import;
    uint32_t queue;
    bool bits, elapses;
    int64_t least, most; // milliseconds that pass before a step
    size_t length;       // of its text
};

static void preamble_finish(struct preamble *preamble)
{
    memory_free(preamble->events);
    memory_free(preamble->component);
    memory_free(preamble->import);
}

// White space and comments.
static size_t blanks(const char *text)
{
    const char *at = text;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0 && strstr(at + 2, "*/") != NULL) {
            at = strstr(at + 2, "*/") + 2;
        } else {
            return (size_t)(at - text);
        }
    }
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

static void take(char **out, char *text)
{
    memory_free(*out);
    *out = text;
}

// import "FILE" and component NAME, with or without a semicolon; NULL: neither is here.
static const char *read_header(const char *at, struct preamble *out)
{
    bool import = begins_with(at, "import");
    if (!import && !begins_with(at, "component"))
        return NULL;
    const char *word = at + strlen(import ? "import" : "component");
    word += blanks(word);
    const char *end;
    if (import) {
        end = *word == '"' ? strchr(word + 1, '"') : NULL;
        if (end == NULL)
            return NULL;
        if (out->import == NULL) // the first one has the component
            out->import = rest(word + 1, end);
        end++;
    } else {
        end = word;
        while (isalnum((unsigned char)*end) || *end == '_')
            end++;
        take(&out->component, rest(word, end));
    }
    const char *behind = end + blanks(end);
    return *behind == ';' ? behind + 1 : end;
}

// NUMBER, in milliseconds: the unit is what stands behind it, or that of the second one.
static bool read_time(const char **at, int64_t *out)
{
    char *end;
    *at += blanks(*at);
    *out = isdigit((unsigned char)**at) ? strtoll(*at, &end, 10) : -1;
    if (*out < 0 || *out > 1000000000)
        return false;
    *at = end + blanks(end);
    return true;
}

// N;  N ms;  N s;  LOW to HIGH ms;
static bool read_elapse(const char *at, struct preamble *out)
{
    if (!read_time(&at, &out->least))
        return false;
    out->most = out->least;
    if (begins_with(at, "to")) {
        at += strlen("to");
        if (!read_time(&at, &out->most))
            return false;
    }
    bool seconds = *at == 's';
    at += seconds ? 1 : strncmp(at, "ms", 2) == 0 ? 2 : 0;
    out->least *= seconds ? 1000 : 1;
    out->most *= seconds ? 1000 : 1;
    out->elapses = at[blanks(at)] == ';' && out->least <= out->most;
    return out->elapses;
}

// One clause; false when there is none.
static bool read_clause(const char *text, struct preamble *out)
{
    const char *at = text + out->length + blanks(text + out->length);
    const char *end = read_header(at, out);
    if (end != NULL) {
        out->length = (size_t)(end - text);
        return true;
    }
    end = strchr(at, ';');
    bool empty = strncmp(at, "events;", strlen("events;")) == 0;
    if (end == NULL)
        return false;
    if (strncmp(at, "bits;", strlen("bits;")) == 0) {
        out->bits = true;
        out->length = (size_t)(end + 1 - text);
        return true;
    }
    if (begins_with(at, "events") || empty) {
        take(&out->events, rest(at + strlen("events"), end));
    } else if (begins_with(at, "queue")) {
        long number = strtol(at + strlen("queue"), NULL, 10);
        if (number < 1 || number > 64)
            return false;
        out->queue = (uint32_t)number;
    } else if (begins_with(at, "elapse")) {
        if (!read_elapse(at + strlen("elapse"), out))
            return false;
    } else {
        return false;
    }
    out->length = (size_t)(end + 1 - text);
    return true;
}

// A property file in the place of a model: what it imports is the model.
static bool is_property_file(const struct language_request *request)
{
    size_t length = strlen(request->model_path);
    return length > 4 && strcmp(request->model_path + length - 4, ".gpd") == 0;
}

// BenchExec's property files say no more than that errors must not be reached.
static bool says_nothing(const char *text)
{
    text += blanks(text);
    return strncmp(text, "CHECK", 5) == 0 && text[5 + blanks(text + 5)] == '(';
}

static const struct language_text *text_of(const struct language_request *request)
{
    return (const struct language_text *)request->source;
}

static const char *property_text(const struct language_request *request)
{
    if (request->property_text != NULL && !says_nothing(request->property_text))
        return request->property_text;
    return is_property_file(request) ? text_of(request)->text : "";
}

static void read_preamble(const struct language_request *request, struct preamble *out)
{
    while (read_clause(property_text(request), out))
        continue;
}

enum { ASK_STATES = 1, ASK_TRANSITIONS = 2, ASK_OVERLAPS = 4, ASK_LEAVINGS = 8 };

// Words that stand for many questions; 0: none of them.
static unsigned asked_for(const char *text)
{
    static const struct {
        const char *word;
        unsigned what;
    } WORDS[] = {{"states", ASK_STATES},
                 {"transitions", ASK_TRANSITIONS},
                 {"overlaps", ASK_OVERLAPS},
                 {"leavings", ASK_LEAVINGS},
                 {"everything", ASK_STATES | ASK_TRANSITIONS | ASK_OVERLAPS | ASK_LEAVINGS}};
    text += blanks(text);
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        size_t length = strlen(WORDS[i].word);
        const char *end = text + length;
        if (strncmp(text, WORDS[i].word, length) == 0 &&
            end[blanks(end) + (end[blanks(end)] == ';')] == '\0')
            return WORDS[i].what;
    }
    return 0;
}

// A clause that says nothing about charts of this language is none to pass over.
static bool fits(const struct preamble *preamble, const struct chart *chart,
                 struct messages *messages)
{
    bool scxml = chart->semantics == CHART_SCXML;
    const char *wrong = NULL;
    if (scxml)
        wrong = preamble->elapses ? "elapse" : preamble->component != NULL ? "component" : NULL;
    else
        wrong = preamble->events != NULL ? "events" : preamble->queue != 0 ? "queue" : NULL;
    if (wrong != NULL)
        message_add(messages, MESSAGE_UNSUPPORTED, (struct position){chart->path, 0, 0},
                    "`%s …;` before a question about %s", wrong,
                    scxml ? "SCXML" : "a chart of Gamma");
    return wrong == NULL;
}

// Time passes as the property says, instead of in all ways.
static void set_elapse(struct chart *chart, const struct preamble *preamble)
{
    const struct chart_action *as_written = chart->elapsing;
    if (!preamble->elapses || as_written == NULL)
        return;
    assert(as_written->kind == CHART_HAVOC && preamble->least <= preamble->most);
    struct chart_action *action = chart_add_action(chart, CHART_HAVOC, as_written->source);
    *action = *as_written;
    chart->elapsed = action;
    const struct chart_expression *least = chart_literal(chart, &CHART_TYPE_INT, preamble->least),
                                  *most = chart_literal(chart, &CHART_TYPE_INT, preamble->most),
                                  *time = chart_read(chart, action->variable);
    if (preamble->least == preamble->most) {
        action->kind = CHART_ASSIGN;
        action->expression = least;
        return;
    }
    action->expression = chart_both(chart, chart_binary(chart, CHART_LESS_EQUAL, least, time),
                                    chart_binary(chart, CHART_LESS_EQUAL, time, most));
}

// Takes over the chart when there is a model.
static struct model *build(struct chart *chart, const struct language_request *request,
                           const struct preamble *preamble, struct messages *messages)
{
    const char *question = property_text(request) + preamble->length;
    const struct chart_expression *property = NULL;
    bool asks = question[blanks(question)] != '\0';
    if (!fits(preamble, chart, messages))
        return NULL;
    set_elapse(chart, preamble);
    if (asks && asked_for(question) != 0)
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found `%s`, which asks several questions, expected one: FILE#NAME asks one of "
                    "them",
                    question + blanks(question));
    else if (asks)
        property = chart_property_read(chart, request->property_path, question, strlen(question),
                                       messages);
    else if (request->property_at != PROPERTY_AT_NONE)
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found no property, expected one such as `never In(STATE)`");
    if (property == NULL && request->property_at != PROPERTY_AT_NONE)
        return NULL;
    chart->bits = preamble->bits;
    if (chart->bits && !chart_bits_suffice(chart)) {
        message_add(messages, MESSAGE_UNSUPPORTED, (struct position){request->model_path, 0, 0},
                    "`bits;` for a chart that asks in the middle of a step what is active");
        return NULL;
    }
    struct chart_view *view = chart_view_create(chart, property);
    view->source = language_source_share(request->source);
    return chart_translate(chart, property, &view->map, &view->head);
}

static struct chart *open_imported(const struct language_request *request,
                                   const struct preamble *preamble, struct messages *messages)
{
    struct preamble own = {0};
    while (read_clause(text_of(request)->text, &own))
        continue;
    struct chart *chart = NULL;
    struct text text;
    text_init(&text);
    if (own.import != NULL)
        text_printf(&text, "import \"%s\"", own.import);
    const char *component = preamble->component != NULL ? preamble->component : own.component;
    if (own.import == NULL || component == NULL)
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 1, 1},
                    "found no `%s`, expected import \"FILE\" and component NAME",
                    own.import == NULL ? "import" : "component");
    else
        chart =
            gamma_read(request->model_path, text_string(&text), text.length, component, messages);
    text_finish(&text);
    preamble_finish(&own);
    return chart;
}

static struct chart *parse(const struct language_request *request, const struct preamble *preamble,
                           enum chart_semantics semantics, struct messages *messages)
{
    const struct language_text *text = text_of(request);
    if (is_property_file(request))
        return open_imported(request, preamble, messages);
    if (semantics == CHART_SCXML)
        return scxml_read(request->model_path, text->text, text->bytes, preamble->events,
                          preamble->queue, messages);
    return gamma_read(request->model_path, text->text, text->bytes, preamble->component, messages);
}

// What the clauses before a question have made of the text.
struct reading {
    struct language_reading base;
    char *events, *component; // NULL: not said
    uint32_t queue;
    struct chart *chart;
};

static void destroy_reading(struct language_reading *base)
{
    struct reading *reading = (struct reading *)base;
    memory_free(reading->events);
    memory_free(reading->component);
    chart_destroy(reading->chart);
    memory_free(reading);
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static char *copy(const char *text)
{
    return text != NULL ? memory_strdup(text) : NULL;
}

// The chart for one question: the first one reads it. NULL with messages.
static struct chart *open(const struct language_request *request, const struct preamble *preamble,
                          enum chart_semantics semantics, struct messages *messages)
{
    struct language_text *text = (struct language_text *)request->source;
    for (struct language_reading *r = atomic_load(&text->readings); r != NULL; r = r->next) {
        const struct reading *known = (const struct reading *)r;
        if (is_same(known->events, preamble->events) &&
            is_same(known->component, preamble->component) && known->queue == preamble->queue)
            return chart_share(known->chart);
    }
    struct chart *chart = parse(request, preamble, semantics, messages);
    if (chart == NULL)
        return NULL;
    struct reading *made = memory_alloc(sizeof *made);
    *made = (struct reading){{NULL, destroy_reading},
                             copy(preamble->events),
                             copy(preamble->component),
                             preamble->queue,
                             chart};
    assert(chart->memory_count == 0); // nobody has asked anything of it
    language_text_add(text, &made->base);
    return chart_share(chart);
}

static struct model *read(const struct language_request *request, enum chart_semantics semantics,
                          struct messages *messages)
{
    struct preamble preamble = {0};
    read_preamble(request, &preamble);
    struct chart *chart = open(request, &preamble, semantics, messages);
    struct model *model = chart == NULL ? NULL : build(chart, request, &preamble, messages);
    if (model == NULL)
        chart_destroy(chart);
    preamble_finish(&preamble);
    return model;
}

// ---- questions ---------------------------------------------------------------------------------

// With the number of those of the same name before it, if there are.
static void add(struct language_questions *out, struct chart_names *names, struct chart *chart,
                const char *name, const char *before, const char *property)
{
    char *unique = chart_text(chart, "%s", name);
    for (int i = 2; chart_names_find(names, unique) != NULL; i++)
        unique = chart_text(chart, "%s (%d)", name, i);
    chart_names_add(names, unique, unique);
    language_questions_add(out, unique, chart_text(chart, "%s%s", before, property));
}

// A transition that can fire by itself, or behind a choice.
static bool may_be_asked(const struct chart_transition *transition)
{
    const struct chart_state *source = transition->source;
    bool joined = transition->target_count == 0 && transition->trigger != NULL &&
                  transition->trigger->op == CHART_LITERAL && !transition->trigger->value;
    return (chart_can_be_active(source) || source->kind == CHART_CHOICE) && !joined;
}

// Would the choice between the two be free, or hide one of them?
static bool may_overlap(const struct chart *chart, const struct chart_transition *a,
                        const struct chart_transition *b)
{
    bool comparable = chart->semantics != CHART_SCXML || a->spontaneous == b->spontaneous;
    return may_be_asked(a) && may_be_asked(b) && !a->otherwise && !b->otherwise && comparable;
}

static void ask_overlaps(struct chart *chart, const char *before, struct chart_names *names,
                         struct language_questions *out)
{
    for (uint32_t s = 0; s < chart->state_count; s++) {
        const struct chart_state *state = chart->states[s];
        for (uint32_t i = 0; i < state->out_count; i++) {
            for (uint32_t j = i + 1; j < state->out_count; j++) {
                const struct chart_transition *a = state->out[i], *b = state->out[j];
                if (may_overlap(chart, a, b))
                    add(out, names, chart,
                        chart_text(chart, "overlap %u: %s | %u: %s", a->index + 1, a->text,
                                   b->index + 1, b->text),
                        before,
                        chart_text(chart, "reach Overlap(%u, %u)", a->index + 1, b->index + 1));
            }
        }
    }
}

static void ask_all(struct chart *chart, unsigned what, const char *before,
                    struct language_questions *out)
{
    struct chart_names names = {0};
    for (uint32_t i = 0; (what & ASK_STATES) != 0 && i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        if (chart_can_be_active(state))
            add(out, &names, chart, chart_text(chart, "state %s", state->text), before,
                chart_text(chart, "reach In('%s')", state->text));
    }
    for (uint32_t i = 0; (what & ASK_LEAVINGS) != 0 && i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        if (chart_can_be_active(state))
            add(out, &names, chart, chart_text(chart, "leaving state %s", state->text), before,
                chart_text(chart, "reach Left('%s')", state->text));
    }
    for (uint32_t i = 0; (what & ASK_TRANSITIONS) != 0 && i < chart->transition_count; i++) {
        const struct chart_transition *t = chart->transitions[i];
        if (may_be_asked(t))
            add(out, &names, chart, chart_text(chart, "transition %u: %s", i + 1, t->text), before,
                chart_text(chart, "reach Fires(%u)", i + 1));
    }
    if ((what & ASK_OVERLAPS) != 0)
        ask_overlaps(chart, before, &names, out);
    chart_names_finish(&names);
}

// Without a property every state and transition is asked for.
static void name_questions(const struct language_request *request, enum chart_semantics semantics,
                           struct language_questions *out, struct messages *messages)
{
    struct preamble preamble = {0};
    read_preamble(request, &preamble);
    const char *text = property_text(request), *question = text + preamble.length;
    unsigned what =
        question[blanks(question)] == '\0' ? ASK_STATES | ASK_TRANSITIONS : asked_for(question);
    // Of single questions nothing is said before they are read.
    struct chart *chart = what == 0 || request->property_at == PROPERTY_AT_NONE
                              ? NULL
                              : open(request, &preamble, semantics, messages);
    if (chart != NULL)
        chart_warn_of_unentered(chart, messages);
    if (what == 0) {
        chart_property_split(request->property_path, text, preamble.length, question, out);
    } else if (chart != NULL) {
        char *before = rest(text, text + preamble.length);
        ask_all(chart, what, before, out);
        memory_free(before);
    }
    chart_destroy(chart);
    preamble_finish(&preamble);
}

static void name_scxml(const struct language_request *request, struct language_questions *out,
                       struct messages *messages)
{
    name_questions(request, CHART_SCXML, out, messages);
}

static void name_gamma(const struct language_request *request, struct language_questions *out,
                       struct messages *messages)
{
    name_questions(request, CHART_GAMMA, out, messages);
}

// ---- languages ---------------------------------------------------------------------------------

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
    .plan = "charts",
    .extension = ".scxml",
    .description = "statecharts (W3C SCXML)",
    .parse = language_text_keep,
    .read = read_scxml,
    .questions = name_scxml,
    .reads_checks = true,
};

const struct language language_gamma = {
    .name = "gamma",
    .plan = "charts",
    .extension = ".gcd",
    .description = "statecharts and their compositions (Gamma)",
    .parse = language_text_keep,
    .read = read_gamma,
    .questions = name_gamma,
    .reads_checks = true,
};

const struct language language_gamma_properties = {
    .name = "gamma-properties",
    .plan = "charts",
    .extension = ".gpd",
    .description = "properties of Gamma's models; the model is what they import",
    .parse = language_text_keep,
    .read = read_gamma,
    .questions = name_gamma,
    .reads_checks = true,
};

const struct language language_gamma_packages = {
    .name = "gamma-packages",
    .plan = "charts",
    .extension = ".gsm",
    .description = "Gamma's packages as text (XMI is not read)",
    .parse = language_text_keep,
    .read = read_gamma,
    .questions = name_gamma,
    .reads_checks = true,
};
