#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "engines/ctl/check.h"
#include "engines/engine.h"
#include "engines/petri/markings.h"
#include "languages/petri/branching_check.h"
#include "languages/petri/net_view.h"

// Formulas of CTL on the markings of a net, as they are met. The answer is decided once more from the markings that were
// met, by code that this one does not share (branching_check.h), before it is told.

struct branching_attempt {
    const struct engine_environment *environment;
    const struct net *net;
    const struct branching *branching;
    struct markings markings;
    int64_t *now, *after, *seen;
    uint32_t seen_number; // whose tokens are in `seen`
    uint64_t steps;
    const char *why; // a limit of our own was reached: static
    enum end_reason reason;
};

static bool go_on(void *context, uint64_t steps)
{
    struct branching_attempt *a = context;
    const struct engine_environment *e = a->environment;
    a->steps += steps;
    atomic_store_explicit(&e->progress->steps, a->steps, memory_order_relaxed);
    atomic_store_explicit(&e->progress->nodes, a->markings.count, memory_order_relaxed);
    if (e->polled != NULL)
        e->polled(e->observer, "branching_go_on");
    if (a->reason == END_NONE)
        a->reason = (enum end_reason)atomic_load_explicit(e->stop, memory_order_relaxed);
    if (a->reason == END_NONE && e->step_limit && a->steps >= e->step_limit)
        a->reason = END_STEPS;
    return a->reason == END_NONE;
}

static bool within_memory(struct branching_attempt *a)
{
    uint64_t limit = a->environment->memory_limit;
    // Edges and labels of the checker take about as much again.
    if (limit && 3 * markings_bytes(&a->markings) > limit)
        a->why = "the markings need more memory than there is";
    return a->why == NULL;
}

static bool expand(void *self, uint32_t state, struct ctl_states *successors)
{
    struct branching_attempt *a = self;
    bool is_new;
    if (!go_on(a, 1) || ((state & 63) == 0 && !within_memory(a)))
        return false;
    markings_get(&a->markings, state, a->now);
    for (uint32_t t = 0; t < a->net->transition_count; t++) {
        if (!net_is_enabled(&a->net->transitions[t], a->now))
            continue;
        memcpy(a->after, a->now, a->net->place_count * sizeof *a->now);
        net_fire(&a->net->transitions[t], a->after);
        uint32_t number = markings_add(&a->markings, a->after, &is_new);
        if (number == MARKING_NONE || !net_is_counted(&a->net->transitions[t], a->after)) {
            a->why = number == MARKING_NONE ? "there are too many markings"
                                            : "a place holds more tokens than are counted";
            return false;
        }
        VECTOR_PUSH(successors, number);
    }
    return true;
}

static enum ctl_truth atom(void *self, uint32_t state, uint32_t number, bool expanded)
{
    struct branching_attempt *a = self;
    assert(state < a->markings.count);
    (void)expanded;
    if (a->seen_number != state) {
        markings_get(&a->markings, state, a->seen);
        a->seen_number = state;
    }
    return formula_holds(a->branching->atoms[number], a->seen) ? CTL_TRUE : CTL_FALSE;
}

static void get_marking(const void *context, uint32_t number, int64_t *out)
{
    markings_get(context, number, out);
}

static void conclude(struct branching_attempt *a, bool holds, struct engine_result *result)
{
    struct marking_list list = {a->markings.count, get_marking, &a->markings};
    enum branching_truth again = branching_check(a->net, a->branching, &list, go_on, a);
    if (a->reason != END_NONE)
        return;
    if (again != (holds ? BRANCHING_TRUE : BRANCHING_FALSE)) {
        result->reason = END_INTERNAL;
        result->why = "the labels of markings do not stand a second look";
        return;
    }
    result->verdict = holds ? VERDICT_SAFE : VERDICT_UNSAFE;
    result->reason = END_SOLVED;
    result->checked = "the formula was decided twice from the markings that were met";
}

static void decide(struct branching_attempt *a, struct engine_result *result)
{
    struct ctl_kernel kernel = {a, expand, atom};
    struct ctl_limits limits = {.stop = a->environment->stop, .seed = a->environment->seed};
    bool is_new, deep = a->environment->configuration->values[OPTION_NET_ORDER] == NET_ORDER_DFS;
    uint32_t formula = a->branching->formula;
    limits.order = deep ? CTL_DEPTH_FIRST : CTL_BREADTH_FIRST;
    for (uint32_t p = 0; p < a->net->place_count; p++)
        a->now[p] = a->net->places[p].marking;
    uint32_t start = markings_add(&a->markings, a->now, &is_new);
    assert(start == 0 && is_new);
    struct ctl_checker *c = ctl_checker_create(&kernel, &a->branching->nodes);
    ctl_checker_start(c, start);
    enum ctl_end end = ctl_checker_run(c, formula, formula, &limits);
    enum ctl_truth truth = ctl_checker_truth(c, formula, start);
    struct ctl_statistics statistics = ctl_checker_statistics(c);
    ctl_checker_destroy(c); // its memory is wanted for the second look
    engine_note(result->notes, sizeof result->notes, "%u markings, %u expanded, %llu firings",
                statistics.known, statistics.expanded, (unsigned long long)statistics.edges);
    if (end == CTL_ANSWERED && truth != CTL_UNKNOWN)
        conclude(a, truth == CTL_TRUE, result);
    else if (a->reason == END_NONE && a->why != NULL) {
        result->reason = END_MEMORY;
        result->why = a->why;
    }
}

static struct engine_result run(const struct engine_environment *environment)
{
    const struct net_view *view = net_view_of(environment->model);
    struct engine_result result = {0};
    if (view == NULL || view->branching == NULL)
        return (struct engine_result){.reason = END_UNSUPPORTED,
                                      .why = "not applicable: no formula of CTL over a net"};
    struct branching_attempt a = {.environment = environment,
                                  .net = view->net,
                                  .branching = view->branching,
                                  .seen_number = MARKING_NONE};
    size_t bytes = ((size_t)view->net->place_count + 1) * sizeof *a.now;
    a.now = memory_alloc(bytes);
    a.after = memory_alloc(bytes);
    a.seen = memory_alloc(bytes);
    markings_init(&a.markings, view->net->place_count);
    atomic_store_explicit(&environment->progress->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    decide(&a, &result);
    if (result.reason == END_NONE)
        result.reason = a.reason == END_NONE ? END_UNKNOWN : a.reason;
    atomic_store_explicit(&environment->progress->phase, ENGINE_DONE, memory_order_relaxed);
    markings_finish(&a.markings);
    memory_free(a.now);
    memory_free(a.after);
    memory_free(a.seen);
    return result;
}

static void prepare(const struct configuration *configuration, struct prepare_options *out)
{
    (void)configuration;
    *out = (struct prepare_options){.encoding = PREPARE_SINGLE_BLOCK};
}

const struct engine engine_netctl = {
    .name = "netctl",
    .description = "Petri nets: formulas of CTL over the markings",
    .preparation = prepare,
    .run = run,
    .view = NET_BRANCHING_VIEW,
};
