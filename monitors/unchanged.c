#include "monitors/monitor.h"

#include "base/memory.h"

// Refinements that leave the precision as it was (docs/definitions/monitors.md 3 and 10.1). Under full pruning the next
// graph is the same, so one proves that the run repeats itself, up to a solver that answers the same
// question in another way; it is seen one building of the graph before the counterexample comes
// back. Without a solver that is fresh for each refutation it may be lucky next time. Under lazy pruning other parts of the graph may still move on: a number of them in a row is
// a strong sign.

struct unchanged {
    int64_t patience, seen;
    bool full;
};

// Full pruning makes the graph a function of the precision, one counterexample a round that of the graph, and a solver of
// its own for each refutation the refutation that of the counterexample: then one refinement that leaves the precision as
// it was proves that all that follow will. That is part of what the check modes do.
static bool is_exact(const int64_t *values)
{
    bool checks =
        values[OPTION_MONITOR] == MONITOR_CHECK || values[OPTION_MONITOR] == MONITOR_CHECK_ARG;
    return checks && values[OPTION_PRUNE] == PRUNE_FULL && values[OPTION_STOP] == STOP_FIRST &&
           values[OPTION_FRESH_SOLVER];
}

static void *unchanged_create(const struct configuration *configuration)
{
    const int64_t *values = configuration->values;
    bool exact = is_exact(values);
    if (values[OPTION_STOP_UNCHANGED] == 0 && !exact)
        return NULL;
    struct unchanged *u = memory_zalloc(sizeof *u);
    u->full = values[OPTION_PRUNE] == PRUNE_FULL;
    u->patience = exact ? 1 : values[OPTION_STOP_UNCHANGED];
    return u;
}

static struct advice unchanged_judge(void *state, const struct engine_event *event)
{
    struct unchanged *u = state;
    if (event->kind != EVENT_REFINED)
        return (struct advice){.kind = ADVICE_GO_ON};
    u->seen = event->precision_changed ? 0 : u->seen + 1;
    if (u->seen < u->patience)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = u->full ? "exact loop: refinements leave the precision as it is"
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
