#include "model/phases.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/model_memory.h"
#include "model/recode.h"

#define MOST_CONDITIONS 2 // of one loop
#define MOST_LOOPS 8      // that are split
#define MOST_ATOM 60      // nodes of a condition
#define MOST_EDGES 400    // of the result

static const struct position NOWHERE = {0};

// What a loop decides by.
struct split {
    const struct term *condition[MOST_CONDITIONS];
    uint32_t count;
    struct location *copy[1 << MOST_CONDITIONS]; // by the conditions that hold, a bit each
};

struct phases {
    struct recoding base;
    const struct edge **of; // by edge of the result: the prepared one's; NULL: it begins
    struct split *splits;   // by location of the prepared model
    size_t edge_count, edge_capacity;
};

struct making {
    const struct model *model;
    struct model_builder *builder;
    struct term_store *store;
    struct phases *phases;
    const _Atomic bool *given_up;
};

// Conditions.

// Atoms about the state at the beginning of an action, with the sides that are taken.
struct side {
    const struct term *atom;
    bool holds, fails;
};

struct looking {
    const struct model *model;
    VECTOR(struct side) sides;
};

static bool speaks_of_beginning(const struct looking *l, const struct term *atom,
                                const bool *written)
{
    struct term_vector found = {0};
    bool good = atom->tree_size <= MOST_ATOM;
    rewrite_free_variables(atom, &found);
    for (size_t i = 0; i < found.count && good; i++) {
        const struct variable *v = model_variable_of(l->model, found.data[i]);
        good = v != NULL && !(v->flags & VARIABLE_LOCAL) && v->sort->kind != SORT_ARRAY &&
               !written[v->index];
    }
    good = good && found.count > 0;
    VECTOR_FINISH(&found);
    return good;
}

static void note(struct looking *l, const struct term *atom, bool holds, bool fails,
                 const bool *written)
{
    if (!speaks_of_beginning(l, atom, written))
        return;
    for (size_t i = 0; i < l->sides.count; i++)
        if (l->sides.data[i].atom == atom) {
            l->sides.data[i].holds |= holds;
            l->sides.data[i].fails |= fails;
            return;
        }
    struct side side = {atom, holds, fails};
    VECTOR_PUSH(&l->sides, side);
}

// Either side of each may be taken.
static void note_all(struct looking *l, const struct term *formula, const bool *written)
{
    struct term_vector atoms = {0};
    rewrite_atoms(formula, &atoms);
    for (size_t i = 0; i < atoms.count; i++)
        note(l, atoms.data[i], true, true, written);
    VECTOR_FINISH(&atoms);
}

static void note_assumed(struct looking *l, const struct term *condition, const bool *written)
{
    struct term_vector parts = {0};
    rewrite_conjuncts(condition, &parts);
    for (size_t i = 0; i < parts.count; i++) {
        const struct term *c = parts.data[i];
        bool not = c->kind == TERM_NOT;
        struct term_vector atoms = {0};
        rewrite_atoms(c, &atoms);
        if (atoms.count == 1 && atoms.data[0] == (not ? c->child[0] : c))
            note(l, atoms.data[0], !not, not, written);
        else
            note_all(l, c, written);
        VECTOR_FINISH(&atoms);
    }
    VECTOR_FINISH(&parts);
}

// Choices inside of what is assigned.
static void note_choices(struct looking *l, const struct term *t, const bool *written)
{
    if (t->tree_size > 4 * MOST_ATOM)
        return;
    if (t->kind == TERM_ITE)
        note_all(l, t->child[0], written);
    for (uint32_t i = 0; i < t->child_count; i++)
        note_choices(l, t->child[i], written);
}

static void look(struct looking *l, const struct statement *s, bool *written)
{
    size_t count = l->model->variable_count;
    bool *before, *after;
    switch (s->kind) {
    case STATEMENT_ASSUME:
        note_assumed(l, s->expression, written);
        break;
    case STATEMENT_ASSIGN:
        note_choices(l, s->expression, written);
        written[s->variable->index] = true;
        break;
    case STATEMENT_HAVOC:
        written[s->variable->index] = true;
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        before = memory_alloc(2 * count + 1);
        after = before + count;
        memcpy(before, written, count);
        memcpy(after, written, count);
        if (s->kind == STATEMENT_IF)
            note_all(l, s->expression, written);
        for (uint32_t i = 0; i < s->child_count; i++) {
            memcpy(written, before, count);
            look(l, s->child[i], written);
            for (size_t v = 0; v < count; v++)
                after[v] |= written[v];
        }
        memcpy(written, after, count);
        memory_free(before);
        break;
    default:
        for (uint32_t i = 0; i < s->child_count; i++)
            look(l, s->child[i], written);
    }
}

