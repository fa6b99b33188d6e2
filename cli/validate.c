#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "languages/programs/witness_read.h"
#include "languages/registry/task.h"
#include "results/verdict.h"
#include "runs/retry.h"
#include "runs/runner.h"

static struct {
    struct run_options run;
    char *plan, *property;
    int quiet;
} options = {0};

static struct poptOption table[] = {
    {"property", 'p', POPT_ARG_STRING, &options.property, 0,
     "file, or the property itself (what the witness says)", "P"},
    {"plan", 0, POPT_ARG_STRING, &options.plan, 0,
     "plan to race, by name or path (that of the language)", "NAME|PATH"},
    // clang-format off
    RUN_OPTIONS(options.run)
    // clang-format on
    {"quiet", 'q', POPT_ARG_NONE, &options.quiet, 0, "no live view, notes or warnings", NULL},
    POPT_TABLEEND,
};

struct validation {
    const char *program, *path; // of the witness
    const struct witness *witness;
    const char *property; // of the program, without what is said about the witness
    const struct plan *plan;
    const struct run_settings *settings;
    enum verdict verdict; // of the last question
    struct text why;      // what is told of it
    bool left;            // a thread was given up
    bool unread;          // wrong input
};

// Asks the program's question with the witness used so.
static bool ask(struct validation *v, const char *use)
{
    struct task task;
    struct messages messages;
    struct run run;
    struct text property;
    bool good, left = false;
    text_init(&property);
    text_printf(&property, "%s%s%s=%s", v->property, strchr(v->property, '#') != NULL ? "," : "#",
                use, v->path);
    messages_init(&messages);
    const struct budget budget = run_settings_budget(v->settings);
    enum budget_end end = task_read(&task, v->program, text_string(&property), PROPERTY_AT_ALL,
                                    &budget, &messages, &good);
    if (!good || !options.quiet)
        messages_print(&messages, stderr);
    v->verdict = VERDICT_UNKNOWN;
    text_clear(&v->why);
    v->unread = messages.errors > 0;
    if (end != BUDGET_DONE || !good) {
        text_add(&v->why, end != BUDGET_DONE    ? "reading was ended"
                          : messages.errors > 0 ? "not read"
                                                : "not supported");
        left = end != BUDGET_DONE;
    } else {
        if (v->settings->isolation == ISOLATION_AUTO)
            retry_arm(v->settings->time_limit_seconds);
        run_task(&run, &task, v->plan, v->settings, NULL);
        retry_disarm();
        v->verdict = run.record.contradiction ? VERDICT_UNKNOWN : run.record.verdict;
        run_summary(&v->why, &run.record);
        left = run.result.left;
        if (!left)
            run_finish(&run);
    }
    if (!left)
        task_finish(&task);
    v->left = v->left || left;
    messages_finish(&messages);
    text_finish(&property);
    return atomic_load(signals_flag()) == 0;
}

static int answer(const struct validation *v, int code, const char *what)
{
    ENSURE(code == EXIT_UNKNOWN || v->verdict != VERDICT_UNKNOWN);
    say(stdout, "%s (%s witness%s%s: %s)\n",
        code == EXIT_SAFE      ? "confirmed"
        : code == EXIT_REFUSED ? "refuted"
                               : "undecided",
        v->witness->violation ? "violation" : "correctness", *what != '\0' ? ", " : "", what,
        text_string(&v->why));
    return code;
}

static int validate_violation(struct validation *v)
{
    assert(v->witness->violation);
    ask(v, "follow");
    if (v->unread)
        return EXIT_USAGE;
    return v->verdict == VERDICT_UNSAFE ? answer(v, EXIT_SAFE, "a run follows it")
           : v->verdict == VERDICT_SAFE ? answer(v, EXIT_REFUSED, "no run follows it")
                                        : answer(v, EXIT_UNKNOWN, "");
}

