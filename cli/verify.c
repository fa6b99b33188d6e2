#include <assert.h>
#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/output_file.h"
#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "languages/registry/registry.h"
#include "portfolio/plan_solvers.h"
#include "results/store.h"
#include "runs/bounds.h"
#include "runs/contracts.h"
#include "runs/evidence.h"
#include "runs/json.h"
#include "runs/questions.h"
#include "runs/race_log.h"
#include "runs/retry.h"
#include "runs/runner.h"
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

struct trace_target {
    const char *path; // NULL = none
    enum trace_format format;
};

static bool read_trace_options(struct trace_target *out)
{
    static const char *const names[] = {"readable", "sexpr", "json", "html", "dot"};
    static const enum trace_format formats[] = {TRACE_READABLE, TRACE_SEXPR, TRACE_JSON, TRACE_PAGE,
                                                TRACE_DOT};
    *out = (struct trace_target){options.trace, TRACE_READABLE};
    if (options.sexpr_trace != NULL) {
        if (options.trace != NULL) {
            usage_error(&command_verify, "--trace and --cex exclude each other");
            return false;
        }
        *out = (struct trace_target){options.sexpr_trace, TRACE_SEXPR};
        return true;
    }
    if (options.trace_format == NULL)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(options.trace_format, names[i]) == 0) {
            out->format = formats[i];
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

// "-" is standard output. False with words when it cannot be written.
static bool write_file(const char *path, const struct text *text, const char *what)
{
    bool to_stdout = strcmp(path, "-") == 0;
    if (to_stdout) {
        say_data(stdout, text_string(text), text->length);
        return true; // what is lost is told at the end
    }
    bool good = output_file_write_text(path, text);
    if (!good)
        say(stderr, "regatta verify: %s: %s cannot be written: %s\n", path, what, strerror(errno));
    return good;
}

static bool write_page(const struct trace *trace, const char *path)
{
    path = strcmp(path, "-") == 0 ? "/dev/stdout" : path;
    struct text why;
    text_init(&why);
    bool good = chart_page_of_trace(trace, path, trace->model->path, &why);
    if (!good)
        say(stderr, "regatta verify: %s: %s\n", path, text_string(&why));
    text_finish(&why);
    return good;
}

static bool write_trace(const struct trace *trace, const struct trace_target *target)
{
    if (target->format == TRACE_PAGE && chart_of_model(trace->model) != NULL)
        return write_page(trace, target->path);
    struct text text;
    text_init(&text);
    trace_print(&text, trace, target->format);
    if (text.length == 0 || text.data[text.length - 1] != '\n')
        text_add_char(&text, '\n');
    bool good = write_file(target->path, &text, "the trace");
    text_finish(&text);
    return good;
}

// Only models with witnesses come here. What has none is said, not hidden. False when the file cannot be written.
static bool write_witness(const struct run *run, const struct model *model)
{
    if (options.witness == NULL)
        return true;
    struct text text;
    text_init(&text);
    bool good = true;
    if (evidence_print_witness(&text, run, model))
        good = write_file(options.witness, &text, "the witness");
    else
        say(stderr, "regatta verify: %s: not written: %s has a witness\n", options.witness,
            model->dialect->print_proof != NULL ? "only a verdict" : "only an unsafe verdict");
    text_finish(&text);
    return good;
}

static bool write_test(const struct run *run)
{
    if (options.test == NULL)
        return true;
    if (run->trace == NULL || run->record.verdict != VERDICT_UNSAFE || run->record.contradiction) {
        say(stderr, "regatta verify: %s: not written: only an unsafe verdict has a test\n",
            options.test);
        return true;
    }
    struct text text;
    text_init(&text);
    assert(run->trace->model->dialect->print_test != NULL);
    run->trace->model->dialect->print_test(&text, run->trace);
    bool good = write_file(options.test, &text, "the test");
    text_finish(&text);
    return good;
}

// A verdict without its certificate is said, not hidden. False when the file cannot be written.
static bool write_certificate(const struct task *task, const struct run *run)
{
    if (options.certificate == NULL || run->record.verdict == VERDICT_UNKNOWN ||
        run->record.contradiction)
        return true;
    if (!evidence_has_certificate(run)) {
        say(stderr, "regatta verify: %s: not written: the winner gave no proof\n",
            options.certificate);
        return true;
    }
    struct text text;
    text_init(&text);
    evidence_print_certificate(&text, task, run);
    bool good = write_file(options.certificate, &text, "the certificate");
    text_finish(&text);
    return good;
}

// The Model Checking Contest's words (--format mcc); `winner` may be NULL or "".
static void print_contest(const char *name, const char *answer, const char *winner)
{
    say(stdout, "FORMULA %s %s", name, answer);
    if (strcmp(answer, "CANNOT_COMPUTE") != 0) {
        fputs(" TECHNIQUES PORTFOLIO ", stdout);
        for (const char *c = winner != NULL ? winner : ""; *c != '\0'; c++)
            putchar(isalnum((unsigned char)*c) ? toupper((unsigned char)*c) : '_');
    }
    putchar('\n');
}

// The question of several that is being answered; NULL: the input has one.
static const struct language_question *asked;

static void print_contest_result(const struct run *run)
{
    ENSURE(asked != NULL && asked->greatest == NULL); // TRUE or FALSE answers it, no number
    enum verdict verdict = run->record.contradiction ? VERDICT_UNKNOWN : run->record.verdict;
    bool holds = (verdict == VERDICT_UNSAFE) == asked->true_when_unsafe;
    const char *winner = run->winner >= 0 ? run->record.attempts[run->winner].configuration : NULL;
    print_contest(asked->name,
                  verdict == VERDICT_UNKNOWN ? "CANNOT_COMPUTE"
                  : holds                    ? "TRUE"
                                             : "FALSE",
                  winner);
}

// A line of its own for competitions.
static void print_violated(const struct run *run)
{
    if (run->trace == NULL || run->record.verdict != VERDICT_UNSAFE || run->record.contradiction ||
        run->trace->model->dialect->print_violated == NULL)
        return;
    struct text name, note;
    text_init(&name);
    text_init(&note);
    run->trace->model->dialect->print_violated(&name, &note, run->trace);
    say(stdout, "violated: %s\n", text_string(&name));
    if (note.length > 0)
        say(stderr, "note: %s\n", text_string(&note));
    text_finish(&name);
    text_finish(&note);
}

static void print_result(const struct run *run, const char *question)
{
    struct text text;
    if (options.format != NULL && asked != NULL) {
        print_contest_result(run);
        return;
    }
    text_init(&text);
    if (options.json)
        json_run(&text, run);
    else
        run_summary(&text, &run->record);
    if (!options.json)
        print_violated(run);
    if (run->bound != NULL && run->result.verdict == VERDICT_UNKNOWN)
        say(stderr, "note: it was followed up to a bound: %s\n", run->bound);
    if (question != NULL && !options.json) {
        struct text name;
        text_init(&name);
        text_add_name(&name, question);
        say(stdout, "%s: ", text_string(&name));
        text_finish(&name);
    }
    if (options.verbose) {
        struct text attempts;
        text_init(&attempts);
        run_print_attempts(&attempts, &run->record);
        say(stderr, "%s", text_string(&attempts));
        text_finish(&attempts);
    }
    if (run_record_is_unexpected(&run->record))
        say(stderr, "regatta: WRONG: the task expects %s\n", run->record.expected);
    say(stdout, "%s\n", text_string(&text));
    text_finish(&text);
}

static int exit_code(const struct run *run)
{
    if (run->signal != 0)
        return signals_exit_code(run->signal);
    if (run->record.contradiction)
        return EXIT_CONTRADICTION;
    return verdict_exit_code(run->record.verdict);
}

static bool keep(struct store *store, const struct run *run)
{
    struct text why;
    text_init(&why);
    bool good = store == NULL || store_add(store, &run->record, &why);
    if (!good)
        say(stderr, "regatta verify: %s: the record is lost: %s\n", options.db, text_string(&why));
    text_finish(&why);
    return good;
}

// A thread was given up in a run of several: what it uses stays.
static bool was_left;

static int race(const struct task *task, const struct plan *plan,
                const struct run_settings *settings, struct store *store,
                const struct trace_target *target)
{
    struct live live;
    struct run run;
    live_init(&live, options.quiet, options.verbose);
    live_begin(&live);
    if (settings->isolation == ISOLATION_AUTO)
        retry_arm(run_settings_time_left(settings));
    run_task(&run, task, plan, settings, &live);
    retry_disarm();
    live_end(&live);
    live_finish(&live);
    ENSURE(run.trace == NULL ||
           run.trace->model == (run.bounded != NULL ? run.bounded->model : task->model));
    bool good = keep(store, &run);
    if (run.trace != NULL && target->path != NULL)
        good = write_trace(run.trace, target) && good;
    good = write_witness(&run, task->model) && write_test(&run) && good;
    good = write_certificate(task, &run) && good;
    print_result(&run, task->question);
    int code = good || run.signal != 0 ? exit_code(&run) : EXIT_INTERNAL;
    if (run.result.left && settings->stay) {
        was_left = true;
        return code;
    }
    if (run.result.left) {
        store_close(store);
        if (!race_log_close(settings->race_log))
            code = EXIT_INTERNAL;
        signals_leave(code); // nothing that its threads use may be freed
    }
    run_finish(&run);
    return code;
}

// What is legal but not there yet is an unknown verdict, what is wrong an input error.
static int refuse(const struct task *task, const struct plan *plan,
                  const struct run_settings *settings, struct store *store,
                  const struct messages *messages)
{
    struct run run;
    run_failed(&run, task, plan, settings, messages);
    keep(store, &run);
    int code = EXIT_USAGE;
    if (messages->errors == 0 && messages->unsupported > 0) {
        print_result(&run, task->question);
        code = EXIT_UNKNOWN;
    }
    run_finish(&run);
    return code;
}

// Reading was ended. Nothing can be freed: what it was doing stands as it was left. Returns for one question of several.
static int leave_unread(const struct task *task, const struct plan *plan,
                        const struct run_settings *settings, struct store *store,
                        enum budget_end end, int64_t begun_ns)
{
    struct run run;
    run_unread(&run, task, plan, settings, end, clock_seconds(clock_wall_ns() - begun_ns));
    int code = keep(store, &run) ? exit_code(&run) : EXIT_INTERNAL;
    print_result(&run, task->question);
    was_left = true;
    if (settings->stay)
        return code;
    store_close(store);
    if (!race_log_close(settings->race_log))
        code = EXIT_INTERNAL;
    signals_leave(code);
}

// No file that is written is one that is read.
static bool outputs_apart(const struct trace_target *target, const char *input, struct text *why)
{
    const struct {
        const char *path, *what;
    } outputs[] = {
        {target->path, "the trace"},   {options.witness, "the witness"},
        {options.test, "the test"},    {options.certificate, "the certificate"},
        {options.sarif, "the report"}, {options.attacks, "the tests"},
        {options.log, "the log"},      {options.events, "the events"},
        {options.db, "the store"},
    };
    bool apart = true;
    for (size_t i = 0; apart && i < sizeof outputs / sizeof outputs[0]; i++)
        apart = output_file_apart(outputs[i].path, outputs[i].what, input, why);
    return apart;
}

// The model that a task definition names, and its property.
static bool task_apart(const struct task *task, const struct trace_target *target)
{
    struct text why;
    text_init(&why);
    bool apart = outputs_apart(target, task->model_path, &why) &&
                 outputs_apart(target, task->property, &why);
    if (!apart)
        say(stderr, "regatta verify: %s\n", text_string(&why));
    text_finish(&why);
    return apart;
}

static bool lacks_form(const struct model *model, enum trace_format format)
{
    return (format == TRACE_PAGE && model->dialect->print_page == NULL &&
            chart_of_model(model) == NULL) ||
           (format == TRACE_DOT && model->dialect->print_dot == NULL);
}

// What was asked for and this language does not have; NULL: nothing.
static const char *lacking_words(const struct dialect *dialect)
{
    return options.witness != NULL && dialect->print_witness == NULL
               ? "--witness: expected a circuit (AIGER, BTOR2) or a C program"
           : options.test != NULL && dialect->print_test == NULL ? "--test: expected a C program"
                                                                 : NULL;
}

// One question of the input, or, NULL, all that it asks.
static int verify_one(const struct task *whole, const struct language_question *question,
                      const struct plan *plan, const struct run_settings *settings,
                      struct store *store, const struct trace_target *target)
{
    struct task task;
    struct messages messages;
    messages_init(&messages);
    const struct budget budget = run_settings_budget(settings);
    int64_t begun_ns = clock_wall_ns();
    bool good;
    enum budget_end end = task_read_of(&task, whole, question, NULL, &budget, &messages, &good);
    if (!good || !options.quiet)
        messages_print(&messages, stderr);
    if (end != BUDGET_DONE)
        return leave_unread(&task, plan, settings, store, end, begun_ns);
    ENSURE(!good || task.model != NULL);
    int code = EXIT_USAGE;
    const char *lacking = good ? lacking_words(task.model->dialect) : NULL;
    if (good && !task_apart(&task, target))
        code = EXIT_USAGE;
    else if (lacking != NULL)
        say(stderr, "regatta verify: %s: %s\n", task.model_path, lacking);
    else if (good && target->path != NULL && lacks_form(task.model, target->format))
        say(stderr, "regatta verify: %s: --trace-format=%s: expected a %s\n", task.model_path,
            target->format == TRACE_PAGE ? "html" : "dot",
            target->format == TRACE_PAGE ? "program, a statechart, a net or capsules"
                                         : "Petri net");
    else
        code = good ? race(&task, plan, settings, store, target)
                    : refuse(&task, plan, settings, store, &messages);
    messages_finish(&messages);
    if (!was_left)
        task_finish(&task);
    return code;
}

// FILE of a question of several: FILE.NAME, for what else would write over one another. NULL stays NULL.
static const char *file_of(const char *path, const char *name)
{
    if (path == NULL || strcmp(path, "-") == 0)
        return path;
    assert(name != NULL);
    struct text text;
    text_init(&text);
    text_printf(&text, "%s.", path);
    for (const char *c = name; *c != '\0'; c++)
        text_add_char(&text, isalnum((unsigned char)*c) || strchr("-_.", *c) != NULL ? *c : '_');
    return text_steal(&text);
}

static void free_file(const char *file, const char *path)
{
    if (file != path)
        memory_free((char *)(uintptr_t)file);
}

static char letter_of(int code)
{
    return code == EXIT_SAFE            ? QUESTION_SAFE
           : code == EXIT_UNSAFE        ? QUESTION_UNSAFE
           : code == EXIT_UNKNOWN       ? QUESTION_UNKNOWN
           : code == EXIT_CONTRADICTION ? QUESTION_CONTRADICTION
           : code == EXIT_INTERNAL      ? QUESTION_STOP
                                        : QUESTION_REFUSED;
}

// The line for all questions together and the exit code.
static int summarise(const struct questions_tally *tally)
{
    enum verdict verdict = tally->unsafe > 0    ? VERDICT_UNSAFE
                           : tally->unknown > 0 ? VERDICT_UNKNOWN
                                                : VERDICT_SAFE;
    if (options.format != NULL)
        return tally->contradiction ? EXIT_CONTRADICTION : verdict_exit_code(verdict);
    say(stdout,
        options.json ? "{\"verdict\": \"%s\", \"questions\": %zu, \"safe\": %zu, \"unsafe\": %zu, "
                       "\"unknown\": %zu}\n"
                     : "%s (%zu questions: %zu safe, %zu unsafe, %zu unknown)\n",
        verdict_name(verdict), tally->safe + tally->unsafe + tally->unknown, tally->safe,
        tally->unsafe, tally->unknown);
    return tally->contradiction ? EXIT_CONTRADICTION : verdict_exit_code(verdict);
}

static void print_bound_json(const char *name, const char *number)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "question", name);
    cJSON_AddRawToObject(object, "greatest", number);
    char *printed = cJSON_PrintUnformatted(object);
    if (printed != NULL)
        say_json(stdout, printed);
    cJSON_free(printed);
    cJSON_Delete(object);
}

