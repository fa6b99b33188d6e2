#ifndef REGATTA_MODEL_PHASES_H
#define REGATTA_MODEL_PHASES_H

#include <stdatomic.h>

#include "model/model.h"

// A loop that does one thing while a condition holds and another while it does not (in phases, or in turn) as a location for each: control-flow
// refinement, as in Sharma, Dillig, Dillig, Aiken, "Simplifying loop invariant generation using splitter predicates", 2011. What engines find
// of a location (equations, bounds) they find of each phase. Exact: runs are the same, and the invariant of a location
// is that of each of its phases while its conditions hold.

// Takes the model, a prepared one, over. NULL, with the model destroyed: no loop has such a condition, or it was given up (given_up
// may be NULL).
struct model *phases_model(struct model *model, const _Atomic bool *given_up);

#endif
