#ifndef REGATTA_LOGIC_SMT_PROCESS_PIPE_PROCESS_H
#define REGATTA_LOGIC_SMT_PROCESS_PIPE_PROCESS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/vector.h"
#include "logic/smt/id_map.h"
#include "logic/smt/process/pipe_keeper.h"
#include "logic/terms/sexpr.h"

// Private to engines/smt: a program that reads SMT-LIB 2 from its standard input. Starting one takes 10 to 30 ms,
// most of a short attempt, so one that its user does not need any more waits for the next.

// What is known of received bytes, so that none is looked at twice until an expression is complete.
struct pipe_scan {
    size_t taken;    // expressions before that were taken out
    size_t complete; // the end of the last line at which nothing was open
    size_t looked_at;
    size_t depth; // lists that are open there
    char inside;  // and what else: '"', '|', ';' (a comment) or 0
};

struct pipe_process {
    struct keeper_program program;     // not blocking
    struct text out;                   // commands not sent yet; none of them has an answer
    struct text in;                    // bytes of its answers
    struct pipe_scan scan;             // of `in`
    struct text words;                 // the first of what it said on its standard error
    const char *nonsense;              // why it is not listened to any more; static text
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

enum pipe_status { PIPE_ANSWERED, PIPE_STOPPED, PIPE_GONE, PIPE_NONSENSE };

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
// `answers`, in `arena`. PIPE_STOPPED when `stopped` says so: it is asked many times a second. PIPE_NONSENSE when
// what it says cannot be an answer, which is seen before it takes much memory; a program that says nothing may be
// thinking. The CPU time that the program uses is counted for the calling thread (base/program.h).
enum pipe_status pipe_ask(struct pipe_process *process, const char *question, struct arena *arena,
                          struct sexpr_answers *answers, bool (*stopped)(void *context),
                          void *context);

// What (error …) says among the answers, NULL when there is none.
const char *pipe_complaint(const struct sexpr_answers *answers);
// After PIPE_GONE or PIPE_NONSENSE: the command, what went wrong, and the program's own words if it left any; one line.
void pipe_explain(struct pipe_process *process, enum pipe_status status, const char *const *words,
                  struct text *out);

// Is the command's program called so?
bool pipe_is(const char *const *words, const char *name);
// Is there such a program on PATH?
bool pipe_finds(const char *program);

#endif
