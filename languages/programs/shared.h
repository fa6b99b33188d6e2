#ifndef REGATTA_LANGUAGES_PROGRAMS_SHARED_H
#define REGATTA_LANGUAGES_PROGRAMS_SHARED_H

#include "languages/programs/program.h"

// Pointers that recursive functions are given, where each of them means one variable all the time: every call gives a global, a variable of
// `main` (which lives once, as long as the program runs), or the parameter that the caller itself was given for the same one.
// A proof need not know of such parameters: the function names the variable.

// By function: those whose parameters are pointers to be looked at. Out comes the program with variables of main that they are given as
// globals that may hold anything at first, those parameters as numbers that nobody reads, and their uses as addresses; it and all
// that is new is of the arena, the rest stays with the program. The program itself, where no function has such parameters only.
const struct program *program_share(const struct program *program, const bool *recursive,
                                    struct arena *arena);

#endif
