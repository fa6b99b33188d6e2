#ifndef REGATTA_LANGUAGES_PROGRAMS_INSTRUMENT_H
#define REGATTA_LANGUAGES_PROGRAMS_INSTRUMENT_H

#include "languages/programs/translate.h"
#include "languages/programs/witness_read.h"

// A program that follows a witness: the question about it is the question about the witness.

enum witness_use {
    WITNESS_FOLLOW, // of a violation: runs that pass its waypoints in order and violate the property at its target
    WITNESS_HOLDS, // of a correctness witness: each invariant holds wherever it is said to
    WITNESS_GIVEN, // the same property, where each invariant is assumed at its place
};

// The program and the question are changed. False with messages: a waypoint or an invariant that is not supported, or that
// has no place in the program (position in the witness).
bool program_instrument(struct program *program, const struct witness *witness,
                        enum witness_use use, struct program_question *question,
                        struct messages *messages);

#endif
