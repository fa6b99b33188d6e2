#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/policies.h"
#include "base/output_file.h"
#include "base/say.h"
#include "cli/command.h"
#include "experiments/tune_plan.h"
#include "experiments/tune_race.h"
#include "experiments/tune_records.h"
#include "experiments/tune_rival.h"

static struct {
    char *time, *test, *holdout, *output, *space, *db, *budget, *apart, *plan;
    int replay, folds, cores;
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

// Contradictions first: what is learned from them is worth as much as they are.
static void print_alarms(const struct tune_table *tuning)
{
    const struct score *score = tuning->score;
    size_t wrong = 0, disputes = 0;
    for (size_t t = 0; t < tuning->task_count; t++) {
        assert(tuning->tasks[t] < score->task_count);
        for (size_t c = 0; c < tuning->configuration_count; c++)
            wrong += score_cell(score, tuning->rows[c], tuning->tasks[t])->outcome == OUTCOME_WRONG;
        disputes += score_rows_contradict(score, tuning->tasks[t]);
    }
    if (wrong + disputes > 0)
        say(stdout,
            "!!! %zu wrong verdicts in the records, %zu tasks with contradicting ones "
            "(regatta report names them) !!!\n",
            wrong, disputes);
}

static void print_sums(const char *what, const struct policy_sums *sums)
{
    struct text text;
    text_init(&text);
    policy_sums_print(&text, what, sums);
    say(stdout, "%s", text_string(&text));
    text_finish(&text);
}

static bool split(const struct tune_table *tuning, double share, struct tune_part *known,
                  struct tune_part *test, struct text *why)
{
    if (options.test != NULL) {
        if (!tune_part_read(tuning, options.test, test, known, why))
            return false;
    } else {
        struct tune_part all;
        tune_part_all(tuning, &all);
        if (share == 0) {
            *known = all;
            *test = (struct tune_part){0};
        } else {
            tune_part_split(tuning, &all, share, (uint64_t)options.seed, test, known);
            tune_part_finish(&all);
        }
    }
    assert(known->count + test->count == tuning->task_count); // learned from, or scored
    if (known->count >= (size_t)options.folds && (test->count > 0 || share == 0))
        return true;
    text_printf(why, "there are %zu tasks: too few to hold some out and validate on %d folds%s",
                tuning->task_count, options.folds,
                tuning->mixed ? "" : " with families kept apart (--apart tasks parts them too)");
    tune_part_finish(known);
    tune_part_finish(test);
    return false;
}

static void replay(const struct tune_table *tuning, const struct tune_part *known,
                   const struct tune_part *test, const struct tune_facts *facts,
                   const struct tune_against *against)
{
    struct kinship *kinship = facts->facts.count > 0 ? kinship_make_by_facts(tuning, facts) : NULL;
    struct kinship *names = kinship_make(tuning);
    struct policy_sums validated = {0}, scored = {0};
    const struct policy_world world = {tuning,
                                       facts,
                                       kinship,
                                       names,
                                       *against,
                                       (size_t)options.cores,
                                       (size_t)options.folds,
                                       (uint64_t)options.seed};
    char head[80];
    policies_validate(&world, known, &validated);
    say(stdout, "%zu configurations, %g s a task, ", tuning->configuration_count,
        tuning->limit_seconds);
    if (options.cores == 1)
        say(stdout, "one core\n");
    else
        say(stdout, "%d cores\n", options.cores);
    snprintf(head, sizeof head, "training part, %d folds", options.folds);
    print_sums(head, &validated);
    if (test->count > 0) {
        policies_play(&world, known, test, &scored);
        print_sums("test part", &scored);
    }
    if (facts->facts.count == 0)
        puts("no facts of models in these records (regatta bench keeps them): nothing is chosen by "
             "facts");
    if (options.cores == 1)
        puts("by names (!): what names give away; a new model's name says nothing");
    kinship_destroy(kinship);
    kinship_destroy(names);
}

// What is not known of the plan is said, not guessed.
static void print_rival(const struct tune_rival *rival)
{
    if (rival->missing.length > 0)
        say(stderr,
            "regatta tune: note: on %zu tasks plan %s begins what has no records, and "
            "what is run in vain: %s\n",
            rival->tasks_with_missing, options.plan, text_string(&rival->missing));
    if (rival->tasks_without_facts > 0)
        say(stderr,
            "regatta tune: note: of %zu tasks no facts are known: all that guards of plan %s see "
            "there is 0\n",
            rival->tasks_without_facts, options.plan);
}

// "out/mine.cfg" -> "mine"; what may not stand in a name becomes "-".
static char *plan_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = memory_strdup(slash != NULL ? slash + 1 : path), *dot = strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
            *c = '-';
    return name;
}

