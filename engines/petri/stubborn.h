#ifndef REGATTA_ENGINES_PETRI_STUBBORN_H
#define REGATTA_ENGINES_PETRI_STUBBORN_H

#include "languages/petri/formula.h"

// Stubborn sets that keep the reachability of a goal (Schmidt 1999; Kristensen, Schmidt, Valmari 2006): every way to the
// goal fires a transition of the set, and the first of them may as well fire at once. Set up once for a net and a goal.

struct stubborn;

struct stubborn *stubborn_create(const struct net *net, const struct formula *goal);
void stubborn_destroy(struct stubborn *stubborn); // NULL is fine
// Which transitions to fire in a marking where the goal does not hold: a bit for each in `chosen` (one byte each,
// transition_count of them), of which only the enabled matter. Returns how many enabled ones are in it.
uint32_t stubborn_choose(struct stubborn *stubborn, const int64_t *marking, uint8_t *chosen);

#endif
