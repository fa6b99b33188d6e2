#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/figures.h"
#include "analysis/page.h"
#include "analysis/report.h"
#include "analysis/study.h"
#include "analysis/summary.h"
#include "analysis/table.h"
#include "base/memory.h"
#include "base/random.h"

static void set(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

static void begin(struct run_record *run, const char *task, const char *plan, enum verdict verdict,
                  const char *expected, double wall)
{
    char path[200];
    run_record_init(run);
    snprintf(path, sizeof path, "tasks/xsts/%.150s.yml", task);
    set(&run->task, path);
    set(&run->task_digest, task);
    set(&run->plan, plan);
    set(&run->plan_digest, plan);
    set(&run->expected, expected);
    set(&run->family, "xsts");
    run->verdict = verdict;
    run->wall_seconds = wall;
    run->time_limit_seconds = 10;
}

static struct record *add_attempt(struct run_record *run, const char *configuration, unsigned lane,
                                  enum end_reason reason, double wall)
{
    run->attempts = memory_realloc(run->attempts, (run->attempt_count + 1) * sizeof *run->attempts);
    struct record *record = &run->attempts[run->attempt_count++];
    record_init(record);
    set(&record->configuration, configuration);
    record->lane = lane;
    record->reason = reason;
    record->wall_seconds = wall;
    return record;
}

static void add(struct study *study, const char *task, const char *plan, enum verdict verdict,
                const char *expected, double wall)
{
    struct run_record run;
    begin(&run, task, plan, verdict, expected, wall);
    study_add(study, &run);
    run_record_finish(&run);
}

static size_t row_named(const struct study *study, const char *label)
{
    for (size_t r = 0; r < study->score.row_count; r++)
        if (strcmp(study->score.rows[r].label, label) == 0)
            return r;
    fail_msg("no row %s", label);
    return 0;
}

// The greedy choice begins with the widest row and needs three; two are enough.
static void test_cover_is_smaller_than_the_greedy_one(void **state)
{
    (void)state;
    static const char *const solves[] = {"123", "456", "1245"};
    static const char *const plans[] = {"a", "b", "wide"};
    struct study study;
    study_init(&study);
    for (size_t p = 0; p < 3; p++) {
        for (char task = '1'; task <= '7'; task++) {
            const char name[] = {task, '\0'};
            bool solved = strchr(solves[p], task) != NULL;
            add(&study, name, plans[p], solved ? VERDICT_SAFE : VERDICT_UNKNOWN, "", 1);
        }
    }
    study_compute(&study);
    assert_int_equal(study.cover.tasks, 6); // nobody solves 7
    assert_int_equal(study.cover.count, 2);
    assert_int_equal(study.cover.at_least, 2);
    assert_int_equal(study.cover.adds[0] + study.cover.adds[1], 6);
    assert_int_equal(study.cover.unique[row_named(&study, "a")], 1); // 3
    assert_int_equal(study.cover.unique[row_named(&study, "b")], 1); // 6
    assert_int_equal(study.cover.unique[row_named(&study, "wide")], 0);
    study_finish(&study);
}

static size_t smallest(const unsigned *solvers, size_t tasks, unsigned rows)
{
    size_t best = rows;
    for (unsigned set = 0; set < 1u << rows; set++) {
        bool covers = true;
        for (size_t t = 0; t < tasks; t++)
            covers &= solvers[t] == 0 || (solvers[t] & set) != 0;
        size_t size = (size_t)__builtin_popcount(set);
        if (covers && size < best)
            best = size;
    }
    return best;
}

static void test_cover_against_all_subsets(void **state)
{
    (void)state;
    enum { ROWS = 7, TASKS = 12 };
    for (uint64_t seed = 0; seed < 60; seed++) {
        unsigned solvers[TASKS] = {0};
        struct random random;
        random_init(&random, seed);
        struct study study;
        study_init(&study);
        for (unsigned r = 0; r < ROWS; r++) {
            for (unsigned t = 0; t < TASKS; t++) {
                char task[8], plan[8];
                snprintf(task, sizeof task, "t%02u", t);
                snprintf(plan, sizeof plan, "p%u", r);
                bool solved = random_below(&random, 3) == 0;
                solvers[t] |= (unsigned)solved << r;
                add(&study, task, plan, solved ? VERDICT_SAFE : VERDICT_UNKNOWN, "", 1);
            }
        }
        study_compute(&study);
        assert_int_equal(study.cover.count, smallest(solvers, TASKS, ROWS));
        assert_int_equal(study.cover.at_least, study.cover.count);
        study_finish(&study);
    }
}

// Sets of rows are wider than a machine word.
static void test_cover_of_many_rows(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    for (unsigned r = 0; r < 70; r++) {
        char name[8];
        snprintf(name, sizeof name, "n%02u", r);
        add(&study, name, name, VERDICT_SAFE, "", 1); // each solves its own task only
    }
    study_compute(&study);
    assert_int_equal(study.cover.count, 70);
    assert_int_equal(study.cover.at_least, 70);
    study_finish(&study);
}

// Too many to try all: the set still covers, and says how small one could be.
static void test_cover_that_is_hard(void **state)
{
    (void)state;
    enum { ROWS = 60, TASKS = 300 };
    struct random random;
    random_init(&random, 1);
    struct study study;
    study_init(&study);
    for (unsigned r = 0; r < ROWS; r++) {
        for (unsigned t = 0; t < TASKS; t++) {
            char task[8], plan[8];
            snprintf(task, sizeof task, "t%03u", t);
            snprintf(plan, sizeof plan, "p%02u", r);
            add(&study, task, plan, random_below(&random, 8) == 0 ? VERDICT_SAFE : VERDICT_UNKNOWN,
                "", 1);
        }
    }
    study_compute(&study);
    assert_true(study.cover.at_least < study.cover.count); // not proved smallest
    assert_true(study.cover.at_least > 1);
    size_t covered = 0, sum = 0;
    for (size_t i = 0; i < study.cover.count; i++)
        sum += study.cover.adds[i];
    for (size_t t = 0; t < TASKS; t++) {
        bool solved = false;
        for (size_t i = 0; i < study.cover.count; i++)
            solved |= outcome_solved(score_cell(&study.score, study.cover.rows[i], t)->outcome);
        covered += solved;
    }
    assert_int_equal(covered, study.cover.tasks);
    assert_int_equal(sum, study.cover.tasks);
    study_finish(&study);
}

static void test_points_of_competitions(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    add(&study, "a", "p", VERDICT_SAFE, "safe", 1);
    add(&study, "b", "p", VERDICT_UNSAFE, "unsafe", 1);
    add(&study, "c", "p", VERDICT_SAFE, "", 1); // nobody knows: no points
    add(&study, "d", "p", VERDICT_UNKNOWN, "safe", 1);
    add(&study, "a", "q", VERDICT_UNSAFE, "safe", 1);
    add(&study, "b", "q", VERDICT_SAFE, "unsafe", 1);
    study_compute(&study);
    assert_int_equal(study.score.rows[row_named(&study, "p")].points, 2 + 1);
    assert_int_equal(study.score.rows[row_named(&study, "q")].points, -32 - 16);
    study_finish(&study);
}

// A configuration runs under its own name, a plan starts others; the yardstick leaves plans out.
static void test_portfolio_against_its_yardsticks(void **state)
{
    (void)state;
    static const struct {
        const char *task, *plan, *configuration;
        double wall; // 10: not solved
    } runs[] = {
        {"a", "x", "x", 1}, {"b", "x", "x", 10},   {"a", "y", "y", 10},
        {"b", "y", "y", 4}, {"a", "race", "x", 2}, {"b", "race", "y", 5},
    };
    struct study study;
    study_init(&study);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct run_record run;
        bool solved = runs[i].wall < 10;
        begin(&run, runs[i].task, runs[i].plan, solved ? VERDICT_SAFE : VERDICT_UNKNOWN, "",
              runs[i].wall);
        add_attempt(&run, runs[i].configuration, 0, solved ? END_SOLVED : END_MEMORY, runs[i].wall);
        study_add(&study, &run);
        run_record_finish(&run);
    }
    study_compute(&study);
    const struct score_row *race = &study.score.rows[row_named(&study, "race")];
    assert_true(race->portfolio);
    assert_true(study.configurations_only);
    assert_string_equal(study.score.rows[study.single_best].label, "x"); // (1 + 20) / 2
    assert_int_equal(study.score.rows[study.single_best].unknown_by[END_MEMORY], 1);
    assert_true(study.best.par2_seconds == 2.5);
    assert_true(race->par2_seconds == 3.5);
    assert_true(fabs(study_gap_closed(&study, race) - 7.0 / 8) < 1e-9);
    study_finish(&study);
}

