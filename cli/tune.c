#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/policies.h"
#include "cli/command.h"
#include "results/store.h"

static struct {
    char *time, *test, *holdout;
    int replay, folds;
    long long seed;
} options = {.folds = 5};

#define DEFAULT_HOLDOUT 0.2

static struct poptOption table[] = {
    {"replay", 0, POPT_ARG_NONE, &options.replay, 0,
     "play policies in virtual time: learn from some tasks, score on others", NULL},
    {"time", 't', POPT_ARG_STRING, &options.time, 0,
     "time for a task, at most the records' limit (that limit)", "TIME"},
    {"test", 0, POPT_ARG_STRING, &options.test, 0,
     "the tasks that are scored and not learned from: a name a line, or a table whose first column "
     "it is",
     "FILE"},
    {"holdout", 0, POPT_ARG_STRING, &options.holdout, 0,
     "without --test: the share of tasks, drawn by --seed, that are scored only (20%)", "SHARE"},
    {"folds", 0, POPT_ARG_INT, &options.folds, 0, "of the cross-validation (5)", "N"},
    {"seed", 0, POPT_ARG_LONGLONG, &options.seed, 0, "of the draws (0)", "N"},
    POPT_TABLEEND,
};

static bool collect(void *context, const struct run_record *run)
{
    score_add(context, run);
    return true;
}

static bool read_stores(struct score *score, const char *const *paths, size_t count,
                        struct text *why)
{
    for (size_t i = 0; i < count; i++) {
        struct store *store = store_open(paths[i], false, why);
        bool good = store != NULL && store_each(store, collect, score, why);
        store_close(store);
        if (!good)
            return false;
    }
    score_compute(score);
    return true;
}

// Contradictions first: what is learned from them is worth as much as they are.
static void print_alarms(const struct tune_table *tuning)
{
    const struct score *score = tuning->score;
    size_t wrong = 0, disputes = 0;
    for (size_t t = 0; t < tuning->task_count; t++) {
        for (size_t c = 0; c < tuning->configuration_count; c++)
            wrong += score_cell(score, tuning->rows[c], tuning->tasks[t])->outcome == OUTCOME_WRONG;
        disputes += score_rows_contradict(score, tuning->tasks[t]);
    }
    if (wrong + disputes > 0)
        printf("!!! %zu wrong verdicts in the records, %zu tasks with contradicting ones "
               "(regatta report names them) !!!\n",
               wrong, disputes);
}

static void print_sums(const char *what, const struct policy_sums *sums)
{
    printf("%s: %zu tasks\n  %-18s %8s %8s %14s %12s\n", what, sums->sums[POLICY_BEST].tasks,
           "policy", "solved", "wrong", "PAR-2 total s", "gap closed");
    for (int policy = 0; policy < POLICY_COUNT; policy++) {
        const struct tune_sum *sum = &sums->sums[policy];
        double gap = policy_gap_closed(sums, (enum policy)policy);
        printf("  %-18s %8zu %8zu %14.2f ", policy_name((enum policy)policy), sum->solved,
               sum->wrong, sum->par2_seconds);
        if (isnan(gap))
            printf("%12s\n", "-");
        else
            printf("%10.1f %%\n", 100 * gap);
    }
}

static bool split(const struct tune_table *tuning, double share, struct tune_part *known,
                  struct tune_part *test, struct text *why)
{
    if (options.test != NULL)
        return tune_part_read(tuning, options.test, test, known, why);
    struct tune_part all;
    tune_part_all(tuning, &all);
    tune_part_split(tuning, &all, share, (uint64_t)options.seed, test, known);
    tune_part_finish(&all);
    if (known->count >= (size_t)options.folds && test->count > 0)
        return true;
    text_printf(why, "there are %zu tasks: too few to hold some out and validate on %d folds",
                tuning->task_count, options.folds);
    tune_part_finish(known);
    tune_part_finish(test);
    return false;
}

static void replay(const struct tune_table *tuning, const struct tune_part *known,
                   const struct tune_part *test)
{
    struct kinship *kinship = kinship_make(tuning);
    struct policy_sums validated = {0}, scored = {0};
    char head[80];
    policies_validate(tuning, kinship, known, (size_t)options.folds, (uint64_t)options.seed,
                      &validated);
    policies_play(tuning, kinship, known, test, &scored);
    printf("%zu configurations, %g s a task, one core\n", tuning->configuration_count,
           tuning->limit_seconds);
    snprintf(head, sizeof head, "training part, %d folds", options.folds);
    print_sums(head, &validated);
    print_sums("test part", &scored);
    kinship_destroy(kinship);
}

static bool tune(const struct score *score, double limit_seconds, double share, struct text *why)
{
    struct tune_table tuning;
    struct tune_part known, test;
    if (!tune_table_make(&tuning, score, limit_seconds, why))
        return false;
    bool good = split(&tuning, share, &known, &test, why);
    if (good) {
        print_alarms(&tuning);
        replay(&tuning, &known, &test);
        tune_part_finish(&known);
        tune_part_finish(&test);
    }
    tune_table_finish(&tuning);
    return good;
}

static bool parse_share(const char *text, double *share)
{
    char *end;
    double percent = strtod(text, &end);
    *share = percent / 100;
    return end != text && strcmp(end, "%") == 0 && percent > 0 && percent < 100;
}

static int run(const char *const *arguments, size_t count)
{
    double limit_seconds = 0, share = DEFAULT_HOLDOUT;
    if (count == 0)
        return usage_error(&command_tune, "expected a file of records, got none");
    if (!options.replay)
        return usage_error(&command_tune, "expected --replay");
    if (options.time != NULL &&
        (!text_parse_duration(options.time, &limit_seconds) || limit_seconds <= 0))
        return usage_error(&command_tune, "--time: found \"%s\", expected a time such as 60s",
                           options.time);
    if (options.holdout != NULL && !parse_share(options.holdout, &share))
        return usage_error(&command_tune, "--holdout: found \"%s\", expected a share such as 20%%",
                           options.holdout);
    if (options.holdout != NULL && options.test != NULL)
        return usage_error(&command_tune, "--test and --holdout exclude one another");
    if (options.folds < 2 || options.folds > 1000)
        return usage_error(&command_tune, "--folds: found %d, expected 2 to 1000", options.folds);
    struct score score;
    struct text why;
    score_init(&score);
    text_init(&why);
    bool good =
        read_stores(&score, arguments, count, &why) && tune(&score, limit_seconds, share, &why);
    if (!good)
        fprintf(stderr, "regatta tune: %s\n", text_string(&why));
    score_finish(&score);
    text_finish(&why);
    return good ? 0 : EXIT_USAGE;
}

const struct command command_tune = {
    .name = "tune",
    .arguments = "FILE…",
    .summary = "learn from records what to run, when and for how long",
    .description =
        "Reads files of records in which configurations were run alone (bench --config,\n"
        "bench --space, results import). With --replay it plays policies in virtual\n"
        "time: the best configuration, a choice for each task by what is recorded of\n"
        "tasks with names like it, and the virtual best; learned from one part of the\n"
        "tasks, scored on the other. See docs/tuning.md.\n\n"
        "  regatta tune runs.db --replay --holdout 25%\n",
    .options = table,
    .run = run,
};
