#ifndef REGATTA_ENGINES_CEGAR_PATH_H
#define REGATTA_ENGINES_CEGAR_PATH_H

#include "engines/cegar/feasibility.h"

// An infeasible path through the model: which statements are to blame. Positions as in feasibility.h.

struct path {
    struct workspace *workspace;
    const struct edge *const *edges;
    size_t edge_count;
    size_t step_count; // edge_count + 1
    struct arena arena;
    struct encoded_step *steps; // with trackers; formulas hold under them
    uint64_t *core;             // path_blame: a row of bits over statements for each step
    size_t row_words;
    bool blame_all; // for now, every statement counts as one to blame
    struct smt *smt;
    uint8_t *marks; // scratch, by term id
    uint32_t mark_count;
};

// edges must stay alive as long as the path. False when no solver can be had (workspace->reason).
bool path_init(struct path *path, struct workspace *workspace, const struct edge *const *edges,
               size_t edge_count);
void path_finish(struct path *path);

// Checks the steps first … last (numbers of steps, inclusive), from any state (first > 0) that satisfies
// `before` (over plain variables, may be NULL) to one that satisfies `after` (likewise). On
// INFEASIBLE, path->core names the statements to blame: bits of a subset minimised with at most
// `minimise` further checks.
enum path_result path_blame(struct path *path, size_t first, size_t last, const struct term *before,
                            const struct term *after, unsigned minimise);

static inline bool path_blames(const struct path *path, size_t step,
                               const struct statement *statement)
{
    return path->blame_all ||
           path->core[step * path->row_words + statement->id / 64] >> (statement->id % 64) & 1;
}

// Does the step have any statement to blame?
bool path_blames_step(const struct path *path, size_t step);
const struct statement *path_action(const struct path *path, size_t step);
// The step's formula, cut down to the statements to blame.
const struct term *path_blamed_formula(struct path *path, size_t step);

// Which variables a refutation needs at node k: those whose value at k flows into the statements to
// blame of later steps and is constrained by such statements of earlier ones. Appends their terms.
// related: for who knows that two variables are equal without knowing their value; y := x then constrains x as well.
void path_blamed_variables(struct path *path, size_t node, bool related, struct term_vector *out);

#endif
