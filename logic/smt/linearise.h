#ifndef REGATTA_LOGIC_SMT_LINEARISE_H
#define REGATTA_LOGIC_SMT_LINEARISE_H

#include "logic/terms/rewrite.h"

// Brings "exists variables: body" into the shape that elimination can be trusted with: Booleans, linear
// atoms, and divisibility as `(t mod k) = r`.
//
//  - t div k, t mod k, t rem k with a bound variable in t and a literal k: a new bound variable q with
//    |k| q <= t < |k| q + |k|, which exists for every t and is unique.
//  - a bound `if c then a else b`: a new bound variable v with (c and v = a) or (not c and v = b).
//  - subterms of other kinds without bound variables (reads of arrays, products, bit-vector atoms, …):
//    a new free variable, put back into the result.
//
// The new variables have names that no input has.

struct linearised {
    struct term_vector bound;  // the old and the new ones
    struct term_vector names;  // new free variables …
    struct term_vector values; // … and what they stand for
    const struct term *body;
};

// False when a bound variable is used in another way. Finish it in both cases. *fresh numbers the new
// variables.
bool linearise(struct term_store *store, uint32_t *fresh, const struct term *const *variables,
               size_t count, const struct term *body, struct linearised *out);
const struct term *linearised_restore(struct term_store *store, const struct linearised *from,
                                      const struct term *result);
void linearised_finish(struct linearised *linearised);

#endif
