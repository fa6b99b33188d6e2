#include <string.h>

#include "base/memory.h"
#include "languages/language.h"
#include "languages/umlrt/load.h"
#include "languages/umlrt/question.h"
#include "languages/umlrt/text.h"
#include "languages/umlrt/translate.h"
#include "languages/umlrt/xmi.h"

// Capsules as a language of `verify`: EF and AG questions, translated with queues of eight elements.

#define QUEUE_BOUND 8
#define LOOP_BOUND 16

static struct model *translate(struct capsules *capsules, const struct language_request *request,
                               struct messages *messages)
{
    const char *path = request->model_path;
    struct capsule_question question;
    if (request->property_text == NULL && request->property_at == PROPERTY_AT_NONE)
        return capsules_translate_owned(capsules, NULL, QUEUE_BOUND, path, messages);
    if (request->property_text == NULL)
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "found no property, expected one: `EF …`, `AG …`, or a file with one");
    else if (capsule_question_read(capsules, request->property_path, request->property_text,
                                   &question, messages))
        return capsules_translate_owned(capsules, &question, QUEUE_BOUND, path, messages);
    capsules_destroy(capsules);
    return NULL;
}

// A loop beyond its bound is cut off: what was not looked at could be anything.
static bool is_whole(const struct capsules *capsules, const char *path, struct messages *messages)
{
    if (capsules->bounded_loops)
        message_add(messages, MESSAGE_UNSUPPORTED, (struct position){path, 0, 0},
                    "a loop of action code with more than %d rounds", LOOP_BOUND);
    return !capsules->bounded_loops;
}

static struct model *finish(struct capsules *capsules, const struct language_request *request,
                            struct messages *messages)
{
    if (capsules != NULL && is_whole(capsules, request->model_path, messages))
        return translate(capsules, request, messages);
    capsules_destroy(capsules);
    return NULL;
}

static struct model *read_text(const struct language_request *request, struct messages *messages)
{
    return finish(
        cffsm_read(request->model_path, request->model_text, request->model_bytes, messages),
        request, messages);
}

static struct model *read_xmi(const struct language_request *request, struct messages *messages)
{
    return finish(umlrt_read_xmi(request->model_path, request->model_text, request->model_bytes,
                                 LOOP_BOUND, messages),
                  request, messages);
}

const struct language language_cffsm = {
    .name = "cffsm",
    .extension = ".cffsm",
    .description = "communicating capsules (docs/umlrt.md)",
    .read = read_text,
};

const struct language language_umlrt = {
    .name = "umlrt",
    .extension = ".uml",
    .description = "UML-RT, XMI of Papyrus-RT (docs/umlrt.md)",
    .read = read_xmi,
};
