#ifndef REGATTA_LANGUAGES_PROGRAMS_FLOAT_TERMS_H
#define REGATTA_LANGUAGES_PROGRAMS_FLOAT_TERMS_H

#include "logic/terms/store.h"
#include "logic/terms/term.h"

// Arithmetic of IEEE 754 as terms over bit-vectors: a float is its 32 or 64 bits, or the 80 of x87, results are rounded to the nearest, ties
// to even. Exact, so engines, certificates and traces need nothing further. What is not a number is quieted and passed
// on, the first operand's before the second's; an invalid operation gives the one that x86's SSE gives; with 80 bits the
// larger significand is passed on, and what is no encoding counts as not a number, as on x87.

enum float_operation { FLOAT_ADD, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV };

// Is this a width that the functions below take (32, 64, 80)?
bool float_width_known(uint32_t bits);

const struct term *float_binary(struct term_store *store, enum float_operation operation,
                                const struct term *a, const struct term *b);
const struct term *float_negate(struct term_store *store, const struct term *a);
const struct term *float_absolute(struct term_store *store, const struct term *a);
const struct term *float_copy_sign(struct term_store *store, const struct term *a,
                                   const struct term *sign);
// LLVM's predicates: 1 equal, 2 greater, 4 less, 8 unordered, or-ed together. A Boolean.
const struct term *float_compare(struct term_store *store, uint64_t predicate, const struct term *a,
                                 const struct term *b);
// LLVM's classes (llvm.is.fpclass), or-ed together. A Boolean.
const struct term *float_is_class(struct term_store *store, uint64_t classes, const struct term *a);
// To another width.
const struct term *float_resize(struct term_store *store, const struct term *a, uint32_t bits);
// From an integer.
const struct term *float_from_integer(struct term_store *store, const struct term *a, bool sign,
                                      uint32_t bits);
// To an integer, towards zero. *fits: the integer's type has the result.
const struct term *float_to_integer(struct term_store *store, const struct term *a, bool sign,
                                    uint32_t bits, const struct term **fits);

#endif
