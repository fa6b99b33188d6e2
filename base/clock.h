#ifndef REGATTA_BASE_CLOCK_H
#define REGATTA_BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

// Monotonic and CPU clocks in nanoseconds.
int64_t clock_wall_ns(void);        // CLOCK_MONOTONIC
int64_t clock_thread_cpu_ns(void);  // CPU time of the calling thread
int64_t clock_process_cpu_ns(void); // CPU time of the process
// Of another one: of a process of ours that is not reaped, of a thread that is not joined; 0 when it cannot be read.
int64_t clock_cpu_ns_of_process(pid_t pid);
int64_t clock_cpu_ns_of_thread(pthread_t thread);
int64_t clock_usage_ns(const struct rusage *usage); // CPU time, of user and system
int64_t clock_epoch_ms(void);                       // milliseconds since 1970, for records only

static inline double clock_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

#endif
