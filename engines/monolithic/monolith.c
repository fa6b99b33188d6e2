#include "engines/monolithic/monolith.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "engines/cegar/feasibility.h"
#include "model/carried.h"

// Inner values of the initial action, when it shares a solver with the template.
#define INITIAL_INNER ((uint32_t)1 << 30)

static bool is_bad(const struct monolith *m, const struct edge *edge)
{
    return edge->target == m->model->error;
}

// Locations.

// The error location has none.
static uint32_t location_number(const struct model *model, const struct location *location)
{
    assert(location != model->error);
    return location->index - (location->index > model->error->index);
}

static void name_locations(struct monolith *m)
{
    const struct model *model = m->model;
    uint32_t count = model->location_count - 1; // all but the error location
    while (m->pc_count < 32 && (uint64_t)1 << m->pc_count < count)
        m->pc_count++;
    m->pc = arena_alloc(&m->arena, (m->pc_count + 1) * sizeof(struct term *));
    for (uint32_t i = 0; i < m->pc_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "!pc.%u", i);
        m->pc[i] = term_var(m->store, name, sort_bool(m->store));
    }
    m->at = arena_alloc(&m->arena, model->location_count * sizeof(struct term *));
    for (uint32_t l = 0; l < model->location_count; l++) {
        if (model->locations[l] == model->error) {
            m->at[l] = term_false(m->store);
            continue;
        }
        uint32_t number = location_number(model, model->locations[l]);
        const struct term *bits[32];
        assert(number < count && (uint64_t)number >> m->pc_count == 0);
        for (uint32_t i = 0; i < m->pc_count; i++)
            bits[i] = number >> i & 1 ? m->pc[i] : term_not(m->store, m->pc[i]);
        m->at[l] = term_and(m->store, bits, m->pc_count);
    }
}

// It belongs to states, not to steps: location, or what is seen.
static bool is_of_states(const struct monolith *m, const struct term *variable)
{
    for (uint32_t i = 0; i < m->pc_count; i++)
        if (m->pc[i]->u.var.name == variable->u.var.name)
            return true;
    for (size_t i = 0; i < m->tracked.count; i++)
        if (m->tracked.data[i].seen->u.var.name == variable->u.var.name)
            return true;
    return false;
}

// Formulas.

static void encode_edges(struct monolith *m)
{
    const struct model *model = m->model;
    uint32_t *zero = arena_zalloc(&m->arena, (model->variable_count + 1) * sizeof *zero);
    m->steps = arena_zalloc(&m->arena, (model->edge_count + 1) * sizeof *m->steps);
    m->selectors = arena_zalloc(&m->arena, (model->edge_count + 1) * sizeof(struct term *));
    m->width = arena_zalloc(&m->arena, (model->variable_count + 1) * sizeof *m->width);
    encoder_step(m->workspace->encoder, &m->arena, model->initial_action, 0, zero, ENCODE_SELECTORS,
                 &m->start);
    for (uint32_t e = 0; e < model->edge_count; e++) {
        encoder_step(m->workspace->encoder, &m->arena, model->edges[e]->action, 0, zero,
                     ENCODE_SELECTORS, &m->steps[e]);
        char name[32];
        snprintf(name, sizeof name, "!edge.%u", e);
        m->selectors[e] = term_var(m->store, name, sort_bool(m->store));
        for (uint32_t v = 0; v < model->variable_count; v++)
            if (m->steps[e].after[v] > m->width[v])
                m->width[v] = m->steps[e].after[v];
    }
}

static const struct term *next_location(struct monolith *m, const struct location *location);

// What the edge does, with the values it leaves at the next copies. alone: it is the only one, so that its parts are
// said as they are; a solver then sees which variable is what.
static const struct term *edge_formula(struct monolith *m, uint32_t e, bool alone)
{
    const struct edge *edge = m->model->edges[e];
    const struct encoded_step *step = &m->steps[e];
    struct term_vector parts = {0};
    VECTOR_PUSH(&parts, m->at[edge->source->index]);
    VECTOR_PUSH(&parts, step->formula);
    if (!is_bad(m, edge)) {
        VECTOR_PUSH(&parts, next_location(m, edge->target));
        for (uint32_t v = 0; v < m->model->variable_count; v++) {
            const struct variable *x = m->model->variables[v];
            // Values that no step reads need no copying.
            if (step->after[v] != m->width[v] && m->state[v])
                VECTOR_PUSH(&parts,
                            term_eq(m->store, encoder_copy(m->workspace->encoder, x, m->width[v]),
                                    encoder_copy(m->workspace->encoder, x, step->after[v])));
        }
    }
    const struct term *all = term_and(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return alone ? term_and2(m->store, m->selectors[e], all)
                 : term_implies(m->store, m->selectors[e], all);
}

static bool takes_part(const struct monolith *m, const struct edge *edge, bool bad)
{
    return is_bad(m, edge) == bad && edge->source != m->model->error;
}

static uint32_t count_edges(const struct monolith *m, bool bad)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < m->model->edge_count; e++)
        count += takes_part(m, m->model->edges[e], bad);
    return count;
}

