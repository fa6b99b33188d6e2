#ifndef REGATTA_LANGUAGES_PROGRAMS_SIMPLIFY_H
#define REGATTA_LANGUAGES_PROGRAMS_SIMPLIFY_H

#include "languages/programs/flat.h"

// Constants, before anything else looks at a flat program: operations on constants, loads from constant globals, and loads from
// slots with one store whose value never changes (parameters above all). Only `alias` changes; no instruction goes,
// so a run of the program is told as before. True when something was found.
bool flat_simplify(struct flat *flat);

// An operation, conversion or comparison of integers of at most 128 bits that are both known. False: it has no meaning (a division
// by zero, a wide shift), or is none of these.
bool simplify_numbers(const struct instruction *i, const struct operand *a, const struct operand *b,
                      struct operand *out);
// Adds how many bytes an OP_GEP moves an address by. False, with nothing changed: that is not known.
bool simplify_moves(const struct flat *flat, const struct instruction *gep, int64_t *offset);
// What a load from a global gives as long as nobody wrote there; `address` is an OPERAND_ADDRESS.
bool simplify_initial(const struct program *program, const struct operand *address,
                      struct program_type type, uint64_t bytes, struct operand *out);

#endif
