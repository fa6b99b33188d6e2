#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/vector.h"
#include "engines/petri/petri_inside.h"
#include "engines/petri/search.h"
#include "engines/petri/simplify.h"
#include "languages/petri/closed_set.h"
#include "languages/petri/net_view.h"

// Petri nets as themselves: the engine works on the net behind the model and its goal, and tells its answer in the
// model's terms. A way to the goal was fired on the net before it is told; that there is none rests on what
// another piece of code has checked.

static bool go_on(void *context, uint64_t steps)
{
    struct petri_attempt *a = context;
    const struct engine_environment *e = a->environment;
    a->steps += steps;
    atomic_store_explicit(&e->progress->steps, a->steps, memory_order_relaxed);
    if (e->polled != NULL)
        e->polled(e->observer, "petri_go_on");
    if (a->reason == END_NONE)
        a->reason = (enum end_reason)atomic_load_explicit(e->stop, memory_order_relaxed);
    if (a->reason == END_NONE && e->step_limit && a->steps >= e->step_limit)
        a->reason = END_STEPS;
    return a->reason == END_NONE;
}

// Figures for whoever looks on, and what monitors say to the event.
static bool tell(void *context, struct engine_event *event)
{
    struct petri_attempt *a = context;
    const struct engine_environment *e = a->environment;
    atomic_store_explicit(&e->progress->nodes, event->nodes, memory_order_relaxed);
    atomic_store_explicit(&e->progress->nodes_created, event->created, memory_order_relaxed);
    atomic_store_explicit(&e->progress->successors, event->successors, memory_order_relaxed);
    atomic_store_explicit(&e->progress->iterations, event->iteration, memory_order_relaxed);
    if (e->observe == NULL || a->reason != END_NONE)
        return a->reason == END_NONE;
    struct advice advice = e->observe(e->observer, event);
    if (advice.kind == ADVICE_STOP) {
        a->reason = advice.reason;
        a->result.why = advice.why;
    }
    return a->reason == END_NONE;
}

// The prepared model's edge for each edge of its source; NULL where it has none.
static const struct edge **edges_by_source(const struct model *model)
{
    const struct model *root = model_root(model);
    const struct edge **edges = memory_zalloc(((size_t)root->edge_count + 1) * sizeof *edges);
    for (uint32_t i = 0; i < model->edge_count; i++)
        if (model->edges[i]->origin_count == 1)
            edges[model->edges[i]->origin[0]->id] = model->edges[i];
    return edges;
}

// The sequence as a run of the model that ends with the step into the error location.
static struct trace *make_trace(const struct model *model, const struct net *net,
                                const struct petri_sequence *sequence)
{
    const struct edge **edges = edges_by_source(model);
    struct trace *trace = trace_create(model);
    bool good = edges[net->transition_count] != NULL;
    for (size_t i = 0; i < sequence->count && good; i++) {
        good = edges[sequence->data[i]] != NULL;
        if (good)
            trace_add_step(trace, edges[sequence->data[i]]);
    }
    if (good)
        trace_add_step(trace, edges[net->transition_count]);
    memory_free(edges);
    if (good)
        return trace;
    trace_destroy(trace);
    return NULL;
}

static void conclude_given(struct petri_attempt *a, struct petri_sequence *sequence)
{
    petri_shorten(a->given.net, sequence);
    if (!petri_replay(&a->given, sequence)) {
        a->result.reason = END_INTERNAL;
        a->result.why = "a firing sequence does not lead to the goal";
        return;
    }
    a->result.trace = make_trace(a->environment->model, a->given.net, sequence);
    a->result.verdict = VERDICT_UNSAFE;
}

void petri_conclude_reached(struct petri_attempt *a, struct petri_sequence *sequence)
{
    if (a->reduction == NULL) {
        conclude_given(a, sequence);
        return;
    }
    struct petri_sequence expanded = {0};
    petri_shorten(a->problem.net, sequence);
    reduction_expand(a->reduction, sequence, &expanded);
    conclude_given(a, &expanded);
    VECTOR_FINISH(&expanded);
}

static void get_marking(const void *context, uint32_t number, int64_t *out)
{
    markings_get(context, number, out);
}

static void conclude_closed(struct petri_attempt *a, const struct markings *markings)
{
    struct marking_list set = {markings->count, get_marking, markings};
    struct text why;
    text_init(&why);
    switch (closed_set_check(a->problem.net, a->problem.goal, &set, go_on, a, &why)) {
    case CLOSED_SET_ACCEPTED:
        a->result.verdict = VERDICT_SAFE;
        a->result.checked = a->reduction != NULL
                                ? "the set of markings of the reduced net was checked to be closed"
                                : "the set of markings was checked to be closed";
        break;
    case CLOSED_SET_REFUSED:
        a->result.reason = END_INTERNAL;
        a->result.why = term_store_text(a->environment->store, text_string(&why));
        break;
    case CLOSED_SET_STOPPED:
        break;
    }
    text_finish(&why);
}

static void search(struct petri_attempt *a)
{
    static const enum petri_order ORDERS[] = {
        [NET_ORDER_BFS] = PETRI_BREADTH_FIRST,
        [NET_ORDER_DFS] = PETRI_DEPTH_FIRST,
        [NET_ORDER_BEST] = PETRI_BEST_FIRST,
        [NET_ORDER_EQUATION] = PETRI_EQUATION_FIRST,
    };
    struct petri_search_result found;
    petri_search(&a->problem, ORDERS[petri_option(a, OPTION_NET_ORDER)],
                 petri_option(a, OPTION_STUBBORN), &found);
    engine_note(a->result.notes, sizeof a->result.notes, "%u markings, %llu firings",
                found.markings.count, (unsigned long long)found.fired);
    if (found.answer == PETRI_REACHED)
        petri_conclude_reached(a, &found.sequence);
    else if (found.answer == PETRI_UNREACHABLE)
        conclude_closed(a, &found.markings);
    else if (a->reason == END_NONE) {
        a->reason = END_MEMORY;
        a->result.why = found.why;
    }
    petri_search_finish(&found);
}

