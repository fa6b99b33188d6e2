#include "analysis/improver.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

// Of the changed step, or of a new one.
static const double SHARES[] = {0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7};
enum { SHARE_COUNT = sizeof SHARES / sizeof SHARES[0], NEW_SHARE_COUNT = 8 };
#define LEAST_GAIN 1e-3 // of the total: what is less is not worth a line in a plan

struct search {
    const struct tune_table *table;
    const struct tune_part *part;
    struct improver_plan *plan;
    // By lane, task of the part and step: the time that its lane has spent before it; INFINITY behind an answer.
    double *before[IMPROVER_MOST_LANES];
    struct tune_run *ends; // by lane and task of the part: as it is
    double *costs;         // by task of the part
    double *slowness;      // likewise; a change that would make it another is not considered
    double total;
};

static bool holds(const struct search *s, size_t guard, size_t task)
{
    return s->plan->guards[guard * s->table->task_count + task];
}

static struct tune_run sooner(struct tune_run a, struct tune_run b)
{
    return b.seconds < a.seconds ? b : a;
}

static double cost_of(const struct tune_table *table, struct tune_run run)
{
    return run.end == TUNE_SOLVED ? run.seconds : 2 * table->limit_seconds;
}

static bool lane_runs(const struct tune_table *table, const struct improver_plan *plan,
                      const struct improver_lane *lane, size_t task)
{
    for (size_t i = 0; i < lane->count; i++)
        if (plan->guards[lane->steps[i].guard * table->task_count + task])
            return true;
    return false;
}

// Where lanes share cores: how many times as long each takes, as if all ran to the end.
static double slowness_of(const struct tune_table *table, const struct improver_plan *plan,
                          size_t task)
{
    unsigned lanes = 0;
    for (size_t l = 0; l < plan->lane_count && plan->cores > 0; l++)
        lanes += lane_runs(table, plan, &plan->lanes[l], task);
    return lanes > plan->cores ? (double)lanes / plan->cores : 1;
}

// From step `first` on, begun when the lane had spent so much; fills `before` (from `first` on) where it is not NULL.
static struct tune_run play_lane(const struct tune_table *table, const struct improver_plan *plan,
                                 const struct improver_lane *lane, size_t first, double spent,
                                 size_t task, double slowness, double *before)
{
    static const struct tune_run never = {TUNE_UNSOLVED, INFINITY};
    struct tune_run answer = never;
    const bool *guards = &plan->guards[task];
    for (size_t i = first; i < lane->count; i++) {
        const struct improver_step *step = &lane->steps[i];
        if (before != NULL)
            before[i] = spent;
        if (!guards[step->guard * table->task_count])
            continue;
        const struct tune_run *run = step->configuration == IMPROVER_NO_RECORDS
                                         ? &never
                                         : tune_run(table, task, step->configuration);
        double left = table->limit_seconds - spent,
               budget = step->share > 0 ? left * step->share : fmin(step->seconds, left);
        double seconds = slowness * run->seconds;
        if (seconds <= budget && run->end != TUNE_UNSOLVED) {
            answer = (struct tune_run){run->end, spent + seconds};
            if (before == NULL)
                return answer;
            for (i++; i < lane->count; i++)
                before[i] = INFINITY;
            return answer;
        }
        spent += fmin(seconds, budget);
    }
    return answer;
}

struct tune_run improver_play(const struct tune_table *table, const struct improver_plan *plan,
                              size_t task)
{
    struct tune_run first = {TUNE_UNSOLVED, INFINITY};
    double slowness = slowness_of(table, plan, task);
    for (size_t l = 0; l < plan->lane_count; l++)
        first = sooner(first, play_lane(table, plan, &plan->lanes[l], 0, 0, task, slowness, NULL));
    return first;
}

static struct tune_run end_without(const struct search *s, size_t lane, size_t i)
{
    struct tune_run first = {TUNE_UNSOLVED, INFINITY};
    for (size_t l = 0; l < s->plan->lane_count; l++)
        if (l != lane)
            first = sooner(first, s->ends[l * s->part->count + i]);
    return first;
}

static void look(struct search *s)
{
    s->total = 0;
    for (size_t i = 0; i < s->part->count; i++) {
        struct tune_run first = {TUNE_UNSOLVED, INFINITY};
        s->slowness[i] = slowness_of(s->table, s->plan, s->part->tasks[i]);
        for (size_t l = 0; l < s->plan->lane_count; l++) {
            struct tune_run *end = &s->ends[l * s->part->count + i];
            *end = play_lane(s->table, s->plan, &s->plan->lanes[l], 0, 0, s->part->tasks[i],
                             s->slowness[i], &s->before[l][i * IMPROVER_MOST_STEPS]);
            first = sooner(first, *end);
        }
        s->costs[i] = cost_of(s->table, first);
        s->total += s->costs[i];
    }
}

// Changes

static void apply(const struct improver_change *change, struct improver_lane *lane)
{
    struct improver_step *at = &lane->steps[change->at];
    assert(change->at < lane->count);
    switch (change->kind) {
    case IMPROVER_SHARE:
        *at = change->step;
        break;
    case IMPROVER_SWAP: {
        struct improver_step first = at[0];
        at[0] = at[1];
        at[1] = first;
        break;
    }
    case IMPROVER_INSERT:
        assert(lane->count < IMPROVER_MOST_STEPS);
        memmove(at + 1, at, (lane->count - change->at) * sizeof *at);
        *at = change->step;
        lane->count++;
        break;
    }
}

