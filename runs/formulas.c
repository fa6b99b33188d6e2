#include "runs/formulas.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/petri/formula.h"
#include "languages/petri/petri.h"
#include "languages/registry/registry.h"
#include "results/store.h"

struct formulas {
    const struct formulas_request *request;
    void (*tell)(void *context, const char *line);
    void *context;
    struct formulas_counts *counts;
    struct net *net;
    struct arena arena;
    struct question_list questions;
    char winner[64]; // of the last race that answered
    struct text summary;
};

static bool is_net(const char *path)
{
    const struct language *language = language_for_path(path);
    return language && (strcmp(language->name, "pnml") == 0 || strcmp(language->name, "net") == 0);
}

bool formulas_reads(const char *path, const char *property, enum formulas_format format)
{
    char *text = property && is_net(path) ? text_read_file(property, NULL) : NULL;
    bool several = text && strstr(text, "property-set") != NULL &&
                   (format == FORMULAS_MCC || strstr(text, "place-bound") != NULL ||
                    (strstr(text, "</property>") != NULL &&
                     strstr(strstr(text, "</property>") + 1, "</property>") != NULL));
    memory_free(text);
    return several;
}

static void keep_winner(struct formulas *f, const struct run *run)
{
    f->winner[0] = '\0';
    if (run->winner < 0)
        return;
    const char *name = run->record.attempts[run->winner].configuration;
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof f->winner; n++)
        f->winner[n] =
            isalnum((unsigned char)name[n]) ? (char)toupper((unsigned char)name[n]) : '_';
    f->winner[n] = '\0';
}

// One race; the summary line is kept in `summary`.
static enum verdict ask(struct formulas *f, const char *property, struct messages *messages)
{
    struct task task;
    struct run run;
    enum verdict verdict = VERDICT_UNKNOWN;
    text_clear(&f->summary);
    if (!task_open(&task, f->request->path, property, PROPERTY_AT_ALL, messages) ||
        !task_load(&task, messages)) {
        text_add(&f->summary, "unknown (not read)");
        task_finish(&task);
        return verdict;
    }
    struct run_settings settings = *f->request->settings;
    settings.settle_seconds = 20; // the next question wants the cores
    run_task(&run, &task, f->request->plan, &settings, NULL);
    verdict = run.record.contradiction ? VERDICT_UNKNOWN : run.record.verdict;
    run_summary(&f->summary, &run.record);
    keep_winner(f, &run);
    if (f->request->store) {
        struct text why;
        text_init(&why);
        if (!store_add(f->request->store, &run.record, &why))
            message_add(messages, MESSAGE_WARNING, (struct position){f->request->path, 0, 0},
                        "a record is lost: %s", text_string(&why));
        text_finish(&why);
    }
    if (run.result.left) { // its threads may still look at the model
        f->counts->left = true;
        return verdict;
    }
    run_finish(&run);
    task_finish(&task);
    return verdict;
}

static enum verdict ask_more(struct formulas *f, const struct question *q, int64_t tokens,
                             struct messages *messages)
{
    struct text property;
    text_init(&property);
    text_add(&property, "EF ");
    for (uint32_t i = 0; i < q->goal_sum.count; i++)
        text_printf(&property, "%s%lld*{%s}", i ? " + " : "", (long long)q->goal_sum.data[i].weight,
                    f->net->places[q->goal_sum.data[i].place].id);
    text_printf(&property, " >= %lld", (long long)tokens);
    enum verdict verdict = ask(f, text_string(&property), messages);
    text_finish(&property);
    return verdict;
}

// The greatest sum, or -1: twice the step after each number that is reached, half of the rest after one that is not.
static int64_t find_bound(struct formulas *f, const struct question *q, struct messages *messages)
{
    int64_t reached = 0, beyond = -1;
    for (uint32_t i = 0; i < q->goal_sum.count; i++)
        reached += q->goal_sum.data[i].weight * f->net->places[q->goal_sum.data[i].place].marking;
    if (q->goal_sum.count == 0)
        return 0;
    for (int64_t step = 1; beyond < 0 || beyond > reached + 1;) {
        int64_t tokens = beyond < 0 ? reached + step : reached + (beyond - reached) / 2;
        switch (ask_more(f, q, tokens, messages)) {
        case VERDICT_UNSAFE:
            reached = tokens;
            step *= 2;
            break;
        case VERDICT_SAFE:
            beyond = tokens;
            break;
        default:
            return -1;
        }
        if (step > NET_NUMBER_MAX)
            return -1;
    }
    return reached;
}

