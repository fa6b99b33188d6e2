#include "analysis/tune_table.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

static struct tune_run take(const struct score_cell *cell, double limit_seconds)
{
    bool solved = outcome_solved(cell->outcome), wrong = cell->outcome == OUTCOME_WRONG;
    if (cell->outcome == OUTCOME_ERROR)
        return (struct tune_run){TUNE_UNSOLVED, 0};
    if (cell->outcome == OUTCOME_MISSING || cell->wall_seconds > limit_seconds ||
        (!solved && !wrong &&
         (cell->reason == END_TIMEOUT || cell->reason == END_CPUTIME ||
          cell->wall_seconds >= limit_seconds)))
        return (struct tune_run){TUNE_UNSOLVED, INFINITY};
    return (struct tune_run){solved  ? TUNE_SOLVED
                             : wrong ? TUNE_WRONG
                                     : TUNE_UNSOLVED,
                             cell->wall_seconds};
}

static bool check(const struct tune_table *table, double least, double limit_seconds,
                  struct text *why)
{
    if (table->configuration_count == 0)
        text_add(why, "there are no runs of configurations alone to learn from (run `regatta bench "
                      "--config` or `--space`)");
    else if (least == INFINITY)
        text_add(why, "the runs had no time limit, expected one (--time of the bench)");
    else if (limit_seconds > least)
        text_printf(why, "the runs were stopped after %g s: nothing is known of %g s", least,
                    limit_seconds);
    else
        return true;
    return false;
}

static bool was_run(const struct tune_table *table, size_t task)
{
    for (size_t c = 0; c < table->configuration_count; c++) {
        enum outcome outcome = score_cell(table->score, table->rows[c], task)->outcome;
        if (outcome != OUTCOME_MISSING && outcome != OUTCOME_ERROR)
            return true;
    }
    return false;
}

bool tune_table_make(struct tune_table *table, const struct score *score, double limit_seconds,
                     struct text *why)
{
    double least = INFINITY;
    *table = (struct tune_table){
        .score = score,
        .rows = memory_alloc(score->row_count * sizeof *table->rows),
        .tasks = memory_alloc(score->task_count * sizeof *table->tasks),
    };
    for (size_t r = 0; r < score->row_count; r++) {
        if (score->rows[r].portfolio)
            continue;
        table->rows[table->configuration_count++] = r;
        if (score->rows[r].limit_seconds > 0)
            least = fmin(least, score->rows[r].limit_seconds);
    }
    if (!check(table, least, limit_seconds, why)) {
        tune_table_finish(table);
        return false;
    }
    table->limit_seconds = limit_seconds > 0 ? limit_seconds : least;
    for (size_t t = 0; t < score->task_count; t++)
        if (was_run(table, t))
            table->tasks[table->task_count++] = t;
    table->runs =
        memory_alloc(table->task_count * table->configuration_count * sizeof *table->runs);
    for (size_t t = 0; t < table->task_count; t++)
        for (size_t c = 0; c < table->configuration_count; c++)
            table->runs[t * table->configuration_count + c] =
                take(score_cell(score, table->rows[c], table->tasks[t]), table->limit_seconds);
    return true;
}

void tune_table_finish(struct tune_table *table)
{
    memory_free(table->rows);
    memory_free(table->tasks);
    memory_free(table->runs);
    *table = (struct tune_table){0};
}

const char *tune_task_name(const struct tune_table *table, size_t task)
{
    assert(task < table->task_count);
    return table->score->tasks[table->tasks[task]].name;
}

const char *tune_configuration_name(const struct tune_table *table, size_t configuration)
{
    assert(configuration < table->configuration_count);
    return table->score->rows[table->rows[configuration]].plan;
}

// Parts

static void part_init(const struct tune_table *table, struct tune_part *part)
{
    *part = (struct tune_part){memory_alloc(table->task_count * sizeof *part->tasks), 0};
}

void tune_part_finish(struct tune_part *part)
{
    memory_free(part->tasks);
    *part = (struct tune_part){0};
}

