#include "monitors/monitor.h"

#include "base/memory.h"

static const struct monitor *const monitors[] = {&monitor_repetition, NULL};

#define MONITOR_COUNT (sizeof monitors / sizeof *monitors - 1)

struct watch {
    void *states[MONITOR_COUNT];
};

const struct monitor *const *monitor_all(void)
{
    return monitors;
}

struct watch *watch_create(const struct configuration *configuration)
{
    struct watch *watch = memory_zalloc(sizeof *watch);
    for (size_t i = 0; i < MONITOR_COUNT; i++)
        watch->states[i] = monitors[i]->create(configuration);
    return watch;
}

void watch_destroy(struct watch *watch)
{
    if (!watch)
        return;
    for (size_t i = 0; i < MONITOR_COUNT; i++)
        if (watch->states[i])
            monitors[i]->destroy(watch->states[i]);
    memory_free(watch);
}

struct advice watch_judge(void *context, const struct engine_event *event)
{
    struct watch *watch = context;
    struct advice first = {.kind = ADVICE_GO_ON};
    for (size_t i = 0; i < MONITOR_COUNT; i++) {
        if (!watch->states[i])
            continue;
        struct advice advice = monitors[i]->judge(watch->states[i], event);
        if (first.kind == ADVICE_GO_ON)
            first = advice;
    }
    return first;
}