// A question that wants a number: known is as good as safe.
static int verify_bound(const struct task *whole, const struct language_question *question,
                        const struct plan *plan, const struct run_settings *settings,
                        struct store *store)
{
    struct bounds_request request = {whole, question, plan, settings, store};
    struct bounds_result found;
    struct messages messages;
    messages_init(&messages);
    bounds_find(&request, &found, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    // Each value was looked for by a race.
    ENSURE(found.greatest < 0 || (found.races > 0 && found.winner[0] != '\0'));
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)found.greatest);
    if (options.format != NULL)
        print_contest(question->name, found.greatest < 0 ? "CANNOT_COMPUTE" : number, found.winner);
    else if (options.json)
        print_bound_json(question->name, found.greatest < 0 ? "null" : number);
    else if (found.greatest < 0)
        say(stdout, "%s: %s\n", question->name, text_string(&found.summary));
    else
        say(stdout, "%s: safe (the greatest sum is %s, after %zu races)\n", question->name, number,
            found.races);
    was_left = was_left || found.left;
    int code = found.greatest < 0 ? EXIT_UNKNOWN : EXIT_SAFE;
    bounds_result_finish(&found);
    return code;
}

static int verify_question(const struct task *whole, const struct language_question *question,
                           const struct plan *plan, const struct run_settings *settings,
                           struct store *store, const struct trace_target *target)
{
    if (question->greatest != NULL)
        return verify_bound(whole, question, plan, settings, store);
    char *witness = options.witness, *certificate = options.certificate;
    struct trace_target own = {file_of(target->path, question->name), target->format};
    options.witness = (char *)(uintptr_t)file_of(witness, question->name);
    options.certificate = (char *)(uintptr_t)file_of(certificate, question->name);
    int code = verify_one(whole, question, plan, settings, store, &own);
    free_file(own.path, target->path);
    free_file(options.witness, witness);
    free_file(options.certificate, certificate);
    options.witness = witness;
    options.certificate = certificate;
    return code;
}

