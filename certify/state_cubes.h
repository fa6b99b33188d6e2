#ifndef REGATTA_CERTIFY_STATE_CUBES_H
#define REGATTA_CERTIFY_STATE_CUBES_H

#include "base/hash_index.h"
#include "base/vector.h"
#include "model/model.h"

// A formula as a disjunction of cubes, as the states of explicit analysis are: each fixes the values of some variables
// and may say something more. Where a run begins in one cube its values are known, so most of what it does is
// computed and not asked.

struct state_cube {
    const struct term **values; // by variable index; NULL = open
    const struct term *rest;    // the other conjuncts; true when there are none
};

// The cubes by the values of some of the variables that all of them fix.
struct cube_index {
    const uint32_t *variables; // ascending
    uint32_t variable_count;
    struct hash_index by_values;
};

struct state_cubes {
    struct state_cube *data;
    size_t count;
    uint32_t *fixed; // the variables that every cube fixes, ascending
    uint32_t fixed_count;
    VECTOR(struct cube_index) indexes; // made when first asked for
};

// The disjunction of a formula, or of one that has other conjuncts beside it (what was proved of all states, as of
// variables that preparation left out); NULL when there is none of at least `least` parts.
const struct term *state_cubes_disjunction(const struct term *formula, size_t least);
// False, and nothing to finish, when the formula is no disjunction of at least `least` cubes, nor one with other conjuncts
// beside it, which then belong to each of its cubes.
bool state_cubes_read(struct state_cubes *cubes, const struct model *model,
                      struct term_store *store, const struct term *formula, size_t least);
void state_cubes_finish(struct state_cubes *cubes); // also of zeroes
// What is left of the disjunction where variables hold `now`: of the cubes whose values can still be these, the open
// equalities. `rest_at` gives a cube's rest over `now`. Cubes are found by what is known of the variables that all of them
// fix; they are gone through one by one where nothing of these is known, or too many different parts of them are.
const struct term *state_cubes_at(struct state_cubes *cubes, const struct model *model,
                                  struct term_store *store, const struct term **now,
                                  const struct term *(*rest_at)(void *context,
                                                                const struct term *rest,
                                                                const struct term **now),
                                  void *context);

#endif
