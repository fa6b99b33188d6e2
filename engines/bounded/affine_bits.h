#ifndef REGATTA_ENGINES_BOUNDED_AFFINE_BITS_H
#define REGATTA_ENGINES_BOUNDED_AFFINE_BITS_H

#include "engines/monolithic/monolith.h"

// Linear equations between bit-vectors of one width, modulo 2^width, that hold at each location, such as 4 * i + base = p.
// Found without a solver, from assignments alone: what is assumed counts for nothing, and a term that is no sum for any
// value (Müller-Olm, Seidl 2007). The equations of all locations together are inductive.
//
// One formula per location, over plain variables (error, and where no run gets: false), true for a width that would be
// too much work; NULL when there are no bit-vectors; memory_free. Polls the stop flag between passes.
const struct term **affine_bits_prove(struct monolith *monolith);

#endif
