#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/elimination.h"
#include "analysis/policies.h"
#include "analysis/tuner.h"
#include "base/memory.h"
#include "base/random.h"

#define LIMIT 100.0
#define NEVER 1000.0 // ran into the limit

static void set(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

// A run of `plan` on a safe task: an answer after so many seconds, or none.
static void add_run(struct score *score, const char *task, const char *plan, double seconds,
                    enum verdict verdict, enum end_reason reason)
{
    struct run_record run;
    char path[100];
    run_record_init(&run);
    snprintf(path, sizeof path, "tasks/%s.yml", task);
    set(&run.task, path);
    set(&run.task_digest, task);
    set(&run.plan, plan);
    set(&run.plan_digest, plan);
    set(&run.expected, "safe");
    run.verdict = verdict;
    run.reason = reason;
    run.wall_seconds = fmin(seconds, LIMIT);
    run.time_limit_seconds = LIMIT;
    run.cores = 1;
    score_add(score, &run);
    run_record_finish(&run);
}

static void add(struct score *score, const char *task, const char *plan, double seconds)
{
    bool solved = seconds <= LIMIT;
    add_run(score, task, plan, seconds, solved ? VERDICT_SAFE : VERDICT_UNKNOWN,
            solved ? END_SOLVED : END_TIMEOUT);
}

struct fixture {
    struct score score;
    struct tune_table table;
    struct kinship *kinship;
    struct tune_part all;
};

static void begin(struct fixture *f)
{
    score_init(&f->score);
}

static void computed(struct fixture *f)
{
    struct text why;
    text_init(&why);
    score_compute(&f->score);
    assert_true(tune_table_make(&f->table, &f->score, 0, &why));
    f->table.mixed = true;
    f->kinship = kinship_make(&f->table);
    tune_part_all(&f->table, &f->all);
    text_finish(&why);
}

static void end(struct fixture *f)
{
    tune_part_finish(&f->all);
    kinship_destroy(f->kinship);
    tune_table_finish(&f->table);
    score_finish(&f->score);
}

// "counter" solves the tasks of one kind, "queue" those of the other; nothing solves all.
static void two_kinds(struct fixture *f, int of_each)
{
    char task[50];
    begin(f);
    for (int i = 0; i < of_each; i++) {
        snprintf(task, sizeof task, "hw/counter_w%d", i);
        add(&f->score, task, "one", 1 + i % 3);
        add(&f->score, task, "two", NEVER);
        snprintf(task, sizeof task, "hw/queue_d%d", i);
        add(&f->score, task, "one", NEVER);
        add(&f->score, task, "two", 60);
    }
    computed(f);
}

static size_t task_named(const struct fixture *f, const char *name)
{
    for (size_t t = 0; t < f->table.task_count; t++)
        if (strcmp(tune_task_name(&f->table, t), name) == 0)
            return t;
    fail_msg("no task %s", name);
    return 0;
}

static void test_names_are_akin(void **state)
{
    (void)state;
    struct fixture f;
    two_kinds(&f, 4);
    size_t a = task_named(&f, "hw/counter_w1"), b = task_named(&f, "hw/counter_w2"),
           c = task_named(&f, "hw/queue_d1");
    assert_true(fabs(kinship_of(f.kinship, a, a) - 1) < 1e-9);
    assert_true(kinship_of(f.kinship, a, b) > 2 * kinship_of(f.kinship, a, c));
    assert_true(fabs(kinship_of(f.kinship, a, c) - kinship_of(f.kinship, c, a)) < 1e-12);
    end(&f);
}

// What is learned from one task of a family is not asked about another.
static void test_families_stay_on_one_side(void **state)
{
    (void)state;
    struct fixture f;
    struct tune_part out, rest;
    begin(&f);
    for (int i = 0; i < 12; i++) {
        char task[50];
        snprintf(task, sizeof task, i % 2 ? "hw/counter_w%d" : "hw/queue_d%d", i);
        add(&f.score, task, "one", 1);
    }
    add(&f.score, "hw/odd_1", "one", 1);
    computed(&f);
    f.table.mixed = false;
    size_t seen = 0;
    for (size_t fold = 0; fold < 3; fold++) {
        tune_part_fold(&f.table, &f.all, fold, 3, 1, &out, &rest);
        assert_int_equal(out.count + rest.count, 13);
        for (size_t i = 0; i < out.count; i++)
            for (size_t k = 0; k < rest.count; k++)
                assert_false(tune_task_akin(&f.table, out.tasks[i], rest.tasks[k]));
        seen += out.count;
        tune_part_finish(&out);
        tune_part_finish(&rest);
    }
    assert_int_equal(seen, 13);
    tune_part_split(&f.table, &f.all, 0.1, 1, &out, &rest);
    assert_int_equal(out.count, 1); // the odd one: no other family is so small
    tune_part_finish(&out);
    tune_part_finish(&rest);
    end(&f);
}

// Whatever they are called, tasks are akin whose models are alike.
static void test_facts_tell_what_is_akin(void **state)
{
    (void)state;
    struct fixture f;
    struct tune_facts facts;
    struct policy_sums sums = {0};
    char task[50];
    begin(&f);
    for (int i = 0; i < 40; i++) {
        snprintf(task, sizeof task, "hw/t%d", i);
        add(&f.score, task, "one", i % 2 ? 90 : NEVER);
        add(&f.score, task, "two", i % 2 ? NEVER : 90);
    }
    computed(&f);
    tune_facts_init(&facts, &f.table);
    for (int i = 0; i < 40; i++) {
        snprintf(task, sizeof task, "hw/t%d", i);
        tune_facts_add(&facts, &f.table, task, "language", i);
        tune_facts_add(&facts, &f.table, task, "variables", i % 2 ? 3 + i % 3 : 500 + i);
    }
    struct kinship *kinship = kinship_make_by_facts(&f.table, &facts);
    size_t a = task_named(&f, "hw/t1"), b = task_named(&f, "hw/t3"), c = task_named(&f, "hw/t2");
    assert_true(kinship_of(kinship, a, a) == 1);
    assert_true(kinship_of(kinship, a, b) > 2 * kinship_of(kinship, a, c));
    struct policy_world world = {&f.table, &facts, kinship, f.kinship, {0}, 1, 5, 1};
    policies_validate(&world, &f.all, &sums);
    assert_int_equal(sums.sums[POLICY_CHOSEN].solved, 40);
    assert_int_equal(sums.sums[POLICY_NAMED].tasks, 40);
    kinship_destroy(kinship);
    tune_facts_finish(&facts);
    end(&f);
}

// The best way is known: each kind has its configuration, so the chosen one is the virtual best.
static void test_kinds_are_told_apart(void **state)
{
    (void)state;
    struct fixture f;
    struct policy_sums sums = {0};
    two_kinds(&f, 20);
    struct tune_facts facts;
    struct tune_run runs[40];
    for (size_t t = 0; t < 40; t++) // every second one, at once
        runs[t] = (struct tune_run){t % 2 ? TUNE_SOLVED : TUNE_UNSOLVED, t % 2 ? 0 : INFINITY};
    tune_facts_init(&facts, &f.table);
    struct policy_world world = {&f.table, &facts, f.kinship, NULL, {"there", runs, NULL}, 1, 5, 1};
    policies_validate(&world, &f.all, &sums);
    assert_int_equal(sums.sums[POLICY_AGAINST].tasks, 40);
    assert_int_equal(sums.sums[POLICY_AGAINST].solved, 20);
    assert_true(sums.sums[POLICY_AGAINST].par2_seconds == 20 * 2 * LIMIT);
    assert_true(policy_gap_closed(&sums, POLICY_AGAINST, POLICY_AGAINST) == 0);
    assert_true(policy_gap_closed(&sums, POLICY_AGAINST, POLICY_BEST) == 1);
    assert_int_equal(sums.sums[POLICY_TUNED].solved, 40);
    assert_int_equal(sums.sums[POLICY_NAMED].tasks, 0);
    assert_int_equal(sums.sums[POLICY_SINGLE].solved, 20);
    assert_int_equal(sums.sums[POLICY_BEST].solved, 40);
    assert_int_equal(sums.sums[POLICY_CHOSEN].tasks, 40);
    assert_int_equal(sums.sums[POLICY_CHOSEN].solved, 40);
    assert_true(policy_gap_closed(&sums, POLICY_SINGLE, POLICY_CHOSEN) > 0.9);
    assert_true(policy_gap_closed(&sums, POLICY_SINGLE, POLICY_SINGLE) == 0);
    // With two lanes each kind has its own, and nothing chooses for a task.
    struct policy_sums two = {0};
    world.lanes = 2;
    policies_validate(&world, &f.all, &two);
    assert_int_equal(two.sums[POLICY_CHOSEN].tasks, 0);
    assert_true(two.sums[POLICY_TUNED].par2_seconds == two.sums[POLICY_BEST].par2_seconds);
    tune_facts_finish(&facts);
    end(&f);
}

// Of one kind, half falls to one configuration in 1 s, half to the other in 95 s.
static void quick_and_slow(struct fixture *f)
{
    char task[50];
    begin(f);
    for (int i = 0; i < 20; i++) {
        snprintf(task, sizeof task, "hw/same%d", i);
        add(&f->score, task, "quick", i % 2 ? 1 : NEVER);
        add(&f->score, task, "slow", i % 2 ? NEVER : 95);
    }
    computed(f);
}

// With 100 s in all only a short slice of the first and then the other solve everything, and what was spent is charged.
static void test_a_slice_in_vain_is_charged(void **state)
{
    (void)state;
    struct fixture f;
    quick_and_slow(&f);
    struct chooser_settings settings = CHOOSER_SETTINGS_STANDARD;
    struct chooser *chooser = chooser_make(&f.table, f.kinship, &f.all, settings);
    struct tune_run quick = chooser_play(chooser, task_named(&f, "hw/same3")),
                    slow = chooser_play(chooser, task_named(&f, "hw/same4"));
    assert_int_equal(quick.end, TUNE_SOLVED);
    assert_true(quick.seconds == 1);
    assert_int_equal(slow.end, TUNE_SOLVED);
    assert_true(slow.seconds > 96 && slow.seconds <= LIMIT);
    chooser_destroy(chooser);
    end(&f);
}

// More folds than tasks, and folds from which nothing is left to learn: still every task is played once.
static void test_few_tasks(void **state)
{
    (void)state;
    struct fixture f;
    struct tune_facts facts;
    begin(&f);
    add(&f.score, "hw/a1", "one", 1);
    add(&f.score, "hw/a2", "one", 2);
    add(&f.score, "hw/b1", "one", 3);
    computed(&f);
    f.table.mixed = false;
    tune_facts_init(&facts, &f.table);
    struct policy_world world = {&f.table, &facts, NULL, NULL, {0}, 1, 5, 1};
    struct policy_sums sums = {0};
    policies_validate(&world, &f.all, &sums);
    assert_int_equal(sums.sums[POLICY_TUNED].tasks, 3);
    assert_int_equal(sums.sums[POLICY_TUNED].solved, 3);
    assert_true(sums.sums[POLICY_TUNED].par2_seconds == 6);
    tune_facts_finish(&facts);
    end(&f);
}

// A wrong answer ends the run: it is counted as wrong, not solved, and costs twice the limit.
static void test_wrong_answers(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_run(&f.score, "hw/a", "liar", 1, VERDICT_UNSAFE, END_SOLVED);
    add_run(&f.score, "hw/b", "liar", 1, VERDICT_UNSAFE, END_SOLVED);
    computed(&f);
    struct policy_sums sums = {0};
    struct tune_facts facts;
    tune_facts_init(&facts, &f.table);
    struct policy_world world = {&f.table, &facts, f.kinship, NULL, {0}, 1, 2, 1};
    policies_play(&world, &f.all, &f.all, &sums);
    tune_facts_finish(&facts);
    assert_int_equal(sums.sums[POLICY_SINGLE].wrong, 2);
    assert_int_equal(sums.sums[POLICY_BEST].wrong, 0);
    assert_int_equal(sums.sums[POLICY_CHOSEN].solved, 0);
    assert_true(sums.sums[POLICY_SINGLE].par2_seconds == 4 * LIMIT);
    assert_true(isnan(policy_gap_closed(&sums, POLICY_SINGLE, POLICY_CHOSEN)));
    assert_true(isnan(policy_gap_closed(&sums, POLICY_AGAINST, POLICY_CHOSEN)));
    end(&f);
}

// What ended by itself is not run again, and gives its time to the rest; a missing run counts as one that never ends.
static void test_early_ends(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_run(&f.score, "hw/a", "frail", 2, VERDICT_UNKNOWN, END_UNSUPPORTED);
    add_run(&f.score, "hw/d", "frail", 3, VERDICT_UNKNOWN, END_CPUTIME); // would have gone on
    add(&f.score, "hw/b", "frail", 1);
    add(&f.score, "hw/a", "solid", 98);
    add(&f.score, "hw/c", "frail", 1);
    computed(&f);
    struct tune_part known = {(size_t[]){task_named(&f, "hw/b"), task_named(&f, "hw/c")}, 2};
    struct chooser_settings settings = CHOOSER_SETTINGS_STANDARD;
    struct chooser *chooser = chooser_make(&f.table, f.kinship, &known, settings);
    struct tune_run run = chooser_play(chooser, task_named(&f, "hw/a"));
    assert_int_equal(run.end, TUNE_SOLVED);
    assert_true(run.seconds == 100);
    assert_true(tune_run(&f.table, task_named(&f, "hw/d"), 0)->seconds == INFINITY);
    assert_true(tune_run(&f.table, task_named(&f, "hw/a"), 0)->seconds == 2);
    chooser_destroy(chooser);
    end(&f);
}

// Plans of one or two lanes of at most two steps, all of them, in the order of the shares.
static double least_of_all(const struct fixture *f, size_t lanes)
{
    size_t c_count = f->table.configuration_count, first_count = SLICE_SHARE_COUNT * c_count;
    size_t of_lane = first_count * c_count;
    double least = INFINITY;
    for (size_t a = 0; a < of_lane; a++)
        for (size_t b = 0; b < (lanes == 2 ? of_lane : 1); b++) {
            struct slices slices = {.lane_count = lanes};
            for (size_t l = 0; l < lanes; l++) {
                size_t code = l == 0 ? a : b, first = code % first_count;
                slices.lanes[l] = (struct slice_lane){
                    .steps = {{first / SLICE_SHARE_COUNT, SLICE_SHARES[first % SLICE_SHARE_COUNT]},
                              {code / first_count, 1}},
                    .count = 2};
            }
            least = fmin(least, slices_total(&f->table, &slices, &f->all));
        }
    return least;
}

// Random records: answers, wrong ones, early ends, and runs into the limit.
static void fill_randomly(struct fixture *f, struct random *random, int tasks, int configurations)
{
    begin(f);
    for (int t = 0; t < tasks; t++)
        for (int c = 0; c < configurations; c++) {
            char task[20], plan[20];
            double seconds = (double)random_below(random, 1000) / 10;
            snprintf(task, sizeof task, "hw/t%d", t);
            snprintf(plan, sizeof plan, "c%d", c);
            switch (random_below(random, 6)) {
            case 0:
                add_run(&f->score, task, plan, seconds, VERDICT_UNSAFE, END_SOLVED);
                break;
            case 1:
                add_run(&f->score, task, plan, seconds, VERDICT_UNKNOWN, END_UNKNOWN);
                break;
            case 2:
                add(&f->score, task, plan, NEVER);
                break;
            default:
                add(&f->score, task, plan, seconds);
            }
        }
    computed(f);
}

static void test_exact_is_the_least_of_all(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1);
    for (int round = 0; round < 12; round++) {
        size_t lanes = round % 3 == 0 ? 2 : 1;
        struct fixture f;
        struct slices greedy, best;
        fill_randomly(&f, &random, 6, lanes == 2 ? 2 : 3);
        slices_greedy(&f.table, &f.all, lanes, 2, &greedy);
        best = greedy;
        assert_true(slices_exact(&f.table, &f.all, lanes, 2, 100000000, &best));
        double least = least_of_all(&f, lanes), found = slices_total(&f.table, &best, &f.all);
        assert_true(fabs(found - least) < 1e-6 * (1 + least));
        assert_true(slices_total(&f.table, &greedy, &f.all) > least - 1e-6);
        // Too little work: no proof, and what was there stays.
        struct slices kept = greedy;
        assert_false(slices_exact(&f.table, &f.all, lanes, 2, 5, &kept));
        assert_true(slices_total(&f.table, &kept, &f.all) <=
                    slices_total(&f.table, &greedy, &f.all));
        end(&f);
    }
}

