#include "runs/validate.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/say.h"
#include "base/signals.h"
#include "runs/retry.h"

struct validation {
    const struct validate_request *request;
    const char *property; // of the program, without what is said about the witness
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
                use, v->request->path);
    messages_init(&messages);
    const struct budget budget = run_settings_budget(v->request->settings);
    enum budget_end end = task_read(&task, v->request->program, text_string(&property),
                                    PROPERTY_AT_ALL, &budget, &messages, &good);
    if (!good || !v->request->quiet)
        messages_print(&messages, v->request->notes);
    v->verdict = VERDICT_UNKNOWN;
    text_clear(&v->why);
    v->unread = messages.errors > 0;
    if (end != BUDGET_DONE || !good) {
        text_add(&v->why, end != BUDGET_DONE    ? "reading was ended"
                          : messages.errors > 0 ? "not read"
                                                : "not supported");
        left = end != BUDGET_DONE;
    } else {
        if (v->request->settings->isolation == ISOLATION_AUTO)
            retry_arm(v->request->settings->time_limit_seconds);
        run_task(&run, &task, v->request->plan, v->request->settings, NULL);
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
    say(v->request->out, "%s (%s witness%s%s: %s)\n",
        code == EXIT_SAFE      ? "confirmed"
        : code == EXIT_REFUSED ? "refuted"
                               : "undecided",
        v->request->witness->violation ? "violation" : "correctness", *what != '\0' ? ", " : "",
        what, text_string(&v->why));
    return code;
}

static int validate_violation(struct validation *v)
{
    assert(v->request->witness->violation);
    ask(v, "follow");
    if (v->unread)
        return EXIT_USAGE;
    return v->verdict == VERDICT_UNSAFE ? answer(v, EXIT_SAFE, "a run follows it")
           : v->verdict == VERDICT_SAFE ? answer(v, EXIT_REFUSED, "no run follows it")
                                        : answer(v, EXIT_UNKNOWN, "");
}

static int validate_proof(struct validation *v)
{
    assert(!v->request->witness->violation);
    if (v->request->witness->invariant_count > 0) {
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
    bool good =
        task_open(&task, v->request->program, v->request->property, PROPERTY_AT_ALL, &messages);
    if (!good)
        messages_print(&messages, v->request->notes);
    if (good && task.property != NULL)
        text_add(out, task.property);
    else if (good)
        text_add(out, *v->request->witness->specification != '\0'
                          ? v->request->witness->specification
                          : "unreach-call");
    if (good && v->request->witness->wide && strchr(text_string(out), '#') == NULL)
        text_add(out, "#lp64");
    messages_finish(&messages);
    task_finish(&task);
    return good;
}

// A solver brought the program down the first time: both questions again.
static void begin_again(struct run_settings *settings)
{
    double left;
    if (!retry_is_second(&left))
        return;
    settings->isolation = ISOLATION_PROCESS;
    settings->time_limit_seconds = left;
}

int validate_witness(const struct validate_request *request, bool *left)
{
    struct validation v = {.request = request};
    struct text property;
    text_init(&property);
    text_init(&v.why);
    request->settings->stay = true;
    begin_again(request->settings);
    run_settings_start(request->settings);
    int code = EXIT_USAGE;
    if (find_property(&v, &property)) {
        v.property = text_string(&property);
        code = request->witness->violation ? validate_violation(&v) : validate_proof(&v);
    }
    int signal = atomic_load(signals_flag());
    *left = v.left;
    text_finish(&v.why);
    text_finish(&property);
    return signal != 0 ? signals_exit_code(signal) : code;
}
