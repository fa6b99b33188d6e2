#include "analysis/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SHOWN = 8 }; // of each kind, unless all

static double time_of(const struct score_cell *cell)
{
    return cell->wall_seconds > 0.001 ? cell->wall_seconds : 0.001;
}

static enum compare_change change_of(const struct score_cell *a, const struct score_cell *b)
{
    bool solved_a = outcome_solved(a->outcome), solved_b = outcome_solved(b->outcome);
    if (b->outcome == OUTCOME_WRONG || a->outcome == OUTCOME_WRONG) {
        if (a->outcome == b->outcome)
            return CHANGE_NONE;
        return b->outcome == OUTCOME_WRONG ? CHANGE_WRONG : CHANGE_MENDED;
    }
    if (solved_a != solved_b)
        return solved_a ? CHANGE_LOST : CHANGE_GAINED;
    if (!solved_a || fabs(time_of(b) - time_of(a)) < 0.1)
        return CHANGE_NONE;
    if (time_of(b) >= 2 * time_of(a))
        return CHANGE_SLOWER;
    return time_of(a) >= 2 * time_of(b) ? CHANGE_FASTER : CHANGE_NONE;
}

static bool was_run(const struct score_cell *cell)
{
    return cell->outcome != OUTCOME_MISSING && cell->outcome != OUTCOME_ERROR;
}

static int by_digest(const void *a, const void *b)
{
    const struct score_task *x = *(const struct score_task *const *)a,
                            *y = *(const struct score_task *const *)b;
    int order = strcmp(x->digest, y->digest);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static const struct score_task **sorted_tasks(const struct score *score)
{
    const struct score_task **tasks = memory_alloc((score->task_count + 1) * sizeof *tasks);
    for (size_t i = 0; i < score->task_count; i++)
        tasks[i] = &score->tasks[i];
    qsort(tasks, score->task_count, sizeof *tasks, by_digest);
    return tasks;
}

static void add_pair(struct comparison *c, const struct score_task *task,
                     const struct score_cell *a, const struct score_cell *b)
{
    struct compare_pair pair = {task, a, b, change_of(a, b), 1};
    if (outcome_solved(a->outcome) && outcome_solved(b->outcome)) {
        pair.ratio = time_of(b) / time_of(a);
        c->both++;
    }
    c->solved_a += outcome_solved(a->outcome);
    c->solved_b += outcome_solved(b->outcome);
    c->changes[pair.change]++;
    VECTOR_PUSH(&c->pairs, pair);
}

// One row of each side, and which tasks have their partner.
struct pairing {
    const struct score *a, *b;
    size_t row_a, row_b;
    const struct score_task **known; // of b, by digest and name
    bool *paired_a, *paired_b;       // by number of the task
};

// The first of those that ask the same; `count` when there is none.
static size_t first_alike(const struct pairing *p, const char *digest)
{
    size_t low = 0, high = p->b->task_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(p->known[middle]->digest, digest) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Files with one text ask the same: first each is paired with that of its own name, then with one that is left.
static void pair_tasks(struct comparison *c, struct pairing *p, bool same_name)
{
    for (size_t i = 0; i < p->a->task_count; i++) {
        const struct score_task *task = &p->a->tasks[i];
        const struct score_cell *cell = score_cell(p->a, p->row_a, i);
        if (!was_run(cell) || p->paired_a[i])
            continue;
        for (size_t k = first_alike(p, task->digest);
             k < p->b->task_count && strcmp(p->known[k]->digest, task->digest) == 0; k++) {
            size_t t = (size_t)(p->known[k] - p->b->tasks);
            const struct score_cell *other = score_cell(p->b, p->row_b, t);
            if (p->paired_b[t] || !was_run(other) ||
                (same_name && strcmp(p->known[k]->name, task->name) != 0))
                continue;
            p->paired_a[i] = p->paired_b[t] = true;
            add_pair(c, task, cell, other);
            break;
        }
    }
}

static size_t count_runs(const struct score *score, size_t row)
{
    size_t runs = 0;
    for (size_t i = 0; i < score->task_count; i++)
        runs += was_run(score_cell(score, row, i));
    return runs;
}

static void find_pairs(struct comparison *c, const struct score *a, size_t row_a,
                       const struct score *b, size_t row_b)
{
    struct pairing p = {a,
                        b,
                        row_a,
                        row_b,
                        sorted_tasks(b),
                        memory_zalloc(a->task_count + 1),
                        memory_zalloc(b->task_count + 1)};
    pair_tasks(c, &p, true);
    pair_tasks(c, &p, false);
    size_t run_a = count_runs(a, row_a), run_b = count_runs(b, row_b);
    assert(c->pairs.count <= run_a && c->pairs.count <= run_b);
    c->only_a = run_a - c->pairs.count;
    c->only_b = run_b - c->pairs.count;
    memory_free(p.known);
    memory_free(p.paired_a);
    memory_free(p.paired_b);
}

static int by_change(const void *a, const void *b)
{
    const struct compare_pair *x = a, *y = b;
    if (x->change != y->change)
        return x->change < y->change ? -1 : 1;
    double log_x = fabs(log(x->ratio)), log_y = fabs(log(y->ratio));
    if (log_x < log_y || log_x > log_y)
        return log_x > log_y ? -1 : 1;
    return strcmp(x->task->name, y->task->name);
}

static double par2(const struct score_cell *cell, double limit)
{
    if (outcome_solved(cell->outcome))
        return cell->wall_seconds;
    return 2 * (limit > 0 ? limit : cell->wall_seconds);
}

static void compare_times(struct comparison *c, const struct compare_options *options)
{
    double *logs = memory_alloc((c->both + 1) * sizeof *logs), sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct compare_pair *pair = &c->pairs.data[i];
        if (outcome_solved(pair->a->outcome) && outcome_solved(pair->b->outcome))
            sum += logs[n++] = log(pair->ratio);
    }
    c->ratio = 1;
    c->ratio_95 = (struct interval){1, 1};
    c->time_p = wilcoxon_signed_rank(logs, n);
    if (n > 0) {
        struct interval interval = bootstrap_mean(logs, n, 0.95, options->seed);
        c->ratio = exp(sum / (double)n);
        c->ratio_95 = (struct interval){exp(interval.low), exp(interval.high)};
    }
    memory_free(logs);
}

void compare_rows(struct comparison *comparison, const struct score *a, size_t row_a,
                  const struct score *b, size_t row_b, const struct compare_options *options)
{
    struct comparison *c = comparison;
    *c = (struct comparison){.a = a->rows[row_a].label, .b = b->rows[row_b].label};
    find_pairs(c, a, row_a, b, row_b);
    if (c->pairs.count != 0)
        qsort(c->pairs.data, c->pairs.count, sizeof *c->pairs.data, by_change);
    for (size_t i = 0; i < c->pairs.count; i++) {
        c->par2_a +=
            par2(c->pairs.data[i].a, a->rows[row_a].limit_seconds) / (double)c->pairs.count;
        c->par2_b +=
            par2(c->pairs.data[i].b, b->rows[row_b].limit_seconds) / (double)c->pairs.count;
    }
    compare_times(c, options);
    size_t lost = c->changes[CHANGE_LOST], gained = c->changes[CHANGE_GAINED];
    c->solved_p = sign_test(lost, gained);
    c->wrong = c->changes[CHANGE_WRONG] != 0;
    c->worse = (lost > gained && c->solved_p < options->alpha) ||
               (c->time_p < options->alpha && c->ratio_95.low > 1 + options->tolerance) ||
               (options->strict && lost > 0);
}

void comparison_finish(struct comparison *comparison)
{
    VECTOR_FINISH(&comparison->pairs);
    *comparison = (struct comparison){0};
}

// Printing

static void add_cell(struct text *out, const struct score_cell *cell)
{
    if (outcome_solved(cell->outcome)) {
        text_printf(out, "%s in ", verdict_name(cell->verdict));
        text_add_duration(out, cell->wall_seconds);
    } else if (cell->outcome == OUTCOME_WRONG) {
        text_printf(out, "WRONG %s", verdict_name(cell->verdict));
    } else {
        text_printf(out, "%s", end_reason_name(cell->reason));
    }
}

static void print_change(struct text *out, const struct comparison *c, enum compare_change change,
                         const char *title, bool all)
{
    size_t count = c->changes[change], shown = 0;
    if (count == 0)
        return;
    text_printf(out, "%s: %zu\n", title, count);
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct compare_pair *pair = &c->pairs.data[i];
        if (pair->change != change || (!all && shown == SHOWN))
            continue;
        shown++;
        text_printf(out, "  %s: ", pair->task->name);
        add_cell(out, pair->a);
        text_add(out, " -> ");
        add_cell(out, pair->b);
        if (change == CHANGE_SLOWER || change == CHANGE_FASTER)
            text_printf(out, " (%.3g times)", pair->ratio);
        text_add_char(out, '\n');
    }
    if (shown < count)
        text_printf(out, "  and %zu more (--verbose)\n", count - shown);
}

