#ifndef REGATTA_ENGINES_BOUNDED_QUOTIENTS_H
#define REGATTA_ENGINES_BOUNDED_QUOTIENTS_H

#include "logic/terms/term.h"

// What holds of any quotient and remainder of bit-vectors, for those in the formula: a solver of bits does not see
// that a remainder is less than what was divided by, which is what makes many a loop end. True under every assignment.
const struct term *quotients_facts(struct term_store *store, const struct term *formula);

#endif
