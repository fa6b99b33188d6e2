#include "monitors/monitor.h"

#include "base/memory.h"

// Solver heartbeat: calls that take many times as long as they did. Judged after the calls have come
// back; one that does not is seen from outside (portfolio/run_limits.c).

#define CALLS_BEFORE 64                // calls that make the expectation
#define WINDOW_NS ((int64_t)500000000) // solver time looked at together

struct heartbeat {
    int64_t times;
    uint64_t checks; // at the beginning of the window
    int64_t ns;
};

static void *heartbeat_create(const struct configuration *configuration)
{
    if (configuration->values[OPTION_STOP_SOLVER] == 0)
        return NULL;
    struct heartbeat *h = memory_zalloc(sizeof *h);
    h->times = configuration->values[OPTION_STOP_SOLVER];
    return h;
}

static struct advice heartbeat_judge(void *state, const struct engine_event *event)
{
    struct heartbeat *h = state;
    if (event->solver_checks < h->checks || event->solver_ns < h->ns)
        *h = (struct heartbeat){.times = h->times}; // another engine goes on, and counts anew
    uint64_t checks = event->solver_checks - h->checks;
    int64_t ns = event->solver_ns - h->ns;
    if (checks == 0 || (ns < WINDOW_NS && h->checks >= CALLS_BEFORE))
        return (struct advice){.kind = ADVICE_GO_ON};
    double expected = h->checks ? (double)h->ns / (double)h->checks : 0;
    bool known = h->checks >= CALLS_BEFORE;
    h->checks = event->solver_checks;
    h->ns = event->solver_ns;
    if (!known || (double)ns / (double)checks <= (double)h->times * expected)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "slow growth: solver calls take many times what they took before",
    };
}

const struct monitor monitor_solver = {
    .name = "solver",
    .description = "solver calls take many times what they took before",
    .option = OPTION_STOP_SOLVER,
    .typical = 20,
    .create = heartbeat_create,
    .destroy = memory_free,
    .judge = heartbeat_judge,
};