void tune_part_all(const struct tune_table *table, struct tune_part *all)
{
    part_init(table, all);
    for (size_t t = 0; t < table->task_count; t++)
        all->tasks[all->count++] = t;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_names(char *text, char ***names, size_t *count)
{
    size_t lines = 1;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    *names = memory_alloc(lines * sizeof **names);
    *count = 0;
    for (char *line = text, *end; line != NULL; line = end) {
        end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        line[strcspn(line, "\t,\r")] = '\0';
        if (*line != '\0')
            (*names)[(*count)++] = task_name(line);
    }
    qsort(*names, *count, sizeof **names, by_text);
}

bool tune_part_read(const struct tune_table *table, const char *path, struct tune_part *named,
                    struct tune_part *rest, struct text *why)
{
    char *text = text_read_file(path, NULL), **names;
    size_t count;
    if (text == NULL) {
        text_printf(why, "%s: %s", path, text_read_error(errno));
        return false;
    }
    read_names(text, &names, &count);
    part_init(table, named);
    part_init(table, rest);
    for (size_t t = 0; t < table->task_count; t++) {
        const char *name = tune_task_name(table, t);
        bool found = bsearch(&name, names, count, sizeof *names, by_text) != NULL;
        struct tune_part *part = found ? named : rest;
        part->tasks[part->count++] = t;
    }
    for (size_t i = 0; i < count; i++)
        memory_free(names[i]);
    memory_free(names);
    memory_free(text);
    if (named->count > 0 && rest->count > 0)
        return true;
    text_printf(why, "%s: found %s of the %zu tasks, expected some and not all", path,
                named->count == 0 ? "none" : "all", table->task_count);
    tune_part_finish(named);
    tune_part_finish(rest);
    return false;
}

struct drawn {
    const char *family;
    uint64_t key; // a random order within the family
    size_t task;
};

static int by_family(const void *left, const void *right)
{
    const struct drawn *a = left, *b = right;
    int order = strcmp(a->family, b->family);
    if (order != 0)
        return order;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->task < b->task ? -1 : 1;
}

// Family by family, each in random order; which order does not depend on the other tasks.
static struct drawn *draw(const struct tune_table *table, const struct tune_part *all,
                          uint64_t seed)
{
    struct drawn *drawn = memory_alloc(all->count * sizeof *drawn);
    for (size_t i = 0; i < all->count; i++) {
        const struct score_task *task = &table->score->tasks[table->tasks[all->tasks[i]]];
        drawn[i] = (struct drawn){task->family, random_derive(seed, task->name), all->tasks[i]};
    }
    qsort(drawn, all->count, sizeof *drawn, by_family);
    return drawn;
}

static size_t family_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *c = slash != NULL ? slash + 1 : name;
    while (isalpha((unsigned char)*c))
        c++;
    return (size_t)(c - name);
}

bool tune_task_akin(const struct tune_table *table, size_t a, size_t b)
{
    const char *x = tune_task_name(table, a), *y = tune_task_name(table, b);
    size_t length = family_length(x);
    return length == family_length(y) && strncmp(x, y, length) == 0;
}

// Which tasks of a part stand together.
struct group {
    size_t begin, count; // in `order`
    uint64_t key;        // a random order among those of one size
};

struct groups {
    size_t *order; // tasks, family by family
    struct group *data;
    size_t count;
};

