#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare.h"
#include "base/memory.h"
#include "base/random.h"

static void near(double found, double expected, double by)
{
    if (fabs(found - expected) > by)
        fail_msg("found %g, expected %g", found, expected);
}

// Expected values from tables of the signed-rank distribution: 2^-n times the number of sign patterns.
static void test_wilcoxon(void **state)
{
    (void)state;
    double up[] = {1, 2, 3, 4, 5, 6};
    near(wilcoxon_signed_rank(up, 6), 2.0 / 64, 1e-12);
    double one_down[] = {-1, 2, 3, 4, 5, 6};
    near(wilcoxon_signed_rank(one_down, 6), 4.0 / 64, 1e-12);
    double mixed[] = {3, -5, 1, 0, -2, 4}; // zero left out; rank sums 8 and 7
    near(wilcoxon_signed_rank(mixed, 6), 1, 1e-12);
    near(wilcoxon_signed_rank(NULL, 0), 1, 0);
    double zeros[] = {0, 0};
    near(wilcoxon_signed_rank(zeros, 2), 1, 0);
    // Equal sizes: normal approximation; W = 0, mean 10 * 11 / 4, variance 96.25 - 990 / 48
    double equal[10];
    for (int i = 0; i < 10; i++)
        equal[i] = -0.5;
    near(wilcoxon_signed_rank(equal, 10), erfc((27.5 - 0.5) / sqrt(96.25 - 20.625) / sqrt(2)),
         1e-12);
}

static void test_exact_and_approximate_agree(void **state)
{
    (void)state;
    double values[60];
    for (int i = 0; i < 60; i++)
        values[i] = (i % 3 == 0 ? -1 : 1) * (i + 1);
    double exact = wilcoxon_signed_rank(values, 30);
    values[30] = values[29]; // a tie at the end: approximated
    double approximate = wilcoxon_signed_rank(values, 31);
    assert_true(exact > 0.01 && exact < 0.2);
    near(approximate, exact, 0.05);
}

static void test_signs(void **state)
{
    (void)state;
    near(sign_test(0, 0), 1, 0);
    near(sign_test(3, 3), 1, 1e-12);
    near(sign_test(0, 5), 2.0 / 32, 1e-12);
    near(sign_test(5, 0), 2.0 / 32, 1e-12);
    near(sign_test(1, 9), 2 * 11.0 / 1024, 1e-12);
    assert_true(sign_test(0, 5000) < 1e-300);
}

static void test_bootstrap(void **state)
{
    (void)state;
    struct random random;
    double values[400], mean = 0;
    random_init(&random, 7);
    for (int i = 0; i < 400; i++) {
        values[i] = (double)random_below(&random, 1000) / 1000; // deviation 0.289
        mean += values[i] / 400;
    }
    struct interval interval = bootstrap_mean(values, 400, 0.95, 1);
    near(interval.low, mean - 1.96 * 0.289 / 20, 0.004);
    near(interval.high, mean + 1.96 * 0.289 / 20, 0.004);
    struct interval again = bootstrap_mean(values, 400, 0.95, 1);
    assert_true(again.low == interval.low && again.high == interval.high);
    double alone = 3;
    interval = bootstrap_mean(&alone, 1, 0.95, 1);
    assert_true(interval.low == 3 && interval.high == 3);
}

// Comparing

