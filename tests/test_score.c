#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/export.h"
#include "analysis/report.h"
#include "base/memory.h"

static void set(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

static void add(struct score *score, const char *task, const char *plan, enum verdict verdict,
                const char *expected, double wall)
{
    struct run_record run;
    char path[100];
    run_record_init(&run);
    snprintf(path, sizeof path, "tasks/xsts/%s.yml", task);
    set(&run.task, path);
    set(&run.task_digest, task);
    set(&run.plan, plan);
    set(&run.plan_digest, plan);
    set(&run.expected, expected);
    run.verdict = verdict;
    run.wall_seconds = wall;
    run.time_limit_seconds = 10;
    run.cores = 2;
    score_add(score, &run);
    run_record_finish(&run);
}

// Two plans on three tasks: "good" solves two, "bad" solves one and is wrong once.
static void add_all(struct score *score)
{
    add(score, "a", "bad", VERDICT_SAFE, "safe", 1);
    add(score, "b", "bad", VERDICT_SAFE, "unsafe", 1);
    add(score, "c", "bad", VERDICT_UNKNOWN, "safe", 10);
    add(score, "a", "good", VERDICT_SAFE, "safe", 3);
    add(score, "b", "good", VERDICT_UNSAFE, "unsafe", 5);
    add(score, "c", "good", VERDICT_UNKNOWN, "safe", 10);
}

static void fill(struct score *score)
{
    score_init(score);
    add_all(score);
    score_compute(score);
}

// A ran on two tasks, B on four: both are added up over the same ones, whichever these are.
static void test_rows_stand_on_one_base(void **state)
{
    (void)state;
    for (int base = SCORE_ALL; base <= SCORE_COMMON; base++) {
        struct score score;
        struct score_row best;
        score_init(&score);
        score.base = (enum score_base)base;
        add(&score, "a", "A", VERDICT_SAFE, "safe", 1);
        add(&score, "b", "A", VERDICT_SAFE, "safe", 1);
        for (const char *task = "abcd"; *task != '\0'; task++) {
            const char name[] = {*task, '\0'};
            bool late = *task > 'b';
            add(&score, name, "B", late ? VERDICT_UNKNOWN : VERDICT_SAFE, "safe", late ? 10 : 2);
        }
        score_compute(&score);
        score_virtual_best(&score, false, &best, NULL);
        bool all = base == SCORE_ALL;
        assert_int_equal(score.base_tasks, all ? 4 : 2);
        assert_int_equal(score.left_out, all ? 0 : 2);
        const struct score_row *a = &score.rows[0], *b = &score.rows[1];
        assert_string_equal(a->label, "A");
        assert_true(a->par2_seconds == (all ? (1 + 1 + 20 + 20) / 4.0 : 1));
        assert_true(b->par2_seconds == (all ? (2 + 2 + 20 + 20) / 4.0 : 2));
        assert_int_equal(a->missing, all ? 2 : 0);
        assert_true(best.par2_seconds == a->par2_seconds);
        score_row_finish(&best);
        score_finish(&score);
    }
}

// Unsupported by one row, read by the other: it counts for both. Read by nobody: for none.
static void test_what_one_row_cannot_read_counts(void **state)
{
    (void)state;
    struct score score;
    score_init(&score);
    static const char *const statuses[] = {RUN_STATUS_OK, "not supported"};
    for (int i = 0; i < 4; i++) {
        struct run_record run;
        run_record_init(&run);
        set(&run.task, i < 2 ? "t/half" : "t/none");
        set(&run.task_digest, i < 2 ? "1" : "2");
        set(&run.plan, i % 2 == 0 ? "reads" : "does not");
        set(&run.plan_digest, run.plan);
        set(&run.status, statuses[i < 2 ? i % 2 : 1]);
        run.verdict = i == 0 ? VERDICT_SAFE : VERDICT_UNKNOWN;
        run.wall_seconds = 1;
        run.time_limit_seconds = 10;
        score_add(&score, &run);
        run_record_finish(&run);
    }
    score_compute(&score);
    assert_int_equal(score.base_tasks, 1);
    assert_true(score.rows[0].par2_seconds == 1);
    assert_true(score.rows[1].par2_seconds == 20);
    score_finish(&score);
}

static void add_named(struct score *score, const char *path)
{
    struct run_record run;
    run_record_init(&run);
    set(&run.task, path);
    set(&run.task_digest, "same question");
    set(&run.plan, "p");
    set(&run.plan_digest, "p");
    score_add(score, &run);
    run_record_finish(&run);
}

static void test_two_names_of_one_question_are_two_tasks(void **state)
{
    (void)state;
    struct score score;
    score_init(&score);
    add_named(&score, "tasks/xsts/a.yml");
    add_named(&score, "/elsewhere/xsts/a.yml"); // the same
    add_named(&score, "a.yml");                 // as well
    add_named(&score, "tasks/xsts/b.yml");
    score_compute(&score);
    assert_int_equal(score.task_count, 2);
    assert_int_equal(score_cell(&score, 0, 0)->runs, 3);
    assert_true(task_is_same("./a.yml", "xsts/a.yml"));
    assert_true(task_is_same("x/c.btor2#b0", "c.btor2#b0"));
    assert_false(task_is_same("x/c.btor2#b0", "x/c.btor2#b1"));
    assert_false(task_is_same("xsts/a.yml", "cfa/a.yml"));
    assert_false(task_is_same("xsts/aa.yml", "a.yml"));
    score_finish(&score);
}

static void test_checked_verdicts_are_counted(void **state)
{
    (void)state;
    struct study study;
    study_init(&study);
    for (int check = CHECK_NONE; check <= CHECK_MISSING; check++) {
        struct run_record run;
        const char name[] = {(char)('a' + check), '\0'};
        run_record_init(&run);
        set(&run.task, name);
        set(&run.task_digest, name);
        set(&run.plan, "p");
        run.verdict = VERDICT_SAFE;
        run.checked = (enum check)check;
        study_add(&study, &run);
        run_record_finish(&run);
    }
    study_compute(&study);
    assert_int_equal(study.score.rows[0].checked, 1);
    assert_int_equal(study.score.rows[0].unchecked, 2);
    struct text out;
    text_init(&out);
    study_explain(&out, &study);
    assert_non_null(strstr(text_string(&out),
                           "checked: 1 of 4 verdicts were checked on the model as given, 2 were "
                           "not; of 1 it was not recorded"));
    text_finish(&out);
    study_finish(&study);
}

static void test_counts_and_times(void **state)
{
    (void)state;
    struct score score;
    fill(&score);
    assert_int_equal(score.task_count, 3);
    assert_string_equal(score.tasks[0].name, "xsts/a");
    assert_int_equal(score.row_count, 2);
    const struct score_row *good = &score.rows[0], *bad = &score.rows[1];
    assert_string_equal(good->label, "good"); // a wrong answer puts a row last
    assert_int_equal(good->solved, 2);
    assert_int_equal(good->correct, 2);
    assert_int_equal(good->unknown, 1);
    assert_true(good->total_seconds == 8);
    assert_true(good->median_seconds == 4);
    assert_true(good->par2_seconds == (3 + 5 + 20) / 3.0);
    assert_int_equal(bad->solved, 1);
    assert_int_equal(bad->wrong, 1);
    assert_true(bad->par2_seconds == (1 + 20 + 20) / 3.0);
    score_finish(&score);
}

static void test_virtual_best_takes_no_wrong_answer(void **state)
{
    (void)state;
    struct score score;
    fill(&score);
    struct score_row best;
    assert_true(score_virtual_best(&score, false, &best, NULL));
    assert_int_equal(best.solved, 2);
    assert_int_equal(best.wrong, 0);
    assert_true(best.total_seconds == 1 + 5);
    score_row_finish(&best);
    score_finish(&score);
}

static void test_unique_solves(void **state)
{
    (void)state;
    struct score score;
    fill(&score);
    assert_int_equal(score_unique(&score, 0, 1), 1);
    assert_int_equal(score_unique(&score, 1, 0), 0);
    score_finish(&score);
}

static void test_repeats_count_as_their_median_but_one_wrong_is_wrong(void **state)
{
    (void)state;
    struct score score;
    score_init(&score);
    add(&score, "a", "p", VERDICT_SAFE, "safe", 9);
    add(&score, "a", "p", VERDICT_SAFE, "safe", 1);
    add(&score, "a", "p", VERDICT_SAFE, "safe", 2);
    add(&score, "b", "p", VERDICT_SAFE, "safe", 1);
    add(&score, "b", "p", VERDICT_SAFE, "safe", 1);
    add(&score, "b", "p", VERDICT_UNSAFE, "safe", 1);
    score_compute(&score);
    assert_int_equal(score_cell(&score, 0, 0)->outcome, OUTCOME_CORRECT);
    assert_true(score_cell(&score, 0, 0)->wall_seconds == 2);
    assert_int_equal(score_cell(&score, 0, 0)->runs, 3);
    assert_int_equal(score_cell(&score, 0, 1)->outcome, OUTCOME_WRONG);
    score_finish(&score);
}

static void test_same_plan_with_other_limits_is_another_row(void **state)
{
    (void)state;
    struct score score;
    struct run_record run;
    score_init(&score);
    add(&score, "a", "p", VERDICT_SAFE, "safe", 1);
    run_record_init(&run);
    set(&run.plan, "p");
    set(&run.plan_digest, "p");
    set(&run.task_digest, "a");
    run.cores = 4;
    run.time_limit_seconds = 10;
    score_add(&score, &run);
    run_record_finish(&run);
    score_compute(&score);
    assert_int_equal(score.row_count, 2);
    assert_int_equal(score.task_count, 1);
    assert_string_equal(score.rows[0].label, "p 2 cores");
    score_finish(&score);
}

static void test_interrupted_and_unreadable(void **state)
{
    (void)state;
    struct run_record run;
    run_record_init(&run);
    set(&run.status, RUN_STATUS_INTERRUPTED);
    assert_int_equal(score_outcome(&run), OUTCOME_MISSING);
    set(&run.status, "m.xsts:1:2: expected a name");
    assert_int_equal(score_outcome(&run), OUTCOME_ERROR);
    run.contradiction = true;
    assert_int_equal(score_outcome(&run), OUTCOME_WRONG);
    run_record_finish(&run);
}

static void test_empty(void **state)
{
    (void)state;
    struct study study;
    struct text out;
    study_init(&study);
    text_init(&out);
    study_compute(&study);
    report_print(&out, &study, NULL, true);
    assert_non_null(strstr(text_string(&out), "0 tasks"));
    text_finish(&out);
    study_finish(&study);
}

static void test_report_begins_with_the_wrong_verdicts(void **state)
{
    (void)state;
    struct study study;
    struct text out;
    study_init(&study);
    add_all(&study.score);
    study_compute(&study);
    text_init(&out);
    report_print(&out, &study, NULL, true);
    const char *text = text_string(&out);
    assert_true(strncmp(text,
                        "!!! 1 WRONG VERDICT !!!\n!!! xsts/b: bad says safe, expected unsafe\n",
                        66) == 0);
    assert_non_null(strstr(text, "virtual best"));
    assert_non_null(strstr(text, "xsts/c: good: unknown after 10.0 s"));
    text_finish(&out);
    study_finish(&study);
}

// Writes a file and reads it as a baseline.
static bool read_baseline(struct baseline *baseline, const char *contents, struct text *why)
{
    char path[] = "/tmp/regatta-baseline-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, contents, strlen(contents)), (int)strlen(contents));
    close(fd);
    bool good = baseline_read(baseline, path, why);
    unlink(path);
    return good;
}

static const char BASELINE[] = "formalism,task,config,verdict,wall_s,limit_s\n"
                               "xsts,a,one,safe,6,15\n"
                               "xsts,a,\"two, fast\",safe,4.5,15\n"
                               "xsts,a,wrong,unsafe,0.1,15\n"
                               "xsts,b,one,timeout,15,15\r\n"
                               "xsts,c,one,safe,2,15\n";

static void test_baseline_best(void **state)
{
    (void)state;
    struct baseline baseline;
    struct text why;
    text_init(&why);
    assert_true(read_baseline(&baseline, BASELINE, &why));
    assert_string_equal(text_string(&why), "");
    const struct baseline_row *best = baseline_best(&baseline, "xsts/a", "safe");
    assert_string_equal(best->configuration, "two, fast");
    assert_true(best->wall_seconds == 4.5);
    assert_string_equal(baseline_best(&baseline, "xsts/a", "")->configuration, "wrong");
    assert_null(baseline_best(&baseline, "xsts/b", "unsafe"));
    assert_true(baseline_knows(&baseline, "xsts/b"));
    assert_false(baseline_knows(&baseline, "xsts/z"));
    baseline_finish(&baseline);
    text_finish(&why);
}

static void test_baseline_ratio(void **state)
{
    (void)state;
    struct score score;
    struct baseline baseline;
    struct text out;
    fill(&score);
    text_init(&out);
    assert_true(read_baseline(&baseline, BASELINE, &out));
    report_baseline(&out, &score, &baseline, true);
    // "good" needs 3 s for a, the baseline 4.5; b is ours alone, c theirs alone.
    assert_non_null(strstr(text_string(&out), "good: median ratio 0.6667 (1/2) over 1 tasks that "
                                              "both solve; only we solve 1, only the baseline 1"));
    text_finish(&out);
    baseline_finish(&baseline);
    score_finish(&score);
}

static void refused(const char *contents, const char *expected)
{
    struct baseline baseline;
    struct text why;
    text_init(&why);
    assert_false(read_baseline(&baseline, contents, &why));
    if (strstr(text_string(&why), expected) == NULL)
        fail_msg("'%s' lacks '%s'", text_string(&why), expected);
    assert_int_equal(baseline.count, 0);
    text_finish(&why);
}

static void test_baseline_errors(void **state)
{
    (void)state;
    refused("formalism,task,config,wall_s\n", ":1: no column 'verdict'");
    refused("formalism,task,config,verdict,wall_s\nxsts,a,one,safe\n", ":2: 4 fields");
    refused("formalism,task,config,verdict,wall_s\nxsts,a,one,safe,soon\n", ":2: 'soon'");
}

static void test_csv_quotes_what_needs_it(void **state)
{
    (void)state;
    struct run_record run;
    struct text out;
    run_record_init(&run);
    set(&run.task, "a,\"b\".yml");
    text_init(&out);
    export_csv_runs_head(&out);
    size_t head = out.length;
    export_csv_run(&out, &run);
    assert_true(strncmp(out.data + head, "\"a,\"\"b\"\".yml\",", 14) == 0);
    size_t commas_head = 0, commas_row = 0;
    for (size_t i = 0; i < out.length; i++)
        *(i < head ? &commas_head : &commas_row) += out.data[i] == ',';
    assert_int_equal(commas_row, commas_head + 1); // one comma is quoted
    text_finish(&out);
    run_record_finish(&run);
}

static void test_csv_attempts_has_as_many_fields_as_its_head(void **state)
{
    (void)state;
    struct run_record run;
    struct text out;
    run_record_init(&run);
    run.attempts = memory_zalloc(sizeof *run.attempts);
    run.attempt_count = 1;
    record_init(&run.attempts[0]);
    text_init(&out);
    export_csv_attempts_head(&out);
    size_t head = out.length, commas[2] = {0, 0};
    export_csv_attempts(&out, &run);
    for (size_t i = 0; i < out.length; i++)
        commas[i >= head] += out.data[i] == ',';
    assert_int_equal(commas[0], commas[1]);
    text_finish(&out);
    run_record_finish(&run);
}

static void test_attempts_table(void **state)
{
    (void)state;
    struct attempts attempts;
    struct run_record run;
    struct text out;
    run_record_init(&run);
    run.attempts = memory_zalloc(3 * sizeof *run.attempts);
    run.attempt_count = 3;
    for (int i = 0; i < 3; i++) {
        record_init(&run.attempts[i]);
        set(&run.attempts[i].configuration, i == 1 ? "winner" : "other");
        run.attempts[i].reason = i == 1 ? END_SOLVED : i == 0 ? END_STALLED : END_LOST;
        run.attempts[i].winner = i == 1;
    }
    attempts_init(&attempts);
    attempts_add(&attempts, &run);
    attempts_sort(&attempts);
    assert_int_equal(attempts.count, 2);
    assert_string_equal(attempts.rows[0].configuration, "winner");
    assert_int_equal(attempts.rows[1].started, 2);
    assert_int_equal(attempts.rows[1].ended[END_STALLED], 1);
    text_init(&out);
    report_attempts(&out, &attempts);
    assert_non_null(strstr(text_string(&out), "stalled"));
    text_finish(&out);
    attempts_finish(&attempts);
    run_record_finish(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_times),
        cmocka_unit_test(test_rows_stand_on_one_base),
        cmocka_unit_test(test_what_one_row_cannot_read_counts),
        cmocka_unit_test(test_two_names_of_one_question_are_two_tasks),
        cmocka_unit_test(test_checked_verdicts_are_counted),
        cmocka_unit_test(test_virtual_best_takes_no_wrong_answer),
        cmocka_unit_test(test_unique_solves),
        cmocka_unit_test(test_repeats_count_as_their_median_but_one_wrong_is_wrong),
        cmocka_unit_test(test_same_plan_with_other_limits_is_another_row),
        cmocka_unit_test(test_interrupted_and_unreadable),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_report_begins_with_the_wrong_verdicts),
        cmocka_unit_test(test_baseline_best),
        cmocka_unit_test(test_baseline_ratio),
        cmocka_unit_test(test_baseline_errors),
        cmocka_unit_test(test_csv_quotes_what_needs_it),
        cmocka_unit_test(test_csv_attempts_has_as_many_fields_as_its_head),
        cmocka_unit_test(test_attempts_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
