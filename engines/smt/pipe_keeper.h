#ifndef REGATTA_ENGINES_SMT_PIPE_KEEPER_H
#define REGATTA_ENGINES_SMT_PIPE_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

// Private to engines/smt: the thread that starts solver programs, and those that wait for their next user. A
// program must not outlive us, whatever ends us, and the system offers that only as "dies with the thread that
// started it"; so one thread, which never ends, starts them all. Any thread may call.

// Starts `path` with its standard input and output at `fd`, and with at most half of the machine's memory. Its
// standard error goes nowhere. 0 when it cannot be started.
pid_t keeper_start(const char *path, const char *const *words, int fd);

// A program that waits under that key, with our end of its connection: the caller's from now on.
bool keeper_take(const char *key, pid_t *pid, int *fd);
// Takes over a program that owes no answer. False, and nothing taken over, when the key is too long. The
// one that waits longest gives way when there are many.
bool keeper_keep(const char *key, pid_t pid, int fd);
// Kills and reaps a program.
void keeper_end(pid_t pid, int fd);
// Ends all that wait.
void keeper_clear(void);

#endif
