#include <string.h>

#include "base/memory.h"
#include "engines/bounded/unrolling.h"
#include "engines/cegar/refute.h"
#include "engines/domains/bounds.h"
#include "engines/pdr/frames.h"
#include "engines/pdr/lift.h"

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

struct ic3 {
    struct workspace workspace;
    struct monolith monolith;
    struct facts facts;
    struct frames frames;
    struct arena arena;
    struct refuter refuter;
    struct bounds bounds;
    bool values; // cubes over values, else predicates
    VECTOR(struct obligation *) open;
    struct facts_literals literals, core, other; // scratch
    uint64_t obligations, refinements;
    struct engine_result result;
};

enum outcome { OUTCOME_GO_ON, OUTCOME_SAFE, OUTCOME_UNSAFE, OUTCOME_REFINED, OUTCOME_END };

static void preparation(const struct configuration *configuration, struct prepare_options *out)
{
    const int64_t *v = configuration->values;
    *out = (struct prepare_options){
        .encoding = v[OPTION_ENCODING] == ENCODING_LBE ? PREPARE_LARGE_BLOCK : PREPARE_SINGLE_BLOCK,
        .propagate_constants = v[OPTION_PROPAGATE],
        .cone_of_influence = v[OPTION_CONE],
        .split_choices = v[OPTION_SPLIT] > 0,
        .split_limit = (uint32_t)v[OPTION_SPLIT],
    };
}

// Facts.

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

static void add_predicates(struct ic3 *c, const struct term *formula, bool *added)
{
    struct term_vector atoms = {0};
    rewrite_atoms(formula, &atoms);
    for (size_t i = 0; i < atoms.count; i++) {
        const struct term *atom = atoms.data[i];
        if ((atom->flags & TERM_HAS_QUANTIFIER) || facts_has(&c->facts, atom))
            continue;
        facts_add(&c->facts, atom, UINT32_MAX);
        *added = true;
    }
    VECTOR_FINISH(&atoms);
}

static void add_facts(struct ic3 *c)
{
    struct monolith *m = &c->monolith;
    bool added = false;
    for (uint32_t l = 0; m->pc_count && l < m->model->location_count; l++)
        if (m->model->locations[l] != m->model->error)
            facts_add(&c->facts, m->at[l], l);
    if (c->values)
        return;
    for (uint32_t v = 0; v < m->model->variable_count; v++)
        if (m->state[v] && m->model->variables[v]->sort->kind == SORT_BOOL)
            facts_add(&c->facts, m->model->variables[v]->term, UINT32_MAX);
    for (uint32_t e = 0; e < m->model->edge_count; e++)
        if (m->model->edges[e]->target == m->model->error) {
            const struct term *blocked =
                monolith_weakest(m, m->model->edges[e]->action, term_false(m->store));
            if (blocked)
                add_predicates(c, blocked, &added);
        }
}

// The literals that say that the variable has this value.
static void add_value(struct ic3 *c, const struct term *variable, const struct term *value)
{
    struct term_store *store = c->workspace.store;
    switch (variable->sort->kind) {
    case SORT_BOOL:
        VECTOR_PUSH(&c->literals,
                    2 * facts_add(&c->facts, variable, UINT32_MAX) + term_is_false(value));
        return;
    case SORT_BV:
        for (uint32_t i = 0; i < variable->sort->width; i++) {
            const struct term *one = term_bv(store, 1, 1);
            const struct term *bit = term_eq(store, term_bv_extract(store, variable, i, i), one);
            bool set = term_bv_extract(store, value, i, i) == one;
            VECTOR_PUSH(&c->literals, 2 * facts_add(&c->facts, bit, UINT32_MAX) + !set);
        }
        return;
    default:
        VECTOR_PUSH(&c->literals,
                    2 * facts_add(&c->facts, term_eq(store, variable, value), UINT32_MAX));
    }
}

static void add_location(struct ic3 *c, const struct location *location)
{
    if (c->monolith.pc_count)
        VECTOR_PUSH(&c->literals,
                    2 * facts_add(&c->facts, c->monolith.at[location->index], location->index));
}

// States.

