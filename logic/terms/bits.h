#ifndef REGATTA_LOGIC_TERMS_BITS_H
#define REGATTA_LOGIC_TERMS_BITS_H

#include "logic/terms/term.h"

// Exact operations on known bit-vectors of any width, in the semantics of SMT-LIB 2.6
// (FixedSizeBitVectors and QF_BV), including division by zero. Up to 60 bits they take no memory.
// For the files of this folder only.

struct value bits_unary(struct term_store *store, enum term_kind kind, uint32_t width,
                        struct value a);
// TERM_BV_AND … TERM_BV_ROR: a bit-vector of that width.
struct value bits_binary(struct term_store *store, enum term_kind kind, uint32_t width,
                         struct value a, struct value b);
// TERM_BV_ULT … TERM_BV_SLE; width is that of both sides.
bool bits_holds(enum term_kind kind, uint32_t width, struct value a, struct value b);
struct value bits_concat(struct term_store *store, uint32_t high_width, struct value high,
                         uint32_t low_width, struct value low);
struct value bits_extract(struct term_store *store, struct value a, uint32_t high, uint32_t low);
struct value bits_extend(struct term_store *store, enum term_kind kind, uint32_t old_width,
                         struct value a, uint32_t width);
int bits_compare(struct value a, struct value b); // unsigned
struct value bits_ones(struct term_store *store, uint32_t width);
bool bits_is_ones(uint32_t width, struct value a);

#endif
