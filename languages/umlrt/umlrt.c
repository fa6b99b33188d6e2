#include <string.h>

#include "base/memory.h"
#include "languages/language.h"
#include "languages/umlrt/property.h"
#include "languages/umlrt/question.h"
#include "languages/umlrt/text.h"
#include "languages/umlrt/translate.h"
#include "languages/umlrt/xmi.h"

// Capsules as a language of `verify`: EF and AG questions become models of the intermediate form with bounded queues; all
// other formulas of CTL are for engines that know capsules.

static struct model *translate(struct capsules *capsules, const struct capsule_property *property,
                               const struct language_request *request, struct messages *messages)
{
    struct capsule_question question;
    struct capsule_bounds bounds = {property->queue_bound, property->loop_bound,
                                    property->head_only};
    if (request->property_at == PROPERTY_AT_NONE && request->property_text == NULL)
        return capsules_translate_owned(capsules, NULL, &bounds, request->model_path, messages);
    if (capsule_question_read(capsules, request->property_path, property->formula, &question,
                              messages)) {
        struct text text = {0};
        capsule_property_print(property, &text);
        question.text = capsules_name(capsules, text_string(&text), text.length);
        text_finish(&text);
        return capsules_translate_owned(capsules, &question, &bounds, request->model_path,
                                        messages);
    }
    capsules_destroy(capsules);
    return NULL;
}

static struct model *read_with(const struct language_request *request, struct messages *messages,
                               struct capsules *(*read)(const struct language_request *request,
                                                        unsigned loop_bound,
                                                        struct messages *messages))
{
    struct capsule_property property = {0};
    struct language_request one = *request;
    // Who wants runs alone asks nothing; else what is wrong with the model comes before what is not asked.
    bool given = request->property_text != NULL;
    if (!given)
        one.property_text = "deadlock";
    if (!capsule_property_of(&one, &property, messages))
        return NULL;
    struct capsules *capsules = read(request, property.loop_bound, messages);
    struct model *model = NULL;
    if (capsules != NULL && !given && request->property_at != PROPERTY_AT_NONE) {
        capsules_destroy(capsules);
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found no property, expected one: `EF …`, `AG …`, or a file with one");
    } else if (capsules != NULL) {
        model = translate(capsules, &property, request, messages);
    }
    capsule_property_finish(&property);
    return model;
}

static struct capsules *text_form(const struct language_request *request, unsigned loop_bound,
                                  struct messages *messages)
{
    (void)loop_bound;
    return cffsm_read(request->model_path, request->model_text, request->model_bytes, messages);
}

static struct capsules *xmi_form(const struct language_request *request, unsigned loop_bound,
                                 struct messages *messages)
{
    return umlrt_read_xmi(request->model_path, request->model_text, request->model_bytes,
                          loop_bound, messages);
}

static struct model *read_text(const struct language_request *request, struct messages *messages)
{
    return read_with(request, messages, text_form);
}

static struct model *read_xmi(const struct language_request *request, struct messages *messages)
{
    return read_with(request, messages, xmi_form);
}

const struct language language_cffsm = {
    .name = "cffsm",
    .extension = ".cffsm",
    .description = "communicating capsules (docs/umlrt.md)",
    .read = read_text,
    .questions = capsule_property_questions,
    .plan = "umlrt",
    .reads_checks = true,
};

const struct language language_umlrt = {
    .name = "umlrt",
    .extension = ".uml",
    .description = "UML-RT, XMI of Papyrus-RT (docs/umlrt.md)",
    .read = read_xmi,
    .questions = capsule_property_questions,
    .plan = "umlrt",
    .reads_checks = true,
};
