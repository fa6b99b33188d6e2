#include "engines/cegar/refute.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engines/cegar/concrete.h"
#include "engines/cegar/ladder.h"

// Checks spent on making a core smaller.
#define MINIMISE_CHECKS 40

void refuter_init(struct refuter *refuter, struct workspace *workspace)
{
    *refuter = (struct refuter){.workspace = workspace};
    refuter->post = explicit_post_create(workspace);
    if (workspace_option(workspace, OPTION_INITPREC) == INITPREC_ALLVARS)
        explicit_post_sample_inputs(refuter->post);
    feasibility_init(&refuter->feasibility, workspace);
}

void refuter_finish(struct refuter *refuter)
{
    feasibility_finish(&refuter->feasibility);
    explicit_post_destroy(refuter->post);
}

void refuter_describe(const struct refuter *refuter, char *out, size_t size)
{
    static const char *const names[] = {
#define W(constant, name) [constant] = name,
        REFUTATION_WAYS(W)
#undef W
    };
    struct text text;
    text_init(&text);
    for (int way = 0; way < WAY_COUNT; way++)
        if (refuter->found[way])
            text_printf(&text, "%s %s %llu", text.length ? "," : "refinements by", names[way],
                        (unsigned long long)refuter->found[way]);
    if (refuter->fallbacks)
        text_printf(&text, " (%llu by fallback)", (unsigned long long)refuter->fallbacks);
    snprintf(out, size, "%s", text_string(&text));
    text_finish(&text);
}

static void refutation_init(struct refutation *r, size_t node_count)
{
    assert(node_count > 0);
    *r = (struct refutation){.node_count = node_count, .prune = node_count - 1};
    r->interpolant = memory_zalloc(node_count * sizeof *r->interpolant);
    r->variables = memory_zalloc(node_count * sizeof *r->variables);
}

void refutation_finish(struct refutation *r)
{
    for (size_t i = 0; i < r->node_count; i++)
        VECTOR_FINISH(&r->variables[i]);
    memory_free(r->variables);
    memory_free(r->interpolant);
    *r = (struct refutation){0};
}

static bool says_something(const struct refutation *r, size_t node)
{
    const struct term *t = r->interpolant[node];
    return r->variables[node].count || (t != NULL && !term_is_true(t) && !term_is_false(t));
}

static void find_prune(struct refutation *r)
{
    r->prune = r->node_count - 1;
    for (size_t i = r->node_count; i-- > 0;)
        if (says_something(r, i))
            r->prune = i;
}

// Strategies as ladders. What comes after the first rung is the fallback.

#define ANY_THEORY                                                                                 \
    {WAY_WEAKEST, ABSTRACT_ASSUMES, false},                                                        \
    {                                                                                              \
        WAY_SPACER, ABSTRACT_ASSUMES, false                                                        \
    }

static const struct rung by_interpolation[] = {
    {WAY_FARKAS, ABSTRACT_ASSUMES, false},
    ANY_THEORY,
    {WAY_STRONGEST, ABSTRACT_ALL, true},
};
static const struct rung by_conflict[] = {
    {WAY_CONFLICT, ABSTRACT_NOTHING, false},
    {WAY_CONFLICT, ABSTRACT_ASSUMES, false},
    {WAY_FARKAS, ABSTRACT_ASSUMES, false},
    ANY_THEORY,
};

#define NEWTON_LENGTH 5

// The Newton family: the rung that the option names, then the same with core abstraction, then any.
#define NEWTON(way, abstraction, live)                                                             \
    {                                                                                              \
        {way, abstraction, live}, {way, ABSTRACT_ALL, live},                                       \
            {WAY_FARKAS, ABSTRACT_ASSUMES, false}, ANY_THEORY,                                     \
    }