// Both sides are taken in rounds of the loop, so it is none of those that end it.
static void find_conditions(struct making *m, const struct location *location, struct split *split)
{
    struct looking l = {.model = m->model};
    bool *written = memory_alloc(m->model->variable_count + 1);
    for (uint32_t i = 0; i < location->out_count; i++)
        if (location->out[i]->target == location) {
            memset(written, false, m->model->variable_count);
            look(&l, location->out[i]->action, written);
        }
    memory_free(written);
    for (size_t i = 0; i < l.sides.count && split->count < MOST_CONDITIONS; i++)
        if (l.sides.data[i].holds && l.sides.data[i].fails)
            split->condition[split->count++] = l.sides.data[i].atom;
    VECTOR_FINISH(&l.sides);
}

// The model.

static uint32_t copies_of(const struct split *split)
{
    return 1u << split->count;
}

static const struct term *conditions_of(struct term_store *store, const struct split *split,
                                        uint32_t copy)
{
    const struct term *all = term_true(store);
    for (uint32_t i = 0; i < split->count; i++) {
        const struct term *c = split->condition[i];
        all = term_and2(store, all, copy >> i & 1 ? c : term_not(store, c));
    }
    return all;
}

static void add_edge(struct making *m, struct location *from, struct location *to,
                     const struct term *before, const struct statement *action,
                     const struct term *after, const struct edge *of)
{
    struct statement *parts[3];
    uint32_t count = 0;
    if (!term_is_true(before))
        parts[count++] = model_assume(m->builder, before, NOWHERE);
    if (action != NULL)
        parts[count++] = recode_statement(m->builder, action);
    if (!term_is_true(after))
        parts[count++] = model_assume(m->builder, after, NOWHERE);
    struct statement *all = count == 0   ? model_skip(m->builder, NOWHERE)
                            : count == 1 ? parts[0]
                                         : model_sequence(m->builder, parts, count, NOWHERE);
    struct edge *made = model_builder_edge(m->builder, from, to, all, of != NULL ? of->label : "",
                                           of != NULL ? of->position : NOWHERE);
    struct phases *p = m->phases;
    if (p->edge_count == p->edge_capacity) {
        p->edge_capacity = 2 * p->edge_capacity + 16;
        p->of = memory_realloc(p->of, p->edge_capacity * sizeof(*p->of));
    }
    p->of[p->edge_count++] = of;
    if (of == NULL)
        return;
    const struct edge **origin = arena_alloc(&m->builder->memory->arena, sizeof(*origin));
    *origin = of;
    made->origin = origin;
    made->origin_count = 1;
    model_builder_limit(made, of->limit);
}

static void make_edge(struct making *m, const struct edge *e)
{
    const struct split *from = &m->phases->splits[e->source->index];
    const struct split *to = &m->phases->splits[e->target->index];
    for (uint32_t a = 0; a < copies_of(from); a++)
        for (uint32_t b = 0; b < copies_of(to); b++)
            add_edge(m, from->copy[a], to->copy[b], conditions_of(m->store, from, a), e->action,
                     conditions_of(m->store, to, b), e);
}

static void make_location(struct making *m, const struct location *l, uint32_t copy)
{
    struct location *made =
        model_builder_location(m->builder, copy == 0 ? l->name : NULL, l->phase, l->observable);
    made->origin = l;
    m->phases->splits[l->index].copy[copy] = made;
}

// Those with a name first, or it may be taken.
static void make_locations(struct making *m)
{
    for (uint32_t i = 0; i < m->model->location_count; i++)
        make_location(m, m->model->locations[i], 0);
    for (uint32_t i = 0; i < m->model->location_count; i++)
        for (uint32_t c = 1; c < copies_of(&m->phases->splits[i]); c++)
            make_location(m, m->model->locations[i], c);
}

// Where the first location is a loop that is split, runs begin before it.
static void make_initial(struct making *m)
{
    const struct model *model = m->model;
    const struct split *first = &m->phases->splits[model->initial->index];
    struct location *begin = first->count == 0
                                 ? first->copy[0]
                                 : model_builder_location(m->builder, NULL, PHASE_NONE, false);
    model_builder_initial(m->builder, begin, recode_statement(m->builder, model->initial_action));
    for (uint32_t c = 0; first->count > 0 && c < copies_of(first); c++)
        add_edge(m, begin, first->copy[c], term_true(m->store), NULL,
                 conditions_of(m->store, first, c), NULL);
}

