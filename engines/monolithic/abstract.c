#include <assert.h>
#include <stdio.h>

#include "engines/monolithic/monolith.h"

// The abstract view: what ties the steps' own values to what is seen of them.

void monolith_abstract(struct monolith *m)
{
    assert(!m->abstract);
    m->abstract = true;
}

const struct term *monolith_tie(struct monolith *m, size_t first)
{
    assert(m->abstract && first <= m->tracked.count);
    struct term_vector parts = {0};
    for (size_t i = first; i < m->tracked.count; i++)
        VECTOR_PUSH(&parts, term_eq(m->store, m->tracked.data[i].seen, m->tracked.data[i].term));
    const struct term *all = term_and(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

static const struct term *started(void *context, const struct term *variable)
{
    struct monolith *m = context;
    const struct variable *v = model_variable_of(m->model, variable);
    return v != NULL ? term_var_copy(m->store, variable, m->start.after[v->index]) : variable;
}

const struct term *monolith_tie_start(struct monolith *m, size_t first)
{
    return rewrite_substitute(m->store, monolith_tie(m, first), started, m);
}

static bool is_tracked(const struct monolith *m, const struct term *term)
{
    for (size_t i = 0; i < m->tracked.count; i++)
        if (m->tracked.data[i].term == term)
            return true;
    return false;
}

bool monolith_track(struct monolith *m, const struct term *term)
{
    assert(m->abstract);
    if (term->kind == TERM_NOT)
        term = term->child[0];
    if (term_is_literal(term) || term->flags & TERM_HAS_QUANTIFIER || is_tracked(m, term))
        return false;
    size_t number = m->tracked.count;
    char name[32];
    snprintf(name, sizeof name, "!seen.%zu", number);
    struct tracked tracked = {term, term_var(m->store, name, term->sort)};
    VECTOR_PUSH(&m->tracked, tracked);
    const struct term *now = monolith_tie(m, number);
    const struct term *next = monolith_next(m, now);
    m->transition = term_and(m->store, (const struct term *[]){m->transition, now, next}, 3);
    m->bad = term_and2(m->store, m->bad, now);
    m->initial = term_and2(m->store, m->initial, monolith_tie_start(m, number));
    return true;
}
