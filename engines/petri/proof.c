#include "engines/petri/proof.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/petri/flow.h"

#define NEAR 1e-6

struct terms {
    struct linear_term *data;
    size_t count, capacity;
};

// The largest siphon within the places that are empty at the start: those are taken out that some transition fills
// without taking from another place of it.
void petri_empty_siphon(const struct net *net, uint8_t *dead)
{
    bool changed = true;
    for (uint32_t p = 0; p < net->place_count; p++)
        dead[p] = net->places[p].marking == 0;
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < net->transition_count; t++) {
            const struct net_transition *transition = &net->transitions[t];
            bool fed = false;
            for (uint32_t i = 0; i < transition->pre.count && !fed; i++)
                fed = dead[transition->pre.data[i].place];
            for (uint32_t i = 0; i < transition->post.count && !fed; i++) {
                uint32_t place = transition->post.data[i].place;
                changed = changed || dead[place];
                dead[place] = 0;
            }
        }
    }
}

const struct formula *petri_siphon_fact(const struct net *net, struct arena *arena)
{
    uint8_t *dead = memory_alloc((size_t)net->place_count + 1);
    VECTOR(struct net_arc) terms = {0};
    petri_empty_siphon(net, dead);
    for (uint32_t p = 0; p < net->place_count; p++) {
        struct net_arc term = {p, 1};
        assert(!dead[p] || net->places[p].marking == 0);
        if (dead[p])
            VECTOR_PUSH(&terms, term);
    }
    const struct formula *fact =
        terms.count ? formula_at_most(arena, terms.data, terms.count, 0) : NULL;
    memory_free(dead);
    VECTOR_FINISH(&terms);
    return fact;
}

static void add_term(struct terms *terms, uint32_t column, double weight)
{
    struct linear_term term = {column, weight};
    VECTOR_PUSH(terms, term);
}

// Farkas' alternative. Columns: plus_p and minus_p for each place (their difference is p's weight), factor_i for each
// row. For all t: weights * effect(t) <= 0. For all p: weight_p + sum of factor_i * row_i(p) >= 0. And
// - sum of factor_i * bound_i - weights * m0 >= 1.
static struct linear *alternative(const struct net *net, const struct petri_rows *rows)
{
    uint32_t places = net->place_count, factors = 2 * places;
    struct linear *l = linear_create(factors + (uint32_t)rows->count);
    struct terms terms = {0};
    struct terms *by_place = memory_zalloc(((size_t)places + 1) * sizeof *by_place);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        VECTOR_CLEAR(&terms);
        for (uint32_t i = 0; i < effect->count; i++) {
            add_term(&terms, effect->data[i].place, (double)effect->data[i].weight);
            add_term(&terms, places + effect->data[i].place, -(double)effect->data[i].weight);
        }
        if (terms.count)
            linear_row(l, terms.data, terms.count, LINEAR_AT_MOST, 0);
    }
    VECTOR_CLEAR(&terms);
    for (uint32_t p = 0; p < places; p++) {
        if (net->places[p].marking == 0)
            continue;
        add_term(&terms, p, -(double)net->places[p].marking);
        add_term(&terms, places + p, (double)net->places[p].marking);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct formula *row = rows->data[i];
        assert(row->kind == FORMULA_LINEAR);
        if (row->bound != 0)
            add_term(&terms, factors + i, -(double)row->bound);
        for (uint32_t k = 0; k < row->sum.count; k++)
            add_term(&by_place[row->sum.data[k].place], factors + i,
                     (double)row->sum.data[k].weight);
    }
    linear_row(l, terms.data, terms.count, LINEAR_AT_LEAST, 1);
    for (uint32_t p = 0; p < places; p++) {
        add_term(&by_place[p], p, 1);
        add_term(&by_place[p], places + p, -1);
        linear_row(l, by_place[p].data, by_place[p].count, LINEAR_AT_LEAST, 0);
        VECTOR_FINISH(&by_place[p]);
    }
    memory_free(by_place);
    VECTOR_FINISH(&terms);
    return l;
}