static int validate_proof(struct validation *v)
{
    assert(!v->witness->violation);
    if (v->witness->invariant_count > 0) {
        bool on = ask(v, "holds");
        if (v->unread)
            return EXIT_USAGE;
        if (v->verdict == VERDICT_UNSAFE)
            return answer(v, EXIT_REFUSED, "an invariant does not hold");
        if (v->verdict != VERDICT_SAFE || !on)
            return answer(v, EXIT_UNKNOWN, "do its invariants hold?");
    }
    ask(v, "given");
    if (v->unread)
        return EXIT_USAGE;
    return v->verdict == VERDICT_SAFE
               ? answer(v, EXIT_SAFE, "the property holds with its invariants")
           : v->verdict == VERDICT_UNSAFE ? answer(v, EXIT_REFUSED, "the program is unsafe")
                                          : answer(v, EXIT_UNKNOWN, "");
}

// The property and the data model: as the user, the task or the witness says.
static bool find_property(struct validation *v, struct text *out)
{
    struct task task;
    struct messages messages;
    messages_init(&messages);
    bool good = task_open(&task, v->program, options.property, PROPERTY_AT_ALL, &messages);
    if (!good)
        messages_print(&messages, stderr);
    if (good && task.property != NULL)
        text_add(out, task.property);
    else if (good)
        text_add(out,
                 *v->witness->specification != '\0' ? v->witness->specification : "unreach-call");
    if (good && v->witness->wide && strchr(text_string(out), '#') == NULL)
        text_add(out, "#lp64");
    messages_finish(&messages);
    task_finish(&task);
    return good;
}

static int validate(struct validation *v)
{
    struct text property;
    text_init(&property);
    int code = EXIT_USAGE;
    if (find_property(v, &property)) {
        v->property = text_string(&property);
        code = v->witness->violation ? validate_violation(v) : validate_proof(v);
    }
    int signal = atomic_load(signals_flag());
    if (signal != 0)
        code = signals_exit_code(signal);
    if (v->left)
        signals_leave(code); // nothing that the threads of some run use may be freed
    text_finish(&property);
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    if (count != 2)
        return usage_error(&command_validate, "expected a program or task and a witness, got %zu",
                           count);
    if (strchr(arguments[1], '#') != NULL)
        return usage_error(&command_validate, "%s: expected a path without #", arguments[1]);
    struct run_settings settings;
    if (!run_table_read(&command_validate, &options.run, options.quiet, &settings))
        return EXIT_USAGE;
    struct messages messages;
    messages_init(&messages);
    struct validation v = {.program = arguments[0], .path = arguments[1], .settings = &settings};
    struct plan *plan = plan_load(
        options.plan != NULL ? options.plan : task_standard_plan(arguments[0]), &messages);
    struct witness *witness = plan == NULL ? NULL : witness_open(arguments[1], &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    int code = EXIT_USAGE;
    settings.stay = true;
    double left; // a solver brought the program down the first time: both questions again
    if (retry_is_second(&left)) {
        settings.isolation = ISOLATION_PROCESS;
        settings.time_limit_seconds = left;
    }
    run_settings_start(&settings);
    text_init(&v.why);
    if (witness != NULL) {
        v.plan = plan;
        v.witness = witness;
        code = validate(&v);
    }
    text_finish(&v.why);
    witness_destroy(witness);
    plan_destroy(plan);
    run_settings_finish(&settings);
    return code;
}

const struct command command_validate = {
    .name = "validate",
    .arguments = "PROGRAM | TASK.yml WITNESS",
    .summary = "check a witness about a C program",
    .description =
        "A violation witness is confirmed when a run that passes its waypoints in order\n"
        "violates the property at its target; a correctness witness when its invariants\n"
        "hold wherever they are said to, and the property where they do. The last line\n"
        "of standard output is confirmed (exit code 0), refuted (4) or undecided (20).\n"
        "Witnesses are those of format 2.0, as verify --witness writes them.\n"
        "\n"
        "  regatta verify program.c --property unreach-call --witness witness.yml\n"
        "  regatta validate program.c witness.yml\n",
    .options = table,
    .run = run,
};
