#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/bounded/bounded.h"
#include "engines/bounded/unrolling.h"
#include "engines/pdr/ic3.h"

// IC3, or property-directed reachability (Bradley 2011; Eén, Mishchenko, Brayton 2011). States are cubes over the
// values of variables where these are finite; else over predicates, refined from spurious traces (implicit
// abstraction: Cimatti, Griggio, Mover, Tonetta 2014).

struct obligation {
    const struct cube *cube;
    const struct edge *edge;          // from the cube into that of …
    const struct obligation *towards; // … NULL: the error
    uint32_t level;
    uint64_t number;
};

enum ic3_step { IC3_GO_ON, IC3_SAFE, IC3_UNSAFE, IC3_REFINED, IC3_END };

// A new obligation from the solver's model; NULL when the model cannot be read.
static struct obligation *read_state(struct ic3 *c, struct smt *smt, uint32_t level,
                                     const struct obligation *towards)
{
    const struct edge *edge = monolith_edge_taken(&c->monolith, smt, 0, towards == NULL);
    if (!states_read(c, smt, edge, towards != NULL ? towards->cube : NULL))
        return NULL;
    struct obligation *o = arena_alloc(&c->arena, sizeof *o);
    *o = (struct obligation){
        .cube = cube_make(&c->arena, c->literals.data, c->literals.count),
        .edge = edge,
        .towards = towards,
        .level = level,
        .number = c->obligations++,
    };
    assert(towards == NULL || level + 1 == towards->level);
    frames_learn(&c->frames);
    VECTOR_PUSH(&c->open, o);
    return o;
}

// The lowest frame first, in it the newest.
static struct obligation *take(struct ic3 *c)
{
    assert(c->open.count > 0);
    size_t best = 0;
    for (size_t i = 1; i < c->open.count; i++) {
        const struct obligation *a = c->open.data[i], *b = c->open.data[best];
        if (a->level < b->level || (a->level == b->level && a->number > b->number))
            best = i;
    }
    struct obligation *o = c->open.data[best];
    c->open.data[best] = VECTOR_LAST(&c->open);
    c->open.count--;
    return o;
}

// Counterexamples.

static void tell(struct ic3 *c, struct engine_event event)
{
    event.iteration = c->frames.top;
    event.precision_size = c->facts.table.count;
    workspace_tell(&c->workspace, &event);
}

static enum ic3_step refine(struct ic3 *c, const struct edge *const *edges, size_t count)
{
    const struct term **states = memory_alloc((count + 1) * sizeof *states);
    for (size_t i = 0; i <= count; i++)
        states[i] = term_true(c->workspace.store);
    struct refutation refutation;
    enum refute_result result = refute(&c->refuter, edges, count, states, &refutation);
    memory_free(states);
    if (result != REFUTE_SPURIOUS)
        return IC3_END;
    bool added = false;
    for (size_t i = 0; i < refutation.node_count; i++)
        if (refutation.interpolant[i] != NULL)
            states_add_predicates(c, refutation.interpolant[i], &added);
    refutation_finish(&refutation);
    frames_learn(&c->frames);
    VECTOR_CLEAR(&c->open);
    c->refinements++;
    atomic_store_explicit(&c->workspace.progress->refinements, c->refinements,
                          memory_order_relaxed);
    tell(c, (struct engine_event){.kind = EVENT_REFINED, .precision_changed = added});
    if (!added)
        workspace_end(&c->workspace, END_UNKNOWN, "a refinement found no new predicate");
    return c->workspace.reason == END_NONE ? IC3_REFINED : IC3_END;
}

#ifndef NDEBUG
// Each edge ends where the next one begins, the last one in the error location.
static bool is_path(const struct obligation *o)
{
    for (; o->towards != NULL; o = o->towards)
        if (o->edge->target != o->towards->edge->source)
            return false;
    return true;
}
#endif

static enum ic3_step counterexample(struct ic3 *c, const struct obligation *first)
{
    VECTOR(const struct edge *) edges = {0};
    assert(is_path(first));
    for (const struct obligation *o = first; o != NULL; o = o->towards)
        VECTOR_PUSH(&edges, o->edge);
    enum ic3_step outcome = IC3_END;
    switch (refute_check(&c->refuter, edges.data, edges.count, &c->result.trace)) {
    case REFUTE_FEASIBLE:
        outcome = IC3_UNSAFE;
        break;
    case REFUTE_SPURIOUS:
        if (c->values)
            workspace_end(&c->workspace, END_INTERNAL, "a trace over values was spurious");
        else
            outcome = refine(c, edges.data, edges.count);
        break;
    case REFUTE_FAILED:
    case REFUTE_STOPPED:
        break;
    }
    VECTOR_FINISH(&edges);
    return outcome;
}