enum petri_refutation petri_refute_rows(const struct petri_problem *problem,
                                        const struct petri_rows *rows, struct arena *arena,
                                        struct petri_facts *facts)
{
    const struct net *net = problem->net;
    uint32_t places = net->place_count;
    size_t columns = 2 * (size_t)places + rows->count;
    double *values = memory_zalloc((columns + 1) * sizeof *values);
    struct linear *l = alternative(net, rows);
    enum linear_result solved = linear_solve(l, values, problem->go_on, problem->context);
    enum petri_refutation result = solved == LINEAR_STOPPED ? PETRI_STOPPED : PETRI_NOT_REFUTED;
    for (uint32_t p = 0; p < places; p++)
        values[p] -= values[places + p];
    const struct formula *fact = solved == LINEAR_SOLVED ? flow_fact(net, values, arena) : NULL;
    if (fact != NULL && fact->kind == FORMULA_LINEAR) {
        VECTOR_PUSH(facts, fact);
        result = PETRI_REFUTED;
    }
    assert(result != PETRI_REFUTED || VECTOR_LAST(facts)->kind == FORMULA_LINEAR);
    linear_destroy(l);
    memory_free(values);
    return result;
}

static void add_row(struct linear *l, const struct formula *row, uint32_t first,
                    struct terms *terms)
{
    assert(row->kind == FORMULA_LINEAR);
    VECTOR_CLEAR(terms);
    for (uint32_t i = 0; i < row->sum.count; i++)
        add_term(terms, first + row->sum.data[i].place, (double)row->sum.data[i].weight);
    linear_row(l, terms->data, terms->count, LINEAR_AT_MOST, (double)row->bound);
}

// Columns: firings of each transition, then tokens of each place.
enum petri_refutation petri_candidate(const struct petri_problem *problem,
                                      const struct petri_rows *rows,
                                      const struct petri_facts *facts, double *tokens)
{
    const struct net *net = problem->net;
    uint32_t first = net->transition_count;
    size_t columns = (size_t)first + net->place_count;
    double *values = memory_zalloc((columns + 1) * sizeof *values);
    struct terms *by_place = memory_zalloc(((size_t)net->place_count + 1) * sizeof *by_place);
    struct terms terms = {0};
    struct linear *l = linear_create((uint32_t)columns);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        for (uint32_t i = 0; i < effect->count; i++)
            add_term(&by_place[effect->data[i].place], t, (double)effect->data[i].weight);
    }
    for (uint32_t p = 0; p < net->place_count; p++) {
        add_term(&by_place[p], first + p, -1);
        linear_row(l, by_place[p].data, by_place[p].count, LINEAR_EQUAL,
                   -(double)net->places[p].marking);
        VECTOR_FINISH(&by_place[p]);
    }
    for (size_t i = 0; i < rows->count; i++)
        add_row(l, rows->data[i], first, &terms);
    for (size_t i = 0; i < facts->count; i++)
        add_row(l, facts->data[i], first, &terms);
    enum linear_result solved = linear_solve(l, values, problem->go_on, problem->context);
    memcpy(tokens, values + first, net->place_count * sizeof *tokens);
    linear_destroy(l);
    VECTOR_FINISH(&terms);
    memory_free(by_place);
    memory_free(values);
    return solved == LINEAR_STOPPED      ? PETRI_STOPPED
           : solved == LINEAR_INFEASIBLE ? PETRI_REFUTED
                                         : PETRI_NOT_REFUTED;
}

// The largest trap within the places: those are taken out from which some transition takes without putting into
// another place of it.
static void shrink_to_trap(const struct net *net, uint8_t *in)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < net->transition_count; t++) {
            const struct net_transition *transition = &net->transitions[t];
            bool puts = false;
            for (uint32_t i = 0; i < transition->post.count && !puts; i++)
                puts = in[transition->post.data[i].place];
            for (uint32_t i = 0; i < transition->pre.count && !puts; i++) {
                uint32_t place = transition->pre.data[i].place;
                changed = changed || in[place];
                in[place] = 0;
            }
        }
    }
}

bool petri_refute_trap(const struct net *net, const double *tokens, struct arena *arena,
                       struct petri_facts *facts)
{
    uint8_t *in = memory_alloc((size_t)net->place_count + 1);
    VECTOR(struct net_arc) terms = {0};
    bool marked = false;
    for (uint32_t p = 0; p < net->place_count; p++)
        in[p] = tokens[p] < NEAR;
    shrink_to_trap(net, in);
    for (uint32_t p = 0; p < net->place_count; p++) {
        struct net_arc term = {p, -1};
        if (in[p])
            VECTOR_PUSH(&terms, term);
        marked = marked || (in[p] && net->places[p].marking > 0);
    }
    if (marked)
        VECTOR_PUSH(facts, formula_at_most(arena, terms.data, terms.count, -1));
    memory_free(in);
    VECTOR_FINISH(&terms);
    return marked;
}
