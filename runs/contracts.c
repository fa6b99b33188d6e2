#include "runs/contracts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/registry/task.h"
#include "languages/solidity/solidity.h"
#include "logic/terms/print.h"
#include "runs/questions.h"
#include "runs/retry.h"

bool contracts_reads(const char *path)
{
    return text_ends_with(path, ".sol");
}

// What a stage gets of the question's time that is left when another one may follow.
#define FIRST_SHARE 0.5

static void set(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

static struct contracts_answer new_answer(const char *question)
{
    struct contracts_answer a = {.question = memory_strdup(question),
                                 .kind = CONTRACTS_UNDECIDED,
                                 .verdict = VERDICT_UNKNOWN};
    char **fields[] = {&a.words,        &a.what, &a.where,  &a.values,
                       &a.transactions, &a.test, &a.offered};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        set(fields[i], "");
    return a;
}

static void finish_answer(struct contracts_answer *a)
{
    char *fields[] = {a->question, a->words,        a->what, a->where,
                      a->values,   a->transactions, a->test, a->offered};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        memory_free(fields[i]);
}

struct asking {
    const struct contracts_request *request;
    struct run_settings
        settings; // the time of the question that is asked runs in them; of the first, with reading
    struct messages *messages; // of reading the file
    struct sol_input *input;
    struct sol_question_options options;
    struct contracts_answers *out;
    struct contracts_answer *answer;
    struct task task; // of the last race
    bool checked;     // its proof, by the certificate checker
    bool inexact;     // of the last model
};

// Of the last race. Its model is its maker's.
static void forget_task(struct asking *a)
{
    a->task.model = NULL;
    task_finish(&a->task);
    a->task = (struct task){0};
}

// One race, with `share` of the question's time that is left. Who wins, and the trace when there is one, stay in `run`; the
// model is the caller's.
static void race(struct asking *a, struct model *model, const char *property, double share,
                 struct run *run)
{
    struct messages messages;
    messages_init(&messages);
    forget_task(a);
    task_open(&a->task, a->request->path, property, PROPERTY_AT_ALL, &messages);
    a->task.model = model;
    struct run_settings settings = a->settings;
    settings.keep_certificate = true; // for what it offers
    settings.settle_seconds = 20;     // the next question wants the cores
    if (settings.deadline_ns != 0) {
        int64_t now = clock_wall_ns();
        settings.deadline_ns = now + (int64_t)((double)(settings.deadline_ns - now) * share);
    }
    if (settings.isolation == ISOLATION_AUTO)
        retry_arm(run_settings_time_left(&a->settings));
    run_task(run, &a->task, a->request->plan, &settings, NULL);
    retry_disarm();
    struct text why;
    text_init(&why);
    if (a->request->store != NULL)
        store_add(a->request->store, &run->record, &why);
    text_finish(&why);
    a->checked = run->record.checked == CHECK_PASSED;
    messages_finish(&messages);
}

// The race that gave the answer, for who writes certificates; of unbounded integers nothing follows.
static void decided(struct asking *a, const struct run *run)
{
    const struct contracts_request *request = a->request;
    if (a->options.arithmetic != SOL_ARITHMETIC_INT && request->decided != NULL &&
        !request->decided(request->context, a->answer->question, &a->task, run))
        a->out->stopped = true;
}

// Making a model, within the question's time: of the contract, or of the question alone.
struct making {
    struct asking *asking;
    const struct sol_question *question;
    const struct sol_node *contract, *function;
    const struct sol_question_options *options;
    struct messages *messages;
    struct model *model;
    struct sol_notes notes;
};

static void make_contract_model(void *context)
{
    struct making *m = context;
    m->model = sol_contract_model(m->asking->input, m->contract, m->function, m->options, &m->notes,
                                  m->messages);
}

static void make_function_model(void *context)
{
    struct making *m = context;
    m->model =
        sol_function_model(m->asking->input, m->question, m->options, &m->notes, m->messages);
}

// NULL with messages. What a model that is not made to its end allocated is lost, with the process.
static struct model *make(struct making *m, void (*work)(void *context))
{
    const struct budget budget = run_settings_budget(&m->asking->settings);
    if (budget_run(&budget, work, m) == BUDGET_DONE)
        return m->model;
    message_add(m->messages, MESSAGE_UNSUPPORTED,
                (struct position){.path = m->asking->request->path},
                "a model that is not made within the time and memory that there are");
    m->asking->out->left = true;
    return NULL;
}

static void finish_race(struct asking *a, struct run *run, struct model *model)
{
    if (run->result.left) { // its threads may still look at the model
        a->out->left = true;
        return;
    }
    run_finish(run);
    model_destroy(model);
}

static void set_where(struct contracts_answer *answer, struct position at)
{
    struct text text;
    text_init(&text);
    if (at.path != NULL)
        text_printf(&text, "%s:%u:%u", at.path, at.line, at.column);
    set(&answer->where, text_string(&text));
    answer->line = at.line;
    answer->column = at.column;
    text_finish(&text);
}

static const struct edge *last_edge(const struct trace *trace)
{
    return trace != NULL && trace->step_count > 0 ? trace->steps[trace->step_count - 1].edge : NULL;
}

static bool worth_telling(const struct trace_event *event)
{
    const struct statement *s = event->statement;
    static const char *const dull[] = {"now", "block", "balance", "next object"};
    if (s->kind != STATEMENT_HAVOC || s->variable->sort->kind == SORT_ARRAY ||
        !value_known(event->value) ||
        ((s->variable->flags & VARIABLE_LOCAL) && !(s->variable->flags & VARIABLE_INPUT)))
        return false;
    for (size_t i = 0; i < sizeof dull / sizeof dull[0]; i++)
        if (strncmp(s->variable->name, dull[i], strlen(dull[i])) == 0)
            return false;
    return true;
}

// The values that the solver chose, of storage, arguments and answers.
static void set_values(struct contracts_answer *answer, const struct trace *trace)
{
    struct text text;
    text_init(&text);
    size_t told = 0;
    for (size_t s = 0; trace != NULL && s < trace->step_count && told < 10; s++)
        for (size_t i = 0; i < trace->steps[s].event_count && told < 10; i++) {
            const struct trace_event *event = &trace->steps[s].events[i];
            if (!worth_telling(event))
                continue;
            const char *name = event->statement->variable->name;
            text_printf(&text, "%s%.*s = ", told++ ? ", " : "", (int)strcspn(name, "!"), name);
            print_value(&text, event->statement->variable->sort, event->value);
        }
    set(&answer->values, text_string(&text));
    text_finish(&text);
}

static const char *winner(const struct run *run)
{
    return run->winner >= 0 ? run->record.attempts[run->winner].configuration : "nobody";
}

static void unsupported(struct asking *a, const struct messages *messages)
{
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *m = &messages->items[i];
        if (m->kind != MESSAGE_UNSUPPORTED && m->kind != MESSAGE_ERROR)
            continue;
        struct text text;
        text_init(&text);
        text_printf(&text, "%s: %s",
                    m->kind == MESSAGE_ERROR ? "wrong annotation" : "not supported", m->text);
        set(&a->answer->words, text_string(&text));
        set_where(a->answer, (struct position){m->path, m->line, m->column});
        text_finish(&text);
        break;
    }
    a->answer->kind = CONTRACTS_UNSUPPORTED;
}

