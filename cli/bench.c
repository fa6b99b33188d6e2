#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "experiments/bench_lock.h"
#include "experiments/bench_open.h"
#include "experiments/bench_raise.h"
#include "experiments/bench_slurm.h"
#include "experiments/calibrate.h"

static struct {
    struct run_options run;
    char **plans, **configurations, **spaces, *db, *events, *executor, *slurm;
    int repeat, jobs, quiet, calibrate, raise;
} options = {.repeat = 1};

static struct poptOption table[] = {
    {"plan", 0, POPT_ARG_ARGV, &options.plans, 0,
     "plan to run, by name or path; may be repeated (that of a task's language)", "NAME|PATH"},
    {"config", 0, POPT_ARG_ARGV, &options.configurations, 0,
     "configuration to run; may be repeated", "CONFIG"},
    {"space", 0, POPT_ARG_ARGV, &options.spaces, 0,
     "the configurations of a space, or a sample of them (regatta space); may be repeated",
     "NAME|PATH[:SAMPLE]"},
    RUN_OPTIONS(options.run){"repeat", 0, POPT_ARG_INT, &options.repeat, 0,
                             "runs of each, with seeds counting up (1)", "N"},
    {"jobs", 'j', POPT_ARG_INT, &options.jobs, 0,
     "runs side by side, each on whole cores of its own (1; slurm: as many as may)", "N"},
    {"executor", 0, POPT_ARG_STRING, &options.executor, 0,
     "where runs are made: on this machine, or as job arrays of Slurm (local)", "local|slurm"},
    {"slurm-options", 0, POPT_ARG_STRING, &options.slurm, 0,
     "words for sbatch, e.g. \"--partition=long --exclusive\"", "WORDS"},
    {"db", 0, POPT_ARG_STRING, &options.db, 0,
     "the SQLite file of the records; what it has is not run again", "FILE"},
    {"raise", 0, POPT_ARG_NONE, &options.raise, 0,
     "run again only what ran into a lower limit, with --config and --space", NULL},
    {"events", 0, POPT_ARG_STRING, &options.events, 0, "write what happens as JSON lines", "FILE"},
    {"calibrate-monitors", 0, POPT_ARG_NONE, &options.calibrate, 0,
     "run each --config alone with all monitors looking on, and say what each would have done",
     NULL},
    {"quiet", 'q', POPT_ARG_NONE, &options.quiet, 0, "no progress", NULL},
    POPT_TABLEEND,
};

static bool find_tasks(struct task_list *tasks, const char *const *arguments, size_t count)
{
    struct text why;
    text_init(&why);
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = task_list_add(tasks, arguments[i], &why);
    if (!good)
        say(stderr, "regatta bench: %s\n", text_string(&why));
    text_finish(&why);
    if (tasks->foreign != 0 && !options.quiet)
        say(stderr, "regatta bench: note: %zu tasks left out: no front end for their language\n",
            tasks->foreign);
    if (good && tasks->count == 0) {
        say(stderr, "regatta bench: no task found\n");
        good = false;
    }
    return good;
}

static bool is_slurm(void)
{
    return options.executor != NULL && strcmp(options.executor, "slurm") == 0;
}

// False after a usage error.
static bool share_out(struct bench *bench)
{
    struct text why;
    text_init(&why);
    bool good = bench_share_out(bench, is_slurm(), &why);
    if (!good)
        usage_error(&command_bench, "%s", text_string(&why));
    text_finish(&why);
    return good;
}

// Calibration has no records.
static bool open_files(struct bench *bench)
{
    struct text why;
    text_init(&why);
    if (!options.calibrate)
        bench->lock = bench_lock_take(options.db, &why);
    if (bench->lock != NULL)
        bench->store = store_open(options.db, true, &why);
    if (why.length == 0 && options.events != NULL) {
        bench->events = fopen(options.events, "we");
        if (bench->events == NULL)
            text_printf(&why, "%s: %s", options.events, strerror(errno));
    }
    if (why.length == 0 && options.raise)
        bench_raise_begin(bench, &why);
    if (why.length != 0)
        say(stderr, "regatta bench: %s\n", text_string(&why));
    bool good = why.length == 0;
    text_finish(&why);
    return good;
}

