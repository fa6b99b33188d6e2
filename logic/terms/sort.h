#ifndef REGATTA_LOGIC_TERMS_SORT_H
#define REGATTA_LOGIC_TERMS_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

// Sorts of terms. Interned by their store: equal sorts are the same pointer.

enum sort_kind {
    SORT_BOOL,
    SORT_INT,   // all mathematical integers
    SORT_RAT,   // all fractions
    SORT_BV,    // bit-vectors of `width` bits, width >= 1
    SORT_ENUM,  // named literals, unordered
    SORT_ARRAY, // total maps from `key` to `element`
};

struct sort {
    enum sort_kind kind;
    uint32_t width;              // SORT_BV
    uint32_t id;                 // creation order in the store
    uint32_t literal_count;      // SORT_ENUM
    const char *name;            // SORT_ENUM: the type's name
    const char *const *literals; // SORT_ENUM: short names, in declaration order
    const struct sort *key;      // SORT_ARRAY
    const struct sort *element;  // SORT_ARRAY
    struct hash128 hash;         // structural
};

// Number of values if finite and at most `limit`; else 0.
uint64_t sort_value_count(const struct sort *sort, uint64_t limit);

#endif
