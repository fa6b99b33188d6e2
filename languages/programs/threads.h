#ifndef REGATTA_LANGUAGES_PROGRAMS_THREADS_H
#define REGATTA_LANGUAGES_PROGRAMS_THREADS_H

#include "languages/programs/flat.h"

// Programs with threads, as programs without: where a block leads depends on where all threads are.

// Between straightening and simplifying (flat.c), copies of a program's functions have these marks. An OP_SWITCH with THREADS_FORK begins
// the first of its cases that has not begun, each the body of the thread of that number (main's is 0); a store with THREADS_NUMBER before it gives the thread's number
// to the program. An OP_RETURN with THREADS_END is the end of a body, its operand what the thread returns (as a pointer; a number comes behind it).
#define THREADS_FORK "fork"
#define THREADS_NUMBER "thread"
#define THREADS_END "end of a thread"
#define THREADS_MOST 20 // main among them
#define THREADS_FEW 3   // of one place, where there is no end to them
// So many times as many instructions as without threads may be there before interleavings are simplified.
#define THREADS_LARGER 10

// The function that is called where two threads access the same place at the same time, one of them writes, and not both are atomic. The
// library declares it.
#define THREADS_RACE "__regatta_race"
// A call: a thread waits here for others.
#define THREADS_WAIT "__regatta_wait"
// A call: which thread goes on, of those that may.
#define THREADS_CHOICE "__VERIFIER_nondet_turn"
// A call: the number of the thread that runs, from 1.
#define THREADS_SELF "__regatta_thread"
#define THREADS_MORE_WORDS "more threads begin at one place than are followed"
#define THREADS_WAIT_WORDS "a lock that nobody gives back is waited for"

struct inliner; // flat_inside.h

bool threads_is_join(const struct flat *flat, const struct instruction *i);

// All interleavings of a program's threads, but for those that differ in the order of independent steps only: its blocks become those of
// one thread that chooses, before each access to what threads share, who goes on. Where races are asked for, such accesses call
// THREADS_RACE. With `counts`, states are told apart by small numbers in counters, locks and flags, too. Memory is
// sequentially consistent. NULL when that was done, there would be too many instructions (too_large), or only main begins (then flat's
// `threads` stays 0); else why not. Where it was not done the program is of no use.
const char *threads_interleave(struct inliner *in, bool counts);

#endif