static int run_all(struct bench *bench, const struct task_list *tasks)
{
    bench_open_tasks(bench, tasks);
    bench_order(bench);
    bench_show_begin(bench);
    int code =
        is_slurm() ? bench_slurm(bench, (unsigned)options.jobs, options.slurm) : bench_run(bench);
    bench_show_over(bench, code);
    return bench_exit_code(bench, code);
}

static int calibrate_all(const struct bench *bench, const struct task_list *tasks)
{
    VECTOR(const struct plan *) plans = {0};
    for (size_t i = 0; i < bench->plans.count; i++)
        VECTOR_PUSH(&plans, bench->plans.data[i].plan);
    int code = calibrate(tasks, plans.data, plans.count, &bench->settings, bench->events);
    VECTOR_FINISH(&plans);
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    struct bench bench = {.options = &options.run, .db = options.db, .quiet = options.quiet != 0};
    if (count == 0)
        return usage_error(&command_bench, "expected folders or tasks");
    if (options.calibrate &&
        ((options.configurations == NULL && options.spaces == NULL) || options.plans != NULL))
        return usage_error(&command_bench,
                           "--calibrate-monitors needs --config or --space, and no --plan");
    if (options.calibrate && options.raise)
        return usage_error(&command_bench,
                           "--raise needs records: --calibrate-monitors keeps none");
    if (options.db == NULL && !options.calibrate)
        return usage_error(&command_bench, "--db=FILE is needed: where the records go");
    if (options.repeat < 1)
        return usage_error(&command_bench, "--repeat=%d: expected 1 or more", options.repeat);
    if (options.jobs < 0 || options.jobs > 4096)
        return usage_error(&command_bench, "--jobs=%d: expected a number from 1 to 4096",
                           options.jobs);
    if (options.executor != NULL && !is_slurm() && strcmp(options.executor, "local") != 0)
        return usage_error(&command_bench, "--executor=%s: expected local or slurm",
                           options.executor);
    if (is_slurm() && (options.run.cores == NULL || options.run.memory == NULL))
        return usage_error(&command_bench,
                           "--executor=slurm needs --cores and --memory: what each run asks for");
    if (options.slurm != NULL && !is_slurm())
        return usage_error(&command_bench, "--slurm-options goes with --executor=slurm");
    // What points are given for must have been looked at by somebody else.
    if (!options.run.accept_unchecked && !options.run.uncertified)
        options.run.require_checked = 1;
    if (!run_table_read(&command_bench, &options.run, options.quiet, &bench.settings))
        return EXIT_USAGE;
    bench.repeat = (unsigned)options.repeat;
    bench.places = options.jobs > 0 && !is_slurm() ? (unsigned)options.jobs : 1;
    const struct bench_sources sources = {options.plans, options.configurations, options.spaces,
                                          is_slurm()};
    struct task_list tasks = {0};
    int code = EXIT_USAGE;
    if (share_out(&bench) && find_tasks(&tasks, arguments, count) &&
        bench_load_plans(&bench, &sources, &tasks)) {
        if (open_files(&bench))
            code = options.calibrate ? calibrate_all(&bench, &tasks) : run_all(&bench, &tasks);
    }
    task_list_finish(&tasks);
    bench_finish(&bench);
    return code;
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "FOLDER|TASK|SET|GLOB…",
    .summary = "run many tasks and keep the records",
    .description =
        "Runs each task with each plan and configuration and keeps the records. What the\n"
        "file of records already has is not run again, so the same command goes on after\n"
        "it was ended in whatever way, and tasks or plans can be added later. Of a folder\n"
        "all task definitions (.yml) below it are run, or, when there are none, the models that\n"
        "hold questions of their own (contracts, nets, charts); folders named ltl, parse-ok,\n"
        "parse-error and target-marking are left out unless they are named. A .set file\n"
        "lists paths and patterns, one a line. Each run is a process of its own; --jobs\n"
        "runs several at a time, --cores and --memory are then for each. The exit code is\n"
        "0, or 30 when some verdict was wrong, or 2 when no task could be read. A safe verdict "
        "counts only when its proof\n"
        "was checked (--accept-unchecked: also others).\n"
        "\n"
        "With --raise the runs that ended by themselves within lower limits in the same file\n"
        "are not made again, so that a limit can be raised step by step.\n"
        "\n"
        "With --calibrate-monitors nothing is kept: what each monitor says is printed, and\n"
        "--events writes what the engines told.\n"
        "\n"
        "  regatta bench tasks/xsts --plan default --time 60s --db results.db\n",
    .options = table,
    .run = run,
};