static void tell_mcc(struct formulas *f, const struct question *q, const char *answer)
{
    struct text line;
    text_init(&line);
    text_printf(&line, "FORMULA %s %s", q->name, answer);
    if (strcmp(answer, "CANNOT_COMPUTE") != 0)
        text_printf(&line, " TECHNIQUES PORTFOLIO %s", f->winner);
    f->tell(f->context, text_string(&line));
    text_finish(&line);
}

static void count(struct formulas *f, enum verdict verdict)
{
    f->counts->asked++;
    f->counts->safe += verdict == VERDICT_SAFE;
    f->counts->unsafe += verdict == VERDICT_UNSAFE;
    f->counts->unknown += verdict == VERDICT_UNKNOWN;
}

static void tell_plain(struct formulas *f, const struct question *q, const char *words)
{
    struct text line;
    text_init(&line);
    text_printf(&line, "%s: %s", q->name, words);
    f->tell(f->context, text_string(&line));
    text_finish(&line);
}

static void answer_bound(struct formulas *f, const struct question *q, struct messages *messages)
{
    char number[32];
    int64_t bound = find_bound(f, q, messages);
    snprintf(number, sizeof number, "%lld", (long long)bound);
    if (f->request->format == FORMULAS_MCC) {
        tell_mcc(f, q, bound < 0 ? "CANNOT_COMPUTE" : number);
    } else {
        struct text words;
        text_init(&words);
        if (bound < 0)
            text_add(&words, text_string(&f->summary));
        else
            text_printf(&words, "safe (at most %s tokens, which are reached)", number);
        tell_plain(f, q, text_string(&words));
        text_finish(&words);
    }
    count(f, bound < 0 ? VERDICT_UNKNOWN : VERDICT_SAFE);
}

static void answer_reach(struct formulas *f, const struct question *q, struct messages *messages)
{
    struct text property;
    text_init(&property);
    text_printf(&property, "%s#%s", f->request->property, q->name);
    enum verdict verdict = ask(f, text_string(&property), messages);
    bool holds = (verdict == VERDICT_UNSAFE) == q->true_when_reached;
    if (f->request->format == FORMULAS_PLAIN)
        tell_plain(f, q, text_string(&f->summary));
    else
        tell_mcc(f, q, verdict == VERDICT_UNKNOWN ? "CANNOT_COMPUTE" : holds ? "TRUE" : "FALSE");
    count(f, verdict);
    text_finish(&property);
}

static void answer(struct formulas *f, const struct question *q, struct messages *messages)
{
    switch (q->kind) {
    case QUESTION_REACH:
        answer_reach(f, q, messages);
        break;
    case QUESTION_BOUND:
        answer_bound(f, q, messages);
        break;
    case QUESTION_UNSUPPORTED:
        message_add(messages, MESSAGE_UNSUPPORTED, q->at, "%s: %s", q->name, q->why);
        if (f->request->format == FORMULAS_MCC)
            tell_mcc(f, q, "CANNOT_COMPUTE");
        else
            tell_plain(f, q, "unknown (not supported)");
        count(f, VERDICT_UNKNOWN);
        break;
    }
}

bool formulas_run(const struct formulas_request *request,
                  void (*tell)(void *context, const char *line), void *context,
                  struct formulas_counts *counts, struct messages *messages)
{
    struct formulas f = {.request = request, .tell = tell, .context = context, .counts = counts};
    *counts = (struct formulas_counts){0};
    arena_init(&f.arena);
    f.net = petri_read_net(request->path, messages);
    char *text = f.net ? text_read_file(request->property, NULL) : NULL;
    bool good = text && formula_read_xml(f.net, request->property, text, strlen(text), &f.arena,
                                         &f.questions, messages);
    for (size_t i = 0; good && i < f.questions.count; i++)
        answer(&f, &f.questions.data[i], messages);
    counts->verdict = counts->unsafe > 0                      ? VERDICT_UNSAFE
                      : counts->unknown > 0 || !counts->asked ? VERDICT_UNKNOWN
                                                              : VERDICT_SAFE;
    memory_free(text);
    VECTOR_FINISH(&f.questions);
    text_finish(&f.summary);
    arena_finish(&f.arena);
    net_destroy(f.net);
    return good;
}
