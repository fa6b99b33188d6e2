#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "certify/certificate.h"
#include "certify/deadline.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "configs/solver_name.h"
#include "languages/registry/task.h"
#include "results/verdict.h"
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

struct answer {
    enum certify_result result;
    struct text why;
    const char *solver; // who decided; NULL for traces
};

static struct certificate *load_certificate(const char *path)
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    if (text == NULL) {
        say(stderr, "regatta certify: %s: cannot be read: %s\n", path, text_read_error(errno));
        return NULL;
    }
    struct messages messages;
    messages_init(&messages);
    struct certificate *certificate = certificate_read(path, text, bytes, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    memory_free(text);
    return certificate;
}

static bool check_digest(struct answer *answer, const char *what, const char *theirs,
                         const char *ours)
{
    if (strcmp(theirs, ours) == 0)
        return true;
    answer->result = CERTIFY_REFUSED;
    text_printf(&answer->why, "it is for another %s: its digest is %s, here it is %s", what,
                *theirs != '\0' ? theirs : "missing", ours);
    return false;
}

// The same question may be asked in several ways. Certificates of the first kind have a digest over the property's text.
static bool check_property(struct answer *answer, const char *theirs, const struct task *task)
{
    char ours[33];
    task_question_digest(task, ours);
    return strcmp(theirs, task->property_digest) == 0 ||
           check_digest(answer, "property", theirs, ours);
}

static void check_with(struct answer *answer, const struct certificate *certificate,
                       const struct model *model, const char *solver, struct deadline *deadline)
{
    struct certify_owner owner = {deadline_publish_solver, deadline, 0};
    text_clear(&answer->why);
    answer->solver = certificate_header(certificate)->safe ? solver : NULL;
    answer->result =
        certificate_check(certificate, model, solver, &deadline->stop, &owner, &answer->why);
    if (answer->result == CERTIFY_UNDECIDED && atomic_load(&deadline->stop) == END_TIMEOUT) {
        text_clear(&answer->why);
        text_add(&answer->why, "the time is over");
    }
}

static bool took_part(const char *solver, const struct certificate_header *header)
{
    for (size_t i = 0; i < header->solver_count; i++)
        if (solver_name_same_program(solver, header->solvers[i]))
            return true;
    return false;
}

// Those without a part in the proof first; what one cannot decide the next may.
static void check_with_all(struct answer *answer, const struct certificate *certificate,
                           const struct model *model, struct deadline *deadline)
{
    const struct certificate_header *header = certificate_header(certificate);
    for (unsigned same = 0; same < 2; same++)
        for (const char *const *name = smt_available(); *name != NULL; name++) {
            if (took_part(*name, header) != (same == 1))
                continue;
            if (same && !options.quiet)
                say(stderr,
                    "regatta certify: note: checked with %s, which also took part in the proof\n",
                    *name);
            check_with(answer, certificate, model, *name, deadline);
            if (answer->result != CERTIFY_UNDECIDED || atomic_load(&deadline->stop) != 0)
                return;
        }
}

static void check(struct answer *answer, const struct certificate *certificate,
                  const struct task *task, const char *solver, struct deadline *deadline)
{
    const struct certificate_header *header = certificate_header(certificate);
    ENSURE(task->model != NULL && answer->result == CERTIFY_UNDECIDED);
    if (!check_digest(answer, "model", header->model_digest, task->model_digest) ||
        !check_property(answer, header->property_digest, task))
        return;
    if (solver != NULL || !header->safe)
        check_with(answer, certificate, task->model, solver, deadline);
    else
        check_with_all(answer, certificate, task->model, deadline);
}

static void print_answer(const struct answer *answer, const struct certificate *certificate,
                         double seconds)
{
    static const char *const names[] = {"accepted", "refused", "undecided"};
    // A proof is accepted on the word of a solver, a trace because it runs.
    ENSURE(answer->result != CERTIFY_ACCEPTED ||
           (answer->solver != NULL) == certificate_header(certificate)->safe);
    struct text line;
    text_init(&line);
    text_printf(&line, "%s (%s", names[answer->result],
                certificate_header(certificate)->safe ? "safe" : "unsafe");
    if (answer->result != CERTIFY_ACCEPTED)
        text_printf(&line, ": %s", text_string(&answer->why));
    else if (answer->solver != NULL)
        text_printf(&line, ", checked with %s", answer->solver);
    else
        text_add(&line, ", replayed");
    text_add(&line, ", ");
    text_add_duration(&line, seconds);
    text_add_char(&line, ')');
    say(stdout, "%s\n", text_string(&line));
    text_finish(&line);
}

static int judge(const struct certificate *certificate, const struct task *task, const char *solver,
                 double limit)
{
    static const int codes[] = {EXIT_SAFE, EXIT_REFUSED, EXIT_UNKNOWN};
    struct deadline deadline;
    struct answer answer = {.result = CERTIFY_UNDECIDED};
    int64_t begin = clock_wall_ns();
    if (!deadline_start(&deadline, limit)) {
        say(stderr, "regatta certify: the system refused a thread\n");
        return EXIT_INTERNAL;
    }
    check(&answer, certificate, task, solver, &deadline);
    deadline_end(&deadline);
    print_answer(&answer, certificate, clock_seconds(clock_wall_ns() - begin));
    text_finish(&answer.why);
    int signal = atomic_load(signals_flag());
    return signal != 0 ? signals_exit_code(signal) : codes[answer.result];
}

struct loading {
    const char *path;
    struct certificate *certificate;
};

static void load(void *context)
{
    struct loading *loading = context;
    loading->certificate = load_certificate(loading->path);
}

// What was read so far cannot be freed.
static _Noreturn void leave_unread(const char *what, enum budget_end end)
{
    static const char *const why[] = {[BUDGET_STOPPED] = "interrupted",
                                      [BUDGET_TIME] = "the time is over",
                                      [BUDGET_MEMORY] = "the memory is used up"};
    assert(end != BUDGET_DONE);
    say(stdout, "undecided (reading the %s: %s)\n", what, why[end]);
    signals_leave(budget_exit_code(end));
}

static int certify(const char *model, const char *path, const char *solver, enum property_at at,
                   double limit, const struct budget *budget)
{
    struct task task;
    struct messages messages;
    messages_init(&messages);
    bool good;
    enum budget_end end = task_read(&task, model, options.property, at, budget, &messages, &good);
    if (!good || !options.quiet)
        messages_print(&messages, stderr);
    if (end != BUDGET_DONE)
        leave_unread("model", end);
    messages_finish(&messages);
    struct loading loading = {path, NULL};
    if (good && (end = budget_run(budget, load, &loading)) != BUDGET_DONE)
        leave_unread("certificate", end);
    struct certificate *certificate = loading.certificate;
    int code = certificate != NULL ? judge(certificate, &task, solver, reading_rest(budget, limit))
                                   : EXIT_USAGE;
    certificate_destroy(certificate);
    task_finish(&task);
    return code;
}

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
    struct budget budget;
    if (!reading_budget(&command_certify, options.memory, limit, &budget))
        return EXIT_USAGE;
    return certify(arguments[0], arguments[1], solver,
                   strcmp(at, "all") == 0 ? PROPERTY_AT_ALL : PROPERTY_AT_STABLE, limit, &budget);
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
