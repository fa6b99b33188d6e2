#ifndef REGATTA_LANGUAGES_PROGRAMS_REAL_H
#define REGATTA_LANGUAGES_PROGRAMS_REAL_H

#include <stdbool.h>
#include <stdint.h>

// Functions of <math.h> whose values are no floats: what this machine computes is near to them. A run that is followed has
// these numbers; proofs know of them that the value lies so near.

// How many floats a value may lie beside the one that is computed: more than the C library's manual admits.
#define REAL_UNITS 8

#define REAL_PREFIX "__regatta_real_"

// `name` as the functions of languages/c/library/library.c call it, __regatta_real_sin and so on; arguments and result as the
// bits of doubles. False when it is none, or not of so many arguments.
bool real_function(const char *name, const uint64_t *arguments, uint32_t count, uint64_t *result);
// The floats that are so many units below and above; false when a number in between is none, or infinite.
bool real_enclosure(uint64_t value, uint64_t *least, uint64_t *most);

// Has the C library of this machine a function of this name? What that does is not just anything. Where nothing can be asked, all are taken for its own.
bool real_library_has(const char *name);

#endif
