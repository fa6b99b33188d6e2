#ifndef REGATTA_PORTFOLIO_RACE_INSIDE_H
#define REGATTA_PORTFOLIO_RACE_INSIDE_H

#include "base/vector.h"
#include "portfolio/attempt.h"
#include "portfolio/run_limits.h"
#include "portfolio/schedule.h"

// Private to portfolio/race*.c: a race while it runs. All from the coordinator's thread.

struct race {
    const struct race_options *options;
    const struct plan_variant *variant;
    struct race_shared *shared;
    struct schedule *schedule;
    VECTOR(struct attempt *) attempts; // in order of start
    VECTOR(struct race_view) views;    // scratch
    struct slot *slots;
    bool *slot_taken;
    unsigned slot_count;
    struct limits limits;
    struct limits_events pending; // to be fed to the schedule, from `fed` on
    size_t fed, told_lines;
    int64_t started_ns, next_sample_ns, stuck_ns, settle_ns;
    uint64_t task_seed;
    bool interrupt_told;
};

// race_start.c: an attempt for the schedule's action, on the cores that are free.
void race_start_attempt(struct race *race, const struct schedule_action *action);
// The seed of attempts on this task.
uint64_t race_task_seed(uint64_t seed, const struct model *model);

// race_slice.c: gives the calling thread so short a slice of CPU time (Linux 6.12 and later; 0 = the shortest) that it
// runs as soon as it is woken, though each core has an attempt at work: with the common slice it waits some 3 ms for one
// of them, longer than many a verdict takes. The slice before, to be given back. Does nothing where it cannot.
uint64_t race_take_slice(uint64_t slice_ns);

// race_wait.c: sleeps until there is something to tell the schedule.
struct schedule_event race_next_event(struct race *race);
// Nobody waits for what those that still run would say.
bool race_may_leave(const struct race *race);
// Joins threads that have answered; wait: and those that are tidying up.
void race_join_answered(struct race *race, bool wait);
// Tells of what attempts gave one another since the last time.
void race_tell_exchanged(struct race *race);

// race.c: tells whoever looks on of one attempt, or of the newest one of each lane that has begun.
void race_observe_attempt(const struct race *race, enum race_event_kind kind,
                          struct attempt *attempt);
void race_observe_lanes(struct race *race, enum race_event_kind kind);

#endif
