#ifndef REGATTA_ENGINES_MONOLITHIC_MONOLITH_H
#define REGATTA_ENGINES_MONOLITHIC_MONOLITH_H

#include "engines/domains/workspace.h"

// The model as three formulas over current and next variables, for engines that unroll or look at one
// step at a time. Made once per attempt, in the attempt's store.
//
// Copies. In the template, copy 0 of a variable is its current value and copy width[v] its next one
// (the same copy when no edge writes it: it never changes); the copies between are inner values of
// the step. The location is a binary number in the Boolean variables pc[0] …: copy 0 now, copy 1
// next. Every edge has a selector, a Boolean variable that tells that it was taken; choices inside
// actions have theirs (encode.h).
//
// Abstract view (monolith_abstract). Steps meet only in what is tracked: each step has values of its own, and
// a state is its location and, for each tracked term, a variable `seen` of the term's sort: its value after the step
// before and before the step after (Tonetta 2009: abstraction without computing it). So a run of the view
// is a sequence of steps of the model each of which begins in some state that looks like the one where the last
// ended. The three formulas are then over copies of the model's variables that belong to one step alone,
// and over `seen` and the location, which take the part that the variables have otherwise.
//
// The property has the same meaning as for the other engines: a state is bad when an edge into the
// error location can be taken from it. So the error location itself has no number.

struct tracked {
    const struct term *term; // over plain variables
    const struct term *seen; // plain variable of the same sort
};

struct monolith {
    struct workspace *workspace;
    const struct model *model;
    struct term_store *store;
    struct arena arena;
    struct encoded_step *steps;    // per edge, occurrence 0, all from copy 0
    struct encoded_step start;     // the initial action, from copy 0
    const struct term **selectors; // per edge
    uint32_t *width;               // per variable
    const struct term **pc;        // pc_count plain Boolean variables
    uint32_t pc_count;
    const struct term **at;        // per location: the current location is this one; error: false
    bool *state;                   // per variable: some step may read it before writing it
    const struct term *transition; // one step by an edge that does not lead to the error location
    const struct term *bad;        // an edge to the error location can be taken now
    const struct term *initial;    // after the initial action; values at copy start.after[v]
    bool abstract;
    VECTOR(struct tracked) tracked; // abstract
};

void monolith_init(struct monolith *monolith, struct workspace *workspace);
void monolith_finish(struct monolith *monolith);
// All values are finite: formulas over them can be given to a SAT solver.
bool monolith_is_finite(const struct monolith *monolith);

// From now on it is an abstract view, in which nothing is tracked. Before anything is put into its place.
void monolith_abstract(struct monolith *monolith);
// Tracks one more term; transition, bad and initial grow by what ties it to what is seen. False: it is tracked, or a
// literal, or has quantifiers. A formula and its negation are one.
bool monolith_track(struct monolith *monolith, const struct term *term);
// Those ties, for the terms from number `first` on: between current copies and what is seen now (template); after the
// initial action (in its place).
const struct term *monolith_tie(struct monolith *monolith, size_t first);
const struct term *monolith_tie_start(struct monolith *monolith, size_t first);

// Template formulas in their place on a run. `step` is 1 for the first edge taken, so that state k
// is the one before step k + 1, state 0 the one after the initial action.
// At a step: current, inner and next copies; transition and bad. Of bad, `step` is the one it takes.
const struct term *monolith_at_step(struct monolith *monolith, const struct term *formula,
                                    uint32_t step);
// The current copies of a formula, at a state.
const struct term *monolith_at_state(struct monolith *monolith, const struct term *formula,
                                     uint32_t state);
// The way back: a formula over the copies of that state, over current copies. NULL when it speaks of others.
const struct term *monolith_from_state(struct monolith *monolith, const struct term *formula,
                                       uint32_t state);
// What a formula over current copies (abstract: over locations and what is seen) says at a location: over plain
// variables.
const struct term *monolith_at_location(struct monolith *monolith, const struct term *formula,
                                        const struct location *location);
// Whether all its free variables but `besides` (NULL: none) are what a state has, none that lives inside of a step.
bool monolith_speaks_of_states(const struct monolith *monolith, const struct term *term,
                               const struct term *besides);
// Among what makes a state.
bool monolith_has_arrays(const struct monolith *monolith);
// The number of the location is one that exists.
const struct term *monolith_some_location(struct monolith *monolith);
// At each location, its formula over plain variables.
const struct term *monolith_everywhere(struct monolith *monolith,
                                       const struct term *const *formulas);
// The formula over next copies instead of current ones, in the template.
const struct term *monolith_next(struct monolith *monolith, const struct term *formula);
// `initial` in the template's terms: over current copies, inner values out of the way.
const struct term *monolith_initial_now(struct monolith *monolith);

// In the solver's model of initial and `length` steps, the last one by an edge to the error location:
// the trace, on the workspace's model; caller owns it. NULL when the solver could not tell some value.
struct trace *monolith_trace(struct monolith *monolith, struct smt *smt, uint32_t length);
// The edge that the model takes at this step; NULL when the solver cannot tell. `bad`: an edge to the
// error location, else one to any other.
const struct edge *monolith_edge_taken(struct monolith *monolith, struct smt *smt, uint32_t step,
                                       bool bad);

// Weakest precondition of an action for a formula over current copies: what must hold before it so
// that every way through it that runs to its end establishes the formula. NULL when a havoc would
// leave a quantifier, or when it is too much work (a count, not a time).
const struct term *monolith_weakest(struct monolith *monolith, const struct statement *action,
                                    const struct term *formula);

// Per location: no error within `depth` steps and, for `exhausted`, no run of `depth` steps at all.
// Strengthened by `aux` per location (may be NULL). The invariant that a k-inductive proof with k =
// depth implies. NULL when there are havocs in the way, it grows too large or is too much work; memory_free.
const struct term **monolith_backward_invariant(struct monolith *monolith, uint32_t depth,
                                                bool exhausted, const struct term *const *aux);

#endif
