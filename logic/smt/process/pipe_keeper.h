#ifndef REGATTA_LOGIC_SMT_PROCESS_PIPE_KEEPER_H
#define REGATTA_LOGIC_SMT_PROCESS_PIPE_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

// Private to engines/smt: the thread that starts solver programs, and those that wait for their next user. A
// program must not outlive us, whatever ends us, and the system offers that only as "dies with the thread that
// started it"; so one thread, which never ends, starts them all. Each leads a process group of its own, which goes with
// it: what it started is ended too (base/guard.h when we end first). Any thread may call.

struct keeper_program {
    pid_t pid;  // 0 = none
    int fd;     // our end of its standard input and output
    int errors; // our end of its standard error, -1 once that is closed
};

// Starts `path` with its standard input and output at `fd`, its standard error at `errors`, and with at most half of the
// machine's memory. 0 when it cannot be started.
pid_t keeper_start(const char *path, const char *const *words, int fd, int errors);

// A program that waits under that key: the caller's from now on.
bool keeper_take(const char *key, struct keeper_program *program);
// Takes over a program that owes no answer. False, and nothing taken over, when the key is too long. The
// one that waits longest gives way when there are many.
bool keeper_keep(const char *key, const struct keeper_program *program);
// Kills a program and all that it started, and reaps it.
void keeper_end(const struct keeper_program *program);
// Ends all that wait.
void keeper_clear(void);

#endif
