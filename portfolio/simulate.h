#ifndef REGATTA_PORTFOLIO_SIMULATE_H
#define REGATTA_PORTFOLIO_SIMULATE_H

#include "portfolio/schedule.h"

// Plays a schedule in virtual time: a script says what each attempt would do. No thread, no clock.

struct simulated_end {
    int64_t after_ns; // from its start; INT64_MAX = never by itself
    enum verdict verdict;
    enum end_reason reason;
};

struct simulation {
    struct schedule *schedule; // not begun
    // What the attempt that is started now would do by itself.
    struct simulated_end (*script)(void *context, const struct schedule_action *start);
    int64_t stop_latency_ns; // from the request to stop to the end
    int64_t interrupt_ns;    // when the user ends the run; INT64_MAX = never
    // Told of each event and what was decided. May be NULL.
    void (*tell)(void *context, int64_t now_ns, const struct schedule_event *event,
                 const struct schedule_action *actions, size_t count);
    void *context;
};

// Time begins at 0. The time at the end; -1 when it would never end.
int64_t simulate(const struct simulation *simulation);

#endif