static void test_timeline_keeps_what_matters(void **state)
{
    (void)state;
    struct timeline timeline;
    timeline_init(&timeline, 3);
    for (int i = 0; i < 40; i++) {
        struct run_record run;
        char task[8];
        snprintf(task, sizeof task, "t%02d", i);
        begin(&run, task, "race", VERDICT_SAFE, "", (double)((i * 7) % 40));
        run.contradiction = i == 3;
        add_attempt(&run, "x", 0, END_LOST, 1);
        if (i != 11) // the longest, 37 s, but alone
            add_attempt(&run, "y", 1, END_SOLVED, 1);
        timeline_add(&timeline, &run);
        run_record_finish(&run);
    }
    timeline_sort(&timeline);
    assert_int_equal(timeline.seen, 39);
    assert_int_equal(timeline.count, 3);
    assert_true(timeline.runs[0].contradiction);
    assert_true(timeline.runs[1].wall_seconds == 39);
    assert_true(timeline.runs[2].wall_seconds == 38);
    assert_string_equal(timeline.runs[1].attempts[1].configuration, "y");
    timeline_finish(&timeline);
}

static void test_stalls_by_time(void **state)
{
    (void)state;
    struct attempts attempts;
    attempts_init(&attempts);
    struct run_record run;
    begin(&run, "a", "p", VERDICT_UNKNOWN, "", 1);
    add_attempt(&run, "x", 0, END_STALLED, 0);
    add_attempt(&run, "x", 0, END_STALLED, 1.01);
    add_attempt(&run, "x", 0, END_STALLED, 1e9);
    add_attempt(&run, "x", 0, END_TIMEOUT, 1.01);
    attempts_add(&attempts, &run);
    run_record_finish(&run);
    const size_t *stalls = attempts.rows[0].stalls;
    assert_int_equal(stalls[0], 1);
    assert_int_equal(stalls[24], 1); // three powers of ten above a millisecond
    assert_int_equal(stalls[STALL_BINS - 1], 1);
    attempts_finish(&attempts);
}