struct asking {
    const struct task *whole;
    const struct language_questions *questions;
    const struct plan *plan;
    struct run_settings *settings;
    struct store *store;
    const struct trace_target *target;
};

static char ask_question(void *context, size_t question)
{
    const struct asking *a = context;
    asked = &a->questions->data[question];
    int code = verify_question(a->whole, asked, a->plan, a->settings, a->store, a->target);
    fflush(stdout);
    return letter_of(code);
}

static int verify_each(const struct task *whole, const struct language_questions *questions,
                       const struct plan *plan, struct run_settings *settings, struct store *store,
                       const struct trace_target *target)
{
    struct asking asking = {whole, questions, plan, settings, store, target};
    const struct questions_loop loop = {
        .count = questions->count, .settings = settings, .ask = ask_question, .context = &asking};
    struct questions_tally tally;
    assert(questions->count > 0);
    settings->stay = true;
    questions_ask(&loop, &tally);
    asked = NULL;
    if (atomic_load(signals_flag()) != 0)
        return signals_exit_code(atomic_load(signals_flag()));
    // The line for all speaks of all.
    ENSURE(tally.stopped || tally.safe + tally.unsafe + tally.unknown == questions->count);
    return tally.stopped ? EXIT_INTERNAL : summarise(&tally);
}

