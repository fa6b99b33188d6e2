#ifndef REGATTA_ENGINES_BOUNDED_AFFINE_H
#define REGATTA_ENGINES_BOUNDED_AFFINE_H

#include "engines/monolithic/monolith.h"

// Linear equations between integers that hold at each location, such as 4 * i + base = p (Karr 1976): the affine
// hull of the states that steps lead to, grown by one state after another that the solver finds outside of it
// (Reps, Sagiv, Yorsh 2004). The equations of all locations together are inductive.
//
// One formula per location, over plain variables (error, and where no run gets: false); NULL when there are no integers,
// the attempt has to end or the solver gives up; memory_free.
const struct term **affine_prove(struct monolith *monolith);
// Elements of arrays at those integers take part. known: inductive facts, which are used and are part of the result. NULL
// too when there are no such arrays.
const struct term **affine_prove_elements(struct monolith *monolith,
                                          const struct term *const *known);

#endif
