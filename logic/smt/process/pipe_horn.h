#ifndef REGATTA_LOGIC_SMT_PROCESS_PIPE_HORN_H
#define REGATTA_LOGIC_SMT_PROCESS_PIPE_HORN_H

#include "logic/smt/process/pipe_process.h"
#include "logic/smt/smt.h"

// Horn clauses to a program that reads SMT-LIB 2 in the logic HORN; private to engines/smt. No derivation is told.
// `words`: the command, NULL-terminated. greeting: the options that it is told first. `process` is not running, before and
// after; it belongs to the caller so that it can be ended when memory runs out in between.
enum smt_result pipe_horn(struct term_store *store, struct pipe_process *process,
                          const char *const *words, const char *greeting,
                          bool (*stopped)(void *context), void *context,
                          const struct smt_horn *problem, struct smt_horn_answer *answer);

#endif
