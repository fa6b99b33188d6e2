#include "monitors/outlook.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

// Samples that a line is fitted through; a round that is over sooner needs no forecast.
#define WINDOW 8
// Samples are this part of the round's time apart, so that the window spans much of the round.
#define SPACING 16
#define LEAST_SPACING_NS INT64_C(5000000)

struct outlook {
    int64_t began_ns; // of this round, CPU time
    int64_t times_ns[WINDOW];
    double waiting[WINDOW];
    unsigned count; // of samples in the window, oldest first
};

struct outlook *outlook_create(void)
{
    return memory_zalloc(sizeof(struct outlook));
}

void outlook_destroy(struct outlook *outlook)
{
    memory_free(outlook);
}

static void take_sample(struct outlook *o, const struct engine_event *event)
{
    int64_t spacing = (event->cpu_ns - o->began_ns) / SPACING;
    spacing = spacing < LEAST_SPACING_NS ? LEAST_SPACING_NS : spacing;
    if (o->count > 0 && event->cpu_ns - o->times_ns[o->count - 1] < spacing)
        return;
    if (o->count == WINDOW) {
        memmove(o->times_ns, o->times_ns + 1, (WINDOW - 1) * sizeof *o->times_ns);
        memmove(o->waiting, o->waiting + 1, (WINDOW - 1) * sizeof *o->waiting);
        o->count--;
    }
    assert(o->count == 0 || event->cpu_ns > o->times_ns[o->count - 1]);
    o->times_ns[o->count] = event->cpu_ns;
    o->waiting[o->count++] = (double)event->waiting;
}

static double mean_waiting(const struct outlook *o, unsigned from, unsigned to)
{
    assert(from < to && to <= o->count);
    double sum = 0;
    for (unsigned i = from; i < to; i++)
        sum += o->waiting[i];
    return sum / (to - from);
}

// Nodes a nanosecond, by least squares.
static double slope(const struct outlook *o)
{
    double mean = mean_waiting(o, 0, WINDOW), mean_time = 0, above = 0, below = 0;
    for (unsigned i = 0; i < WINDOW; i++)
        mean_time += (double)(o->times_ns[i] - o->times_ns[0]) / WINDOW;
    for (unsigned i = 0; i < WINDOW; i++) {
        double t = (double)(o->times_ns[i] - o->times_ns[0]) - mean_time;
        above += t * (o->waiting[i] - mean);
        below += t * t;
    }
    assert(below > 0 && "samples are apart");
    return above / below;
}

// All the way down: neither a dent nor a saw.
static bool falls(const struct outlook *o)
{
    for (unsigned i = 1; i < WINDOW; i++)
        if (o->waiting[i] >= o->waiting[i - 1])
            return false;
    return true;
}

int64_t outlook_judge(struct outlook *o, const struct engine_event *event)
{
    if (event->kind == EVENT_ROUND || event->kind == EVENT_COUNTEREXAMPLE) {
        o->began_ns = event->cpu_ns;
        o->count = 0;
    }
    if (event->kind != EVENT_SAMPLE)
        return 0;
    take_sample(o, event);
    if (o->count < WINDOW || !falls(o))
        return 0;
    double ns = -(double)event->waiting / slope(o);
    return ns > 0 && ns < 9e18 ? (int64_t)ns + 1 : 0;
}
