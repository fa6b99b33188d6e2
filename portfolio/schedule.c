#include "portfolio/schedule.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"

struct attempt_state {
    size_t lane, step;
    int64_t began, deadline;
    bool extended;
    unsigned cores;
    uint64_t bytes;         // it was said to hold
    enum end_reason reason; // why it was asked to stop
    bool asked;             // to stop
    bool ended;
};

struct lane_state {
    size_t next_step; // while it waits; PLAN_END: nothing is left
    int precision_of; // while it waits: of whom its next step takes the precision; -1 = none
    int64_t end;      // of the lane's time; INT64_MAX = none
    unsigned *starts; // how often each step began
};

struct schedule {
    const struct plan_variant *variant;
    struct lane_state *lanes;
    VECTOR(struct attempt_state) attempts;
    VECTOR(struct schedule_action) actions;
    unsigned cores;
    bool sequential;
    unsigned running;     // attempts not ended
    unsigned busy;        // cores they take
    VECTOR(size_t) queue; // lanes that wait for a core, from `served` on
    size_t served;
    struct plan_facts facts;
    int64_t time_limit; // a span until BEGIN
    int64_t began, end; // of the run
    int64_t grace_end; // while others may bring a checked answer; INT64_MAX = nobody waits for that
    bool begun;
    bool closed; // nothing is started any more
    bool finished;
    bool contradiction;
    enum verdict verdict;
    int winner;
};

// The first step from there on whose guard holds.
static size_t pass_guards(const struct schedule *s, size_t lane, size_t step)
{
    const struct plan_lane *plan = &s->variant->lanes[lane];
    while (step != PLAN_END && !plan_guard_holds(plan->steps[step].when, &s->facts))
        step = plan_step_next(plan, step);
    return step;
}

struct schedule *schedule_create(const struct plan_variant *variant, unsigned cores,
                                 int64_t time_limit_ns, bool sequential,
                                 const struct plan_facts *facts)
{
    assert(cores > 0);
    struct schedule *s = memory_zalloc(sizeof *s);
    s->variant = variant;
    if (facts != NULL)
        s->facts = *facts;
    s->lanes = memory_zalloc(variant->lane_count * sizeof *s->lanes);
    for (size_t i = 0; i < variant->lane_count; i++) {
        const struct plan_lane *lane = &variant->lanes[i];
        s->lanes[i].starts = memory_zalloc((lane->step_count + 1) * sizeof *s->lanes[i].starts);
        s->lanes[i].precision_of = -1;
        if (pass_guards(s, i, 0) != PLAN_END) // who has nothing to do waits for no turn
            VECTOR_PUSH(&s->queue, i);
    }
    s->cores = sequential ? 1 : cores;
    s->sequential = sequential;
    s->time_limit = time_limit_ns;
    s->end = s->grace_end = INT64_MAX;
    s->winner = -1;
    return s;
}

void schedule_destroy(struct schedule *schedule)
{
    if (schedule == NULL)
        return;
    VECTOR_FINISH(&schedule->attempts);
    VECTOR_FINISH(&schedule->actions);
    VECTOR_FINISH(&schedule->queue);
    for (size_t i = 0; i < schedule->variant->lane_count; i++)
        memory_free(schedule->lanes[i].starts);
    memory_free(schedule->lanes);
    memory_free(schedule);
}

