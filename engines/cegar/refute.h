#ifndef REGATTA_ENGINES_CEGAR_REFUTE_H
#define REGATTA_ENGINES_CEGAR_REFUTE_H

#include "engines/cegar/path.h"

// Refutations of infeasible paths (cegar.md 8): for each node an element that tells what has to be known
// there, and the first node where it says something.

enum refutation_way {
    WAY_NONE,
    WAY_CORE,    // variables of an unsat core
    WAY_FARKAS,
    WAY_WEAKEST,
    WAY_SPACER,
};

struct refutation {
    enum refutation_way way;
    size_t node_count;
    const struct term **interpolant;   // per node, over plain variables; NULL = nothing said
    struct term_vector *variables;     // per node (WAY_CORE)
    size_t prune;                      // lowest node where something is said; node_count - 1 if none
};

enum refute_result { REFUTE_SPURIOUS, REFUTE_FEASIBLE, REFUTE_FAILED, REFUTE_STOPPED };

// states[k]: the abstract state at node k as a formula over plain variables (used by the binary
// strategies). On FEASIBLE, *trace is the concrete run (caller owns). On SPURIOUS, *out is filled:
// release with refutation_finish. FAILED: no refutation or no trace could be found; workspace->why
// tells.
enum refute_result refute(struct workspace *workspace, const struct edge *const *edges,
                          size_t edge_count, const struct term *const *states,
                          struct refutation *out, struct trace **trace);
void refutation_finish(struct refutation *refutation);

#endif