// A second core goes to what else there is, though on these tasks it adds nothing.
static void test_lanes_differ(void **state)
{
    (void)state;
    struct fixture f;
    struct slices slices;
    begin(&f);
    add(&f.score, "hw/a", "good", 1);
    add(&f.score, "hw/b", "good", 1);
    add(&f.score, "hw/a", "poor", NEVER);
    add(&f.score, "hw/a", "fair", 5);
    computed(&f);
    slices_greedy(&f.table, &f.all, 2, 1, &slices);
    assert_string_equal(tune_configuration_name(&f.table, slices.lanes[0].steps[0].configuration),
                        "good");
    assert_string_equal(tune_configuration_name(&f.table, slices.lanes[1].steps[0].configuration),
                        "fair");
    end(&f);
}

// The optimum is known: 1 % for what is quick, the rest for what is slow.
static void test_the_known_schedule(void **state)
{
    (void)state;
    struct fixture f;
    quick_and_slow(&f);
    struct tune_facts facts;
    struct tuned tuned;
    tune_facts_init(&facts, &f.table);
    tuner_make(&f.table, &facts, &f.all, 1, 5, 3, &tuned);
    assert_int_equal(tuned.steps_most, 2);
    assert_true(tuned.leaves[0].exact);
    assert_int_equal(tuned.leaf_count, 1);
    assert_int_equal(tuned.leaf_choice_count, 0);
    const struct slices *all = &tuned.leaves[0].slices;
    assert_int_equal(all->lanes[0].count, 2);
    assert_string_equal(tune_configuration_name(&f.table, all->lanes[0].steps[0].configuration),
                        "quick");
    assert_true(all->lanes[0].steps[0].share == 0.01);
    assert_true(fabs(tuned_sum(&f.table, &facts, &tuned, &f.all).par2_seconds - 970) < 1e-6);
    // Two lanes: each its configuration, whole.
    tuner_make(&f.table, &facts, &f.all, 2, 5, 3, &tuned);
    assert_int_equal(tuned.steps_most, 1);
    assert_true(fabs(tuned_sum(&f.table, &facts, &tuned, &f.all).par2_seconds - 960) < 1e-6);
    tune_facts_finish(&facts);
    end(&f);
}

