#ifndef REGATTA_LANGUAGES_PROGRAMS_HALF_H
#define REGATTA_LANGUAGES_PROGRAMS_HALF_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "languages/programs/float_bits.h"

// Floats of 16 bits (IEEE 754's binary16): a sign, five bits of an exponent, ten of a fraction. The interpreter computes with
// them as wider numbers, of which each is one.

#define HALF_BITS 16
#define HALF_INFINITE 0x7c00u

static inline long double half_number(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    long double size =
        exponent == 0 ? ldexpl(fraction, -24) : ldexpl(fraction + 1024, exponent - 25);
    if (exponent == 31) { // what is not a number keeps its bits
        size = double_of_bits((uint64_t)0x7ff << 52 | (uint64_t)fraction << 42);
    }
    return bits >> 15 ? -size : size;
}

// Rounded once, as the machine rounds now.
static inline uint16_t half_bits(long double number)
{
    const unsigned sign = signbit(number) ? 0x8000u : 0;
    if (isnan(number)) {
        uint64_t wide = bits_of_double((double)number);
        return (uint16_t)(sign | HALF_INFINITE | 0x200u | (wide >> 42 & 1023));
    }
    const int mode = fegetround(), exponent = number == 0 ? -15 : ilogbl(number);
    if (exponent > 15) { // too large: the largest in directions that do not lead away from 0
        bool stays =
            !isinf(number) && (mode == FE_TOWARDZERO || mode == (sign ? FE_UPWARD : FE_DOWNWARD));
        return (uint16_t)(sign | (HALF_INFINITE - stays));
    }
    // In units of the last bit, so that a carry goes into the exponent.
    const int least = exponent < -14 ? -14 : exponent;
    unsigned units = (unsigned)fabsl(rintl(ldexpl(number, 10 - least)));
    return (uint16_t)(sign | (units + (exponent < -14 ? 0 : (unsigned)(exponent + 14) << 10)));
}

#endif
