#include "engines/bounded/rates.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engines/bounded/samples.h"
#include "engines/bounded/ways.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"

#define MOST_WORDS 4 // that are added to, and of those that count
#define MOST_FACTORS 48
#define FEW_NUMBERS 8  // whose products are factors, too
#define MOST_NODES 200 // of what is assigned
#define MOST_KEPT 6
#define MOST_PAIRS 6
#define MOST_LOCATIONS 12

struct rates {
    struct monolith *m;
    const struct variable *sum[MOST_WORDS], *counter[MOST_WORDS];
    size_t sums, counters;
    int64_t factor[MOST_FACTORS]; // above 0
    size_t factors;
    VECTOR(struct sampled_fact) guesses; // of one word against another
};

static void note_factor(struct rates *r, int64_t factor)
{
    if (factor < 0)
        factor = -factor;
    if (factor < 1 || factor > INT32_MAX)
        return;
    for (size_t i = 0; i < r->factors; i++)
        if (r->factor[i] == factor)
            return;
    if (r->factors < MOST_FACTORS)
        r->factor[r->factors++] = factor;
}

static void note_numbers(struct rates *r, const struct term *t, unsigned *budget)
{
    if (*budget == 0)
        return;
    --*budget;
    if (t->kind == TERM_BV && t->sort->width <= 64) {
        uint64_t number = term_bv_number(t), sign = UINT64_C(1) << (t->sort->width - 1);
        note_factor(r, (int64_t)((number ^ sign) - sign));
    }
    if ((t->kind == TERM_BV_SEXT || t->kind == TERM_BV_ZEXT) && t->child[0]->sort->width <= 16) {
        const int64_t count = INT64_C(1) << t->child[0]->sort->width;
        note_factor(r, t->kind == TERM_BV_ZEXT ? count - 1 : count / 2);
    }
    for (uint32_t i = 0; i < t->child_count; i++)
        note_numbers(r, t->child[i], budget);
}

static void note_word(const struct variable **words, size_t *count, const struct variable *v)
{
    for (size_t i = 0; i < *count; i++)
        if (words[i] == v)
            return;
    if (*count < MOST_WORDS)
        words[(*count)++] = v;
}

// A number is added to the variable, or something else is. The term may be one of several that are chosen from.
static void note_sum(struct rates *r, const struct variable *v, const struct term *t)
{
    struct polynomial p;
    bool itself = false, others = false;
    if (t->kind == TERM_ITE) {
        note_sum(r, v, t->child[1]);
        note_sum(r, v, t->child[2]);
        note_word(r->sum, &r->sums, v);
        return;
    }
    if (t->tree_size <= MOST_NODES && polynomial_of(r->m->store, t, t->sort->width, &p)) {
        for (size_t i = 0; i < p.count; i++) {
            const struct monomial_of_words *m = &p.data[i];
            if (m->degree == 1 && m->part[0] == v->term && m->factor == 1)
                itself = true;
            else
                others = others || m->degree > 0;
        }
        if (itself)
            note_word(r->sum, &r->sums, v);
        if (itself && !others)
            note_word(r->counter, &r->counters, v);
    }
    if (t->tree_size <= MOST_NODES)
        polynomial_finish(&p);
}

static void note_way(struct rates *r, const struct way *way)
{
    const struct model *model = r->m->model;
    unsigned budget = MOST_NODES;
    note_numbers(r, way->condition, &budget);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *variable = model->variables[v];
        const struct term *now = way->now[v];
        if (!r->m->state[v] || now == variable->term || variable->sort->kind != SORT_BV ||
            variable->sort->width > 64)
            continue;
        budget = MOST_NODES;
        note_numbers(r, now, &budget);
        if (rewrite_contains(now, variable->term))
            note_sum(r, variable, now);
    }
}

static void note_edge(struct rates *r, const struct edge *edge)
{
    struct ways ways = {0};
    uint32_t copies = 0;
    if (ways_find(r->m, edge->action, &copies, &ways))
        for (size_t i = 0; i < ways.count; i++)
            note_way(r, &ways.data[i]);
    ways_finish(&ways);
}

static int compare_factors(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void note_products(struct rates *r)
{
    const size_t count = r->factors;
    for (size_t i = 0; i < count && count <= FEW_NUMBERS; i++)
        for (size_t k = 0; k <= i; k++)
            note_factor(r, r->factor[i] * r->factor[k]);
    qsort(r->factor, r->factors, sizeof *r->factor, compare_factors);
}

static void guess(struct rates *r, const struct term *fact)
{
    for (uint32_t l = 0; l < r->m->model->location_count; l++)
        if (r->m->model->locations[l] != r->m->model->error)
            VECTOR_PUSH(&r->guesses, ((struct sampled_fact){l, fact, NULL, false}));
}

// The nearest of those that no random walk refutes, at each location.
static void keep_nearest(struct rates *r, struct located_facts *facts)
{
    uint32_t kept[MOST_LOCATIONS] = {0};
    samples_refute(r->m->model, r->guesses.data, r->guesses.count);
    for (size_t i = 0; i < r->guesses.count; i++) {
        const struct sampled_fact *g = &r->guesses.data[i];
        if (!g->fails && kept[g->location]++ < MOST_KEPT)
            VECTOR_PUSH(facts,
                        ((struct located_fact){g->location, g->says, g->says, g->says, NULL}));
    }
    VECTOR_CLEAR(&r->guesses);
}

// In 64 bits, where a word of 32 bits times a factor does not wrap.
static void guess_pair(struct rates *r, const struct variable *sum, const struct variable *counter,
                       struct located_facts *facts)
{
    struct term_store *store = r->m->store;
    const struct term *s = term_bv_extend(store, TERM_BV_SEXT, sum->term, 64);
    const struct term *i = term_bv_extend(store, TERM_BV_SEXT, counter->term, 64);
    for (int side = 0; side < 2; side++) {
        for (size_t f = 0; f < r->factors; f++) {
            const uint64_t factor = (uint64_t)r->factor[f];
            const struct term *k = term_bv(store, 64, side == 0 ? factor : 0 - factor);
            const struct term *bound = term_bv_binary(store, TERM_BV_MUL, i, k);
            guess(r, side == 0 ? term_bv_binary(store, TERM_BV_SLE, s, bound)
                               : term_bv_binary(store, TERM_BV_SLE, bound, s));
        }
        keep_nearest(r, facts);
    }
}

void rates_guess(struct monolith *m, struct located_facts *facts)
{
    struct rates r = {.m = m};
    unsigned pairs = 0;
    if (m->model->location_count > MOST_LOCATIONS)
        return;
    for (uint32_t e = 0; e < m->model->edge_count; e++)
        note_edge(&r, m->model->edges[e]);
    note_products(&r);
    for (size_t s = 0; s < r.sums; s++)
        for (size_t c = 0; c < r.counters; c++)
            if (r.sum[s] != r.counter[c] && r.counter[c]->sort->width <= 32 && pairs++ < MOST_PAIRS)
                guess_pair(&r, r.sum[s], r.counter[c], facts);
    VECTOR_FINISH(&r.guesses);
}
