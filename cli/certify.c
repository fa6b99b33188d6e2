#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "configs/solver_name.h"
#include "results/verdict.h"
#include "runs/certifying.h"
#include "runs/settings.h"

static struct {
    char *property, *property_at, *solver, *time, *memory;
    int quiet;
} options;

static struct poptOption table[] = {
    {"property", 'p', POPT_ARG_STRING, &options.property, 0,
     "file, or the property itself (CFA: error location; STS: name)", "P"},
    {"property-at", 0, POPT_ARG_STRING, &options.property_at, 0,
     "XSTS: check the property in all states, or in stable ones only (all)", "all|stable"},
    {"solver", 0, POPT_ARG_STRING, &options.solver, 0,
     "z3, cvc5 or smtlib:COMMAND (another than the proof's, when there is one)", "NAME"},
    {"time", 't', POPT_ARG_STRING, &options.time, 0,
     "wall time: 500ms, 60s, 5m; 0 = no limit (" DEFAULT_TIME ")", "TIME"},
    MEMORY_OPTION(options.memory){"quiet", 'q', POPT_ARG_NONE, &options.quiet, 0,
                                  "no notes or warnings", NULL},
    POPT_TABLEEND,
};

static int run(const char *const *arguments, size_t count)
{
    if (count != 2)
        return usage_error(&command_certify, "expected a model or task and a certificate, got %zu",
                           count);
    double limit;
    const char *time = options.time != NULL ? options.time : DEFAULT_TIME;
    if (!text_parse_duration(time, &limit) || limit < 0)
        return usage_error(&command_certify, "--time=%s: expected a time such as 500ms, 60s or 5m",
                           time);
    const char *at = options.property_at != NULL ? options.property_at : "all";
    if (strcmp(at, "all") != 0 && strcmp(at, "stable") != 0)
        return usage_error(&command_certify, "--property-at=%s: expected all or stable", at);
    const char *solver = options.solver != NULL ? solver_name_read(options.solver) : NULL;
    if (options.solver != NULL && solver == NULL)
        return usage_error(&command_certify, "--solver=%s: expected " SOLVER_NAME_EXPECTED,
                           options.solver);
    struct certify_request request = {.model = arguments[0],
                                      .property = options.property,
                                      .property_at = strcmp(at, "all") == 0 ? PROPERTY_AT_ALL
                                                                            : PROPERTY_AT_STABLE,
                                      .path = arguments[1],
                                      .solver = solver,
                                      .seconds = limit,
                                      .quiet = options.quiet != 0,
                                      .out = stdout,
                                      .notes = stderr};
    if (!reading_budget(&command_certify, options.memory, limit, &request.budget))
        return EXIT_USAGE;
    bool left;
    int code = certify_task(&request, &left);
    ENSURE(!left || code != EXIT_SAFE); // what was not read is not accepted
    if (left)
        signals_leave(code); // what was read so far cannot be freed
    return code;
}

const struct command command_certify = {
    .name = "certify",
    .arguments = "MODEL | TASK.yml CERTIFICATE",
    .summary = "check a certificate",
    .description =
        "Checks a certificate that verify --certificate wrote, from the model alone: an\n"
        "invariant holds at the start, is kept by every path and excludes the error; a\n"
        "trace runs on the model and reaches every state it claims. The last line of\n"
        "standard output is accepted (exit code 0), refused (4) or undecided (20), with\n"
        "the reason. The solver is another than the one that found the proof, when there\n"
        "is one.\n"
        "\n"
        "  regatta verify model.xsts --property model.prop --certificate proof.smt2\n"
        "  regatta certify model.xsts --property model.prop proof.smt2\n",
    .options = table,
    .run = run,
};
