#ifndef REGATTA_LANGUAGES_UMLRT_PROPERTY_H
#define REGATTA_LANGUAGES_UMLRT_PROPERTY_H

#include "languages/language.h"

// What --property says of capsules: a formula, or several with names, and how long queues and loops are.
//
//     [NAME :] formula [with setting { , setting }] { ; [NAME :] … } [;]
//     setting: queue N | loops N | head
//
// `//` begins a comment up to the end of the line. Names in double quotes may contain anything.

#define CAPSULE_QUEUE_BOUND 8
#define CAPSULE_LOOP_BOUND 16

struct capsule_property {
    char *name;    // NULL: it has none
    char *formula; // without name and settings
    unsigned queue_bound, loop_bound;
    bool head_only; // only the first element of a queue is looked at
};

struct capsule_properties {
    struct capsule_property *data;
    size_t count, capacity; // a VECTOR
};

// All that the text has. False with messages under `path`.
bool capsule_properties_read(const char *path, const char *text, struct capsule_properties *out,
                             struct messages *messages);
void capsule_properties_finish(struct capsule_properties *list);
// As --property would say it.
void capsule_property_print(const struct capsule_property *property, struct text *out);
// The one that the request asks for; without a property that nothing deadlocks, is dropped or lost is asked (the questions
// that capsule_property_questions names). False with messages.
bool capsule_property_of(const struct language_request *request, struct capsule_property *out,
                         struct messages *messages);
void capsule_property_finish(struct capsule_property *property);
// For struct language.questions.
void capsule_property_questions(const struct language_request *request,
                                struct language_questions *out, struct messages *messages);

#endif
