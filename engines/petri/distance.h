#ifndef REGATTA_ENGINES_PETRI_DISTANCE_H
#define REGATTA_ENGINES_PETRI_DISTANCE_H

#include "engines/petri/problem.h"

// How many firings the state equation wants at least from a marking to the goal, over the rationals: the least sum of x >= 0 with
// marking + C x >= 0 and the goal's comparisons in it. One linear program for each alternative of the goal, made once;
// from marking to marking only its right-hand sides change. Of floating point numbers: good for an order, for no verdict.

struct petri_distances;
// NULL when the goal has too many alternatives for that, or the net too many arcs.
struct petri_distances *petri_distances_create(const struct petri_problem *problem);
void petri_distances_destroy(struct petri_distances *distances); // NULL is fine
// In thousandths of a firing; UINT64_MAX / 2 where the equation has no solution.
uint64_t petri_distances_from(struct petri_distances *distances, const int64_t *marking);

#endif