// The one question of an input wants a number.
static bool has_bound(const struct language_questions *questions)
{
    return questions->count == 1 && questions->data[0].greatest != NULL;
}

static int verify_task(const char *path, const struct plan *plan, struct run_settings *settings,
                       struct store *store, const struct trace_target *target)
{
    struct task task;
    struct messages messages;
    struct language_questions questions = {0};
    messages_init(&messages);
    run_settings_start(settings);
    const struct budget budget = run_settings_budget(settings);
    int64_t begun_ns = clock_wall_ns();
    bool several;
    enum budget_end end = task_read_questions(&task, path, options.property, settings->property_at,
                                              &budget, &messages, &questions, &several);
    if (end != BUDGET_DONE) {
        messages_print(&messages, stderr);
        return leave_unread(&task, plan, settings, store, end, begun_ns);
    }
    // A single question is read, and told of, by itself.
    if (options.format != NULL ? questions.count == 0 : several && !options.quiet)
        messages_print(&messages, stderr);
    messages_finish(&messages);
    int code;
    if (options.format != NULL && questions.count == 0)
        code = usage_error(&command_verify,
                           "--format=%s: expected a net and a property file of the "
                           "Model Checking Contest",
                           options.format);
    else
        code = several || options.format != NULL || has_bound(&questions)
                   ? verify_each(&task, &questions, plan, settings, store, target)
                   : verify_one(&task, NULL, plan, settings, store, target);
    language_questions_finish(&questions);
    task_finish(&task);
    return code;
}

