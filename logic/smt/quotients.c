#include "logic/smt/quotients.h"

#include <stdio.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"

struct quotients {
    struct term_store *store;
    struct term_vector facts;
};

static void fact(struct quotients *q, const struct term *when, const struct term *then)
{
    VECTOR_PUSH(&q->facts, term_implies(q->store, when, then));
}

static const struct term *compare(struct quotients *q, enum term_kind kind, const struct term *a,
                                  const struct term *b)
{
    return term_bv_binary(q->store, kind, a, b);
}

static const struct term *both(struct quotients *q, const struct term *a, const struct term *b)
{
    return term_and2(q->store, a, b);
}

static void unsigned_facts(struct quotients *q, const struct term *t)
{
    const struct term *a = t->child[0], *b = t->child[1];
    const struct term *zero = term_bv(q->store, a->sort->width, 0);
    const struct term *one = term_bv(q->store, a->sort->width, 1);
    const struct term *divides = term_not(q->store, term_eq(q->store, b, zero));
    if (t->kind == TERM_BV_UREM) {
        fact(q, divides, compare(q, TERM_BV_ULT, t, b));
        fact(q, term_true(q->store), compare(q, TERM_BV_ULE, t, a));
    } else {
        fact(q, divides, compare(q, TERM_BV_ULE, t, a));
        fact(q, both(q, compare(q, TERM_BV_ULT, one, b), compare(q, TERM_BV_ULT, zero, a)),
             compare(q, TERM_BV_ULT, t, a));
    }
}

static void signed_facts(struct quotients *q, const struct term *t)
{
    const struct term *a = t->child[0], *b = t->child[1];
    const struct term *zero = term_bv(q->store, a->sort->width, 0);
    const struct term *one = term_bv(q->store, a->sort->width, 1);
    const struct term *above = compare(q, TERM_BV_SLE, zero, a), *below = term_not(q->store, above);
    const struct term *positive = compare(q, TERM_BV_SLT, zero, b);
    const struct term *many = compare(q, TERM_BV_SLT, one, b);
    const struct term *up =
        both(q, compare(q, TERM_BV_SLE, zero, t), compare(q, TERM_BV_SLE, t, a));
    const struct term *down =
        both(q, compare(q, TERM_BV_SLE, a, t), compare(q, TERM_BV_SLE, t, zero));
    if (t->kind == TERM_BV_SREM) {
        const struct term *minus = term_bv_unary(q->store, TERM_BV_NEG, b);
        fact(q, above, up);
        fact(q, below, down);
        fact(q, positive,
             both(q, compare(q, TERM_BV_SLT, minus, t), compare(q, TERM_BV_SLT, t, b)));
    } else {
        fact(q, both(q, above, positive), up);
        fact(q, both(q, below, positive), down);
        fact(q, both(q, compare(q, TERM_BV_SLT, zero, a), many), compare(q, TERM_BV_SLT, t, a));
        fact(q, both(q, below, many), compare(q, TERM_BV_SLT, a, t));
    }
}

static bool divides_bits(const struct term *t)
{
    return t->kind == TERM_BV_UDIV || t->kind == TERM_BV_UREM || t->kind == TERM_BV_SDIV ||
           t->kind == TERM_BV_SREM;
}

static void add_facts(struct quotients *q, const struct term *t)
{
    if (t->kind == TERM_BV_UREM || t->kind == TERM_BV_UDIV)
        unsigned_facts(q, t);
    else if (divides_bits(t) && t->sort->width > 1) // of one bit, 1 is a negative number
        signed_facts(q, t);
}

const struct term *quotients_facts(struct term_store *store, const struct term *formula)
{
    struct quotients q = {.store = store};
    struct term_vector todo = {0};
    uint8_t *seen = memory_zalloc(term_store_next_id(store) + 1);
    VECTOR_PUSH(&todo, formula);
    while (todo.count > 0) {
        const struct term *t = VECTOR_POP(&todo);
        if (seen[t->id])
            continue;
        seen[t->id] = 1;
        add_facts(&q, t);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    const struct term *all = term_and(store, q.facts.data, q.facts.count);
    memory_free(seen);
    VECTOR_FINISH(&todo);
    VECTOR_FINISH(&q.facts);
    return all;
}

// Behind others that are a part of it.
static void find_divisions(const struct term *t, uint8_t *seen, struct term_vector *out)
{
    if (seen[t->id])
        return;
    seen[t->id] = 1;
    for (uint32_t i = 0; i < t->child_count; i++)
        find_divisions(t->child[i], seen, out);
    if (divides_bits(t) && !term_is_literal(t->child[1]))
        VECTOR_PUSH(out, t);
}

const struct term *quotients_forget(struct term_store *store, const struct term *formula)
{
    struct quotients q = {.store = store};
    struct term_vector divisions = {0};
    uint8_t *seen = memory_zalloc(term_store_next_id(store) + 1);
    find_divisions(formula, seen, &divisions);
    memory_free(seen);
    for (size_t i = 0; i < divisions.count; i++) {
        const struct term *t = divisions.data[i];
        char name[48];
        snprintf(name, sizeof name, "!quotient.%zu of %u bits", i, t->sort->width);
        const struct term *any = term_var(store, name, t->sort);
        add_facts(&q, t);
        const struct term *facts = term_and(store, q.facts.data, q.facts.count);
        VECTOR_CLEAR(&q.facts);
        formula = rewrite_replace(store, term_and2(store, formula, facts), t, any);
        for (size_t k = i + 1; k < divisions.count; k++)
            divisions.data[k] = rewrite_replace(store, divisions.data[k], t, any);
    }
    VECTOR_FINISH(&q.facts);
    VECTOR_FINISH(&divisions);
    return formula;
}