static void add_of_tool(struct study *study, const char *tool, const char *plan)
{
    struct run_record run;
    begin(&run, "a", plan, VERDICT_SAFE, "", 1);
    set(&run.tool, tool);
    study_add(study, &run);
    run_record_finish(&run);
}

static void test_other_tools_are_named_beside_ours(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    add_of_tool(&study, "one", "pdr");
    add_of_tool(&study, "two", "kind");
    study_compute(&study);
    row_named(&study, "pdr"); // names that are clear stay short
    row_named(&study, "kind");
    study_finish(&study);
    study_init(&study);
    add_of_tool(&study, "one", "pdr");
    add_of_tool(&study, "one", "bmc");
    add_of_tool(&study, "two", "pdr");
    study_compute(&study);
    row_named(&study, "one: pdr");
    row_named(&study, "two: pdr");
    row_named(&study, "bmc");
    study_finish(&study);
    study_init(&study);
    add_of_tool(&study, "one", "pdr");
    add_of_tool(&study, RUN_TOOL, "ic3");
    study_compute(&study);
    row_named(&study, "one: pdr");
    row_named(&study, "ic3");
    study_finish(&study);
}

static const char HOSTILE[] = "</script><b>\"'`|&%_#{}~^$\\,\n\x1b[31m\xff\xed\xa0\x80";

