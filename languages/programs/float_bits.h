#ifndef REGATTA_LANGUAGES_PROGRAMS_FLOAT_BITS_H
#define REGATTA_LANGUAGES_PROGRAMS_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

// `float` and `double` of this machine and their bits, the lowest of a word; half.h and x87.h have the other formats.

static inline double double_of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline float float_of_bits(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float f;
    memcpy(&f, &narrow, sizeof f);
    return f;
}

static inline uint64_t bits_of_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static inline uint64_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#endif
