#include "analysis/report.h"

#include <string.h>

#include "analysis/table.h"
#include "base/memory.h"

static void add_wrong(struct text *out, const struct score *score, size_t row, size_t t)
{
    const struct score_task *task = &score->tasks[t];
    const struct score_cell *cell = score_cell(score, row, t);
    text_add(out, "!!! ");
    table_add_name(out, task->name);
    text_add(out, ": ");
    table_add_name(out, score->rows[row].label);
    text_printf(out, " says %s", verdict_name(cell->verdict));
    if (cell->contradiction)
        text_add(out, ", and its attempts contradict each other");
    if (task->expected[0] != '\0')
        text_printf(out, ", expected %s", task->expected);
    text_add_char(out, '\n');
}

// Without an expected verdict nobody is known to be wrong, but someone is.
static bool is_disputed(const struct score *score, size_t task)
{
    return score->tasks[task].expected[0] == '\0' && score_rows_contradict(score, task);
}

static void add_disputed(struct text *out, const struct score *score, size_t t)
{
    text_add(out, "!!! ");
    table_add_name(out, score->tasks[t].name);
    text_add_char(out, ':');
    const char *separator = " ";
    for (size_t r = 0; r < score->row_count; r++) {
        const struct score_cell *cell = score_cell(score, r, t);
        if (cell->verdict == VERDICT_UNKNOWN)
            continue;
        text_add(out, separator);
        table_add_name(out, score->rows[r].label);
        text_printf(out, " says %s", verdict_name(cell->verdict));
        separator = ", ";
    }
    text_add_char(out, '\n');
}

void report_alarms(struct text *out, const struct score *score)
{
    size_t alarms = 0, disputed = 0;
    for (size_t r = 0; r < score->row_count; r++)
        alarms += score->rows[r].wrong;
    for (size_t t = 0; t < score->task_count; t++)
        disputed += is_disputed(score, t);
    if (alarms != 0)
        text_printf(out, "!!! %zu WRONG VERDICT%s !!!\n", alarms, alarms == 1 ? "" : "S");
    for (size_t r = 0; alarms != 0 && r < score->row_count; r++)
        for (size_t t = 0; t < score->task_count; t++)
            if (score_cell(score, r, t)->outcome == OUTCOME_WRONG)
                add_wrong(out, score, r, t);
    if (disputed != 0)
        text_printf(out, "!!! %zu TASK%s WITH ANSWERS THAT CONTRADICT EACH OTHER !!!\n", disputed,
                    disputed == 1 ? "" : "S");
    for (size_t t = 0; disputed != 0 && t < score->task_count; t++)
        if (is_disputed(score, t))
            add_disputed(out, score, t);
    if (alarms != 0 || disputed != 0)
        text_add_char(out, '\n');
}

static void add_row(struct table *table, const struct score_row *row)
{
    table_add(table, "%s", row->label);
    table_add(table, "%zu", row->solved);
    table_add(table, "%zu", row->safe);
    table_add(table, "%zu", row->unsafe);
    table_add(table, "%zu", row->checked);
    table_add(table, "%zu", row->correct);
    table_add(table, "%zu", row->wrong);
    table_add(table, "%zu", row->unknown);
    table_add(table, "%zu", row->errors);
    table_add(table, "%zu", row->missing);
    table_add(table, "%.2f", row->total_seconds);
    table_add(table, "%.3f", row->median_seconds);
    table_add(table, "%.2f", row->par2_seconds);
    table_add(table, "%.2f", row->cpu_seconds);
}

static void add_explanation(struct text *out, const struct study *study)
{
    struct text lines;
    text_init(&lines);
    study_explain(&lines, study);
    for (char *line = lines.data, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        text_add(out, "  ");
        text_add(out, line);
        text_add_char(out, '\n');
    }
    text_finish(&lines);
}