static char *print_hostile(enum table_format format)
{
    struct table table;
    table_init(&table, 2);
    table_add(&table, "%s", "name");
    table_add(&table, "%s", "n");
    table_add(&table, "%s", HOSTILE);
    table_add(&table, "%d", 1);
    struct text out;
    text_init(&out);
    table_print(&out, &table, format, NULL);
    table_finish(&table);
    return text_steal(&out);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void test_tables_quote_what_they_must(void **state)
{
    (void)state;
    char *text = print_hostile(TABLE_TEXT);
    assert_int_equal(lines_of(text), 2);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "\\,??[31m????  1\n")); // aligned, too
    memory_free(text);
    text = print_hostile(TABLE_MARKDOWN);
    assert_int_equal(lines_of(text), 3);
    assert_non_null(strstr(text, "\\</script\\>\\<b\\>"));
    assert_non_null(strstr(text, "\\`\\|\\&"));
    memory_free(text);
    text = print_hostile(TABLE_CSV);
    assert_int_equal(lines_of(text), 3); // the line end stays, inside quotes
    assert_non_null(strstr(text, "\"</script><b>\"\"'"));
    memory_free(text);
    text = print_hostile(TABLE_LATEX);
    assert_non_null(strstr(text, "\\textbar{}\\&\\%\\_\\#\\{\\}\\textasciitilde{}"
                                 "\\textasciicircum{}\\$\\textbackslash{}"));
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '"'));
    assert_non_null(strstr(text, "{[}31m")); // "[" after a line's end would begin an option of it
    memory_free(text);
}

static void test_long_cells_are_cut_but_in_csv(void **state)
{
    (void)state;
    char name[501];
    for (size_t i = 0; i < 500; i += 2)
        memcpy(name + i, "\xc3\xa9", 3); // é: the cut must not go through one
    struct table table;
    table_init(&table, 1);
    table_add(&table, "%s",
              "x"
              "\xc3\xa9");
    table_add(&table, "x%s", name);
    struct text out;
    text_init(&out);
    table_print(&out, &table, TABLE_TEXT, NULL);
    const char *last = strstr(text_string(&out), "…");
    assert_non_null(last);
    assert_int_equal((unsigned char)last[-1], 0xa9);
    assert_true(out.length < 500);
    text_clear(&out);
    table_print(&out, &table, TABLE_CSV, NULL);
    assert_non_null(strstr(text_string(&out), name));
    text_finish(&out);
    table_finish(&table);
}

static cJSON *data_of(const struct study *study)
{
    struct text out;
    text_init(&out);
    page_data(&out, study, "0");
    assert_null(strpbrk(text_string(&out), "<>&")); // nothing in it can end the script element
    cJSON *data = cJSON_Parse(text_string(&out));
    assert_non_null(data);
    text_finish(&out);
    return data;
}

static void test_page_data(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    add(&study, "a", HOSTILE, VERDICT_SAFE, "unsafe", 1);
    add(&study, "b", HOSTILE, VERDICT_UNKNOWN, "", 10);
    add(&study, "b", "q", VERDICT_SAFE, "", 2);
    study_add_file(&study, HOSTILE);
    study_compute(&study);
    cJSON *data = data_of(&study);
    cJSON *rows = cJSON_GetObjectItem(data, "rows"), *cells = cJSON_GetObjectItem(data, "cells");
    assert_int_equal(cJSON_GetArraySize(rows), 3); // the virtual best last
    assert_int_equal(cJSON_GetArraySize(cells), 3);
    // Names come through whole, but for bytes that are no UTF-8.
    const char *label =
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 1), "label"));
    size_t good = strlen(HOSTILE) - 4;
    assert_memory_equal(label, HOSTILE, good);
    assert_string_equal(label + good, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    // Solved, wrong, not run, and an unknown as the letter of its reason: D, the fourth, is a timeout.
    static const char *const outcomes[] = {".s", "1D", ".s"};
    for (int r = 0; r < 3; r++)
        assert_string_equal(
            cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(cells, r), "outcome")),
            outcomes[r]);
    cJSON_Delete(data);
    study_finish(&study);
}