static void decide(struct asking *a, enum contracts_kind kind, const char *words)
{
    a->answer->kind = kind;
    a->answer->verdict = kind == CONTRACTS_PROVED     ? VERDICT_SAFE
                         : kind == CONTRACTS_VIOLATED ? VERDICT_UNSAFE
                                                      : VERDICT_UNKNOWN;
    struct text text;
    text_init(&text);
    if (a->options.arithmetic == SOL_ARITHMETIC_INT) {
        a->answer->verdict = VERDICT_UNKNOWN;
        text_add(&text, "for unbounded integers only: ");
    }
    text_add(&text, words);
    if (kind == CONTRACTS_PROVED)
        text_add(&text, a->checked ? ", checked" : ", not checked");
    set(&a->answer->words, text_string(&text));
    text_finish(&text);
}

// What the source semantics say of a trace of the whole contract.
static bool replay(struct asking *a, const struct trace *trace, const struct sol_node *contract,
                   const struct sol_node *function, struct text *words)
{
    struct sol_replay result;
    size_t count;
    struct sol_event *events = sol_events_of(trace, &count);
    sol_replay_run(&result, a->input, contract, function, &a->options, events, count);
    if (result.violated) {
        set(&a->answer->what, result.what);
        set_where(a->answer, result.at);
        set(&a->answer->transactions, text_string(&result.transactions));
        set(&a->answer->test, text_string(&result.test));
        text_printf(words, "violated: %s", result.what);
    } else {
        text_printf(words, "a run was found that the interpreter does not confirm: %s",
                    text_string(&result.why));
    }
    bool violated = result.violated;
    sol_replay_finish(&result);
    memory_free(events);
    return violated;
}

