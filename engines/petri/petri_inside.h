#ifndef REGATTA_ENGINES_PETRI_PETRI_INSIDE_H
#define REGATTA_ENGINES_PETRI_PETRI_INSIDE_H

#include "engines/engine.h"
#include "engines/petri/problem.h"
#include "engines/petri/reduce.h"

// Private to the engine: one attempt, shared by its methods.

struct petri_attempt {
    const struct engine_environment *environment;
    struct petri_problem problem;      // what is worked on
    struct petri_problem given;        // what was asked: the same, or larger
    const struct reduction *reduction; // how the one comes from the other; NULL = the same
    struct engine_result result;
    uint64_t steps;
    enum end_reason reason; // END_NONE: go on
};

// Fires the sequence on the net; the verdict is unsafe when it leads to the goal. Shortens it.
void petri_conclude_reached(struct petri_attempt *attempt, struct petri_sequence *sequence);
// netmethod PROOF: facts until the goal contradicts them. Sets verdict and invariant.
void petri_prove(struct petri_attempt *attempt);
// netmethod EQUATION.
void petri_solve_equation(struct petri_attempt *attempt);

static inline int64_t petri_option(const struct petri_attempt *attempt, enum option option)
{
    return attempt->environment->configuration->values[option];
}

#endif