static void set(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

static void add_asking(struct score *score, int task, const char *digest, const char *plan,
                       enum verdict verdict, double seconds)
{
    struct run_record run;
    char name[32];
    run_record_init(&run);
    snprintf(name, sizeof name, "x/t%02d.yml", task);
    set(&run.task, name);
    set(&run.task_digest, digest != NULL ? digest : name);
    set(&run.plan, plan);
    set(&run.plan_digest, plan);
    set(&run.expected, "safe");
    run.verdict = verdict;
    run.reason = verdict == VERDICT_UNKNOWN ? END_TIMEOUT : END_SOLVED;
    run.wall_seconds = seconds;
    run.time_limit_seconds = 10;
    run.cores = 1;
    score_add(score, &run);
    run_record_finish(&run);
}

static void add(struct score *score, int task, const char *plan, enum verdict verdict,
                double seconds)
{
    add_asking(score, task, NULL, plan, verdict, seconds);
}

static size_t row_of(const struct score *score, const char *plan)
{
    for (size_t i = 0; i < score->row_count; i++)
        if (strcmp(score->rows[i].plan, plan) == 0)
            return i;
    fail_msg("no row %s", plan);
    return 0;
}

static void compare(struct comparison *c, struct score *score, struct compare_options options)
{
    score_compute(score);
    compare_rows(c, score, row_of(score, "a"), score, row_of(score, "b"), &options);
}

static void test_slower_beyond_chance_is_worse(void **state)
{
    (void)state;
    for (int slower = 0; slower < 2; slower++) {
        struct score score;
        struct comparison c;
        score_init(&score);
        for (int t = 0; t < 20; t++) {
            add(&score, t, "a", VERDICT_SAFE, 1);
            // The same on average, or half as much again
            add(&score, t, "b", VERDICT_SAFE, (t % 2 == 0 ? 1.25 : 0.8) * (slower ? 1.5 : 1));
        }
        compare(&c, &score, COMPARE_OPTIONS_STANDARD);
        near(c.ratio, slower ? 1.5 : 1, 1e-9);
        assert_true(c.ratio_95.low < c.ratio && c.ratio < c.ratio_95.high);
        assert_int_equal(c.worse, slower);
        assert_int_equal(c.both, 20);
        assert_false(c.wrong);
        comparison_finish(&c);
        score_finish(&score);
    }
}

static void test_lost_tasks(void **state)
{
    (void)state;
    struct compare_options strict = COMPARE_OPTIONS_STANDARD;
    strict.strict = true;
    for (int lost = 1; lost <= 6; lost++) {
        struct score score;
        struct comparison c;
        score_init(&score);
        for (int t = 0; t < 10; t++) {
            add(&score, t, "a", VERDICT_SAFE, 1);
            add(&score, t, "b", t < lost ? VERDICT_UNKNOWN : VERDICT_SAFE, t < lost ? 10 : 1);
        }
        compare(&c, &score, COMPARE_OPTIONS_STANDARD);
        assert_int_equal(c.changes[CHANGE_LOST], lost);
        assert_int_equal(c.worse, lost == 6); // 2 / 2^6 is below 0.05, 2 / 2^5 is not
        near(c.par2_b, (lost * 20 + (10 - lost)) / 10.0, 1e-9);
        comparison_finish(&c);
        compare_rows(&c, &score, row_of(&score, "a"), &score, row_of(&score, "b"), &strict);
        assert_true(c.worse);
        comparison_finish(&c);
        score_finish(&score);
    }
}

// Files with one text ask the same: each has a partner of its own, of its name where there is one.
static void test_tasks_that_ask_the_same(void **state)
{
    (void)state;
    struct score score, other;
    struct comparison c;
    struct compare_options options = COMPARE_OPTIONS_STANDARD;
    score_init(&score);
    score_init(&other);
    for (int t = 0; t < 3; t++)
        add_asking(&score, t, "same", "a", VERDICT_SAFE, 1);
    add_asking(&other, 2, "same", "b", VERDICT_SAFE, 1);
    add_asking(&other, 7, "same", "b", VERDICT_UNKNOWN, 10);
    score_compute(&score);
    score_compute(&other);
    compare_rows(&c, &score, 0, &other, 0, &options);
    assert_int_equal(c.pairs.count, 2);
    assert_int_equal(c.only_a, 1);
    assert_int_equal(c.only_b, 0);
    assert_int_equal(c.changes[CHANGE_LOST], 1);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(strstr(c.pairs.data[i].task->name, "t02") != NULL,
                         c.pairs.data[i].change == CHANGE_NONE);
    comparison_finish(&c);
    score_finish(&score);
    score_finish(&other);
}

static void test_what_is_printed(void **state)
{
    (void)state;
    struct score score;
    struct comparison c;
    struct text out;
    text_init(&out);
    score_init(&score);
    add(&score, 0, "a", VERDICT_SAFE, 1);
    add(&score, 0, "b", VERDICT_UNSAFE, 1);
    add(&score, 1, "a", VERDICT_UNSAFE, 1);
    add(&score, 1, "b", VERDICT_SAFE, 1);
    add(&score, 2, "a", VERDICT_UNKNOWN, 10);
    add(&score, 2, "b", VERDICT_SAFE, 2);
    add(&score, 3, "a", VERDICT_SAFE, 1);
    add(&score, 3, "b", VERDICT_SAFE, 4);
    add(&score, 4, "a", VERDICT_SAFE, 4);
    compare(&c, &score, COMPARE_OPTIONS_STANDARD);
    comparison_print(&out, &c, false);
    const char *text = text_string(&out);
    assert_non_null(strstr(text, "a -> b\nleft out: 1 tasks that only the first ran, 0 that"));
    assert_non_null(strstr(text, "!!! wrong now: 1\n  x/t00: safe in 1.0 s -> WRONG unsafe\n"));
    assert_non_null(strstr(text, "wrong before: 1\n  x/t01: WRONG unsafe -> safe in 1.0 s\n"));
    assert_non_null(strstr(text, "gained: 1\n  x/t02: timeout -> safe in 2.0 s\n"));
    assert_non_null(strstr(text, "slower: 1\n  x/t03: safe in 1.0 s -> safe in 4.0 s (4 times)"));
    assert_non_null(strstr(text, "worse: wrong verdicts\n"));
    assert_true(c.wrong);
    comparison_finish(&c);
    score_finish(&score);
    text_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wilcoxon),
        cmocka_unit_test(test_exact_and_approximate_agree),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_bootstrap),
        cmocka_unit_test(test_slower_beyond_chance_is_worse),
        cmocka_unit_test(test_lost_tasks),
        cmocka_unit_test(test_tasks_that_ask_the_same),
        cmocka_unit_test(test_what_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
