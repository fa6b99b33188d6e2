#ifndef REGATTA_LANGUAGES_PROGRAMS_X87_H
#define REGATTA_LANGUAGES_PROGRAMS_X87_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "languages/programs/program.h"

// `long double` of x86: 80 bits, of which the significand's first is written out. Only a machine that has it computes with
// it here; the terms (logic/terms/float_terms.h) need none.

#define X87_BITS 80
#define X87_HERE (LDBL_MANT_DIG == 64)

static inline long double x87_number(program_word bits)
{
    long double out = 0;
    memcpy(&out, &bits, X87_HERE ? X87_BITS / 8 : 0);
    return out;
}

static inline program_word x87_bits(long double number)
{
    program_word bits = 0;
    memcpy(&bits, &number, X87_HERE ? X87_BITS / 8 : 0);
    return bits;
}

#endif
