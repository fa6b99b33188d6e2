#include <stdatomic.h>
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

// What one bound of loops has made of the text; immutable.
struct parsed {
    struct parsed *next;
    unsigned loop_bound;
    struct capsules *capsules;
};

// The text, and what was made of it so far: questions may ask for different bounds of loops, which the text form has none of.
struct capsules_source {
    struct language_source base;
    bool xmi;
    char *path, *text;
    size_t bytes;
    _Atomic(struct parsed *) parsed;
};

static void destroy_source(struct language_source *base)
{
    struct capsules_source *source = (struct capsules_source *)base;
    struct parsed *next;
    for (struct parsed *p = atomic_load(&source->parsed); p != NULL; p = next) {
        next = p->next;
        capsules_destroy(p->capsules);
        memory_free(p);
    }
    memory_free(source->path);
    memory_free(source->text);
    memory_free(source);
}

static struct language_source *keep(const struct language_request *request, bool xmi)
{
    struct capsules_source *source = memory_zalloc(sizeof *source);
    source->base.destroy = destroy_source;
    atomic_init(&source->base.references, 1);
    source->xmi = xmi;
    source->path = memory_strdup(request->model_path);
    source->text = memory_alloc(request->model_bytes + 1);
    memcpy(source->text, request->model_text, request->model_bytes);
    source->text[request->model_bytes] = '\0';
    source->bytes = request->model_bytes;
    return &source->base;
}

// NULL with messages, each time anew. Two threads at once may both read the text.
static const struct capsules *capsules_of(struct capsules_source *source, unsigned loop_bound,
                                          struct messages *messages)
{
    unsigned bound = source->xmi ? loop_bound : 0;
    for (struct parsed *p = atomic_load(&source->parsed); p != NULL; p = p->next)
        if (p->loop_bound == bound)
            return p->capsules;
    struct capsules *capsules =
        source->xmi
            ? umlrt_read_xmi(source->path, source->text, source->bytes, loop_bound, messages)
            : cffsm_read(source->path, source->text, source->bytes, messages);
    if (capsules == NULL)
        return NULL;
    struct parsed *made = memory_alloc(sizeof *made);
    *made = (struct parsed){atomic_load(&source->parsed), bound, capsules};
    while (!atomic_compare_exchange_weak(&source->parsed, &made->next, made))
        continue;
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

static struct model *read_capsules(const struct language_request *request,
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
    const struct capsules *capsules =
        capsules_of((struct capsules_source *)request->source, property.loop_bound, messages);
    struct model *model = NULL;
    if (capsules != NULL && !given && request->property_at != PROPERTY_AT_NONE)
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found no property, expected one: `EF …`, `AG …`, or a file with one");
    else if (capsules != NULL)
        model = translate(capsules_share(capsules), request->source, &property, request, messages);
    capsule_property_finish(&property);
    return model;
}

static struct language_source *parse_text(const struct language_request *request,
                                          struct messages *messages)
{
    (void)messages;
    return keep(request, false);
}

static struct language_source *parse_xmi(const struct language_request *request,
                                         struct messages *messages)
{
    (void)messages;
    return keep(request, true);
}

const struct language language_cffsm = {
    .name = "cffsm",
    .extension = ".cffsm",
    .description = "communicating capsules (docs/umlrt.md)",
    .parse = parse_text,
    .read = read_capsules,
    .questions = capsule_property_questions,
    .plan = "umlrt",
    .reads_checks = true,
};

const struct language language_umlrt = {
    .name = "umlrt",
    .extension = ".uml",
    .description = "UML-RT, XMI of Papyrus-RT (docs/umlrt.md)",
    .parse = parse_xmi,
    .read = read_capsules,
    .questions = capsule_property_questions,
    .plan = "umlrt",
    .reads_checks = true,
};
