#include "monitors/monitor.h"

#include <assert.h>

#include "base/memory.h"

// Explicit values that multiply: the nodes expanded lately have too many successors on average.

#define WINDOW 128 // nodes expanded

struct branching {
    uint64_t limit, expanded, successors;
};

static void *branching_create(const struct configuration *configuration)
{
    if (configuration->values[OPTION_STOP_BRANCHING] == 0)
        return NULL;
    struct branching *b = memory_zalloc(sizeof *b);
    b->limit = (uint64_t)configuration->values[OPTION_STOP_BRANCHING];
    return b;
}

static struct advice branching_judge(void *state, const struct engine_event *event)
{
    struct branching *b = state;
    assert(event->expanded >= b->expanded && event->successors >= b->successors);
    uint64_t expanded = event->expanded - b->expanded;
    uint64_t successors = event->successors - b->successors;
    if (expanded < WINDOW)
        return (struct advice){.kind = ADVICE_GO_ON};
    b->expanded = event->expanded;
    b->successors = event->successors;
    if (successors <= b->limit * expanded)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "endless abstraction: values multiply with every step",
    };
}

const struct monitor monitor_branching = {
    .name = "branching",
    .description = "the nodes expanded lately have too many successors",
    .option = OPTION_STOP_BRANCHING,
    .typical = 50,
    .create = branching_create,
    .destroy = memory_free,
    .judge = branching_judge,
};
