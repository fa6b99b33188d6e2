#include "analysis/attempts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void attempts_init(struct attempts *attempts)
{
    *attempts = (struct attempts){0};
}

void attempts_finish(struct attempts *attempts)
{
    for (size_t i = 0; i < attempts->count; i++)
        memory_free(attempts->rows[i].configuration);
    memory_free(attempts->rows);
    attempts_init(attempts);
}

static struct attempts_row *find(struct attempts *attempts, const char *configuration)
{
    for (size_t i = 0; i < attempts->count; i++)
        if (strcmp(attempts->rows[i].configuration, configuration) == 0)
            return &attempts->rows[i];
    if (attempts->count == attempts->capacity) {
        attempts->capacity = attempts->capacity != 0 ? 2 * attempts->capacity : 16;
        attempts->rows =
            memory_realloc(attempts->rows, attempts->capacity * sizeof *attempts->rows);
    }
    struct attempts_row *row = &attempts->rows[attempts->count++];
    *row = (struct attempts_row){.configuration = memory_strdup(configuration)};
    return row;
}

double attempts_bin_seconds(size_t bin)
{
    return 0.001 * pow(10, (double)bin / 8);
}

static size_t bin_of(double seconds)
{
    size_t bin = 0;
    while (bin + 1 < STALL_BINS && seconds >= attempts_bin_seconds(bin + 1))
        bin++;
    return bin;
}

void attempts_add(struct attempts *attempts, const struct run_record *run)
{
    for (size_t i = 0; i < run->attempt_count; i++) {
        const struct record *record = &run->attempts[i];
        struct attempts_row *row = find(attempts, record->configuration);
        row->started++;
        row->won += record->winner;
        row->ended[record->reason]++;
        if (record->reason == END_STALLED)
            row->stalls[bin_of(record->wall_seconds)]++;
        row->wall_seconds += record->wall_seconds;
        row->cpu_seconds += record->cpu_seconds;
        row->solver_seconds += record->solver_seconds;
        row->monitor_seconds += record->monitor_seconds;
        row->spared_seconds += record->spared_seconds;
        if (row->worst_stop_latency_seconds < record->stop_latency_seconds)
            row->worst_stop_latency_seconds = record->stop_latency_seconds;
    }
}

static int compare(const void *a, const void *b)
{
    const struct attempts_row *x = a, *y = b;
    if (x->won != y->won)
        return x->won > y->won ? -1 : 1;
    return strcmp(x->configuration, y->configuration);
}

void attempts_sort(struct attempts *attempts)
{
    if (attempts->count != 0)
        qsort(attempts->rows, attempts->count, sizeof *attempts->rows, compare);
}