static bool write_file(const char *path, const struct text *content, struct text *why)
{
    bool good = output_file_write_text(path, content);
    if (!good)
        text_printf(why, "%s: %s", path, strerror(errno));
    return good;
}

static bool make_plan(const struct tune_records *records, const struct tune_table *tuning,
                      const struct tune_facts *facts, const struct tune_against *against,
                      const struct tune_part *known, const struct tune_part *test, struct text *why)
{
    struct tuned tuned;
    struct text evidence, plan;
    bool good = true;
    text_init(&evidence);
    text_init(&plan);
    tuner_make(tuning, facts, known, (size_t)options.cores, (size_t)options.folds,
               (uint64_t)options.seed, &tuned);
    text_printf(&evidence, "learned from %zu tasks, %zu held out; %d folds, seed %lld\n",
                known->count, test->count, options.folds, options.seed);
    tune_evidence(&evidence, tuning, facts, &tuned, against, known, test);
    if (options.output != NULL) {
        char *name = plan_name(options.output);
        if (tune_plan_possible(tuning, &tuned, &records->configurations)) {
            good = tune_plan_print(&plan, name, tuning, &tuned, &records->configurations,
                                   text_string(&evidence), why);
        } else {
            say(stderr,
                "regatta tune: note: these are configurations of others, which no plan "
                "can hold: %s is a table of what to run\n",
                options.output);
            tune_table_print(&plan, tuning, facts, &tuned);
        }
        good = good && write_file(options.output, &plan, why);
        memory_free(name);
    }
    if (good)
        say(stdout, "%s", text_string(&evidence));
    text_finish(&evidence);
    text_finish(&plan);
    return good;
}

static struct plan *load_plan(void)
{
    struct messages messages;
    messages_init(&messages);
    struct plan *plan = plan_load(options.plan, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    return plan;
}

static bool learn(const struct tune_records *records, const struct tune_table *tuning, double share,
                  const struct plan *plan, const char *const *paths, size_t count, struct text *why)
{
    struct tune_part known, test;
    struct tune_facts facts;
    struct tune_rival rival;
    struct tune_against against = {.name = options.plan};
    if (!split(tuning, share, &known, &test, why))
        return false;
    tune_facts_init(&facts, tuning);
    print_alarms(tuning);
    bool good = tune_records_read_facts(&facts, tuning, paths, count, why);
    if (good && plan != NULL) {
        tune_rival_play(&rival, tuning, &facts, &records->configurations, plan,
                        (unsigned)options.cores);
        print_rival(&rival);
        against.runs = rival.runs;
    }
    if (good && options.replay)
        replay(tuning, &known, &test, &facts, &against);
    else
        good = good && make_plan(records, tuning, &facts, &against, &known, &test, why);
    if (against.runs != NULL)
        tune_rival_finish(&rival);
    tune_facts_finish(&facts);
    tune_part_finish(&known);
    tune_part_finish(&test);
    return good;
}

static bool tune(double limit_seconds, double share, const struct plan *plan,
                 const char *const *paths, size_t count, struct text *why)
{
    struct tune_records records;
    struct tune_table tuning = {0};
    bool good = tune_records_read(&records, paths, count, why) &&
                tune_table_make(&tuning, &records.score, limit_seconds, why);
    tuning.mixed = options.apart != NULL && strcmp(options.apart, "tasks") == 0;
    good = good && learn(&records, &tuning, share, plan, paths, count, why);
    tune_table_finish(&tuning);
    tune_records_finish(&records);
    return good;
}

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
    if (options.replay || options.output != NULL || options.test != NULL ||
        options.holdout != NULL || options.plan != NULL)
        return usage_error(
            &command_tune,
            "--space excludes --replay, --output, --test, --holdout and --plan; make a plan "
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
    struct plan *plan = options.plan != NULL ? load_plan() : NULL;
    if (options.plan != NULL && plan == NULL)
        return EXIT_USAGE;
    struct text why;
    text_init(&why);
    bool good = output_file_check(options.output, "the plan", &why) &&
                tune(limit_seconds, share, plan, arguments, count, &why);
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
        "played on the same records. With --space the\n"
        "configurations of a space are raced on tasks, those clearly worse dropped\n"
        "early. See docs/tuning.md.\n\n"
        "  regatta tune runs.db --cores 2 --time 60s -o mine.cfg\n"
        "  regatta tune runs.db --replay --holdout 25% --plan default\n"
        "  regatta tune --space engines --db race.db --time 5s --budget 20m tasks\n",
    .options = table,
    .run = run,
};
