#ifndef REGATTA_PORTFOLIO_SCHEDULE_H
#define REGATTA_PORTFOLIO_SCHEDULE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "configs/plan.h"
#include "results/verdict.h"

// The schedule of a race: a pure function (state, event, now) -> (state, actions). It starts no
// thread and reads no clock; the shell in race.c does. So every policy is tested in virtual time.
//
// Policy
// - Each lane that has a step for this model starts it at once while there are cores, the others wait
//   until a lane ends. A step that ends without a verdict does what the plan says for that outcome: hand over to the
//   next step, go to another one, repeat with other settings, end the lane, or give its core to the
//   lanes that wait and queue behind them. Steps whose guard is false are passed over. A step that
//   began PLAN_MOST_STARTS times ends its lane instead of beginning again.
// - Mitigation is for when nothing else is left to run: no further step in the lane, no lane that
//   waits for a core.
// - A share is of what is left of the lane's time when the step begins; so time that a step leaves
//   over goes to those after it. A lane's time is the rest of the run's, or, while lanes wait for a
//   core, its part of that: every lane gets its turn. Without a time limit shares and parts are of
//   SCHEDULE_NOTIONAL_SECONDS, and a step with no budget has no deadline unless lanes wait.
// - A step whose plan says so gets more time, once, when its attempt is expected to finish: as much as
//   it needs and a quarter more, if it needs no more than the part of its own time that the plan
//   allows, and never beyond its lane's.
// - The first verdict wins; the others are asked to stop (END_LOST) and nothing is started any
// more.
//   An attempt that was asked to stop and answers all the same is heard: it may win, and an answer
//   that differs from the winner's is a contradiction.
// - A proof that nobody checked wins, but not at once: the race goes on for half as long again as it
//   took (SCHEDULE_GRACE_…), and the first whose answer is checked wins in its place. Not in sequential
//   races.
// - Each attempt is asked to stop at most once, with the first reason.
// - A step takes as many cores as it says, but no more than the race has. When they are not all free
//   its lane queues for them, and no lane behind it overtakes.
// - When the run's memory is used up the attempt that holds most is ended, one at a time: the next only
//   when that one is gone and memory is short all the same.

struct schedule;

enum schedule_event_kind {
    SCHEDULE_BEGIN,     // once, first
    SCHEDULE_ENDED,     // an attempt ended: attempt, verdict (checked), reason
    SCHEDULE_TICK,      // time has passed
    SCHEDULE_INTERRUPT, // the user wants the end
    SCHEDULE_FORECAST,  // an attempt is expected to need `needs_ns` more to finish; told when its
                        // time is up
    SCHEDULE_HOLDS,     // an attempt holds `bytes` of memory; told before the run's memory is short
    SCHEDULE_EXCEEDED,  // a limit that the clock does not show was reached: `reason` END_CPUTIME or
                        // END_MEMORY; of `attempt`, or of the run when that is SCHEDULE_RUN
};

#define SCHEDULE_RUN UINT_MAX

struct schedule_event {
    enum schedule_event_kind kind;
    unsigned attempt;
    enum verdict verdict;
    enum end_reason reason;
    bool
        unchecked; // ENDED: safe, by a proof that was not checked and that another one could be found for
    uint64_t bytes;
    int64_t needs_ns;
};

enum schedule_action_kind {
    SCHEDULE_START,  // start attempt `attempt`: step `step` of lane `lane`, with these budgets
    SCHEDULE_EXTEND, // attempt `attempt` may run until `deadline_ns`
    SCHEDULE_STOP,   // ask attempt `attempt` to stop for `reason`
    SCHEDULE_FINISH, // the race is over: all attempts have ended
};

struct schedule_action {
    enum schedule_action_kind kind;
    unsigned attempt; // numbered from 0 in order of start
    unsigned lane, step;
    int after;              // START: the attempt whose end led to it; -1 = the lane got a core
    int precision_of;       // START: the ended attempt whose precision it begins with; -1 = none
    int64_t deadline_ns;    // START, EXTEND: absolute, on the clock of `now`; INT64_MAX = none
    uint64_t step_limit;    // START: engine steps; 0 = none
    enum end_reason reason; // STOP
};

#define SCHEDULE_NOTIONAL_SECONDS 900
#define SCHEDULE_GRACE_LEAST_SECONDS 0.5
#define SCHEDULE_GRACE_MOST_SECONDS 30

// cores: how many attempts may run at a time (where lanes share cores: seats on them, plan_variant_seats). time_limit_ns: of the whole run; INT64_MAX = none.
// The variant must outlive the schedule. sequential: as with one core (for deterministic runs).
// facts: of the model, for guards; NULL: all 0.
struct schedule *schedule_create(const struct plan_variant *variant, unsigned cores,
                                 int64_t time_limit_ns, bool sequential,
                                 const struct plan_facts *facts);
void schedule_destroy(struct schedule *schedule);

// Feeds one event; the actions to carry out are written to *actions (owned by the schedule, valid
// until the next call), in order.
size_t schedule_step(struct schedule *schedule, const struct schedule_event *event, int64_t now_ns,
                     const struct schedule_action **actions);
// When the next TICK is needed (earliest deadline of those not yet asked to stop); INT64_MAX = not.
int64_t schedule_next_deadline(const struct schedule *schedule);

enum verdict schedule_verdict(const struct schedule *schedule);
int schedule_winner(const struct schedule *schedule); // attempt, -1 = none
bool schedule_waits(
    const struct schedule
        *schedule); // there is a winner whose proof was not checked, and others go on
bool schedule_contradiction(const struct schedule *schedule); // safe and unsafe were both answered

#endif
