#ifndef REGATTA_LOGIC_SMT_REMAINDER_H
#define REGATTA_LOGIC_SMT_REMAINDER_H

#include "logic/terms/term.h"

// The term without TERM_REM, which SMT-LIB does not have: it is `mod` with the sign of the divisor, and by
// zero an element of an array of its own, so that it does not depend on what `mod` is there.
const struct term *smt_without_rem(struct term_store *store, const struct term *term);

#endif
