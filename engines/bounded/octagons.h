#ifndef REGATTA_ENGINES_BOUNDED_OCTAGONS_H
#define REGATTA_ENGINES_BOUNDED_OCTAGONS_H

#include "engines/bounded/candidates.h"

// Bounds of bit-vectors, and of sums and differences of two that occur together, that hold at each location: i - j <= 5,
// low + high <= 2 * n. Found without a solver, by abstract interpretation (octagon.h, octagon_words.h): widening goes
// from one number that the model has to the next one, then some rounds of narrowing. Words are exact: a sum that may wrap has
// no bounds but those of its width. What is found is inductive, and shown to be so like everything that is guessed.

// Appended to the facts. True: none of these states can go to the error, as far as this tells. Polls the stop flag.
bool octagons_find(struct monolith *monolith, struct located_facts *facts);

// What of it the solver can show, together with what is known to be inductive (per location; NULL: nothing): per location
// (error: false); memory_free. NULL: the attempt has to end, or the solver gave up. *proved: how many facts. *safe: no error can be
// reached from there.
const struct term **octagons_prove(struct monolith *monolith, const struct located_facts *facts,
                                   const struct term *const *known, size_t *proved, bool *safe);

#endif
