#ifndef REGATTA_ENGINES_CEGAR_CHAINS_H
#define REGATTA_ENGINES_CEGAR_CHAINS_H

#include "engines/cegar/abstraction.h"
#include "engines/cegar/path.h"

// Interpolants by pre- and postconditions (the Newton family: Dietsch, Heizmann, Musa, Nutz and Podelski
// 2017; [Hajdu20] 3.1; docs/definitions/cegar.md 8.2), over whole actions.
//
// All fill out[k - first], first <= k < last, for the infeasible steps first … last, path->core being
// theirs: formulas over plain variables without quantifiers, at most `size_limit` nodes each. `before`
// (at the start of the steps, may be NULL) and the steps up to k imply out[k - first], which with
// the steps after k contradicts `after` (may be NULL). False when a quantifier stays, a formula grows
// too large, or the attempt has to end; `out` is then useless.

struct chain {
    struct path *path;
    size_t first, last;
    const struct term *before, *after;
    enum abstraction abstraction;
    bool live; // project to the variables that connect both sides; not with ABSTRACT_ASSUMES
    uint32_t size_limit;
};

bool chain_weakest(const struct chain *chain, const struct term **out);
bool chain_strongest(const struct chain *chain, const struct term **out);
// "UCB": at each node the post of the element before it contradicts the precondition of the rest; the
// element is the negation of those conjuncts of the precondition that a core needs.
bool chain_conflict(const struct chain *chain, const struct term **out);

// The formulas of the steps of the chain, cut down to the statements to blame (all of them with
// ABSTRACT_NOTHING), with `before` and `after` conjoined at the ends. last - first + 1 of them; the
// caller frees the array.
const struct term **chain_parts(const struct chain *chain);
// The solver is asked for something simpler when the formula is large.
const struct term *chain_simplify(struct path *path, const struct term *formula);

#endif
