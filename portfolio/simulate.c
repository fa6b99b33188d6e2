#include "portfolio/simulate.h"

#include <assert.h>

#include "base/vector.h"

struct simulated_attempt {
    int64_t ends;
    enum verdict verdict;
    enum end_reason reason;
    bool ended;
};

struct player {
    const struct simulation *simulation;
    VECTOR(struct simulated_attempt) attempts;
    bool finished;
};

static int64_t later(int64_t now, int64_t span)
{
    return span > INT64_MAX - now ? INT64_MAX : now + span;
}

static void perform(struct player *p, const struct schedule_action *action, int64_t now)
{
    if (action->kind == SCHEDULE_START) {
        assert(action->attempt == p->attempts.count);
        struct simulated_end end = p->simulation->script(p->simulation->context, action);
        struct simulated_attempt attempt = {later(now, end.after_ns), end.verdict, end.reason,
                                            false};
        VECTOR_PUSH(&p->attempts, attempt);
    } else if (action->kind == SCHEDULE_STOP) {
        struct simulated_attempt *a = &p->attempts.data[action->attempt];
        int64_t stopped = later(now, p->simulation->stop_latency_ns);
        if (stopped < a->ends) {
            a->ends = stopped;
            a->verdict = VERDICT_UNKNOWN;
            a->reason = action->reason;
        }
    } else {
        p->finished = true;
    }
}

static void feed(struct player *p, struct schedule_event event, int64_t now)
{
    const struct schedule_action *actions;
    size_t count = schedule_step(p->simulation->schedule, &event, now, &actions);
    if (p->simulation->tell)
        p->simulation->tell(p->simulation->context, now, &event, actions, count);
    for (size_t i = 0; i < count; i++)
        perform(p, &actions[i], now);
}

// The first to end; of those at the same time the one that began first. -1 = none.
static int first_end(const struct player *p, int64_t *when)
{
    int first = -1;
    *when = INT64_MAX;
    for (size_t i = 0; i < p->attempts.count; i++)
        if (!p->attempts.data[i].ended && p->attempts.data[i].ends < *when) {
            *when = p->attempts.data[i].ends;
            first = (int)i;
        }
    return first;
}

int64_t simulate(const struct simulation *simulation)
{
    struct player p = {.simulation = simulation};
    int64_t now = 0, interrupt = simulation->interrupt_ns;
    feed(&p, (struct schedule_event){.kind = SCHEDULE_BEGIN}, now);
    while (!p.finished && now >= 0) {
        int64_t end, deadline = schedule_next_deadline(simulation->schedule);
        int which = first_end(&p, &end);
        if (interrupt != INT64_MAX && interrupt <= end && interrupt <= deadline) {
            now = interrupt;
            interrupt = INT64_MAX;
            feed(&p, (struct schedule_event){.kind = SCHEDULE_INTERRUPT}, now);
        } else if (which >= 0 && end <= deadline) {
            struct simulated_attempt *a = &p.attempts.data[which];
            now = end;
            a->ended = true;
            feed(&p,
                 (struct schedule_event){SCHEDULE_ENDED, (unsigned)which, a->verdict, a->reason},
                 now);
        } else if (deadline != INT64_MAX) {
            now = deadline;
            feed(&p, (struct schedule_event){.kind = SCHEDULE_TICK}, now);
        } else {
            now = -1;
        }
    }
    VECTOR_FINISH(&p.attempts);
    return now;
}