static void walk(struct petri_attempt *a)
{
    struct petri_sequence sequence = {0};
    if (petri_walk(&a->problem, &sequence) == PETRI_REACHED)
        petri_conclude_reached(a, &sequence);
    VECTOR_FINISH(&sequence);
}

static void note_reduction(struct petri_attempt *a, const struct reduction *r)
{
    struct text words;
    text_init(&words);
    text_printf(&words, "%u of %u places, %u of %u transitions left", r->net->place_count,
                a->given.net->place_count, r->net->transition_count,
                a->given.net->transition_count);
#define R(field, what)                                                                             \
    if (r->counts.field)                                                                           \
        text_printf(&words, ", %u %s", r->counts.field, what);
    REDUCTION_RULES(R)
#undef R
    engine_note(a->result.notes, sizeof a->result.notes, "%s", text_string(&words));
    text_finish(&words);
}

static void work(struct petri_attempt *a)
{
    switch (petri_option(a, OPTION_NET_METHOD)) {
    case NET_METHOD_SEARCH:
        search(a);
        break;
    case NET_METHOD_WALK:
        walk(a);
        break;
    case NET_METHOD_EQUATION:
        petri_solve_equation(a);
        break;
    case NET_METHOD_PROOF:
        petri_prove(a);
        break;
    }
}

static void note_simplification(struct petri_attempt *a, const struct simplification *s)
{
    struct text words;
    text_init(&words);
    if (s->never)
        text_printf(&words, "%u comparisons never hold", s->never);
    if (s->always)
        text_printf(&words, "%s%u always", s->never ? ", " : "comparisons hold: ", s->always);
    if (words.length)
        engine_note(a->result.notes, sizeof a->result.notes, "%s", text_string(&words));
    text_finish(&words);
}

// Markings are looked for in a smaller net where there is one. Facts and equations speak of the given one.
static void work_on_less(struct petri_attempt *a, int64_t how)
{
    struct reduction_choice choice = {.cone = true,
                                      .local = how == NET_REDUCE_LOCAL || how == NET_REDUCE_ALL,
                                      .fusion = how == NET_REDUCE_ALL};
    struct reduction reduction;
    if (!reduction_make(&a->problem, choice, &reduction)) {
        work(a);
        return;
    }
    a->reduction = &reduction;
    a->problem.net = reduction.net;
    a->problem.goal = reduction.goal;
    note_reduction(a, &reduction);
    work(a);
    a->reduction = NULL;
    a->problem = a->given;
    reduction_finish(&reduction);
}

static void work_reduced(struct petri_attempt *a)
{
    int64_t method = petri_option(a, OPTION_NET_METHOD), how = petri_option(a, OPTION_NET_REDUCE);
    if (how == NET_REDUCE_OFF || (method != NET_METHOD_SEARCH && method != NET_METHOD_WALK)) {
        work(a);
        return;
    }
    struct arena arena;
    struct simplification less = {.goal = a->given.goal};
    arena_init(&arena);
    if (how == NET_REDUCE_ALL)
        petri_simplify(&a->given, &arena, &less);
    note_simplification(a, &less);
    a->problem.goal = less.goal;
    if (less.goal->kind == FORMULA_FALSE) {
        a->problem = a->given;
        petri_prove(a); // the facts that it is false by are an invariant
    } else {
        work_on_less(a, how);
    }
    a->problem = a->given;
    arena_finish(&arena);
}

static struct engine_result run(const struct engine_environment *environment)
{
    const struct net_view *view = net_view_of(environment->model);
    struct petri_attempt a = {.environment = environment};
    if (view == NULL)
        return (struct engine_result){.reason = END_UNSUPPORTED,
                                      .why = "not applicable: there is no net behind the model"};
    a.given = (struct petri_problem){
        .net = view->net,
        .goal = view->goal,
        .seed = environment->seed,
        .memory_limit = environment->memory_limit,
        .go_on = go_on,
        .tell = tell,
        .context = &a,
    };
    a.problem = a.given;
    // Transition t is edge t, and behind them comes the step into the error location.
    ENSURE(model_root(environment->model)->edge_count > view->net->transition_count);
    atomic_store_explicit(&environment->progress->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    work_reduced(&a);
    if (a.result.verdict != VERDICT_UNKNOWN)
        a.result.reason = END_SOLVED;
    else if (a.result.reason == END_NONE)
        a.result.reason = a.reason == END_NONE ? END_UNKNOWN : a.reason;
    atomic_store_explicit(&environment->progress->phase, ENGINE_DONE, memory_order_relaxed);
    return a.result;
}

// As it was read: edge t stays transition t.
static void prepare(const struct configuration *configuration, struct prepare_options *out)
{
    (void)configuration;
    *out = (struct prepare_options){.encoding = PREPARE_SINGLE_BLOCK};
}

const struct engine engine_petri = {
    .name = "petri",
    .description = "Petri nets: markings, the state equation, linear facts",
    .preparation = prepare,
    .run = run,
    .view = NET_VIEW,
};
