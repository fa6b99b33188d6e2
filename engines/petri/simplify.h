#ifndef REGATTA_ENGINES_PETRI_SIMPLIFY_H
#define REGATTA_ENGINES_PETRI_SIMPLIFY_H

#include "engines/petri/problem.h"

// The goal without comparisons that the state equation decides: one that no marking of the equation has is false, one whose
// negation none has is true. Each such answer is a fact checked in integers (proof.h), so in every reachable marking the new
// goal holds exactly where the old one does. A deadlock stays as it is: it has rules of its own. Memory is the arena's.

struct simplification {
    const struct formula *goal;
    uint32_t never, always; // comparisons decided
};

void petri_simplify(const struct petri_problem *problem, struct arena *arena,
                    struct simplification *out);

#endif
