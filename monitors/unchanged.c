#include "monitors/monitor.h"

#include <assert.h>

#include "base/memory.h"

// Refinements that leave the precision as it was (docs/definitions/monitors.md 3 and 10.1). Where the engine says that all
// that follows is a function of the precision, one is a proof (mitigation apart, which takes another counterexample next),
// and the check modes need no more: it is seen one building of the graph before the counterexample comes back. Elsewhere
// other parts of the graph may still move on, or a solver be lucky: a number of them in a row is a strong sign.

struct unchanged {
    int64_t patience, seen; // patience 0: a proof only
    bool checks, mitigates;
};

static void *unchanged_create(const struct configuration *configuration)
{
    const int64_t *values = configuration->values;
    int64_t mode = values[OPTION_MONITOR];
    bool checks = mode == MONITOR_CHECK || mode == MONITOR_CHECK_ARG;
    if (values[OPTION_STOP_UNCHANGED] == 0 && !checks)
        return NULL;
    struct unchanged *u = memory_zalloc(sizeof *u);
    u->patience = values[OPTION_STOP_UNCHANGED];
    u->checks = checks;
    u->mitigates = mode == MONITOR_MITIGATE || mode == MONITOR_MITIGATE_ARG;
    return u;
}

static struct advice unchanged_judge(void *state, const struct engine_event *event)
{
    struct unchanged *u = state;
    if (event->kind != EVENT_REFINED)
        return (struct advice){.kind = ADVICE_GO_ON};
    assert(!(event->repeats && event->precision_changed));
    u->seen = event->precision_changed ? 0 : u->seen + 1;
    bool proved = u->checks && event->repeats;
    if (!proved && (u->patience == 0 || u->seen < u->patience))
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = event->repeats && !u->mitigates
                   ? "exact loop: a refinement leaves the precision as it is"
                   : "probable loop: refinements leave the precision as it is",
    };
}

const struct monitor monitor_unchanged = {
    .name = "unchanged",
    .description = "refinements leave the precision as it is",
    .option = OPTION_STOP_UNCHANGED,
    .typical = 5,
    .create = unchanged_create,
    .destroy = memory_free,
    .judge = unchanged_judge,
};
