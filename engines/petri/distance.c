#include "engines/petri/distance.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"
#include "engines/petri/cubes.h"
#include "languages/petri/linear.h"

#define CUBES_MAX 8
#define ARCS_MAX 20000
#define UNREACHABLE (UINT64_MAX / 2)

struct terms {
    struct linear_term *data;
    size_t count, capacity;
};

struct petri_distances {
    const struct petri_problem *problem;
    struct petri_cubes cubes;
    struct linear **programs; // one a cube: a row for each place, then one for each comparison
    double *values;
};

static size_t count_arcs(const struct net *net)
{
    size_t count = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        count += net->transitions[t].effect.count;
    return count;
}

// The change of a sum of tokens by each transition.
static void collect_terms(const struct net *net, const int64_t *weights, struct terms *out)
{
    VECTOR_CLEAR(out);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        double sum = 0;
        for (uint32_t i = 0; i < effect->count; i++)
            sum += (double)weights[effect->data[i].place] * (double)effect->data[i].weight;
        struct linear_term term = {t, sum};
        if (sum != 0)
            VECTOR_PUSH(out, term);
    }
}

static void add_place_rows(const struct net *net, struct linear *program)
{
    struct terms *rows = memory_zalloc(((size_t)net->place_count + 1) * sizeof *rows);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        for (uint32_t i = 0; i < effect->count; i++) {
            struct linear_term term = {t, (double)effect->data[i].weight};
            VECTOR_PUSH(&rows[effect->data[i].place], term);
        }
    }
    for (uint32_t p = 0; p < net->place_count; p++) {
        linear_row(program, rows[p].data, rows[p].count, LINEAR_AT_LEAST, 0);
        VECTOR_FINISH(&rows[p]);
    }
    memory_free(rows);
}

static struct linear *make_program(const struct net *net, const struct petri_rows *rows)
{
    struct linear *program = linear_create(net->transition_count);
    struct terms terms = {0};
    int64_t *weights = memory_zalloc(((size_t)net->place_count + 1) * sizeof *weights);
    add_place_rows(net, program);
    for (size_t i = 0; i < rows->count; i++) {
        const struct net_arcs *sum = &rows->data[i]->sum;
        for (uint32_t k = 0; k < sum->count; k++)
            weights[sum->data[k].place] = sum->data[k].weight;
        collect_terms(net, weights, &terms);
        linear_row(program, terms.data, terms.count, LINEAR_AT_MOST, 0);
        for (uint32_t k = 0; k < sum->count; k++)
            weights[sum->data[k].place] = 0;
    }
    VECTOR_FINISH(&terms);
    memory_free(weights);
    return program;
}

struct petri_distances *petri_distances_create(const struct petri_problem *problem)
{
    struct petri_cubes cubes;
    if (count_arcs(problem->net) > ARCS_MAX || !petri_cubes_make(problem->goal, CUBES_MAX, &cubes))
        return NULL;
    assert(cubes.count <= CUBES_MAX);
    struct petri_distances *d = memory_zalloc(sizeof *d);
    d->problem = problem;
    d->cubes = cubes;
    d->programs = memory_zalloc((cubes.count + 1) * sizeof *d->programs);
    d->values = memory_zalloc(((size_t)problem->net->transition_count + 1) * sizeof *d->values);
    for (size_t i = 0; i < cubes.count; i++)
        d->programs[i] = make_program(problem->net, &cubes.data[i]);
    return d;
}

void petri_distances_destroy(struct petri_distances *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; i < d->cubes.count; i++)
        linear_destroy(d->programs[i]);
    petri_cubes_finish(&d->cubes);
    memory_free(d->programs);
    memory_free(d->values);
    memory_free(d);
}

// The comparison's bound, less what it has already.
static double rest(const struct formula *row, const int64_t *marking)
{
    double rest = (double)row->bound;
    for (uint32_t i = 0; i < row->sum.count; i++)
        rest -= (double)row->sum.data[i].weight * (double)marking[row->sum.data[i].place];
    return rest;
}

static uint64_t solve(struct petri_distances *d, size_t cube, const int64_t *marking)
{
    const struct petri_problem *problem = d->problem;
    const struct petri_rows *rows = &d->cubes.data[cube];
    struct linear *program = d->programs[cube];
    double sum = 0;
    for (uint32_t p = 0; p < problem->net->place_count; p++)
        linear_bound(program, p, -(double)marking[p]);
    for (size_t i = 0; i < rows->count; i++)
        linear_bound(program, problem->net->place_count + (uint32_t)i,
                     rest(rows->data[i], marking));
    if (linear_solve(program, d->values, problem->go_on, problem->context) != LINEAR_SOLVED)
        return UNREACHABLE;
    for (uint32_t t = 0; t < problem->net->transition_count; t++)
        sum += d->values[t];
    return sum < 1e15 ? (uint64_t)(1000 * sum + 0.5) : UNREACHABLE;
}

uint64_t petri_distances_from(struct petri_distances *d, const int64_t *marking)
{
    uint64_t least = UNREACHABLE;
    for (size_t i = 0; i < d->cubes.count; i++) {
        uint64_t one = solve(d, i, marking);
        least = one < least ? one : least;
    }
    return least;
}
