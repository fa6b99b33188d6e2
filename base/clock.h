#ifndef REGATTA_BASE_CLOCK_H
#define REGATTA_BASE_CLOCK_H

#include <stdint.h>

// Monotonic and CPU clocks in nanoseconds.
int64_t clock_wall_ns(void);        // CLOCK_MONOTONIC
int64_t clock_thread_cpu_ns(void);  // CPU time of the calling thread
int64_t clock_process_cpu_ns(void); // CPU time of the process
int64_t clock_epoch_ms(void);       // milliseconds since 1970, for records only

static inline double clock_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

#endif
