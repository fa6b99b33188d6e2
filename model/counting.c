#include "model/counting.h"

#include <stdlib.h>

#include "base/components.h"
#include "base/memory.h"
#include "logic/terms/rewrite.h"

// How numbers go from variable to variable: where a sum with a literal, a copy or a choice of such is assigned.
struct flow {
    uint32_t from, to;
    bool adds;
    bool divides; // by a literal
};

struct counting {
    const struct model *model;
    VECTOR(struct flow) flows;
    struct term_vector conditions; // in loops
    struct term_vector pointers;   // that are assigned, where ways are told apart by them
    struct term_vector writes;     // to arrays, on a condition, likewise
    bool more;
    bool *decides; // by variable: one of them speaks of it
};

static void note_flows(struct counting *c, uint32_t to, const struct term *t, bool adds,
                       bool divides)
{
    const struct variable *v;
    switch (t->kind) {
    case TERM_VAR:
        if ((v = model_variable_of(c->model, t)) != NULL)
            VECTOR_PUSH(&c->flows, ((struct flow){v->index, to, adds, divides}));
        break;
    case TERM_ADD:
    case TERM_BV_ADD:
        for (uint32_t i = 0; i < t->child_count && t->child_count == 2; i++)
            if (term_is_literal(t->child[1 - i]))
                note_flows(c, to, t->child[i], true, divides);
        break;
    case TERM_ITE:
        note_flows(c, to, t->child[1], adds, divides);
        note_flows(c, to, t->child[2], adds, divides);
        break;
    case TERM_BV_EXTRACT:
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
    case TERM_SELECT:
        note_flows(c, to, t->child[0], adds, divides);
        break;
    case TERM_STORE:
        note_flows(c, to, t->child[0], adds, divides);
        note_flows(c, to, t->child[2], adds, divides);
        break;
    case TERM_BV_UDIV:
    case TERM_BV_SDIV:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
        if (term_is_literal(t->child[1]))
            note_flows(c, to, t->child[0], adds, true);
        break;
    default:
        break;
    }
}

bool counting_is_pointer(const struct sort *sort)
{
    return sort->kind == SORT_BV && sort->width > 32 && sort->width != 64;
}

bool counting_is_chosen(const struct term *t)
{
    return t->kind == TERM_ITE && counting_is_pointer(t->sort) && t->tree_size <= COUNTING_ASKED;
}

static void note_action(struct counting *c, const struct statement *action, bool in_loop)
{
    if (action->kind == STATEMENT_ASSIGN) {
        const struct term *t = action->expression;
        if (c->more && counting_is_chosen(t))
            VECTOR_PUSH(&c->pointers, t);
        if (c->more && t->kind == TERM_ITE && t->sort->kind == SORT_ARRAY &&
            t->tree_size <= COUNTING_ASKED)
            VECTOR_PUSH(&c->writes, t);
        if (action->expression->tree_size <= COUNTING_MOST)
            note_flows(c, action->variable->index, action->expression, false, false);
    } else if (action->expression != NULL && in_loop) {
        struct term_vector found = {0};
        rewrite_free_variables(action->expression, &found);
        for (size_t i = 0; i < found.count; i++) {
            const struct variable *v = model_variable_of(c->model, found.data[i]);
            if (v != NULL)
                c->decides[v->index] = true;
        }
        VECTOR_FINISH(&found);
        VECTOR_PUSH(&c->conditions, action->expression);
    }
    for (uint32_t i = 0; i < action->child_count; i++)
        note_action(c, action->child[i], in_loop);
}

// Adds what flows into what is marked.
static void mark_sources(const struct counting *c, bool *marked)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < c->flows.count; i++) {
            const struct flow *f = &c->flows.data[i];
            changed = changed || (marked[f->to] && !marked[f->from]);
            marked[f->from] = marked[f->from] || marked[f->to];
        }
    }
}

