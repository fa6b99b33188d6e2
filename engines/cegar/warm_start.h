#ifndef REGATTA_ENGINES_CEGAR_WARM_START_H
#define REGATTA_ENGINES_CEGAR_WARM_START_H

#include "engines/cegar/cegar.h"

// Precision handed on from one attempt to the next. Private to this folder.
//
// Each domain makes of an element what it makes of one in a refutation: values track the variables of a
// predicate; predicates are split as the configuration says. Values say nothing to predicates, so
// these get the atoms of the model's assumptions that are over the tracked variables alone: what the
// model compares the values with.

// Adds what the environment says to begin with. Before the first state is made.
void warm_start(struct cegar *cegar);
// Adds those elements of a text that `wanted` answers true for. By how many the precision grew.
uint64_t warm_start_add(struct cegar *cegar, const char *text,
                        bool (*wanted)(void *context, const struct precision_item *item),
                        void *context);
// The domain has values alone.
bool warm_start_values_only(const struct cegar *cegar);
// Leaves what the domain tracks where the environment wants it.
void warm_start_leave(struct cegar *cegar);
// Appends a note for people, if there is something to say.
void warm_start_describe(const struct cegar *cegar, char *notes, size_t bytes);

#endif
