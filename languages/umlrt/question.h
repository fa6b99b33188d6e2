#ifndef REGATTA_LANGUAGES_UMLRT_QUESTION_H
#define REGATTA_LANGUAGES_UMLRT_QUESTION_H

#include "model/capsules/question.h"

// Reads a CTL formula about a model (docs/umlrt.md). Terms go to the model's store, so this comes before the model is
// shared. False, with messages whose path is `path`, when it is none; `out` then needs no finish.
bool capsule_question_read(struct capsules *capsules, const char *path, const char *text,
                           struct capsule_question *out, struct messages *messages);

#endif