static enum ic3_step treat(struct ic3 *c, struct obligation *o)
{
    assert(o->level <= c->frames.top);
    if (o->level == 0)
        return counterexample(c, o);
    if (frames_blocks(&c->frames, o->cube, o->level)) {
        if (o->level++ < c->frames.top)
            VECTOR_PUSH(&c->open, o);
        return IC3_GO_ON;
    }
    switch (frames_initial(&c->frames, o->cube->literals, o->cube->count, &c->other)) {
    case FRAMES_YES:
        return counterexample(c, o);
    case FRAMES_STOPPED:
        return IC3_END;
    case FRAMES_NO:
        break;
    }
    switch (generalise_ask(c, o->cube, o->level, &c->other)) {
    case FRAMES_YES:
        VECTOR_PUSH(&c->open, o);
        return read_state(c, c->frames.step, o->level - 1, o) != NULL ? IC3_GO_ON : IC3_END;
    case FRAMES_STOPPED:
        return IC3_END;
    case FRAMES_NO:
        break;
    }
    uint32_t level = o->level;
    if (!generalise_and_block(c, &level))
        return IC3_END;
    o->level = level + 1;
    if (o->level <= c->frames.top)
        VECTOR_PUSH(&c->open, o);
    return IC3_GO_ON;
}

// Excludes all bad states from the top frame.
static enum ic3_step strengthen(struct ic3 *c)
{
    for (;;) {
        enum ic3_step outcome = IC3_GO_ON;
        while (c->open.count && outcome == IC3_GO_ON)
            outcome = treat(c, take(c));
        if (outcome == IC3_REFINED)
            company_share(c);
        else if (outcome != IC3_GO_ON)
            return outcome;
        switch (frames_bad(&c->frames, c->frames.top)) {
        case FRAMES_NO:
            return IC3_GO_ON;
            assert(c->open.count == 0);
        case FRAMES_STOPPED:
            return IC3_END;
        case FRAMES_YES:
            if (read_state(c, c->frames.bad, c->frames.top, NULL) == NULL)
                return IC3_END;
        }
    }
}

// Propagation, and the proof.

