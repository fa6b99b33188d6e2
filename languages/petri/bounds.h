#ifndef REGATTA_LANGUAGES_PETRI_BOUNDS_H
#define REGATTA_LANGUAGES_PETRI_BOUNDS_H

#include <stdatomic.h>

#include "base/vector.h"
#include "languages/petri/formula.h"

// How many tokens a place can hold, as far as weights prove it that no transition makes heavier (flow.h): with weights
// y >= 0, no place p ever holds more than y * m0 / y(p).

#define BOUND_NONE (-1)

struct net_bounds {
    int64_t *most; // by place; BOUND_NONE: nothing was proved
    // What proves them, FORMULA_LINEAR; each alone is kept by every transition. With "no place holds less than nothing" they
    // imply the bounds.
    VECTOR(const struct formula *) facts;
    struct arena arena;
};

// A linear program a place, by lp_solve: of large nets nothing is proved. given_up, NULL or a flag, ends it with what there is.
void net_bounds_find(const struct net *net, const _Atomic bool *given_up, struct net_bounds *out);
void net_bounds_finish(struct net_bounds *bounds);

#endif
