#include "engines/cegar/refute.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/cegar/interpolation.h"
#include "engines/cegar/weakest.h"

// Checks spent on making a core smaller.
#define MINIMISE_CHECKS 40
// Interpolants above this size (nodes as a tree) are refused.
#define SIZE_LIMIT 20000
// Above this size the solver is asked to simplify.
#define SIMPLIFY_SIZE 24
// Case splits that the linear rung may take.
#define FARKAS_BRANCHES 32

static void refutation_init(struct refutation *r, size_t node_count)
{
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
    return r->variables[node].count || (t && !term_is_true(t) && !term_is_false(t));
}

static void find_prune(struct refutation *r)
{
    r->prune = r->node_count - 1;
    for (size_t i = r->node_count; i-- > 0;)
        if (says_something(r, i))
            r->prune = i;
}

static const struct term *simplify(struct path *path, const struct term *t)
{
    struct smt_context *context = workspace_solver(path->workspace);
    return t->tree_size > SIMPLIFY_SIZE && context ? smt_simplify(context, t) : t;
}

// Rungs of sequence interpolation (dependencies.md: "a ladder that fits"). Each fills
// interpolant[first … last - 1] for the infeasible steps first … last and answers whether it could.

static bool by_weakest(struct path *path, size_t first, size_t last, const struct term *after,
                       struct refutation *r)
{
    const struct term *post = after ? term_not(path->workspace->store, after)
                                    : term_false(path->workspace->store);
    for (size_t k = last; k > first; k--) {
        post = weakest_precondition(path, k, post, SIZE_LIMIT);
        if (!post)
            return false;
        post = simplify(path, post);
        if (post->flags & TERM_HAS_QUANTIFIER)
            return false;
        r->interpolant[k - 1] = post;
    }
    r->way = WAY_WEAKEST;
    return true;
}

// Formulas of the steps to blame, with the states at the ends conjoined.
static const struct term **blamed_parts(struct path *path, size_t first, size_t last,
                                        const struct term *before, const struct term *after)
{
    struct workspace *ws = path->workspace;
    size_t count = last - first + 1;
    const struct term **parts = memory_alloc(count * sizeof *parts);
    for (size_t k = first; k <= last; k++)
        parts[k - first] = path_blamed_formula(path, k);
    if (before)
        parts[0] = term_and2(ws->store, parts[0],
                             encoder_shift(ws->encoder, before, path->steps[first].before));
    if (after)
        parts[count - 1] =
            term_and2(ws->store, parts[count - 1],
                      encoder_shift(ws->encoder, after, path->steps[last].after));
    return parts;
}

// Takes over interpolants of formulas, if they are a proof and speak of model variables only.
static bool take_formulas(struct path *path, size_t first, const struct term *const *parts,
                          size_t count, const struct term *const *found, enum refutation_way way,
                          struct refutation *r)
{
    struct workspace *ws = path->workspace;
    for (size_t i = 0; i + 1 < count; i++)
        if (found[i]->flags & TERM_HAS_QUANTIFIER || found[i]->tree_size > SIZE_LIMIT)
            return false;
    struct smt *smt = smt_create(workspace_solver(ws));
    enum smt_result proof = interpolation_check(smt, ws->store, parts, count, found);
    smt_destroy(smt);
    if (proof != SMT_UNSAT)
        return false;
    for (size_t i = 0; i + 1 < count; i++)
        r->interpolant[first + i] = simplify(path, encoder_unshift(ws->encoder, found[i]));
    r->way = way;
    return true;
}

static bool by_formulas(struct path *path, size_t first, size_t last, const struct term *before,
                        const struct term *after, enum refutation_way way, struct refutation *r)
{
    struct workspace *ws = path->workspace;
    struct smt_context *context = workspace_solver(ws);
    size_t count = last - first + 1;
    const struct term **parts = blamed_parts(path, first, last, before, after);
    const struct term **found = memory_zalloc(count * sizeof *found);
    bool good =
        context && (way == WAY_FARKAS
                        ? interpolate_farkas(ws->store, context, parts, count, FARKAS_BRANCHES, found)
                        : smt_interpolate_spacer(context, parts, count, found));
    good = good && take_formulas(path, first, parts, count, found, way, r);
    memory_free(parts);
    memory_free(found);
    return good && workspace_step(ws, 1);
}

#ifndef NDEBUG
// Every refutation is checked: the sequence is inductive and ends in false. All statements count here:
// a weakest precondition follows assignments whether they are to blame or not.
static void check_sequence(struct path *path, size_t first, size_t last,
                           const struct term *before, const struct term *after,
                           const struct refutation *r)
{
    struct workspace *ws = path->workspace;
    size_t count = last - first + 1;
    uint64_t *core = path->core;
    path->core = arena_alloc(&path->arena, path->step_count * path->row_words * sizeof *core);
    memset(path->core, 0xff, path->step_count * path->row_words * sizeof *core);
    const struct term **parts = blamed_parts(path, first, last, before, after);
    path->core = core;
    const struct term **shifted = memory_zalloc(count * sizeof *shifted);
    for (size_t i = 0; i + 1 < count; i++)
        shifted[i] =
            encoder_shift(ws->encoder, r->interpolant[first + i], path->steps[first + i].after);
    struct smt *smt = smt_create(workspace_solver(ws));
    enum smt_result proof = interpolation_inductive(smt, ws->store, parts, count, shifted);
    assert(proof != SMT_SAT && "a refutation is not inductive");
    (void)proof;
    smt_destroy(smt);
    memory_free(parts);
    memory_free(shifted);
}
#endif

