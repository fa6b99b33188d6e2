#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slices.h"
#include "base/output_file.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "experiments/tune_learn.h"
#include "experiments/tune_race.h"
#include "results/verdict.h"

static struct {
    char *time, *test, *holdout, *output, *space, *db, *budget, *apart, *plan;
    int replay, improve, folds, cores;
    long long seed;
} options = {.folds = 5, .cores = 1};

#define DEFAULT_HOLDOUT 0.2

static struct poptOption table[] = {
    {"cores", 'c', POPT_ARG_INT, &options.cores, 0, "lanes of the plan (1)", "N"},
    {"replay", 0, POPT_ARG_NONE, &options.replay, 0,
     "no plan: play ways of choosing in virtual time, learned on some tasks, scored on others",
     NULL},
    {"time", 't', POPT_ARG_STRING, &options.time, 0,
     "time for a task, at most the records' limit (that limit)", "TIME"},
    {"output", 'o', POPT_ARG_STRING, &options.output, 0, "write the plan to this file", "FILE"},
    {"plan", 0, POPT_ARG_STRING, &options.plan, 0,
     "compare with this plan: its schedule, played on the records", "NAME|PATH"},
    {"improve", 0, POPT_ARG_NONE, &options.improve, 0,
     "begin from the plan of --plan, and change what the records say is better otherwise", NULL},
    {"test", 0, POPT_ARG_STRING, &options.test, 0,
     "the tasks that are scored and not learned from: a name a line, or a table whose first column "
     "it is",
     "FILE"},
    {"holdout", 0, POPT_ARG_STRING, &options.holdout, 0,
     "without --test: the share of tasks, drawn by --seed, that are scored only (20%; 0% with "
     "--replay: cross-validation alone)",
     "SHARE"},
    {"space", 0, POPT_ARG_STRING, &options.space, 0,
     "race the configurations of a space on tasks, in place of files of records", "NAME[:SAMPLE]"},
    {"db", 0, POPT_ARG_STRING, &options.db, 0, "--space: where the records go", "FILE"},
    {"budget", 0, POPT_ARG_STRING, &options.budget, 0,
     "--space: wall time of all runs together, after which no block of tasks begins (no limit)",
     "TIME"},
    {"apart", 0, POPT_ARG_STRING, &options.apart, 0,
     "what folds and held out shares keep apart: families of tasks (folder and first letters of "
     "the "
     "name), or tasks only (families)",
     "families|tasks"},
    {"folds", 0, POPT_ARG_INT, &options.folds, 0, "of the cross-validation (5)", "N"},
    {"seed", 0, POPT_ARG_LONGLONG, &options.seed, 0, "of the draws (0)", "N"},
    POPT_TABLEEND,
};

static bool parse_share(const char *text, double *share)
{
    char *end;
    double percent = strtod(text, &end);
    *share = percent / 100;
    return end != text && strcmp(end, "%") == 0 && percent < 100 &&
           (percent > 0 || (percent == 0 && options.replay));
}