static void test_nothing_is_fine(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    study_compute(&study);
    cJSON_Delete(data_of(&study));
    struct text out;
    text_init(&out);
    for (int format = TABLE_TEXT; format <= TABLE_LATEX; format++)
        assert_true(summary_print(&out, &study, (enum table_format)format, NULL));
    assert_false(summary_print(&out, &study, TABLE_CSV, "none"));
    figures_script(&out, &study, FIGURES_SVG, 0, 1);
    text_finish(&out);
    study_finish(&study);
}

// Answers that differ between rows are an alarm even where nobody knows which is right.
static void test_rows_that_contradict_each_other(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    add(&study, "a", "p", VERDICT_SAFE, "", 1);
    add(&study, "a", "q", VERDICT_UNSAFE, "", 1);
    add(&study, "b", "p", VERDICT_SAFE, "", 1);
    study_compute(&study);
    struct text out;
    text_init(&out);
    summary_print(&out, &study, TABLE_CSV, "alarms");
    assert_string_equal(text_string(&out), "task,plan or configuration,says,expected\n"
                                           "xsts/a,p,safe,-\nxsts/a,q,unsafe,-\n");
    text_clear(&out);
    report_alarms(&out, &study.score);
    assert_string_equal(text_string(&out),
                        "!!! 1 TASK WITH ANSWERS THAT CONTRADICT EACH OTHER !!!\n"
                        "!!! xsts/a: p says safe, q says unsafe\n\n");
    text_finish(&out);
    study_finish(&study);
}

static void test_gnuplot_gets_no_live_names(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    add(&study, "a", "it's `touch x` @m\nset output", VERDICT_SAFE, "", 1);
    add(&study, "a", "q", VERDICT_SAFE, "", 2);
    study_compute(&study);
    struct text out;
    text_init(&out);
    figures_script(&out, &study, FIGURES_SVG, 0, 1);
    assert_non_null(strstr(text_string(&out), "'it''s ?touch x? @m?set output'"));
    assert_null(strchr(text_string(&out), '`'));
    size_t a, b;
    assert_true(figures_parse_pair(&study, "2,1", &a, &b, &out));
    assert_int_equal(a, 1);
    assert_int_equal(b, 0);
    static const char *const bad[] = {"", "1", "1,1", "0,1", "1,3", "1,2x", "-1,2", "a,b"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(figures_parse_pair(&study, bad[i], &a, &b, &out));
    text_finish(&out);
    study_finish(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cover_is_smaller_than_the_greedy_one),
        cmocka_unit_test(test_cover_against_all_subsets),
        cmocka_unit_test(test_cover_of_many_rows),
        cmocka_unit_test(test_cover_that_is_hard),
        cmocka_unit_test(test_other_tools_are_named_beside_ours),
        cmocka_unit_test(test_points_of_competitions),
        cmocka_unit_test(test_portfolio_against_its_yardsticks),
        cmocka_unit_test(test_timeline_keeps_what_matters),
        cmocka_unit_test(test_stalls_by_time),
        cmocka_unit_test(test_tables_quote_what_they_must),
        cmocka_unit_test(test_long_cells_are_cut_but_in_csv),
        cmocka_unit_test(test_page_data),
        cmocka_unit_test(test_nothing_is_fine),
        cmocka_unit_test(test_rows_that_contradict_each_other),
        cmocka_unit_test(test_gnuplot_gets_no_live_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
