#include "monitors/monitor.h"

#include "base/memory.h"

// Predicates that grow without end: the largest element of each refinement is larger than all before.

struct growth {
    int64_t limit, seen;
    uint64_t largest;
};

static void *growth_create(const struct configuration *configuration)
{
    const int64_t *values = configuration->values;
    if (values[OPTION_STOP_GROWTH] == 0 || values[OPTION_DOMAIN] == DOMAIN_EXPL)
        return NULL;
    struct growth *g = memory_zalloc(sizeof *g);
    g->limit = values[OPTION_STOP_GROWTH];
    return g;
}

static struct advice growth_judge(void *state, const struct engine_event *event)
{
    struct growth *g = state;
    if (event->kind != EVENT_REFINED)
        return (struct advice){.kind = ADVICE_GO_ON};
    g->seen = event->element_size > g->largest ? g->seen + 1 : 0;
    if (event->element_size > g->largest)
        g->largest = event->element_size;
    if (g->seen < g->limit)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "divergence: the predicates grow and grow",
    };
}

const struct monitor monitor_growth = {
    .name = "growth",
    .description = "the largest predicate of each refinement is larger than all before",
    .option = OPTION_STOP_GROWTH,
    .typical = 8,
    .create = growth_create,
    .destroy = memory_free,
    .judge = growth_judge,
};
