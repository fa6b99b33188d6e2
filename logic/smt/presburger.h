#ifndef REGATTA_LOGIC_SMT_PRESBURGER_H
#define REGATTA_LOGIC_SMT_PRESBURGER_H

#include "logic/terms/rewrite.h"

// Elimination of one integer variable from linear integer arithmetic with divisibility (D. C. Cooper,
// "Theorem proving in arithmetic without multiplication", Machine Intelligence 7, 1972). Z3's own does
// not come back from coefficients other than one.

// A formula equivalent to "exists x: body" without x. Atoms with x are linear <=, <, =, or
// `(t mod k) = r` with literals k, r. NULL when they are not, when numbers get large, or when the
// result would take more than *nodes nodes; what it takes is subtracted from *nodes.
const struct term *presburger_exists(struct term_store *store, const struct term *x,
                                     const struct term *body, uint64_t *nodes);

#endif
