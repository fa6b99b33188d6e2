#include "monitors/monitor.h"

#include <assert.h>

#include "base/memory.h"

// Endless abstraction: one round makes many times the nodes of the largest round before it, most of
// what it finds is new (little is covered), and no counterexample comes. Only counters from inside
// the round show it.

// A round of fewer nodes than this counts as one of so many.
#define SMALL_ROUND 1000

struct endless {
    uint64_t times;
    uint64_t begin, covered_begin; // at the beginning of this round
    uint64_t largest;              // nodes made in one round so far
};

static void *endless_create(const struct configuration *configuration)
{
    if (configuration->values[OPTION_STOP_ENDLESS] == 0)
        return NULL;
    struct endless *e = memory_zalloc(sizeof *e);
    e->times = (uint64_t)configuration->values[OPTION_STOP_ENDLESS];
    e->largest = SMALL_ROUND;
    return e;
}

static void begin_round(struct endless *e, const struct engine_event *event)
{
    if (event->created - e->begin > e->largest)
        e->largest = event->created - e->begin;
    e->begin = event->created;
    e->covered_begin = event->covered;
}

static struct advice endless_judge(void *state, const struct engine_event *event)
{
    struct endless *e = state;
    assert(e->largest >= SMALL_ROUND);
    if (event->created < e->begin)
        e->begin = e->covered_begin = 0; // another engine goes on, and counts anew
    if (event->kind == EVENT_ROUND)
        begin_round(e, event);
    uint64_t made = event->created - e->begin;
    // Covering is what ends a round: while it keeps up, there is progress.
    uint64_t covered = event->covered > e->covered_begin ? event->covered - e->covered_begin : 0;
    if (event->kind != EVENT_SAMPLE || event->iteration < 2 || made <= e->times * e->largest ||
        2 * covered > made)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "endless abstraction: a round has far more nodes than any before",
    };
}

const struct monitor monitor_endless = {
    .name = "endless",
    .description = "a round has far more nodes than any before",
    .option = OPTION_STOP_ENDLESS,
    .typical = 20,
    .create = endless_create,
    .destroy = memory_free,
    .judge = endless_judge,
};
