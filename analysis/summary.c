#include "analysis/summary.h"

#include <math.h>
#include <string.h>

static void heads(struct table *table, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        table_add(table, "%s", names[i]);
}

static void add_megabytes(struct table *table, uint64_t bytes)
{
    if (bytes != 0)
        table_add(table, "%.1f", (double)bytes / 1e6);
    else
        table_add(table, "%s", "-");
}

static void add_alarm(struct table *table, const struct study *study, size_t t, size_t r)
{
    const struct score_cell *cell = score_cell(&study->score, r, t);
    const char *expected = study->score.tasks[t].expected;
    table_add(table, "%s", study->score.tasks[t].name);
    table_add(table, "%s", study->score.rows[r].label);
    table_add(table, "%s", cell->contradiction ? "contradiction" : verdict_name(cell->verdict));
    table_add(table, "%s", expected[0] != '\0' ? expected : "-");
}

// Answers against the expected verdict, contradictions inside a run, and those between rows where
// nobody knows the right answer.
static void alarms(struct table *table, const struct study *study)
{
    const struct score *score = &study->score;
    table_init(table, 4);
    heads(table, (const char *const[]){"task", "plan or configuration", "says", "expected", NULL});
    for (size_t t = 0; t < score->task_count; t++) {
        bool clash = score_rows_contradict(score, t);
        for (size_t r = 0; r < score->row_count; r++) {
            const struct score_cell *cell = score_cell(score, r, t);
            if (cell->outcome == OUTCOME_WRONG || (clash && cell->outcome == OUTCOME_SOLVED))
                add_alarm(table, study, t, r);
        }
    }
}

static void add_score(struct table *table, const struct score_row *row)
{
    table_add(table, "%s", row->label);
    table_add(table, "%zu", row->solved);
    table_add(table, "%zu", row->safe);
    table_add(table, "%zu", row->unsafe);
    table_add(table, "%zu", row->checked);
    table_add(table, "%zu", row->wrong);
    table_add(table, "%zu", row->unknown);
    table_add(table, "%zu", row->errors);
    table_add(table, "%zu", row->missing);
    table_add(table, "%ld", row->points);
    table_add(table, "%.3f", row->par2_seconds);
    table_add(table, "%.2f", row->total_seconds);
    table_add(table, "%.3f", row->median_seconds);
    table_add(table, "%.2f", row->cpu_seconds);
    add_megabytes(table, row->peak_bytes);
}

static void scores(struct table *table, const struct study *study)
{
    table_init(table, 15);
    heads(table,
          (const char *const[]){"plan or configuration", "solved", "safe", "unsafe", "checked",
                                "wrong", "unknown", "error", "not run", "score", "PAR-2 s",
                                "total s", "median s", "cpu s", "memory MB", NULL});
    for (size_t r = 0; r < study->score.row_count; r++)
        add_score(table, &study->score.rows[r]);
    add_score(table, &study->best);
}

static void unknowns(struct table *table, const struct study *study)
{
    const struct score *score = &study->score;
    bool used[END_INTERNAL + 1] = {false};
    size_t columns = 2;
    for (size_t e = 0; e <= END_INTERNAL; e++) {
        for (size_t r = 0; r < score->row_count; r++)
            used[e] |= score->rows[r].unknown_by[e] != 0;
        columns += used[e];
    }
    table_init(table, columns);
    heads(table, (const char *const[]){"plan or configuration", "unknown", NULL});
    for (size_t e = 0; e <= END_INTERNAL; e++)
        if (used[e])
            table_add(table, "%s", end_reason_name((enum end_reason)e));
    for (size_t r = 0; r < score->row_count; r++) {
        table_add(table, "%s", score->rows[r].label);
        table_add(table, "%zu", score->rows[r].unknown);
        for (size_t e = 0; e <= END_INTERNAL; e++)
            if (used[e])
                table_add(table, "%zu", score->rows[r].unknown_by[e]);
    }
}

static void add_yardstick(struct table *table, const struct study *study, const char *what,
                          const struct score_row *row)
{
    double gap = study_gap_closed(study, row);
    table_add(table, "%s", what);
    table_add(table, "%s", row->label);
    table_add(table, "%zu", row->solved);
    table_add(table, "%.3f", row->par2_seconds);
    if (isfinite(gap))
        table_add(table, "%.1f %%", 100 * gap);
    else
        table_add(table, "%s", "-");
}

static void yardsticks(struct table *table, const struct study *study)
{
    const struct score *score = &study->score;
    table_init(table, 5);
    heads(table, (const char *const[]){"what", "row", "solved", "PAR-2 s", "gap closed", NULL});
    if (study->single_best < score->row_count)
        add_yardstick(table, study, "single best", &score->rows[study->single_best]);
    for (size_t r = 0; r < score->row_count; r++)
        if (score->rows[r].portfolio)
            add_yardstick(table, study, "portfolio", &score->rows[r]);
    add_yardstick(table, study, "virtual best", &study->best);
}

