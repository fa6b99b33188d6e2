#ifndef REGATTA_ENGINES_BOUNDED_QUESTIONS_H
#define REGATTA_ENGINES_BOUNDED_QUESTIONS_H

#include "engines/monolithic/monolith.h"

// Formulas that will be asked of a solver, for whom "unsatisfiable" matters. Where the model has arrays and what is read of
// them is all there is to know, of finitely many values, they are told without arrays (array_reads.h) and a SAT solver
// is taken, which gets products of words as variables, too, and gives up sooner then (product_words.h); else they stay and the configuration's solver is taken. The first `whole` of them are asserted by themselves, the others together with
// some of these. NULL: there is no solver, and the attempt ends.
struct smt_context *questions_solver(struct monolith *monolith, const struct term **const *formulas,
                                     size_t count, size_t whole);

#endif
