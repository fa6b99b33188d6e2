#ifndef REGATTA_BASE_ODD_H
#define REGATTA_BASE_ODD_H

#include <assert.h>
#include <stdint.h>

// Arithmetic of words, modulo powers of two.

// The numbers of so many bits, 1 to 64: the largest one.
static inline uint64_t ones_of(uint32_t width)
{
    assert(width >= 1 && width <= 64);
    return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

// The inverse of an odd number, modulo 2^64 (Newton: each round doubles the bits that are right, 3 at first).
static inline uint64_t odd_inverse(uint64_t odd)
{
    assert(odd & 1);
    uint64_t found = odd;
    for (int i = 0; i < 5; i++)
        found *= 2 - odd * found;
    assert(odd * found == 1);
    return found;
}

#endif
