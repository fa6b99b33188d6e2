#ifndef REGATTA_ENGINES_PDR_LIFT_H
#define REGATTA_ENGINES_PDR_LIFT_H

#include "engines/monolithic/monolith.h"

// From one state that can take an edge into a set to many.

// What must hold before the edge, over plain variables, so that it can be taken as the solver's model takes
// it (its branches, its havocked values) into `post`: a sufficient condition. NULL when the solver could
// not tell some value. Template copies.
const struct term *lift_condition(struct monolith *monolith, struct smt *smt,
                                  const struct edge *edge, const struct term *post);

// The variables whose values in the solver's model alone make the condition true: appended to `out`, with their
// values in `values` (literals). False when the solver could not tell some value.
bool lift_justify(struct monolith *monolith, struct smt *smt, const struct term *condition,
                  struct term_vector *out, struct term_vector *values);

#endif
