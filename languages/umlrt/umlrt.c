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

// What one bound of loops has made of the text; the text form has no such loops.
struct reading {
    struct language_reading base;
    unsigned loop_bound;
    struct capsules *capsules;
};

static void destroy_reading(struct language_reading *base)
{
    struct reading *reading = (struct reading *)base;
    capsules_destroy(reading->capsules);
    memory_free(reading);
}

// NULL with messages, each time anew.
static const struct capsules *capsules_of(const struct language_request *request, bool xmi,
                                          unsigned loop_bound, struct messages *messages)
{
    struct language_text *text = (struct language_text *)request->source;
    unsigned bound = xmi ? loop_bound : 0;
    for (struct language_reading *r = atomic_load(&text->readings); r != NULL; r = r->next)
        if (((struct reading *)r)->loop_bound == bound)
            return ((struct reading *)r)->capsules;
    struct capsules *capsules =
        xmi ? umlrt_read_xmi(request->model_path, text->text, text->bytes, loop_bound, messages)
            : cffsm_read(request->model_path, text->text, text->bytes, messages);
    if (capsules == NULL)
        return NULL;
    struct reading *made = memory_alloc(sizeof *made);
    *made = (struct reading){{NULL, destroy_reading}, bound, capsules};
    language_text_add(text, &made->base);
    return capsules;
}

// Takes over the capsules, and holds the source for as long as the model.
static struct model *translate(struct capsules *capsules, struct language_source *source,
                               const struct capsule_property *property,
                               const struct language_request *request, struct messages *messages)
{
    struct capsule_question question;
    struct capsule_bounds bounds = {property->queue_bound, property->loop_bound,
                                    property->head_only};
    if (request->property_at == PROPERTY_AT_NONE && request->property_text == NULL)
        return capsules_translate_owned(capsules, source, NULL, &bounds, request->model_path);
    if (capsule_question_read(capsules, request->property_path, property->formula, &question,
                              messages)) {
        struct text text = {0};
        capsule_property_print(property, &text);
        question.text = capsules_name(capsules, text_string(&text), text.length);
        text_finish(&text);
        return capsules_translate_owned(capsules, source, &question, &bounds, request->model_path);
    }
    capsules_destroy(capsules);
    return NULL;
}

static struct model *read_capsules(const struct language_request *request, bool xmi,
                                   struct messages *messages)
{
    struct capsule_property property = {0};
    struct language_request one = *request;
    // Who wants runs alone asks nothing; else what is wrong with the model comes before what is not asked.
    bool given = request->property_text != NULL;
    if (!given)
        one.property_text = "deadlock";
    if (!capsule_property_of(&one, &property, messages))
        return NULL;
    const struct capsules *capsules = capsules_of(request, xmi, property.loop_bound, messages);
    struct model *model = NULL;
    if (capsules != NULL && !given && request->property_at != PROPERTY_AT_NONE)
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found no property, expected one: `EF …`, `AG …`, or a file with one");
    else if (capsules != NULL)
        model = translate(capsules_share(capsules), request->source, &property, request, messages);
    capsule_property_finish(&property);
    return model;
}

static struct model *read_text(const struct language_request *request, struct messages *messages)
{
    return read_capsules(request, false, messages);
}

static struct model *read_xmi(const struct language_request *request, struct messages *messages)
{
    return read_capsules(request, true, messages);
}

const struct language language_cffsm = {
    .name = "cffsm",
    .extension = ".cffsm",
    .description = "communicating capsules (docs/umlrt.md)",
    .parse = language_text_keep,
    .read = read_text,
    .questions = capsule_property_questions,
    .plan = "umlrt",
    .reads_checks = true,
};

const struct language language_umlrt = {
    .name = "umlrt",
    .extension = ".uml",
    .description = "UML-RT, XMI of Papyrus-RT (docs/umlrt.md)",
    .parse = language_text_keep,
    .read = read_xmi,
    .questions = capsule_property_questions,
    .plan = "umlrt",
    .reads_checks = true,
};
