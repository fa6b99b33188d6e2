#include "monitors/monitor.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"

#define LIST_MONITOR(name) &monitor_##name,
static const struct monitor *const monitors[] = {MONITORS(LIST_MONITOR) NULL};
#undef LIST_MONITOR

#define MONITOR_COUNT (sizeof monitors / sizeof *monitors - 1)

// Who looks on.
struct observer {
    const struct monitor *monitor;
    void *state; // NULL: it has nothing to say in this configuration
};

struct watch {
    void *states[MONITOR_COUNT];
    // Calibration.
    struct observer observers[SIGHTING_LIMIT];
    struct observer mitigation[2]; // that of the configuration, which has a say, and the other one
    struct sightings *sightings;   // NULL = the monitors have a say
};

// Looks on beside the typical ones, to see what another value does. For the repetition it is the patience.
static const struct beside {
    const struct monitor *monitor;
    int64_t value;
    enum option_value mode; // MONITOR_CHECK but for the strict repetition
} besides[] = {
    {&monitor_repetition, 1, MONITOR_CHECK},  {&monitor_repetition, 1, MONITOR_CHECK_ARG},
    {&monitor_unchanged, 1, MONITOR_CHECK},   {&monitor_unchanged, 2, MONITOR_CHECK},
    {&monitor_unrolling, 10, MONITOR_CHECK},  {&monitor_unrolling, 32, MONITOR_CHECK},
    {&monitor_unrolling, 64, MONITOR_CHECK},  {&monitor_growth, 32, MONITOR_CHECK},
    {&monitor_branching, 200, MONITOR_CHECK}, {&monitor_endless, 100, MONITOR_CHECK},
    {&monitor_endless, 500, MONITOR_CHECK},   {&monitor_forecast, 10, MONITOR_CHECK},
    {&monitor_solver, 100, MONITOR_CHECK},
};

#define BESIDE_COUNT (sizeof besides / sizeof *besides)

_Static_assert(MONITOR_COUNT + 1 + BESIDE_COUNT <= SIGHTING_LIMIT, "a sighting for each");

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

static bool mitigates(const struct configuration *configuration)
{
    int64_t mode = configuration->values[OPTION_MONITOR];
    return mode == MONITOR_MITIGATE || mode == MONITOR_MITIGATE_ARG;
}

static void add_observer(struct watch *watch, const struct configuration *configuration,
                         const struct monitor *monitor, enum option_value mode, int64_t value,
                         bool beside)
{
    struct sightings *out = watch->sightings;
    assert(out->count < SIGHTING_LIMIT);
    struct configuration mine = *configuration; // borrowed; values of its own
    if (monitor == &monitor_repetition || !mitigates(configuration))
        mine.values[OPTION_MONITOR] = mode;
    if (monitor == &monitor_repetition)
        mine.values[OPTION_PATIENCE] = value;
    else
        mine.values[monitor->option] = value;
    struct sighting *sighting = &out->items[out->count];
    *sighting = (struct sighting){0};
    int length = snprintf(sighting->monitor, sizeof sighting->monitor, "%s%s", monitor->name,
                          mode == MONITOR_CHECK_ARG ? "+graph" : "");
    if (beside)
        snprintf(sighting->monitor + length, sizeof sighting->monitor - (size_t)length, "=%lld",
                 (long long)value);
    watch->observers[out->count++] = (struct observer){monitor, monitor->create(&mine)};
}

static void mitigate(struct watch *watch, const struct configuration *configuration)
{
    if (!mitigates(configuration))
        return;
    struct configuration other = *configuration; // as above
    other.values[OPTION_MONITOR] = configuration->values[OPTION_MONITOR] == MONITOR_MITIGATE
                                       ? MONITOR_MITIGATE_ARG
                                       : MONITOR_MITIGATE;
    const struct monitor *monitor = &monitor_repetition;
    watch->mitigation[0] = (struct observer){monitor, monitor->create(configuration)};
    watch->mitigation[1] = (struct observer){monitor, monitor->create(&other)};
    watch->sightings->mitigates = watch->sightings->keys_agree = true;
}

struct watch *watch_create_observing(const struct configuration *configuration,
                                     struct sightings *out)
{
    struct watch *watch = memory_zalloc(sizeof *watch);
    const int64_t *values = configuration->values;
    int64_t patience = values[OPTION_PATIENCE];
    watch->sightings = out;
    *out = (struct sightings){0};
    for (size_t i = 0; i < MONITOR_COUNT; i++) {
        const struct monitor *m = monitors[i];
        int64_t value = values[m->option] != 0 ? values[m->option] : m->typical;
        add_observer(watch, configuration, m, MONITOR_CHECK,
                     m == &monitor_repetition ? patience : value, false);
    }
    add_observer(watch, configuration, &monitor_repetition, MONITOR_CHECK_ARG, patience, false);
    for (size_t i = 0; i < BESIDE_COUNT; i++)
        add_observer(watch, configuration, besides[i].monitor, besides[i].mode, besides[i].value,
                     true);
    mitigate(watch, configuration);
    return watch;
}

static void observer_finish(struct observer *observer)
{
    if (observer->state != NULL)
        observer->monitor->destroy(observer->state);
}

void watch_destroy(struct watch *watch)
{
    if (watch == NULL)
        return;
    for (size_t i = 0; i < MONITOR_COUNT; i++)
        if (watch->states[i] != NULL)
            monitors[i]->destroy(watch->states[i]);
    for (size_t i = 0; i < SIGHTING_LIMIT; i++)
        observer_finish(&watch->observers[i]);
    observer_finish(&watch->mitigation[0]);
    observer_finish(&watch->mitigation[1]);
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

// The advice is that of a mitigating configuration to go on past what is known; there is no other.
static struct advice look_on(struct watch *watch, const struct engine_event *event)
{
    struct sightings *sightings = watch->sightings;
    for (size_t i = 0; i < sightings->count; i++) {
        const struct observer *o = &watch->observers[i];
        if (o->state != NULL)
            note(&sightings->items[i], o->monitor->judge(o->state, event), event);
    }
    struct advice own = {.kind = ADVICE_GO_ON};
    const struct observer *mitigation = watch->mitigation;
    if (mitigation[0].state == NULL)
        return own;
    own = mitigation[0].monitor->judge(mitigation[0].state, event);
    struct advice other = mitigation[1].monitor->judge(mitigation[1].state, event);
    sightings->keys_agree &= own.kind == other.kind;
    return own;
}

struct advice watch_judge(void *context, const struct engine_event *event)
{
    struct watch *watch = context;
    struct advice first = {.kind = ADVICE_GO_ON};
    if (watch->sightings != NULL)
        return look_on(watch, event);
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
