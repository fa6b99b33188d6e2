#ifndef REGATTA_ENGINES_DOMAINS_VARIABLE_BITS_H
#define REGATTA_ENGINES_DOMAINS_VARIABLE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sets of a model's variables: one bit a variable, 64 to a word, bits above the last variable zero.

typedef uint64_t variable_bits;

static inline size_t variable_bits_words(uint32_t variable_count)
{
    return variable_count / 64 + 1;
}
static inline bool variable_bits_get(const variable_bits *bits, uint32_t variable)
{
    return bits[variable / 64] >> (variable % 64) & 1;
}
static inline void variable_bits_set(variable_bits *bits, uint32_t variable)
{
    bits[variable / 64] |= (uint64_t)1 << (variable % 64);
}
static inline void variable_bits_clear(variable_bits *bits, uint32_t variable)
{
    bits[variable / 64] &= ~((uint64_t)1 << (variable % 64));
}
static inline bool variable_bits_meet(const variable_bits *a, const variable_bits *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] & b[w])
            return true;
    return false;
}
static inline bool variable_bits_within(const variable_bits *small, const variable_bits *large,
                                        size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (small[w] & ~large[w])
            return false;
    return true;
}

#endif