// Each kind needs nearly all of the time, so no schedule serves both; one fact tells them apart, the other is noise.
static void test_the_guard_that_tells(void **state)
{
    (void)state;
    for (int telling = 0; telling < 2; telling++) {
        struct fixture f;
        struct tune_facts facts;
        struct tuned tuned;
        char task[50];
        begin(&f);
        for (int i = 0; i < 80; i++) {
            snprintf(task, sizeof task, "hw/t%d", i);
            add(&f.score, task, "one", i % 2 ? 90 : NEVER);
            add(&f.score, task, "two", i % 2 ? NEVER : 90);
        }
        computed(&f);
        tune_facts_init(&facts, &f.table);
        for (int i = 0; i < 80; i++) {
            snprintf(task, sizeof task, "hw/t%d", i);
            tune_facts_add(&facts, &f.table, task, "edges", (i / 2) % 7);
            if (telling)
                tune_facts_add(&facts, &f.table, task, "variables", i % 2 ? 5 + i % 3 : 20 + i);
        }
        tune_facts_add(&facts, &f.table, "of no task", "edges", 1);
        tuner_make(&f.table, &facts, &f.all, 1, 5, 3, &tuned);
        assert_int_equal(tuned.leaf_count, telling ? 2 : 1);
        assert_int_equal(tuned_sum(&f.table, &facts, &tuned, &f.all).solved, telling ? 80 : 40);
        if (telling) {
            const struct tuned_guard *guard = &tuned.leaves[1].guards[0];
            assert_string_equal(guard->fact, "variables");
            assert_true(guard->above && guard->threshold >= 7 && guard->threshold < 20);
            assert_int_equal(tuned.leaves[0].guard_count, 1);
            assert_false(tuned.leaves[0].guards[0].above);
        }
        tune_facts_finish(&facts);
        end(&f);
    }
}

