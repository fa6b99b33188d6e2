#include "analysis/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_ATTEMPTS = 200 }; // kept of a run: the first to start

void timeline_init(struct timeline *timeline, size_t most)
{
    *timeline = (struct timeline){.most = most};
    timeline->runs = memory_zalloc((most + 1) * sizeof *timeline->runs);
}

static void finish_run(struct timeline_run *run)
{
    for (size_t i = 0; i < run->attempt_count; i++) {
        memory_free(run->attempts[i].configuration);
        memory_free(run->attempts[i].cpus);
        memory_free(run->attempts[i].why);
    }
    memory_free(run->attempts);
    memory_free(run->task);
    memory_free(run->plan);
}

void timeline_finish(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        finish_run(&timeline->runs[i]);
    memory_free(timeline->runs);
    *timeline = (struct timeline){0};
}

static int compare_runs(const void *a, const void *b)
{
    const struct timeline_run *x = a, *y = b;
    if (x->contradiction != y->contradiction)
        return x->contradiction ? -1 : 1;
    if (x->wall_seconds != y->wall_seconds)
        return x->wall_seconds > y->wall_seconds ? -1 : 1;
    int order = strcmp(x->task, y->task);
    return order != 0 ? order : strcmp(x->plan, y->plan);
}

static void copy_run(struct timeline_run *out, const struct run_record *run)
{
    size_t count = run->attempt_count < MOST_ATTEMPTS ? run->attempt_count : MOST_ATTEMPTS;
    *out = (struct timeline_run){
        .task = memory_strdup(run->task),
        .plan = memory_strdup(run->plan),
        .cores = run->cores,
        .verdict = run->verdict,
        .contradiction = run->contradiction,
        .wall_seconds = run->wall_seconds,
        .attempts = memory_zalloc(count * sizeof *out->attempts),
        .attempt_count = count,
    };
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &run->attempts[i];
        out->attempts[i] = (struct timeline_attempt){
            .configuration = memory_strdup(record->configuration),
            .cpus = memory_strdup(record->cpus_got),
            .why = memory_strdup(record->why),
            .lane = record->lane,
            .reason = record->reason,
            .winner = record->winner,
            .start_seconds = record->start_seconds,
            .wall_seconds = record->wall_seconds,
            .stop_latency_seconds = record->stop_latency_seconds,
        };
    }
}

// The runs are a heap whose root is the first to go.
static void sink(struct timeline *timeline, size_t at)
{
    for (;;) {
        size_t last = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < timeline->count; child++)
            if (compare_runs(&timeline->runs[child], &timeline->runs[last]) > 0)
                last = child;
        if (last == at)
            return;
        struct timeline_run run = timeline->runs[at];
        timeline->runs[at] = timeline->runs[last];
        timeline->runs[last] = run;
        at = last;
    }
}

void timeline_add(struct timeline *timeline, const struct run_record *run)
{
    if (run->attempt_count < 2 || timeline->most == 0)
        return;
    assert(timeline->count <= timeline->most);
    timeline->seen++;
    if (timeline->count < timeline->most) {
        copy_run(&timeline->runs[timeline->count++], run);
        if (timeline->count == timeline->most)
            for (size_t i = timeline->most; i-- > 0;)
                sink(timeline, i);
        return;
    }
    const struct timeline_run candidate = {.task = run->task,
                                           .plan = run->plan,
                                           .contradiction = run->contradiction,
                                           .wall_seconds = run->wall_seconds};
    if (compare_runs(&candidate, &timeline->runs[0]) >= 0)
        return;
    finish_run(&timeline->runs[0]);
    copy_run(&timeline->runs[0], run);
    sink(timeline, 0);
}

void timeline_sort(struct timeline *timeline)
{
    if (timeline->count != 0)
        qsort(timeline->runs, timeline->count, sizeof *timeline->runs, compare_runs);
}
