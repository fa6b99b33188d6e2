#ifndef REGATTA_PORTFOLIO_SIMULATE_H
#define REGATTA_PORTFOLIO_SIMULATE_H

#include "portfolio/schedule.h"

// Plays a schedule in virtual time: a script says what each attempt would do. No thread, no clock.

struct simulated_end {
    int64_t after_ns; // from its start, on a core of its own; INT64_MAX = never by itself
    enum verdict verdict;
    enum end_reason reason;
    int64_t cpu_after_ns; // from its start: its CPU time is used up; 0 = never
    uint64_t bytes;       // it holds
    bool foreseen;        // its end, when its time is up
};

struct simulation {
    struct schedule *schedule; // not begun
    unsigned cores; // that the attempts share evenly when more of them run; 0 = each has its own
    // What the attempt that is started now would do by itself.
    struct simulated_end (*script)(void *context, const struct schedule_action *start);
    int64_t stop_latency_ns; // from the request to stop to the end
    int64_t interrupt_ns;    // when the user ends the run; INT64_MAX = never
    int64_t cpu_ns;          // when the run's CPU time is used up; 0 = never
    int64_t shortage_ns;     // the run's memory is short each time so much has passed; 0 = never
    // Told of each event and what was decided. May be NULL.
    void (*tell)(void *context, int64_t now_ns, const struct schedule_event *event,
                 const struct schedule_action *actions, size_t count);
    void *context;
};

// Time begins at 0. The time at the end; -1 when it would never end.
int64_t simulate(const struct simulation *simulation);

#endif
