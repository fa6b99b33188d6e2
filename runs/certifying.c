#include "runs/certifying.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "certify/certificate.h"
#include "certify/deadline.h"
#include "configs/solver_name.h"
#include "languages/registry/task.h"
#include "results/verdict.h"

struct answer {
    enum certify_result result;
    struct text why;
    const char *solver; // who decided; NULL for traces
};

static struct certificate *load_certificate(const char *path, FILE *notes)
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    if (text == NULL) {
        say(notes, "regatta certify: %s: cannot be read: %s\n", path, text_read_error(errno));
        return NULL;
    }
    struct messages messages;
    messages_init(&messages);
    struct certificate *certificate = certificate_read(path, text, bytes, &messages);
    messages_print(&messages, notes);
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
                           const struct model *model, const struct certify_request *r,
                           struct deadline *deadline)
{
    const struct certificate_header *header = certificate_header(certificate);
    for (unsigned same = 0; same < 2; same++)
        for (const char *const *name = smt_available(); *name != NULL; name++) {
            if (took_part(*name, header) != (same == 1))
                continue;
            if (same && !r->quiet)
                say(r->notes,
                    "regatta certify: note: checked with %s, which also took part in the proof\n",
                    *name);
            check_with(answer, certificate, model, *name, deadline);
            if (answer->result != CERTIFY_UNDECIDED || atomic_load(&deadline->stop) != 0)
                return;
        }
}

static void check(struct answer *answer, const struct certificate *certificate,
                  const struct task *task, const struct certify_request *r,
                  struct deadline *deadline)
{
    const struct certificate_header *header = certificate_header(certificate);
    ENSURE(task->model != NULL && answer->result == CERTIFY_UNDECIDED);
    if (!check_digest(answer, "model", header->model_digest, task->model_digest) ||
        !check_property(answer, header->property_digest, task))
        return;
    if (r->solver != NULL || !header->safe)
        check_with(answer, certificate, task->model, r->solver, deadline);
    else
        check_with_all(answer, certificate, task->model, r, deadline);
}

static void print_answer(FILE *out, const struct answer *answer,
                         const struct certificate *certificate, double seconds)
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
    say(out, "%s\n", text_string(&line));
    text_finish(&line);
}

static int judge(const struct certify_request *r, const struct certificate *certificate,
                 const struct task *task)
{
    static const int codes[] = {EXIT_SAFE, EXIT_REFUSED, EXIT_UNKNOWN};
    struct deadline deadline;
    struct answer answer = {.result = CERTIFY_UNDECIDED};
    int64_t begin = clock_wall_ns();
    if (!deadline_start(&deadline, budget_rest(&r->budget, r->seconds))) {
        say(r->notes, "regatta certify: the system refused a thread\n");
        return EXIT_INTERNAL;
    }
    check(&answer, certificate, task, r, &deadline);
    deadline_end(&deadline);
    print_answer(r->out, &answer, certificate, clock_seconds(clock_wall_ns() - begin));
    text_finish(&answer.why);
    int signal = atomic_load(signals_flag());
    return signal != 0 ? signals_exit_code(signal) : codes[answer.result];
}

struct loading {
    const struct certify_request *request;
    struct certificate *certificate;
};

static void load(void *context)
{
    struct loading *loading = context;
    loading->certificate = load_certificate(loading->request->path, loading->request->notes);
}

static int tell_unread(const struct certify_request *r, const char *what, enum budget_end end)
{
    static const char *const why[] = {[BUDGET_STOPPED] = "interrupted",
                                      [BUDGET_TIME] = "the time is over",
                                      [BUDGET_MEMORY] = "the memory is used up"};
    assert(end != BUDGET_DONE);
    say(r->out, "undecided (reading the %s: %s)\n", what, why[end]);
    return budget_exit_code(end);
}

// A model that has more runs than the input may be what was decided.
static bool is_of_wider(const struct certificate *certificate, const struct task *task)
{
    char ours[33];
    task_question_digest(task, ours);
    const char *theirs = certificate_header(certificate)->property_digest;
    return task->model->judge != NULL && task->model->judge->wider != NULL &&
           strcmp(theirs, ours) != 0 && strcmp(theirs, task->property_digest) != 0;
}

static enum budget_end read_wider(const struct certify_request *r, struct task *task, bool *good)
{
    struct messages messages;
    char *property = memory_strdup(task->model->judge->wider);
    task_finish(task);
    messages_init(&messages);
    enum budget_end end =
        task_read(task, r->model, property, r->property_at, &r->budget, &messages, good);
    if (end == BUDGET_DONE)
        messages_finish(&messages);
    memory_free(property);
    return end;
}

int certify_task(const struct certify_request *r, bool *left)
{
    struct task task;
    struct messages messages;
    messages_init(&messages);
    bool good;
    enum budget_end end =
        task_read(&task, r->model, r->property, r->property_at, &r->budget, &messages, &good);
    if (!good || !r->quiet)
        messages_print(&messages, r->notes);
    *left = end != BUDGET_DONE;
    if (*left)
        return tell_unread(r, "model", end);
    messages_finish(&messages);
    struct loading loading = {r, NULL};
    if (good)
        end = budget_run(&r->budget, load, &loading);
    *left = end != BUDGET_DONE;
    if (*left)
        return tell_unread(r, "certificate", end);
    struct certificate *certificate = loading.certificate;
    while (end == BUDGET_DONE && good && certificate != NULL && is_of_wider(certificate, &task))
        end = read_wider(r, &task, &good);
    *left = end != BUDGET_DONE;
    if (*left)
        return tell_unread(r, "model", end);
    if (!good) {
        certificate_destroy(certificate);
        certificate = NULL;
    }
    int code = certificate != NULL ? judge(r, certificate, &task) : EXIT_USAGE;
    certificate_destroy(certificate);
    task_finish(&task);
    return code;
}