static int larger_first(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static void find_groups(const struct tune_table *table, const struct tune_part *all, uint64_t seed,
                        struct groups *out)
{
    bool *taken = memory_zalloc(all->count + 1);
    size_t next = 0;
    *out = (struct groups){memory_alloc((all->count + 1) * sizeof *out->order),
                           memory_alloc((all->count + 1) * sizeof *out->data), 0};
    for (size_t i = 0; i < all->count; i++) {
        if (taken[i])
            continue;
        struct group *group = &out->data[out->count++];
        *group = (struct group){next, 0, random_derive(seed, tune_task_name(table, all->tasks[i]))};
        for (size_t k = i; k < all->count; k++)
            if (!taken[k] && tune_task_akin(table, all->tasks[i], all->tasks[k])) {
                taken[k] = true;
                out->order[next++] = all->tasks[k];
                group->count++;
            }
    }
    assert(next == all->count); // each task is in one group
    if (out->count > 0)
        qsort(out->data, out->count, sizeof *out->data, larger_first);
    memory_free(taken);
}

static void groups_finish(struct groups *groups)
{
    memory_free(groups->order);
    memory_free(groups->data);
}

static void take_group(struct tune_part *part, const struct groups *groups, size_t index)
{
    const struct group *group = &groups->data[index];
    for (size_t i = 0; i < group->count; i++)
        part->tasks[part->count++] = groups->order[group->begin + i];
}

// Families in random order until there are enough.
static void split_families(const struct tune_table *table, const struct tune_part *all,
                           double share, uint64_t seed, struct tune_part *taken,
                           struct tune_part *rest)
{
    struct groups groups;
    find_groups(table, all, seed, &groups);
    size_t wanted = (size_t)fmax(1, floor((double)all->count * share + 1e-9));
    bool *in = memory_zalloc(groups.count + 1);
    size_t count = 0;
    for (bool more = true; more && count < wanted;) {
        size_t best = groups.count; // the first by key of those that still fit
        for (size_t g = 0; g < groups.count; g++)
            if (!in[g] && count + groups.data[g].count <= wanted &&
                (best == groups.count || groups.data[g].key < groups.data[best].key))
                best = g;
        more = best < groups.count;
        if (more) {
            in[best] = true;
            count += groups.data[best].count;
        }
    }
    for (size_t g = 0; g < groups.count; g++)
        take_group(in[g] ? taken : rest, &groups, g);
    assert(taken->count == count && taken->count + rest->count == all->count);
    memory_free(in);
    groups_finish(&groups);
}

void tune_part_split(const struct tune_table *table, const struct tune_part *all, double share,
                     uint64_t seed, struct tune_part *taken, struct tune_part *rest)
{
    part_init(table, taken);
    part_init(table, rest);
    if (!table->mixed) {
        split_families(table, all, share, seed, taken, rest);
        return;
    }
    struct drawn *drawn = draw(table, all, seed);
    for (size_t i = 0; i < all->count; i++) {
        // Every 1/share-th of the order: the families come out alike.
        bool take = floor((double)(i + 1) * share) > floor((double)i * share);
        struct tune_part *part = take ? taken : rest;
        part->tasks[part->count++] = drawn[i].task;
    }
    memory_free(drawn);
}

static void fold_families(const struct tune_table *table, const struct tune_part *all, size_t fold,
                          size_t folds, uint64_t seed, struct tune_part *left_out,
                          struct tune_part *others)
{
    struct groups groups;
    size_t *sizes = memory_zalloc(folds * sizeof *sizes);
    find_groups(table, all, seed, &groups);
    for (size_t g = 0; g < groups.count; g++) {
        size_t least = 0;
        for (size_t f = 1; f < folds; f++)
            if (sizes[f] < sizes[least])
                least = f;
        sizes[least] += groups.data[g].count;
        take_group(least == fold ? left_out : others, &groups, g);
    }
    assert(left_out->count == sizes[fold] && left_out->count + others->count == all->count);
    memory_free(sizes);
    groups_finish(&groups);
}

void tune_part_fold(const struct tune_table *table, const struct tune_part *all, size_t fold,
                    size_t folds, uint64_t seed, struct tune_part *left_out,
                    struct tune_part *others)
{
    part_init(table, left_out);
    part_init(table, others);
    if (!table->mixed) {
        fold_families(table, all, fold, folds, seed, left_out, others);
        return;
    }
    struct drawn *drawn = draw(table, all, seed);
    for (size_t i = 0; i < all->count; i++) {
        struct tune_part *part = i % folds == fold ? left_out : others;
        part->tasks[part->count++] = drawn[i].task;
    }
    memory_free(drawn);
}

// Sums

void tune_sum_add(struct tune_sum *sum, const struct tune_run *run, double limit_seconds)
{
    bool solved = run->end == TUNE_SOLVED && run->seconds <= limit_seconds;
    sum->tasks++;
    sum->solved += solved;
    sum->wrong += run->end == TUNE_WRONG && run->seconds <= limit_seconds;
    sum->par2_seconds += solved ? run->seconds : 2 * limit_seconds;
}

struct tune_sum tune_sum_of(const struct tune_table *table, const struct tune_part *part,
                            size_t configuration)
{
    struct tune_sum sum = {0};
    for (size_t i = 0; i < part->count; i++)
        tune_sum_add(&sum, tune_run(table, part->tasks[i], configuration), table->limit_seconds);
    return sum;
}

struct tune_sum tune_sum_runs(const struct tune_table *table, const struct tune_part *part,
                              const struct tune_run *runs)
{
    struct tune_sum sum = {0};
    for (size_t i = 0; i < part->count; i++)
        tune_sum_add(&sum, &runs[part->tasks[i]], table->limit_seconds);
    return sum;
}

size_t tune_single_best(const struct tune_table *table, const struct tune_part *part)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t c = 0; c < table->configuration_count; c++) {
        double seconds = tune_sum_of(table, part, c).par2_seconds;
        if (seconds < least) {
            least = seconds;
            best = c;
        }
    }
    return best;
}

struct tune_sum tune_sum_best(const struct tune_table *table, const struct tune_part *part)
{
    struct tune_sum sum = {0};
    for (size_t i = 0; i < part->count; i++) {
        struct tune_run best = {TUNE_UNSOLVED, INFINITY};
        for (size_t c = 0; c < table->configuration_count; c++) {
            const struct tune_run *run = tune_run(table, part->tasks[i], c);
            if (run->end == TUNE_SOLVED && run->seconds < best.seconds)
                best = *run;
        }
        tune_sum_add(&sum, &best, table->limit_seconds);
    }
    return sum;
}
