#ifndef REGATTA_ENGINES_DOMAINS_HIERARCHY_H
#define REGATTA_ENGINES_DOMAINS_HIERARCHY_H

#include "engines/domains/workspace.h"

// What engines for all models make of the hierarchy of a chart. Its regions are control variables, those of composite
// states are marked (VARIABLE_INNER). Tracking the ones at the top is a search over top-level configurations; adding all
// states of another one opens the composite that it belongs to. Without a hierarchy, all control is at the top.

// Does a precision that begins with `initprec` (a value of that option) have this control variable?
bool hierarchy_begins_with(const struct variable *variable, int64_t initprec);
// Appends `variable = value` for each value; of a Boolean itself, of others (there is no end of values) nothing.
void hierarchy_states(struct workspace *workspace, const struct variable *variable,
                      struct term_vector *out);
// Calls take for the states of all regions at the top, when precisions begin with these.
void hierarchy_each_top_state(struct workspace *workspace,
                              void (*take)(void *context, const struct term *state), void *context);
// What becomes predicates of a formula, by the option predsplit.
void hierarchy_split(struct workspace *workspace, const struct term *formula, int64_t split,
                     struct term_vector *parts);

#endif