static int by_source(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

// Those that come back to themselves with something added, and those that do so divided.
static void mark_counters(struct counting *c, bool *counters, bool *divided)
{
    const uint32_t count = c->model->variable_count;
    uint32_t *first = memory_alloc((count + 1) * sizeof *first);
    uint32_t *targets = memory_alloc((c->flows.count + 1) * sizeof *targets);
    struct components components;
    if (c->flows.count > 0)
        qsort(c->flows.data, c->flows.count, sizeof *c->flows.data, by_source);
    size_t at = 0;
    for (uint32_t v = 0; v <= count; v++) {
        first[v] = (uint32_t)at;
        for (; at < c->flows.count && c->flows.data[at].from == v; at++)
            targets[at] = c->flows.data[at].to;
    }
    components_find(&components, count, first, targets, NULL);
    for (size_t i = 0; i < c->flows.count; i++) {
        const struct flow *f = &c->flows.data[i];
        const uint32_t component = components.of[f->to];
        if ((!f->adds && !f->divides) || component != components.of[f->from])
            continue;
        for (uint32_t k = components.begin[component - 1]; k < components.begin[component]; k++) {
            counters[components.members[k]] |= f->adds;
            divided[components.members[k]] |= f->divides;
        }
    }
    components_finish(&components);
    memory_free(targets);
    memory_free(first);
}

static bool is_truth(const struct variable *v)
{
    return v->sort->kind == SORT_BOOL || (v->sort->kind == SORT_BV && v->sort->width == 1);
}

bool counting_is_array(const struct variable *v)
{
    return v->sort->kind == SORT_ARRAY;
}

// The variable of `2 * v + 1` and its like; NULL: it is another term.
static const struct variable *plain_variable(const struct counting *c, const struct term *t)
{
    while (t->kind == TERM_BV_ZEXT || t->kind == TERM_BV_SEXT ||
           (t->kind >= TERM_BV_ADD && t->kind <= TERM_BV_SDIV && t->child_count == 2 &&
            (term_is_literal(t->child[0]) || term_is_literal(t->child[1]))))
        t = t->child[term_is_literal(t->child[0]) ? 1 : 0];
    return t->kind == TERM_VAR ? model_variable_of(c->model, t) : NULL;
}

// Comparisons of a counter with another variable: that is a limit.
static void mark_limits(const struct counting *c, const struct term *condition,
                        const bool *counters, bool *limits)
{
    if (condition->kind == TERM_NOT || condition->kind == TERM_AND || condition->kind == TERM_OR) {
        for (uint32_t i = 0; i < condition->child_count; i++)
            mark_limits(c, condition->child[i], counters, limits);
        return;
    }
    if (condition->child_count != 2)
        return;
    const struct variable *a = plain_variable(c, condition->child[0]),
                          *b = plain_variable(c, condition->child[1]);
    if (a != NULL && b != NULL) {
        limits[a->index] = limits[a->index] || counters[b->index];
        limits[b->index] = limits[b->index] || counters[a->index];
    }
}

static bool is_character(const struct variable *v)
{
    return v->sort->kind == SORT_BV && v->sort->width == CHARACTER_BITS;
}

static void add_mark(struct counted *s, const struct variable *v)
{
    if (s->limit_of[v->index] != 0 || !range_is_for(v->sort) || is_truth(v) ||
        s->mark_end - s->first_mark == COUNTING_MARKS)
        return;
    s->limits[s->mark_end++] = v;
    s->limit_of[v->index] = (uint8_t)s->mark_end;
}

// What chooses among pointers.
static void mark_choosing(const struct counting *c, const struct term *t, bool *limits)
{
    for (; t->kind == TERM_ITE; t = t->child[2]) {
        struct term_vector found = {0};
        if (t->child[0]->tree_size <= COUNTING_MOST)
            rewrite_free_variables(t->child[0], &found);
        for (size_t i = 0; i < found.count; i++) {
            const struct variable *v = model_variable_of(c->model, found.data[i]);
            if (v != NULL)
                limits[v->index] = true;
        }
        VECTOR_FINISH(&found);
        mark_choosing(c, t->child[1], limits);
    }
}

static void find_limits(struct counted *s, const struct counting *c, const bool *counters,
                        bool *limits)
{
    const struct model *m = c->model;
    for (size_t i = 0; i < c->pointers.count; i++)
        mark_choosing(c, c->pointers.data[i], limits);
    for (size_t i = 0; i < c->writes.count; i++)
        mark_choosing(c, c->writes.data[i], s->sizes);
    for (uint32_t v = 0; v < m->variable_count; v++) {
        s->sizes[v] = s->sizes[v] && range_is_for(m->variables[v]->sort);
        limits[v] = limits[v] || s->sizes[v];
    }
    for (size_t i = 0; i < c->conditions.count; i++)
        if (c->conditions.data[i]->tree_size <= COUNTING_ASKED)
            mark_limits(c, c->conditions.data[i], counters, limits);
    // What is computed of them may be what is looked at.
    for (size_t i = 0; i < c->flows.count; i++) {
        const struct flow *f = &c->flows.data[i];
        limits[f->to] = limits[f->to] || (limits[f->from] && c->decides[f->to]);
    }
    mark_sources(c, limits);
    uint32_t limit_count = 0;
    for (uint32_t v = 0; v < m->variable_count && limit_count < COUNTING_LIMITS; v++) {
        const struct variable *variable = m->variables[v];
        if (!limits[v] || is_truth(variable) || !range_is_for(variable->sort))
            continue;
        s->limits[limit_count++] = variable;
        s->limit_of[v] = (uint8_t)limit_count;
    }
    s->first_mark = s->mark_end = limit_count;
    for (uint32_t v = 0; v < m->variable_count; v++)
        if (is_character(m->variables[v]))
            add_mark(s, m->variables[v]);
    // And numbers that characters are kept as.
    for (size_t i = 0; i < c->flows.count; i++)
        if (is_character(m->variables[c->flows.data[i].from]))
            add_mark(s, m->variables[c->flows.data[i].to]);
}

bool *counting_find(const struct model *model, const bool *on_cycle, bool more, struct counted *s)
{
    const uint32_t count = model->variable_count;
    struct counting c = {.model = model, .decides = memory_zalloc(count + 1), .more = more};
    bool *counters = memory_zalloc(count + 1), *limits = memory_zalloc(count + 1), some = false;
    note_action(&c, model->initial_action, false);
    for (uint32_t e = 0; e < model->edge_count; e++)
        note_action(&c, model->edges[e]->action, on_cycle[model->edges[e]->source->index]);
    mark_counters(&c, counters, limits);
    mark_sources(&c, c.decides);
    for (uint32_t v = 0; v < count; v++)
        limits[v] = c.decides[v] && (limits[v] || counters[v]);
    find_limits(s, &c, counters, limits);
    for (uint32_t v = 0; v < count; v++) {
        const bool is_limit = s->limit_of[v] != 0 && s->limit_of[v] <= s->first_mark;
        counters[v] = (counters[v] && c.decides[v]) || is_limit;
        some = some || counters[v];
        counters[v] =
            counters[v] || (c.decides[v] && (is_truth(model->variables[v]) ||
                                             (more && counting_is_array(model->variables[v]))));
    }
    mark_sources(&c, counters);
    VECTOR_FINISH(&c.flows);
    VECTOR_FINISH(&c.conditions);
    VECTOR_FINISH(&c.pointers);
    VECTOR_FINISH(&c.writes);
    memory_free(c.decides);
    memory_free(limits);
    if (some)
        return counters;
    memory_free(counters);
    return NULL;
}
