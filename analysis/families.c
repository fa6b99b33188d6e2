#include "analysis/families.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void collect_names(struct families *families, const struct score *score)
{
    families->names = memory_alloc((score->task_count + 1) * sizeof *families->names);
    for (size_t t = 0; t < score->task_count; t++)
        families->names[t] = score->tasks[t].family;
    if (score->task_count != 0)
        qsort(families->names, score->task_count, sizeof *families->names, compare_names);
    for (size_t t = 0; t < score->task_count; t++)
        if (families->count == 0 ||
            strcmp(families->names[families->count - 1], families->names[t]) != 0)
            families->names[families->count++] = families->names[t];
    families->of_task = memory_alloc((score->task_count + 1) * sizeof *families->of_task);
    for (size_t t = 0; t < score->task_count; t++) {
        const char *name = score->tasks[t].family;
        const char **found =
            bsearch(&name, families->names, families->count, sizeof name, compare_names);
        assert(found != NULL);
        families->of_task[t] = (size_t)(found - families->names);
    }
}

static void add_cell(struct family_cell *sum, const struct score_cell *cell)
{
    if (cell->outcome == OUTCOME_MISSING || cell->outcome == OUTCOME_ERROR)
        return;
    sum->tasks++;
    if (sum->peak_bytes < cell->peak_bytes)
        sum->peak_bytes = cell->peak_bytes;
    if (!outcome_solved(cell->outcome))
        return;
    sum->solved++;
    sum->wall_seconds += cell->wall_seconds;
}

void families_compute(struct families *families, const struct score *score,
                      const struct score_cell *best)
{
    *families = (struct families){.row_count = score->row_count + 1};
    collect_names(families, score);
    families->cells =
        memory_zalloc((families->row_count * families->count + 1) * sizeof *families->cells);
    for (size_t r = 0; r < families->row_count; r++)
        for (size_t t = 0; t < score->task_count; t++)
            add_cell(&families->cells[r * families->count + families->of_task[t]],
                     r < score->row_count ? score_cell(score, r, t) : &best[t]);
}

const struct family_cell *families_cell(const struct families *families, size_t row, size_t family)
{
    assert(row < families->row_count && family < families->count);
    return &families->cells[row * families->count + family];
}

void families_finish(struct families *families)
{
    memory_free(families->names);
    memory_free(families->of_task);
    memory_free(families->cells);
    *families = (struct families){0};
}