static int race(const char *const *tasks, size_t count)
{
    struct tune_race race = {
        .space = options.space,
        .db = options.db,
        .time = options.time,
        .cores = (unsigned)options.cores,
        .seed = (uint64_t)options.seed,
    };
    if (options.replay || options.improve || options.output != NULL || options.test != NULL ||
        options.holdout != NULL || options.plan != NULL)
        return usage_error(&command_tune, "--space excludes --replay, --improve, --output, --test, "
                                          "--holdout and --plan; make a plan "
                                          "from its records afterwards");
    if (options.db == NULL || options.time == NULL)
        return usage_error(&command_tune, "--space needs --db=FILE and --time=TIME");
    if (!text_parse_duration(options.time, &race.time_seconds) || race.time_seconds <= 0)
        return usage_error(&command_tune, "--time: found \"%s\", expected a time such as 60s",
                           options.time);
    if (options.budget != NULL &&
        (!text_parse_duration(options.budget, &race.budget_seconds) || race.budget_seconds <= 0))
        return usage_error(&command_tune, "--budget: found \"%s\", expected a time such as 10m",
                           options.budget);
    struct text why;
    text_init(&why);
    int code = tune_race(&race, tasks, count, &why);
    if (why.length > 0) {
        say(stderr, "regatta tune: %s\n", text_string(&why));
        code = EXIT_USAGE;
    }
    text_finish(&why);
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    double limit_seconds = 0, share = DEFAULT_HOLDOUT;
    if (count == 0)
        return usage_error(&command_tune, "expected a file of records, got none");
    if (options.replay && options.output != NULL)
        return usage_error(&command_tune, "--replay makes no plan: it excludes --output");
    if (options.improve && options.plan == NULL)
        return usage_error(&command_tune, "--improve needs --plan=NAME|PATH to begin from");
    if (options.cores < 1 || options.cores > SLICES_MOST_LANES)
        return usage_error(&command_tune, "--cores: found %d, expected 1 to %d", options.cores,
                           SLICES_MOST_LANES);
    if (options.space != NULL)
        return race(arguments, count);
    if (options.db != NULL || options.budget != NULL)
        return usage_error(&command_tune, "--db and --budget go with --space");
    if (options.time != NULL &&
        (!text_parse_duration(options.time, &limit_seconds) || limit_seconds <= 0))
        return usage_error(&command_tune, "--time: found \"%s\", expected a time such as 60s",
                           options.time);
    if (options.holdout != NULL && !parse_share(options.holdout, &share))
        return usage_error(&command_tune, "--holdout: found \"%s\", expected a share such as 20%%",
                           options.holdout);
    if (options.holdout != NULL && options.test != NULL)
        return usage_error(&command_tune, "--test and --holdout exclude one another");
    if (options.apart != NULL && strcmp(options.apart, "tasks") != 0 &&
        strcmp(options.apart, "families") != 0)
        return usage_error(&command_tune, "--apart=%s: expected families or tasks", options.apart);
    if (options.folds < 2 || options.folds > 1000)
        return usage_error(&command_tune, "--folds: found %d, expected 2 to 1000", options.folds);
    struct plan *plan = options.plan != NULL ? reading_plan(options.plan) : NULL;
    if (options.plan != NULL && plan == NULL)
        return EXIT_USAGE;
    const struct tune_learn how = {
        .paths = arguments,
        .path_count = count,
        .limit_seconds = limit_seconds,
        .test = options.test,
        .share = share,
        .mixed = options.apart != NULL && strcmp(options.apart, "tasks") == 0,
        .cores = (unsigned)options.cores,
        .folds = (unsigned)options.folds,
        .seed = (uint64_t)options.seed,
        .plan = plan,
        .plan_name = options.plan,
        .improve = options.improve != 0,
        .replay = options.replay != 0,
        .output = options.output,
        .out = stdout,
        .notes = stderr,
    };
    struct text why;
    text_init(&why);
    bool good = output_file_check(options.output, "the plan", &why) && tune_learn(&how, &why);
    plan_destroy(plan);
    if (!good)
        say(stderr, "regatta tune: %s\n", text_string(&why));
    text_finish(&why);
    return good ? 0 : EXIT_USAGE;
}

const struct command command_tune = {
    .name = "tune",
    .arguments = "FILE… | --space=SPACE --db=FILE TASK…",
    .summary = "learn from records what to run, when and for how long",
    .description =
        "Reads files of records in which configurations were run alone (bench --config,\n"
        "bench --space, results import), and makes a plan of lanes of steps for so many\n"
        "cores and so much time. How large it is and whether it has guards is decided by\n"
        "cross-validation; what it comes to is told on tasks that it was not made from.\n"
        "With --replay no plan: ways of choosing, also for each task by the facts of its\n"
        "model, are played in virtual time. --plan compares with a plan that is there,\n"
        "played on the same records, --improve begins from it. With --space the\n"
        "configurations of a space are raced on tasks, those clearly worse dropped\n"
        "early. See docs/tuning.md.\n\n"
        "  regatta tune runs.db --cores 2 --time 60s -o mine.cfg\n"
        "  regatta tune runs.db --plan default --improve -o mine.cfg\n"
        "  regatta tune runs.db --replay --holdout 25% --plan default\n"
        "  regatta tune --space engines --db race.db --time 5s --budget 20m tasks\n",
    .options = table,
    .run = run,
};
