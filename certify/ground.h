#ifndef REGATTA_CERTIFY_GROUND_H
#define REGATTA_CERTIFY_GROUND_H

#include "logic/terms/term.h"

#define GROUND_ROUNDS 2 // so many are worth it

// A formula without quantifiers and arrays that can be satisfied wherever the given one can: what holds for all is put for the keys that
// occur in the formula, and in further rounds for those that occur in what came of that, what holds for some for a new variable, arrays are told by what is read of them
// (logic/smt/array_reads.h), and products of words, if there are few, by variables (logic/smt/product_words.h). Solvers decide it quickly where they are lost in the formula itself. NULL: it is not of this kind, or too large.
const struct term *ground_question(struct term_store *store, const struct term *formula,
                                   unsigned rounds);

#endif
