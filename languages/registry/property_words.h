#ifndef REGATTA_LANGUAGES_REGISTRY_PROPERTY_WORDS_H
#define REGATTA_LANGUAGES_REGISTRY_PROPERTY_WORDS_H

#include <stdbool.h>

#include "base/text.h"

// What a user says of an input besides its property and is a part of the question all the same: it is put in front of the
// property or behind it, in the property's own words, so that records and workers need nothing more.

struct property_words {
    const char *environment; // statecharts (SCXML): the events from outside; NULL = not said
    const char *data_model;  // of a C program: ILP32, LP64; NULL = not said
    char *const *includes, *const *defines, *const *with; // the same; NULL-terminated, NULL = none
};

// The property with these words, appended; nothing when nothing is said. False with the reason appended to `why`.
bool property_words_add(const struct property_words *words, const char *path, const char *property,
                        struct text *out, struct text *why);

#endif
