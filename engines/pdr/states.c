#include "engines/pdr/ic3.h"

#include <assert.h>

#include "engines/pdr/lift.h"

// Facts.

void states_add_predicates(struct ic3 *c, const struct term *formula, bool *added)
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

void states_begin(struct ic3 *c)
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
            if (blocked != NULL)
                states_add_predicates(c, blocked, &added);
        }
}

// The literals that say that the variable has this value.
static void add_value(struct ic3 *c, const struct term *variable, const struct term *value)
{
    assert(c->values && value->sort == variable->sort);
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

// The cube without its location, as a formula.
static const struct term *target_of(struct ic3 *c, const struct cube *towards)
{
    struct term_vector parts = {0};
    for (uint32_t i = 0; towards != NULL && i < towards->count; i++)
        if (c->facts.table.data[towards->literals[i] / 2].location == UINT32_MAX)
            VECTOR_PUSH(&parts, literal_now(&c->facts, towards->literals[i]));
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
                        const struct cube *towards)
{
    struct term_vector variables = {0}, values = {0};
    const struct term *condition = lift_condition(&c->monolith, smt, edge, target_of(c, towards));
    bool good =
        condition != NULL && lift_justify(&c->monolith, smt, condition, &variables, &values);
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
    assert(!c->values);
    for (size_t i = 0; i < c->facts.table.count; i++) {
        const struct fact *f = &c->facts.table.data[i];
        if (f->location != UINT32_MAX)
            continue;
        const struct term *value = smt_model_value(smt, f->now);
        if (value == NULL)
            return false;
        VECTOR_PUSH(&c->literals, (uint32_t)(2 * i + term_is_false(value)));
    }
    return true;
}

bool states_read(struct ic3 *c, struct smt *smt, const struct edge *edge,
                 const struct cube *towards)
{
    VECTOR_CLEAR(&c->literals);
    if (edge != NULL)
        add_location(c, edge->source);
    assert(towards == NULL || edge == NULL || edge->target != c->workspace.model->error);
    if (edge != NULL && (c->values ? read_values(c, smt, edge, towards) : read_predicates(c, smt)))
        return true;
    workspace_end(&c->workspace, END_UNKNOWN, "the solver's model of a step could not be read");
    return false;
}
