#ifndef REGATTA_LANGUAGES_PROGRAMS_INSTRUMENT_INSIDE_H
#define REGATTA_LANGUAGES_PROGRAMS_INSTRUMENT_INSIDE_H

#include "languages/programs/expression.h"

// What those who add checks to a program share (instrument.c, descend.c).

// The function whose call is the error: a check that does not hold.
#define INSTRUMENT_FAILURE "__regatta_invariant_fails"

// Its number.
uint32_t instrument_add_global(struct program *program, struct global global);
// A function of one number that calls INSTRUMENT_FAILURE when it is 0.
uint32_t instrument_add_check(struct program *program);
// Appends its call, or another function's of a truth value; `truth` is an i1.
void instrument_call(const struct expression_place *place, struct block *code, uint32_t callee,
                     struct operand truth);
// Puts the code before the instruction with this index.
void instrument_splice(struct block *block, size_t index, const struct block *code);

#endif