// Interpolants between the infeasible steps first … last, path->core being theirs.
static bool interpolate(struct path *path, size_t first, size_t last, const struct term *before,
                        const struct term *after, struct refutation *r)
{
    if (first == last)
        return true; // one step contradicts itself: nothing to say between steps
    bool good = by_formulas(path, first, last, before, after, WAY_FARKAS, r) ||
                by_weakest(path, first, last, after, r) ||
                by_formulas(path, first, last, before, after, WAY_SPACER, r);
#ifndef NDEBUG
    if (good)
        check_sequence(path, first, last, before, after, r);
#endif
    if (!good)
        workspace_end(path->workspace, END_UNKNOWN, "no interpolant was found");
    return good;
}

static enum refute_result from_path(struct path *path, enum path_result result,
                                    struct trace **trace)
{
    switch (result) {
    case PATH_FEASIBLE:
        *trace = path_trace(path);
        if (!*trace)
            workspace_end(path->workspace, END_UNKNOWN,
                          "the solver's model of a feasible path could not be read");
        return *trace ? REFUTE_FEASIBLE : REFUTE_FAILED;
    case PATH_UNDECIDED:
        workspace_end(path->workspace, END_UNKNOWN, "the solver could not decide a path");
        return REFUTE_FAILED;
    case PATH_STOPPED:
        return REFUTE_STOPPED;
    case PATH_INFEASIBLE:
        break;
    }
    return REFUTE_SPURIOUS;
}

static enum refute_result refute_sequence(struct path *path, struct refutation *r)
{
    return interpolate(path, 0, path->edge_count, NULL, NULL, r) ? REFUTE_SPURIOUS : REFUTE_FAILED;
}

static enum refute_result refute_core(struct path *path, struct refutation *r)
{
    for (size_t k = 0; k < path->edge_count; k++)
        path_blamed_variables(path, k, &r->variables[k]);
    r->way = WAY_CORE;
    return REFUTE_SPURIOUS;
}

// Drops what the interpolation said at other nodes than `node`.
static void keep_only(struct refutation *r, size_t node)
{
    for (size_t k = 0; k < r->node_count; k++)
        if (k != node)
            r->interpolant[k] = NULL;
}

// BW_BIN_ITP: the shortest infeasible suffix, with the abstract state before it; one element after its
// first step.
static enum refute_result refute_backward(struct path *path, const struct term *const *states,
                                          struct refutation *r)
{
    for (size_t k = path->edge_count;; k--) {
        const struct term *before = k ? states[k - 1] : NULL;
        enum path_result result =
            path_check(path, k, path->edge_count, before, NULL, MINIMISE_CHECKS);
        if (result == PATH_STOPPED)
            return REFUTE_STOPPED;
        if (result == PATH_INFEASIBLE) {
            if (!interpolate(path, k, path->edge_count, before, NULL, r))
                return REFUTE_FAILED;
            keep_only(r, k);
            return REFUTE_SPURIOUS;
        }
        if (k == 0) { // the whole path was infeasible a moment ago
            workspace_end(path->workspace, END_UNKNOWN, "the solver changed its mind on a path");
            return REFUTE_FAILED;
        }
    }
}

// FW_BIN_ITP: the longest feasible prefix; one element before the step that makes it infeasible.
static enum refute_result refute_forward(struct path *path, const struct term *const *states,
                                         struct refutation *r)
{
    for (size_t k = 0; k <= path->edge_count; k++) {
        enum path_result result = path_check(path, 0, k, NULL, states[k], MINIMISE_CHECKS);
        if (result == PATH_STOPPED)
            return REFUTE_STOPPED;
        if (result != PATH_INFEASIBLE)
            continue;
        if (!interpolate(path, 0, k, NULL, states[k], r))
            return REFUTE_FAILED;
        if (k > 0)
            keep_only(r, k - 1);
        return REFUTE_SPURIOUS;
    }
    workspace_end(path->workspace, END_UNKNOWN, "the solver changed its mind on a path");
    return REFUTE_FAILED;
}

enum refute_result refute(struct workspace *workspace, const struct edge *const *edges,
                          size_t edge_count, const struct term *const *states,
                          struct refutation *out, struct trace **trace)
{
    struct path path;
    enum refute_result result = REFUTE_STOPPED;
    refutation_init(out, edge_count + 1);
    if (!path_init(&path, workspace, edges, edge_count))
        goto done;
    result = from_path(&path, path_check(&path, 0, edge_count, NULL, NULL, MINIMISE_CHECKS), trace);
    if (result != REFUTE_SPURIOUS)
        goto done;
    switch (workspace_option(workspace, OPTION_REFINEMENT)) {
    case REFINEMENT_UNSAT_CORE:
        result = refute_core(&path, out);
        break;
    case REFINEMENT_BW_BIN_ITP:
        result = refute_backward(&path, states, out);
        break;
    case REFINEMENT_FW_BIN_ITP:
        result = refute_forward(&path, states, out);
        break;
    default:
        result = refute_sequence(&path, out);
        break;
    }
    find_prune(out);
done:
    path_finish(&path);
    if (result != REFUTE_SPURIOUS)
        refutation_finish(out);
    return result;
}
