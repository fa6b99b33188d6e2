#ifndef REGATTA_ENGINES_BOUNDED_CANDIDATES_H
#define REGATTA_ENGINES_BOUNDED_CANDIDATES_H

#include "engines/monolithic/monolith.h"

// Simple inductive facts per location: constants of Booleans and enumerations, bounds of numbers by
// the literals of the model, order between pairs of numbers. Guessed, and those that are not inductive
// together dropped (Houdini: Flanagan and Leino 2001).
//
// One formula per location, over plain variables (error: false); NULL when the attempt has to end or the
// solver gives up; memory_free.
const struct term **candidates_prove(struct monolith *monolith);

#endif
