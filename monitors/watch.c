#include "monitors/monitor.h"

#include <assert.h>

#include "base/memory.h"

#define LIST_MONITOR(name) &monitor_##name,
static const struct monitor *const monitors[] = {MONITORS(LIST_MONITOR) NULL};
#undef LIST_MONITOR

#define MONITOR_COUNT (sizeof monitors / sizeof *monitors - 1)

struct watch {
    void *states[MONITOR_COUNT];
    void *strict;                // calibration: repetition in mode CHECK_ARG
    struct sightings *sightings; // calibration; NULL = they have a say
};

_Static_assert(MONITOR_COUNT < SIGHTING_LIMIT, "a sighting for every monitor");

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

struct watch *watch_create_observing(const struct configuration *configuration,
                                     struct sightings *out)
{
    struct configuration all = *configuration; // borrowed; values of its own
    for (size_t i = 0; i < MONITOR_COUNT; i++)
        if (all.values[monitors[i]->option] == 0)
            all.values[monitors[i]->option] = monitors[i]->typical;
    all.values[OPTION_MONITOR] = MONITOR_CHECK;
    struct watch *watch = watch_create(&all);
    all.values[OPTION_MONITOR] = MONITOR_CHECK_ARG;
    watch->strict = monitor_repetition.create(&all);
    watch->sightings = out;
    *out = (struct sightings){.count = MONITOR_COUNT + 1};
    for (size_t i = 0; i < MONITOR_COUNT; i++)
        out->items[i].monitor = monitors[i]->name;
    out->items[MONITOR_COUNT].monitor = "repetition+graph";
    return watch;
}

void watch_destroy(struct watch *watch)
{
    if (watch == NULL)
        return;
    for (size_t i = 0; i < MONITOR_COUNT; i++)
        if (watch->states[i] != NULL)
            monitors[i]->destroy(watch->states[i]);
    if (watch->strict != NULL)
        monitor_repetition.destroy(watch->strict);
    memory_free(watch);
}

static void note(struct sighting *sighting, struct advice advice, const struct engine_event *event)
{
    if (advice.kind != ADVICE_STOP || sighting->why != NULL)
        return;
    sighting->why = advice.why;
    sighting->iteration = event->iteration;
    sighting->cpu_ns = event->cpu_ns;
}

static void look_on(struct watch *watch, const struct engine_event *event)
{
    assert(watch->sightings->count == MONITOR_COUNT + 1);
    struct sighting *items = watch->sightings->items;
    for (size_t i = 0; i < MONITOR_COUNT; i++)
        if (watch->states[i] != NULL)
            note(&items[i], monitors[i]->judge(watch->states[i], event), event);
    note(&items[MONITOR_COUNT], monitor_repetition.judge(watch->strict, event), event);
}

struct advice watch_judge(void *context, const struct engine_event *event)
{
    struct watch *watch = context;
    struct advice first = {.kind = ADVICE_GO_ON};
    if (watch->sightings != NULL) {
        look_on(watch, event);
        return first;
    }
    for (size_t i = 0; i < MONITOR_COUNT; i++) {
        if (watch->states[i] == NULL)
            continue;
        struct advice advice = monitors[i]->judge(watch->states[i], event);
        assert(advice.kind != ADVICE_STOP || (advice.why != NULL && advice.reason == END_STALLED));
        if (first.kind == ADVICE_GO_ON)
            first = advice;
    }
    return first;
}
