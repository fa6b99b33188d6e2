#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "experiments/bench_work.h"
#include "results/verdict.h"

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
    struct text why;
    text_init(&why);
    bool good = bench_work_keep_to(settings, options.cpus,
                                   options.cluster && options.run.placement == NULL, &why);
    if (!good)
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
    settings.repetition = (unsigned)options.repetition;
    settings.job = (unsigned)options.place;
    run_settings_start(&settings);
    bool left = false;
    int code = EXIT_USAGE;
    struct plan *plan = keep_to_cpus(&settings) ? load_plan() : NULL;
    if (plan != NULL)
        code = bench_work(
            &(const struct bench_work){arguments[0], plan, &settings, options.db, stderr}, &left);
    if (left)
        signals_leave(code); // nothing may be freed that its threads, or broken-off reading, use
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
