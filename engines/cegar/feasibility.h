#ifndef REGATTA_ENGINES_CEGAR_FEASIBILITY_H
#define REGATTA_ENGINES_CEGAR_FEASIBILITY_H

#include "engines/domains/workspace.h"

// Is a path feasible, and with what trace? One solver serves all paths of an attempt: each step is a
// level of its own, and the steps that a path shares with the one before it stay.
//
// Positions on a path: step 0 is the initial action, step k the k-th edge; node k is the state after
// step k, so node 0 is the root and the last node the error node.

struct feasibility {
    struct workspace *workspace;
    struct smt *smt; // NULL until the first path
    struct arena arena;
    VECTOR(const struct edge *)
    edges; // of the path at hand; edges.data[0] = NULL, the initial action
    VECTOR(const struct term *) states; // asserted at each node; NULL = none
    VECTOR(struct encoded_step) steps;  // ENCODE_SELECTORS
};

enum path_result { PATH_FEASIBLE, PATH_INFEASIBLE, PATH_UNDECIDED, PATH_STOPPED };

void feasibility_init(struct feasibility *feasibility, struct workspace *workspace);
void feasibility_finish(struct feasibility *feasibility);

// Makes this the path at hand. False when no solver can be had (workspace->reason).
bool feasibility_load(struct feasibility *feasibility, const struct edge *const *edges,
                      size_t edge_count);
// The same through states: a formula over plain variables for each node (edge_count + 1 of them), or
// NULL for "any state".
bool feasibility_load_through(struct feasibility *feasibility, const struct edge *const *edges,
                              size_t edge_count, const struct term *const *states);
enum path_result feasibility_check(struct feasibility *feasibility);
// After FEASIBLE: the trace, on the workspace's model; caller owns it. NULL when the solver could not
// tell some value.
struct trace *feasibility_trace(struct feasibility *feasibility);

// On the path at hand, which is infeasible. states: a formula over plain variables for each node, or
// NULL for "any state".
// The greatest k so that the steps from k on are infeasible from states[k - 1] (k > 0).
enum path_result feasibility_shortest_suffix(struct feasibility *feasibility,
                                             const struct term *const *states, size_t *first);
// Some k > 0 so that the steps from k on are infeasible from any state, at most about twice as many
// steps as need be; FEASIBLE when there is none, or none was found.
enum path_result feasibility_short_suffix(struct feasibility *feasibility, size_t *first);
// The least k so that the steps up to k are infeasible into states[k].
enum path_result feasibility_shortest_prefix(struct feasibility *feasibility,
                                             const struct term *const *states, size_t *last);

// The trace in the solver's model; private to this module.
struct trace *path_trace(struct workspace *workspace, struct smt *smt,
                         const struct edge *const *edges, const struct encoded_step *steps,
                         size_t step_count);

#endif
