#ifndef REGATTA_PORTFOLIO_RUN_LIMITS_H
#define REGATTA_PORTFOLIO_RUN_LIMITS_H

#include "portfolio/attempt.h"

// Private to portfolio: the limits that no clock shows, CPU time, the memory of the whole program and calls of solvers that
// do not come back (option stop_solver).
// Looks at the attempts from the coordinator's thread and says what the schedule must be told; it
// decides nothing. It looks as seldom as it can: CPU time grows no faster than wall time on a core.

struct limits {
    int64_t cpu_ns;        // of all attempts together; 0 = none
    uint64_t memory_bytes; // of the program, above what it held when the race began; 0 = none
    uint64_t (*resident_bytes)(void);

    int64_t begin_cpu_ns;
    uint64_t begin_bytes;
    int64_t next_memory_ns; // when to look again
    bool cpu_told;          // that the run's is used up
};

struct limits_events {
    struct schedule_event *data;
    size_t count, capacity; // a VECTOR
};

// resident_bytes: what the program holds; NULL: as the system says (nothing under a sanitizer,
// which holds more than the program does).
void limits_init(struct limits *limits, int64_t cpu_ns, uint64_t memory_bytes,
                 uint64_t (*resident_bytes)(void));
// Appends events; returns when to look again, INT64_MAX = when something else happens.
int64_t limits_look(struct limits *limits, struct attempt *const *attempts, size_t count,
                    int64_t now_ns, struct limits_events *events);
// An attempt has ended for want of memory: gives what it held back to the system, and that a moment.
void limits_relieve(struct limits *limits, int64_t now_ns);
// Was it asked to end because the program held too much?
bool limits_ended(const struct attempt *attempt);
// CPU time of an attempt that has not ended: of its thread or of its process, and of the solver programs that
// work for it.
int64_t limits_cpu_ns(struct attempt *attempt);

#endif