// Contracts: what is asked next about a function depends on the answer before.

static void tell_answer(void *context, const struct contracts_answer *answer)
{
    (void)context;
    if (options.json)
        return;
    struct text text;
    text_init(&text);
    contracts_print_answer(&text, answer);
    say(stdout, "%s\n", text_string(&text));
    fflush(stdout);
    text_finish(&text);
}

// A race that decided a question of a contract; its model is that of the task's property. False: the file cannot be written.
static bool tell_race(void *context, const char *question, const struct task *task,
                      const struct run *run)
{
    (void)context;
    char *certificate = options.certificate;
    if (certificate == NULL)
        return true;
    if (options.property == NULL)
        options.certificate = (char *)(uintptr_t)file_of(certificate, question);
    bool good = write_certificate(task, run);
    if (good && !options.quiet)
        say(stderr, "%s: about the property %s\n", options.certificate, task->property);
    free_file(options.certificate, certificate);
    options.certificate = certificate;
    return good;
}

// The two reports that a user may ask for. False when one cannot be written.
static bool write_reports(const char *path, const struct contracts_answers *answers)
{
    struct text text;
    bool good = true;
    text_init(&text);
    if (options.sarif != NULL) {
        contracts_print_sarif(&text, path, answers);
        good = write_file(options.sarif, &text, "the report");
        text_clear(&text);
    }
    if (options.attacks != NULL) {
        contracts_print_tests(&text, path, answers);
        good = write_file(options.attacks, &text, "the tests") && good;
    }
    text_finish(&text);
    return good;
}