// One lane of `first` for half the time, then `second`.
static void make_plan(const struct fixture *f, struct improver_plan *plan, const bool *guards,
                      size_t first, size_t second)
{
    *plan = (struct improver_plan){.lane_count = 1, .guards = guards, .guard_count = 1};
    plan->lanes[0] =
        (struct improver_lane){.steps = {{first, 0.5, 0, 0, 0}, {second, 1, 0, 0, 1}}, .count = 2};
    assert_true(f->table.configuration_count > first && f->table.configuration_count > second);
}

static double improver_total(const struct fixture *f, const struct improver_plan *plan)
{
    double total = 0;
    for (size_t t = 0; t < f->table.task_count; t++) {
        struct tune_run run = improver_play(&f->table, plan, t);
        total += run.end == TUNE_SOLVED ? run.seconds : 2 * LIMIT;
    }
    return total;
}

// A plan plays as its slices do, and each change makes it better by what it says.
static void test_improving_on_random_records(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 7);
    for (int round = 0; round < 20; round++) {
        struct fixture f;
        struct improver_plan plan;
        bool guards[12];
        memset(guards, true, sizeof guards);
        fill_randomly(&f, &random, 12, 4);
        make_plan(&f, &plan, guards, 2, 1);
        struct slices slices = {.lanes = {{{{2, 0.5}, {1, 1}}, 2}}, .lane_count = 1};
        double before = improver_total(&f, &plan);
        assert_true(fabs(before - slices_total(&f.table, &slices, &f.all)) < 1e-9 * before);
        improver_improve(&f.table, &f.all, &plan);
        for (size_t i = 0; i < plan.change_count; i++)
            before -= plan.changes[i].gain_seconds;
        assert_true(fabs(before - improver_total(&f, &plan)) < 1e-6 * before);
        end(&f);
    }
}

