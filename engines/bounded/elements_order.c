#include "engines/bounded/elements_inside.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"

#define MOST_ORDERED 60 // patterns
#define MOST_PLAIN 8    // numbers that others are made of

// Neighbours in order: the element at `less` is at most, or below, the one next to it.
struct order {
    enum term_kind kind;
    const struct term *each, *array, *less, *more; // the last two: keys
};

static bool reads_one(const struct term *t, const struct term *array, const struct term *each)
{
    return t->kind == TERM_SELECT && t->child[0] == array && rewrite_contains(t->child[1], each);
}

static bool find_order(const struct pattern *p, struct order *out)
{
    const bool negated = p->says->kind == TERM_NOT;
    const struct term *order = negated ? p->says->child[0] : p->says;
    if (p->flat || negated || (order->kind != TERM_BV_SLE && order->kind != TERM_BV_ULE))
        return false;
    const struct term *a = order->child[0], *b = order->child[1];
    if (a->kind != TERM_SELECT || !reads_one(a, a->child[0], p->each) ||
        !reads_one(b, a->child[0], p->each) || a == b)
        return false;
    *out = (struct order){order->kind, p->each, a->child[0], a->child[1], b->child[1]};
    return true;
}

static bool is_written_later(const struct elements *e, const struct term *number)
{
    const struct model *model = e->m->model;
    const struct variable *v = elements_variable(e, number);
    for (uint32_t i = 0; i < model->edge_count && v != NULL; i++)
        if (model->edges[i]->source != model->initial &&
            elements_may_write(model->edges[i]->action, v))
            return true;
    return v == NULL;
}

static const struct term *plus(struct elements *e, const struct term *number, uint64_t more)
{
    struct polynomial p;
    const struct term *sum = term_bv_binary(e->m->store, TERM_BV_ADD, number,
                                            term_bv(e->m->store, number->sort->width, more));
    if (polynomial_of(e->m->store, sum, sum->sort->width, &p))
        sum = polynomial_term(e->m->store, &p);
    polynomial_finish(&p);
    return sum;
}

// The next ones to numbers that loops change, and the last place but one.
static void add_neighbours(struct elements *e, const struct sort *sort)
{
    term_vector_add_once(&e->numbers, plus(e, e->limit, UINT64_MAX - 1), MOST_ENDS);
    for (size_t i = 0; i < e->plain; i++) {
        const struct term *number = e->numbers.data[i];
        if (number->sort != sort || !is_written_later(e, number))
            continue;
        term_vector_add_once(&e->numbers, plus(e, number, 1), MOST_ENDS);
        term_vector_add_once(&e->numbers, plus(e, number, UINT64_MAX), MOST_ENDS);
    }
}

// What indices are below: a number that stays as it is, or the largest literal.
static const struct term *find_limit(const struct elements *e, const struct sort *sort)
{
    const struct term *limit = NULL;
    for (size_t i = 0; i < e->numbers.count; i++)
        if (e->numbers.data[i]->sort == sort && !is_written_later(e, e->numbers.data[i]))
            return e->numbers.data[i];
    for (size_t i = 0; i < e->literals.count; i++)
        if (e->literals.data[i]->sort == sort &&
            (limit == NULL || term_bv_number(limit) < term_bv_number(e->literals.data[i])))
            limit = e->literals.data[i];
    return limit;
}

static void add(struct elements *e, const struct term *each, const struct term *says,
                enum part part, const struct term *at)
{
    struct pattern pattern = {.each = each, .says = says, .part = part, .at = at};
    if (!term_is_literal(says) && rewrite_contains(says, each) &&
        e->patterns.count < MOST_ORDERED && monolith_speaks_of_states(e->m, says, each))
        VECTOR_PUSH(&e->patterns, pattern);
}

// All below the element at some number, or above it, where that is a place.
static void add_extremes(struct elements *e, const struct order *o)
{
    struct term_store *store = e->m->store;
    const struct term *one = term_select(store, o->array, o->less);
    for (size_t i = 0; i < e->numbers.count; i++) {
        const struct term *number = e->numbers.data[i];
        if (number->sort != o->each->sort || number == e->limit)
            continue;
        const struct term *other = rewrite_replace(store, one, o->each, number);
        const struct term *outside = term_bv_binary(store, TERM_BV_ULE, e->limit, number);
        add(e, o->each, term_or2(store, outside, term_bv_binary(store, o->kind, one, other)),
            PART_BELOW, number);
        add(e, o->each, term_or2(store, outside, term_bv_binary(store, o->kind, other, one)),
            PART_FROM, number);
    }
}

// The elements on both sides of a place are in order, whatever is there: it is being moved.
static void add_around(struct elements *e, const struct order *o)
{
    struct term_store *store = e->m->store;
    const struct term *before = plus(e, o->each, UINT64_MAX);
    const struct term *less = rewrite_replace(store, o->less, o->each, before);
    const struct term *order = term_bv_binary(store, o->kind, term_select(store, o->array, less),
                                              term_select(store, o->array, o->more));
    const struct term *outside = term_bv_binary(store, TERM_BV_ULE, e->limit, before);
    add(e, o->each, term_or2(store, outside, order), PART_WITHIN, NULL);
}

// Elements against numbers, as the program compares them, and the same of the next elements.
static void add_others(struct elements *e, const struct order *o, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct pattern p = e->patterns.data[i];
        const struct term *order = p.says->kind == TERM_NOT ? p.says->child[0] : p.says;
        if (p.flat || p.each != o->each || order->kind != o->kind)
            continue;
        const struct term *a = order->child[0], *b = order->child[1];
        if (reads_one(a, o->array, p.each) == reads_one(b, o->array, p.each) || a->kind == b->kind)
            continue;
        add(e, p.each, p.says, PART_WITHIN, NULL);
        add(e, p.each, rewrite_replace(e->m->store, p.says, p.each, plus(e, p.each, 1)),
            PART_WITHIN, NULL);
    }
}

bool elements_harvest_order(struct elements *e)
{
    struct order o;
    const size_t count = e->patterns.count;
    size_t i = 0;
    while (i < count && !find_order(&e->patterns.data[i], &o))
        i++;
    if (i == count)
        return false;
    if (e->numbers.count > MOST_PLAIN)
        e->numbers.count = MOST_PLAIN;
    e->limit = find_limit(e, o.each->sort);
    if (e->limit == NULL)
        return false;
    term_vector_add_once(&e->numbers, e->limit, MOST_ENDS);
    term_vector_add_once(&e->numbers, plus(e, e->limit, UINT64_MAX), MOST_ENDS);
    e->plain = e->numbers.count;
    add_neighbours(e, o.each->sort);
    add(e, o.each, e->patterns.data[i].says, PART_WITHIN, NULL);
    add_around(e, &o);
    add_others(e, &o, count);
    add_extremes(e, &o);
    return true;
}
