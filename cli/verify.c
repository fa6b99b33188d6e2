#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "languages/registry/property_words.h"
#include "portfolio/plan_solvers.h"
#include "results/store.h"
#include "runs/race_log.h"
#include "runs/retry.h"
#include "runs/verify.h"
#include "tracegen/charts/chart_tracing.h"

static struct {
    struct run_options run;
    char *plan, *configuration, *property, *trace, *trace_format, *sexpr_trace, *witness,
        *certificate, *test, *db;
    char *environment, *log, *events, *arithmetic, *reentrancy, *sarif, *attacks, *format,
        *data_model;
    char **includes, **defines, **with; // NULL-terminated; NULL: none
    int json, quiet, verbose, alone;
} options = {0};

static struct poptOption table[] = {
    {"property", 'p', POPT_ARG_STRING, &options.property, 0,
     "file, or the property itself (CFA: error location; STS: name)", "P"},
    {"plan", 0, POPT_ARG_STRING, &options.plan, 0,
     "plan to race, by name or path (that of the language)", "NAME|PATH"},
    {"config", 0, POPT_ARG_STRING, &options.configuration, 0,
     "one configuration instead: a name, or \"domain=EXPL,maxenum=5\"", "CONFIG"},
    // clang-format off
    RUN_OPTIONS(options.run)
    // clang-format on
    {"trace", 0, POPT_ARG_STRING, &options.trace, 0,
     "write the trace of an unsafe model; - = standard output", "FILE"},
    {"trace-format", 0, POPT_ARG_STRING, &options.trace_format, 0,
     "how the trace is written (readable); html: a page, of programs, statecharts, nets, capsules; "
     "dot: nets",
     "readable|sexpr|json|html|dot"},
    {"environment", 0, POPT_ARG_STRING, &options.environment, 0,
     "statecharts (SCXML): only these events come from outside; '' = none (all that are heard)",
     "e1,e2,…"},
    {"cex", 0, POPT_ARG_STRING, &options.sexpr_trace, 0, "--trace FILE --trace-format sexpr",
     "FILE"},
    {"cexfile", 0, POPT_ARG_STRING, &options.sexpr_trace, 0, "the same as --cex", "FILE"},
    {"witness", 0, POPT_ARG_STRING, &options.witness, 0,
     "write a witness: of an unsafe circuit (AIGER, BTOR2) or a C program (YAML, format 2.0)",
     "FILE"},
    {"test", 0, POPT_ARG_STRING, &options.test, 0,
     "C programs: write the violation as a C file to be compiled with the program", "FILE"},
    {"certificate", 0, POPT_ARG_STRING, &options.certificate, 0,
     "write what makes the verdict checkable; regatta certify checks it", "FILE"},
    {"data-model", 0, POPT_ARG_STRING, &options.data_model, 0,
     "C programs: sizes of long and of pointers (ILP32, or what the task says)", "ILP32|LP64"},
    {"include", 'I', POPT_ARG_ARGV, &options.includes, 0,
     "C programs: where #include looks too; may be given several times", "DIR"},
    {"define", 'D', POPT_ARG_ARGV, &options.defines, 0,
     "C programs: a macro; may be given several times", "NAME[=VALUE]"},
    {"with", 0, POPT_ARG_ARGV, &options.with, 0,
     "C programs: a further file of the program; may be given several times", "FILE"},
    {"db", 0, POPT_ARG_STRING, &options.db, 0, "keep the records in this SQLite file (nowhere)",
     "FILE"},
    {"log", 0, POPT_ARG_STRING, &options.log, 0,
     "write what the schedule was told and decided; regatta replay checks it", "FILE"},
    {"events", 0, POPT_ARG_STRING, &options.events, 0, "write what happens as JSON lines", "FILE"},
    {"arithmetic", 0, POPT_ARG_STRING, &options.arithmetic, 0,
     "Solidity: what numbers are (mod-overflow)", "int|bv|mod|mod-overflow"},
    {"reentrancy", 0, POPT_ARG_STRING, &options.reentrancy, 0,
     "Solidity: how deep unknown code calls back in the attacks that are looked for, 0 to 4 (1)",
     "N"},
    {"alone", 0, POPT_ARG_NONE, &options.alone, 0,
     "Solidity: functions alone, no search in the whole contract", NULL},
    {"attacks", 0, POPT_ARG_STRING, &options.attacks, 0,
     "Solidity: write what was violated as tests for Foundry", "FILE"},
    {"sarif", 0, POPT_ARG_STRING, &options.sarif, 0,
     "Solidity: write what is not proved as SARIF, for editors and CI", "FILE"},
    {"format", 0, POPT_ARG_STRING, &options.format, 0,
     "Petri nets with a property file: answers as the Model Checking Contest wants them", "mcc"},
    {"json", 0, POPT_ARG_NONE, &options.json, 0,
     "print one JSON object instead of the verdict line", NULL},
    {"quiet", 'q', POPT_ARG_NONE, &options.quiet, 0, "no live view, notes or warnings", NULL},
    {"verbose", 'v', POPT_ARG_NONE, &options.verbose, 0, "say more while running, and at the end",
     NULL},
    POPT_TABLEEND,
};

