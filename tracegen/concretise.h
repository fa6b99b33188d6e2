#ifndef REGATTA_TRACEGEN_CONCRETISE_H
#define REGATTA_TRACEGEN_CONCRETISE_H

#include "engines/cegar/feasibility.h"
#include "engines/domains/action_solver.h"

// Concrete runs for abstract ones. An abstract run is a list of edges, the first one NULL for the initial
// action, and after each a state: a formula over plain variables that holds there.

struct abstract_run {
    const struct edge *const *edges;
    const struct term *const *states;
    const bool
        *exact; // the state leaves nothing open: steps on its two sides do not depend on each other
    size_t count; // of edges, and of states
};

struct concretiser {
    struct workspace *workspace;
    struct feasibility feasibility; // of whole runs
    struct arena arena;
    struct single_step *singles; // per edge, and one for the initial action
};

void concretiser_init(struct concretiser *concretiser, struct workspace *workspace);
void concretiser_finish(struct concretiser *concretiser);

// Is there a run? FEASIBLE says yes of the whole list; INFEASIBLE sets *last to the number of leading
// steps that can be run (known: that many can, for sure).
// step: an array of `count`; the pieces of an exact run are made and kept there, and used again (caller
// destroys them).
enum path_result concretise_check(struct concretiser *concretiser, const struct abstract_run *run,
                                  size_t known, struct trace **step, size_t *last);

// The run as a trace that was not replayed; caller owns it. NULL when there is none or it cannot be had;
// *result says which. Untracked values are small where they can be, and the same each time.
struct trace *concretise(struct concretiser *concretiser, const struct abstract_run *run,
                         struct trace **step, enum path_result *result);

// The same as one question, for runs whose steps do depend on each other after all: divisions by zero are
// one and the same function all along.
struct trace *concretise_whole(struct concretiser *concretiser, const struct abstract_run *run,
                               enum path_result *result);

// Can the edge's action, between two states (formulas), change the value of a variable other than `unless`?
// UNDECIDED, STOPPED: nobody knows.
enum path_result concretise_change(struct concretiser *concretiser, const struct edge *edge,
                                   const struct term *before, const struct term *after,
                                   const variable_bits *unless);

// The run with its last step forced through one branch of a choice or side of an `if`.
struct trace *concretise_through(struct concretiser *concretiser, const struct abstract_run *run,
                                 const struct statement *statement, uint32_t branch,
                                 enum path_result *result);

#endif
