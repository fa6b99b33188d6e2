#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/vector.h"
#include "cli/bench_tasks.h"
#include "cli/calibrate.h"
#include "cli/command.h"
#include "cli/runner.h"
#include "cli/signals.h"
#include "results/store.h"

static struct {
    struct run_options run;
    char **plans, **configurations, *db;
    int repeat, quiet, calibrate;
} options = {.run = RUN_OPTIONS_STANDARD, .repeat = 1};

static struct poptOption table[] = {
    {"plan", 0, POPT_ARG_ARGV, &options.plans, 0,
     "plan to run, by name or path; may be repeated (default)", "NAME|PATH"},
    {"config", 0, POPT_ARG_ARGV, &options.configurations, 0,
     "configuration to run; may be repeated", "CONFIG"},
    RUN_OPTIONS(options.run),
    {"repeat", 0, POPT_ARG_INT, &options.repeat, 0, "runs of each, with seeds counting up (1)",
     "N"},
    {"db", 0, POPT_ARG_STRING, &options.db, 0,
     "the SQLite file of the records; what it has is not run again", "FILE"},
    {"calibrate-monitors", 0, POPT_ARG_NONE, &options.calibrate, 0,
     "run each --config alone with all monitors looking on, and say what each would have done", NULL},
    {"quiet", 'q', POPT_ARG_NONE, &options.quiet, 0, "no progress", NULL},
    POPT_TABLEEND,
};

// One run to do: a task, a plan, a seed.
struct bench {
    struct task_list tasks;
    VECTOR(struct plan *) plans;
    struct run_settings settings;
    struct store *store;
    size_t total, done, ran, wrong, unsolved;
    double spent_seconds; // in the runs of this call
};

static bool load_one(struct bench *bench, struct plan *plan, const struct messages *messages)
{
    if (plan == NULL || !options.quiet)
        messages_print(messages, stderr);
    if (plan != NULL)
        VECTOR_PUSH(&bench->plans, plan);
    return plan != NULL;
}

static bool load_plans(struct bench *bench)
{
    static char *standard[] = {(char *)"default", NULL};
    struct messages messages;
    messages_init(&messages);
    bool none = options.plans == NULL && options.configurations == NULL;
    char **plans = none ? standard : options.plans;
    bool good = true;
    for (size_t i = 0; good && plans != NULL && plans[i] != NULL; i++)
        good = load_one(bench, plan_load(plans[i], &messages), &messages);
    for (size_t i = 0; good && options.configurations != NULL && options.configurations[i] != NULL;
         i++)
        good = load_one(bench, plan_single(options.configurations[i], &messages), &messages);
    messages_finish(&messages);
    return good;
}

// Progress: on a terminal one line, rewritten; otherwise a line a run.

static double seconds_left(const struct bench *bench)
{
    if (bench->ran == 0)
        return 0;
    return bench->spent_seconds / (double)bench->ran * (double)(bench->total - bench->done);
}

static void show_progress(const struct bench *bench, const struct run *run)
{
    if (options.quiet)
        return;
    struct text line;
    text_init(&line);
    bool ok = strcmp(run->record.status, RUN_STATUS_OK) == 0;
    text_printf(&line, "[%zu/%zu] %s, %s: ", bench->done, bench->total, run->record.task,
                run->record.plan);
    if (ok)
        run_summary(&line, run);
    else
        text_add(&line, run->record.status);
    if (bench->done < bench->total) {
        text_add(&line, "; about ");
        text_add_duration(&line, seconds_left(bench));
        text_add(&line, " left");
    }
    bool solved = ok && run->record.verdict != VERDICT_UNKNOWN;
    bool terminal = isatty(STDERR_FILENO);
    // What went well makes room for the next line on a terminal; the rest stays.
    fprintf(stderr, "%s%s%s", terminal ? "\r\033[K" : "", text_string(&line),
            terminal && solved && bench->done < bench->total ? "" : "\n");
    text_finish(&line);
}

static bool is_wrong(const struct run_record *record)
{
    return record->contradiction ||
           (record->expected[0] != '\0' && record->verdict != VERDICT_UNKNOWN &&
            strcmp(record->expected, verdict_name(record->verdict)) != 0);
}

static void show_wrong(const struct run *run)
{
    fprintf(stderr, "%sWRONG: %s, %s: %s, expected %s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
            run->record.task, run->record.plan, verdict_name(run->record.verdict),
            run->record.expected[0] != '\0' ? run->record.expected : "no contradiction",
            run->record.contradiction ? " (attempts contradict each other)" : "");
}

// Keeps the run and counts it. False when the records cannot be kept.
static bool conclude(struct bench *bench, const struct run *run)
{
    struct text why;
    text_init(&why);
    bool good = store_add(bench->store, &run->record, &why);
    if (!good)
        fprintf(stderr, "regatta bench: %s: %s\n", options.db, text_string(&why));
    text_finish(&why);
    bench->done++;
    bench->ran++;
    bench->spent_seconds += run->record.wall_seconds;
    bench->unsolved += run->record.verdict == VERDICT_UNKNOWN;
    if (is_wrong(&run->record)) {
        bench->wrong++;
        show_wrong(run);
    }
    show_progress(bench, run);
    return good;
}

