#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "results/store.h"
#include "runs/runner.h"

// `regatta job …`: one run of a bench in a process of its own, which adds the record to the store. Not for people:
// regatta bench makes its command line (experiments/bench_job.h).

static struct {
    struct run_options run;
    char *plan, *configuration, *cpus, *db;
    int place, repetition, parent, cluster;
} options = {0};

static struct poptOption table[] = {
    {"plan", 0, POPT_ARG_STRING, &options.plan, 0, "plan to run", "NAME|PATH"},
    {"config", 0, POPT_ARG_STRING, &options.configuration, 0, "configuration to run", "CONFIG"},
    RUN_OPTIONS(options.run){"repetition", 0, POPT_ARG_INT, &options.repetition, 0,
                             "for the record", "N"},
    {"place", 0, POPT_ARG_INT, &options.place, 0, "for the record", "N"},
    {"cpus", 0, POPT_ARG_STRING, &options.cpus, 0, "hardware threads to keep to", "LIST"},
    {"cluster", 0, POPT_ARG_NONE, &options.cluster, 0,
     "bind nothing where more cores are to be seen than were given", NULL},
    {"parent", 0, POPT_ARG_INT, &options.parent, 0, "process to die with", "PID"},
    {"db", 0, POPT_ARG_STRING, &options.db, 0, "where the record goes", "FILE"},
    POPT_TABLEEND,
};

// False when it has gone already.
static bool die_with_parent(void)
{
    if (options.parent == 0)
        return true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == options.parent;
}

static bool keep_to_cpus(struct run_settings *settings)
{
    settings->repetition = (unsigned)options.repetition;
    settings->job = (unsigned)options.place;
    // A cluster that does not keep its jobs apart: neighbours would be bound to the same cores.
    if (options.cluster && options.run.placement == NULL &&
        topology_core_count(settings->topology) > settings->cores)
        topology_set_placement(settings->topology, "none", NULL);
    if (options.cpus == NULL)
        return true;
    settings->cpus = options.cpus;
    struct text why;
    text_init(&why);
    bool good = topology_restrict(settings->topology, options.cpus, &why);
    if (good)
        topology_bind_process(settings->topology); // attempts read back what they really got
    else
        usage_error(&command_job, "--cpus: %s", text_string(&why));
    text_finish(&why);
    return good;
}

static struct plan *load_plan(void)
{
    struct messages messages;
    messages_init(&messages);
    struct plan *plan = options.configuration != NULL
                            ? plan_single(options.configuration, &messages)
                            : plan_load(options.plan, &messages);
    if (plan == NULL)
        messages_print(&messages, stderr);
    messages_finish(&messages);
    return plan;
}

static bool keep(struct store *store, const struct run_record *record)
{
    struct text why;
    text_init(&why);
    bool good = store_add_once(store, record, &why) != STORE_FAILED;
    if (!good)
        say(stderr, "regatta job: %s: %s\n", options.db, text_string(&why));
    text_finish(&why);
    return good;
}

static int run_job(const char *path, struct task *task, const struct plan *plan,
                   const struct run_settings *settings, struct store *store,
                   struct messages *messages)
{
    struct run run;
    assert(options.db != NULL && plan->variant_count > 0);
    const struct budget budget = run_settings_budget(settings);
    int64_t begun_ns = clock_wall_ns();
    bool good;
    enum budget_end end =
        task_read(task, path, NULL, settings->property_at, &budget, messages, &good);
    if (end != BUDGET_DONE)
        run_unread(&run, task, plan, settings, end, clock_seconds(clock_wall_ns() - begun_ns));
    else if (good)
        run_task(&run, task, plan, settings, NULL);
    else
        run_failed(&run, task, plan, settings, messages);
    ENSURE(run.record.verdict == VERDICT_UNKNOWN || (end == BUDGET_DONE && good));
    int code = keep(store, &run.record) ? 0 : EXIT_INTERNAL;
    if (run.signal != 0)
        code = signals_exit_code(run.signal);
    if (run.result.left || end != BUDGET_DONE) {
        store_close(store);
        signals_leave(code); // nothing may be freed that its threads, or broken-off reading, use
    }
    run_finish(&run);
    return code;
}

static int run_with_store(const char *path, const struct plan *plan,
                          const struct run_settings *settings)
{
    struct text why;
    struct task task;
    struct messages messages;
    text_init(&why);
    messages_init(&messages);
    int code = EXIT_INTERNAL;
    struct store *store = store_open(options.db, true, &why);
    if (store != NULL) {
        code = run_job(path, &task, plan, settings, store, &messages);
        task_finish(&task);
    } else {
        say(stderr, "regatta job: %s\n", text_string(&why));
    }
    store_close(store);
    messages_finish(&messages);
    text_finish(&why);
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    struct run_settings settings;
    if (count != 1 || options.db == NULL ||
        (options.plan == NULL) == (options.configuration == NULL))
        return usage_error(&command_job, "for regatta bench, which starts it");
    if (!die_with_parent())
        return EXIT_INTERNAL;
    if (!run_table_read(&command_job, &options.run, true, &settings))
        return EXIT_USAGE;
    run_settings_start(&settings);
    int code = EXIT_USAGE;
    struct plan *plan = keep_to_cpus(&settings) ? load_plan() : NULL;
    if (plan != NULL)
        code = run_with_store(arguments[0], plan, &settings);
    plan_destroy(plan);
    run_settings_finish(&settings);
    return code;
}

const struct command command_job = {
    .name = "job",
    .arguments = "TASK",
    .summary = "one run of a bench",
    .description = "For regatta bench, which starts it.\n",
    .options = table,
    .run = run,
};
