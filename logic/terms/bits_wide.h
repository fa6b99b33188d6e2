#ifndef REGATTA_LOGIC_TERMS_BITS_WIDE_H
#define REGATTA_LOGIC_TERMS_BITS_WIDE_H

#include "logic/terms/term.h"

// The slow half of bits.h: results or arguments wider than VALUE_BV_SMALL_WIDTH, by GMP.

struct value bits_wide_unary(struct term_store *store, enum term_kind kind, uint32_t width,
                             struct value a);
struct value bits_wide_binary(struct term_store *store, enum term_kind kind, uint32_t width,
                              struct value a, struct value b);
bool bits_wide_holds(enum term_kind kind, uint32_t width, struct value a, struct value b);
struct value bits_wide_concat(struct term_store *store, uint32_t high_width, struct value high,
                              uint32_t low_width, struct value low);
struct value bits_wide_extract(struct term_store *store, struct value a, uint32_t high,
                               uint32_t low);
struct value bits_wide_extend(struct term_store *store, enum term_kind kind, uint32_t old_width,
                              struct value a, uint32_t width);
bool bits_wide_is_ones(uint32_t width, struct value a);

#endif
