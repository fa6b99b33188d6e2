#ifndef REGATTA_ENGINES_HORN_INTEGERS_H
#define REGATTA_ENGINES_HORN_INTEGERS_H

#include "logic/smt/smt.h"

// Horn clauses over bit-vectors as Horn clauses over integers. A bit-vector becomes the integer that it stands for, signed
// or unsigned, whichever more of its uses want. An interpretation goes back to the bits: atoms as arithmetic wide enough to
// be exact, or equations as they are, modulo. Nobody needs to believe any of it: what goes back is checked on the bits.

enum integers_wrap {
    INTEGERS_UNBOUNDED, // nothing wraps around, numbers have no ranges: what holds of sums then often holds modulo, too
    INTEGERS_WRAP_IS_ERROR, // to wrap around leads to the query: the same runs, when that cannot be derived
    INTEGERS_WRAP,          // exact
};

struct integers;

// NULL: arrays, or operations that have no such form. Terms are made in `store`.
struct integers *integers_create(struct term_store *store, const struct smt_horn *problem,
                                 enum integers_wrap wrap);
void integers_destroy(struct integers *integers); // NULL is fine
// Predicates as before; without an observer.
struct smt_horn integers_problem(const struct integers *integers);
// A formula over integer parameters as one over the bit-vectors; NULL when it has no such form.
const struct term *integers_to_bits(struct integers *integers, const struct term *formula);

#endif
