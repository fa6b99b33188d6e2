#ifndef REGATTA_ENGINES_CEGAR_CONCRETE_H
#define REGATTA_ENGINES_CEGAR_CONCRETE_H

#include "engines/domains/explicit_post.h"

// A cheap look at a path before a solver sees it: does evaluation alone find a run along it? The model is
// executed forwards with every variable followed; only runs whose every condition is decided by known
// values count, so what is still unknown (inputs, start values) may have any value. Inputs of few values are tried with
// each of them. `states`, if not NULL: what holds at each node of the path, over plain variables; only runs through them count.
//
// Returns a trace on the workspace's model with the branch of each choice and the values of these inputs, caller owns;
// NULL says nothing. The effort is bounded.
struct trace *concrete_run(struct workspace *workspace, struct explicit_post *post,
                           const struct edge *const *edges, size_t edge_count,
                           const struct term *const *states);

#endif
