#ifndef REGATTA_ENGINES_CAPSULES_INTERNER_H
#define REGATTA_ENGINES_CAPSULES_INTERNER_H

#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

// Sequences of 32-bit words, each kept once: equal sequences are one number, 0, 1, 2, … in the order of coming.
struct interner {
    VECTOR(uint32_t) words;
    VECTOR(uint64_t) begin; // of each sequence in `words`; one more than there are sequences
    uint32_t *table;        // numbers + 1, open addressing
    uint32_t table_size;    // a power of two
    uint32_t count;
};

void interner_finish(struct interner *interner); // all zero is empty
// The number of the sequence; new ones are copied.
uint32_t interner_add(struct interner *interner, const uint32_t *words, size_t count);
static inline const uint32_t *interner_get(const struct interner *interner, uint32_t number,
                                           size_t *count)
{
    uint64_t from = interner->begin.data[number];
    *count = (size_t)(interner->begin.data[number + 1] - from);
    return interner->words.data + from; // until the next interner_add
}
size_t interner_bytes(const struct interner *interner);

#endif
