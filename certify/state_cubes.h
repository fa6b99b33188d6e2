#ifndef REGATTA_CERTIFY_STATE_CUBES_H
#define REGATTA_CERTIFY_STATE_CUBES_H

#include "model/model.h"

// A formula as a disjunction of cubes, as the states of explicit analysis are: each fixes the values of some variables
// and may say something more. Where a run begins in one cube its values are known, so most of what it does is
// computed and not asked.

struct state_cube {
    const struct term **values; // by variable index; NULL = open
    const struct term *rest;    // the other conjuncts; true when there are none
};

struct state_cubes {
    struct state_cube *data;
    size_t count;
};

// False, and nothing to finish, when the formula is no disjunction of at least `least` such cubes.
bool state_cubes_read(struct state_cubes *cubes, const struct model *model,
                      struct term_store *store, const struct term *formula, size_t least);
void state_cubes_finish(struct state_cubes *cubes); // also of zeroes
// What is left of the disjunction where variables hold `now`: of the cubes whose values can still be these, the open
// equalities. `rest_at` gives a cube's rest over `now`.
const struct term *state_cubes_at(const struct state_cubes *cubes, const struct model *model,
                                  struct term_store *store, const struct term **now,
                                  const struct term *(*rest_at)(void *context,
                                                                const struct term *rest,
                                                                const struct term **now),
                                  void *context);

#endif
