#ifndef REGATTA_ENGINES_PETRI_PROOF_H
#define REGATTA_ENGINES_PETRI_PROOF_H

#include "languages/petri/linear.h"
#include "engines/petri/problem.h"

// Linear facts that hold in every reachable marking, each preserved by every transition on its own:
//
//   weights with weights * effect(t) <= 0 for all t: weights * m <= weights * m0 (of the state equation, by Farkas);
//   a trap Q that is marked at the start: the sum over Q is at least 1;
//   a siphon that is empty at the start: the sum over it is at most 0.
//
// They are looked for where a candidate needs one: a marking, or all those of a conjunction of comparisons. What is
// found was checked in integers. Inhibitor arcs only make fewer markings reachable.

struct petri_facts {
    const struct formula **data; // FORMULA_LINEAR, in the arena
    size_t count, capacity;
};

struct petri_rows {
    const struct formula **data; // FORMULA_LINEAR
    size_t count, capacity;
};

enum petri_refutation { PETRI_REFUTED, PETRI_NOT_REFUTED, PETRI_STOPPED };

// The siphon, if there is one. Places of it are marked in `dead` (one byte a place).
void petri_empty_siphon(const struct net *net, uint8_t *dead);
const struct formula *petri_siphon_fact(const struct net *net, struct arena *arena);
// Adds a fact that no marking with all these rows has, or says that there is none of the first kind.
enum petri_refutation petri_refute_rows(const struct petri_problem *problem,
                                        const struct petri_rows *rows, struct arena *arena,
                                        struct petri_facts *facts);
// A marking that satisfies the rows, the known facts and the state equation, over the rationals: tokens by place.
enum petri_refutation petri_candidate(const struct petri_problem *problem,
                                      const struct petri_rows *rows,
                                      const struct petri_facts *facts, double *tokens);
// Adds the fact of a trap that is marked at the start and empty where `tokens` has (nearly) none. False: there is none.
bool petri_refute_trap(const struct net *net, const double *tokens, struct arena *arena,
                       struct petri_facts *facts);

#endif