static int verify_contracts(const char *path, const struct plan *plan,
                            const struct run_settings *settings, struct store *store)
{
    struct contracts_request request = {.path = path,
                                        .property = options.property,
                                        .arithmetic = SOL_ARITHMETIC_MOD_OVERFLOW,
                                        .reentrancy = 1,
                                        .alone = options.alone != 0,
                                        .plan = plan,
                                        .settings = *settings,
                                        .store = store,
                                        .together = options.json || options.sarif != NULL ||
                                                    options.attacks != NULL,
                                        .tell = tell_answer,
                                        .decided = tell_race};
    if (options.arithmetic != NULL &&
        !sol_arithmetic_parse(options.arithmetic, &request.arithmetic))
        return usage_error(&command_verify,
                           "--arithmetic=%s: expected int, bv, mod or mod-overflow",
                           options.arithmetic);
    if (options.reentrancy != NULL &&
        !sol_reentrancy_parse(options.reentrancy, &request.reentrancy))
        return usage_error(&command_verify, "--reentrancy=%s: expected a number from 0 to %d",
                           options.reentrancy, SOL_MOST_REENTRANCY);
    struct contracts_answers answers;
    struct messages messages;
    messages_init(&messages);
    bool read = contracts_run(&request, &answers, &messages);
    if (!read || !options.quiet)
        messages_print(&messages, stderr);
    int code = EXIT_USAGE;
    if (read) {
        struct text text;
        text_init(&text);
        enum verdict verdict = contracts_print_summary(&text, &answers);
        if (options.json) {
            text_clear(&text);
            contracts_print_json(&text, path, &answers);
        }
        say(stdout, "%s\n", text_string(&text));
        text_finish(&text);
        int signal = atomic_load(signals_flag());
        code = !write_reports(path, &answers) || answers.stopped ? EXIT_INTERNAL
               : signal != 0                                     ? signals_exit_code(signal)
                                                                 : verdict_exit_code(verdict);
    }
    messages_finish(&messages);
    if (answers.left) {
        store_close(store);
        signals_leave(code);
    }
    contracts_finish(&answers);
    return code;
}

// The input is FILE or FILE#QUESTION with this ending.
static bool has_ending(const char *path, const char *ending)
{
    const char *sign = strrchr(path, '#');
    size_t length = sign != NULL ? (size_t)(sign - path) : strlen(path), end = strlen(ending);
    return length > end && strncmp(path + length - end, ending, end) == 0;
}