static void print_sums(struct text *out, const struct comparison *c)
{
    text_printf(out,
                "solved     %zu -> %zu of %zu tasks; %zu lost, %zu gained; p = %.3g (sign test)\n",
                c->solved_a, c->solved_b, c->pairs.count, c->changes[CHANGE_LOST],
                c->changes[CHANGE_GAINED], c->solved_p);
    text_printf(out, "PAR-2      %.3f s -> %.3f s\n", c->par2_a, c->par2_b);
    if (c->both != 0)
        text_printf(out,
                    "time       %.3f times (geometric mean over %zu tasks that both solved; 95 %% "
                    "interval %.3f to %.3f); p = %.3g (Wilcoxon)\n",
                    c->ratio, c->both, c->ratio_95.low, c->ratio_95.high, c->time_p);
}

void comparison_print(struct text *out, const struct comparison *comparison, bool all)
{
    const struct comparison *c = comparison;
    static const struct {
        enum compare_change change;
        const char *title;
    } kinds[] = {
        {CHANGE_WRONG, "!!! wrong now"}, {CHANGE_LOST, "lost"},     {CHANGE_GAINED, "gained"},
        {CHANGE_MENDED, "wrong before"}, {CHANGE_SLOWER, "slower"}, {CHANGE_FASTER, "faster"},
    };
    text_printf(out, "%s -> %s\n", c->a, c->b);
    if (c->only_a + c->only_b != 0)
        text_printf(out,
                    "left out: %zu tasks that only the first ran, %zu that only the second ran\n",
                    c->only_a, c->only_b);
    print_sums(out, c);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        print_change(out, c, kinds[i].change, kinds[i].title, all);
    text_printf(out, "%s\n", c->wrong ? "worse: wrong verdicts" : c->worse ? "worse" : "not worse");
}
