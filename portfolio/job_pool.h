#ifndef REGATTA_PORTFOLIO_JOB_POOL_H
#define REGATTA_PORTFOLIO_JOB_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

// Processes side by side, each in a place of its own: started from an argument vector, watched for
// resident memory and for time, reaped. From one thread. It sleeps between looks (ten a second) so that it does
// not disturb what is being measured.

enum job_fate {
    JOB_LEFT,
    JOB_TOO_LARGE,
    JOB_TOO_LONG
}; // by itself (or a signal of others); killed

struct job_end {
    unsigned place;
    int status; // as from waitpid
    enum job_fate fate;
    uint64_t peak_bytes;              // largest resident set of one of its processes
    double wall_seconds, cpu_seconds; // of the process and of those it waited for
};

struct job_pool;

// wake_fd: readable when somebody wants the waiting to end; -1 = none.
struct job_pool *job_pool_create(unsigned places, int wake_fd);
// Kills what still runs and reaps it.
void job_pool_destroy(struct job_pool *pool);
int job_pool_free_place(const struct job_pool *pool); // the lowest; -1 = none
size_t job_pool_running(const struct job_pool *pool);

// Starts this program again with `arguments` (NULL-terminated, [0] is its name) in a free place and a
// process group of its own; standard input and output are /dev/null. It is killed when its processes hold
// more than memory_bytes or after `seconds`; 0 = no limit. False and the reason when there is no process.
bool job_pool_start(struct job_pool *pool, unsigned place, const char *const *arguments,
                    uint64_t memory_bytes, double seconds, struct text *why);
// Called at each look, while waiting.
void job_pool_on_look(struct job_pool *pool, void (*look)(void *context), void *context);
// Sleeps until a job has ended (true) or, once, until wake_fd is readable (false). False at once when
// nothing runs.
bool job_pool_wait(struct job_pool *pool, struct job_end *end);
void job_pool_signal(struct job_pool *pool, int signal); // to the process of each job

#endif
