#ifndef REGATTA_LOGIC_TERMS_FLOAT_TERMS_H
#define REGATTA_LOGIC_TERMS_FLOAT_TERMS_H

#include "logic/terms/store.h"
#include "logic/terms/term.h"

// Arithmetic of IEEE 754 as terms over bit-vectors: a float is its bits, the sign first, then the exponent, then the fraction.
// Exact, so engines, certificates and traces need nothing further. What is not a number is quieted and passed on, the first
// operand's before the second's; an invalid operation gives the one that x86's SSE gives. Terms belong to the store.

enum float_operation { FLOAT_ADD, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV };

// The bits of the exponent, 2 to FLOAT_MAX_EXPONENT, and of the significand with the first one, which is not written: at least 2.
struct float_format {
    uint32_t exponent, significand;
};

// What a result that lies between two floats becomes.
enum float_rounding {
    FLOAT_NEAREST_EVEN, // of two that are as near the one with an even fraction
    FLOAT_NEAREST_AWAY, // of two the one with the larger magnitude
    FLOAT_UPWARDS,
    FLOAT_DOWNWARDS,
    FLOAT_TO_ZERO,
};

enum { FLOAT_MAX_EXPONENT = 30, FLOAT_REMAINDER_EXPONENT = 8 };

// Operands and results are of the format `f`.
const struct term *float_format_binary(struct term_store *store, struct float_format f,
                                       enum float_rounding mode, enum float_operation operation,
                                       const struct term *a, const struct term *b);
// a - b * n for the n nearest to a / b, of two the even one: always exact. Exponents of at most FLOAT_REMAINDER_EXPONENT
// bits: the term divides numbers of 2^exponent bits.
const struct term *float_format_remainder(struct term_store *store, struct float_format f,
                                          const struct term *a, const struct term *b);
const struct term *float_format_root(struct term_store *store, struct float_format f,
                                     enum float_rounding mode, const struct term *a);
// The nearest whole number in that direction.
const struct term *float_format_integral(struct term_store *store, struct float_format f,
                                         enum float_rounding mode, const struct term *a);
const struct term *float_format_convert(struct term_store *store, struct float_format from,
                                        struct float_format to, enum float_rounding mode,
                                        const struct term *a);
// From an integer, with a sign or without.
const struct term *float_format_from_integer(struct term_store *store, struct float_format f,
                                             enum float_rounding mode, const struct term *a,
                                             bool sign);
// To an integer; *fits: it has the result.
const struct term *float_format_to_integer(struct term_store *store, struct float_format f,
                                           enum float_rounding mode, const struct term *a,
                                           bool sign, uint32_t bits, const struct term **fits);
// A Boolean; predicates as in float_compare.
const struct term *float_format_compare(struct term_store *store, struct float_format f,
                                        uint64_t predicate, const struct term *a,
                                        const struct term *b);
const struct term *float_format_is_nan(struct term_store *store, struct float_format f,
                                       const struct term *a);

// The same by width, as programs have them: 16, 32 and 64 bits, and the 80 of x87. With 80
// bits the larger significand is passed on, and what is no encoding counts as not a number, as on x87.

// Is this a width that the functions below take (16, 32, 64, 80)?
bool float_width_known(uint32_t bits);

const struct term *float_binary(struct term_store *store, enum float_rounding mode,
                                enum float_operation operation, const struct term *a,
                                const struct term *b);
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
const struct term *float_resize(struct term_store *store, enum float_rounding mode,
                                const struct term *a, uint32_t bits);
// From an integer.
const struct term *float_from_integer(struct term_store *store, enum float_rounding mode,
                                      const struct term *a, bool sign, uint32_t bits);
// To an integer, towards zero. *fits: the integer's type has the result.
const struct term *float_to_integer(struct term_store *store, const struct term *a, bool sign,
                                    uint32_t bits, const struct term **fits);

#endif