void report_rows(struct text *out, const struct study *study)
{
    const struct score *score = &study->score;
    static const char *const heads[] = {
        "plan or configuration",
        "solved",
        "safe",
        "unsafe",
        "checked",
        "correct",
        "wrong",
        "unknown",
        "error",
        "not run",
        "total s",
        "median s",
        "PAR-2 s",
        "cpu s",
    };
    struct table table;
    table_init(&table, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, "%s", heads[i]);
    for (size_t r = 0; r < score->row_count; r++)
        add_row(&table, &score->rows[r]);
    if (score->row_count > 1)
        add_row(&table, &study->best);
    text_printf(out, "%zu task%s\n", score->task_count, score->task_count == 1 ? "" : "s");
    table_print(out, &table, TABLE_TEXT, NULL);
    table_finish(&table);
    add_explanation(out, study);
    for (size_t r = 0; r < score->row_count; r++)
        if (score->rows[r].worst_stop_latency_seconds > 0) {
            text_add(out, "  ");
            table_add_name(out, score->rows[r].label);
            text_printf(out, ": slowest stop of the others after a verdict: %.0f ms\n",
                        1000 * score->rows[r].worst_stop_latency_seconds);
        }
}

void report_unique(struct text *out, const struct score *score)
{
    enum { MOST_ROWS = 40 }; // more are no readable matrix
    if (score->row_count < 2 || score->row_count >= MOST_ROWS)
        return;
    text_add(out, "\nTasks that the row solves and the column does not\n");
    struct table table;
    table_init(&table, score->row_count + 1);
    table_add(&table, "%s", "");
    for (size_t b = 0; b < score->row_count; b++)
        table_add(&table, "[%zu]", b + 1);
    for (size_t a = 0; a < score->row_count; a++) {
        table_add(&table, "[%zu] %s", a + 1, score->rows[a].label);
        for (size_t b = 0; b < score->row_count; b++) {
            if (a == b)
                table_add(&table, "%s", "-");
            else
                table_add(&table, "%zu", score_unique(score, a, b));
        }
    }
    table_print(out, &table, TABLE_TEXT, NULL);
    table_finish(&table);
}

void report_unsolved(struct text *out, const struct score *score)
{
    bool head = false;
    for (size_t r = 0; r < score->row_count; r++) {
        for (size_t t = 0; t < score->task_count; t++) {
            const struct score_cell *cell = score_cell(score, r, t);
            if (cell->outcome != OUTCOME_UNSOLVED && cell->outcome != OUTCOME_ERROR)
                continue;
            if (!head)
                text_add(out, "\nNot solved\n");
            head = true;
            text_add(out, "  ");
            table_add_name(out, score->tasks[t].name);
            text_add(out, ": ");
            table_add_name(out, score->rows[r].label);
            text_add(out, ": ");
            if (cell->outcome == OUTCOME_ERROR)
                table_add_name(out, cell->status);
            else
                text_printf(out, "unknown after %.1f s", cell->wall_seconds);
            text_add_char(out, '\n');
        }
    }
}

void report_attempts(struct text *out, const struct attempts *attempts)
{
    if (attempts->count == 0)
        return;
    bool used[END_INTERNAL + 1] = {false};
    size_t columns = 8;
    for (size_t e = 0; e <= END_INTERNAL; e++) {
        for (size_t i = 0; i < attempts->count; i++)
            used[e] |= attempts->rows[i].ended[e] != 0;
        columns += used[e];
    }
    struct table table;
    table_init(&table, columns);
    static const char *const heads[] = {"configuration", "attempts", "won"};
    for (size_t i = 0; i < 3; i++)
        table_add(&table, "%s", heads[i]);
    for (size_t e = 0; e <= END_INTERNAL; e++)
        if (used[e])
            table_add(&table, "%s", end_reason_name((enum end_reason)e));
    table_add(&table, "%s", "wall s");
    table_add(&table, "%s", "cpu s");
    table_add(&table, "%s", "solver s");
    table_add(&table, "%s", "monitors s");
    table_add(&table, "%s", "spared s");
    for (size_t i = 0; i < attempts->count; i++) {
        const struct attempts_row *row = &attempts->rows[i];
        table_add(&table, "%s", row->configuration);
        table_add(&table, "%zu", row->started);
        table_add(&table, "%zu", row->won);
        for (size_t e = 0; e <= END_INTERNAL; e++)
            if (used[e])
                table_add(&table, "%zu", row->ended[e]);
        table_add(&table, "%.2f", row->wall_seconds);
        table_add(&table, "%.2f", row->cpu_seconds);
        table_add(&table, "%.2f", row->solver_seconds);
        table_add(&table, "%.3f", row->monitor_seconds);
        table_add(&table, "%.2f", row->spared_seconds);
    }
    text_add(out, "\nAttempts and why they ended\n");
    table_print(out, &table, TABLE_TEXT, NULL);
    table_finish(&table);
    text_add(
        out,
        "  monitors: wall time of telling them and of their work; spared: what was left of the "
        "budgets of attempts that they ended\n");
}