static bool draws_chart(const struct model *model)
{
    return chart_of_model(model) != NULL;
}

static bool write_chart_page(const struct trace *trace, const char *path, struct text *why)
{
    return chart_page_of_trace(trace, path, trace->model->path, why);
}

// Charts are drawn by a room to the right of that which writes.
static struct outputs all_outputs(void)
{
    static const struct page_writer CHARTS = {draws_chart, write_chart_page};
    return (struct outputs){.witness = options.witness,
                            .test = options.test,
                            .certificate = options.certificate,
                            .sarif = options.sarif,
                            .attacks = options.attacks,
                            .log = options.log,
                            .events = options.events,
                            .store = options.db,
                            .page = &CHARTS};
}

static bool read_trace_options(struct outputs *out)
{
    static const char *const names[] = {"readable", "sexpr", "json", "html", "dot"};
    static const enum trace_format formats[] = {TRACE_READABLE, TRACE_SEXPR, TRACE_JSON, TRACE_PAGE,
                                                TRACE_DOT};
    out->trace = options.trace;
    out->trace_format = TRACE_READABLE;
    if (options.sexpr_trace != NULL) {
        if (options.trace != NULL) {
            usage_error(&command_verify, "--trace and --cex exclude each other");
            return false;
        }
        out->trace = options.sexpr_trace;
        out->trace_format = TRACE_SEXPR;
        return true;
    }
    if (options.trace_format == NULL)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(options.trace_format, names[i]) == 0) {
            out->trace_format = formats[i];
            return true;
        }
    }
    usage_error(&command_verify, "--trace-format=%s: expected readable, sexpr, json, html or dot",
                options.trace_format);
    return false;
}

// What is raced, as --plan or --config takes it; when neither is given, the plan of the language.
static const char *plan_name(const char *path)
{
    return options.configuration != NULL ? options.configuration
           : options.plan != NULL        ? options.plan
                                         : task_standard_plan(path);
}

// A solver of what was asked for is not there: wrong usage, said even with --quiet.
static bool has_solvers(const struct plan *plan)
{
    struct text why;
    text_init(&why);
    bool good = plan_has_solvers(plan, &why);
    if (!good)
        say(stderr, "regatta verify: --%s=%s: %s\n",
            options.configuration != NULL ? "config" : "plan",
            options.configuration != NULL ? options.configuration : options.plan,
            text_string(&why));
    text_finish(&why);
    return good;
}

static struct plan *load_plan(const char *name)
{
    struct messages messages;
    messages_init(&messages);
    struct plan *plan =
        options.configuration != NULL ? plan_single(name, &messages) : plan_load(name, &messages);
    if (plan == NULL || !options.quiet)
        messages_print(&messages, stderr);
    messages_finish(&messages);
    // Standard plans need no program.
    bool standard = options.configuration == NULL && options.plan == NULL;
    if (plan == NULL || standard || has_solvers(plan))
        return plan;
    plan_destroy(plan);
    return NULL;
}

// An option that would do nothing for this input is refused, not passed over.
static bool options_fit(const char *path)
{
    const struct {
        const char *name;
        bool given, of_contracts;
    } rows[] = {
        {"arithmetic", options.arithmetic != NULL, true},
        {"reentrancy", options.reentrancy != NULL, true},
        {"alone", options.alone != 0, true},
        {"sarif", options.sarif != NULL, true},
        {"attacks", options.attacks != NULL, true},
        {"trace", options.trace != NULL, false},
        {"cex", options.sexpr_trace != NULL, false},
        {"witness", options.witness != NULL, false},
        {"test", options.test != NULL, false},
        {"certificate", options.certificate != NULL && !contracts_reads(path), false},
    };
    bool contracts = contracts_reads(path), one_by_one = contracts || options.format != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool wrong = rows[i].of_contracts ? !contracts : one_by_one;
        if (rows[i].given && wrong) {
            usage_error(&command_verify, "--%s: %s", rows[i].name,
                        rows[i].of_contracts ? "expected a Solidity contract"
                        : contracts          ? "not supported for Solidity contracts"
                                             : "not supported with --format");
            return false;
        }
    }
    return true;
}

// A solver brought the program down the first time.
static void begin_again(struct run_settings *settings)
{
    double left;
    if (!retry_is_second(&left))
        return;
    settings->isolation = ISOLATION_PROCESS;
    settings->first_seconds = left;
}

// What is said of the input joins its property. False after a usage error.
static bool compose_property(const char *path)
{
    const struct property_words words = {options.environment, options.data_model, options.includes,
                                         options.defines, options.with};
    struct text why, property;
    text_init(&why);
    text_init(&property);
    bool good = property_words_add(&words, path, options.property, &property, &why);
    if (!good)
        usage_error(&command_verify, "%s", text_string(&why));
    if (property.length > 0) {
        free((char *)(uintptr_t)options.property); // popt's
        options.property = text_steal(&property);  // for as long as the program runs
    }
    text_finish(&property);
    text_finish(&why);
    return good;
}