static const struct {
    enum option_value option;
    struct rung rungs[NEWTON_LENGTH];
} newton[] = {
    {REFINEMENT_NWT_SP, NEWTON(WAY_STRONGEST, ABSTRACT_NOTHING, false)},
    {REFINEMENT_NWT_WP, NEWTON(WAY_WEAKEST, ABSTRACT_NOTHING, false)},
    {REFINEMENT_NWT_SP_LV, NEWTON(WAY_STRONGEST, ABSTRACT_NOTHING, true)},
    {REFINEMENT_NWT_WP_LV, NEWTON(WAY_WEAKEST, ABSTRACT_NOTHING, true)},
    {REFINEMENT_NWT_IT_SP, NEWTON(WAY_STRONGEST, ABSTRACT_ALL, false)},
    {REFINEMENT_NWT_IT_WP, NEWTON(WAY_WEAKEST, ABSTRACT_ALL, false)},
    {REFINEMENT_NWT_IT_SP_LV, NEWTON(WAY_STRONGEST, ABSTRACT_ALL, true)},
    {REFINEMENT_NWT_IT_WP_LV, NEWTON(WAY_WEAKEST, ABSTRACT_ALL, true)},
};

static const struct rung *ladder_of(int64_t option, size_t *count)
{
    for (size_t i = 0; i < sizeof newton / sizeof *newton; i++)
        if ((int64_t)newton[i].option == option) {
            *count = NEWTON_LENGTH;
            return newton[i].rungs;
        }
    if (option == REFINEMENT_UCB) {
        *count = sizeof by_conflict / sizeof *by_conflict;
        return by_conflict;
    }
    *count = sizeof by_interpolation / sizeof *by_interpolation;
    return by_interpolation;
}

// Interpolants between the infeasible steps first … last.
static enum refute_result interpolate(struct refuter *refuter, struct path *path, size_t first,
                                      size_t last, const struct term *before,
                                      const struct term *after, struct refutation *r)
{
    assert(first <= last && last <= path->edge_count);
    struct workspace *ws = refuter->workspace;
    switch (path_blame(path, first, last, before, after, MINIMISE_CHECKS)) {
    case PATH_INFEASIBLE:
        break;
    case PATH_STOPPED:
        return REFUTE_STOPPED;
    case PATH_UNDECIDED:
    case PATH_FEASIBLE:
        workspace_end(ws, END_UNKNOWN, "the solver changed its mind on a path");
        return REFUTE_FAILED;
    }
    size_t count;
    const struct rung *rungs = ladder_of(workspace_option(ws, OPTION_REFINEMENT), &count);
    int rung = ladder_climb(rungs, count, path, first, last, before, after, r);
    if (rung < 0) {
        workspace_end(ws, END_UNKNOWN, "no interpolant was found");
        return REFUTE_FAILED;
    }
    refuter->fallbacks += rung > 0;
    return REFUTE_SPURIOUS;
}

// Drops what the interpolation said at other nodes than `node`.
static void keep_only(struct refutation *r, size_t node)
{
    assert(node < r->node_count);
    for (size_t k = 0; k < r->node_count; k++)
        if (k != node)
            r->interpolant[k] = NULL;
}

static enum refute_result not_found(struct refuter *refuter, enum path_result result)
{
    if (result == PATH_STOPPED)
        return REFUTE_STOPPED;
    workspace_end(refuter->workspace, END_UNKNOWN, "the solver changed its mind on a path");
    return REFUTE_FAILED;
}

// BW_BIN_ITP: the shortest infeasible suffix, with the abstract state before it; one element after its
// first step.
static enum refute_result refute_backward(struct refuter *refuter, struct path *path,
                                          const struct term *const *states, struct refutation *r)
{
    size_t first, last = path->edge_count;
    enum path_result found = feasibility_shortest_suffix(&refuter->feasibility, states, &first);
    if (found != PATH_INFEASIBLE)
        return not_found(refuter, found);
    enum refute_result result =
        interpolate(refuter, path, first, last, first ? states[first - 1] : NULL, NULL, r);
    if (result == REFUTE_SPURIOUS)
        keep_only(r, first);
    return result;
}

// FW_BIN_ITP: the longest feasible prefix; one element before the step that makes it infeasible.
static enum refute_result refute_forward(struct refuter *refuter, struct path *path,
                                         const struct term *const *states, struct refutation *r)
{
    size_t last;
    enum path_result found = feasibility_shortest_prefix(&refuter->feasibility, states, &last);
    if (found != PATH_INFEASIBLE)
        return not_found(refuter, found);
    enum refute_result result = interpolate(refuter, path, 0, last, NULL, states[last], r);
    if (result == REFUTE_SPURIOUS && last > 0)
        keep_only(r, last - 1);
    return result;
}

