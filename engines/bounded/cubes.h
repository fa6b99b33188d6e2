#ifndef REGATTA_ENGINES_BOUNDED_CUBES_H
#define REGATTA_ENGINES_BOUNDED_CUBES_H

#include "engines/monolithic/monolith.h"

// Interpolants without proofs, for states of few values (Chockler, Ivrii, Matsliah 2012): each state that `before` ends
// in is generalised to a cube that contradicts `after`, until these cubes hold all of them. Needs nothing of a
// solver but models and cores, whatever the theory.
//
// `before` and `after` as in interpolants_find; the result, placed at the state, likewise, not checked. NULL: too many
// cubes were needed, the solver gave up, or the attempt has to end (the workspace's reason tells).
const struct term *interpolate_cubes(struct monolith *monolith, const struct term *before,
                                     const struct term *after, uint32_t state);

#endif
