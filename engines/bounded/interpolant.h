#ifndef REGATTA_ENGINES_BOUNDED_INTERPOLANT_H
#define REGATTA_ENGINES_BOUNDED_INTERPOLANT_H

#include "engines/bounded/cubes.h"

// Interpolants between a set of states and the runs that lead from there to the error, by ways tried in turn:
// no one fits all theories.

// W(constant, name)
#define INTERPOLANT_WAYS(W)                                                                        \
    W(INTERPOLANT_SPACER, "spacer")     /* Horn clauses */                                         \
    W(INTERPOLANT_FARKAS, "farkas")     /* Farkas' lemma, where there are numbers */               \
    W(INTERPOLANT_BACKWARD, "backward") /* weakest preconditions: no error within so many steps */ \
    W(INTERPOLANT_CUBES, "cubes")       /* generalised states, in an abstract view (cubes.h) */

enum interpolant_way {
#define W(constant, name) constant,
    INTERPOLANT_WAYS(W)
#undef W
        INTERPOLANT_WAY_COUNT
};

struct interpolants {
    struct monolith *monolith;
    bool numbers; // some variable is an integer or a rational
    uint64_t found[INTERPOLANT_WAY_COUNT];
    struct cubes cubes;
};

void interpolants_init(struct interpolants *interpolants, struct monolith *monolith);
void interpolants_finish(struct interpolants *interpolants);
// `before` and `after` contradict each other; what they share are the copies of state `state` (all placed,
// monolith.h). after: the error can be reached from that state in `depth` steps or fewer, counting the one by the
// error edge. The result is over current copies, without quantifiers; placed at the state it follows from `before`
// and contradicts `after`, both checked by the solver. NULL: no way worked, or the attempt has to end (the
// workspace's reason tells).
const struct term *interpolants_find(struct interpolants *interpolants, const struct term *before,
                                     const struct term *after, uint32_t state, uint32_t depth);
// "interpolants by farkas 3, spacer 1"
void interpolants_describe(const struct interpolants *interpolants, char *out, size_t size);

#endif
