#ifndef REGATTA_LOGIC_TERMS_NUMBER_H
#define REGATTA_LOGIC_TERMS_NUMBER_H

#include "logic/terms/term.h"

// Exact arithmetic on known values of sort int or rat. Small integers take no memory; other results
// are interned in the store. For the files of this folder only.

struct value number_int(struct term_store *store, int64_t n);
struct value number_add(struct term_store *store, const struct sort *sort, struct value a,
                        struct value b);
struct value number_mul(struct term_store *store, const struct sort *sort, struct value a,
                        struct value b);
struct value number_neg(struct term_store *store, const struct sort *sort, struct value a);
struct value number_one(struct term_store *store, const struct sort *sort);
struct value number_zero(struct term_store *store, const struct sort *sort);
int number_sign(const struct sort *sort, struct value a);
int number_compare(const struct sort *sort, struct value a, struct value b);

// Integers. Division as in docs/definitions/formats.md 1.3 (Euclid, Boute 1992); b is not zero.
struct value number_int_div(struct term_store *store, struct value a, struct value b);
struct value number_int_mod(struct term_store *store, struct value a, struct value b);
struct value number_int_rem(struct term_store *store, struct value a, struct value b);
struct value number_int_gcd(struct term_store *store, struct value a, struct value b);

// Rationals.
struct value number_rat_of_int(struct term_store *store, struct value a);
struct value number_rat_div(struct term_store *store, struct value a, struct value b); // b not zero
struct value number_rat_numerator(struct term_store *store, struct value a);           // an integer
struct value number_rat_denominator(struct term_store *store, struct value a);         // > 0

#endif
