#ifndef REGATTA_ENGINES_BOUNDED_CUBES_H
#define REGATTA_ENGINES_BOUNDED_CUBES_H

#include "engines/monolithic/monolith.h"
#include "logic/smt/id_map.h"

// Interpolants without proofs, for states of few values (Chockler, Ivrii, Matsliah 2012): each state that `before` ends
// in is generalised to a cube that contradicts `after`, until these cubes hold all of them. Needs nothing of a
// solver but models and cores, whatever the theory.
//
// Images ask again and again with the same `after`: its solver and the cubes that contradict it are kept.

struct cubes {
    struct monolith *m;
    const struct term *after; // placed; NULL: none yet
    uint32_t state;
    size_t tracked;              // terms that the abstract view tracked then
    struct smt *smt;             // `after`
    struct id_map marks;         // variables that imply literals in it, by their id
    struct term_vector known;    // cubes that contradict it, placed
    struct term_vector shared;   // what makes the state, placed
    struct term_vector literals; // scratch: of the cube at hand
};

void cubes_init(struct cubes *cubes, struct monolith *monolith);
void cubes_finish(struct cubes *cubes);
// `before` and `after` as in interpolants_find; the result, placed at the state, likewise: what the cubes are is what
// the solver said of them. NULL: too many were needed, the solver gave up, or the attempt has to end (the
// workspace's reason tells).
const struct term *cubes_interpolate(struct cubes *cubes, const struct term *before,
                                     const struct term *after, uint32_t state);

#endif
