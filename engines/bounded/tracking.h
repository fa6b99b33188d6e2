#ifndef REGATTA_ENGINES_BOUNDED_TRACKING_H
#define REGATTA_ENGINES_BOUNDED_TRACKING_H

#include "engines/bounded/refining.h"

// What an abstract view tracks, and where it comes from: the configuration, an attempt before, attempts
// that run side by side. Private to this folder.

// Tracks what the formula over plain variables says: its predicates, or its variables. False: nothing new.
bool tracking_add(struct refining *refining, const struct term *formula);
// The initial precision, and what the environment says to begin with.
void tracking_begin(struct refining *refining);
// Leaves what is tracked where the environment wants it, when there is no verdict.
void tracking_leave(struct refining *refining);

#endif
