#include "analysis/score.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct score_run {
    size_t task, row;
    enum outcome outcome;
    enum verdict verdict;
    double wall_seconds, cpu_seconds, stop_latency_seconds;
    double par2_seconds;
    char *status;
    bool contradiction;
};

void score_init(struct score *score)
{
    *score = (struct score){0};
}

static void finish_row(struct score_row *row)
{
    memory_free(row->label);
    memory_free(row->plan);
    memory_free(row->plan_digest);
}

void score_finish(struct score *score)
{
    for (size_t i = 0; i < score->task_count; i++) {
        memory_free(score->tasks[i].digest);
        memory_free(score->tasks[i].path);
        memory_free(score->tasks[i].name);
        memory_free(score->tasks[i].expected);
    }
    for (size_t i = 0; i < score->row_count; i++)
        finish_row(&score->rows[i]);
    for (size_t i = 0; i < score->run_count; i++)
        memory_free(score->runs[i].status);
    finish_row(&score->best);
    memory_free(score->tasks);
    memory_free(score->rows);
    memory_free(score->runs);
    memory_free(score->cells); // the texts in cells are those of runs
    score_init(score);
}

bool outcome_solved(enum outcome outcome)
{
    return outcome == OUTCOME_SOLVED || outcome == OUTCOME_CORRECT;
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {"missing", "error",   "unknown",
                                        "solved",  "correct", "wrong"};
    return names[outcome];
}

enum outcome score_outcome(const struct run_record *run)
{
    if (run->contradiction)
        return OUTCOME_WRONG;
    if (strcmp(run->status, RUN_STATUS_INTERRUPTED) == 0)
        return OUTCOME_MISSING;
    if (strcmp(run->status, RUN_STATUS_OK) != 0)
        return OUTCOME_ERROR;
    if (run->verdict == VERDICT_UNKNOWN)
        return OUTCOME_UNKNOWN;
    if (run->expected[0] == '\0')
        return OUTCOME_SOLVED;
    return strcmp(run->expected, verdict_name(run->verdict)) == 0 ? OUTCOME_CORRECT : OUTCOME_WRONG;
}

// "a/b/xsts/on-off.yml" -> "xsts/on-off"
static char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *begin = slash != NULL ? slash : path;
    while (begin > path && begin[-1] != '/')
        begin--;
    const char *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    size_t length = dot != NULL ? (size_t)(dot - begin) : strlen(begin);
    struct text name;
    text_init(&name);
    text_add_bytes(&name, begin, length);
    return text_steal(&name);
}

static size_t find_task(struct score *score, const struct run_record *run)
{
    for (size_t i = 0; i < score->task_count; i++) {
        struct score_task *task = &score->tasks[i];
        if (strcmp(task->digest, run->task_digest) != 0)
            continue;
        if (task->digest[0] == '\0' && strcmp(task->path, run->task) != 0)
            continue; // could not be read: known by its path only
        if (task->expected[0] == '\0' && run->expected[0] != '\0') {
            memory_free(task->expected);
            task->expected = memory_strdup(run->expected);
        }
        return i;
    }
    if (score->task_count == score->task_capacity) {
        score->task_capacity = score->task_capacity != 0 ? 2 * score->task_capacity : 64;
        score->tasks = memory_realloc(score->tasks, score->task_capacity * sizeof *score->tasks);
    }
    score->tasks[score->task_count] = (struct score_task){
        .digest = memory_strdup(run->task_digest),
        .path = memory_strdup(run->task),
        .name = short_name(run->task),
        .expected = memory_strdup(run->expected),
    };
    return score->task_count++;
}

static size_t find_row(struct score *score, const struct run_record *run)
{
    for (size_t i = 0; i < score->row_count; i++) {
        const struct score_row *row = &score->rows[i];
        if (strcmp(row->plan_digest, run->plan_digest) == 0 && strcmp(row->plan, run->plan) == 0 &&
            row->cores == run->cores && row->limit_seconds == run->time_limit_seconds)
            return i;
    }
    if (score->row_count == score->row_capacity) {
        score->row_capacity = score->row_capacity != 0 ? 2 * score->row_capacity : 16;
        score->rows = memory_realloc(score->rows, score->row_capacity * sizeof *score->rows);
    }
    score->rows[score->row_count] = (struct score_row){
        .plan = memory_strdup(run->plan),
        .plan_digest = memory_strdup(run->plan_digest),
        .cores = run->cores,
        .limit_seconds = run->time_limit_seconds,
    };
    return score->row_count++;
}

// Without a limit there is nothing to penalise by: the time that was spent counts twice.
static double par2(enum outcome outcome, double wall, double limit)
{
    if (outcome_solved(outcome))
        return wall;
    return 2 * (limit > 0 ? limit : wall);
}

