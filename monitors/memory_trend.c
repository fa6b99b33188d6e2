#include "monitors/monitor.h"

#include <assert.h>

#include "base/memory.h"

// Memory trend: at the rate of late, the limit is reached long before the budget ends. The rate is
// taken over windows of CPU time; several in a row have to agree.

#define WINDOW_NS ((int64_t)100000000)
#define WINDOWS 8

struct trend {
    int64_t percent;
    int64_t cpu_ns;
    uint64_t bytes;
    unsigned alarms;
    bool begun;
};

static void *trend_create(const struct configuration *configuration)
{
    if (configuration->values[OPTION_STOP_MEMORY] == 0)
        return NULL;
    struct trend *t = memory_zalloc(sizeof *t);
    t->percent = configuration->values[OPTION_STOP_MEMORY];
    return t;
}

// Will the limit be reached in time, and is a quarter of it used already?
static bool alarming(const struct trend *t, const struct engine_event *event)
{
    assert(event->cpu_ns > t->cpu_ns && event->memory_limit > 0);
    if (event->bytes <= t->bytes || event->bytes < event->memory_limit / 4)
        return false;
    double rate = (double)(event->bytes - t->bytes) / (double)(event->cpu_ns - t->cpu_ns);
    double left = event->bytes < event->memory_limit
                      ? (double)(event->memory_limit - event->bytes) / rate
                      : 0;
    return left < (double)event->remaining_ns / 100 * (double)t->percent;
}

static struct advice trend_judge(void *state, const struct engine_event *event)
{
    struct trend *t = state;
    if (event->memory_limit == 0 || event->remaining_ns <= 0 ||
        (t->begun && event->cpu_ns - t->cpu_ns < WINDOW_NS))
        return (struct advice){.kind = ADVICE_GO_ON};
    t->alarms = t->begun && alarming(t, event) ? t->alarms + 1 : 0;
    t->begun = true;
    t->cpu_ns = event->cpu_ns;
    t->bytes = event->bytes;
    if (t->alarms < WINDOWS)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "slow growth: memory will run out long before the budget",
    };
}

const struct monitor monitor_memory_trend = {
    .name = "memory",
    .description = "memory will run out long before the budget",
    .option = OPTION_STOP_MEMORY,
    .typical = 50,
    .create = trend_create,
    .destroy = memory_free,
    .judge = trend_judge,
};
