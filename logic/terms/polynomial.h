#ifndef REGATTA_LOGIC_TERMS_POLYNOMIAL_H
#define REGATTA_LOGIC_TERMS_POLYNOMIAL_H

#include "base/vector.h"
#include "logic/terms/term.h"

// Sums of products of bit-vectors, modulo 2^width: what additions, multiplications, negations, complements and shifts to the left by a
// number make of other terms, multiplied out. Two terms with the same polynomial are equal under every assignment.

#define POLYNOMIAL_DEGREE 8

// factor * part * part * …; a number alone has no parts.
struct monomial_of_words {
    uint64_t factor; // not 0
    uint32_t degree; // of the parts, in order of their ids, some of them more than once
    const struct term *part[POLYNOMIAL_DEGREE];
};

// Monomials of different parts, in an order of its own (by degree, then by ids).
struct polynomial {
    uint32_t width;                 // 1 to 64
    struct monomial_of_words *data; // a VECTOR
    size_t count, capacity;
};

// What one operation of polynomials is.
bool polynomial_is_operation(const struct term *term);
// The lowest `width` bits of a term of at least so many. False: it has too many monomials, or of too high a degree. polynomial_finish in any case.
bool polynomial_of(struct term_store *store, const struct term *term, uint32_t width,
                   struct polynomial *out);
// a - b.
bool polynomial_of_difference(struct term_store *store, const struct term *a, const struct term *b,
                              struct polynomial *out);
void polynomial_finish(struct polynomial *polynomial);
// Times a factor.
void polynomial_scale(struct polynomial *polynomial, uint64_t factor);
// By a divisor above 0, as numbers with sign. False: some factor is no multiple, nothing is done.
bool polynomial_divide(struct polynomial *polynomial, uint64_t divisor);

// One term for each polynomial. It is only built of additions and multiplications.
const struct term *polynomial_term(struct term_store *store, const struct polynomial *polynomial);
// That it is 0: with an odd factor first that is one, and with small factors on both sides.
const struct term *polynomial_is_zero(struct term_store *store, struct polynomial *polynomial);

#endif
