#ifndef REGATTA_LANGUAGES_UMLRT_TRANSLATE_H
#define REGATTA_LANGUAGES_UMLRT_TRANSLATE_H

#include "languages/language.h"
#include "model/capsules/question.h"
#include "model/model.h"

// How far the model looks: a signal that comes to a queue of `queue` elements is lost, as in the capsules' semantics; what lies
// behind `loops` rounds of a loop in action code is left out.
struct capsule_bounds {
    uint32_t queue, loops;
    bool head_only;
};

// Capsules as a model of the intermediate form. EF and AG of a formula over locations, attributes and queues, and of one atom
// about dropped and lost signals, are translated: the error location is reached where the EF formula is true, or where the AG
// formula is false. For all other questions NULL with a message.
struct model *capsules_translate(const struct capsules *capsules,
                                 const struct capsule_question *question, uint32_t queue_bound,
                                 const char *path, struct messages *messages);

// The same, and the model keeps the capsules and the question, for engines that know capsules and for replays in their words.
// Any question: those that cannot be translated are for such engines alone (model_view.asks). Question NULL: runs alone are
// wanted. What the capsules borrow from is the source's, which the model holds too.
struct model *capsules_translate_owned(struct capsules *capsules, struct language_source *source,
                                       struct capsule_question *question,
                                       const struct capsule_bounds *bounds, const char *path);

#endif
