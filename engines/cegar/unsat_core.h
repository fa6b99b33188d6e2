#ifndef REGATTA_ENGINES_CEGAR_UNSAT_CORE_H
#define REGATTA_ENGINES_CEGAR_UNSAT_CORE_H

#include "logic/smt/smt.h"

// Checks the solver's assertions with these assumptions (distinct Boolean variables or negations).
// SMT_UNSAT: appends to the empty vector `core` a contradicting subset, ordered by term id. If the
// solver's own core has at most `limit` members it is made minimal by deletion (Marques-Silva 2010,
// section 3): no member can be left out. SMT_SAT: the model is there to be asked.
// A member whose removal the solver cannot decide is kept. A core that cannot be had is
// SMT_UNKNOWN.
enum smt_result unsat_core_find(struct smt *smt, const struct term *const *assumptions,
                                size_t count, size_t limit, struct term_vector *core);

#endif
