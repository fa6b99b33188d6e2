#ifndef REGATTA_LOGIC_TERMS_LINEAR_H
#define REGATTA_LOGIC_TERMS_LINEAR_H

#include "logic/terms/store.h"

// Sums as constant + Σ coefficient * base, on the store's monomial stack. For this folder only.
// Use: open, add any number of terms, normalise, read or scale, close. Properly nested.

struct linear {
    const struct sort *sort;
    struct value constant;
    size_t begin; // monomials from here to the top of the stack
};

struct linear linear_open(struct term_store *store, const struct sort *sort);
// Adds coefficient * term.
void linear_add(struct term_store *store, struct linear *sum, const struct term *term,
                struct value coefficient);
// Sorts by base, joins equal bases, drops zeros.
void linear_normalise(struct term_store *store, struct linear *sum);
void linear_scale(struct term_store *store, struct linear *sum, struct value factor);
// The sum of the monomials without the constant, and with it. Normalised before.
const struct term *linear_monomials(struct term_store *store, const struct linear *sum);
const struct term *linear_term(struct term_store *store, const struct linear *sum);
// A sum as content * the result, where the result has coprime integers as coefficients, the first of
// them positive.
const struct term *linear_primitive_part(struct term_store *store, const struct term *sum,
                                         struct value *content);
void linear_close(struct term_store *store, struct linear *sum);

#endif
