#ifndef REGATTA_ENGINES_PETRI_PROBLEM_H
#define REGATTA_ENGINES_PETRI_PROBLEM_H

#include "languages/petri/formula.h"

// What the parts of this engine are asked: is a marking with `goal` reachable in `net`? And how they end.

struct engine_event; // engines/engine.h

struct petri_problem {
    const struct net *net;
    const struct formula *goal;
    uint64_t seed;
    uint64_t memory_limit; // bytes of a part's own structures, 0 = none
    // Called often, with how many steps were taken since; false: end now.
    bool (*go_on)(void *context, uint64_t steps);
    // Told of what is going on; false: end now. NULL: nobody listens.
    bool (*tell)(void *context, struct engine_event *event);
    void *context;
};

enum petri_answer {
    PETRI_UNDECIDED,
    PETRI_REACHED, // by `sequence`
    PETRI_UNREACHABLE,
};

struct petri_sequence {
    uint32_t *data; // numbers of transitions, in the order in which they fire
    size_t count, capacity;
};

// Fires the sequence from the net's first marking. True when each transition was enabled in its turn and the goal holds
// at the end. The interpreter of the language: nothing of the engine is in it.
bool petri_replay(const struct petri_problem *problem, const struct petri_sequence *sequence);
// Leaves out parts that lead from a marking back to it.
void petri_shorten(const struct net *net, struct petri_sequence *sequence);

#endif
