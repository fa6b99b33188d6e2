#include "engines/bounded/unrolling.h"

#include <assert.h>

bool unrolling_init(struct unrolling *u, struct monolith *monolith, bool initial)
{
    *u = (struct unrolling){
        .monolith = monolith, .initial = initial, .told = monolith->tracked.count};
    struct smt_context *context = workspace_solver(monolith->workspace);
    if (context == NULL)
        return false;
    u->smt = smt_create(context);
    if (initial)
        smt_assert(u->smt, monolith->initial);
    return true;
}

static void assert_at(struct unrolling *u, const struct term *formula, uint32_t state)
{
    if (formula != NULL)
        smt_assert(u->smt, monolith_at_state(u->monolith, formula, state));
}

void unrolling_begin(struct unrolling *u)
{
    assert(u->length == 0);
    assert_at(u, u->always, 0);
}

void unrolling_finish(struct unrolling *u)
{
    smt_destroy(u->smt);
    u->smt = NULL;
}

static void push_different(struct unrolling *u, const struct term *plain, uint32_t a, uint32_t b,
                           struct term_vector *out)
{
    struct monolith *m = u->monolith;
    VECTOR_PUSH(out, term_not(m->store, term_eq(m->store, monolith_at_state(m, plain, a),
                                                monolith_at_state(m, plain, b))));
}

// Some variable that matters, or the location, differs between two states; of abstract states, something that is seen.
static const struct term *differ(struct unrolling *u, uint32_t a, uint32_t b)
{
    assert(a < b && b <= u->length);
    struct monolith *m = u->monolith;
    struct term_vector parts = {0};
    for (uint32_t v = 0; v < m->model->variable_count && !m->abstract; v++)
        if (m->state[v] && m->width[v])
            push_different(u, m->model->variables[v]->term, a, b, &parts);
    for (size_t i = 0; i < m->tracked.count; i++)
        push_different(u, m->tracked.data[i].seen, a, b, &parts);
    for (uint32_t i = 0; i < m->pc_count; i++)
        push_different(u, m->pc[i], a, b, &parts);
    const struct term *any = term_or(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return any;
}

// States that look the same in an abstract view may differ in what is tracked later: that they have to differ holds under
// a variable that is assumed, of which there is another one then. NULL: it holds for good.
static const struct term *guard(struct unrolling *u)
{
    struct term_store *store = u->monolith->store;
    const struct term *plain = term_var(store, "!distinct", sort_bool(store));
    return u->simple && u->monolith->abstract ? term_var_copy(store, plain, (uint32_t)u->told)
                                              : NULL;
}

// The state differs from all before it.
static void assert_distinct(struct unrolling *u, uint32_t state)
{
    const struct term *held = guard(u);
    for (uint32_t k = 0; k < state; k++) {
        const struct term *distinct = differ(u, k, state);
        if (held != NULL)
            distinct = term_implies(u->monolith->store, held, distinct);
        smt_assert(u->smt, distinct);
    }
}

static void learn(struct unrolling *u)
{
    assert(u->told <= u->monolith->tracked.count);
    struct monolith *m = u->monolith;
    if (u->told == m->tracked.count)
        return;
    const struct term *now = monolith_tie(m, u->told);
    const struct term *both = term_and2(m->store, now, monolith_next(m, now));
    if (u->initial)
        smt_assert(u->smt, monolith_tie_start(m, u->told));
    for (uint32_t step = 1; step <= u->length; step++)
        smt_assert(u->smt, monolith_at_step(m, both, step));
    if (u->simple)
        smt_assert(u->smt, term_not(m->store, guard(u)));
    u->told = m->tracked.count;
    for (uint32_t state = 1; u->simple && state <= u->length; state++)
        assert_distinct(u, state);
    assert(u->told == m->tracked.count);
}

void unrolling_extend(struct unrolling *u)
{
    learn(u);
    assert_at(u, u->every, u->length);
    u->length++;
    smt_assert(u->smt, monolith_at_step(u->monolith, u->monolith->transition, u->length));
    assert_at(u, u->always, u->length);
    if (u->simple)
        assert_distinct(u, u->length);
}

static enum unrolling_answer answer(struct unrolling *u, enum smt_result result)
{
    assert(result == SMT_UNKNOWN || u->told == u->monolith->tracked.count);
    struct workspace *ws = u->monolith->workspace;
    if (result == SMT_UNKNOWN && !workspace_tolerate(ws, u->smt))
        return UNROLLING_STOPPED;
    if (!workspace_step(ws, 1))
        return UNROLLING_STOPPED;
    return result == SMT_UNSAT ? UNROLLING_NO
           : result == SMT_SAT ? UNROLLING_YES
                               : UNROLLING_UNDECIDED;
}

enum unrolling_answer unrolling_exists(struct unrolling *u)
{
    learn(u);
    const struct term *held = guard(u);
    return answer(u, held != NULL ? smt_check_assuming(u->smt, &held, 1) : smt_check(u->smt));
}

enum unrolling_answer unrolling_ends_badly(struct unrolling *u)
{
    struct monolith *m = u->monolith;
    learn(u);
    // A formula of its own, so that it counts for this check only.
    const struct term *plain = term_var(m->store, "!bad", sort_bool(m->store));
    const struct term *wanted = term_var_copy(m->store, plain, u->length + 1);
    smt_assert(u->smt, term_implies(m->store, wanted, monolith_at_step(m, m->bad, u->length + 1)));
    const struct term *held = guard(u);
    const struct term *assumed[] = {wanted, held};
    enum unrolling_answer result =
        answer(u, smt_check_assuming(u->smt, assumed, held != NULL ? 2 : 1));
    if (result == UNROLLING_NO)
        smt_assert(u->smt, term_not(m->store, wanted));
    return result;
}

const struct term *unrolling_not_bad(struct monolith *m)
{
    struct term_vector parts = {0};
    for (uint32_t e = 0; e < m->model->edge_count; e++) {
        const struct edge *edge = m->model->edges[e];
        if (edge->target != m->model->error)
            continue;
        const struct term *blocked = monolith_weakest(m, edge->action, term_false(m->store));
        if (blocked != NULL)
            VECTOR_PUSH(&parts, term_implies(m->store, m->at[edge->source->index], blocked));
    }
    const struct term *all = term_and(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}
