#ifndef REGATTA_LANGUAGES_PROGRAMS_GUESS_H
#define REGATTA_LANGUAGES_PROGRAMS_GUESS_H

#include "languages/programs/interpret.h"

// Runs on guessed inputs: most errors are met by some small, extreme or arbitrary numbers and those that the program names, long
// before an engine has looked at each step of a long loop.

// A run whose inputs follow from the number: the same number, the same run. Otherwise as closed as interpret_closed.
struct run_result guess_run(const struct flat *flat, const struct program_question *question,
                            uint32_t number, uint64_t most_steps,
                            void (*listen)(void *context, const struct run_event *event),
                            void *context);
// The number (from 1) of a run that violates the property, and that run; 0: none of the few that were tried does, `run` is
// as it was, but that `deepest` is that of the deepest of those few (UINT32_MAX: one went deeper than is followed), and `blocks` the most
// that one of them had.
uint32_t guess_violation(const struct flat *flat, const struct program_question *question,
                         struct run_result *run);

#endif