static const struct term *excluded_at(struct ic3 *c, const struct cube *cube, uint32_t location)
{
    struct term_vector parts = {0};
    bool elsewhere = false;
    for (uint32_t i = 0; i < cube->count; i++) {
        uint32_t where = c->facts.table.data[cube->literals[i] / 2].location;
        if (where == UINT32_MAX)
            VECTOR_PUSH(&parts, literal_now(&c->facts, cube->literals[i]));
        else
            elsewhere |= where != location;
    }
    const struct term *inside = elsewhere ? term_false(c->workspace.store)
                                          : term_and(c->workspace.store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return term_not(c->workspace.store, inside);
}

// What the frames from `level` on exclude.
static const struct term **invariant(struct ic3 *c, uint32_t level)
{
    const struct model *model = c->workspace.model;
    const struct term **out = memory_alloc(model->location_count * sizeof *out);
    for (uint32_t l = 0; l < model->location_count; l++) {
        struct term_vector parts = {0};
        if (model->locations[l] == model->error)
            VECTOR_PUSH(&parts, term_false(c->workspace.store));
        for (uint32_t k = level; k <= c->frames.top; k++)
            for (size_t i = 0; i < c->frames.levels.data[k].cubes.count; i++)
                VECTOR_PUSH(&parts, excluded_at(c, c->frames.levels.data[k].cubes.data[i], l));
        out[l] = term_and(c->workspace.store, parts.data, parts.count);
        VECTOR_FINISH(&parts);
    }
    assert(term_is_false(out[model->error->index]));
    return out;
}

static enum ic3_step propagate(struct ic3 *c)
{
    for (uint32_t k = 1; k < c->frames.top; k++) {
        struct cube_list *list = &c->frames.levels.data[k];
        for (size_t i = 0; i < list->cubes.count;) {
            const struct cube *cube = list->cubes.data[i];
            enum frames_answer answer =
                frames_reaches(&c->frames, cube->literals, cube->count, k + 1, false, NULL);
            if (answer == FRAMES_STOPPED)
                return IC3_END;
            if (answer == FRAMES_NO)
                frames_block(&c->frames, cube, k + 1); // leaves this list
            else
                i++;
        }
        if (list->cubes.count == 0) {
            c->result.invariant = invariant(c, k + 1);
            return IC3_SAFE;
        }
    }
    return IC3_GO_ON;
}

static void publish(struct ic3 *c)
{
    struct progress *p = c->workspace.progress;
    uint64_t cubes = 0, bytes = term_store_bytes(c->workspace.store) + c->arena.bytes;
    for (size_t k = 0; k < c->frames.levels.count; k++)
        cubes += c->frames.levels.data[k].cubes.count;
    atomic_store_explicit(&p->iterations, c->frames.top + 1, memory_order_relaxed);
    atomic_store_explicit(&p->nodes, cubes, memory_order_relaxed);
    atomic_store_explicit(&p->nodes_created, c->obligations, memory_order_relaxed);
    atomic_store_explicit(&p->precision, c->facts.table.count, memory_order_relaxed);
    atomic_store_explicit(&p->bytes, bytes, memory_order_relaxed);
    workspace_publish_solver_statistics(&c->workspace);
    uint64_t limit = c->workspace.environment->memory_limit;
    if (limit && bytes > limit)
        workspace_end(&c->workspace, END_MEMORY, "the attempt's memory limit was reached");
}

static enum ic3_step loop(struct ic3 *c)
{
    for (;;) {
        publish(c);
        atomic_store_explicit(&c->workspace.progress->phase, ENGINE_ABSTRACTING,
                              memory_order_relaxed);
        tell(c, (struct engine_event){.kind = EVENT_ROUND});
        if (!workspace_step(&c->workspace, 0))
            return IC3_END;
        company_share(c);
        enum ic3_step outcome = strengthen(c);
        if (outcome != IC3_GO_ON)
            return outcome;
        bounds_give(&c->bounds, c->frames.top + 1); // no bad state in the top frame
        frames_open(&c->frames);
        atomic_store_explicit(&c->workspace.progress->phase, ENGINE_REFINING, memory_order_relaxed);
        outcome = propagate(c);
        if (outcome != IC3_GO_ON)
            return outcome;
    }
}

static void finish(struct ic3 *c)
{
    refuter_finish(&c->refuter);
    bounds_finish(&c->bounds);
    frames_finish(&c->frames);
    facts_finish(&c->facts);
    monolith_finish(&c->monolith);
    VECTOR_FINISH(&c->open);
    VECTOR_FINISH(&c->literals);
    VECTOR_FINISH(&c->core);
    VECTOR_FINISH(&c->other);
    VECTOR_FINISH(&c->activity);
    arena_finish(&c->arena);
    workspace_finish(&c->workspace);
}

static bool is_finite(const struct sort *sort)
{
    return sort->kind == SORT_BOOL || sort->kind == SORT_ENUM || sort->kind == SORT_BV;
}

static bool all_finite(const struct monolith *m)
{
    for (uint32_t v = 0; v < m->model->variable_count; v++)
        if (m->state[v] && !is_finite(m->model->variables[v]->sort))
            return false;
    return true;
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct ic3 *c = memory_zalloc(sizeof *c);
    workspace_init(&c->workspace, environment);
    monolith_init(&c->monolith, &c->workspace);
    arena_init(&c->arena);
    refuter_init(&c->refuter, &c->workspace);
    bounds_init(&c->bounds, &c->workspace);
    facts_init(&c->facts, &c->monolith);
    c->values =
        workspace_option(&c->workspace, OPTION_CUBES) == CUBES_VALUES && all_finite(&c->monolith);
    if (c->values && workspace_option(&c->workspace, OPTION_SAT) &&
        monolith_is_finite(&c->monolith))
        c->workspace.finite = FINITE_EASY;
    c->depth = (unsigned)workspace_option(&c->workspace, OPTION_CTG_DEPTH);
    c->count = (unsigned)workspace_option(&c->workspace, OPTION_CTG_COUNT);
    c->bump = 1;
    states_begin(c);
    enum ic3_step outcome = IC3_END;
    if (environment->model->initial == environment->model->error)
        workspace_end(&c->workspace, END_UNKNOWN, "the model starts in its error location");
    else if (frames_init(&c->frames, &c->monolith, &c->facts, &c->arena))
        outcome = loop(c);
    publish(c);
    atomic_store_explicit(&c->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    struct engine_result result = c->result;
    result.verdict = outcome == IC3_SAFE     ? VERDICT_SAFE
                     : outcome == IC3_UNSAFE ? VERDICT_UNSAFE
                                             : VERDICT_UNKNOWN;
    result.reason = result.verdict == VERDICT_UNKNOWN ? c->workspace.reason : END_SOLVED;
    result.why = result.verdict == VERDICT_UNKNOWN ? c->workspace.why : NULL;
    result.solver = workspace_solver_statistics(&c->workspace);
    result.sat_solver = workspace_sat_solver(&c->workspace);
    assert((result.verdict == VERDICT_SAFE) == (result.invariant != NULL));
    assert((result.verdict == VERDICT_UNSAFE) == (result.trace != NULL));
    company_describe(c, result.notes, sizeof result.notes);
    finish(c);
    memory_free(c);
    return result;
}

const struct engine engine_ic3 = {
    .name = "ic3",
    .description = "IC3: frames of blocked cubes over values or predicates",
    .preparation = bounded_preparation,
    .run = run,
};
