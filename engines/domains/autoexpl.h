#ifndef REGATTA_ENGINES_DOMAINS_AUTOEXPL_H
#define REGATTA_ENGINES_DOMAINS_AUTOEXPL_H

#include "engines/domains/explicit_part.h"

// Which variables of a product have values, and which predicates (docs/definitions/cegar.md 4, option autoexpl). Judged on
// each interpolant: one that invents atoms or constants unrolls a loop, and values are cheaper then. The
// other way round with VALUES ([Mondok20]): every variable begins with values and loses them when it has had
// too many different ones.

struct autoexpl;

// `values` counts for VALUES; it is borrowed.
struct autoexpl *autoexpl_create(struct workspace *workspace, struct explicit_part *values);
void autoexpl_destroy(struct autoexpl *autoexpl);
// The variables that have values now.
const variable_bits *autoexpl_explicit(const struct autoexpl *autoexpl);
// Looks at a new interpolant; true when the answer changed for some variable.
bool autoexpl_observe(struct autoexpl *autoexpl, const struct term *interpolant);

#endif
