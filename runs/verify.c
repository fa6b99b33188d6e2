#include "runs/verify.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/say.h"
#include "base/signals.h"
#include "runs/retry.h"

// Lines of `outputs.h`, each as this command says it.
static void complain(const struct verify_request *r, const struct text *lines)
{
    const char *line = text_string(lines);
    for (size_t length; *line != '\0'; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        say(r->telling.notes, "regatta verify: %.*s\n", (int)length, line);
    }
}

static int exit_code(const struct run *run)
{
    if (run->signal != 0)
        return signals_exit_code(run->signal);
    if (run->record.contradiction)
        return EXIT_CONTRADICTION;
    return verdict_exit_code(run->record.verdict);
}

static bool keep(const struct verify_request *r, const struct run *run)
{
    struct text why;
    text_init(&why);
    bool good = r->store == NULL || store_add(r->store, &run->record, &why);
    if (!good)
        say(r->telling.notes, "regatta verify: %s: the record is lost: %s\n", r->outputs.store,
            text_string(&why));
    text_finish(&why);
    return good;
}

static bool write(const struct verify_request *r, const struct outputs *outputs,
                  const struct task *task, const struct run *run)
{
    struct text notes;
    text_init(&notes);
    bool good = outputs_write(outputs, task, run, &notes);
    complain(r, &notes);
    text_finish(&notes);
    return good;
}

static int race(const struct verify_request *r, const struct outputs *outputs,
                const struct task *task, const struct language_question *question, bool *left)
{
    struct live live;
    struct run run;
    live_init(&live, r->quiet, r->telling.verbose);
    live_begin(&live);
    if (r->settings->isolation == ISOLATION_AUTO)
        retry_arm(run_settings_time_left(r->settings));
    run_task(&run, task, r->plan, r->settings, &live);
    retry_disarm();
    live_end(&live);
    live_finish(&live);
    ENSURE(run.trace == NULL || run.trace->model == run_decided(&run, task)->model);
    bool good = keep(r, &run);
    good = write(r, outputs, task, &run) && good;
    telling_run(&r->telling, &run, task->question, question);
    int code = good || run.signal != 0 ? exit_code(&run) : EXIT_INTERNAL;
    *left = run.result.left;
    if (!*left)
        run_finish(&run);
    return code;
}

// What is legal but not there yet is an unknown verdict, what is wrong an input error.
static int refuse(const struct verify_request *r, const struct task *task,
                  const struct language_question *question, const struct messages *messages)
{
    struct run run;
    run_failed(&run, task, r->plan, r->settings, messages);
    keep(r, &run);
    int code = EXIT_USAGE;
    if (messages->errors == 0 && messages->unsupported > 0) {
        telling_run(&r->telling, &run, task->question, question);
        code = EXIT_UNKNOWN;
    }
    run_finish(&run);
    return code;
}

// Reading was ended. Nothing can be freed: what it was doing stands as it was left.
static int give_up_unread(const struct verify_request *r, const struct task *task,
                          const struct language_question *question, enum budget_end end,
                          int64_t begun_ns)
{
    struct run run;
    run_unread(&run, task, r->plan, r->settings, end, clock_seconds(clock_wall_ns() - begun_ns));
    int code = keep(r, &run) ? exit_code(&run) : EXIT_INTERNAL;
    telling_run(&r->telling, &run, task->question, question);
    return code;
}

// The model that a task definition names, and its property, are not written to either, and its language has what is wanted.
static bool outputs_fit(const struct verify_request *r, const struct outputs *outputs,
                        const struct task *task)
{
    struct text why;
    text_init(&why);
    if (outputs_apart(outputs, task->model_path, &why) &&
        outputs_apart(outputs, task->property, &why)) {
        const char *lacking = outputs_lacking(outputs, task->model);
        if (lacking != NULL)
            text_printf(&why, "%s: %s", task->model_path, lacking);
    }
    bool fit = why.length == 0;
    complain(r, &why);
    text_finish(&why);
    return fit;
}

