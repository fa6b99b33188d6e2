#ifndef REGATTA_LOGIC_SMT_QUOTIENTS_H
#define REGATTA_LOGIC_SMT_QUOTIENTS_H

#include "logic/terms/term.h"

// What holds of any quotient and remainder of bit-vectors, for those in the formula: a solver of bits does not see
// that a remainder is less than what was divided by, which is what makes many a loop end. True under every assignment.
const struct term *quotients_facts(struct term_store *store, const struct term *formula);
// The formula, where each quotient or remainder by what is no literal is any number of which the above holds: weaker, and without
// divisions of one number by another.
const struct term *quotients_forget(struct term_store *store, const struct term *formula);

#endif
