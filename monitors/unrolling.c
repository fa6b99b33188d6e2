#include "monitors/monitor.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// Divergence: each counterexample is the one before with one more round of the same loop, the states
// being new each time (x = 0, x = 1, x = 2, …). Only the shape counts, that is, the edges.
//
// Under mitigation the known counterexamples come up again before the new one: there, one that is
// not longer says nothing.

// Longer ones are not looked at.
#define LENGTH_LIMIT 100000

struct shape {
    uint32_t *data;
    size_t count, capacity;
};

struct unrolling {
    int64_t limit, seen;
    bool mitigate;
    size_t period; // of the loop
    struct shape last, now;
};

static void *unrolling_create(const struct configuration *configuration)
{
    const int64_t *values = configuration->values;
    if (values[OPTION_STOP_UNROLLING] == 0)
        return NULL;
    struct unrolling *u = memory_zalloc(sizeof *u);
    u->limit = values[OPTION_STOP_UNROLLING];
    u->mitigate = values[OPTION_MONITOR] == MONITOR_MITIGATE ||
                  values[OPTION_MONITOR] == MONITOR_MITIGATE_ARG;
    return u;
}

static void unrolling_destroy(void *state)
{
    struct unrolling *u = state;
    VECTOR_FINISH(&u->last);
    VECTOR_FINISH(&u->now);
    memory_free(u);
}

static void take_shape(struct shape *shape, const struct counterexample *c)
{
    VECTOR_CLEAR(shape);
    for (size_t i = 1; i < c->count; i += 2)
        VECTOR_PUSH(shape, c->items[i]);
}

// `longer` is `shorter` with a block inserted that repeats the one before it: the block's length, or 0.
static size_t one_more_round(const struct shape *shorter, const struct shape *longer)
{
    if (longer->count <= shorter->count)
        return 0;
    size_t period = longer->count - shorter->count, at = 0;
    while (at < shorter->count && shorter->data[at] == longer->data[at])
        at++;
    const uint32_t *block = longer->data + at;
    bool rest =
        memcmp(shorter->data + at, block + period, (shorter->count - at) * sizeof *block) == 0;
    bool again = at >= period && memcmp(block - period, block, period * sizeof *block) == 0;
    return rest && again ? period : 0;
}

static void swap(struct unrolling *u)
{
    struct shape last = u->last;
    u->last = u->now;
    u->now = last;
}

static struct advice unrolling_judge(void *state, const struct engine_event *event)
{
    struct unrolling *u = state;
    struct advice advice = {.kind = ADVICE_GO_ON};
    if (event->kind != EVENT_COUNTEREXAMPLE || event->index > 0 ||
        event->counterexample->count > LENGTH_LIMIT)
        return advice;
    take_shape(&u->now, event->counterexample);
    if (u->mitigate && u->now.count <= u->last.count)
        return advice;
    size_t period = u->last.count ? one_more_round(&u->last, &u->now) : 0;
    u->seen = period == 0 ? 0 : period == u->period ? u->seen + 1 : 1;
    u->period = period;
    swap(u);
    if (u->seen >= u->limit)
        advice = (struct advice){
            .kind = ADVICE_STOP,
            .reason = END_STALLED,
            .why = "divergence: each counterexample unrolls the same loop once more",
        };
    return advice;
}

const struct monitor monitor_unrolling = {
    .name = "unrolling",
    .description = "each counterexample unrolls the same loop once more",
    .option = OPTION_STOP_UNROLLING,
    .typical = 8,
    .create = unrolling_create,
    .destroy = unrolling_destroy,
    .judge = unrolling_judge,
};