static void cover(struct table *table, const struct study *study)
{
    const struct score *score = &study->score;
    const struct cover *set = &study->cover;
    table_init(table, 5);
    heads(table, (const char *const[]){"plan or configuration", "solved", "only it", "in the set",
                                       "adds", NULL});
    for (size_t i = 0; i < set->count; i++) {
        table_add(table, "%s", score->rows[set->rows[i]].label);
        table_add(table, "%zu", score->rows[set->rows[i]].solved);
        table_add(table, "%zu", set->unique[set->rows[i]]);
        table_add(table, "%zu", i + 1);
        table_add(table, "%zu", set->adds[i]);
    }
    table_add(table, "%zu together; no fewer than %zu can do", set->count, set->at_least);
    table_add(table, "%zu", set->tasks);
    for (size_t i = 0; i < 3; i++)
        table_add(table, "%s", "-");
}

static void families(struct table *table, const struct study *study)
{
    const struct families *map = &study->families;
    table_init(table, map->count + 1);
    table_add(table, "%s", "plan or configuration");
    for (size_t f = 0; f < map->count; f++)
        table_add(table, "%s", map->names[f]);
    for (size_t r = 0; r < map->row_count; r++) {
        table_add(table, "%s",
                  r < study->score.row_count ? study->score.rows[r].label : study->best.label);
        for (size_t f = 0; f < map->count; f++) {
            const struct family_cell *cell = families_cell(map, r, f);
            table_add(table, "%zu/%zu", cell->solved, cell->tasks);
        }
    }
}

static void attempts(struct table *table, const struct study *study)
{
    const struct attempts *all = &study->attempts;
    bool used[END_INTERNAL + 1] = {false};
    size_t columns = 8;
    for (size_t e = 0; e <= END_INTERNAL; e++) {
        for (size_t i = 0; i < all->count; i++)
            used[e] |= all->rows[i].ended[e] != 0;
        columns += used[e];
    }
    table_init(table, columns);
    heads(table, (const char *const[]){"configuration", "attempts", "won", NULL});
    for (size_t e = 0; e <= END_INTERNAL; e++)
        if (used[e])
            table_add(table, "%s", end_reason_name((enum end_reason)e));
    heads(table,
          (const char *const[]){"wall s", "cpu s", "solver s", "monitors s", "spared s", NULL});
    for (size_t i = 0; i < all->count; i++) {
        const struct attempts_row *row = &all->rows[i];
        table_add(table, "%s", row->configuration);
        table_add(table, "%zu", row->started);
        table_add(table, "%zu", row->won);
        for (size_t e = 0; e <= END_INTERNAL; e++)
            if (used[e])
                table_add(table, "%zu", row->ended[e]);
        table_add(table, "%.2f", row->wall_seconds);
        table_add(table, "%.2f", row->cpu_seconds);
        table_add(table, "%.2f", row->solver_seconds);
        table_add(table, "%.3f", row->monitor_seconds);
        table_add(table, "%.2f", row->spared_seconds);
    }
}

static const struct {
    const char *name, *title;
    void (*fill)(struct table *table, const struct study *study);
} tables[] = {
#define X(name, title) {#name, title, name},
    SUMMARY_TABLES(X)
#undef X
};

const char *const *summary_names(void)
{
    static const char *const names[] = {
#define X(name, title) #name,
        SUMMARY_TABLES(X)
#undef X
            NULL,
    };
    return names;
}

// Below the scores: a list in Markdown, comments in LaTeX.
static void add_explanation(struct text *out, const struct study *study, enum table_format format)
{
    struct text lines;
    text_init(&lines);
    study_explain(&lines, study);
    text_add_char(out, '\n');
    for (char *line = lines.data, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        text_add(out, format == TABLE_MARKDOWN ? "- " : "% ");
        text_add(out, line);
        text_add_char(out, '\n');
    }
    text_finish(&lines);
}

bool summary_print(struct text *out, const struct study *study, enum table_format format,
                   const char *name)
{
    if (name == NULL && format == TABLE_CSV)
        name = "scores";
    bool found = false;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (name != NULL && strcmp(name, tables[i].name) != 0)
            continue;
        if (found)
            text_add_char(out, '\n');
        found = true;
        struct table table;
        tables[i].fill(&table, study);
        table_print(out, &table, format, name == NULL ? tables[i].title : NULL);
        table_finish(&table);
        if (strcmp(tables[i].name, "scores") == 0 && format != TABLE_CSV)
            add_explanation(out, study, format);
    }
    return found;
}
