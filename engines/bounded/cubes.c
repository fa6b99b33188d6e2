#include "engines/bounded/cubes.h"

#include <assert.h>
#include <stdio.h>

#define MOST_CUBES 1000
// Literals that a cube was not found to do without, before the rest is left as it is.
#define MOST_FAILURES 24

static void find_shared(struct cubes *c, uint32_t state)
{
    assert(c->shared.count == 0);
    struct monolith *m = c->m;
    for (uint32_t i = 0; i < m->pc_count; i++)
        VECTOR_PUSH(&c->shared, monolith_at_state(m, m->pc[i], state));
    for (size_t i = 0; i < m->tracked.count; i++)
        VECTOR_PUSH(&c->shared, monolith_at_state(m, m->tracked.data[i].seen, state));
    for (uint32_t v = 0; v < m->model->variable_count && !m->abstract; v++)
        if (m->state[v])
            VECTOR_PUSH(&c->shared, monolith_at_state(m, m->model->variables[v]->term, state));
}

// What the value says, in literals that can be left out one by one.
static void add_value(struct cubes *c, const struct term *shared, const struct term *value)
{
    struct term_store *store = c->m->store;
    if (shared->sort->kind != SORT_BV) {
        VECTOR_PUSH(&c->literals, term_eq(store, shared, value));
        return;
    }
    for (uint32_t i = 0; i < shared->sort->width; i++)
        VECTOR_PUSH(&c->literals, term_eq(store, term_bv_extract(store, shared, i, i),
                                          term_bv_extract(store, value, i, i)));
}

// A variable that implies the literal, in `after`: not all solvers assume more than variables.
static const struct term *mark_of(struct cubes *c, const struct term *literal)
{
    assert(literal->sort->kind == SORT_BOOL && c->smt != NULL);
    const struct term *mark = id_map_get(&c->marks, literal->id);
    if (mark != NULL)
        return mark;
    struct term_store *store = c->m->store;
    char name[32];
    snprintf(name, sizeof name, "!cube.%zu", c->marks.count);
    mark = term_var(store, name, sort_bool(store));
    smt_assert(c->smt, term_implies(store, mark, literal));
    id_map_put(&c->marks, literal->id, mark);
    return mark;
}

static bool go_on(struct cubes *c, const struct smt *smt, enum smt_result result)
{
    struct workspace *ws = c->m->workspace;
    bool tolerable = result != SMT_UNKNOWN || workspace_tolerate(ws, smt);
    return workspace_step(ws, 1) && tolerable;
}

static bool is_among(const struct term_vector *terms, const struct term *term)
{
    for (size_t i = 0; i < terms->count; i++)
        if (terms->data[i] == term)
            return true;
    return false;
}

// Do the literals, all but number `without`, contradict `after`? The core replaces them. Not decided counts as no.
static bool contradicts(struct cubes *c, size_t without)
{
    struct term_vector assumed = {0}, core = {0}, kept = {0};
    for (size_t i = 0; i < c->literals.count; i++)
        if (i != without)
            VECTOR_PUSH(&assumed, mark_of(c, c->literals.data[i]));
    enum smt_result result = smt_check_assuming(c->smt, assumed.data, assumed.count);
    bool good = go_on(c, c->smt, result) && result == SMT_UNSAT && smt_unsat_core(c->smt, &core);
    for (size_t i = 0; i < c->literals.count && good; i++)
        if (is_among(&core, mark_of(c, c->literals.data[i])))
            VECTOR_PUSH(&kept, c->literals.data[i]);
    if (good) {
        VECTOR_CLEAR(&c->literals);
        for (size_t i = 0; i < kept.count; i++)
            VECTOR_PUSH(&c->literals, kept.data[i]);
    }
    assert(!good || (kept.count <= assumed.count && kept.count <= core.count));
    VECTOR_FINISH(&assumed);
    VECTOR_FINISH(&core);
    VECTOR_FINISH(&kept);
    return good;
}

// The state in the model of `before`, as a cube that contradicts `after`. NULL: it cannot be told, or does not.
static const struct term *generalise(struct cubes *c, struct smt *before)
{
    VECTOR_CLEAR(&c->literals);
    for (size_t i = 0; i < c->shared.count; i++) {
        const struct term *value = smt_model_value(before, c->shared.data[i]);
        if (value == NULL)
            return NULL;
        add_value(c, c->shared.data[i], value);
    }
    if (!contradicts(c, SIZE_MAX))
        return NULL;
    unsigned failures = 0;
    for (size_t i = c->literals.count; i-- > 0 && failures < MOST_FAILURES;) {
        if (i >= c->literals.count)
            continue; // the core was smaller still
        failures += !contradicts(c, i);
        if (c->m->workspace->reason != END_NONE)
            return NULL;
    }
    return term_and(c->m->store, c->literals.data, c->literals.count);
}

// A cube that the model of `before` is in: one of those that are known, else a new one.
static const struct term *cube_of(struct cubes *c, struct smt *before)
{
    for (size_t i = 0; i < c->known.count; i++) {
        const struct term *inside = smt_model_value(before, c->known.data[i]);
        if (inside != NULL && term_is_true(inside))
            return c->known.data[i];
    }
    const struct term *cube = generalise(c, before);
    if (cube != NULL)
        VECTOR_PUSH(&c->known, cube);
    return cube;
}

static const struct term *collect(struct cubes *c, struct smt *before)
{
    struct term_store *store = c->m->store;
    struct term_vector cubes = {0};
    const struct term *all = NULL;
    while (cubes.count <= MOST_CUBES) {
        enum smt_result result = smt_check(before);
        if (!go_on(c, before, result) || result == SMT_UNKNOWN)
            break;
        if (result == SMT_UNSAT) {
            all = term_or(store, cubes.data, cubes.count);
            break;
        }
        const struct term *cube = cube_of(c, before);
        if (cube == NULL)
            break;
        VECTOR_PUSH(&cubes, cube);
        smt_assert(before, term_not(store, cube));
    }
    VECTOR_FINISH(&cubes);
    return all;
}

void cubes_init(struct cubes *c, struct monolith *m)
{
    *c = (struct cubes){.m = m};
}

void cubes_finish(struct cubes *c)
{
    smt_destroy(c->smt);
    id_map_finish(&c->marks);
    VECTOR_FINISH(&c->known);
    VECTOR_FINISH(&c->shared);
    VECTOR_FINISH(&c->literals);
}

static void begin(struct cubes *c, const struct term *after, uint32_t state)
{
    struct monolith *m = c->m;
    cubes_finish(c);
    *c = (struct cubes){.m = m, .after = after, .state = state, .tracked = m->tracked.count};
    c->smt = smt_create(workspace_solver(m->workspace));
    smt_assert(c->smt, after);
    find_shared(c, state);
}

const struct term *cubes_interpolate(struct cubes *c, const struct term *before,
                                     const struct term *after, uint32_t state)
{
    if (c->after != after || c->state != state || c->tracked != c->m->tracked.count)
        begin(c, after, state);
    assert(c->after == after && c->state == state);
    struct smt *smt = smt_create(workspace_solver(c->m->workspace));
    smt_assert(smt, before);
    const struct term *found = collect(c, smt);
    smt_destroy(smt);
    return found;
}
