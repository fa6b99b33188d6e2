#ifndef REGATTA_ENGINES_SMT_PIPE_PROCESS_H
#define REGATTA_ENGINES_SMT_PIPE_PROCESS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/vector.h"
#include "engines/expr/sexpr.h"
#include "engines/smt/id_map.h"

// Private to engines/smt: a program that reads SMT-LIB 2 from its standard input. It dies with the
// thread that started it, at the latest.

struct pipe_process {
    pid_t pid;                         // 0 = not running
    int fd;                            // both its standard input and output; not blocking
    struct text out;                   // commands not sent yet; none of them has an answer
    struct text in;                    // bytes of its answers
    size_t scanned;                    // of `in`
    uint64_t questions;                // asked so far
    struct id_map known;               // by term id: declared, with everything below
    VECTOR(const struct sort *) sorts; // declared enumerations
};

struct sexpr_answers {
    const struct sexpr **data;
    size_t count, capacity;
};

enum pipe_status { PIPE_ANSWERED, PIPE_STOPPED, PIPE_GONE };

// words: the command, NULL-terminated, looked up on PATH. False when it cannot be started.
bool pipe_start(struct pipe_process *process, const char *const *words);
// Kills and reaps it; may be called at any time.
void pipe_end(struct pipe_process *process);
// Sends what is due and `question`, and waits for everything that the program says to it; appended to
// `answers`, in `arena`. PIPE_STOPPED when `stopped` says so: it is asked many times a second.
enum pipe_status pipe_ask(struct pipe_process *process, const char *question, struct arena *arena,
                          struct sexpr_answers *answers, bool (*stopped)(void *context),
                          void *context);

// Is there such a program on PATH?
bool pipe_finds(const char *program);

#endif