// What many tasks ask for is learned, what one of them asks for is not, and nothing goes.
static void test_improving_learns_what_many_ask_for(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        struct fixture f;
        struct improver_plan plan;
        bool guards[20];
        memset(guards, true, sizeof guards);
        begin(&f);
        for (int t = 0; t < 20; t++) {
            char task[20];
            snprintf(task, sizeof task, "hw/t%02d", t);
            add(&f.score, task, "slow", 60);
            add(&f.score, task, "other", t == 0 || many ? 1 : NEVER);
        }
        computed(&f);
        size_t slow = strcmp(tune_configuration_name(&f.table, 0), "slow") == 0 ? 0 : 1;
        make_plan(&f, &plan, guards, slow, slow);
        plan.lanes[0].steps[0].share = 0.7;
        improver_improve(&f.table, &f.all, &plan);
        assert_int_equal(plan.change_count > 0, many);
        assert_true(improver_total(&f, &plan) <= (many ? 20 : 20 * 60));
        for (size_t origin = 0; origin < 2; origin++) {
            bool there = false;
            for (size_t i = 0; i < plan.lanes[0].count; i++)
                there |= plan.lanes[0].steps[i].origin == origin;
            assert_true(there);
        }
        end(&f);
    }
}

// Four configurations on 20 tasks: the best, its equal but for noise, one that is worse everywhere, one that is better
// on most tasks and much worse on a few.
static void test_elimination(void **state)
{
    (void)state;
    enum { CONFIGURATIONS = 4, TASKS = 20 };
    double costs[CONFIGURATIONS][TASKS];
    bool in[CONFIGURATIONS] = {true, true, true, true};
    for (int t = 0; t < TASKS; t++) {
        costs[0][t] = 10 + t;
        costs[1][t] = 10 + t + (t % 2 ? 0.11 : -0.1);
        costs[2][t] = 13 + t;
        costs[3][t] = t < 4 ? 200 : 9.5 + t;
    }
    assert_int_equal(eliminate(&costs[0][0], CONFIGURATIONS, TASKS, 0.05, in), 1);
    assert_true(in[0] && in[1] && !in[2] && in[3]);
    assert_int_equal(eliminate(&costs[0][0], CONFIGURATIONS, TASKS, 0.05, in), 0);
    // Of four tasks nothing is sure yet.
    double few[2][4] = {{1, 1, 1, 1}, {9, 9, 9, 9}};
    bool both[2] = {true, true};
    assert_int_equal(eliminate(&few[0][0], 2, 4, 0.05, both), 0);
    assert_int_equal(eliminate(&few[0][0], 2, 0, 0.05, both), 0);
}