void score_add(struct score *score, const struct run_record *run)
{
    assert(score->cells == NULL);
    enum outcome outcome = score_outcome(run);
    if (outcome == OUTCOME_MISSING)
        return;
    if (score->run_count == score->run_capacity) {
        score->run_capacity = score->run_capacity != 0 ? 2 * score->run_capacity : 64;
        score->runs = memory_realloc(score->runs, score->run_capacity * sizeof *score->runs);
    }
    size_t task = find_task(score, run), row = find_row(score, run);
    double wall = run->load_seconds + run->wall_seconds;
    score->runs[score->run_count++] = (struct score_run){
        .task = task,
        .row = row,
        .outcome = outcome,
        .verdict = run->verdict,
        .wall_seconds = wall,
        .cpu_seconds = run->cpu_seconds,
        .stop_latency_seconds = run->stop_latency_seconds,
        .par2_seconds = par2(outcome, wall, run->time_limit_seconds),
        .status = outcome == OUTCOME_ERROR ? memory_strdup(run->status) : NULL,
        .contradiction = run->contradiction,
    };
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double score_median(double *numbers, size_t n)
{
    assert(n > 0);
    qsort(numbers, n, sizeof *numbers, compare_doubles);
    return n % 2 == 1 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2;
}

// Runs by row, task, then from best to worst.
static int compare_runs(const void *a, const void *b)
{
    const struct score_run *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    bool wrong_x = x->outcome == OUTCOME_WRONG, wrong_y = y->outcome == OUTCOME_WRONG;
    if (wrong_x != wrong_y)
        return wrong_y ? -1 : 1;
    return compare_doubles(&x->par2_seconds, &y->par2_seconds);
}

static void fill_cells(struct score *score)
{
    size_t count = score->row_count * score->task_count;
    score->cells = memory_zalloc((count != 0 ? count : 1) * sizeof *score->cells);
    if (score->run_count != 0)
        qsort(score->runs, score->run_count, sizeof *score->runs, compare_runs);
    for (size_t begin = 0, end; begin < score->run_count; begin = end) {
        const struct score_run *first = &score->runs[begin];
        for (end = begin; end < score->run_count && score->runs[end].row == first->row &&
                          score->runs[end].task == first->task;)
            end++;
        const struct score_run *last = &score->runs[end - 1];
        const struct score_run *stands =
            last->outcome == OUTCOME_WRONG ? last : &score->runs[begin + (end - begin - 1) / 2];
        score->cells[first->row * score->task_count + first->task] = (struct score_cell){
            .outcome = stands->outcome,
            .verdict = stands->verdict,
            .wall_seconds = stands->wall_seconds,
            .cpu_seconds = stands->cpu_seconds,
            .status = stands->status,
            .contradiction = stands->contradiction,
            .runs = end - begin,
        };
    }
}

static void sum_cell(struct score_row *row, const struct score_cell *cell, double *solved)
{
    switch (cell->outcome) {
    case OUTCOME_MISSING:
        row->missing++;
        return;
    case OUTCOME_ERROR:
        row->errors++;
        return;
    case OUTCOME_UNKNOWN:
        row->unknown++;
        break;
    case OUTCOME_WRONG:
        row->wrong++;
        break;
    case OUTCOME_CORRECT:
        row->correct++;
        // fall through
    case OUTCOME_SOLVED:
        solved[row->solved++] = cell->wall_seconds;
        row->safe += cell->verdict == VERDICT_SAFE;
        row->unsafe += cell->verdict == VERDICT_UNSAFE;
        row->total_seconds += cell->wall_seconds;
        break;
    }
    row->cpu_seconds += cell->cpu_seconds;
    row->par2_seconds += par2(cell->outcome, cell->wall_seconds, row->limit_seconds);
}

// cells: task_count of them.
static void sum_row(struct score_row *row, const struct score_cell *cells, size_t task_count)
{
    double *solved = memory_alloc((task_count + 1) * sizeof *solved);
    for (size_t t = 0; t < task_count; t++)
        sum_cell(row, &cells[t], solved);
    size_t ran = row->solved + row->wrong + row->unknown;
    if (ran != 0)
        row->par2_seconds /= (double)ran;
    if (row->solved != 0)
        row->median_seconds = score_median(solved, row->solved);
    memory_free(solved);
}

static bool better(const struct score_cell *a, const struct score_cell *b)
{
    bool solved_a = outcome_solved(a->outcome), solved_b = outcome_solved(b->outcome);
    if (solved_a != solved_b)
        return solved_a;
    if (solved_a)
        return a->wall_seconds < b->wall_seconds;
    // An honest "unknown" before an error, that before nothing. Wrong answers never count here.
    int rank_a = a->outcome == OUTCOME_WRONG ? -1 : (int)a->outcome;
    int rank_b = b->outcome == OUTCOME_WRONG ? -1 : (int)b->outcome;
    return rank_a > rank_b;
}

static void sum_best(struct score *score)
{
    struct score_cell *cells = memory_zalloc((score->task_count + 1) * sizeof *cells);
    score->best = (struct score_row){.label = memory_strdup("virtual best")};
    for (size_t r = 0; r < score->row_count; r++) {
        if (score->best.limit_seconds < score->rows[r].limit_seconds)
            score->best.limit_seconds = score->rows[r].limit_seconds;
        for (size_t t = 0; t < score->task_count; t++) {
            const struct score_cell *cell = score_cell(score, r, t);
            if (r == 0 || better(cell, &cells[t]))
                cells[t] = *cell;
        }
    }
    for (size_t t = 0; t < score->task_count; t++)
        if (cells[t].outcome == OUTCOME_WRONG)
            cells[t].outcome = OUTCOME_UNKNOWN;
    sum_row(&score->best, cells, score->task_count);
    memory_free(cells);
}

static void label_row(struct score *score, struct score_row *row)
{
    bool cores = false, limit = false, digest = false;
    for (size_t i = 0; i < score->row_count; i++) {
        const struct score_row *other = &score->rows[i];
        if (other == row || strcmp(other->plan, row->plan) != 0)
            continue;
        bool apart = other->cores != row->cores || other->limit_seconds != row->limit_seconds;
        cores |= other->cores != row->cores;
        limit |= other->limit_seconds != row->limit_seconds;
        digest |= !apart;
    }
    struct text label;
    text_init(&label);
    text_add(&label, row->plan);
    if (cores)
        text_printf(&label, " %u cores", row->cores);
    if (limit)
        text_printf(&label, " %g s", row->limit_seconds);
    if (digest)
        text_printf(&label, " #%.6s", row->plan_digest);
    row->label = text_steal(&label);
}

// Sorting renumbers tasks and rows: the runs are told through tables from old to new places.

static int compare_tasks(const void *a, const void *b)
{
    const struct score_task *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : strcmp(x->digest, y->digest);
}

static void sort_tasks(struct score *score)
{
    size_t count = score->task_count;
    char **old = memory_alloc((count + 1) * sizeof *old);
    for (size_t i = 0; i < count; i++)
        old[i] = score->tasks[i].path; // each task's own: identifies it after sorting
    if (count != 0)
        qsort(score->tasks, count, sizeof *score->tasks, compare_tasks);
    size_t *to = memory_alloc((count + 1) * sizeof *to);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (score->tasks[j].path == old[i])
                to[i] = j;
    for (size_t i = 0; i < score->run_count; i++)
        score->runs[i].task = to[score->runs[i].task];
    memory_free(to);
    memory_free(old);
}

static int compare_rows(const void *a, const void *b)
{
    const struct score_row *x = a, *y = b;
    if (x->wrong != y->wrong)
        return x->wrong < y->wrong ? -1 : 1;
    if (x->solved != y->solved)
        return x->solved > y->solved ? -1 : 1;
    int order = compare_doubles(&x->par2_seconds, &y->par2_seconds);
    return order != 0 ? order : strcmp(x->label, y->label);
}

static void sort_rows(struct score *score)
{
    size_t count = score->row_count;
    char **old = memory_alloc((count + 1) * sizeof *old);
    for (size_t i = 0; i < count; i++)
        old[i] = score->rows[i].label;
    if (count != 0)
        qsort(score->rows, count, sizeof *score->rows, compare_rows);
    struct score_cell *cells = memory_zalloc((count * score->task_count + 1) * sizeof *cells);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (score->rows[j].label == old[i])
                memcpy(cells + j * score->task_count, score->cells + i * score->task_count,
                       score->task_count * sizeof *cells);
    memory_free(score->cells);
    score->cells = cells;
    memory_free(old);
}

void score_compute(struct score *score)
{
    assert(score->cells == NULL);
    for (size_t r = 0; r < score->row_count; r++)
        label_row(score, &score->rows[r]);
    for (size_t i = 0; i < score->run_count; i++) {
        const struct score_run *run = &score->runs[i];
        struct score_row *row = &score->rows[run->row];
        if (row->worst_stop_latency_seconds < run->stop_latency_seconds)
            row->worst_stop_latency_seconds = run->stop_latency_seconds;
    }
    sort_tasks(score);
    fill_cells(score);
    for (size_t r = 0; r < score->row_count; r++)
        sum_row(&score->rows[r], score->cells + r * score->task_count, score->task_count);
    sort_rows(score);
    sum_best(score);
}

const struct score_cell *score_cell(const struct score *score, size_t row, size_t task)
{
    assert(row < score->row_count && task < score->task_count);
    return &score->cells[row * score->task_count + task];
}

size_t score_unique(const struct score *score, size_t a, size_t b)
{
    size_t count = 0;
    for (size_t t = 0; t < score->task_count; t++)
        count += outcome_solved(score_cell(score, a, t)->outcome) &&
                 !outcome_solved(score_cell(score, b, t)->outcome);
    return count;
}
