#ifndef REGATTA_ENGINES_PETRI_EQUATION_FIRING_H
#define REGATTA_ENGINES_PETRI_EQUATION_FIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/petri/problem.h"

// A run that fires each transition at most as often as counts say, forwards and backwards. Private to the refinement of
// the state equation.

struct firing {
    const struct petri_problem *problem;
    const struct net *net;
    const uint32_t *order;
    int64_t *left, *marking; // firings left by transition; tokens by place
    int64_t total;           // left, of all
    struct petri_sequence sequence;
    uint64_t steps;
    bool stopped;
};

// At the net's first marking; `order`, of the transitions, stays the caller's.
void firing_begin(struct firing *firing, const struct petri_problem *problem, const int64_t *counts,
                  const uint32_t *order);
void firing_finish(struct firing *firing);
bool firing_can(const struct firing *firing, uint32_t transition);
void firing_fire(struct firing *firing, uint32_t transition);
void firing_take_back(struct firing *firing); // the last one
// Firing it hinders no other transition that is still to fire. Then it may as well fire now: in any sequence that fires
// all, its next firing can be moved to the front.
bool firing_is_harmless(const struct firing *firing, uint32_t transition);
// Firing it takes tokens that `other`, still to fire, needs, or puts some where `other` must not find them.
bool firing_hinders(const struct firing *firing, uint32_t transition, uint32_t other);

#endif
