#ifndef REGATTA_ENGINES_BOUNDED_AFFINE_BITS_H
#define REGATTA_ENGINES_BOUNDED_AFFINE_BITS_H

#include "engines/bounded/candidates.h"

// Linear equations between bit-vectors of one width, modulo 2^width, that hold at each location, such as 4 * i + base = p.
// Found without a solver (Müller-Olm, Seidl 2007), from assignments and from what is assumed, as far as that is an equation of sums; a
// term that is no sum counts for any value. The equations of all locations together are inductive.
// facts: of orders between variables and literals at a location that make two equal is made use of, so that the equations hold
// together with them only; NULL: nothing.
//
// One formula per location, over plain variables (error, and where no run gets: false), true for a width that would be
// too much work; NULL when there are no bit-vectors; memory_free. Polls the stop flag between passes.
const struct term **affine_bits_prove(struct monolith *monolith, const struct located_facts *facts);

#endif
