#ifndef REGATTA_ENGINES_BOUNDED_UNROLLING_H
#define REGATTA_ENGINES_BOUNDED_UNROLLING_H

#include "engines/monolithic/monolith.h"

// Runs of growing length in one incremental solver (Biere et al. 1999). State k is the one after k
// steps. What an abstract view comes to track is taken up by itself, for all states.

struct unrolling {
    struct monolith *monolith;
    struct smt *smt;
    uint32_t length;           // steps asserted so far
    bool initial;              // runs begin after the initial action
    bool simple;               // no two states of the run are the same
    size_t told;               // terms tracked by an abstract view that it knows
    const struct term *every;  // asserted of every state but the last one; template, may be NULL
    const struct term *always; // asserted of every state; template, may be NULL
};

enum unrolling_answer { UNROLLING_NO, UNROLLING_YES, UNROLLING_UNDECIDED, UNROLLING_STOPPED };

// initial: runs begin after the initial action, else anywhere. `every` and `always` are read as states are
// added: set them before the first extension (always: it is asserted of state 0 by unrolling_begin).
bool unrolling_init(struct unrolling *unrolling, struct monolith *monolith, bool initial);
void unrolling_begin(struct unrolling *unrolling);
void unrolling_finish(struct unrolling *unrolling);

// One more step.
void unrolling_extend(struct unrolling *unrolling);
// Is there such a run?
enum unrolling_answer unrolling_exists(struct unrolling *unrolling);
// Is there one whose last state is bad? After YES the solver's model is such a run, for monolith_trace with
// `length` + 1 steps.
enum unrolling_answer unrolling_ends_badly(struct unrolling *unrolling);

// No error edge can be taken now, as far as that can be said without quantifiers (template).
const struct term *unrolling_not_bad(struct monolith *monolith);

#endif
