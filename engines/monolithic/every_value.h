#ifndef REGATTA_ENGINES_MONOLITHIC_EVERY_VALUE_H
#define REGATTA_ENGINES_MONOLITHIC_EVERY_VALUE_H

#include "engines/monolithic/monolith.h"

// "For every value of the variable": what a formula must be before a havoc, without the quantifier. Small parts are given
// to quantifier elimination. Of others, and where that fails, the solver is asked for values for which they may fail, until a few
// values say it for all (often none: the part is valid).

// What one may do for all variables of an invariant together.
struct every_value {
    struct monolith *m;
    uint64_t questions; // to the solver: so many are left
    size_t most_bytes;  // of the store of terms
};

// bytes: so much may be added to the store.
struct every_value every_value_begin(struct monolith *m, size_t bytes);
// There is no more memory for it, or the attempt is asked to stop.
bool every_value_is_over(const struct every_value *e);
// An equivalent of "formula for every value of variable" in the monolith's store; NULL when none was to be had within
// those bounds.
const struct term *every_value(struct every_value *e, const struct term *variable,
                               const struct term *formula);

#endif
