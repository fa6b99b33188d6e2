#include <stdio.h>
#include <string.h>

#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "languages/registry/task.h"
#include "results/verdict.h"
#include "runs/validate.h"

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
    struct plan *plan = plan_load(
        options.plan != NULL ? options.plan : task_standard_plan(arguments[0]), &messages);
    struct witness *witness = plan == NULL ? NULL : witness_open(arguments[1], &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    const struct validate_request request = {arguments[0],     arguments[1], witness,
                                             options.property, plan,         &settings,
                                             stdout,           stderr,       options.quiet != 0};
    bool left = false;
    int code = witness != NULL ? validate_witness(&request, &left) : EXIT_USAGE;
    if (left)
        signals_leave(code); // nothing that the threads of some run use may be freed
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