// Is it a change at all for this task?
static bool concerns(const struct search *s, const struct improver_change *change, size_t task)
{
    return holds(s, change->step.guard, task) &&
           (change->kind != IMPROVER_SWAP ||
            holds(s, s->plan->lanes[change->lane].steps[change->at + 1].guard, task));
}

// A new step would wake a lane that shares its core and runs nothing for this task.
static bool wakes(const struct search *s, const struct improver_change *change, size_t task)
{
    return s->plan->cores > 0 && change->kind == IMPROVER_INSERT &&
           !lane_runs(s->table, s->plan, &s->plan->lanes[change->lane], task);
}

// Total gain; 0 where it is none, or no more than what single tasks may make of it.
static double gain_of(const struct search *s, const struct improver_change *change)
{
    struct improver_lane changed = s->plan->lanes[change->lane];
    double sum = 0, squares = 0, count = (double)s->part->count;
    apply(change, &changed);
    for (size_t i = 0; i < s->part->count; i++) {
        size_t task = s->part->tasks[i];
        double spent = s->before[change->lane][i * IMPROVER_MOST_STEPS + change->at];
        if (spent == INFINITY || !concerns(s, change, task))
            continue;
        if (wakes(s, change, task)) // what it costs the others is not computed
            return 0;
        struct tune_run end =
            play_lane(s->table, s->plan, &changed, change->at, spent, task, s->slowness[i], NULL);
        double gain = s->costs[i] - cost_of(s->table, sooner(end_without(s, change->lane, i), end));
        sum += gain;
        squares += gain * gain;
    }
    if (sum < LEAST_GAIN * s->total)
        return 0;
    double mean = sum / count, variance = (squares / count - mean * mean) * count / (count - 1);
    return mean < sqrt(variance / count) ? 0 : sum;
}

static void consider(const struct search *s, struct improver_change change,
                     struct improver_change *best)
{
    change.gain_seconds = gain_of(s, &change);
    if (change.gain_seconds > best->gain_seconds)
        *best = change;
}

static void consider_step(const struct search *s, size_t lane, size_t at,
                          struct improver_change *best)
{
    const struct improver_lane *steps = &s->plan->lanes[lane];
    struct improver_change change = {IMPROVER_SWAP, lane, at, steps->steps[at], 0};
    if (at + 1 < steps->count)
        consider(s, change, best);
    change.kind = IMPROVER_SHARE;
    change.step.seconds = 0;
    for (size_t i = 0; i < SHARE_COUNT && steps->steps[at].share < 1; i++) {
        change.step.share = SHARES[i];
        if (SHARES[i] != steps->steps[at].share)
            consider(s, change, best);
    }
}

// Behind a step that no task runs which the guard holds for, the same new step stood before that already.
static bool is_other_place(const struct search *s, size_t lane, size_t at, size_t guard)
{
    if (at == 0)
        return true;
    size_t before = s->plan->lanes[lane].steps[at - 1].guard;
    for (size_t i = 0; i < s->part->count; i++)
        if (holds(s, guard, s->part->tasks[i]) && holds(s, before, s->part->tasks[i]))
            return true;
    return false;
}

// Before a step, not behind the last: that one takes all that is left.
static void consider_new(const struct search *s, size_t lane, size_t at,
                         struct improver_change *best)
{
    struct improver_change change = {IMPROVER_INSERT, lane, at, {.origin = IMPROVER_NEW}, 0};
    for (size_t g = 0; g < s->plan->guard_count; g++) {
        if (!is_other_place(s, lane, at, g))
            continue;
        change.step.guard = g;
        for (size_t c = 0; c < s->table->configuration_count; c++)
            for (size_t i = 0; i < NEW_SHARE_COUNT; i++) {
                change.step.configuration = c;
                change.step.share = SHARES[i];
                consider(s, change, best);
            }
    }
}

static struct improver_change best_change(const struct search *s)
{
    struct improver_change best = {.gain_seconds = 0};
    for (size_t l = 0; l < s->plan->lane_count; l++) {
        const struct improver_lane *lane = &s->plan->lanes[l];
        for (size_t at = 0; at < lane->count; at++) {
            consider_step(s, l, at, &best);
            if (lane->count < IMPROVER_MOST_STEPS)
                consider_new(s, l, at, &best);
        }
    }
    return best;
}

void improver_improve(const struct tune_table *table, const struct tune_part *part,
                      struct improver_plan *plan)
{
    struct search s = {.table = table, .part = part, .plan = plan};
    if (part->count < 2) // no standard error
        return;
    s.ends = memory_alloc(plan->lane_count * part->count * sizeof *s.ends);
    s.costs = memory_alloc(part->count * sizeof *s.costs);
    s.slowness = memory_alloc(part->count * sizeof *s.slowness);
    for (size_t l = 0; l < plan->lane_count; l++)
        s.before[l] = memory_alloc(part->count * IMPROVER_MOST_STEPS * sizeof **s.before);
    while (plan->change_count < IMPROVER_MOST_CHANGES) {
        look(&s);
        struct improver_change best = best_change(&s);
        if (best.gain_seconds <= 0)
            break;
        apply(&best, &plan->lanes[best.lane]);
        plan->changes[plan->change_count++] = best;
    }
    for (size_t l = 0; l < plan->lane_count; l++)
        memory_free(s.before[l]);
    memory_free(s.ends);
    memory_free(s.costs);
    memory_free(s.slowness);
}