static void offer(struct asking *a, const struct sol_node *contract,
                  const struct sol_node *function, const struct model *model, const struct run *run)
{
    struct text text;
    text_init(&text);
    if (run->result.certificate != NULL)
        contracts_offer(&text, a->input, contract, function, model, run->result.certificate);
    set(&a->answer->offered, text_string(&text));
    text_finish(&text);
}

// Where integers only know a range, bit-vectors know the bits.
static bool may_be_bits(const struct asking *a)
{
    const struct sol_tree *tree = a->input->tree;
    for (size_t i = 0; i < tree->file_count; i++)
        if (tree->files[i].text != NULL && strstr(tree->files[i].text, "@notice") != NULL)
            return false; // sums, and conditions without overflow
    return a->inexact &&
           (a->options.arithmetic == SOL_ARITHMETIC_MOD ||
            (a->options.arithmetic == SOL_ARITHMETIC_MOD_OVERFLOW && tree->minor >= 8));
}

// The whole contract, in one arithmetic. `before`: what is known already, "" = nothing.
static void search_once(struct asking *a, const struct sol_question *question,
                        const struct sol_node *contract, const char *before)
{
    struct messages messages;
    struct text words;
    bool strictly = false;
    struct sol_notes notes = {0};
    const struct sol_node *function = question != NULL ? question->function : NULL;
    messages_init(&messages);
    text_init(&words);
    struct making making = {.asking = a,
                            .contract = contract,
                            .function = function,
                            .options = &a->options,
                            .messages = &messages};
    struct model *model = make(&making, make_contract_model);
    notes = making.notes;
    if (model == NULL) {
        if (before[0] == '\0')
            unsupported(a, &messages);
        messages_finish(&messages);
        text_finish(&words);
        return;
    }
    a->inexact = notes.inexact;
    char property[400];
    const char *name = question != NULL ? question->name : contract->name,
               *dot = question != NULL ? strchr(name, '.') : NULL;
    snprintf(property, sizeof property, "%.*s%s%s@%s/%u",
             dot != NULL ? (int)(dot - name) : (int)strlen(name), name, dot != NULL ? ":" : "",
             dot != NULL ? dot + 1 : "", sol_arithmetic_name(a->options.arithmetic),
             a->options.reentrancy);
    struct run run;
    race(a, model, property, may_be_bits(a) ? FIRST_SHARE : 1, &run);
    if (run.record.verdict == VERDICT_SAFE && !notes.complete) {
        // Once more, with what was left out as an error: then it is a proof.
        struct sol_question_options strict = a->options;
        struct sol_notes again = {0};
        strict.strict = strictly = true;
        finish_race(a, &run, model);
        struct messages quiet;
        messages_init(&quiet);
        making.options = &strict;
        making.messages = &quiet;
        model = make(&making, make_contract_model);
        again = making.notes;
        messages_finish(&quiet);
        notes.complete = again.complete;
        if (model == NULL) {
            text_printf(&words,
                        "%s%sno transactions break it among those that are modelled; not "
                        "supported: %s",
                        before, before[0] ? "; " : "", notes.left_out);
            decide(a, before[0] ? CONTRACTS_NOT_PROVED : CONTRACTS_UNDECIDED, text_string(&words));
            messages_finish(&messages);
            text_finish(&words);
            return;
        }
        race(a, model, property, 1, &run);
    }
    const struct edge *edge = strictly ? NULL : last_edge(run.trace);
    if (run.record.verdict == VERDICT_UNSAFE && edge != NULL &&
        strncmp(edge->label, SOL_FAIL_LIMIT, strlen(SOL_FAIL_LIMIT)) != 0) {
        if (replay(a, run.trace, contract, function, &words)) {
            text_printf(&words, ", found by %s", winner(&run));
            decide(a, CONTRACTS_VIOLATED, text_string(&words));
            if (notes
                    .complete) // else the property, which means all of the contract, has another model
                decided(a, &run);
        } else {
            struct text all;
            text_init(&all);
            text_printf(&all, "%s%s%s", before,
                        before[0] ? "; " : "not proved: ", text_string(&words));
            decide(a, CONTRACTS_NOT_PROVED, text_string(&all));
            text_finish(&all);
        }
    } else if (run.record.verdict == VERDICT_SAFE && notes.complete) {
        text_printf(&words, "no transactions break it, %s", winner(&run));
        decide(a, CONTRACTS_PROVED, text_string(&words));
        decided(a, &run);
        offer(a, contract, NULL, model, &run);
    } else {
        text_printf(&words, "%s%s%s", before, before[0] ? "; " : "",
                    run.record.verdict == VERDICT_SAFE
                        ? "no transactions break it among those that are modelled"
                    : run.record.verdict == VERDICT_UNSAFE
                        ? "no transactions break it as deep as calls are followed"
                        : "no transactions found in the time");
        decide(a, before[0] ? CONTRACTS_NOT_PROVED : CONTRACTS_UNDECIDED, text_string(&words));
    }
    finish_race(a, &run, model);
    messages_finish(&messages);
    text_finish(&words);
}

