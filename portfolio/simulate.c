#include "portfolio/simulate.h"

#include <assert.h>

#include "base/vector.h"

struct simulated_attempt {
    int64_t ends;
    int64_t cpu_ends; // INT64_MAX = never, or told already
    uint64_t bytes;
    enum verdict verdict;
    enum end_reason reason;
    bool foreseen; // and not told yet
    int64_t deadline;
    bool ended;
};

struct player {
    const struct simulation *simulation;
    VECTOR(struct simulated_attempt) attempts;
    double slowness; // 2: an attempt takes twice as long as it would on a core of its own
    bool finished;
};

static int64_t later(int64_t now, int64_t span)
{
    assert(now >= 0 && span >= 0);
    return span > INT64_MAX - now ? INT64_MAX : now + span;
}

static int64_t stretched(int64_t now, int64_t end, double factor)
{
    double span = (double)(end - now) * factor;
    return end == INT64_MAX || span >= (double)(INT64_MAX - now) ? INT64_MAX : now + (int64_t)span;
}

// The number of those that run may have changed: what each has left takes longer, or less long.
static void share_cores(struct player *p, int64_t now)
{
    unsigned cores = p->simulation->cores, running = 0;
    for (size_t i = 0; i < p->attempts.count; i++)
        running += !p->attempts.data[i].ended;
    double slowness = cores > 0 && running > cores ? (double)running / cores : 1;
    if (slowness == p->slowness)
        return;
    for (size_t i = 0; i < p->attempts.count; i++) {
        struct simulated_attempt *a = &p->attempts.data[i];
        if (a->ended)
            continue;
        a->ends = stretched(now, a->ends, slowness / p->slowness);
        a->cpu_ends = stretched(now, a->cpu_ends, slowness / p->slowness);
    }
    p->slowness = slowness;
}

static void perform(struct player *p, const struct schedule_action *action, int64_t now)
{
    if (action->kind == SCHEDULE_START) {
        assert(action->attempt == p->attempts.count);
        struct simulated_end end = p->simulation->script(p->simulation->context, action);
        struct simulated_attempt attempt = {
            .ends = stretched(now, later(now, end.after_ns), p->slowness),
            .cpu_ends = end.cpu_after_ns > 0
                            ? stretched(now, later(now, end.cpu_after_ns), p->slowness)
                            : INT64_MAX,
            .bytes = end.bytes,
            .verdict = end.verdict,
            .reason = end.reason,
            .foreseen = end.foreseen,
            .deadline = action->deadline_ns,
        };
        VECTOR_PUSH(&p->attempts, attempt);
    } else if (action->kind == SCHEDULE_STOP) {
        struct simulated_attempt *a = &p->attempts.data[action->attempt];
        assert(action->attempt < p->attempts.count && !a->ended);
        int64_t stopped = later(now, p->simulation->stop_latency_ns);
        if (stopped < a->ends) {
            a->ends = stopped;
            a->verdict = VERDICT_UNKNOWN;
            a->reason = action->reason;
        }
    } else if (action->kind == SCHEDULE_FINISH) {
        p->finished = true;
    }
}

