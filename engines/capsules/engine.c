#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "configs/text_value.h"
#include "engines/capsules/configure.h"
#include "engines/capsules/told.h"
#include "engines/engine.h"

// Capsules as themselves: the kernel explores what is behind the model and answers its question, whatever operators it has.
// A run is told in the model's terms and replayed there; that there is none is worth what the table of worths says, and only
// what is sound counts.

struct sample { // of an exploration that runs beside this one
    uint64_t expanded, known;
};

struct attempt {
    const struct engine_environment *environment;
    const struct capsules_view *view;
    struct engine_result result;
    enum end_reason reason; // END_NONE: go on
    const char *why;
    uint64_t rounds, refinements, before; // expansions of earlier rounds
    uint64_t next_share;
    bool abstracts;
    char kind[40]; // what explorations have in common that are compared
    VECTOR(struct sample) others;
};

static int64_t option(const struct attempt *a, enum option option)
{
    return a->environment->configuration->values[option];
}

static void stop(struct attempt *a, enum end_reason reason, const char *why)
{
    if (a->reason != END_NONE)
        return;
    a->reason = reason;
    a->why = why;
}

static void tell(struct attempt *a, struct engine_event *event)
{
    const struct engine_environment *e = a->environment;
    event->iteration = a->rounds;
    if (e->observe == NULL)
        return;
    struct advice advice = e->observe(e->observer, event);
    if (advice.kind == ADVICE_STOP)
        stop(a, advice.reason, advice.why);
}

// What others have done at powers of two: "capsules KIND EXPANDED KNOWN", a line each.
static void share(struct attempt *a, const struct ctl_statistics *statistics)
{
    const struct engine_environment *e = a->environment;
    if (e->share == NULL || a->abstracts || statistics->expanded < a->next_share)
        return;
    char line[120];
    snprintf(line, sizeof line, "(capsules %s %u %u)\n", a->kind, statistics->expanded,
             statistics->known);
    e->share(e->observer, line);
    a->next_share = (uint64_t)statistics->expanded * 3 / 2 + 64;
}

static void hear(struct attempt *a)
{
    const struct engine_environment *e = a->environment;
    if (e->hear == NULL || !a->abstracts)
        return;
    char head[60];
    int length = snprintf(head, sizeof head, "(capsules %s ", a->kind);
    for (const char *at = e->hear(e->observer); (at = strstr(at, head)) != NULL; at += length) {
        char *end;
        struct sample s = {.expanded = strtoull(at + length, &end, 10)};
        s.known = strtoull(end, NULL, 10);
        VECTOR_PUSH(&a->others, s);
    }
}

// So many states were known there after so many expansions, or after fewer where that is all that was told.
static uint64_t baseline(const struct attempt *a, uint64_t expanded)
{
    uint64_t known = 0, best = 0;
    for (size_t i = 0; i < a->others.count; i++)
        if (a->others.data[i].expanded <= expanded && a->others.data[i].expanded >= best &&
            expanded <= 2 * a->others.data[i].expanded) {
            best = a->others.data[i].expanded;
            known = a->others.data[i].known;
        }
    // Between two samples the number of states grows about as that of expansions does.
    return best == 0 ? 0 : known * expanded / best;
}

static void publish(const struct attempt *a, const struct ctl_statistics *statistics,
                    const struct capsule_counts *counts, size_t bytes)
{
    struct progress *p = a->environment->progress;
    uint64_t steps = a->before + statistics->expanded;
    atomic_store_explicit(&p->steps, steps, memory_order_relaxed);
    atomic_store_explicit(&p->nodes, statistics->known, memory_order_relaxed);
    atomic_store_explicit(&p->nodes_created, statistics->edges + 1, memory_order_relaxed);
    atomic_store_explicit(&p->nodes_covered, counts->subsumed, memory_order_relaxed);
    atomic_store_explicit(&p->successors, statistics->edges, memory_order_relaxed);
    atomic_store_explicit(&p->solver_checks, counts->solver_checks, memory_order_relaxed);
    atomic_store_explicit(&p->bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&p->iterations, a->rounds, memory_order_relaxed);
    atomic_store_explicit(&p->refinements, a->refinements, memory_order_relaxed);
}