// One question of the input, or, NULL, all that it asks.
static int verify_one(const struct verify_request *r, const struct outputs *outputs,
                      const struct task *whole, const struct language_question *question,
                      bool *left)
{
    struct task task;
    struct messages messages;
    messages_init(&messages);
    const struct budget budget = run_settings_budget(r->settings);
    int64_t begun_ns = clock_wall_ns();
    bool good;
    enum budget_end end = task_read_of(&task, whole, question, NULL, &budget, &messages, &good);
    if (!good || !r->quiet)
        messages_print(&messages, r->telling.notes);
    *left = end != BUDGET_DONE;
    if (*left)
        return give_up_unread(r, &task, question, end, begun_ns);
    ENSURE(!good || task.model != NULL);
    int code = EXIT_USAGE;
    if (!good)
        code = refuse(r, &task, question, &messages);
    else if (outputs_fit(r, outputs, &task))
        code = race(r, outputs, &task, question, left);
    messages_finish(&messages);
    if (!*left)
        task_finish(&task);
    return code;
}

// A question that wants a number: known is as good as safe.
static int verify_bound(const struct verify_request *r, const struct task *whole,
                        const struct language_question *question, bool *left)
{
    struct bounds_request request = {whole, question, r->plan, r->settings, r->store};
    struct bounds_result found;
    struct messages messages;
    messages_init(&messages);
    bounds_find(&request, &found, &messages);
    messages_print(&messages, r->telling.notes);
    messages_finish(&messages);
    telling_bound(&r->telling, question, &found);
    *left = found.left;
    int code = found.greatest < 0 ? EXIT_UNKNOWN : EXIT_SAFE;
    bounds_result_finish(&found);
    return code;
}

struct asking {
    const struct verify_request *request;
    const struct task *whole;
    const struct language_questions *questions;
    bool left;
};

static char letter_of(int code)
{
    return code == EXIT_SAFE            ? QUESTION_SAFE
           : code == EXIT_UNSAFE        ? QUESTION_UNSAFE
           : code == EXIT_UNKNOWN       ? QUESTION_UNKNOWN
           : code == EXIT_CONTRADICTION ? QUESTION_CONTRADICTION
           : code == EXIT_INTERNAL      ? QUESTION_STOP
                                        : QUESTION_REFUSED;
}

static char ask_question(void *context, size_t i)
{
    struct asking *a = context;
    const struct language_question *question = &a->questions->data[i];
    bool left;
    int code;
    if (question->greatest != NULL) {
        code = verify_bound(a->request, a->whole, question, &left);
    } else {
        struct outputs own = outputs_of_question(&a->request->outputs, question->name);
        code = verify_one(a->request, &own, a->whole, question, &left);
        outputs_of_question_finish(&own, &a->request->outputs);
    }
    a->left = a->left || left;
    fflush(a->request->telling.out);
    return letter_of(code);
}

static int verify_each(const struct verify_request *r, const struct task *whole,
                       const struct language_questions *questions, bool *left)
{
    struct asking asking = {r, whole, questions, false};
    const struct questions_loop loop = {.count = questions->count,
                                        .settings = r->settings,
                                        .ask = ask_question,
                                        .context = &asking};
    struct questions_tally tally;
    assert(questions->count > 0);
    r->settings->stay = true;
    questions_ask(&loop, &tally);
    *left = asking.left;
    if (atomic_load(signals_flag()) != 0)
        return signals_exit_code(atomic_load(signals_flag()));
    // The line for all speaks of all.
    ENSURE(tally.stopped || tally.safe + tally.unsafe + tally.unknown == questions->count);
    if (tally.stopped)
        return EXIT_INTERNAL;
    enum verdict verdict = telling_tally(&r->telling, &tally);
    return tally.contradiction ? EXIT_CONTRADICTION : verdict_exit_code(verdict);
}

// The one question of an input wants a number.
static bool has_bound(const struct language_questions *questions)
{
    return questions->count == 1 && questions->data[0].greatest != NULL;
}

