#include "languages/petri/petri.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/language.h"
#include "languages/petri/formula.h"
#include "languages/petri/net_text.h"
#include "languages/petri/pnml.h"
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
        if (name ? strcmp(list->data[i].name, name) == 0 : list->count == 1)
            return &list->data[i];
    if (name || list->count == 0)
        message_add(messages, MESSAGE_ERROR, at,
                    "found no property `%.80s`, expected it in the file", name ? name : "");
    else
        message_add(messages, MESSAGE_ERROR, at,
                    "found %zu properties, expected the name of one behind the path and `#`",
                    list->count);
    return NULL;
}

static const struct formula *choose_goal(const struct question *q, struct messages *messages)
{
    if (q->kind == QUESTION_REACH)
        return q->goal;
    message_add(messages, MESSAGE_UNSUPPORTED, q->at, "%s",
                q->kind == QUESTION_BOUND ? "bounds of places as a verdict" : q->why);
    return NULL;
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

// The goal of the question asked, in the arena; NULL with messages.
static const struct formula *read_goal(const struct net *net,
                                       const struct language_request *request, struct arena *arena,
                                       struct messages *messages)
{
    struct question_list list = {0};
    const struct formula *goal = NULL;
    if (!request->property_text && request->property_at == PROPERTY_AT_NONE) {
        goal = formula_constant(arena, false);
    } else if (!request->property_text) {
        message_add(
            messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
            "found no property, expected one: `deadlock`, `safe`, `EF …`, `AG …`, or a file");
    } else if (read_questions(net, request, arena, &list, messages)) {
        const struct question *q = choose(&list, request, messages);
        goal = q ? choose_goal(q, messages) : NULL;
    }
    VECTOR_FINISH(&list);
    return goal;
}

static void destroy_view(struct model_view *base)
{
    struct net_view *view = (struct net_view *)base;
    net_destroy(view->net);
    arena_finish(&view->arena);
    memory_free(view);
}

static struct model *read_with(struct net *(*read)(const char *, const char *, size_t,
                                                   struct messages *),
                               const struct language_request *request, struct messages *messages)
{
    struct net *net =
        read(request->model_path, request->model_text, request->model_bytes, messages);
    if (!net)
        return NULL;
    struct net_view *view = memory_zalloc(sizeof *view);
    *view = (struct net_view){.base = {NET_VIEW, destroy_view}, .net = net};
    arena_init(&view->arena);
    view->goal = read_goal(net, request, &view->arena, messages);
    if (view->goal)
        return petri_translate(view);
    destroy_view(&view->base);
    return NULL;
}

static bool ends_in_net(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".net") == 0;
}

// The properties of a file in the contest's XML, each asked as PATH#NAME.
static void name_questions(const struct language_request *request, struct language_questions *out,
                           struct messages *messages)
{
    const char *text = request->property_text;
    if (!text || !request->property_path || request->question ||
        !looks_like_xml(text, strlen(text)))
        return;
    bool brief = ends_in_net(request->model_path);
    struct net *net =
        brief ? net_text_read(request->model_path, request->model_text, request->model_bytes,
                              messages)
              : pnml_read(request->model_path, request->model_text, request->model_bytes, messages);
    struct question_list list = {0};
    struct arena arena;
    arena_init(&arena);
    if (net && read_questions(net, request, &arena, &list, messages))
        for (size_t i = 0; i < list.count && list.count > 1; i++) {
            struct text property;
            text_init(&property);
            text_printf(&property, "%s#%s", request->property_path, list.data[i].name);
            language_questions_add(out, list.data[i].name, text_string(&property));
            text_finish(&property);
        }
    VECTOR_FINISH(&list);
    arena_finish(&arena);
    net_destroy(net);
}

struct net *petri_read_net(const char *path, struct messages *messages)
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    struct net *net = NULL;
    if (!text)
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "the file cannot be read");
    else if (ends_in_net(path))
        net = net_text_read(path, text, bytes, messages);
    else
        net = pnml_read(path, text, bytes, messages);
    memory_free(text);
    return net;
}

static struct model *read_pnml(const struct language_request *request, struct messages *messages)
{
    return read_with(pnml_read, request, messages);
}

static struct model *read_net(const struct language_request *request, struct messages *messages)
{
    return read_with(net_text_read, request, messages);
}

const struct language language_pnml = {
    .name = "pnml",
    .extension = ".pnml",
    .description = "place/transition nets in PNML (ISO/IEC 15909-2)",
    .reads_checks = true,
    .read = read_pnml,
    .questions = name_questions,
};

const struct language language_net = {
    .name = "net",
    .extension = ".net",
    .description = "place/transition nets in the short form of TINA",
    .reads_checks = true,
    .read = read_net,
    .questions = name_questions,
};