static bool progress(void *context, const struct ctl_statistics *statistics,
                     const struct capsule_counts *counts, size_t bytes)
{
    struct attempt *a = context;
    const struct engine_environment *e = a->environment;
    publish(a, statistics, counts, bytes);
    if (e->polled != NULL)
        e->polled(e->observer, "capsules_progress");
    int asked = e->stop != NULL ? atomic_load_explicit(e->stop, memory_order_relaxed) : END_NONE;
    if (asked != END_NONE)
        stop(a, (enum end_reason)asked, NULL);
    if (e->step_limit && a->before + statistics->expanded >= e->step_limit)
        stop(a, END_STEPS, NULL);
    share(a, statistics);
    hear(a);
    struct engine_event event = {
        .kind = EVENT_SAMPLE,
        .nodes = statistics->known,
        .covered = statistics->edges + 1 - statistics->known,
        .waiting = statistics->known - statistics->expanded,
        .created = statistics->edges + 1,
        .expanded = statistics->expanded,
        .successors = statistics->edges,
        .solver_checks = counts->solver_checks,
        .bytes = bytes,
        .condition_length = counts->longest_condition,
        .pull_depth = counts->deepest_pull,
        .overflows = counts->lost,
        .baseline = baseline(a, statistics->expanded),
    };
    tell(a, &event);
    return a->reason == END_NONE;
}

static bool next_round(void *context, uint32_t changed)
{
    struct attempt *a = context;
    struct engine_event event = {.kind = changed > 0 ? EVENT_REFINED : EVENT_ROUND,
                                 .precision_changed = changed > 0,
                                 .precision_size = changed};
    if (changed > 0) {
        a->refinements++;
        a->before = atomic_load_explicit(&a->environment->progress->steps, memory_order_relaxed);
    } else {
        a->rounds++;
    }
    tell(a, &event);
    return a->reason == END_NONE;
}

static void publish_solver(void *context, struct smt_context *solver)
{
    const struct attempt *a = context;
    if (a->environment->publish_solver != NULL)
        a->environment->publish_solver(a->environment->observer, solver);
}

static void set_options(const struct attempt *a, struct capsule_ask *ask)
{
    static const enum ctl_order ORDERS[] = {[STATE_ORDER_BFS - STATE_ORDER_BFS] = CTL_BREADTH_FIRST,
                                            [STATE_ORDER_DFS - STATE_ORDER_BFS] = CTL_DEPTH_FIRST,
                                            [STATE_ORDER_RANDOM - STATE_ORDER_BFS] = CTL_RANDOM};
    *ask = (struct capsule_ask){
        .model = a->view->capsules,
        .question = &a->view->question,
        .options = {.symbolic = option(a, OPTION_BASE) == BASE_SYMBOLIC,
                    .low = option(a, OPTION_LOW),
                    .high = option(a, OPTION_HIGH),
                    .queue_bound = a->view->bound,
                    .head_only = a->view->head_only,
                    .subsumption = option(a, OPTION_SUBSUMPTION) == SUBSUMPTION_WEAK
                                       ? SUBSUME_WEAK
                                       : SUBSUME_EQUAL,
                    .keep_attributes = option(a, OPTION_KEEP_ATTRIBUTES) != 0,
                    .limited = option(a, OPTION_LIMITED) != 0,
                    .seed = a->environment->seed,
                    .solver = configuration_solver(a->environment->configuration, OPTION_SOLVER),
                    .check_limit = (uint64_t)option(a, OPTION_CHECK_LIMIT),
                    .stop = a->environment->stop},
        .limits = {.order = ORDERS[option(a, OPTION_STATE_ORDER) - STATE_ORDER_BFS],
                   .seed = a->environment->seed,
                   .states = (uint32_t)option(a, OPTION_STATE_LIMIT),
                   .stop = a->environment->stop},
        .memory = a->environment->memory_limit,
        .progress = progress,
        .solver = publish_solver,
        .round = next_round,
        .context = (void *)(uintptr_t)a,
    };
}

static void note_figures(struct attempt *a, const struct capsule_answer *answer,
                         const struct capsule_refinement *refinement)
{
    char *notes = a->result.notes;
    size_t bytes = sizeof a->result.notes;
    static const char *const WORDS[] = {"", "true", "false"};
    if (answer->truth != CTL_UNKNOWN)
        engine_note(notes, bytes, "%s, %s", WORDS[answer->truth],
                    answer->replayed ? "replayed" : capsule_worth_name(answer->worth));
    else if (answer->claim != CTL_UNKNOWN)
        engine_note(notes, bytes, "claimed %s, worth: %s", WORDS[answer->claim],
                    capsule_worth_name(answer->worth));
    engine_note(
        notes, bytes,
        "%u states, %u expanded, tree %llu, %llu lost, %llu dropped, condition %u, pulls %u",
        answer->statistics.known, answer->statistics.expanded,
        (unsigned long long)answer->statistics.edges + 1, (unsigned long long)answer->counts.lost,
        (unsigned long long)answer->counts.drops, answer->counts.longest_condition,
        answer->counts.deepest_pull);
    if (refinement->rounds > 1)
        engine_note(notes, bytes, "%u rounds, %u parts and %u groups put back", refinement->rounds,
                    refinement->restored_parts, refinement->split_groups);
}

