#ifndef REGATTA_ENGINES_PETRI_EQUATION_H
#define REGATTA_ENGINES_PETRI_EQUATION_H

#include "engines/petri/problem.h"
#include "engines/petri/proof.h"

// Counterexample-guided refinement on the state equation (Wimmel and Wolf; Hajdu 2020, first part; docs/petri.md has the
// algorithms by these names). A least solution of the equation says how often each transition fires; when no
// sequence fires it, constraints lead to another one: jumps to incomparable solutions, increments to the same one with
// more invariants. Goals are conjunctions of comparisons; inhibitor arcs are treated.

enum equation_order { EQUATION_DFS, EQUATION_BFS, EQUATION_HYBRID };
enum equation_better { EQUATION_BETTER_OFF, EQUATION_BETTER_ON, EQUATION_BETTER_GENERAL };

struct equation_result;

struct equation_options {
    enum equation_order order;
    bool distant;     // distant invariants
    bool exclude_own; // a distant invariant's own transitions give no tokens
    bool filter;      // skip what only added an invariant
    enum equation_better better;
    bool wide;    // better markings on all ways to fire what a sequence fires, not on that one only
    bool reduce;  // leave out interleavings that fire the same
    bool shuffle; // transitions in a random order
    uint64_t limit; // solutions to look at, 0 = none
    // What earlier looks of the same attempt came to, NULL when this is the first: who looks on is told of all, and
    // is not to take what two looks have in common for something that came back.
    const struct equation_result *before;
};

struct equation_result {
    enum petri_answer
        answer; // UNREACHABLE: the equation has no solution at all, as far as floating point numbers say
    struct petri_sequence sequence;
    uint64_t solutions, partials, jumps, increments, skipped, repeated;
    uint32_t looks; // 1; in a sum of results, how many
    bool cut;       // something was left out by a limit
};

// Is a marking with all these rows reachable?
void equation_solve(const struct petri_problem *problem, const struct petri_rows *rows,
                    const struct equation_options *options, struct equation_result *out);

// Fires all of `counts` (by transition) in some order from the net's first marking. True with the order in `out`. May
// give up after `limit` markings, which *cut tells.
bool equation_realize(const struct petri_problem *problem, const int64_t *counts,
                      const uint32_t *order, uint64_t limit, struct petri_sequence *out, bool *cut);

#endif