static void search(struct asking *a, const struct sol_question *question,
                   const struct sol_node *contract, const char *before)
{
    a->inexact = false;
    search_once(a, question, contract, before);
    enum contracts_kind kind = a->answer->kind;
    if ((kind != CONTRACTS_NOT_PROVED && kind != CONTRACTS_UNDECIDED) || !may_be_bits(a))
        return;
    enum sol_arithmetic asked = a->options.arithmetic;
    char *words = memory_strdup(a->answer->words);
    a->options.arithmetic = SOL_ARITHMETIC_BV;
    search_once(a, question, contract, before);
    a->options.arithmetic = asked;
    if (a->answer->verdict == VERDICT_UNKNOWN) {
        a->answer->kind = kind;
        set(&a->answer->words, words);
    }
    memory_free(words);
}

static void ask_function(struct asking *a, const struct sol_question *question)
{
    struct messages messages;
    messages_init(&messages);
    struct making making = {
        .asking = a, .question = question, .options = &a->options, .messages = &messages};
    struct model *model = make(&making, make_function_model);
    if (model == NULL) {
        unsupported(a, &messages);
        messages_finish(&messages);
        return;
    }
    char property[400];
    snprintf(property, sizeof property, "%s@%s", question->name,
             sol_arithmetic_name(a->options.arithmetic));
    bool searching = !a->request->alone && !(sol_node_contract(question->contract)->flags &
                                             (SOL_IS_LIBRARY | SOL_IS_ABSTRACT));
    struct run run;
    race(a, model, property, searching ? FIRST_SHARE : 1, &run);
    struct text words;
    text_init(&words);
    const struct edge *edge = last_edge(run.trace);
    if (run.record.verdict == VERDICT_SAFE) {
        text_printf(&words, "proved, %s", winner(&run));
        decide(a, CONTRACTS_PROVED, text_string(&words));
        decided(a, &run);
        if (question->function != NULL)
            offer(a, question->contract, question->function, model, &run);
        searching = false;
    } else if (run.record.verdict == VERDICT_UNSAFE && edge != NULL) {
        set(&a->answer->what, edge->label);
        set_where(a->answer, edge->position);
        set_values(a->answer, run.trace);
        text_printf(&words, "not proved: %s", edge->label);
        decide(a, CONTRACTS_NOT_PROVED, text_string(&words));
    } else {
        text_add(&words, "not decided in the time");
        decide(a, CONTRACTS_UNDECIDED, text_string(&words));
    }
    finish_race(a, &run, model);
    if (searching)
        search(a, question, question->contract, text_string(&words));
    text_finish(&words);
    messages_finish(&messages);
}

// What is asked: the functions of the file, or one of them, or a whole contract.
struct selection {
    struct asking *asking;
    const struct sol_question *questions;
    size_t count;
    const struct sol_node *contract; // NULL: the questions
};

static const char LETTERS[CONTRACTS_KINDS] = {[CONTRACTS_PROVED] = QUESTION_SAFE,
                                              [CONTRACTS_VIOLATED] = QUESTION_UNSAFE,
                                              [CONTRACTS_NOT_PROVED] = 'n',
                                              [CONTRACTS_UNSUPPORTED] = QUESTION_REFUSED,
                                              [CONTRACTS_UNDECIDED] = QUESTION_UNKNOWN};

