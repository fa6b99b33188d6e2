#include "monitors/monitor.h"

#include <assert.h>

#include "base/memory.h"

// Outgrown: an abstraction that has more states than the exploration it was to be smaller than had after as many expansions.
// State aggregation may do that (Zurowska 2014, Initialization: 129 against 89). Wrong where it would have caught up later; two
// samples with twice the effort between them have to agree.

#define LEAST_NODES 200

struct outgrown {
    int64_t percent;
    uint64_t expanded; // at the first alarm; 0: none
};

static void *outgrown_create(const struct configuration *configuration)
{
    if (configuration->values[OPTION_STOP_OUTGROWN] == 0)
        return NULL;
    struct outgrown *o = memory_zalloc(sizeof *o);
    o->percent = configuration->values[OPTION_STOP_OUTGROWN];
    return o;
}

static struct advice outgrown_judge(void *state, const struct engine_event *event)
{
    struct outgrown *o = state;
    assert(event->expanded >= o->expanded);
    struct advice go_on = {.kind = ADVICE_GO_ON};
    if (event->baseline < LEAST_NODES)
        return go_on;
    if ((double)event->nodes * 100 <= (double)event->baseline * (double)o->percent) {
        o->expanded = 0;
        return go_on;
    }
    if (o->expanded == 0)
        o->expanded = event->expanded;
    if (event->expanded < 2 * o->expanded)
        return go_on;
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "outgrown: more states than with less abstraction",
    };
}

const struct monitor monitor_outgrown = {
    .name = "outgrown",
    .description = "an abstraction has more states than what it was to be smaller than",
    .option = OPTION_STOP_OUTGROWN,
    .typical = 100,
    .create = outgrown_create,
    .destroy = memory_free,
    .judge = outgrown_judge,
};
