#include "monitors/monitor.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// Divergence: counterexamples that unroll the same loop once more each time, the states being new each
// time (x = 0, x = 1, x = 2, …). Only the shape counts, that is, the edges. Several such families may
// take turns, so a counterexample is compared with a few before it.
//
// Under mitigation the known counterexamples come up again before the new one: there, one that is
// not longer than these says nothing.

#define FAMILIES 4
// Longer counterexamples are not looked at.
#define LENGTH_LIMIT 100000

struct shape {
    uint32_t *data;
    size_t count, capacity;
};

struct family {
    struct shape last;
    size_t period; // of the loop
    int64_t seen;  // times it was unrolled once more
};

struct unrolling {
    int64_t limit;
    bool mitigate;
    struct family families[FAMILIES]; // the one that moved last comes first
    struct shape now;
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
    for (size_t i = 0; i < FAMILIES; i++)
        VECTOR_FINISH(&u->families[i].last);
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
    if (longer->count <= shorter->count || shorter->count == 0)
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

static bool longer_than_all(const struct unrolling *u)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (u->now.count <= u->families[i].last.count)
            return false;
    return true;
}

// Enters the shape at hand: into the family that it continues, or in place of the oldest one. Its
// family comes first then.
static const struct family *enter(struct unrolling *u)
{
    size_t at = 0, period = 0;
    while (at < FAMILIES && (period = one_more_round(&u->families[at].last, &u->now)) == 0)
        at++;
    struct family family = u->families[at < FAMILIES ? at : FAMILIES - 1];
    family.seen = period == 0 ? 0 : period == family.period ? family.seen + 1 : 1;
    family.period = period;
    struct shape last = family.last;
    family.last = u->now;
    u->now = last;
    memmove(u->families + 1, u->families,
            (at < FAMILIES ? at : FAMILIES - 1) * sizeof *u->families);
    u->families[0] = family;
    return &u->families[0];
}

static struct advice unrolling_judge(void *state, const struct engine_event *event)
{
    struct unrolling *u = state;
    if (event->kind != EVENT_COUNTEREXAMPLE || event->index > 0 ||
        event->counterexample->count > LENGTH_LIMIT)
        return (struct advice){.kind = ADVICE_GO_ON};
    take_shape(&u->now, event->counterexample);
    if (u->mitigate && !longer_than_all(u))
        return (struct advice){.kind = ADVICE_GO_ON};
    if (enter(u)->seen < u->limit)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "divergence: each counterexample unrolls the same loop once more",
    };
}

const struct monitor monitor_unrolling = {
    .name = "unrolling",
    .description = "each counterexample unrolls the same loop once more",
    .option = OPTION_STOP_UNROLLING,
    .typical = 16,
    .create = unrolling_create,
    .destroy = unrolling_destroy,
    .judge = unrolling_judge,
};
