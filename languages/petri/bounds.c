#include "languages/petri/bounds.h"

#include <assert.h>

#include "base/memory.h"
#include "languages/petri/flow.h"
#include "languages/petri/linear.h"

#define PLACES_MAX 3000
#define ARCS_MAX 20000
// Bounds that differ by less count as the same, and then the smaller proof is taken.
#define TOKEN_COST 1000

struct finder {
    const struct net *net;
    const _Atomic bool *given_up;
    struct net_bounds *out;
    struct linear *program;
    uint32_t first_row; // of those that say what weight a place has at least
    double *weights;
};

static bool is_small(const struct net *net)
{
    size_t arcs = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        arcs += net->transitions[t].effect.count;
    return net->place_count <= PLACES_MAX && arcs <= ARCS_MAX;
}

static bool go_on(void *context, uint64_t steps)
{
    const struct finder *f = context;
    (void)steps;
    return f->given_up == NULL || !atomic_load_explicit(f->given_up, memory_order_relaxed);
}

// Weights that no transition makes heavier, with the least weight of the marking at the start.
static void make_program(struct finder *f)
{
    const struct net *net = f->net;
    struct linear_term *terms = memory_alloc(((size_t)net->place_count + 1) * sizeof *terms);
    f->program = linear_create(net->place_count);
    for (uint32_t p = 0; p < net->place_count; p++)
        terms[p] = (struct linear_term){p, 1 + TOKEN_COST * (double)net->places[p].marking};
    linear_cost(f->program, terms, net->place_count);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        for (uint32_t i = 0; i < effect->count; i++)
            terms[i] = (struct linear_term){effect->data[i].place, (double)effect->data[i].weight};
        if (effect->count == 0)
            continue;
        linear_row(f->program, terms, effect->count, LINEAR_AT_MOST, 0);
        f->first_row++;
    }
    for (uint32_t p = 0; p < net->place_count; p++)
        linear_row(f->program, &(struct linear_term){p, 1}, 1, LINEAR_AT_LEAST, 0);
    memory_free(terms);
}

// The bounds that a fact proves; whether there are any that were not known.
static bool take_bounds(struct finder *f, const struct formula *fact)
{
    assert(fact->kind == FORMULA_LINEAR && fact->bound >= 0);
    bool news = false;
    for (uint32_t i = 0; i < fact->sum.count; i++) {
        int64_t weight = fact->sum.data[i].weight;
        int64_t *most = &f->out->most[fact->sum.data[i].place];
        if (weight <= 0)
            return false;
        int64_t bound = fact->bound / weight;
        if (*most == BOUND_NONE || bound < *most) {
            *most = bound;
            news = true;
        }
    }
    return news;
}

static bool is_positive(const struct formula *fact)
{
    for (uint32_t i = 0; i < fact->sum.count; i++)
        if (fact->sum.data[i].weight <= 0)
            return false;
    return fact->kind == FORMULA_LINEAR && fact->bound >= 0;
}

static void bound_place(struct finder *f, uint32_t place)
{
    assert(place < f->net->place_count);
    linear_bound(f->program, f->first_row + place, 1);
    if (linear_solve(f->program, f->weights, go_on, f) == LINEAR_SOLVED) {
        const struct formula *fact = flow_fact(f->net, f->weights, &f->out->arena);
        if (fact != NULL && is_positive(fact) && take_bounds(f, fact))
            VECTOR_PUSH(&f->out->facts, fact);
    }
    linear_bound(f->program, f->first_row + place, 0);
}

void net_bounds_find(const struct net *net, const _Atomic bool *given_up, struct net_bounds *out)
{
    struct finder f = {.net = net, .given_up = given_up, .out = out};
    *out = (struct net_bounds){0};
    arena_init(&out->arena);
    out->most = memory_alloc(((size_t)net->place_count + 1) * sizeof *out->most);
    for (uint32_t p = 0; p < net->place_count; p++)
        out->most[p] = BOUND_NONE;
    if (!is_small(net))
        return;
    f.weights = memory_alloc(((size_t)net->place_count + 1) * sizeof *f.weights);
    make_program(&f);
    // One token or none is the least that weights can prove of a place that holds one at times.
    for (uint32_t p = 0; p < net->place_count && go_on(&f, 0); p++)
        if (out->most[p] == BOUND_NONE || out->most[p] > 1)
            bound_place(&f, p);
    linear_destroy(f.program);
    memory_free(f.weights);
}

void net_bounds_finish(struct net_bounds *bounds)
{
    VECTOR_FINISH(&bounds->facts);
    memory_free(bounds->most);
    arena_finish(&bounds->arena);
}