// Equal configurations are dropped no more often than the level says.
static void test_elimination_of_equals(void **state)
{
    (void)state;
    enum { ROUNDS = 1000, CONFIGURATIONS = 5, TASKS = 15 };
    struct random random;
    size_t rounds_with_a_drop = 0;
    random_init(&random, 5);
    for (int round = 0; round < ROUNDS; round++) {
        double costs[CONFIGURATIONS * TASKS];
        bool in[CONFIGURATIONS] = {true, true, true, true, true};
        for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
            costs[i] = (double)random_below(&random, 100000);
        rounds_with_a_drop += eliminate(costs, CONFIGURATIONS, TASKS, 0.05, in) > 0;
    }
    // The best is chosen by the same costs, so somewhat more than 5 % are allowed for.
    assert_true(rounds_with_a_drop < ROUNDS * 15 / 100);
    assert_true(rounds_with_a_drop > 0);
}

static void test_parts(void **state)
{
    (void)state;
    struct fixture f;
    struct text why;
    struct tune_part a, b, c;
    char path[] = "/tmp/regatta-tune-XXXXXX";
    two_kinds(&f, 10);
    tune_part_split(&f.table, &f.all, 0.25, 7, &a, &b);
    assert_int_equal(a.count, 5);
    assert_int_equal(b.count, 15);
    tune_part_finish(&b);
    tune_part_split(&f.table, &f.all, 0.25, 7, &c, &b);
    assert_memory_equal(a.tasks, c.tasks, 5 * sizeof *a.tasks);
    tune_part_finish(&a);
    tune_part_finish(&b);
    tune_part_finish(&c);
    int file = mkstemp(path);
    text_init(&why);
    const char *lines = "task\tx\nelse/hw/queue_d3.yml\tsafe\nhw/none\n";
    assert_true(write(file, lines, strlen(lines)) == (ssize_t)strlen(lines));
    assert_true(tune_part_read(&f.table, path, &a, &b, &why));
    assert_int_equal(a.count, 1);
    assert_string_equal(tune_task_name(&f.table, a.tasks[0]), "hw/queue_d3");
    assert_int_equal(b.count, 19);
    tune_part_finish(&a);
    tune_part_finish(&b);
    assert_int_equal(ftruncate(file, 7), 0);
    assert_false(tune_part_read(&f.table, path, &a, &b, &why));
    assert_non_null(strstr(text_string(&why), "found none of the 20 tasks"));
    close(file);
    unlink(path);
    text_finish(&why);
    end(&f);
}

