#include "analysis/cover.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/set_cover.h"

enum { COVER_WORK = 500000000 }; // words looked at, about: some half a second

// A class of tasks: those solved by the same rows. `solvers` is a set of rows, a bit each.
struct task_class {
    uint64_t *solvers;
    size_t words, size; // of the set
    size_t tasks;
};

struct classes {
    struct task_class *data;
    size_t count;
    size_t row_count, words;
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

static void add_task(struct classes *classes, const struct score *score, size_t task,
                     bool configurations_only)
{
    struct task_class *class = &classes->data[classes->count];
    *class = (struct task_class){.solvers = memory_zalloc(classes->words * sizeof(uint64_t)),
                                 .words = classes->words,
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
        classes->count++;
    else
        memory_free(class->solvers);
}

static void merge_equal(struct classes *classes)
{
    size_t kept = 0;
    if (classes->count != 0)
        qsort(classes->data, classes->count, sizeof *classes->data, compare_classes);
    for (size_t i = 0; i < classes->count; i++) {
        if (kept != 0 && compare_classes(&classes->data[kept - 1], &classes->data[i]) == 0) {
            classes->data[kept - 1].tasks += classes->data[i].tasks;
            memory_free(classes->data[i].solvers);
        } else {
            classes->data[kept++] = classes->data[i];
        }
    }
    classes->count = kept;
}

// Each row as the set of the classes that it solves, one array after another in `items`.
static const uint32_t **rows_as_sets(const struct classes *classes, size_t *sizes, uint32_t **items)
{
    size_t total = 0;
    for (size_t c = 0; c < classes->count; c++)
        total += classes->data[c].size;
    const uint32_t **sets = memory_zalloc((classes->row_count + 1) * sizeof *sets);
    uint32_t *next = *items = memory_zalloc((total + 1) * sizeof **items);
    for (size_t r = 0; r < classes->row_count; r++) {
        sets[r] = next;
        for (uint32_t c = 0; c < classes->count; c++)
            if (has(&classes->data[c], r))
                *next++ = c;
        sizes[r] = (size_t)(next - sets[r]);
    }
    assert(next == *items + total);
    return sets;
}

// What a branch looks at is known, so the work is a number of branches.
static uint64_t branch_limit(const struct classes *classes)
{
    return COVER_WORK / ((classes->count + 1) * (classes->words + 1)) + 1;
}

static void find_set(const struct classes *classes, struct set_cover_answer *answer)
{
    uint32_t *items;
    size_t *sizes = memory_zalloc((classes->row_count + 1) * sizeof *sizes);
    size_t *weights = memory_zalloc((classes->count + 1) * sizeof *weights);
    const uint32_t **sets = rows_as_sets(classes, sizes, &items);
    for (size_t c = 0; c < classes->count; c++)
        weights[c] = classes->data[c].tasks;
    const struct set_cover_problem problem = {
        .sets = sets,
        .sizes = sizes,
        .set_count = classes->row_count,
        .item_count = classes->count,
        .weights = weights,
    };
    set_cover_exact(&problem, branch_limit(classes), answer);
    assert(answer->lost == 0);
    memory_free(sets);
    memory_free(items);
    memory_free(sizes);
    memory_free(weights);
}

// Tasks that the row adds to those that are solved.
static size_t gain(const struct classes *classes, const bool *solved, size_t row)
{
    size_t gain = 0;
    for (size_t c = 0; c < classes->count; c++)
        if (!solved[c] && has(&classes->data[c], row))
            gain += classes->data[c].tasks;
    return gain;
}

// The set in the order in which a reader would pick it, with what each adds.
static void order_set(const struct classes *classes, const struct set_cover_answer *answer,
                      struct cover *cover)
{
    bool *solved = memory_zalloc(classes->count + 1);
    while (cover->count < answer->count) {
        size_t pick = 0, most = 0;
        for (size_t k = 0; k < answer->count; k++) {
            size_t here = gain(classes, solved, answer->order[k]);
            if (here > most) {
                most = here;
                pick = answer->order[k];
            }
        }
        if (most == 0) // found in a hurry: the others cover what these do
            break;
        cover->rows[cover->count] = pick;
        cover->adds[cover->count++] = most;
        for (size_t c = 0; c < classes->count; c++)
            solved[c] |= has(&classes->data[c], pick);
    }
    memory_free(solved);
}

static void count_unique(const struct classes *classes, struct cover *cover)
{
    for (size_t c = 0; c < classes->count; c++) {
        cover->tasks += classes->data[c].tasks;
        if (classes->data[c].size != 1)
            continue;
        for (size_t r = 0; r < classes->row_count; r++)
            if (has(&classes->data[c], r))
                cover->unique[r] += classes->data[c].tasks;
    }
}

void cover_compute(struct cover *cover, const struct score *score, bool configurations_only)
{
    size_t rows = score->row_count;
    struct classes classes = {
        .data = memory_zalloc((score->task_count + 1) * sizeof *classes.data),
        .row_count = rows,
        .words = rows / 64 + 1,
    };
    struct set_cover_answer answer;
    *cover = (struct cover){
        .unique = memory_zalloc((rows + 1) * sizeof(size_t)),
        .rows = memory_zalloc((rows + 1) * sizeof(size_t)),
        .adds = memory_zalloc((rows + 1) * sizeof(size_t)),
    };
    for (size_t t = 0; t < score->task_count; t++)
        add_task(&classes, score, t, configurations_only);
    merge_equal(&classes);
    count_unique(&classes, cover);
    find_set(&classes, &answer);
    cover->at_least = answer.at_least;
    order_set(&classes, &answer, cover);
    assert(cover->at_least <= cover->count);
    set_cover_answer_finish(&answer);
    for (size_t c = 0; c < classes.count; c++)
        memory_free(classes.data[c].solvers);
    memory_free(classes.data);
}

void cover_finish(struct cover *cover)
{
    memory_free(cover->unique);
    memory_free(cover->rows);
    memory_free(cover->adds);
    *cover = (struct cover){0};
}
