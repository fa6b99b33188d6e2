#include "languages/petri/flow.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"

#define DENOMINATOR_MAX 5000
#define WEIGHT_MAX 1e15
#define NEAR 1e-6

// A common denominator of all values, the least that there is; 0 = none.
static int64_t denominator(const double *values, size_t count)
{
    int64_t least = 1;
    for (size_t i = 0; i < count; i++) {
        int64_t d = 1;
        double x = values[i] * (double)least;
        while (d <= DENOMINATOR_MAX &&
               fabs(x * (double)d - round(x * (double)d)) > NEAR * (double)d)
            d++;
        least *= d;
        if (d > DENOMINATOR_MAX || least > (int64_t)1 << 30)
            return 0;
    }
    assert(least >= 1);
    return least;
}

static __int128 dot(const struct net_arcs *arcs, const int64_t *weights)
{
    __int128 sum = 0;
    for (uint32_t i = 0; i < arcs->count; i++)
        sum += (__int128)arcs->data[i].weight * weights[arcs->data[i].place];
    return sum;
}

// NULL when some transition breaks it.
static const struct formula *make_fact(const struct net *net, const int64_t *weights,
                                       struct arena *arena)
{
    VECTOR(struct net_arc) terms = {0};
    __int128 bound = 0;
    const struct formula *fact = NULL;
    for (uint32_t p = 0; p < net->place_count; p++) {
        struct net_arc term = {p, weights[p]};
        bound += (__int128)weights[p] * net->places[p].marking;
        if (weights[p] != 0)
            VECTOR_PUSH(&terms, term);
    }
    bool good = bound < INT64_MAX / 2 && bound > INT64_MIN / 2;
    for (uint32_t t = 0; t < net->transition_count && good; t++)
        good = dot(&net->transitions[t].effect, weights) <= 0;
    if (good)
        fact = formula_at_most(arena, terms.data, terms.count, (int64_t)bound);
    VECTOR_FINISH(&terms);
    return fact;
}

const struct formula *flow_fact(const struct net *net, const double *weights, struct arena *arena)
{
    uint32_t places = net->place_count;
    int64_t scale = denominator(weights, places);
    for (uint32_t p = 0; p < places; p++)
        if (fabs(weights[p] * (double)scale) > WEIGHT_MAX)
            scale = 0;
    if (scale == 0)
        return NULL;
    int64_t *whole = memory_alloc(((size_t)places + 1) * sizeof *whole);
    for (uint32_t p = 0; p < places; p++)
        whole[p] = (int64_t)round(weights[p] * (double)scale);
    const struct formula *fact = make_fact(net, whole, arena);
    memory_free(whole);
    return fact;
}
