#include "engines/domains/predicate_table.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void predicate_table_init(struct predicate_table *t, struct workspace *workspace)
{
    *t = (struct predicate_table){.workspace = workspace};
    arena_init(&t->arena);
}

void predicate_table_finish(struct predicate_table *t)
{
    VECTOR_FINISH(&t->items);
    memory_free(t->by_term);
    arena_finish(&t->arena);
}

size_t predicate_table_bytes(const struct predicate_table *t)
{
    return t->arena.bytes + t->items.capacity * sizeof *t->items.data +
           t->by_term_count * sizeof *t->by_term;
}

static void add(struct predicate_table *t, const struct term *term)
{
    assert(term->sort->kind == SORT_BOOL && term->kind != TERM_NOT && !term_is_literal(term));
    struct workspace *ws = t->workspace;
    uint32_t number = (uint32_t)t->items.count;
    const struct term *boolean = term_var(ws->store, "!predicate", sort_bool(ws->store));
    size_t words = variable_bits_words(ws->model->variable_count);
    variable_bits *variables = arena_zalloc(&t->arena, words * sizeof *variables);
    variable_bits_add_term(variables, ws->model, term);
    struct predicate p = {
        .term = term,
        .negation = term_not(ws->store, term),
        .before = term_var_copy(ws->store, boolean, 2 * number + 1),
        .after = term_var_copy(ws->store, boolean, 2 * number + 2),
        .variables = variables,
    };
    VECTOR_PUSH(&t->items, p);
    t->by_term[term->id] = number + 1;
}

uint32_t predicate_table_number(struct predicate_table *t, const struct term *term)
{
    if (term->kind == TERM_NOT)
        term = term->child[0];
    if (term->id >= t->by_term_count) {
        size_t count = 2 * (size_t)term->id + 16;
        t->by_term = memory_realloc(t->by_term, count * sizeof *t->by_term);
        memset(t->by_term + t->by_term_count, 0, (count - t->by_term_count) * sizeof *t->by_term);
        t->by_term_count = count;
    }
    if (!t->by_term[term->id])
        add(t, term);
    assert(t->items.data[t->by_term[term->id] - 1].term == term);
    return t->by_term[term->id] - 1;
}

const struct term *predicate_table_boolean(struct predicate_table *t, struct action_solver *a,
                                           uint32_t number, enum predicate_side side)
{
    assert(number < t->items.count && a->smt != NULL);
    struct workspace *ws = t->workspace;
    uint32_t count = (uint32_t)t->items.count;
    if (a->defined_count < count) {
        a->defined = memory_realloc(a->defined, count);
        memset(a->defined + a->defined_count, 0, count - a->defined_count);
        a->defined_count = count;
    }
    const struct predicate *p = &t->items.data[number];
    const struct term *boolean = side == PREDICATE_BEFORE ? p->before : p->after;
    if (!(a->defined[number] & side)) {
        const uint32_t *index = side == PREDICATE_BEFORE ? a->step.before : a->step.after;
        smt_assert(a->smt,
                   term_iff(ws->store, boolean, encoder_shift(ws->encoder, p->term, index)));
        a->defined[number] |= (uint8_t)side;
    }
    return boolean;
}
