#include "analysis/cover.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { COVER_WORK = 500000000 }; // words looked at, about: some half a second

// A class of tasks: those solved by the same rows. `solvers` is a set of rows, a bit each.
struct task_class {
    uint64_t *solvers;
    size_t words, size; // of the set
    size_t tasks;
};

struct search {
    size_t row_count, words;
    struct task_class *classes;
    size_t class_count;
    size_t *hits;   // for each class: how many of the chosen rows solve it
    size_t *chosen; // the rows of this branch
    size_t *best, best_count;
    uint64_t *used; // scratch of the lower bound: rows of the tasks taken
    size_t work;
};

static bool has(const struct task_class *class, size_t row)
{
    return (class->solvers[row / 64] >> (row % 64) & 1) != 0;
}

// Fewest solvers first: these tasks decide most, and bound best from below.
static int compare_classes(const void *a, const void *b)
{
    const struct task_class *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return memcmp(x->solvers, y->solvers, x->words * sizeof *x->solvers);
}

static void add_task(struct search *search, const struct score *score, size_t task,
                     bool configurations_only)
{
    struct task_class *class = &search->classes[search->class_count];
    *class = (struct task_class){.solvers = memory_zalloc(search->words * sizeof(uint64_t)),
                                 .words = search->words,
                                 .tasks = 1};
    for (size_t r = 0; r < score->row_count; r++) {
        if (configurations_only && score->rows[r].portfolio)
            continue;
        if (!outcome_solved(score_cell(score, r, task)->outcome))
            continue;
        class->solvers[r / 64] |= UINT64_C(1) << (r % 64);
        class->size++;
    }
    if (class->size != 0)
        search->class_count++;
    else
        memory_free(class->solvers);
}

static void merge_equal(struct search *search)
{
    size_t kept = 0;
    if (search->class_count != 0)
        qsort(search->classes, search->class_count, sizeof *search->classes, compare_classes);
    for (size_t i = 0; i < search->class_count; i++) {
        if (kept != 0 && compare_classes(&search->classes[kept - 1], &search->classes[i]) == 0) {
            search->classes[kept - 1].tasks += search->classes[i].tasks;
            memory_free(search->classes[i].solvers);
        } else {
            search->classes[kept++] = search->classes[i];
        }
    }
    search->class_count = kept;
}

static void choose(struct search *search, size_t row, size_t count)
{
    assert(row < search->row_count && count < search->row_count);
    search->chosen[count] = row;
    for (size_t c = 0; c < search->class_count; c++)
        search->hits[c] += has(&search->classes[c], row);
}

static void unchoose(struct search *search, size_t row)
{
    for (size_t c = 0; c < search->class_count; c++) {
        assert(search->hits[c] >= has(&search->classes[c], row));
        search->hits[c] -= has(&search->classes[c], row);
    }
}

// The row that solves most of the tasks left; row_count when none is left.
static size_t widest(const struct search *search, size_t *tasks)
{
    size_t best = search->row_count;
    *tasks = 0;
    for (size_t r = 0; r < search->row_count; r++) {
        size_t gain = 0;
        for (size_t c = 0; c < search->class_count; c++)
            if (search->hits[c] == 0 && has(&search->classes[c], r))
                gain += search->classes[c].tasks;
        if (gain > *tasks) {
            *tasks = gain;
            best = r;
        }
    }
    return best;
}

static void greedy(struct search *search)
{
    size_t tasks, row;
    while ((row = widest(search, &tasks)) < search->row_count) {
        choose(search, row, search->best_count);
        search->best[search->best_count++] = row;
    }
    for (size_t i = 0; i < search->best_count; i++)
        unchoose(search, search->best[i]);
}