static void test_what_cannot_be_learned_from(void **state)
{
    (void)state;
    struct fixture f;
    struct tune_table table;
    struct text why;
    text_init(&why);
    score_init(&f.score);
    score_compute(&f.score);
    assert_false(tune_table_make(&table, &f.score, 0, &why));
    assert_non_null(strstr(text_string(&why), "no runs of configurations"));
    score_finish(&f.score);
    two_kinds(&f, 2);
    text_clear(&why);
    assert_false(tune_table_make(&table, &f.score, LIMIT + 1, &why));
    assert_non_null(strstr(text_string(&why), "nothing is known of 101 s"));
    // A shorter time cuts what was recorded.
    assert_true(tune_table_make(&table, &f.score, 30, &why));
    assert_int_equal(tune_sum_best(&table, &f.all).solved, 2);
    tune_table_finish(&table);
    text_finish(&why);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_akin),
        cmocka_unit_test(test_families_stay_on_one_side),
        cmocka_unit_test(test_facts_tell_what_is_akin),
        cmocka_unit_test(test_kinds_are_told_apart),
        cmocka_unit_test(test_a_slice_in_vain_is_charged),
        cmocka_unit_test(test_few_tasks),
        cmocka_unit_test(test_wrong_answers),
        cmocka_unit_test(test_early_ends),
        cmocka_unit_test(test_exact_is_the_least_of_all),
        cmocka_unit_test(test_lanes_differ),
        cmocka_unit_test(test_the_known_schedule),
        cmocka_unit_test(test_the_guard_that_tells),
        cmocka_unit_test(test_improving_on_random_records),
        cmocka_unit_test(test_improving_learns_what_many_ask_for),
        cmocka_unit_test(test_elimination),
        cmocka_unit_test(test_elimination_of_equals),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_what_cannot_be_learned_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