struct comparison {
    double *ratios;
    size_t count, only_us, only_them, neither;
};

static void compare_task(struct text *lines, const struct score *score, size_t row, size_t t,
                         const struct baseline *baseline, struct comparison *comparison)
{
    const struct score_task *task = &score->tasks[t];
    const struct score_cell *cell = score_cell(score, row, t);
    if (cell->outcome == OUTCOME_MISSING || !baseline_knows(baseline, task->name))
        return;
    const struct baseline_row *best = baseline_best(baseline, task->name, task->expected);
    bool solved = outcome_solved(cell->outcome);
    text_printf(lines, "  %-40s ", task->name);
    if (solved && best != NULL) {
        double ratio = best->wall_seconds > 0 ? cell->wall_seconds / best->wall_seconds : 1;
        comparison->ratios[comparison->count++] = ratio;
        text_printf(lines, "%8.3f s %8.2f s  ratio %.4f (1/%.0f)  %s\n", cell->wall_seconds,
                    best->wall_seconds, ratio, ratio > 0 ? 1 / ratio : 0, best->configuration);
    } else if (solved) {
        comparison->only_us++;
        text_printf(lines, "%8.3f s  the baseline solves it in no configuration\n",
                    cell->wall_seconds);
    } else if (best != NULL) {
        comparison->only_them++;
        text_printf(lines, "%-10s %8.2f s  %s\n", outcome_name(cell->outcome), best->wall_seconds,
                    best->configuration);
    } else {
        comparison->neither++;
        text_printf(lines, "%-10s solved by neither\n", outcome_name(cell->outcome));
    }
}

void report_baseline(struct text *out, const struct score *score, const struct baseline *baseline,
                     bool details)
{
    text_add(out, "\nWall time against the best configuration of the baseline on each task\n");
    for (size_t r = 0; r < score->row_count; r++) {
        struct comparison comparison = {.ratios =
                                            memory_alloc((score->task_count + 1) * sizeof(double))};
        struct text lines;
        text_init(&lines);
        for (size_t t = 0; t < score->task_count; t++)
            compare_task(&lines, score, r, t, baseline, &comparison);
        if (details)
            text_add(out, text_string(&lines));
        text_finish(&lines);
        table_add_name(out, score->rows[r].label);
        text_add(out, ": ");
        if (comparison.count != 0) {
            double median = score_median(comparison.ratios, comparison.count);
            text_printf(out, "median ratio %.4f (1/%.0f) over %zu tasks that both solve", median,
                        median > 0 ? 1 / median : 0, comparison.count);
        } else {
            text_add(out, "no task that both solve");
        }
        text_printf(out, "; only we solve %zu, only the baseline %zu, neither %zu\n",
                    comparison.only_us, comparison.only_them, comparison.neither);
        memory_free(comparison.ratios);
    }
}

void report_print(struct text *out, const struct study *study, const struct baseline *baseline,
                  bool details)
{
    const struct score *score = &study->score;
    report_alarms(out, score);
    report_rows(out, study);
    report_unique(out, score);
    if (details)
        report_unsolved(out, score);
    report_attempts(out, &study->attempts);
    if (baseline != NULL)
        report_baseline(out, score, baseline, details);
}
