#ifndef REGATTA_BASE_PROGRAM_H
#define REGATTA_BASE_PROGRAM_H

#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

// Attributes for a program to start: no signal is blocked or ignored in it, whatever is so here, and it leads a process
// group. To be ended by posix_spawnattr_destroy.
void program_attributes(posix_spawnattr_t *attributes);

// Starts a program (found by PATH) that goes with us (guard.h) with all that it starts and that stays in its process
// group. Destroys `actions`, which say where its standard files are. 0 and its process, or why not (errno). Once it was
// waited for, the caller says guard_remove.
int program_start(const char *const *arguments, posix_spawn_file_actions_t *actions, pid_t *pid);

// Runs another program (found by PATH) to its end with nothing on its standard input and appends what it writes
// to its standard output. Its standard error is ours. The exit code (128 + n for signal n), or -1 and the
// reason appended to `why` when it cannot be started. It ends with the budget of the calling thread (budget.h), and with us
// (guard.h), as does all that it started and that stayed in its process group.
int program_run(const char *const *arguments, struct text *output, struct text *why);

// CPU time of programs that work for a thread while it waits for them. The thread says where it is counted, in ns
// (NULL, as at the start of a thread: nowhere); any thread may read it there.
void program_count_cpu_in(_Atomic int64_t *account);
void program_count_cpu(int64_t ns);
// One that was counted was reaped, having used that much: the system counts it among our children from now on.
void program_count_reaped(int64_t ns);
// What was counted of programs that are not reaped yet; about, since not all of their time is counted. From any thread.
int64_t program_living_cpu_ns(void);

#endif
