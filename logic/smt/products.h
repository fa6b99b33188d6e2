#ifndef REGATTA_LOGIC_SMT_PRODUCTS_H
#define REGATTA_LOGIC_SMT_PRODUCTS_H

#include "logic/terms/term.h"

// Questions about products of words, which solvers of bits are lost in: equations of polynomials (logic/terms/polynomial.h).

// The product of two terms that are no numbers, of words of at least 8 bits, is in it; not of two that were extended from 8 bits.
bool products_occur(struct term_store *store, const struct term *formula);
// The term itself is one, or an extended word times a number of many digits.
bool products_is_one(const struct term *term);

// A formula that can be satisfied wherever the given one can, without products of words: sums are multiplied out, a variable that an
// equation says is put everywhere, a word that is divided by a number or shifted to the right is told by its quotient and remainder,
// some of the choices are made one by one; then each product that is left is a variable. Where equations of polynomials are all there is to know the outcome is
// false, without a solver. *work: how many nodes of terms may be looked at, of which what was needed is taken. NULL: there are no products, there are
// quantifiers, or it is too much work.
const struct term *products_question(struct term_store *store, const struct term *formula,
                                     int64_t *work);

#define PRODUCTS_WORK 300000 // enough for one question, as a rule

#endif
