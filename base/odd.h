#ifndef REGATTA_BASE_ODD_H
#define REGATTA_BASE_ODD_H

#include <assert.h>
#include <stdint.h>

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
