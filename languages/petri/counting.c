#include "languages/petri/counting.h"

#include <assert.h>

#include "base/memory.h"

// Larger sums of Booleans are sums of numbers.
#define CELLS_MAX 20000
#define PLACES_MAX 200

struct counting {
    struct term_store *store;
    const struct term *(*place)(void *context, uint32_t place);
    void *context;
};

static const struct term *place_term(struct counting *c, uint32_t place)
{
    return c->place(c->context, place);
}

static bool is_boolean(struct counting *c, const struct term *term)
{
    return term->sort == sort_bool(c->store);
}

static const struct term *tokens(struct counting *c, uint32_t place)
{
    const struct term *term = place_term(c, place);
    return is_boolean(c, term)
               ? term_ite(c->store, term, term_int(c->store, 1), term_int(c->store, 0))
               : term;
}

static const struct term *sum_term(struct counting *c, const struct net_arcs *sum)
{
    const struct term **terms = memory_alloc((sum->count + 1) * sizeof *terms);
    for (uint32_t i = 0; i < sum->count; i++)
        terms[i] = term_mul2(c->store, term_int(c->store, sum->data[i].weight),
                             tokens(c, sum->data[i].place));
    const struct term *t = sum->count == 0   ? term_int(c->store, 0)
                           : sum->count == 1 ? terms[0]
                                             : term_add(c->store, terms, sum->count);
    memory_free(terms);
    return t;
}

// A comparison of Booleans as a decision diagram: one place after the other, by what is left of the bound.

struct diagram {
    struct counting *counting;
    const struct net_arcs *sum;
    int64_t *least, *greatest; // of the places from here on
    int64_t low;               // the least that is ever left of the bound
    size_t width;
    const struct term **cells; // by place and what is left
};

static const struct term *decide(struct diagram *d, uint32_t i, int64_t left)
{
    struct term_store *store = d->counting->store;
    if (d->greatest[i] <= left)
        return term_true(store);
    if (d->least[i] > left)
        return term_false(store);
    assert(i < d->sum->count && left >= d->low && (size_t)(left - d->low) < d->width);
    const struct term **cell = &d->cells[i * d->width + (size_t)(left - d->low)];
    if (*cell == NULL)
        *cell = term_ite(store, place_term(d->counting, d->sum->data[i].place),
                         decide(d, i + 1, left - d->sum->data[i].weight), decide(d, i + 1, left));
    return *cell;
}

static bool all_boolean(struct counting *c, const struct net_arcs *sum)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (!is_boolean(c, place_term(c, sum->data[i].place)))
            return false;
    return true;
}

// NULL: it would be too large.
static const struct term *decide_sum(struct counting *c, const struct formula *f)
{
    const struct net_arcs *sum = &f->sum;
    struct diagram d = {.counting = c, .sum = sum};
    const struct term *result = NULL;
    d.least = memory_zalloc(((size_t)sum->count + 1) * sizeof *d.least);
    d.greatest = memory_zalloc(((size_t)sum->count + 1) * sizeof *d.greatest);
    for (uint32_t i = sum->count; i-- > 0;) {
        int64_t weight = sum->data[i].weight;
        d.least[i] = d.least[i + 1] + (weight < 0 ? weight : 0);
        d.greatest[i] = d.greatest[i + 1] + (weight > 0 ? weight : 0);
    }
    __int128 range = (__int128)d.greatest[0] - d.least[0] + 1;
    if (sum->count <= PLACES_MAX && range * sum->count <= CELLS_MAX) {
        d.width = (size_t)range;
        d.low = f->bound - d.greatest[0];
        d.cells = memory_zalloc((d.width * sum->count + 1) * sizeof *d.cells);
        result = decide(&d, 0, f->bound);
        memory_free(d.cells);
    }
    memory_free(d.least);
    memory_free(d.greatest);
    return result;
}

static const struct term *comparison(struct counting *c, const struct formula *f)
{
    const struct term *decided = all_boolean(c, &f->sum) ? decide_sum(c, f) : NULL;
    assert(decided == NULL || decided->sort == sort_bool(c->store));
    return decided != NULL ? decided
                           : term_le(c->store, sum_term(c, &f->sum), term_int(c->store, f->bound));
}

static const struct term *formula_term(struct counting *c, const struct formula *formula);

static const struct term *join(struct counting *c, const struct formula *formula)
{
    const struct term **terms = memory_alloc(formula->child_count * sizeof *terms);
    for (uint32_t i = 0; i < formula->child_count; i++)
        terms[i] = formula_term(c, formula->child[i]);
    const struct term *t = formula->kind == FORMULA_AND
                               ? term_and(c->store, terms, formula->child_count)
                               : term_or(c->store, terms, formula->child_count);
    memory_free(terms);
    return t;
}

static const struct term *formula_term(struct counting *c, const struct formula *formula)
{
    switch (formula->kind) {
    case FORMULA_TRUE:
    case FORMULA_FALSE:
        return term_bool(c->store, formula->kind == FORMULA_TRUE);
    case FORMULA_LINEAR:
        return comparison(c, formula);
    case FORMULA_AND:
    case FORMULA_OR:
        break;
    }
    return join(c, formula);
}

const struct term *counting_formula(struct term_store *store, const struct formula *formula,
                                    const struct term *(*place)(void *context, uint32_t place),
                                    void *context)
{
    struct counting c = {store, place, context};
    return formula_term(&c, formula);
}
