#ifndef REGATTA_ENGINES_CEGAR_FARKAS_DUAL_H
#define REGATTA_ENGINES_CEGAR_FARKAS_DUAL_H

#include "engines/cegar/linear_rows.h"
#include "logic/smt/smt.h"

// The dual side of Farkas' lemma (Schrijver 1986, section 7.8; with strict rows Motzkin's form):
// rows that have no rational solution can be summed up, equations times any number and inequations
// times a positive one, to 0 + constant <= 0 with constant > 0, or to 0 < 0.

// Finds such multipliers for the chosen rows, as integers. `out` has one initialised number for
// each member of `chosen`. The solver is used inside one level of its own. False when there are
// none or the solver gives up.
bool farkas_multipliers(struct rows *rows, const uint32_t *chosen, size_t count, struct smt *smt,
                        mpz_t *out);

// out[i], i < cuts: the sum of the chosen rows of the parts 0..i times their multipliers.
void farkas_partial_sums(struct rows *rows, const uint32_t *chosen, size_t count,
                         const mpz_t *multipliers, size_t cuts, const struct term **out);

#endif
