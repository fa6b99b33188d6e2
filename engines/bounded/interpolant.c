#include "engines/bounded/interpolant.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "engines/cegar/interpolation.h"

// Interpolants above this size (nodes as a tree) are refused.
#define SIZE_LIMIT 20000
// Case splits that the linear way may take.
#define FARKAS_BRANCHES 32
// Smaller ones are left as they are.
#define SIMPLIFY_SIZE 30

void interpolants_init(struct interpolants *in, struct monolith *m)
{
    *in = (struct interpolants){.monolith = m};
    cubes_init(&in->cubes, m);
    for (uint32_t v = 0; v < m->model->variable_count; v++) {
        enum sort_kind kind = m->model->variables[v]->sort->kind;
        in->numbers |= kind == SORT_INT || kind == SORT_RAT;
    }
}

void interpolants_finish(struct interpolants *in)
{
    cubes_finish(&in->cubes);
}

// No error within `depth` steps, at every location: the weakest interpolant.
static const struct term *no_error(struct monolith *m, uint32_t depth)
{
    const struct term **safe = monolith_backward_invariant(m, depth, false, NULL);
    const struct term *all = safe != NULL ? monolith_everywhere(m, safe) : NULL;
    memory_free(safe);
    return all;
}

// Placed at the state; not checked. NULL when the way does not work here.
static const struct term *propose(struct interpolants *in, enum interpolant_way way,
                                  const struct term *const parts[2], uint32_t state, uint32_t depth)
{
    struct monolith *m = in->monolith;
    struct smt_context *context = workspace_solver(m->workspace);
    const struct term *out = NULL;
    switch (way) {
    case INTERPOLANT_FARKAS:
        if (!in->numbers || !interpolate_farkas(m->store, context, parts, 2, FARKAS_BRANCHES, &out))
            return NULL;
        break;
    case INTERPOLANT_SPACER:
        if (!smt_interpolate_spacer(context, parts, 2, &out))
            return NULL;
        break;
    case INTERPOLANT_BACKWARD:
        out = no_error(m, depth);
        out = out != NULL ? monolith_at_state(m, out, state) : NULL;
        break;
    case INTERPOLANT_CUBES:
        out = cubes_interpolate(&in->cubes, parts[0], parts[1], state);
        break;
    case INTERPOLANT_WAY_COUNT:
        break;
    }
    if (out != NULL && way != INTERPOLANT_CUBES && out->tree_size > SIMPLIFY_SIZE)
        out = smt_simplify(context, out);
    return out;
}

// Two calls of the solver: one for each side. Cubes are made of such answers.
static bool is_interpolant(struct monolith *m, enum interpolant_way way,
                           const struct term *const parts[2], const struct term *found)
{
    assert(found->sort->kind == SORT_BOOL);
    if (found->flags & TERM_HAS_QUANTIFIER || found->tree_size > SIZE_LIMIT)
        return false;
    if (way == INTERPOLANT_CUBES)
        return true;
    struct smt *smt = smt_create(workspace_solver(m->workspace));
    enum smt_result proof = interpolation_inductive(smt, m->store, parts, 2, &found);
    smt_destroy(smt);
    return proof == SMT_UNSAT;
}

// States of few values are best told one by one. Weakest preconditions speak of the model's variables, so they say
// nothing about an abstract view.
static bool fits(const struct monolith *m, enum interpolant_way way)
{
    bool countable = m->abstract;
    for (size_t i = 0; i < m->tracked.count; i++) {
        enum sort_kind kind = m->tracked.data[i].seen->sort->kind;
        countable &= kind == SORT_BOOL || kind == SORT_ENUM || kind == SORT_BV;
    }
    if (way == INTERPOLANT_CUBES)
        return countable;
    return !m->abstract || (!countable && way != INTERPOLANT_BACKWARD);
}

const struct term *interpolants_find(struct interpolants *in, const struct term *before,
                                     const struct term *after, uint32_t state, uint32_t depth)
{
    assert(before->sort->kind == SORT_BOOL && after->sort->kind == SORT_BOOL && depth > 0);
    struct monolith *m = in->monolith;
    const struct term *const parts[2] = {before, after};
    for (unsigned way = 0; way < INTERPOLANT_WAY_COUNT; way++) {
        if (!fits(m, (enum interpolant_way)way))
            continue;
        const struct term *found = propose(in, (enum interpolant_way)way, parts, state, depth);
        if (!workspace_step(m->workspace, 1))
            return NULL;
        // Of that state alone, so that it means the same at any other.
        const struct term *now = found != NULL ? monolith_from_state(m, found, state) : NULL;
        bool good = now != NULL && is_interpolant(m, (enum interpolant_way)way, parts, found);
        if (!workspace_step(m->workspace, 0))
            return NULL;
        if (good) {
            in->found[way]++;
            return now;
        }
    }
    return NULL;
}

void interpolants_describe(const struct interpolants *in, char *out, size_t size)
{
    static const char *const names[] = {
#define W(constant, name) name,
        INTERPOLANT_WAYS(W)
#undef W
    };
    const char *before = "interpolants by ";
    size_t used = 0;
    for (unsigned way = 0; way < INTERPOLANT_WAY_COUNT && used < size; way++) {
        if (!in->found[way])
            continue;
        int more = snprintf(out + used, size - used, "%s%s %llu", before, names[way],
                            (unsigned long long)in->found[way]);
        used += more > 0 ? (size_t)more : 0;
        before = ", ";
    }
}
