#include "analysis/score_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Without a limit there is nothing to penalise by: the time that was spent counts twice.
double score_par2(enum outcome outcome, double wall, double limit)
{
    if (outcome_solved(outcome))
        return wall;
    return 2 * (limit > 0 ? limit : wall);
}

int score_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double score_median(double *numbers, size_t n)
{
    assert(n > 0);
    qsort(numbers, n, sizeof *numbers, score_compare_doubles);
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
    return score_compare_doubles(&x->par2_seconds, &y->par2_seconds);
}

void score_fill_cells(struct score *score)
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
            .peak_bytes = stands->peak_bytes,
            .reason = stands->reason,
            .contradiction = stands->contradiction,
            .checked = stands->checked,
            .runs = end - begin,
        };
    }
}

static int points(const struct score_cell *cell, const char *expected)
{
    if (expected[0] == '\0' || cell->verdict == VERDICT_UNKNOWN)
        return 0;
    bool safe = cell->verdict == VERDICT_SAFE;
    if (cell->outcome == OUTCOME_CORRECT)
        return safe ? 2 : 1;
    return cell->outcome == OUTCOME_WRONG ? (safe ? -32 : -16) : 0;
}

static void sum_cell(struct score_row *row, const struct score_cell *cell, const char *expected,
                     double *solved)
{
    switch (cell->outcome) {
    case OUTCOME_MISSING:
        row->missing++;
        break;
    case OUTCOME_ERROR:
        row->errors++;
        break;
    case OUTCOME_UNSOLVED:
        row->unknown++;
        row->unknown_by[cell->reason]++;
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
        row->checked += cell->checked == CHECK_PASSED;
        row->unchecked += cell->checked == CHECK_PREPARED || cell->checked == CHECK_MISSING;
        row->total_seconds += cell->wall_seconds;
        break;
    }
    row->points += points(cell, expected);
    row->cpu_seconds += cell->cpu_seconds;
    if (row->peak_bytes < cell->peak_bytes)
        row->peak_bytes = cell->peak_bytes;
}

static bool was_run(const struct score_cell *cell)
{
    return cell->outcome != OUTCOME_MISSING && cell->outcome != OUTCOME_ERROR;
}

// What is not run by a row without a limit has to cost something: the longest limit of others, else the longest run.
static double longest_limit(const struct score *score)
{
    double limit = 0, run = 0;
    for (size_t r = 0; r < score->row_count; r++)
        limit = limit < score->rows[r].limit_seconds ? score->rows[r].limit_seconds : limit;
    for (size_t i = 0; i < score->run_count; i++)
        run = run < score->runs[i].wall_seconds ? score->runs[i].wall_seconds : run;
    return limit > 0 ? limit : run;
}

void score_sum_row(const struct score *score, struct score_row *row, const struct score_cell *cells)
{
    double *solved = memory_alloc((score->task_count + 1) * sizeof *solved);
    double limit = row->limit_seconds > 0 ? row->limit_seconds : longest_limit(score);
    for (size_t t = 0; t < score->task_count; t++) {
        sum_cell(row, &cells[t], score->tasks[t].expected, solved);
        if (score->tasks[t].counts)
            row->par2_seconds += score_par2(cells[t].outcome, cells[t].wall_seconds,
                                            was_run(&cells[t]) ? row->limit_seconds : limit);
    }
    if (score->base_tasks != 0)
        row->par2_seconds /= (double)score->base_tasks;
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

bool score_virtual_best(const struct score *score, bool configurations_only, struct score_row *out,
                        struct score_cell *cells_out)
{
    struct score_cell *cells = memory_zalloc((score->task_count + 1) * sizeof *cells);
    struct score_row best = {0};
    size_t rows = 0;
    for (size_t r = 0; r < score->row_count; r++) {
        if (configurations_only && score->rows[r].portfolio)
            continue;
        if (best.limit_seconds < score->rows[r].limit_seconds)
            best.limit_seconds = score->rows[r].limit_seconds;
        for (size_t t = 0; t < score->task_count; t++) {
            const struct score_cell *cell = score_cell(score, r, t);
            if (rows == 0 || better(cell, &cells[t]))
                cells[t] = *cell;
        }
        rows++;
    }
    for (size_t t = 0; t < score->task_count; t++) {
        if (cells[t].outcome == OUTCOME_WRONG) {
            cells[t].outcome = OUTCOME_UNSOLVED;
            cells[t].reason = END_UNKNOWN;
            cells[t].verdict = VERDICT_UNKNOWN;
        }
    }
    score_sum_row(score, &best, cells);
    best.label = memory_strdup("virtual best");
    *out = best;
    if (cells_out != NULL)
        memcpy(cells_out, cells, score->task_count * sizeof *cells);
    memory_free(cells);
    return rows != 0;
}

size_t score_unique(const struct score *score, size_t a, size_t b)
{
    size_t count = 0;
    for (size_t t = 0; t < score->task_count; t++)
        count += outcome_solved(score_cell(score, a, t)->outcome) &&
                 !outcome_solved(score_cell(score, b, t)->outcome);
    return count;
}

bool score_rows_contradict(const struct score *score, size_t task)
{
    bool safe = false, unsafe = false;
    for (size_t r = 0; r < score->row_count; r++) {
        enum verdict verdict = score_cell(score, r, task)->verdict;
        safe |= verdict == VERDICT_SAFE;
        unsafe |= verdict == VERDICT_UNSAFE;
    }
    return safe && unsafe;
}
