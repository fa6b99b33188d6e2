#ifndef REGATTA_ENGINES_PETRI_SEARCH_H
#define REGATTA_ENGINES_PETRI_SEARCH_H

#include "engines/petri/markings.h"
#include "engines/petri/problem.h"

// The reachable markings one by one. BEST_FIRST: the least sum of what the goal's comparisons lack; EQUATION_FIRST: the fewest
// firings that the state equation wants (distance.h), the former where that cannot be had.

enum petri_order { PETRI_BREADTH_FIRST, PETRI_DEPTH_FIRST, PETRI_BEST_FIRST, PETRI_EQUATION_FIRST };

struct petri_search_result {
    enum petri_answer answer;
    struct petri_sequence sequence;
    struct markings markings; // UNREACHABLE: all that were met, a closed set (closed_set.h)
    uint64_t fired;
    const char *why; // UNDECIDED: static
};

// stubborn: fire a stubborn set in each marking only. Caller: petri_search_finish.
void petri_search(const struct petri_problem *problem, enum petri_order order, bool stubborn,
                  struct petri_search_result *out);
void petri_search_finish(struct petri_search_result *result);

// Runs of ever more steps in which each transition is drawn, some of them with a preference for what brings the goal
// nearer. Ends when the goal is reached or when told to; otherwise never.
enum petri_answer petri_walk(const struct petri_problem *problem, struct petri_sequence *out);
// Shows `count` markings of random runs, the first marking before all others; a run that ends is followed by another one.
// Fewer when `visit` says false.
void petri_visit_walk(const struct petri_problem *problem, uint64_t count,
                      bool (*visit)(void *context, const int64_t *marking), void *context);

// How far a marking is from a formula: 0 exactly where it holds.
uint64_t petri_distance(const struct formula *formula, const int64_t *marking);

#endif