static void feed(struct player *p, struct schedule_event event, int64_t now)
{
    const struct schedule_action *actions;
    size_t count = schedule_step(p->simulation->schedule, &event, now, &actions);
    if (p->simulation->tell != NULL)
        p->simulation->tell(p->simulation->context, now, &event, actions, count);
    for (size_t i = 0; i < count; i++)
        perform(p, &actions[i], now);
    share_cores(p, now);
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

// The first whose CPU time is used up.
static int first_spent(const struct player *p, int64_t *when)
{
    int first = -1;
    *when = INT64_MAX;
    for (size_t i = 0; i < p->attempts.count; i++)
        if (!p->attempts.data[i].ended && p->attempts.data[i].cpu_ends < *when) {
            *when = p->attempts.data[i].cpu_ends;
            first = (int)i;
        }
    return first;
}

// False when there is nothing to foresee.
static bool tell_forecast(struct player *p, int64_t now)
{
    for (size_t i = 0; i < p->attempts.count; i++) {
        struct simulated_attempt *a = &p->attempts.data[i];
        if (a->ended || !a->foreseen || now < a->deadline || a->ends == INT64_MAX)
            continue;
        a->foreseen = false;
        assert(a->ends >= now && "it would have ended");
        feed(p,
             (struct schedule_event){
                 .kind = SCHEDULE_FORECAST, .attempt = (unsigned)i, .needs_ns = a->ends - now},
             now);
        return true;
    }
    return false;
}

static void run_out_of_memory(struct player *p, int64_t now)
{
    for (size_t i = 0; i < p->attempts.count; i++)
        if (!p->attempts.data[i].ended)
            feed(p,
                 (struct schedule_event){.kind = SCHEDULE_HOLDS,
                                         .attempt = (unsigned)i,
                                         .bytes = p->attempts.data[i].bytes},
                 now);
    feed(p,
         (struct schedule_event){
             .kind = SCHEDULE_EXCEEDED, .attempt = SCHEDULE_RUN, .reason = END_MEMORY},
         now);
}

// What comes from outside, each with its next time; INT64_MAX = no more.
enum outside { INTERRUPT, RUN_CPU, SHORTAGE, OUTSIDE_COUNT };

static enum outside next_outside(const int64_t times[OUTSIDE_COUNT])
{
    enum outside next = INTERRUPT;
    for (int k = 1; k < OUTSIDE_COUNT; k++)
        if (times[k] < times[next])
            next = (enum outside)k;
    return next;
}

static void happen(struct player *p, enum outside what, int64_t times[OUTSIDE_COUNT])
{
    int64_t now = times[what];
    times[what] = INT64_MAX;
    if (what == INTERRUPT) {
        feed(p, (struct schedule_event){.kind = SCHEDULE_INTERRUPT}, now);
    } else if (what == RUN_CPU) {
        feed(p,
             (struct schedule_event){
                 .kind = SCHEDULE_EXCEEDED, .attempt = SCHEDULE_RUN, .reason = END_CPUTIME},
             now);
    } else {
        run_out_of_memory(p, now);
        times[SHORTAGE] = later(now, p->simulation->shortage_ns);
    }
}

int64_t simulate(const struct simulation *simulation)
{
    struct player p = {.simulation = simulation, .slowness = 1};
    int64_t now = 0;
    int64_t times[OUTSIDE_COUNT] = {
        simulation->interrupt_ns,
        simulation->cpu_ns > 0 ? simulation->cpu_ns : INT64_MAX,
        simulation->shortage_ns > 0 ? simulation->shortage_ns : INT64_MAX,
    };
    feed(&p, (struct schedule_event){.kind = SCHEDULE_BEGIN}, now);
    while (!p.finished && now >= 0) {
        int64_t end, spent, deadline = schedule_next_deadline(simulation->schedule);
        int which = first_end(&p, &end), spender = first_spent(&p, &spent);
        enum outside what = next_outside(times);
        if (times[what] != INT64_MAX && times[what] <= end && times[what] <= deadline &&
            times[what] <= spent) {
            now = times[what];
            happen(&p, what, times);
        } else if (spender >= 0 && spent <= end && spent <= deadline) {
            now = spent;
            p.attempts.data[spender].cpu_ends = INT64_MAX;
            feed(&p,
                 (struct schedule_event){.kind = SCHEDULE_EXCEEDED,
                                         .attempt = (unsigned)spender,
                                         .reason = END_CPUTIME},
                 now);
        } else if (which >= 0 && end <= deadline) {
            struct simulated_attempt *a = &p.attempts.data[which];
            now = end;
            a->ended = true;
            feed(&p,
                 (struct schedule_event){.kind = SCHEDULE_ENDED,
                                         .attempt = (unsigned)which,
                                         .verdict = a->verdict,
                                         .reason = a->reason},
                 now);
        } else if (deadline != INT64_MAX) {
            now = deadline;
            if (!tell_forecast(&p, now))
                feed(&p, (struct schedule_event){.kind = SCHEDULE_TICK}, now);
        } else {
            now = -1;
        }
    }
    VECTOR_FINISH(&p.attempts);
    return now;
}