// All that the bounds let exist was looked at, and it shows nothing: no other configuration can say more. A claim that needs all
// runs, of an exploration that leaves out nothing; what lies beyond the bounds (lost signals, loops) is then a fact as well.
static bool ends_at_bounds(const struct attempt *a, const struct capsule_ask *ask,
                           const struct capsule_answer *answer)
{
    bool all = a->view->shape == SHAPE_EXISTS
                   ? answer->claim == CTL_FALSE
                   : a->view->shape == SHAPE_ALL && answer->claim == CTL_TRUE;
    return all && answer->worth == WORTH_BOUNDED && !answer->counts.failed &&
           !ask->options.limited && !a->abstracts;
}

static void conclude(struct attempt *a, const struct capsule_ask *ask,
                     struct capsule_answer *answer)
{
    struct engine_result *r = &a->result;
    bool shown = answer->truth == (capsule_shown_truth(a->view->shape) ? CTL_TRUE : CTL_FALSE);
    if (answer->truth == CTL_UNKNOWN) {
        r->reason = a->reason != END_NONE            ? a->reason
                    : answer->refused                ? END_UNSUPPORTED
                    : ends_at_bounds(a, ask, answer) ? END_BOUNDED
                    : answer->end == CTL_LIMIT       ? END_MEMORY
                                                     : END_UNKNOWN;
        if (answer->end == CTL_LIMIT && option(a, OPTION_STATE_LIMIT) != 0 &&
            answer->statistics.known > option(a, OPTION_STATE_LIMIT))
            r->reason = END_STEPS;
        r->why = a->why != NULL ? a->why : answer->why;
    } else if (!shown) {
        r->verdict = VERDICT_SAFE;
        r->reason = END_SOLVED;
    } else if (answer->has_run) {
        r->trace = capsule_trace(model_root(a->environment->model), a->view, &answer->run);
        r->verdict = VERDICT_UNSAFE;
        r->reason = END_SOLVED;
    } else {
        // A verdict of `unsafe` is one that a run shows.
        r->reason = END_UNKNOWN;
        r->why = capsule_needs_one_run(&a->view->question)
                     ? "its run could not be followed on the concrete semantics"
                     : "the answer is known, but no single run shows it";
    }
}

static void ask(struct attempt *a)
{
    struct capsule_ask ask;
    struct capsule_setting setting;
    struct capsule_answer answer = {0};
    struct capsule_refinement refinement = {0};
    struct messages messages;
    messages_init(&messages);
    set_options(a, &ask);
    const char *abstract = text_value(option(a, OPTION_ABSTRACT)),
               *aggregate = text_value(option(a, OPTION_AGGREGATE));
    a->abstracts = abstract[0] != '\0' || aggregate[0] != '\0';
    snprintf(a->kind, sizeof a->kind, "%s-%d-%d%s", ask.options.symbolic ? "symbolic" : "concrete",
             (int)ask.options.subsumption, (int)ask.limits.order,
             ask.options.limited ? "-limited" : "");
    a->next_share = 64;
    if (capsule_setting_make(&ask, abstract[0] != '\0' ? abstract : NULL,
                             aggregate[0] != '\0' ? aggregate : NULL, &setting, &messages)) {
        if (option(a, OPTION_RESTORE) && a->abstracts)
            capsule_ask_refining(&ask, ask.options.abstracted != NULL ? setting.abstracted : NULL,
                                 ask.options.groups != NULL ? &setting.groups : NULL, &answer,
                                 &refinement);
        else
            capsule_ask(&ask, &answer);
        conclude(a, &ask, &answer);
        note_figures(a, &answer, &refinement);
        capsule_answer_finish(&answer);
    } else {
        a->result.reason = END_UNSUPPORTED;
        a->result.why = term_store_text(a->environment->store, messages.items[0].text);
    }
    capsule_setting_finish(&setting);
    messages_finish(&messages);
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct attempt a = {.environment = environment, .view = capsules_view_of(environment->model)};
    if (a.view == NULL || !a.view->has_question)
        return (struct engine_result){
            .reason = END_UNSUPPORTED,
            .why = "not applicable: there is no question about capsules behind the model"};
    atomic_store_explicit(&environment->progress->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    ask(&a);
    VECTOR_FINISH(&a.others);
    atomic_store_explicit(&environment->progress->phase, ENGINE_DONE, memory_order_relaxed);
    return a.result;
}

// As it was read: edges stay the steps that they stand for.
static void prepare(const struct configuration *configuration, struct prepare_options *out)
{
    (void)configuration;
    *out = (struct prepare_options){.encoding = PREPARE_SINGLE_BLOCK};
}

const struct engine engine_capsules = {
    .name = "capsules",
    .description = "communicating capsules: states one by one, of any CTL question",
    .preparation = prepare,
    .run = run,
    .view = CAPSULES_VIEW,
};