// --environment in front of the property, in the property's own words. False after a message.
static bool add_environment(const char *path)
{
    static char *property; // what options.property points to then
    if (options.environment == NULL)
        return true;
    if (!has_ending(path, ".scxml")) {
        usage_error(&command_verify, "--environment: expected a statechart in SCXML");
        return false;
    }
    struct text text;
    text_init(&text);
    char *content = options.property != NULL ? text_read_file(options.property, NULL) : NULL;
    text_printf(&text, "events %s; ", options.environment);
    if (options.property != NULL)
        text_add(&text, content != NULL ? content : options.property);
    memory_free(content);
    memory_free(property);
    options.property = property = text_steal(&text);
    return true;
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

static void add_item(struct text *out, const char *name, const char *value)
{
    text_printf(out, "%s%s", strchr(text_string(out), '#') != NULL ? "," : "#", name);
    for (; *value != '\0'; value++) {
        if (*value == ',' || *value == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *value);
    }
}

static void add_items(struct text *out, const char *name, char *const *values)
{
    for (; values != NULL && *values != NULL; values++)
        add_item(out, name, *values);
}

// What the options say of a C program goes behind its property: it is a part of the question. False with a message.
static bool compose_property(const char *path, struct text *out)
{
    bool any = options.data_model != NULL || options.includes != NULL || options.defines != NULL ||
               options.with != NULL;
    const char *model = options.data_model;
    if (!any)
        return true;
    if (!task_is_program(path) || task_is_definition(path)) {
        usage_error(&command_verify,
                    "--data-model, --include, --define, --with: expected a file of a C program");
        return false;
    }
    if (model != NULL && strcmp(model, "ILP32") != 0 && strcmp(model, "LP64") != 0) {
        usage_error(&command_verify, "--data-model=%s: expected ILP32 or LP64", model);
        return false;
    }
    text_add(out, options.property != NULL ? options.property : "unreach-call");
    if (model != NULL)
        add_item(out, *model == 'L' ? "lp64" : "ilp32", "");
    add_items(out, "clang=-I", options.includes);
    add_items(out, "clang=-D", options.defines);
    add_items(out, "with=", options.with);
    options.property = out->data;
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

static bool can_write(const struct trace_target *target, const char *input)
{
    struct text why;
    text_init(&why);
    bool good = output_file_check(target->path, "the trace", &why) &&
                output_file_check(options.witness, "the witness", &why) &&
                output_file_check(options.test, "the test", &why) &&
                output_file_check(options.certificate, "the certificate", &why) &&
                outputs_apart(target, input, &why) && outputs_apart(target, options.property, &why);
    if (!good)
        say(stderr, "regatta verify: %s\n", text_string(&why));
    text_finish(&why);
    return good;
}

static int run(const char *const *arguments, size_t count)
{
    struct trace_target target;
    if (count != 1)
        return usage_error(&command_verify, "expected one model or task, got %zu", count);
    if (options.plan != NULL && options.configuration != NULL)
        return usage_error(&command_verify, "--plan and --config exclude each other");
    if (options.format != NULL && (strcmp(options.format, "mcc") != 0 || options.json))
        return usage_error(&command_verify, "--format=%s: expected mcc, without --json",
                           options.format);
    struct run_settings settings;
    struct text property; // for as long as the program runs: options.property is in it
    text_init(&property);
    if (!compose_property(arguments[0], &property))
        return EXIT_USAGE;
    if (!options_fit(arguments[0]) || !add_environment(arguments[0]) ||
        !read_trace_options(&target) || !can_write(&target, arguments[0]) ||
        !run_table_read(&command_verify, &options.run, options.quiet, &settings))
        return EXIT_USAGE;
    settings.keep_certificate = options.certificate != NULL || options.witness != NULL;
    begin_again(&settings);
    int code = EXIT_USAGE;
    const char *name = plan_name(arguments[0]);
    struct plan *plan = load_plan(name);
    struct store *store = NULL;
    struct text why;
    text_init(&why);
    if (plan != NULL && options.db != NULL && (store = store_open(options.db, true, &why)) == NULL)
        say(stderr, "regatta verify: %s\n", text_string(&why));
    struct race_log log;
    bool logging = race_log_open(&log, options.log, options.events);
    log.plan = name;
    log.single = options.configuration != NULL;
    settings.race_log = &log;
    if (plan != NULL && logging && (options.db == NULL || store != NULL))
        code = contracts_reads(arguments[0])
                   ? verify_contracts(arguments[0], plan, &settings, store)
                   : verify_task(arguments[0], plan, &settings, store, &target);
    if (!race_log_close(&log))
        code = EXIT_INTERNAL;
    text_finish(&why);
    store_close(store);
    if (was_left)
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
