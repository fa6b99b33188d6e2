#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "languages/registry/task.h"
#include "results/verdict.h"
#include "runs/race_log.h"
#include "runs/runner.h"

// In the place of Theta's XSTS checker, as tools that drive it know that (Gamma): its options in, its last line and its
// trace out, its exit codes: 0 with a verdict, 1 without one.

#define FAILED 1

static struct {
    char *model, *property, *inline_property, *cex, *cexfile, *loglevel, *solver;
    char *domain, *refinement, *search, *predsplit, *initprec, *maxenum, *autoexpl, *prunestrategy,
        *optimizestmts;
    char *time, *cores;
    int stacktrace;
} options;

// What Theta's options are called here; values have the same names.
static const struct {
    char **value;
    const char *name;
} EQUIVALENTS[] = {
    {&options.domain, "domain"},
    {&options.refinement, "refinement"},
    {&options.search, "search"},
    {&options.predsplit, "predsplit"},
    {&options.initprec, "initprec"},
    {&options.maxenum, "maxenum"},
    {&options.autoexpl, "autoexpl"},
    {&options.prunestrategy, "prunestrategy"},
    {&options.optimizestmts, "optimizestmts"},
};

static struct poptOption table[] = {
    {"model", 0, POPT_ARG_STRING, &options.model, 0, "the XSTS model", "FILE"},
    {"property", 0, POPT_ARG_STRING, &options.property, 0,
     "its property: a file, or the property itself", "P"},
    {"inline-property", 0, POPT_ARG_STRING, &options.inline_property, 0,
     "the condition of the property itself", "P"},
    {"cex", 0, POPT_ARG_STRING, &options.cex, 0, "where the trace of an unsafe model goes", "FILE"},
    {"cexfile", 0, POPT_ARG_STRING, &options.cexfile, 0, "the same as --cex", "FILE"},
    {"domain", 0, POPT_ARG_STRING, &options.domain, 0,
     "one configuration instead of the race: this and the next ones say which", "DOMAIN"},
    {"refinement", 0, POPT_ARG_STRING, &options.refinement, 0, "refinement", "NAME"},
    {"search", 0, POPT_ARG_STRING, &options.search, 0, "search", "NAME"},
    {"predsplit", 0, POPT_ARG_STRING, &options.predsplit, 0, "predsplit", "NAME"},
    {"initprec", 0, POPT_ARG_STRING, &options.initprec, 0, "initprec", "NAME"},
    {"maxenum", 0, POPT_ARG_STRING, &options.maxenum, 0, "maxenum", "N"},
    {"autoexpl", 0, POPT_ARG_STRING, &options.autoexpl, 0, "autoexpl", "NAME"},
    {"prunestrategy", 0, POPT_ARG_STRING, &options.prunestrategy, 0, "prunestrategy", "NAME"},
    {"optimizestmts", 0, POPT_ARG_STRING, &options.optimizestmts, 0, "optimizestmts", "ON|OFF"},
    {"loglevel", 0, POPT_ARG_STRING, &options.loglevel, 0,
     "RESULT: the last line alone; all others: what the winner was, too", "LEVEL"},
    {"stacktrace", 0, POPT_ARG_NONE, &options.stacktrace, 0,
     "say more of what went wrong: all messages, which come anyway", NULL},
    {"cores", 0, POPT_ARG_STRING, &options.cores, 0, "cores to use (all physical ones)", "N"},
    {"time", 0, POPT_ARG_STRING, &options.time, 0, "wall time (0 = no limit)", "TIME"},
    POPT_TABLEEND,
};

// ON and OFF are Theta's words for switches.
static const char *own_value(const char *name, const char *value)
{
    if (strcmp(name, "optimizestmts") != 0)
        return value;
    return strcmp(value, "ON") == 0 ? "true" : strcmp(value, "OFF") == 0 ? "false" : value;
}

// The plan, or the configuration that the options name; NULL after a message.
static struct plan *make_plan(void)
{
    struct text configuration;
    struct messages messages;
    text_init(&configuration);
    messages_init(&messages);
    for (size_t i = 0; i < sizeof EQUIVALENTS / sizeof EQUIVALENTS[0]; i++) {
        if (*EQUIVALENTS[i].value != NULL)
            text_printf(&configuration, "%s%s=%s", configuration.length > 0 ? "," : "",
                        EQUIVALENTS[i].name, own_value(EQUIVALENTS[i].name, *EQUIVALENTS[i].value));
    }
    struct plan *plan = configuration.length > 0
                            ? plan_single(text_string(&configuration), &messages)
                            : plan_load("default", &messages);
    if (plan != NULL && configuration.length > 0)
        say(stderr, "regatta theta: note: one configuration, %s; without these options many race\n",
            text_string(&configuration));
    messages_print(&messages, stderr);
    messages_finish(&messages);
    text_finish(&configuration);
    return plan;
}