// False: it would be no other, or too large.
static bool choose(struct making *m)
{
    const struct model *model = m->model;
    uint32_t loops = 0;
    size_t edges = 0;
    for (uint32_t i = 0; i < model->location_count && loops < MOST_LOOPS; i++) {
        struct split *split = &m->phases->splits[i];
        if (model->locations[i] != model->error)
            find_conditions(m, model->locations[i], split);
        loops += split->count > 0;
    }
    for (uint32_t i = 0; i < model->edge_count; i++)
        edges += copies_of(&m->phases->splits[model->edges[i]->source->index]) *
                 copies_of(&m->phases->splits[model->edges[i]->target->index]);
    return loops > 0 && edges <= MOST_EDGES;
}

// Ways back.

static void map_hints(struct trace *to, struct trace_step *step, const struct trace_step *from)
{
    for (size_t i = 0; i < from->hint_count; i++) {
        const struct statement *origin = from->hints[i].statement->origin;
        const struct variable *v = origin->kind == STATEMENT_HAVOC ? origin->variable : NULL;
        trace_add_hint(to, step, origin, v != NULL ? v->sort : NULL, from->hints[i].value);
    }
}

static struct trace *map_trace(const struct trace *trace)
{
    const struct model *model = trace->model->source;
    const struct phases *phases = (const struct phases *)recode_of(trace->model);
    struct trace *to = trace_create(model);
    to->skips = trace->skips;
    for (uint32_t v = 0; v < model->variable_count; v++)
        to->start[v] = trace_own(to, model->variables[v]->sort, trace->start[v]);
    map_hints(to, &to->initial, &trace->initial);
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct edge *of = phases->of[trace->steps[i].edge->id];
        if (of != NULL)
            map_hints(to, trace_add_step(to, of), &trace->steps[i]);
    }
    trace_add_divisions(to, trace);
    return to;
}

static const struct term **lift_invariant(const struct model *split, struct term_store *store,
                                          const struct term *const *invariant)
{
    const struct model *model = split->source;
    const struct phases *phases = (const struct phases *)recode_of(split);
    const struct term **lifted = memory_zalloc((model->location_count + 1) * sizeof *lifted);
    for (uint32_t i = 0; i < model->location_count; i++) {
        const struct split *s = &phases->splits[i];
        const struct term *all = term_false(store);
        for (uint32_t c = 0; c < copies_of(s) && all != NULL; c++) {
            const struct term *one = invariant[s->copy[c]->index];
            all = one == NULL
                      ? NULL
                      : term_or2(store, all, term_and2(store, conditions_of(store, s, c), one));
        }
        lifted[i] = all;
    }
    return lifted;
}

static void destroy(struct recoding *base)
{
    struct phases *phases = (struct phases *)base;
    memory_free(phases->of);
    memory_free(phases->splits);
    memory_free(phases);
}

static bool make(struct making *m)
{
    const struct model *model = m->model;
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const struct variable *v = model->variables[i];
        const struct variable *made =
            model_builder_variable(m->builder, v->name, v->sort, v->flags, v->source);
        if (v->float_exponent != 0)
            model_builder_float(m->builder, made, v->float_exponent);
    }
    make_locations(m);
    make_initial(m);
    for (uint32_t e = 0; e < model->edge_count; e++) {
        if (m->given_up != NULL && atomic_load_explicit(m->given_up, memory_order_relaxed))
            return false;
        make_edge(m, model->edges[e]);
    }
    model_builder_error(m->builder, m->phases->splits[model->error->index].copy[0]);
    model_builder_property(m->builder, model->property);
    return true;
}

struct model *phases_model(struct model *model, const _Atomic bool *given_up)
{
    struct phases *phases = memory_zalloc(sizeof *phases);
    phases->base = (struct recoding){map_trace, lift_invariant, destroy};
    phases->splits = memory_zalloc((model->location_count + 1) * sizeof *phases->splits);
    struct making m = {.model = model,
                       .builder = recode_builder(model, &phases->base),
                       .phases = phases,
                       .given_up = given_up};
    m.store = model_builder_store(m.builder);
    if (!choose(&m) || !make(&m)) {
        model_builder_destroy(m.builder);
        model_destroy(model);
        return NULL;
    }
    m.builder->memory->recoded = model;
    return model_builder_finish(m.builder);
}
