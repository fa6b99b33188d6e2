#ifndef REGATTA_ENGINES_CEGAR_STRONGEST_H
#define REGATTA_ENGINES_CEGAR_STRONGEST_H

#include "engines/cegar/weakest.h"

// The strongest postcondition of one step of a path, the counterpart of weakest.h: assumptions are
// conjoined, an assignment replaces the old value where it can be computed from the new one, choices and
// ifs give the disjunction over their branches. What remains is "there is", eliminated, if need be by
// the solver.
//
// pre and the result are over plain variables. NULL as for weakest_precondition.
const struct term *strongest_postcondition(struct path *path, size_t step, const struct term *pre,
                                           enum abstraction abstraction, uint32_t size_limit);

// There is a value of x so that the formula holds; NULL when that needs a quantifier.
const struct term *strongest_project(struct workspace *workspace, const struct term *formula,
                                     const struct term *variable);

#endif
