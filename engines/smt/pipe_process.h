#ifndef REGATTA_ENGINES_SMT_PIPE_PROCESS_H
#define REGATTA_ENGINES_SMT_PIPE_PROCESS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/vector.h"
#include "engines/expr/sexpr.h"
#include "engines/smt/id_map.h"

// Private to engines/smt: a program that reads SMT-LIB 2 from its standard input. Starting one takes 10 to 30 ms,
// most of a short attempt, so one that its user does not need any more waits for the next.

struct pipe_process {
    pid_t pid;                         // 0 = not running
    int fd;                            // both its standard input and output; not blocking
    struct text out;                   // commands not sent yet; none of them has an answer
    struct text in;                    // bytes of its answers
    size_t scanned;                    // of `in`
    uint64_t questions;                // asked so far
    bool settled;                      // it owes no answer and complained of nothing
    int64_t counted_ns;                // CPU time that was counted for its users
    struct text key;                   // the command; empty = never waits
    struct id_map known;               // by term id: declared, with everything below
    VECTOR(const struct sort *) sorts; // declared enumerations
};

struct sexpr_answers {
    const struct sexpr **data;
    size_t count, capacity;
};

enum pipe_status { PIPE_ANSWERED, PIPE_STOPPED, PIPE_GONE };

// words: the command, NULL-terminated, looked up on PATH. greeting: what it is told first, without an answer: all
// options that any user sets, since it may have been another's, and then was told to forget (some options stay). It
// runs where the calling thread may run. False when it cannot be started.
bool pipe_start(struct pipe_process *process, const char *const *words, const char *greeting);
// Kills and reaps it; may be called at any time.
void pipe_end(struct pipe_process *process);
// Not needed any more: it forgets what it was told and waits for another pipe_start with the same command. Ended at
// once when it owes an answer, has complained, or is not known to understand (reset).
void pipe_release(struct pipe_process *process);
// Sends what is due and `question`, and waits for everything that the program says to it; appended to
// `answers`, in `arena`. PIPE_STOPPED when `stopped` says so: it is asked many times a second. The CPU time that
// the program uses is counted for the calling thread (base/program.h).
enum pipe_status pipe_ask(struct pipe_process *process, const char *question, struct arena *arena,
                          struct sexpr_answers *answers, bool (*stopped)(void *context),
                          void *context);

// Is the command's program called so?
bool pipe_is(const char *const *words, const char *name);
// Is there such a program on PATH?
bool pipe_finds(const char *program);

#endif
