#ifndef REGATTA_BASE_SIGNALS_H
#define REGATTA_BASE_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// SIGINT, SIGTERM and SIGHUP are blocked in every thread and taken by one that sits in sigwait, so
// no library's handler can swallow them. The first one sets a flag and wakes whoever polls; the
// second one restores the terminal and ends the process at once. Where nobody attends to the flag the first one does
// so too, after some seconds: what reads or writes without looking up never keeps the user waiting.

// Flushes standard output. False with words on standard error when not all of it came through: a full disk or closed pipe
// must not look like an answer that was delivered.
bool signals_output_good(void);

void signals_start(void);              // from main, before any thread
void signals_finish(void);             // joins the thread
const _Atomic int *signals_flag(void); // 0, or the number of the signal
int signals_wake_fd(void);             // readable once a signal came
// Between these somebody looks at the flag and ends soon after it is set, however much there is to be done then. They
// may be nested, on any thread.
void signals_attend(void);
void signals_attend_end(void);
static inline int signals_exit_code(int signal)
{
    return 128 + signal;
}

// Bytes to write to a terminal (a file descriptor) when the process ends by a signal, a crash or
// `signals_leave`; NULL = none. `bytes` must be static.
void signals_set_restore(int fd, const char *bytes);

// Writes them. Async-signal-safe.
void signals_restore(void);

// `hook`, async-signal-safe: called on the faulting thread when the program itself faults or aborts (by no signal
// that somebody else sent), before it ends by that; NULL = none.
void signals_on_fault(void (*hook)(void));

// From here on a fault is one of a library (`what`, static) that does not look at what its allocations return: the process
// then ends with words and code 3, not with a crash. NULL: over. Not in programs made for finding faults (sanitizers).
void signals_guard(const char *what);

// Ends the process without waiting for threads that do not react: flushes, restores, _exit. With code 3 and words when
// standard output was lost.
_Noreturn void signals_leave(int code);

#endif
