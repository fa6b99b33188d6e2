#ifndef REGATTA_ENGINES_CEGAR_LADDER_H
#define REGATTA_ENGINES_CEGAR_LADDER_H

#include "engines/cegar/abstraction.h"
#include "engines/cegar/refute.h"

// Ladders of ways to interpolate a path: no way fits all theories (Debian's Z3 does not interpolate),
// so a refinement strategy is a list of ways, and the first one that works is used.

struct rung {
    enum refutation_way way;
    enum abstraction abstraction; // WAY_WEAKEST, WAY_STRONGEST, WAY_CONFLICT
    bool live;                    // keep only variables that connect the two sides of a node
};

// Fills interpolant[first … last - 1] for the infeasible steps first … last, path->core being theirs:
// `before` (at the steps' start) and the steps up to k imply interpolant k, which with the steps after
// k contradicts `after`. NULL stands for "says nothing". Sets r->way. Answers the index of the rung
// that worked, or -1 (the workspace's reason tells why, when the attempt has to end).
int ladder_climb(const struct rung *rungs, size_t rung_count, struct path *path, size_t first,
                 size_t last, const struct term *before, const struct term *after,
                 struct refutation *r);

#endif