static int64_t later(int64_t now, double ns)
{
    // Above 2^62 (146 years) it makes no difference and would overflow.
    return ns >= 0x1p62 || now > INT64_MAX - (int64_t)ns ? INT64_MAX : now + (int64_t)ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#define LEAST_SHARE_NS 1e7
#define NOTIONAL_NS (SCHEDULE_NOTIONAL_SECONDS * 1e9)

static size_t waiting(const struct schedule *s)
{
    return s->queue.count - s->served;
}

// A lane that gets a core while others wait must leave time for them: the lanes left, itself included,
// come in as many turns as it takes to seat them all. Called while it still waits.
static int64_t lane_end(const struct schedule *s, int64_t now)
{
    size_t turns = (waiting(s) + s->cores - 1) / s->cores;
    if (turns <= 1)
        return s->end;
    double time = s->end == INT64_MAX ? NOTIONAL_NS : (double)(s->end - now);
    return earlier(s->end, later(now, time / (double)turns));
}

static int64_t step_deadline(const struct plan_step *step, int64_t end, int64_t now)
{
    assert(now <= end);
    double left = end == INT64_MAX ? NOTIONAL_NS : (double)(end - now);
    double share = step->amount * left;
    switch (step->budget) {
    case BUDGET_SHARE:
        // A small share of next to nothing would start an attempt to end it at once.
        return earlier(end, later(now, share < LEAST_SHARE_NS ? LEAST_SHARE_NS : share));
    case BUDGET_SECONDS:
        return earlier(end, later(now, step->amount * 1e9));
    case BUDGET_REST:
    case BUDGET_STEPS:
        break;
    }
    return end;
}

// The lane waits for cores to go on with that step.
static void queue(struct schedule *s, size_t lane, size_t step, int precision_of)
{
    assert(step < s->variant->lanes[lane].step_count);
    s->lanes[lane].precision_of = precision_of;
    s->lanes[lane].next_step = step;
    VECTOR_PUSH(&s->queue, lane);
}

static unsigned cores_of(const struct schedule *s, const struct plan_step *step)
{
    unsigned cores = step->cores ? step->cores : 1;
    return cores < s->cores ? cores : s->cores;
}

// What led to a start; -1 = none.
struct start_cause {
    int after;        // the attempt that ended
    int precision_of; // the attempt whose precision is taken over
};

// Starts that step of the lane, if there is one and time for it; else the lane has ended.
static void start(struct schedule *s, size_t lane, size_t index, struct start_cause cause,
                  int64_t now)
{
    struct lane_state *l = &s->lanes[lane];
    if (s->closed || index == PLAN_END || now >= l->end || l->starts[index] >= PLAN_MOST_STARTS)
        return;
    const struct plan_step *step = &s->variant->lanes[lane].steps[index];
    if (s->busy + cores_of(s, step) > s->cores) {
        queue(s, lane, index, cause.precision_of);
        return;
    }
    assert(cause.after < (int)s->attempts.count && cause.precision_of < (int)s->attempts.count);
    l->starts[index]++;
    int64_t deadline = step_deadline(step, l->end, now);
    struct schedule_action action = {
        .kind = SCHEDULE_START,
        .attempt = (unsigned)s->attempts.count,
        .lane = (unsigned)lane,
        .step = (unsigned)index,
        .after = cause.after,
        .precision_of = cause.precision_of,
        .deadline_ns = deadline,
        .step_limit = step->budget == BUDGET_STEPS ? (uint64_t)step->amount : 0,
    };
    struct attempt_state attempt = {.lane = lane,
                                    .step = index,
                                    .began = now,
                                    .deadline = deadline,
                                    .cores = cores_of(s, step)};
    VECTOR_PUSH(&s->attempts, attempt);
    VECTOR_PUSH(&s->actions, action);
    s->running++;
    s->busy += attempt.cores;
}

static void start_waiting_lanes(struct schedule *s, int64_t now)
{
    while (!s->closed && s->busy < s->cores && waiting(s) > 0) {
        size_t lane = s->queue.data[s->served];
        size_t step = pass_guards(s, lane, s->lanes[lane].next_step);
        if (step != PLAN_END &&
            s->busy + cores_of(s, &s->variant->lanes[lane].steps[step]) > s->cores)
            return;
        s->lanes[lane].end = lane_end(s, now);
        s->served++;
        struct start_cause cause = {-1, s->lanes[lane].precision_of};
        s->lanes[lane].precision_of = -1;
        start(s, lane, step, cause, now);
    }
}

static void stop(struct schedule *s, size_t attempt, enum end_reason reason)
{
    assert(attempt < s->attempts.count);
    struct attempt_state *a = &s->attempts.data[attempt];
    if (a->asked || a->ended)
        return;
    a->asked = true;
    a->reason = reason;
    struct schedule_action action = {.kind = SCHEDULE_STOP,
                                     .attempt = (unsigned)attempt,
                                     .lane = (unsigned)a->lane,
                                     .step = (unsigned)a->step,
                                     .reason = reason};
    VECTOR_PUSH(&s->actions, action);
}

static void close_race(struct schedule *s, enum end_reason reason)
{
    s->closed = true;
    s->grace_end = INT64_MAX;
    for (size_t i = 0; i < s->attempts.count; i++)
        stop(s, i, reason);
}

// Others may yet find a proof that can be checked. Not where races are to repeat themselves: it takes a clock.
static void begin_grace(struct schedule *s, int64_t now)
{
    assert(!s->closed && s->winner >= 0);
    double grace = (double)(now - s->began) / 2;
    grace = grace < SCHEDULE_GRACE_LEAST_SECONDS * 1e9  ? SCHEDULE_GRACE_LEAST_SECONDS * 1e9
            : grace > SCHEDULE_GRACE_MOST_SECONDS * 1e9 ? SCHEDULE_GRACE_MOST_SECONDS * 1e9
                                                        : grace;
    s->grace_end = earlier(s->end, later(now, grace));
}

static void hear(struct schedule *s, const struct schedule_event *event, int64_t now)
{
    if (event->verdict == VERDICT_UNKNOWN)
        return;
    if (s->winner < 0) {
        assert(s->verdict == VERDICT_UNKNOWN);
        s->winner = (int)event->attempt;
        s->verdict = event->verdict;
        if (event->unchecked && !s->sequential && !s->closed)
            begin_grace(s, now);
        else
            close_race(s, END_LOST);
    } else if (event->verdict != s->verdict) {
        s->contradiction = true;
        close_race(s, END_LOST);
    } else if (schedule_waits(s) && !event->unchecked) {
        s->winner = (int)event->attempt;
        close_race(s, END_LOST);
    }
}

static struct plan_reaction reaction_to(const struct plan_step *step, enum end_reason reason)
{
    switch (reason) {
    case END_STALLED:
        return step->on[ON_STALLED];
    case END_TIMEOUT:
        return step->on[ON_TIMEOUT];
    case END_CPUTIME:
        return step->on[ON_CPUTIME];
    case END_STEPS:
        return step->on[ON_STEPS];
    case END_MEMORY:
        return step->on[ON_MEMORY];
    case END_SOLVER:
        return step->on[ON_SOLVER];
    case END_UNSUPPORTED:
        return step->on[ON_UNSUPPORTED];
    case END_UNKNOWN:
    case END_UNCHECKED:
    case END_BOUNDED:
    case END_BEYOND:
        return step->on[ON_UNKNOWN];
    case END_CRASHED:
    case END_NOT_STARTED:
        return step->on[ON_CRASHED];
    case END_INTERNAL:
        return step->on[ON_INTERNAL];
    case END_NONE:
    case END_SOLVED:
    case END_LOST:
    case END_INTERRUPTED:
        break;
    }
    return (struct plan_reaction){.kind = REACTION_NEXT};
}

// The lane goes on as its plan says.
static void react(struct schedule *s, const struct schedule_event *event, int64_t now)
{
    size_t lane = s->attempts.data[event->attempt].lane;
    size_t step = s->attempts.data[event->attempt].step;
    const struct plan_lane *plan = &s->variant->lanes[lane];
    struct plan_reaction reaction = reaction_to(&plan->steps[step], event->reason);
    size_t next = plan_step_next(plan, step);
    if (reaction.kind == REACTION_END)
        return;
    if (reaction.kind == REACTION_GOTO || reaction.kind == REACTION_RETRY)
        next = reaction.target;
    next = pass_guards(s, lane, next);
    struct start_cause cause = {(int)event->attempt, -1};
    if (reaction.keeps_precision)
        cause.precision_of = (int)event->attempt;
    if (reaction.kind == REACTION_MITIGATE) {
        if (next == PLAN_END && waiting(s) == 0)
            next = reaction.target;
        else
            cause.precision_of = -1; // the next step is another one
    }
    if (reaction.kind == REACTION_GIVE && waiting(s) > 0 && next != PLAN_END) {
        queue(s, lane, next, cause.precision_of);
        return;
    }
    start(s, lane, next, cause, now);
}

static void attempt_ended(struct schedule *s, const struct schedule_event *event, int64_t now)
{
    assert(event->attempt < s->attempts.count);
    struct attempt_state *a = &s->attempts.data[event->attempt];
    assert(!a->ended && "an attempt ends once");
    a->ended = true;
    assert(s->running > 0 && a->cores <= s->busy);
    s->running--;
    s->busy -= a->cores;
    hear(s, event, now);
    // It has looked at all that the model's bounds let exist: nobody will find an error there, and nobody can prove more. Or it
    // saw that nobody can prove anything.
    if ((event->reason == END_BOUNDED || event->reason == END_BEYOND) && !s->closed)
        close_race(s, END_LOST);
    if (now >= s->end)
        s->closed = true;
    if (!s->closed)
        react(s, event, now);
}

// Ends the attempt that holds most, unless one that was asked to go for that is still there.
static void relieve_memory(struct schedule *s)
{
    size_t largest = SIZE_MAX;
    for (size_t i = 0; i < s->attempts.count; i++) {
        const struct attempt_state *a = &s->attempts.data[i];
        if (a->ended)
            continue;
        if (a->asked && a->reason == END_MEMORY)
            return;
        if (!a->asked && (largest == SIZE_MAX || a->bytes > s->attempts.data[largest].bytes))
            largest = i;
    }
    if (largest != SIZE_MAX)
        stop(s, largest, END_MEMORY);
}

// Its time is up, but a little more would do.
static void hear_forecast(struct schedule *s, const struct schedule_event *event, int64_t now)
{
    struct attempt_state *a = &s->attempts.data[event->attempt];
    double extend = s->variant->lanes[a->lane].steps[a->step].extend;
    double needs = (double)event->needs_ns;
    if (extend <= 0 || needs <= 0 || a->extended || a->asked || a->ended ||
        a->deadline == INT64_MAX)
        return;
    int64_t most = earlier(later(a->deadline, extend * (double)(a->deadline - a->began)),
                           s->lanes[a->lane].end);
    if (later(now, needs) > most)
        return;
    a->extended = true;
    a->deadline = earlier(later(now, 1.25 * needs), most);
    assert(a->deadline <= s->lanes[a->lane].end);
    struct schedule_action action = {
        .kind = SCHEDULE_EXTEND,
        .attempt = event->attempt,
        .lane = (unsigned)a->lane,
        .step = (unsigned)a->step,
        .deadline_ns = a->deadline,
    };
    VECTOR_PUSH(&s->actions, action);
}

static void limit_exceeded(struct schedule *s, const struct schedule_event *event)
{
    if (event->attempt != SCHEDULE_RUN) {
        assert(event->attempt < s->attempts.count);
        stop(s, event->attempt, event->reason);
    } else if (event->reason == END_MEMORY) {
        relieve_memory(s);
    } else {
        close_race(s, event->reason);
    }
}

static void check_deadlines(struct schedule *s, int64_t now)
{
    if (now >= s->end && !s->closed)
        close_race(s, END_TIMEOUT);
    if (schedule_waits(s) && now >= s->grace_end)
        close_race(s, END_LOST);
    for (size_t i = 0; i < s->attempts.count; i++)
        if (now >= s->attempts.data[i].deadline)
            stop(s, i, END_TIMEOUT);
}

static void begin(struct schedule *s, int64_t now)
{
    assert(!s->begun);
    s->begun = true;
    s->began = now;
    if (s->time_limit != INT64_MAX)
        s->end = later(now, (double)s->time_limit);
}

#ifndef NDEBUG
// The counts agree with the attempts, no core is taken twice, and a verdict has a winner.
static bool is_consistent(const struct schedule *s)
{
    unsigned running = 0, busy = 0;
    for (size_t i = 0; i < s->attempts.count; i++) {
        const struct attempt_state *a = &s->attempts.data[i];
        running += !a->ended;
        busy += a->ended ? 0 : a->cores;
    }
    return running == s->running && busy == s->busy && busy <= s->cores &&
           s->served <= s->queue.count && (s->winner < 0) == (s->verdict == VERDICT_UNKNOWN) &&
           (!s->finished || s->closed) && (s->closed || s->winner < 0 || schedule_waits(s));
}
#endif

size_t schedule_step(struct schedule *schedule, const struct schedule_event *event, int64_t now_ns,
                     const struct schedule_action **actions)
{
    struct schedule *s = schedule;
    assert((s->begun || event->kind == SCHEDULE_BEGIN) && "BEGIN comes first");
    VECTOR_CLEAR(&s->actions);
    switch (event->kind) {
    case SCHEDULE_BEGIN:
        begin(s, now_ns);
        break;
    case SCHEDULE_ENDED:
        attempt_ended(s, event, now_ns);
        break;
    case SCHEDULE_TICK:
        break;
    case SCHEDULE_INTERRUPT:
        close_race(s, END_INTERRUPTED);
        break;
    case SCHEDULE_FORECAST:
        assert(event->attempt < s->attempts.count);
        hear_forecast(s, event, now_ns);
        break;
    case SCHEDULE_HOLDS:
        assert(event->attempt < s->attempts.count);
        s->attempts.data[event->attempt].bytes = event->bytes;
        break;
    case SCHEDULE_EXCEEDED:
        limit_exceeded(s, event);
        break;
    }
    check_deadlines(s, now_ns);
    start_waiting_lanes(s, now_ns);
    if (s->running == 0 && !s->finished) {
        s->finished = true;
        s->closed = true;
        struct schedule_action finish = {.kind = SCHEDULE_FINISH};
        VECTOR_PUSH(&s->actions, finish);
    }
    assert(is_consistent(s));
    *actions = s->actions.data;
    return s->actions.count;
}

int64_t schedule_next_deadline(const struct schedule *schedule)
{
    int64_t next = schedule->grace_end;
    for (size_t i = 0; i < schedule->attempts.count; i++) {
        const struct attempt_state *a = &schedule->attempts.data[i];
        if (!a->ended && !a->asked)
            next = earlier(next, a->deadline);
    }
    return next;
}

enum verdict schedule_verdict(const struct schedule *schedule)
{
    return schedule->verdict;
}

int schedule_winner(const struct schedule *schedule)
{
    return schedule->winner;
}

bool schedule_waits(const struct schedule *schedule)
{
    return schedule->grace_end != INT64_MAX;
}

bool schedule_contradiction(const struct schedule *schedule)
{
    return schedule->contradiction;
}