static const struct term *some_edge(struct monolith *m, bool bad)
{
    struct term_vector parts = {0}, selectors = {0};
    bool alone = count_edges(m, bad) == 1;
    for (uint32_t e = 0; e < m->model->edge_count; e++) {
        const struct edge *edge = m->model->edges[e];
        if (!takes_part(m, edge, bad))
            continue;
        VECTOR_PUSH(&parts, edge_formula(m, e, alone));
        VECTOR_PUSH(&selectors, m->selectors[e]);
    }
    VECTOR_PUSH(&parts, term_or(m->store, selectors.data, selectors.count));
    const struct term *all = term_and(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    VECTOR_FINISH(&selectors);
    return all;
}

void monolith_init(struct monolith *m, struct workspace *workspace)
{
    *m = (struct monolith){
        .workspace = workspace, .model = workspace->model, .store = workspace->store};
    arena_init(&m->arena);
    name_locations(m);
    m->state = arena_zalloc(&m->arena, m->model->variable_count + 1);
    carried_between_steps(m->model, m->state);
    encode_edges(m);
    m->transition = some_edge(m, false);
    m->bad = some_edge(m, true);
    // A model may start in the error location: then every state counts as bad at once.
    m->initial = term_and2(m->store, m->start.formula, m->at[m->model->initial->index]);
}

bool monolith_is_finite(const struct monolith *m)
{
    return smt_is_finite(m->transition) && smt_is_finite(m->bad) && smt_is_finite(m->initial);
}

void monolith_finish(struct monolith *m)
{
    for (uint32_t e = 0; e < m->model->edge_count; e++)
        encoded_step_finish(&m->steps[e]);
    encoded_step_finish(&m->start);
    VECTOR_FINISH(&m->tracked);
    arena_finish(&m->arena);
}

// Placing.

// The copy at which a variable enters a state's next step. In an abstract view no two steps share one.
static uint32_t copy_at_state(const struct monolith *m, const struct variable *v, uint32_t state)
{
    uint32_t stride = m->width[v->index] + m->abstract;
    return m->start.after[v->index] + m->abstract + state * stride;
}

struct place {
    struct monolith *monolith;
    uint32_t step;
};

static const struct term *copy(struct monolith *m, const struct term *variable, uint32_t index)
{
    return term_var_copy(m->store, variable, index);
}

static const struct term *place_variable(void *context, const struct term *variable)
{
    const struct place *p = context;
    struct monolith *m = p->monolith;
    uint32_t index = variable->u.var.index;
    const struct variable *v = model_variable_of(m->model, variable);
    if (v != NULL)
        return copy(m, variable, index + copy_at_state(m, v, p->step - 1));
    return copy(m, variable, index + (is_of_states(m, variable) ? p->step - 1 : p->step));
}

const struct term *monolith_at_step(struct monolith *m, const struct term *formula, uint32_t step)
{
    struct place place = {m, step};
    assert(step > 0);
    return rewrite_substitute(m->store, formula, place_variable, &place);
}

const struct term *monolith_at_state(struct monolith *m, const struct term *formula, uint32_t state)
{
    return monolith_at_step(m, formula, state + 1);
}

struct origin {
    struct monolith *monolith;
    uint32_t state;
    bool elsewhere; // a variable that the state does not have
};

static const struct term *origin_variable(void *context, const struct term *variable)
{
    struct origin *o = context;
    struct monolith *m = o->monolith;
    const struct variable *v = model_variable_of(m->model, variable);
    uint32_t here = v != NULL ? copy_at_state(m, v, o->state) : o->state;
    bool is_shared = v != NULL ? !m->abstract : is_of_states(m, variable);
    if (variable->u.var.index != here || !is_shared)
        o->elsewhere = true;
    return copy(m, variable, 0);
}

const struct term *monolith_from_state(struct monolith *m, const struct term *formula,
                                       uint32_t state)
{
    struct origin origin = {.monolith = m, .state = state};
    const struct term *now = rewrite_substitute(m->store, formula, origin_variable, &origin);
    return origin.elsewhere ? NULL : now;
}

struct visit {
    struct monolith *monolith;
    uint32_t number; // of the location
};

static const struct term *visit_variable(void *context, const struct term *variable)
{
    const struct visit *visit = context;
    const struct monolith *m = visit->monolith;
    for (uint32_t i = 0; i < m->pc_count; i++)
        if (m->pc[i] == variable)
            return term_bool(m->store, visit->number >> i & 1);
    for (size_t i = 0; i < m->tracked.count; i++)
        if (m->tracked.data[i].seen == variable)
            return m->tracked.data[i].term;
    return variable;
}

const struct term *monolith_at_location(struct monolith *m, const struct term *formula,
                                        const struct location *location)
{
    assert(formula->sort->kind == SORT_BOOL);
    if (location == m->model->error)
        return term_false(m->store);
    struct visit visit = {m, location_number(m->model, location)};
    return rewrite_substitute(m->store, formula, visit_variable, &visit);
}

bool monolith_speaks_of_states(const struct monolith *m, const struct term *term,
                               const struct term *besides)
{
    struct term_vector found = {0};
    bool good = true;
    rewrite_free_variables(term, &found);
    for (size_t i = 0; i < found.count && good; i++) {
        const struct variable *v = model_variable_of(m->model, found.data[i]);
        good = found.data[i] == besides || (v != NULL && m->state[v->index]);
    }
    VECTOR_FINISH(&found);
    return good;
}

bool monolith_has_arrays(const struct monolith *m)
{
    for (uint32_t v = 0; v < m->model->variable_count; v++)
        if (m->state[v] && m->model->variables[v]->sort->kind == SORT_ARRAY)
            return true;
    return false;
}

const struct term *monolith_some_location(struct monolith *m)
{
    return term_or(m->store, m->at, m->model->location_count);
}

const struct term *monolith_everywhere(struct monolith *m, const struct term *const *formulas)
{
    struct term_vector parts = {0};
    for (uint32_t l = 0; l < m->model->location_count; l++)
        VECTOR_PUSH(&parts, term_implies(m->store, m->at[l], formulas[l]));
    const struct term *all = term_and(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

static const struct term *next_variable(void *context, const struct term *variable)
{
    struct monolith *m = context;
    const struct variable *v = model_variable_of(m->model, variable);
    assert(variable->u.var.index == 0 && "over current copies");
    if (v != NULL)
        return copy(m, variable, m->width[v->index]);
    return is_of_states(m, variable) ? copy(m, variable, 1) : variable;
}

const struct term *monolith_next(struct monolith *m, const struct term *formula)
{
    return rewrite_substitute(m->store, formula, next_variable, m);
}

static const struct term *next_location(struct monolith *m, const struct location *location)
{
    return monolith_next(m, m->at[location->index]);
}

static const struct term *initial_variable(void *context, const struct term *variable)
{
    struct monolith *m = context;
    const struct variable *v = model_variable_of(m->model, variable);
    uint32_t index = variable->u.var.index;
    if (v == NULL)
        return variable;
    assert(index <= m->start.after[v->index] && index < INITIAL_INNER);
    return copy(m, variable, index == m->start.after[v->index] ? 0 : INITIAL_INNER + index);
}

const struct term *monolith_initial_now(struct monolith *m)
{
    return rewrite_substitute(m->store, m->initial, initial_variable, m);
}

// Traces.

const struct edge *monolith_edge_taken(struct monolith *m, struct smt *smt, uint32_t step, bool bad)
{
    for (uint32_t e = 0; e < m->model->edge_count; e++) {
        const struct edge *edge = m->model->edges[e];
        if (!takes_part(m, edge, bad))
            continue;
        const struct term *value = smt_model_value(smt, copy(m, m->selectors[e], step));
        if (value != NULL && term_is_true(value))
            return edge;
    }
    return NULL;
}

// The step as the trace reader expects it: formula and havocs at their place.
static void place_step(struct monolith *m, uint32_t step, const struct edge *edge,
                       struct encoded_step *out)
{
    *out = m->steps[edge->id];
    out->occurrence = step;
    out->formula = monolith_at_step(m, out->formula, step);
    out->trackers = (struct term_vector){0};
    const struct term **placed = arena_alloc(&m->arena, (out->havoc_count + 1) * sizeof *placed);
    struct place place = {m, step};
    for (size_t i = 0; i < out->havoc_count; i++)
        placed[i] = place_variable(&place, out->havoc_copy[i]);
    out->havoc_copy = placed;
}

struct trace *monolith_trace(struct monolith *m, struct smt *smt, uint32_t length)
{
    const struct edge **edges = memory_zalloc((length + 1) * sizeof(struct edge *));
    struct encoded_step *steps = memory_zalloc((length + 1) * sizeof *steps);
    struct trace *trace = NULL;
    steps[0] = m->start;
    for (uint32_t k = 1; k <= length; k++) {
        edges[k] = monolith_edge_taken(m, smt, k, k == length);
        if (edges[k] == NULL)
            goto done;
        assert(edges[k]->source == (k == 1 ? m->model->initial : edges[k - 1]->target));
        place_step(m, k, edges[k], &steps[k]);
    }
    trace = path_trace(m->workspace, smt, edges, steps, length + 1);
done:
    memory_free(edges);
    memory_free(steps);
    return trace;
}
