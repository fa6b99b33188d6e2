#ifndef REGATTA_LANGUAGES_PROGRAMS_UNROLL_H
#define REGATTA_LANGUAGES_PROGRAMS_UNROLL_H

#include "languages/programs/flat.h"

// Loops that go round a known number of times become that many copies of their bodies. The program is followed once in order, with what is
// known of memory at each place (values that were stored at known addresses and not overwritten since, joined where paths meet): a loop whose
// end that decides is copied round by round; one that it does not decide stays a loop, inside which only what it does not write is
// known. Each round has numbers of its own for values and copies of functions, so blocks of memory allocated in different rounds
// are different objects. Loads whose value is known are replaced by it (`alias`).
//
// Where that leaves loops, and values that have few cases outside of loops (`n` behind `if (n < 1 || n > 3) return 0;`) decide when they end, the
// rest of the program is copied for each case, with the value known in it. It counts if no loop is left then. (unroll_ranges.c)
//
// keeps_long: loops that go round many times stay if what they do there is open: they branch on what is not known, or store it. Without,
// `long_copies` says that such loops were copied, or cases. To copy them shows errors in late rounds; to keep them leaves loops for which there are invariants.
//
// Between straightening and simplifying (flat.c): blocks without instructions are unreachable. False, with nothing changed but that
// blocks may have become two, when there are loops and none is unrolled.
bool flat_unroll(struct flat *flat, bool keeps_long);

#endif