// 0, or the exit code that ends the whole.
static int run_one(struct bench *bench, struct task *task, bool readable,
                   const struct messages *messages, const struct plan *plan)
{
    struct run run;
    if (readable)
        run_task(&run, task, plan, &bench->settings, NULL);
    else
        run_failed(&run, task, plan, &bench->settings, messages);
    int code = conclude(bench, &run) ? 0 : EXIT_INTERNAL;
    if (run.signal != 0)
        code = signals_exit_code(run.signal);
    if (run.result.stuck) {
        store_close(bench->store);
        if (code == 0) {
            // A solver does not react and would take a core from the next runs. The records know
            // what has been done, so a fresh process goes on from here.
            signals_restart();
            perror("regatta bench: cannot start again");
            code = EXIT_INTERNAL;
        }
        signals_leave(code);
    }
    run_finish(&run);
    return code;
}

static int run_plans(struct bench *bench, struct task *task, const struct messages *opened,
                     bool good)
{
    struct messages messages;
    messages_init(&messages);
    bool loaded = false;
    int code = 0;
    uint64_t first_seed = bench->settings.seed;
    for (size_t p = 0; p < bench->plans.count && code == 0; p++) {
        const struct plan *plan = bench->plans.data[p];
        char digest[33];
        plan_digest(plan, &bench->settings, digest);
        for (int r = 0; r < options.repeat && code == 0; r++) {
            int signal = atomic_load(signals_flag());
            bench->settings.seed = first_seed + (uint64_t)r;
            if (signal != 0) {
                code = signals_exit_code(signal);
            } else if (store_has(bench->store, task->digest, digest,
                                 bench->settings.time_limit_seconds, bench->settings.cores,
                                 bench->settings.seed)) {
                bench->done++;
            } else {
                if (good && !loaded)
                    good = loaded = task_load(task, &messages);
                code = run_one(bench, task, good, opened->errors != 0 ? opened : &messages, plan);
            }
        }
    }
    bench->settings.seed = first_seed;
    messages_finish(&messages);
    return code;
}

static int run_all(struct bench *bench)
{
    int code = 0;
    for (size_t t = 0; t < bench->tasks.count && code == 0; t++) {
        struct task task;
        struct messages messages;
        messages_init(&messages);
        bool good =
            task_open(&task, bench->tasks.paths[t], NULL, bench->settings.property_at, &messages);
        code = run_plans(bench, &task, &messages, good);
        messages_finish(&messages);
        task_finish(&task);
    }
    return code;
}

static bool find_tasks(struct bench *bench, const char *const *arguments, size_t count)
{
    struct text why;
    text_init(&why);
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = task_list_add(&bench->tasks, arguments[i], &why);
    if (!good)
        fprintf(stderr, "regatta bench: %s\n", text_string(&why));
    text_finish(&why);
    if (bench->tasks.foreign != 0 && !options.quiet)
        fprintf(stderr,
                "regatta bench: note: %zu tasks left out: no front end for their language\n",
                bench->tasks.foreign);
    if (good && bench->tasks.count == 0) {
        fprintf(stderr, "regatta bench: no task found\n");
        good = false;
    }
    return good;
}

static bool open_store(struct bench *bench)
{
    struct text why;
    text_init(&why);
    bench->store = store_open(options.db, true, &why);
    if (bench->store == NULL)
        fprintf(stderr, "regatta bench: %s\n", text_string(&why));
    text_finish(&why);
    return bench->store != NULL;
}

static int run_bench(struct bench *bench)
{
    bench->total = bench->tasks.count * bench->plans.count * (size_t)options.repeat;
    int code = run_all(bench);
    // Signal or lost records: say where it stands; running the same command again goes on from
    // there.
    if (!options.quiet)
        fprintf(stderr,
                "%zu of %zu runs are in %s: %zu made now, of these %zu unknown, %zu wrong\n",
                bench->done, bench->total, options.db, bench->ran, bench->unsolved, bench->wrong);
    if (code == 0 && bench->wrong != 0)
        code = EXIT_CONTRADICTION;
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    struct bench bench = {0};
    if (count == 0)
        return usage_error(&command_bench, "expected folders or tasks");
    if (options.calibrate && (options.configurations == NULL || options.plans != NULL))
        return usage_error(&command_bench, "--calibrate-monitors needs --config, and no --plan");
    if (options.db == NULL && !options.calibrate)
        return usage_error(&command_bench, "--db=FILE is needed: where the records go");
    if (options.repeat < 1)
        return usage_error(&command_bench, "--repeat=%d: expected 1 or more", options.repeat);
    if (!run_settings_read(&command_bench, &options.run, options.quiet, &bench.settings))
        return EXIT_USAGE;
    int code = EXIT_USAGE;
    if (load_plans(&bench) && find_tasks(&bench, arguments, count)) {
        if (options.calibrate)
            code = calibrate(&bench.tasks, (const struct plan *const *)bench.plans.data,
                             bench.plans.count, &bench.settings);
        else if (open_store(&bench))
            code = run_bench(&bench);
    }
    store_close(bench.store);
    task_list_finish(&bench.tasks);
    for (size_t i = 0; i < bench.plans.count; i++)
        plan_destroy(bench.plans.data[i]);
    VECTOR_FINISH(&bench.plans);
    run_settings_finish(&bench.settings);
    return code;
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "FOLDER|TASK…",
    .summary = "run many tasks and keep the records",
    .description = "Runs each task with each plan and configuration, one after another, and keeps\n"
                   "the records. What the file of records already has is not run again, so the\n"
                   "same command goes on after it was ended. Of a folder all task definitions\n"
                   "(.yml) below it are run; folders named ltl, parse-ok, parse-error and\n"
                   "target-marking are left out unless they are named. The exit code is 0, or 30\n"
                   "when some verdict was wrong.\n"
                   "\n"
                   "With --calibrate-monitors nothing is kept: what each monitor says is printed.\n"
                   "\n"
                   "  regatta bench tasks/xsts --plan default --time 60s --db results.db\n",
    .options = table,
    .run = run,
};
