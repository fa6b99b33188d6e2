#include "analysis/chooser.h"

#include <math.h>

#include "base/memory.h"

// Times of slices that are tried: a row of 26, from 1/10000 of what is left to all of it.
enum { GRID = 26 };
static const double GRID_RATIO = 1.45;

struct neighbour {
    size_t task;
    double weight; // 0: it would have been solved by now
};

struct chooser {
    const struct tune_table *table;
    const struct kinship *kinship;
    const struct tune_part *known;
    struct chooser_settings settings;
    struct neighbour *near; // of the task
    size_t count;
    double *costs; // scratch: one a configuration
    bool *over;    // configurations that ended by themselves
};

struct chooser *chooser_make(const struct tune_table *table, const struct kinship *kinship,
                             const struct tune_part *known, struct chooser_settings settings)
{
    struct chooser *chooser = memory_zalloc(sizeof *chooser);
    *chooser = (struct chooser){
        .table = table,
        .kinship = kinship,
        .known = known,
        .settings = settings,
        .near = memory_alloc(known->count * sizeof *chooser->near),
        .costs = memory_alloc(table->configuration_count * sizeof *chooser->costs),
        .over = memory_alloc(table->configuration_count * sizeof *chooser->over),
    };
    return chooser;
}

void chooser_destroy(struct chooser *chooser)
{
    if (chooser == NULL)
        return;
    memory_free(chooser->near);
    memory_free(chooser->costs);
    memory_free(chooser->over);
    memory_free(chooser);
}

void chooser_begin(struct chooser *chooser, size_t task)
{
    double prior = chooser->settings.prior / (double)chooser->known->count;
    chooser->count = 0;
    for (size_t i = 0; i < chooser->known->count; i++) {
        size_t other = chooser->known->tasks[i];
        double distance = 1 - kinship_of(chooser->kinship, task, other);
        chooser->near[chooser->count++] =
            (struct neighbour){other, exp(-distance / chooser->settings.width) + prior};
    }
    for (size_t c = 0; c < chooser->table->configuration_count; c++)
        chooser->over[c] = false;
}

// What a task costs from now on when it is not solved in time; `left` of the limit is left.
static double penalty(const struct chooser *chooser, double left)
{
    return chooser->table->limit_seconds + left;
}

// Expected cost when the slice is run and then one configuration for the rest.
static double expected(struct chooser *chooser, struct chooser_slice slice, double left)
{
    const struct tune_table *table = chooser->table;
    double first = 0;
    for (size_t c = 0; c < table->configuration_count; c++)
        chooser->costs[c] = 0;
    for (size_t i = 0; i < chooser->count; i++) {
        const struct neighbour *near = &chooser->near[i];
        const struct tune_run *run = tune_run(table, near->task, slice.configuration);
        bool ends = run->seconds <= slice.seconds;
        if (ends && run->end != TUNE_UNSOLVED) {
            first +=
                near->weight * (run->end == TUNE_SOLVED ? run->seconds : penalty(chooser, left));
            continue;
        }
        double spent = ends ? run->seconds : slice.seconds;
        for (size_t c = 0; c < table->configuration_count; c++) {
            const struct tune_run *then = tune_run(table, near->task, c);
            bool solves = then->end == TUNE_SOLVED && spent + then->seconds <= left;
            chooser->costs[c] +=
                near->weight * (solves ? spent + then->seconds : penalty(chooser, left));
        }
    }
    double least = INFINITY;
    for (size_t c = 0; c < table->configuration_count; c++)
        if (!chooser->over[c] && chooser->costs[c] < least)
            least = chooser->costs[c];
    return first + (least == INFINITY ? 0 : least);
}

static void forget_solved(struct chooser *chooser)
{
    size_t kept = 0;
    for (size_t i = 0; i < chooser->count; i++)
        if (chooser->near[i].weight > 0)
            chooser->near[kept++] = chooser->near[i];
    chooser->count = kept;
}

bool chooser_next(struct chooser *chooser, double left_seconds, struct chooser_slice *slice)
{
    double least = INFINITY;
    for (size_t c = 0; c < chooser->table->configuration_count; c++) {
        double seconds = left_seconds;
        for (int step = 0; step < GRID && !chooser->over[c]; step++, seconds /= GRID_RATIO) {
            struct chooser_slice candidate = {c, seconds};
            double cost = expected(chooser, candidate, left_seconds);
            if (cost < least) {
                least = cost;
                *slice = candidate;
            }
        }
    }
    return least < INFINITY;
}

void chooser_failed(struct chooser *chooser, struct chooser_slice slice, double seconds,
                    bool by_itself)
{
    for (size_t i = 0; i < chooser->count; i++) {
        struct neighbour *near = &chooser->near[i];
        const struct tune_run *run = tune_run(chooser->table, near->task, slice.configuration);
        bool ended = run->seconds <= slice.seconds;
        if (run->end != TUNE_UNSOLVED && run->seconds <= seconds)
            near->weight = 0;
        else if ((run->end == TUNE_UNSOLVED && ended) != by_itself)
            near->weight *= chooser->settings.surprise;
    }
    forget_solved(chooser);
    chooser->over[slice.configuration] |= by_itself;
}

struct tune_run chooser_play(struct chooser *chooser, size_t task)
{
    double spent = 0, limit = chooser->table->limit_seconds;
    struct chooser_slice slice;
    chooser_begin(chooser, task);
    while (spent < limit && chooser_next(chooser, limit - spent, &slice)) {
        const struct tune_run *run = tune_run(chooser->table, task, slice.configuration);
        bool ends = run->seconds <= slice.seconds;
        if (ends && run->end != TUNE_UNSOLVED)
            return (struct tune_run){run->end, spent + run->seconds};
        double seconds = ends ? run->seconds : slice.seconds;
        spent += seconds;
        chooser_failed(chooser, slice, seconds, ends);
    }
    return (struct tune_run){TUNE_UNSOLVED, INFINITY};
}
