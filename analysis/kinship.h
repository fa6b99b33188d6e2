#ifndef REGATTA_ANALYSIS_KINSHIP_H
#define REGATTA_ANALYSIS_KINSHIP_H

#include "analysis/tune_facts.h"

// How alike tasks are, told by their names: what is made from one source or one generator is named alike. A name is cut
// where letters, digits and other characters meet; its features are the beginnings so cut, the words, and
// the words with the number behind them. Features count by their rarity (inverse document frequency,
// Spärck Jones 1972), and names are compared by the cosine of their features (Salton, Wong, Yang 1975).

//
// Or by the facts of their models (tune_facts.h), whatever they are called: logarithms of the facts, each in units of its
// standard deviation, and of two tasks exp(-d2 / SPREAD) where d2 is the mean square of the differences. A task of which
// nothing is known is akin to none.

struct kinship;

struct kinship *kinship_make(const struct tune_table *table);
struct kinship *kinship_make_by_facts(const struct tune_table *table,
                                      const struct tune_facts *facts);
void kinship_destroy(struct kinship *kinship);
// 0 = nothing in common, 1 = the same.
double kinship_of(const struct kinship *kinship, size_t a, size_t b);

#endif