static bool write_trace(const struct trace *trace)
{
    const char *path = options.cex != NULL ? options.cex : options.cexfile;
    if (path == NULL)
        return true;
    struct text text;
    text_init(&text);
    trace_print(&text, trace, TRACE_SEXPR);
    if (text.length == 0 || text.data[text.length - 1] != '\n')
        text_add_char(&text, '\n');
    bool good = output_file_write_text(path, &text);
    if (!good)
        say(stderr, "regatta theta: %s: the trace cannot be written: %s\n", path, strerror(errno));
    text_finish(&text);
    return good;
}

static int report(const struct run *run)
{
    const struct run_record *record = &run->record;
    bool silent = options.loglevel != NULL && strcmp(options.loglevel, "RESULT") == 0;
    struct text summary;
    text_init(&summary);
    run_summary(&summary, record);
    if (!silent)
        say(stdout, "%s\n", text_string(&summary));
    bool decided = record->verdict != VERDICT_UNKNOWN && !record->contradiction;
    ENSURE(!decided || run->winner >= 0); // somebody found it
    if (!decided)
        say(stderr, "regatta theta: no verdict: %s\n", text_string(&summary));
    else if (record->verdict == VERDICT_SAFE)
        say(stdout, "(SafetyResult Safe)\n");
    else
        say(stdout, "(SafetyResult Unsafe Trace length: %lld)\n", (long long)record->trace_length);
    text_finish(&summary);
    return decided ? 0 : FAILED;
}

static int race(const struct task *task, const struct plan *plan,
                const struct run_settings *settings)
{
    struct run run;
    run_task(&run, task, plan, settings, NULL);
    bool good = run.record.verdict != VERDICT_UNSAFE || run.trace == NULL || write_trace(run.trace);
    int code = report(&run);
    code = good ? code : FAILED;
    if (run.result.left) {
        fflush(stdout);
        signals_leave(code); // nothing that its threads use may be freed
    }
    run_finish(&run);
    return code;
}

// The condition alone is what --inline-property takes; NULL: there is none.
static char *inline_property(void)
{
    if (options.inline_property == NULL)
        return NULL;
    struct text text;
    text_init(&text);
    text_printf(&text, "prop { %s }", options.inline_property);
    return text_steal(&text);
}

static int check(const struct plan *plan, const struct run_settings *settings)
{
    char *own = inline_property();
    struct task task;
    struct messages messages;
    messages_init(&messages);
    bool good;
    const struct budget budget = run_settings_budget(settings);
    enum budget_end end = task_read(&task, options.model, own != NULL ? own : options.property,
                                    settings->property_at, &budget, &messages, &good);
    memory_free(own);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    if (end != BUDGET_DONE)
        signals_leave(end == BUDGET_STOPPED ? budget_exit_code(end) : FAILED);
    int code = good ? race(&task, plan, settings) : FAILED;
    task_finish(&task);
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    if (count > 0) {
        say(stderr, "regatta theta: found `%s`, expected options only\n", arguments[0]);
        return FAILED;
    }
    if (options.model == NULL || (options.cex != NULL && options.cexfile != NULL)) {
        say(stderr, "regatta theta: %s\n",
            options.model == NULL ? "--model is missing" : "--cex and --cexfile are the same");
        return FAILED;
    }
    if (options.property != NULL && options.inline_property != NULL) {
        say(stderr, "regatta theta: found both --property and --inline-property\n");
        return FAILED;
    }
    struct run_options given = {.cores = options.cores, .time = options.time};
    struct run_settings settings;
    struct text why;
    text_init(&why);
    bool good = run_settings_read(&given, &settings, &why, NULL);
    if (!good)
        say(stderr, "regatta theta: %s\n", text_string(&why));
    text_finish(&why);
    if (!good)
        return FAILED;
    struct race_log log;
    race_log_open(&log, NULL, NULL);
    log.plan = "default";
    settings.race_log = &log;
    run_settings_start(&settings);
    struct plan *plan = make_plan();
    int code = plan == NULL ? FAILED : check(plan, &settings);
    race_log_close(&log);
    plan_destroy(plan);
    run_settings_finish(&settings);
    return code;
}

const struct command command_theta = {
    .name = "theta",
    .arguments = "--model FILE --property FILE [--cex FILE]",
    .summary = "stand in for Theta's XSTS checker",
    .description =
        "Takes the options that tools such as Gamma give Theta's checker of XSTS models,\n"
        "and answers as that does: the last line of standard output is\n"
        "(SafetyResult Safe) or (SafetyResult Unsafe Trace length: N), the trace is\n"
        "written line by line as Gamma reads it, the exit code is 0 with a verdict and\n"
        "1 without one. The model may be in any language that is read here.",
    .options = table,
    .run = run,
};