int verify_input(const struct verify_request *r, bool *left)
{
    struct task task;
    struct messages messages;
    struct language_questions questions = {0};
    messages_init(&messages);
    run_settings_start(r->settings);
    const struct budget budget = run_settings_budget(r->settings);
    int64_t begun_ns = clock_wall_ns();
    bool several;
    enum budget_end end = task_read_questions(&task, r->path, r->property, r->settings->property_at,
                                              &budget, &messages, &questions, &several);
    *left = end != BUDGET_DONE;
    if (*left) {
        messages_print(&messages, r->telling.notes);
        return give_up_unread(r, &task, NULL, end, begun_ns);
    }
    bool unasked = r->telling.contest && questions.count == 0;
    // A single question is read, and told of, by itself.
    if (r->telling.contest ? unasked : several && !r->quiet)
        messages_print(&messages, r->telling.notes);
    messages_finish(&messages);
    int code = VERIFY_UNASKED;
    if (!unasked)
        code = several || r->telling.contest || has_bound(&questions)
                   ? verify_each(r, &task, &questions, left)
                   : verify_one(r, &r->outputs, &task, NULL, left);
    language_questions_finish(&questions);
    if (!*left) // else its threads may still look at what was parsed
        task_finish(&task);
    return code;
}

// Contracts: what is asked next about a function depends on the answer before.

static void tell_answer(void *context, const struct contracts_answer *answer)
{
    const struct verify_request *r = context;
    if (r->telling.json)
        return;
    struct text text;
    text_init(&text);
    contracts_print_answer(&text, answer);
    say(r->telling.out, "%s\n", text_string(&text));
    fflush(r->telling.out);
    text_finish(&text);
}

// A race that decided a question; its model is that of the task's property. False: the file cannot be written.
static bool tell_race(void *context, const char *question, const struct task *task,
                      const struct run *run)
{
    const struct verify_request *r = context;
    if (r->outputs.certificate == NULL)
        return true;
    bool several = r->property == NULL;
    struct outputs own = several ? outputs_of_question(&r->outputs, question) : r->outputs;
    struct text notes;
    text_init(&notes);
    bool good = outputs_write_certificate(&own, task, run, &notes);
    complain(r, &notes);
    text_finish(&notes);
    if (good && !r->quiet)
        say(r->telling.notes, "%s: about the property %s\n", own.certificate, task->property);
    if (several)
        outputs_of_question_finish(&own, &r->outputs);
    return good;
}

// The two reports that a user may ask for. False when one cannot be written.
static bool write_reports(const struct verify_request *r, const struct contracts_answers *answers)
{
    struct text text, notes;
    bool good = true;
    text_init(&text);
    text_init(&notes);
    if (r->outputs.sarif != NULL) {
        contracts_print_sarif(&text, r->path, answers);
        good = outputs_write_file(r->outputs.sarif, &text, "the report", &notes);
        text_clear(&text);
    }
    if (r->outputs.attacks != NULL) {
        contracts_print_tests(&text, r->path, answers);
        good = outputs_write_file(r->outputs.attacks, &text, "the tests", &notes) && good;
    }
    complain(r, &notes);
    text_finish(&text);
    text_finish(&notes);
    return good;
}

static int conclude_contracts(const struct verify_request *r,
                              const struct contracts_answers *answers)
{
    struct text text;
    text_init(&text);
    enum verdict verdict = contracts_print_summary(&text, answers);
    if (r->telling.json) {
        text_clear(&text);
        contracts_print_json(&text, r->path, answers);
    }
    say(r->telling.out, "%s\n", text_string(&text));
    text_finish(&text);
    int signal = atomic_load(signals_flag());
    return !write_reports(r, answers) || answers->stopped ? EXIT_INTERNAL
           : signal != 0                                  ? signals_exit_code(signal)
                                                          : verdict_exit_code(verdict);
}

int verify_contracts(const struct verify_request *r, const struct contracts_how *how, bool *left)
{
    struct contracts_request request = {.path = r->path,
                                        .property = r->property,
                                        .arithmetic = how->arithmetic,
                                        .reentrancy = how->reentrancy,
                                        .alone = how->alone,
                                        .plan = r->plan,
                                        .settings = *r->settings,
                                        .store = r->store,
                                        .together = r->telling.json || r->outputs.sarif != NULL ||
                                                    r->outputs.attacks != NULL,
                                        .tell = tell_answer,
                                        .decided = tell_race,
                                        .context = (void *)(uintptr_t)r};
    struct contracts_answers answers;
    struct messages messages;
    messages_init(&messages);
    bool read = contracts_run(&request, &answers, &messages);
    if (!read || !r->quiet)
        messages_print(&messages, r->telling.notes);
    int code = read ? conclude_contracts(r, &answers) : EXIT_USAGE;
    messages_finish(&messages);
    *left = answers.left;
    if (!*left)
        contracts_finish(&answers);
    return code;
}
