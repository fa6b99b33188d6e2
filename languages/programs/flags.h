#ifndef REGATTA_LANGUAGES_PROGRAMS_FLAGS_H
#define REGATTA_LANGUAGES_PROGRAMS_FLAGS_H

#include "languages/programs/flat.h"

// _Bool in memory is a byte. What was never written may be neither 0 nor 1, and C says nothing of such a _Bool;
// compilers disagree about it. This finds the loads whose byte is known to be one of the two.
//
// By value: true for a load that was preceded by a store of a _Bool on every path (a slot that is only loaded and
// stored), or is of a global that only ever holds _Bools. The caller frees it.
bool *flags_find(const struct flat *flat);
// No _Bool of memory is looked at as a number: they decide where to go on, and are copied. Then one that is neither 0 nor 1 does
// what one of the two does, whatever a compiler makes of it.
bool flags_only_decide(const struct flat *flat);

#endif