static char ask(void *context, size_t number)
{
    struct selection *s = context;
    struct asking *a = s->asking;
    const struct sol_question *question = s->contract != NULL ? NULL : &s->questions[number];
    struct contracts_answer answer =
        new_answer(question != NULL ? question->name : s->contract->name);
    int64_t begin = clock_wall_ns();
    a->answer = &answer;
    if (question != NULL)
        ask_function(a, question);
    else
        search(a, NULL, s->contract, "");
    forget_task(a);
    ENSURE(answer.verdict == VERDICT_UNKNOWN ||
           answer.kind == (answer.verdict == VERDICT_SAFE ? CONTRACTS_PROVED : CONTRACTS_VIOLATED));
    answer.seconds = clock_seconds(clock_wall_ns() - begin);
    VECTOR_PUSH(a->out, answer);
    if (a->request->tell != NULL)
        a->request->tell(a->request->context, &answer);
    return a->out->stopped ? QUESTION_STOP : LETTERS[answer.kind];
}

// By the first start, which has told it: what is left of it is its kind.
static void answered(void *context, size_t number, char letter)
{
    struct selection *s = context;
    struct asking *a = s->asking;
    struct contracts_answer answer =
        new_answer(s->contract != NULL ? s->contract->name : s->questions[number].name);
    a->answer = &answer;
    for (int kind = 0; kind < CONTRACTS_KINDS; kind++)
        if (LETTERS[kind] == letter)
            decide(a, (enum contracts_kind)kind, "before the program started again");
    VECTOR_PUSH(a->out, answer);
}

static void ask_all(struct selection *selection)
{
    struct asking *a = selection->asking;
    const struct questions_loop loop = {.count = selection->contract != NULL ? 1 : selection->count,
                                        .settings = &a->settings,
                                        .begun = true,
                                        .again = a->request->together,
                                        .ask = ask,
                                        .answered = answered,
                                        .context = selection};
    struct questions_tally tally;
    questions_ask(&loop, &tally);
    // Each question has its answer, also the one that stopped the loop.
    assert(a->out->count == tally.safe + tally.unsafe + tally.unknown + tally.stopped);
}

static void open_input(void *context)
{
    struct asking *a = context;
    a->input = sol_input_open(a->request->path, a->messages);
}

// False with a message when the file has nothing of that name.
static bool select_property(struct selection *s, const struct sol_input *input,
                            struct messages *messages)
{
    const struct contracts_request *request = s->asking->request;
    if (request->property == NULL)
        return true;
    s->contract = sol_tree_contract(input->tree, request->property);
    s->questions = sol_input_question(input, request->property);
    s->count = 1;
    if (s->contract != NULL || s->questions != NULL)
        return true;
    message_add(messages, MESSAGE_ERROR, (struct position){request->path, 0, 0},
                "found no contract or function `%.80s`", request->property);
    return false;
}

bool contracts_run(const struct contracts_request *request, struct contracts_answers *out,
                   struct messages *messages)
{
    *out = (struct contracts_answers){0};
    struct asking a = {
        .request = request, .settings = request->settings, .messages = messages, .out = out};
    run_settings_start(&a.settings);
    const struct budget budget = run_settings_budget(&a.settings);
    if (budget_run(&budget, open_input, &a) != BUDGET_DONE) {
        message_add(messages, MESSAGE_NOTE, (struct position){.path = request->path},
                    "not read within the time and memory that there are");
        out->compiler = memory_strdup("");
        out->left = true;
        return true;
    }
    struct sol_input *input = a.input;
    if (input == NULL)
        return false;
    out->compiler = memory_strdup(input->tree->compiler);
    a.options = (struct sol_question_options){.arithmetic = request->arithmetic,
                                              .reentrancy = request->reentrancy};
    struct selection all = {&a, input->questions, input->question_count, NULL};
    bool good = select_property(&all, input, messages);
    if (good)
        ask_all(&all);
    sol_input_close(input);
    return good;
}

void contracts_finish(struct contracts_answers *answers)
{
    for (size_t i = 0; i < answers->count; i++)
        finish_answer(&answers->data[i]);
    memory_free(answers->compiler);
    VECTOR_FINISH(answers);
}
