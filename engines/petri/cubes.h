#ifndef REGATTA_ENGINES_PETRI_CUBES_H
#define REGATTA_ENGINES_PETRI_CUBES_H

#include "engines/petri/proof.h"

// A goal as a disjunction of conjunctions of comparisons, each a question for linear programs.

struct petri_cubes {
    struct petri_rows *data; // comparisons are the goal's
    size_t count, capacity;
};

// False, and nothing in *out, when there are more than `most`. Caller: petri_cubes_finish.
bool petri_cubes_make(const struct formula *goal, size_t most, struct petri_cubes *out);
void petri_cubes_finish(struct petri_cubes *cubes);

#endif
