#ifndef REGATTA_LANGUAGES_PROGRAMS_PRINTING_H
#define REGATTA_LANGUAGES_PROGRAMS_PRINTING_H

#include <stdbool.h>
#include <stdint.h>

#include "languages/programs/program.h"

// What the functions of <stdio.h> that print read, and how much they write.

struct conversion {
    char letter; // of what is behind the `%`; `%` itself has no argument
    char size;   // h, H (hh), l, L (ll, j), z (t); 'D': long double; 0
    bool alternate, plus, space, left, zero;
    bool width_given, precision_given; // as arguments (`*`), before the one that is printed
    int width, precision;              // precision -1: none
};

// Bytes of a format that is read, with its end; of longer ones nothing is said.
#define PRINTING_FORMAT_MOST 1024

// The conversion behind a `%`; returns what follows, NULL when it is none.
const char *conversion_read(const char *at, struct conversion *out);
// How many characters an integer becomes, its width apart; `bits` those of its type once the size is minded.
uint32_t conversion_bits(const struct conversion *c, uint32_t pointer_bits);
int64_t conversion_length(const struct conversion *c, uint64_t value, uint32_t bits);

// Which operands (the first argument is 1) of a call are read as the format, and as a string; 0: none. False when it is no
// such function.
bool printing_reads(const char *name, uint32_t *format, uint32_t *string);

// A string that is a constant of the program, from an operand's offset on; NULL when it is none, or has no end.
const char *printing_constant(const struct program *program, const struct operand *o, char *text,
                              uint64_t most);

#endif
