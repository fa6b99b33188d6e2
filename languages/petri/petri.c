#include "languages/petri/petri.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/language.h"
#include "languages/petri/formula.h"
#include "languages/petri/net_text.h"
#include "languages/petri/pnml.h"
#include "languages/petri/recode.h"
#include "languages/petri/translate.h"

static bool looks_like_xml(const char *text, size_t bytes)
{
    size_t i = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < bytes && strchr(" \t\r\n", text[i]) != NULL)
        i++;
    return i < bytes && text[i] == '<';
}

// NULL with a message when there is not one question of that name (any, when there is one only).
static const struct question *choose(const struct question_list *list,
                                     const struct language_request *request,
                                     struct messages *messages)
{
    struct position at = {request->property_path, 0, 0};
    const char *name = request->question;
    for (size_t i = 0; i < list->count; i++)
        if (name != NULL ? strcmp(list->data[i].name, name) == 0 : list->count == 1)
            return &list->data[i];
    if (name != NULL || list->count == 0)
        message_add(messages, MESSAGE_ERROR, at,
                    "found no property `%.80s`, expected it in the file", name != NULL ? name : "");
    else
        message_add(messages, MESSAGE_ERROR, at,
                    "found %zu properties, expected the name of one behind the path and `#`",
                    list->count);
    return NULL;
}

// False with a message when it is none that a verdict answers.
static bool take_question(struct net_view *view, const struct question *q,
                          struct messages *messages)
{
    view->goal = q->kind == QUESTION_REACH ? q->goal : formula_constant(&view->arena, false);
    view->branching = q->branching;
    if (q->kind == QUESTION_BRANCHING) {
        view->base.kind = NET_BRANCHING_VIEW;
        view->base.asks = true;
    }
    if (q->kind == QUESTION_REACH || q->kind == QUESTION_BRANCHING)
        return true;
    message_add(messages, MESSAGE_UNSUPPORTED, q->at, "%s",
                q->kind == QUESTION_BOUND ? "bounds of places as a verdict" : q->why);
    return false;
}

static bool read_questions(const struct net *net, const struct language_request *request,
                           struct arena *arena, struct question_list *list,
                           struct messages *messages)
{
    const char *text = request->property_text;
    size_t bytes = request->property_bytes ? request->property_bytes : strlen(text);
    const char *path = request->property_path;
    return looks_like_xml(text, bytes)
               ? formula_read_xml(net, path, text, bytes, arena, list, messages)
               : formula_read_text(net, path, text, bytes, arena, list, messages);
}

// What is asked, into the view. False with messages.
static bool read_question(struct net_view *view, const struct language_request *request,
                          struct messages *messages)
{
    struct question_list list = {0};
    bool good = false;
    if (request->property_text == NULL && request->property_at == PROPERTY_AT_NONE) {
        view->goal = formula_constant(&view->arena, false);
        good = true;
    } else if (request->property_text == NULL) {
        message_add(
            messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
            "found no property, expected one: `deadlock`, `safe`, `EF …`, `AG …`, or a file");
    } else if (read_questions(view->net, request, &view->arena, &list, messages)) {
        const struct question *q = choose(&list, request, messages);
        good = q != NULL && take_question(view, q, messages);
    }
    VECTOR_FINISH(&list);
    return good;
}

struct net_source {
    struct language_source base;
    struct net *net;
};

static void destroy_source(struct language_source *base)
{
    struct net_source *source = (struct net_source *)base;
    net_destroy(source->net);
    memory_free(source);
}

static struct language_source *make_source(struct net *net)
{
    if (net == NULL)
        return NULL;
    struct net_source *source = memory_zalloc(sizeof *source);
    *source = (struct net_source){.base = {destroy_source, 1}, .net = net};
    return &source->base;
}

static struct language_source *parse_pnml(const struct language_request *request,
                                          struct messages *messages)
{
    return make_source(
        pnml_read(request->model_path, request->model_text, request->model_bytes, messages));
}

static struct language_source *parse_net(const struct language_request *request,
                                         struct messages *messages)
{
    return make_source(
        net_text_read(request->model_path, request->model_text, request->model_bytes, messages));
}

static const struct net *net_of(const struct language_source *source)
{
    return ((const struct net_source *)source)->net;
}

static void destroy_view(struct model_view *base)
{
    struct net_view *view = (struct net_view *)base;
    language_source_release(view->source);
    arena_finish(&view->arena);
    memory_free(view);
}

static struct model *read_petri(const struct language_request *request, struct messages *messages)
{
    struct net_view *view = memory_zalloc(sizeof *view);
    *view = (struct net_view){
        .base = {.kind = NET_VIEW, .destroy = destroy_view, .recode = petri_recode},
        .net = net_of(request->source),
        .source = language_source_share(request->source)};
    arena_init(&view->arena);
    if (read_question(view, request, messages))
        return petri_translate(view);
    destroy_view(&view->base);
    return NULL;
}

static void describe_question(const struct net *net, const struct question *q,
                              struct language_question *out)
{
    struct text sum;
    out->true_when_unsafe = q->kind == QUESTION_REACH && q->true_when_reached;
    if (q->kind != QUESTION_BOUND)
        return;
    text_init(&sum);
    for (uint32_t i = 0; i < q->goal_sum.count; i++) {
        const struct net_arc *a = &q->goal_sum.data[i];
        const struct net_place *place = &net->places[a->place];
        text_printf(&sum, "%s%lld*{%s}", i ? " + " : "", (long long)a->weight, place->id);
        out->at_start += a->weight * place->marking;
    }
    out->greatest = text_steal(&sum);
}

// The properties of a file in the contest's XML, each asked as PATH#NAME.
static void name_questions(const struct language_request *request, struct language_questions *out,
                           struct messages *messages)
{
    const char *text = request->property_text;
    if (text == NULL || request->property_path == NULL || request->question != NULL ||
        !looks_like_xml(text, strlen(text)))
        return;
    const struct net *net = net_of(request->source);
    struct question_list list = {0};
    struct arena arena;
    arena_init(&arena);
    if (read_questions(net, request, &arena, &list, messages))
        for (size_t i = 0; i < list.count; i++) {
            struct text property;
            text_init(&property);
            text_printf(&property, "%s#%s", request->property_path, list.data[i].name);
            describe_question(
                net, &list.data[i],
                language_questions_add(out, list.data[i].name, text_string(&property)));
            text_finish(&property);
        }
    VECTOR_FINISH(&list);
    arena_finish(&arena);
}

const struct language language_pnml = {
    .name = "pnml",
    .plan = "petri",
    .extension = ".pnml",
    .description = "place/transition nets in PNML (ISO/IEC 15909-2)",
    .reads_checks = true,
    .parse = parse_pnml,
    .read = read_petri,
    .questions = name_questions,
};

const struct language language_net = {
    .name = "net",
    .plan = "petri",
    .extension = ".net",
    .description = "place/transition nets in the short form of TINA",
    .reads_checks = true,
    .parse = parse_net,
    .read = read_petri,
    .questions = name_questions,
};
