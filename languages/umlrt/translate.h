#ifndef REGATTA_LANGUAGES_UMLRT_TRANSLATE_H
#define REGATTA_LANGUAGES_UMLRT_TRANSLATE_H

#include "model/capsules/question.h"
#include "model/model.h"

// Capsules with queues of at most `queue_bound` elements as a model of the intermediate form, for EF and AG of a formula over
// locations, attributes and queues: the error location is reached where the EF formula is true, or where the AG formula is
// false. A signal that comes to a full queue is lost, as in the capsules' semantics. NULL with a message when the question is
// another one.
struct model *capsules_translate(const struct capsules *capsules,
                                 const struct capsule_question *question, uint32_t queue_bound,
                                 const char *path, struct messages *messages);

// The same, and the model keeps the capsules and the question, for replays in their words; they are gone when there is none.
struct model *capsules_translate_owned(struct capsules *capsules, struct capsule_question *question,
                                       uint32_t queue_bound, const char *path,
                                       struct messages *messages);

#endif