// The obligation's cube without its location, as a formula.
static const struct term *target_of(struct ic3 *c, const struct obligation *towards)
{
    struct term_vector parts = {0};
    for (uint32_t i = 0; towards && i < towards->cube->count; i++)
        if (c->facts.table.data[towards->cube->literals[i] / 2].location == UINT32_MAX)
            VECTOR_PUSH(&parts, literal_now(&c->facts, towards->cube->literals[i]));
    const struct term *all = term_and(c->workspace.store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

// Of the literals from `first` on, keeps some that alone make the condition true: inside an operator on bit-vectors
// not every bit counts.
static void drop_bits(struct ic3 *c, const struct term *condition, size_t first)
{
    frames_learn(&c->frames);
    VECTOR_CLEAR(&c->core);
    if (!frames_imply(&c->frames, c->literals.data + first, c->literals.count - first, condition,
                      &c->core))
        return;
    c->literals.count = first;
    for (size_t i = 0; i < c->core.count; i++)
        VECTOR_PUSH(&c->literals, c->core.data[i]);
}

// Many states that, as the one in the solver's model, can take the edge into the target.
static bool read_values(struct ic3 *c, struct smt *smt, const struct edge *edge,
                        const struct obligation *towards)
{
    struct term_vector variables = {0}, values = {0};
    const struct term *condition = lift_condition(&c->monolith, smt, edge, target_of(c, towards));
    bool good = condition && lift_justify(&c->monolith, smt, condition, &variables, &values);
    size_t others = c->literals.count; // the location's
    for (size_t i = 0; i < variables.count && good; i++)
        add_value(c, variables.data[i], values.data[i]);
    if (good && c->workspace.finite == FINITE_EASY)
        drop_bits(c, condition, others);
    VECTOR_FINISH(&variables);
    VECTOR_FINISH(&values);
    return good;
}

static bool read_predicates(struct ic3 *c, struct smt *smt)
{
    for (size_t i = 0; i < c->facts.table.count; i++) {
        const struct fact *f = &c->facts.table.data[i];
        if (f->location != UINT32_MAX)
            continue;
        const struct term *value = smt_model_value(smt, f->now);
        if (!value)
            return false;
        VECTOR_PUSH(&c->literals, (uint32_t)(2 * i + term_is_false(value)));
    }
    return true;
}

// A new obligation from the solver's model; NULL when the model cannot be read.
static struct obligation *read_state(struct ic3 *c, struct smt *smt, uint32_t level,
                                     const struct obligation *towards)
{
    const struct edge *edge = monolith_edge_taken(&c->monolith, smt, 0, towards == NULL);
    VECTOR_CLEAR(&c->literals);
    if (edge)
        add_location(c, edge->source);
    if (!edge || !(c->values ? read_values(c, smt, edge, towards) : read_predicates(c, smt))) {
        workspace_end(&c->workspace, END_UNKNOWN, "the solver's model of a step could not be read");
        return NULL;
    }
    struct obligation *o = arena_alloc(&c->arena, sizeof *o);
    *o = (struct obligation){
        .cube = cube_make(&c->arena, c->literals.data, c->literals.count),
        .edge = edge,
        .towards = towards,
        .level = level,
        .number = c->obligations++,
    };
    frames_learn(&c->frames);
    VECTOR_PUSH(&c->open, o);
    return o;
}

// The lowest frame first, in it the newest.
static struct obligation *take(struct ic3 *c)
{
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
    const struct engine_environment *environment = c->workspace.environment;
    event.iteration = c->frames.top;
    event.precision_size = c->facts.table.count;
    struct advice advice = {.kind = ADVICE_GO_ON};
    if (environment->observe)
        advice = environment->observe(environment->observer, &event);
    if (advice.kind == ADVICE_STOP)
        workspace_end(&c->workspace, advice.reason, advice.why);
}

static enum outcome refine(struct ic3 *c, const struct edge *const *edges, size_t count)
{
    const struct term **states = memory_alloc((count + 1) * sizeof *states);
    for (size_t i = 0; i <= count; i++)
        states[i] = term_true(c->workspace.store);
    struct refutation refutation;
    enum refute_result result = refute(&c->refuter, edges, count, states, &refutation);
    memory_free(states);
    if (result != REFUTE_SPURIOUS)
        return OUTCOME_END;
    bool added = false;
    for (size_t i = 0; i < refutation.node_count; i++)
        if (refutation.interpolant[i])
            add_predicates(c, refutation.interpolant[i], &added);
    refutation_finish(&refutation);
    frames_learn(&c->frames);
    VECTOR_CLEAR(&c->open);
    c->refinements++;
    atomic_store_explicit(&c->workspace.progress->refinements, c->refinements,
                          memory_order_relaxed);
    tell(c, (struct engine_event){.kind = EVENT_REFINED, .precision_changed = added});
    if (!added)
        workspace_end(&c->workspace, END_UNKNOWN, "a refinement found no new predicate");
    return c->workspace.reason == END_NONE ? OUTCOME_REFINED : OUTCOME_END;
}

static enum outcome counterexample(struct ic3 *c, const struct obligation *first)
{
    VECTOR(const struct edge *) edges = {0};
    for (const struct obligation *o = first; o; o = o->towards)
        VECTOR_PUSH(&edges, o->edge);
    enum outcome outcome = OUTCOME_END;
    switch (refute_check(&c->refuter, edges.data, edges.count, &c->result.trace)) {
    case REFUTE_FEASIBLE:
        outcome = OUTCOME_UNSAFE;
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

// Generalisation: fewer literals, as long as no initial state is in the cube and it stays unreachable.

// Is the cube unreachable at the level? NO: c->core holds literals that are enough, with c->other, which
// exclude the initial states.
static enum frames_answer reaches(struct ic3 *c, const uint32_t *literals, size_t count,
                                  uint32_t level)
{
    enum frames_answer answer = frames_reaches(&c->frames, literals, count, level, true, &c->core);
    for (size_t i = 0; i < c->other.count && answer == FRAMES_NO; i++)
        VECTOR_PUSH(&c->core, c->other.data[i]); // duplicates go when a cube is made
    return answer;
}

static enum frames_answer try(struct ic3 *c, const uint32_t *literals, size_t count, uint32_t level)
{
    enum frames_answer answer = frames_initial(&c->frames, literals, count, &c->other);
    return answer == FRAMES_NO ? reaches(c, literals, count, level) : answer;
}

// From c->core on: tries to do without each literal; the result in c->literals.
static bool shrink(struct ic3 *c, uint32_t level)
{
    struct arena scratch;
    arena_init(&scratch);
    const struct cube *cube = cube_make(&scratch, c->core.data, c->core.count);
    unsigned failures = 0;
    enum frames_answer answer = FRAMES_NO;
    for (size_t i = cube->count; i-- > 0 && cube->count > 1 && failures < 24;) {
        if (i >= cube->count)
            continue;
        VECTOR_CLEAR(&c->literals);
        for (size_t k = 0; k < cube->count; k++)
            if (k != i)
                VECTOR_PUSH(&c->literals, cube->literals[k]);
        answer = try(c, c->literals.data, c->literals.count, level);
        if (answer == FRAMES_STOPPED)
            break;
        if (answer == FRAMES_NO)
            cube = cube_make(&scratch, c->core.data, c->core.count);
        else
            failures++;
    }
    VECTOR_CLEAR(&c->literals);
    for (size_t k = 0; k < cube->count; k++)
        VECTOR_PUSH(&c->literals, cube->literals[k]);
    arena_finish(&scratch);
    return answer != FRAMES_STOPPED;
}

// Blocks a cube that was found unreachable (c->core tells why) at the obligation's level or above; the
// level reached in *level.
static bool block(struct ic3 *c, uint32_t *level)
{
    if (!shrink(c, *level))
        return false;
    const struct cube *cube = cube_make(&c->arena, c->literals.data, c->literals.count);
    while (*level < c->frames.top) {
        enum frames_answer answer =
            frames_reaches(&c->frames, cube->literals, cube->count, *level + 1, true, NULL);
        if (answer == FRAMES_STOPPED)
            return false;
        if (answer == FRAMES_YES)
            break;
        ++*level;
    }
    frames_block(&c->frames, cube, *level);
    return true;
}

static enum outcome treat(struct ic3 *c, struct obligation *o)
{
    if (o->level == 0)
        return counterexample(c, o);
    if (frames_blocks(&c->frames, o->cube, o->level)) {
        if (o->level++ < c->frames.top)
            VECTOR_PUSH(&c->open, o);
        return OUTCOME_GO_ON;
    }
    switch (frames_initial(&c->frames, o->cube->literals, o->cube->count, &c->other)) {
    case FRAMES_YES:
        return counterexample(c, o);
    case FRAMES_STOPPED:
        return OUTCOME_END;
    case FRAMES_NO:
        break;
    }
    switch (reaches(c, o->cube->literals, o->cube->count, o->level)) {
    case FRAMES_YES:
        VECTOR_PUSH(&c->open, o);
        return read_state(c, c->frames.step, o->level - 1, o) ? OUTCOME_GO_ON : OUTCOME_END;
    case FRAMES_STOPPED:
        return OUTCOME_END;
    case FRAMES_NO:
        break;
    }
    uint32_t level = o->level;
    if (!block(c, &level))
        return OUTCOME_END;
    o->level = level + 1;
    if (o->level <= c->frames.top)
        VECTOR_PUSH(&c->open, o);
    return OUTCOME_GO_ON;
}

// Excludes all bad states from the top frame.
static enum outcome strengthen(struct ic3 *c)
{
    for (;;) {
        enum outcome outcome = OUTCOME_GO_ON;
        while (c->open.count && outcome == OUTCOME_GO_ON)
            outcome = treat(c, take(c));
        if (outcome != OUTCOME_GO_ON && outcome != OUTCOME_REFINED)
            return outcome;
        switch (frames_bad(&c->frames, c->frames.top)) {
        case FRAMES_NO:
            return OUTCOME_GO_ON;
        case FRAMES_STOPPED:
            return OUTCOME_END;
        case FRAMES_YES:
            if (!read_state(c, c->frames.bad, c->frames.top, NULL))
                return OUTCOME_END;
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
    return out;
}

static enum outcome propagate(struct ic3 *c)
{
    for (uint32_t k = 1; k < c->frames.top; k++) {
        struct cube_list *list = &c->frames.levels.data[k];
        for (size_t i = 0; i < list->cubes.count;) {
            const struct cube *cube = list->cubes.data[i];
            enum frames_answer answer =
                frames_reaches(&c->frames, cube->literals, cube->count, k + 1, false, NULL);
            if (answer == FRAMES_STOPPED)
                return OUTCOME_END;
            if (answer == FRAMES_NO)
                frames_block(&c->frames, cube, k + 1); // leaves this list
            else
                i++;
        }
        if (list->cubes.count == 0) {
            c->result.invariant = invariant(c, k + 1);
            return OUTCOME_SAFE;
        }
    }
    return OUTCOME_GO_ON;
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

static enum outcome loop(struct ic3 *c)
{
    for (;;) {
        publish(c);
        atomic_store_explicit(&c->workspace.progress->phase, ENGINE_ABSTRACTING,
                              memory_order_relaxed);
        tell(c, (struct engine_event){.kind = EVENT_ROUND});
        if (!workspace_step(&c->workspace, 0))
            return OUTCOME_END;
        enum outcome outcome = strengthen(c);
        if (outcome != OUTCOME_GO_ON)
            return outcome;
        bounds_give(&c->bounds, c->frames.top + 1); // no bad state in the top frame
        frames_open(&c->frames);
        atomic_store_explicit(&c->workspace.progress->phase, ENGINE_REFINING, memory_order_relaxed);
        outcome = propagate(c);
        if (outcome != OUTCOME_GO_ON)
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
    arena_finish(&c->arena);
    workspace_finish(&c->workspace);
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
    add_facts(c);
    enum outcome outcome = OUTCOME_END;
    if (environment->model->initial == environment->model->error)
        workspace_end(&c->workspace, END_UNKNOWN, "the model starts in its error location");
    else if (frames_init(&c->frames, &c->monolith, &c->facts, &c->arena))
        outcome = loop(c);
    publish(c);
    atomic_store_explicit(&c->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    struct engine_result result = c->result;
    result.verdict = outcome == OUTCOME_SAFE     ? VERDICT_SAFE
                     : outcome == OUTCOME_UNSAFE ? VERDICT_UNSAFE
                                                 : VERDICT_UNKNOWN;
    result.reason = result.verdict == VERDICT_UNKNOWN ? c->workspace.reason : END_SOLVED;
    result.why = result.verdict == VERDICT_UNKNOWN ? c->workspace.why : NULL;
    result.solver = workspace_solver_statistics(&c->workspace);
    finish(c);
    memory_free(c);
    return result;
}

const struct engine engine_ic3 = {
    .name = "ic3",
    .description = "IC3: frames of blocked cubes over values or predicates",
    .preparation = preparation,
    .run = run,
};
