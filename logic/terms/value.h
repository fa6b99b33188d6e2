#ifndef REGATTA_LOGIC_TERMS_VALUE_H
#define REGATTA_LOGIC_TERMS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "logic/terms/sort.h"

// A concrete value, or "unknown", in one machine word.
//
// Small values (booleans, enumeration literals, integers of |n| < 2^61, bit-vectors of up to 60
// bits as unsigned numbers) are held in the word itself: lowest bit 1, the number above it.
// All others point to the interned literal term of a term store. The form is canonical: two values
// of one sort that come from the same store (or a store and its parent) are equal exactly when their
// words are. A value carries no sort; whoever holds it knows the sort.

struct term;

struct value {
    uint64_t bits; // 0 = unknown
};

#define VALUE_UNKNOWN ((struct value){0})
#define VALUE_SMALL_MAX (((int64_t)1 << 61) - 1)
#define VALUE_SMALL_MIN (-(((int64_t)1 << 61) - 1))
#define VALUE_BV_SMALL_WIDTH 60

static inline bool value_known(struct value v)
{
    return v.bits != 0;
}
static inline bool value_equal(struct value a, struct value b)
{
    return a.bits == b.bits;
}
static inline bool value_is_small(struct value v)
{
    return (v.bits & 1) != 0;
}
static inline struct value value_small(int64_t n)
{
    return (struct value){((uint64_t)n << 1) | 1};
}
static inline int64_t value_small_get(struct value v)
{
    return (int64_t)v.bits >> 1;
}
static inline struct value value_bool(bool b)
{
    return value_small(b);
}
static inline bool value_is_true(struct value v)
{
    return v.bits == 3;
}
static inline bool value_is_false(struct value v)
{
    return v.bits == 1;
}
static inline struct value value_pointer(const struct term *literal)
{
    return (struct value){(uint64_t)(uintptr_t)literal};
}
static inline const struct term *value_pointer_get(struct value v)
{
    return (const struct term *)(uintptr_t)v.bits;
}
// The same on every run and machine (a pointed-to literal contributes its structural hash).
uint64_t value_hash(struct value v);

#endif
