#ifndef REGATTA_ENGINES_CEGAR_PATH_H
#define REGATTA_ENGINES_CEGAR_PATH_H

#include "engines/domains/workspace.h"

// A path through the model as a formula: is it feasible, with what trace; which statements are to blame.
//
// Positions: step 0 is the initial action, step k the k-th edge; node k is the state after step k, so
// node 0 is the root and node `edge_count` the error node.

struct path {
    struct workspace *workspace;
    const struct edge *const *edges;
    size_t edge_count;
    size_t step_count;           // edge_count + 1
    struct arena arena;
    struct encoded_step *steps;  // with trackers; formulas hold under them
    uint64_t *core;              // path_core: a row of bits over statements for each step
    size_t row_words;
    struct smt *smt;
};

enum path_result { PATH_FEASIBLE, PATH_INFEASIBLE, PATH_UNDECIDED, PATH_STOPPED };

// edges must stay alive as long as the path. False when no solver can be had (workspace->reason).
bool path_init(struct path *path, struct workspace *workspace, const struct edge *const *edges,
               size_t edge_count);
void path_finish(struct path *path);

// Checks the steps first … last (numbers of steps, inclusive), from any state (first > 0) that satisfies
// `before` (over plain variables, may be NULL) to one that satisfies `after` (likewise). On
// INFEASIBLE, path->core names the statements to blame: bits of a subset minimised with at most
// `minimise` further checks.
enum path_result path_check(struct path *path, size_t first, size_t last,
                            const struct term *before, const struct term *after,
                            unsigned minimise);

// After path_check of all steps answered FEASIBLE: the trace, on the workspace's model; caller owns it.
// NULL when the solver could not tell some value.
struct trace *path_trace(struct path *path);

static inline bool path_blames(const struct path *path, size_t step,
                               const struct statement *statement)
{
    return path->core[step * path->row_words + statement->id / 64] >> (statement->id % 64) & 1;
}

const struct statement *path_action(const struct path *path, size_t step);
// The step's formula, cut down to the statements to blame.
const struct term *path_blamed_formula(struct path *path, size_t step);

// Which variables a refutation needs at node k: those whose value at k flows into the statements to
// blame of later steps and is constrained by such statements of earlier ones. Appends their terms.
void path_blamed_variables(struct path *path, size_t node, struct term_vector *out);

#endif
