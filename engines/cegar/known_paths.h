#ifndef REGATTA_ENGINES_CEGAR_KNOWN_PATHS_H
#define REGATTA_ENGINES_CEGAR_KNOWN_PATHS_H

#include "engines/cegar/graph.h"
#include "engines/cegar/refute.h"

// Why a complete graph with error nodes can still prove "safe" (docs/definitions/monitors.md 4.3): every path to
// an error node is infeasible, and its nodes cover nothing (graph_bar_path). Sequence interpolants
// of such a path hold along it: the conjunction of those of all paths through a node strengthens the
// node's state, and the error nodes become false. A node beside the path needs none of it. A successor
// that was dropped because a sibling by the same edge is larger needs no care: it continues the
// same edges, so the interpolants hold for it too.

// Per node of the graph: that conjunction, NULL = nothing. Array to be freed with memory_free. NULL when
// some path has no proof; the workspace may have a reason to end then.
const struct term **known_paths_strengthen(struct refuter *refuter, const struct graph *graph);

#endif