static bool can_write(const struct outputs *outputs, const char *input)
{
    struct text why;
    text_init(&why);
    bool good = outputs_check(outputs, input, options.property, &why);
    if (!good)
        say(stderr, "regatta verify: %s\n", text_string(&why));
    text_finish(&why);
    return good;
}

// False after a usage error.
static bool read_contracts(struct contracts_how *how)
{
    *how = (struct contracts_how){SOL_ARITHMETIC_MOD_OVERFLOW, 1, options.alone != 0};
    if (options.arithmetic != NULL && !sol_arithmetic_parse(options.arithmetic, &how->arithmetic)) {
        usage_error(&command_verify, "--arithmetic=%s: expected int, bv, mod or mod-overflow",
                    options.arithmetic);
        return false;
    }
    if (options.reentrancy != NULL && !sol_reentrancy_parse(options.reentrancy, &how->reentrancy)) {
        usage_error(&command_verify, "--reentrancy=%s: expected a number from 0 to %d",
                    options.reentrancy, SOL_MOST_REENTRANCY);
        return false;
    }
    return true;
}

static int verify(const struct verify_request *request, bool *left)
{
    struct contracts_how how;
    if (!contracts_reads(request->path)) {
        int code = verify_input(request, left);
        return code != VERIFY_UNASKED
                   ? code
                   : usage_error(&command_verify,
                                 "--format=%s: expected a net and a property file of the "
                                 "Model Checking Contest",
                                 options.format);
    }
    return read_contracts(&how) ? verify_contracts(request, &how, left) : EXIT_USAGE;
}

static int run(const char *const *arguments, size_t count)
{
    if (count != 1)
        return usage_error(&command_verify, "expected one model or task, got %zu", count);
    if (options.plan != NULL && options.configuration != NULL)
        return usage_error(&command_verify, "--plan and --config exclude each other");
    if (options.format != NULL && (strcmp(options.format, "mcc") != 0 || options.json))
        return usage_error(&command_verify, "--format=%s: expected mcc, without --json",
                           options.format);
    struct run_settings settings;
    struct verify_request request = {.path = arguments[0],
                                     .settings = &settings,
                                     .outputs = all_outputs(),
                                     .telling = {stdout, stderr, options.format != NULL,
                                                 options.json != 0, options.verbose != 0},
                                     .quiet = options.quiet != 0};
    if (!options_fit(arguments[0]) || !compose_property(arguments[0]) ||
        !read_trace_options(&request.outputs) || !can_write(&request.outputs, arguments[0]) ||
        !run_table_read(&command_verify, &options.run, options.quiet, &settings))
        return EXIT_USAGE;
    request.property = options.property;
    settings.keep_certificate = options.certificate != NULL || options.witness != NULL;
    begin_again(&settings);
    int code = EXIT_USAGE;
    const char *name = plan_name(arguments[0]);
    struct plan *plan = load_plan(name);
    struct text why;
    text_init(&why);
    if (plan != NULL && options.db != NULL &&
        (request.store = store_open(options.db, true, &why)) == NULL)
        say(stderr, "regatta verify: %s\n", text_string(&why));
    text_finish(&why);
    struct race_log log;
    bool logging = race_log_open(&log, options.log, options.events), left = false;
    log.plan = name;
    log.single = options.configuration != NULL;
    settings.race_log = &log;
    request.plan = plan;
    if (plan != NULL && logging && (options.db == NULL || request.store != NULL))
        code = verify(&request, &left);
    if (!race_log_close(&log))
        code = EXIT_INTERNAL;
    store_close(request.store);
    if (left)
        signals_leave(code); // nothing that the threads of some run use may be freed
    plan_destroy(plan);
    run_settings_finish(&settings);
    return code;
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "MODEL | TASK.yml",
    .summary = "decide a model",
    .description =
        "Races the configurations of a plan on a model (XSTS, CFA, STS, AIGER, BTOR2,\n"
        "Horn clauses, Petri nets, C programs, statecharts, capsules, Solidity\n"
        "contracts; endings: regatta list formats) or a BenchExec task definition. The\n"
        "last line of standard output is the verdict: safe, unsafe or unknown, with who\n"
        "won and when. An unsafe verdict has a trace that was replayed on the model;\n"
        "safe, checked means that a solver of its own accepted the proof. --certificate\n"
        "writes either. An input with several questions has a line for each and one for\n"
        "all; MODEL#NAME asks one. A live view goes to standard error when that is a\n"
        "terminal, else a line an event.\n"
        "\n"
        "  regatta verify model.xsts --property model.prop\n"
        "  regatta verify model.xsts --property 'x >= 0' --time 60s --trace -\n",
    .options = table,
    .run = run,
};
