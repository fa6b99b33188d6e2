#include "certify/ground.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "logic/smt/array_reads.h"
#include "logic/smt/product_words.h"

#define MOST_KEYS 40
#define MOST_INSTANCES 24 // of one quantifier
#define COPY 0x50000000u  // no variable of a formula has so many copies

struct ground {
    struct term_store *store;
    struct term_vector facts; // quantifiers that hold: each for one variable
    struct term_vector keys;  // at which arrays are looked at, outside of quantifiers
    uint32_t made;            // new variables
};

static bool has_quantifier(const struct term *t)
{
    return (t->flags & TERM_HAS_QUANTIFIER) != 0;
}

static const struct term *new_variable(struct ground *g, const struct sort *sort)
{
    char name[32];
    snprintf(name, sizeof name, "!some.%u", g->made++);
    return term_var_copy(g->store, term_var(g->store, name, sort), COPY);
}

// The body, for new values of what it is about.
static const struct term *for_some(struct ground *g, const struct term *quantifier)
{
    const struct term *body = quantifier->child[quantifier->child_count - 1];
    for (uint32_t i = 0; i + 1 < quantifier->child_count; i++) {
        const struct term *x = quantifier->child[i], *some = new_variable(g, x->sort);
        body = rewrite_replace(g->store, body, x, some);
        term_vector_add_once(&g->keys, some, MOST_KEYS);
    }
    return body;
}

// Without quantifiers that claim that something is there; those that hold for all become Boolean variables, and are kept in `facts`. NULL: a
// quantifier stands where both it and its negation count.
static const struct term *without_claims(struct ground *g, const struct term *t, bool negated)
{
    const bool for_all = (t->kind == TERM_FORALL) != negated;
    if (!has_quantifier(t))
        return negated ? term_not(g->store, t) : t;
    switch (t->kind) {
    case TERM_NOT:
        return without_claims(g, t->child[0], !negated);
    case TERM_AND:
    case TERM_OR: {
        struct term_vector parts = {0};
        bool good = true;
        for (uint32_t i = 0; i < t->child_count && good; i++) {
            const struct term *part = without_claims(g, t->child[i], negated);
            good = part != NULL;
            VECTOR_PUSH(&parts, part);
        }
        const struct term *out = !good ? NULL
                                 : (t->kind == TERM_AND) != negated
                                     ? term_and(g->store, parts.data, parts.count)
                                     : term_or(g->store, parts.data, parts.count);
        VECTOR_FINISH(&parts);
        return out;
    }
    case TERM_FORALL:
    case TERM_EXISTS: {
        if (!for_all)
            return without_claims(g, for_some(g, t), negated);
        const struct term *body = t->child[t->child_count - 1];
        if (t->child_count != 2 || has_quantifier(body))
            return NULL;
        const struct term *fact = negated ? term_not(g->store, body) : body;
        const struct term *mark = new_variable(g, sort_bool(g->store));
        VECTOR_PUSH(&g->facts, mark);
        VECTOR_PUSH(&g->facts, t->child[0]);
        VECTOR_PUSH(&g->facts, fact);
        return mark;
    }
    default:
        return NULL;
    }
}

// Keys of reads and writes, but for those that speak of `except`.
static void collect_keys(const struct term *root, const struct term *except,
                         struct term_vector *out, struct term_store *store)
{
    struct term_vector todo = {0};
    uint8_t *seen = memory_zalloc(term_store_next_id(store) + 1);
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *t = VECTOR_POP(&todo);
        if (seen[t->id])
            continue;
        seen[t->id] = 1;
        const bool is = t->kind == TERM_SELECT || t->kind == TERM_STORE;
        if (is && (except == NULL || rewrite_contains(t->child[1], except)))
            term_vector_add_once(out, t->child[1], MOST_KEYS);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    memory_free(seen);
    VECTOR_FINISH(&todo);
}

static void find_instances(struct ground *g, const struct term *x, const struct term *fact,
                           struct term_vector *out)
{
    struct term_vector shapes = {0};
    collect_keys(fact, x, &shapes, g->store);
    for (size_t k = 0; k < g->keys.count; k++) {
        const struct term *key = g->keys.data[k];
        for (size_t i = 0; i < shapes.count; i++) {
            const struct term *value = rewrite_match(g->store, shapes.data[i], x, key);
            if (value != NULL)
                term_vector_add_once(out, value, MOST_INSTANCES);
        }
        if (key->sort == x->sort)
            term_vector_add_once(out, key, MOST_INSTANCES);
    }
    VECTOR_FINISH(&shapes);
}

static const struct term *instantiate(struct ground *g, const struct term *open, unsigned rounds)
{
    struct term_vector parts = {0};
    collect_keys(open, NULL, &g->keys, g->store);
    for (unsigned round = 0; round < rounds; round++) {
        VECTOR_CLEAR(&parts);
        VECTOR_PUSH(&parts, open);
        for (size_t i = 0; i < g->facts.count; i += 3) {
            const struct term *mark = g->facts.data[i], *x = g->facts.data[i + 1];
            const struct term *fact = g->facts.data[i + 2];
            struct term_vector values = {0};
            find_instances(g, x, fact, &values);
            for (size_t k = 0; k < values.count; k++)
                VECTOR_PUSH(&parts,
                            term_implies(g->store, mark,
                                         rewrite_replace(g->store, fact, x, values.data[k])));
            VECTOR_FINISH(&values);
        }
        for (size_t i = 1; i < parts.count; i++)
            collect_keys(parts.data[i], NULL, &g->keys, g->store);
    }
    const struct term *out = term_and(g->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return out;
}

// Without products of words, where that can be done.
static const struct term *without_products(struct term_store *store, const struct term *formula)
{
    struct product_words *words = product_words_create(store);
    const struct term *told = product_words_of(words, formula);
    if (told != NULL)
        formula = term_and2(store, told, product_words_facts(words));
    product_words_destroy(words);
    return formula;
}

const struct term *ground_question(struct term_store *store, const struct term *formula,
                                   unsigned rounds)
{
    struct ground g = {.store = store};
    struct array_reads *reads = array_reads_create(store);
    const struct term *open = without_claims(&g, formula, false);
    open = open != NULL ? instantiate(&g, open, rounds) : NULL;
    const struct term *told = open != NULL ? array_reads_of(reads, open) : NULL;
    const struct term *facts = told != NULL ? array_reads_facts(reads) : NULL;
    array_reads_destroy(reads);
    VECTOR_FINISH(&g.facts);
    VECTOR_FINISH(&g.keys);
    return facts != NULL ? without_products(store, term_and2(store, told, facts)) : NULL;
}
