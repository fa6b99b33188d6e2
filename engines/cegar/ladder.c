#include "engines/cegar/ladder.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/cegar/chains.h"
#include "engines/cegar/interpolation.h"

// Interpolants above this size (nodes as a tree) are refused.
#define SIZE_LIMIT 20000
// Case splits that the linear rung may take.
#define FARKAS_BRANCHES 32

// Are the interpolants of formulas a proof, and can the domains use them?
static bool is_proof(const struct chain *c, const struct term *const *parts, size_t count,
                     const struct term *const *found)
{
    struct workspace *ws = c->path->workspace;
    for (size_t i = 0; i + 1 < count; i++)
        if (found[i]->flags & TERM_HAS_QUANTIFIER || found[i]->tree_size > SIZE_LIMIT)
            return false;
    struct smt *smt = smt_create(workspace_refutation_solver(ws));
    enum smt_result proof = interpolation_check(smt, ws->store, parts, count, found);
    smt_destroy(smt);
    return proof == SMT_UNSAT;
}

static bool interpolate_formulas(const struct chain *c, enum refutation_way way,
                                 const struct term **out)
{
    struct workspace *ws = c->path->workspace;
    struct smt_context *context = workspace_refutation_solver(ws);
    if (context == NULL)
        return false;
    size_t count = c->last - c->first + 1;
    const struct term **parts = chain_parts(c);
    bool good = way == WAY_FARKAS
                    ? interpolate_farkas(ws->store, context, parts, count, FARKAS_BRANCHES, out)
                    : smt_interpolate_spacer(context, parts, count, out);
    good = good && is_proof(c, parts, count, out);
    for (size_t i = 0; good && i + 1 < count; i++)
        out[i] = chain_simplify(c->path, encoder_unshift(ws->encoder, out[i]));
    memory_free(parts);
    return good;
}

static bool try_rung(const struct rung *rung, struct chain *c, const struct term **out)
{
    c->abstraction = rung->abstraction;
    c->live = rung->live;
    switch (rung->way) {
    case WAY_FARKAS:
    case WAY_SPACER:
        return interpolate_formulas(c, rung->way, out);
    case WAY_WEAKEST:
        return chain_weakest(c, out);
    case WAY_STRONGEST:
        return chain_strongest(c, out);
    case WAY_CONFLICT:
        return chain_conflict(c, out);
    case WAY_CORE:
    case WAY_COUNT:
        break;
    }
    assert(!"no way to interpolate");
    return false;
}

#ifndef NDEBUG
// Elements speak of the model's variables alone, no matter where in the path they come from.
static bool are_of_states(const struct chain *c, const struct term *const *found)
{
    const struct model *model = c->path->workspace->model;
    struct term_vector variables = {0};
    bool good = true;
    for (size_t i = 0; i < c->last - c->first; i++)
        rewrite_free_variables(found[i], &variables);
    for (size_t v = 0; v < variables.count && good; v++)
        good = variables.data[v]->u.var.index == 0 &&
               model_variable_of(model, variables.data[v]) != NULL;
    VECTOR_FINISH(&variables);
    return good;
}

// Every refutation is checked: the sequence is inductive and ends in false. All statements count here:
// a weakest precondition follows assignments whether they are to blame or not.
static void check_sequence(const struct chain *c, const struct term *const *found)
{
    assert(are_of_states(c, found));
    struct chain whole = *c;
    whole.abstraction = ABSTRACT_NOTHING;
    struct path *path = c->path;
    struct workspace *ws = path->workspace;
    size_t count = c->last - c->first + 1;
    const struct term **parts = chain_parts(&whole);
    const struct term **shifted = memory_zalloc(count * sizeof *shifted);
    for (size_t i = 0; i + 1 < count; i++)
        shifted[i] = encoder_shift(ws->encoder, found[i], path->steps[c->first + i].after);
    struct smt *smt = smt_create(workspace_refutation_solver(ws));
    enum smt_result proof = interpolation_inductive(smt, ws->store, parts, count, shifted);
    assert(proof != SMT_SAT && "a refutation is not inductive");
    (void)proof;
    smt_destroy(smt);
    memory_free(parts);
    memory_free(shifted);
}
#endif

int ladder_climb(const struct rung *rungs, size_t rung_count, struct path *path, size_t first,
                 size_t last, const struct term *before, const struct term *after,
                 struct refutation *r)
{
    assert(rung_count > 0 && first <= last && last < path->step_count);
    // Steps at the ends without anything to blame say nothing.
    while (before == NULL && first < last && !path_blames_step(path, first))
        first++;
    while (after == NULL && first < last && !path_blames_step(path, last))
        last--;
    r->way = rungs[0].way;
    if (first == last)
        return 0; // one step contradicts itself: nothing to say between steps
    struct chain chain = {.path = path,
                          .first = first,
                          .last = last,
                          .before = before,
                          .after = after,
                          .size_limit = SIZE_LIMIT};
    const struct term **found = memory_zalloc((last - first) * sizeof *found);
    int worked = -1;
    for (size_t i = 0; i < rung_count && worked < 0; i++) {
        bool good = try_rung(&rungs[i], &chain, found);
        if (!workspace_step(path->workspace, 1))
            break;
        if (good)
            worked = (int)i;
    }
    if (worked >= 0) {
#ifndef NDEBUG
        check_sequence(&chain, found);
#endif
        memcpy(r->interpolant + first, found, (last - first) * sizeof *found);
        r->way = rungs[worked].way;
    }
    memory_free(found);
    return worked;
}