// Tasks that are left and have no row in common need a row each.
static size_t at_least(struct search *search)
{
    search->work += search->class_count * (search->words + 1);
    size_t count = 0;
    memset(search->used, 0, search->words * sizeof *search->used);
    for (size_t c = 0; c < search->class_count; c++) {
        const struct task_class *class = &search->classes[c];
        bool apart = search->hits[c] == 0;
        for (size_t w = 0; apart && w < search->words; w++)
            apart = (search->used[w] & class->solvers[w]) == 0;
        for (size_t w = 0; apart && w < search->words; w++)
            search->used[w] |= class->solvers[w];
        count += apart;
    }
    return count;
}

static void branch(struct search *search, size_t count)
{
    if (search->work >= COVER_WORK || count + at_least(search) >= search->best_count)
        return;
    size_t open = 0;
    while (open < search->class_count && search->hits[open] != 0)
        open++;
    if (open == search->class_count) {
        memcpy(search->best, search->chosen, count * sizeof *search->best);
        search->best_count = count;
        return;
    }
    for (size_t r = 0; r < search->row_count; r++) {
        if (!has(&search->classes[open], r))
            continue;
        choose(search, r, count);
        branch(search, count + 1);
        unchoose(search, r);
    }
}

// The set in the order in which a reader would pick it, with what each adds.
static void order_set(struct search *search, struct cover *cover)
{
    cover->count = search->best_count;
    for (size_t i = 0; i < cover->count; i++) {
        size_t pick = 0, most = 0;
        for (size_t k = 0; k < search->best_count; k++) {
            size_t gain = 0;
            for (size_t c = 0; c < search->class_count; c++)
                if (search->hits[c] == 0 && has(&search->classes[c], search->best[k]))
                    gain += search->classes[c].tasks;
            if (gain > most) {
                most = gain;
                pick = k;
            }
        }
        if (most == 0) { // found in a hurry: the others cover what these do
            cover->count = i;
            return;
        }
        cover->rows[i] = search->best[pick];
        cover->adds[i] = most;
        choose(search, search->best[pick], 0);
    }
}

static void count_unique(const struct search *search, struct cover *cover)
{
    for (size_t c = 0; c < search->class_count; c++) {
        cover->tasks += search->classes[c].tasks;
        if (search->classes[c].size != 1)
            continue;
        for (size_t r = 0; r < search->row_count; r++)
            if (has(&search->classes[c], r))
                cover->unique[r] += search->classes[c].tasks;
    }
}

void cover_compute(struct cover *cover, const struct score *score, bool configurations_only)
{
    size_t rows = score->row_count, words = rows / 64 + 1;
    struct search search = {
        .row_count = rows,
        .words = words,
        .classes = memory_zalloc((score->task_count + 1) * sizeof *search.classes),
        .hits = memory_zalloc((score->task_count + 1) * sizeof(size_t)),
        .chosen = memory_zalloc((rows + 1) * sizeof(size_t)),
        .best = memory_zalloc((rows + 1) * sizeof(size_t)),
        .used = memory_zalloc(words * sizeof(uint64_t)),
    };
    *cover = (struct cover){
        .unique = memory_zalloc((rows + 1) * sizeof(size_t)),
        .rows = memory_zalloc((rows + 1) * sizeof(size_t)),
        .adds = memory_zalloc((rows + 1) * sizeof(size_t)),
    };
    for (size_t t = 0; t < score->task_count; t++)
        add_task(&search, score, t, configurations_only);
    merge_equal(&search);
    count_unique(&search, cover);
    greedy(&search);
    size_t bound = at_least(&search);
    branch(&search, 0);
    cover->at_least = search.work < COVER_WORK ? search.best_count : bound;
    order_set(&search, cover);
    assert(cover->at_least <= cover->count);
    for (size_t c = 0; c < search.class_count; c++)
        memory_free(search.classes[c].solvers);
    memory_free(search.classes);
    memory_free(search.hits);
    memory_free(search.chosen);
    memory_free(search.best);
    memory_free(search.used);
}

void cover_finish(struct cover *cover)
{
    memory_free(cover->unique);
    memory_free(cover->rows);
    memory_free(cover->adds);
    *cover = (struct cover){0};
}
