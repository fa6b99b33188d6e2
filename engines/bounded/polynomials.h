#ifndef REGATTA_ENGINES_BOUNDED_POLYNOMIALS_H
#define REGATTA_ENGINES_BOUNDED_POLYNOMIALS_H

#include "engines/bounded/candidates.h"

// Equations between polynomials of words, modulo 2^width, that hold at each location, such as x = n * n * n, or z + x * y = a * b, where the
// model multiplies. All that hold in states that random walks meet are found by linear algebra, with each product of
// words as a number of its own (Sharma et al. 2013); those are kept that are inductive together, path by path, which is asked of
// polynomials first and of the solver where these do not tell (logic/smt/products.h).
//
// known: inductive facts per location, which are used and are part of the result, or NULL. The formulas that show that no error can
// be reached: per location, over plain variables (error: false); memory_free. NULL: they do not, the model does not multiply, there
// are too many paths, or the attempt has to end.
const struct term **polynomials_prove(struct monolith *monolith, const struct term *const *known);
// The same with these facts instead of equations: as told, over plain variables.
const struct term **polynomials_settle(struct monolith *monolith, const struct located_facts *facts,
                                       const struct term *const *known);
// Equations that hold of all states that were met, also between words and those of fewer bits, linear ones, and where the model multiplies
// quadratic ones: guesses, appended to the facts; none is shown.
void polynomials_guess(struct monolith *monolith, struct located_facts *facts);

#endif