// SEQ_ITP. When the last few steps contradict each other, whatever comes before, what they tell holds
// for all paths that end so; the cause that the solver finds in the whole path is often that one path's.
static enum refute_result refute_sequence(struct refuter *refuter, struct path *path,
                                          struct refutation *r)
{
    size_t first = 0;
    enum path_result found = feasibility_short_suffix(&refuter->feasibility, &first);
    if (found == PATH_STOPPED)
        return REFUTE_STOPPED;
    return interpolate(refuter, path, found == PATH_INFEASIBLE ? first : 0, path->edge_count, NULL,
                       NULL, r);
}

static enum refute_result refute_core(struct refuter *refuter, struct path *path,
                                      struct refutation *r)
{
    enum path_result found = path_blame(path, 0, path->edge_count, NULL, NULL, MINIMISE_CHECKS);
    if (found != PATH_INFEASIBLE)
        return not_found(refuter, found);
    bool related =
        workspace_option(refuter->workspace, OPTION_ABSTRACTION) == ABSTRACTION_VARIABLES;
    for (size_t k = 0; k < path->edge_count; k++)
        path_blamed_variables(path, k, related, &r->variables[k]);
    r->way = WAY_CORE;
    return REFUTE_SPURIOUS;
}

enum refute_result refute_check(struct refuter *refuter, const struct edge *const *edges,
                                size_t edge_count, struct trace **trace)
{
    *trace = concrete_run(refuter->workspace, refuter->post, edges, edge_count, refuter->states);
    assert(*trace == NULL || (*trace)->step_count == edge_count);
    if (*trace != NULL)
        return REFUTE_FEASIBLE;
    if (!feasibility_load(&refuter->feasibility, edges, edge_count))
        return REFUTE_STOPPED;
    switch (feasibility_check(&refuter->feasibility)) {
    case PATH_FEASIBLE:
        *trace = feasibility_trace(&refuter->feasibility);
        if (*trace == NULL)
            workspace_end(refuter->workspace, END_UNKNOWN,
                          "the solver's model of a feasible path could not be read");
        return *trace != NULL ? REFUTE_FEASIBLE : REFUTE_FAILED;
    case PATH_UNDECIDED:
        workspace_end(refuter->workspace, END_UNKNOWN, "the solver could not decide a path");
        return REFUTE_FAILED;
    case PATH_STOPPED:
        return REFUTE_STOPPED;
    case PATH_INFEASIBLE:
        break;
    }
    return REFUTE_SPURIOUS;
}

static enum refute_result refute_path(struct refuter *refuter, struct path *path,
                                      const struct term *const *states, struct refutation *out)
{
    switch (workspace_option(refuter->workspace, OPTION_REFINEMENT)) {
    case REFINEMENT_UNSAT_CORE:
        return refute_core(refuter, path, out);
    case REFINEMENT_BW_BIN_ITP:
        return refute_backward(refuter, path, states, out);
    case REFINEMENT_FW_BIN_ITP:
        return refute_forward(refuter, path, states, out);
    case REFINEMENT_SEQ_ITP:
    case REFINEMENT_MULTI_SEQ:
        return refute_sequence(refuter, path, out);
    default:
        return interpolate(refuter, path, 0, path->edge_count, NULL, NULL, out);
    }
}

enum refute_result refute(struct refuter *refuter, const struct edge *const *edges,
                          size_t edge_count, const struct term *const *states,
                          struct refutation *out)
{
    struct path path;
    enum refute_result result = REFUTE_STOPPED;
    refutation_init(out, edge_count + 1);
    if (path_init(&path, refuter->workspace, edges, edge_count) &&
        feasibility_load(&refuter->feasibility, edges, edge_count))
        result = refute_path(refuter, &path, states, out);
    path_finish(&path);
    workspace_end_refutation(refuter->workspace);
    if (result != REFUTE_SPURIOUS) {
        refutation_finish(out);
        return result;
    }
    assert(out->way < WAY_COUNT);
    refuter->found[out->way]++;
    find_prune(out);
    return result;
}
