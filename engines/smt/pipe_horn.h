#ifndef REGATTA_ENGINES_SMT_PIPE_HORN_H
#define REGATTA_ENGINES_SMT_PIPE_HORN_H

#include "engines/smt/smt.h"

// Horn clauses to a program that reads SMT-LIB 2 in the logic HORN; private to engines/smt. One process a call.
// No derivation is told. `words`: the command, NULL-terminated.
enum smt_result pipe_horn(struct term_store *store, const char *const *words,
                          bool (*stopped)(void *context), void *context,
                          const struct smt_horn *problem, struct smt_horn_answer *answer);

#endif
