#ifndef REGATTA_ENGINES_CEGAR_REFUTE_H
#define REGATTA_ENGINES_CEGAR_REFUTE_H

#include "engines/cegar/path.h"
#include "engines/domains/explicit_post.h"

// Refutations of infeasible paths (docs/definitions/cegar.md 8): for each node an element that tells what has to be known
// there, and the first node where it says something.

// How a refutation was found. W(constant, name)
#define REFUTATION_WAYS(W)                                                                         \
    W(WAY_CORE, "core")           /* variables of an unsat core */                                 \
    W(WAY_FARKAS, "farkas")       /* interpolants by Farkas' lemma */                              \
    W(WAY_WEAKEST, "weakest")     /* weakest preconditions */                                      \
    W(WAY_STRONGEST, "strongest") /* strongest postconditions */                                   \
    W(WAY_CONFLICT, "conflict")   /* cores of post and precondition */                             \
    W(WAY_SPACER, "spacer")       /* interpolants by Horn clauses */

enum refutation_way {
#define W(constant, name) constant,
    REFUTATION_WAYS(W)
#undef W
        WAY_COUNT
};

struct refutation {
    enum refutation_way way;
    size_t node_count;
    const struct term **interpolant; // per node, over plain variables; NULL = nothing said
    struct term_vector *variables;   // per node (WAY_CORE)
    size_t prune;                    // lowest node where something is said; node_count - 1 if none
};

// Serves one attempt; keeps a solver from path to path, and counts.
struct refuter {
    struct workspace *workspace;
    struct feasibility feasibility;
    struct explicit_post *post; // for concrete_run
    const struct term *const *
        states; // its nodes' states, where the caller has them and runs through others need not be looked for
    uint64_t found[WAY_COUNT]; // refutations by way
    uint64_t fallbacks;        // those not found by the first way of the strategy
};

enum refute_result { REFUTE_SPURIOUS, REFUTE_FEASIBLE, REFUTE_FAILED, REFUTE_STOPPED };

void refuter_init(struct refuter *refuter, struct workspace *workspace);
void refuter_finish(struct refuter *refuter);
// "refinements by farkas 3, weakest 1 (1 by fallback)": cut to the size.
void refuter_describe(const struct refuter *refuter, char *out, size_t size);

// Is the path infeasible (SPURIOUS)? On FEASIBLE, *trace is the concrete run (caller owns). FAILED: it
// could not be decided, or no trace could be read; workspace->why tells.
enum refute_result refute_check(struct refuter *refuter, const struct edge *const *edges,
                                size_t edge_count, struct trace **trace);
// Refutes a path that refute_check found infeasible. states[k]: the abstract state at node k as a
// formula over plain variables (used by the binary strategies). On SPURIOUS, *out is filled: release
// with refutation_finish. FAILED: no refutation could be found; workspace->why tells.
enum refute_result refute(struct refuter *refuter, const struct edge *const *edges,
                          size_t edge_count, const struct term *const *states,
                          struct refutation *out);
void refutation_finish(struct refutation *refutation);

#endif
