#include <string.h>

#include "base/components.h"
#include "base/memory.h"
#include "engines/petri/equation_inside.h"

// 1.4 and 1.8: transitions that still have to fire and cannot depend on places that lack tokens (or have too many),
// which depend on transitions that would change them. Nothing feeds a source component from within; its places need
// tokens from transitions that the solution does not have.

struct dependence {
    struct equation *e;
    const struct partial *p;
    bool inhibitors;
    uint32_t places, nodes; // nodes: places, then transitions
    uint8_t *in;            // by node: part of the graph
    struct components components;
    VECTOR(uint32_t) edges; // of all nodes; those of node n from first[n] to first[n + 1]
    uint32_t *first;
};

static const struct net_transition *transition(const struct dependence *d, uint32_t node)
{
    return &d->e->net->transitions[node - d->places];
}

// Is this the arc of a transition that the marking does not let fire?
static bool hinders(const struct dependence *d, const struct net_arc *arc)
{
    int64_t tokens = d->p->marking[arc->place];
    return d->inhibitors ? tokens >= arc->weight : tokens < arc->weight;
}

static const struct net_arcs *guards(const struct dependence *d, const struct net_transition *t)
{
    return d->inhibitors ? &t->inhibit : &t->pre;
}

static void find_nodes(struct dependence *d)
{
    for (uint32_t t = 0; t < d->e->net->transition_count; t++) {
        const struct net_arcs *arcs = guards(d, &d->e->net->transitions[t]);
        for (uint32_t i = 0; i < arcs->count && d->p->remainder[t] > 0; i++)
            if (hinders(d, &arcs->data[i]))
                d->in[arcs->data[i].place] = d->in[d->places + t] = 1;
    }
}

static void add_edges_of_place(struct dependence *d, uint32_t place)
{
    const struct net_place *p = &d->e->net->places[place];
    for (uint32_t i = 0; i < p->user_count; i++) {
        uint32_t node = d->places + p->users[i];
        const struct net_arcs *arcs = guards(d, transition(d, node));
        for (uint32_t k = 0; k < arcs->count && d->in[node]; k++)
            if (arcs->data[k].place == place && hinders(d, &arcs->data[k]))
                VECTOR_PUSH(&d->edges, node);
    }
}

static void add_edges_of_transition(struct dependence *d, uint32_t node)
{
    const struct net_arcs *effect = &transition(d, node)->effect;
    for (uint32_t i = 0; i < effect->count; i++)
        if (d->in[effect->data[i].place] && (effect->data[i].weight > 0) != d->inhibitors)
            VECTOR_PUSH(&d->edges, effect->data[i].place);
}

static void find_edges(struct dependence *d)
{
    for (uint32_t n = 0; n < d->nodes; n++) {
        d->first[n] = (uint32_t)d->edges.count;
        if (d->in[n] && n < d->places)
            add_edges_of_place(d, n);
        else if (d->in[n])
            add_edges_of_transition(d, n);
    }
    d->first[d->nodes] = (uint32_t)d->edges.count;
}

// What a place of a component without transitions needs; groups of transitions by what they give back, downwards.
static int64_t need_of_place(const struct dependence *d, uint32_t place)
{
    int64_t n = 0, c = -d->p->marking[place], limit = INT64_MAX;
    for (;;) {
        int64_t group = -1, sum = 0;
        for (uint32_t i = d->first[place]; i < d->first[place + 1]; i++) {
            int64_t gives = net_arcs_weight(&transition(d, d->edges.data[i])->post, place);
            group = gives < limit && gives > group ? gives : group;
        }
        if (group < 0)
            return n;
        for (uint32_t i = d->first[place]; i < d->first[place + 1]; i++) {
            const struct net_transition *t = transition(d, d->edges.data[i]);
            if (net_arcs_weight(&t->post, place) == group)
                sum += d->p->remainder[d->edges.data[i] - d->places] *
                       (net_arcs_weight(&t->pre, place) - group);
        }
        c += group + sum;
        n += c > 0 ? c : 0;
        c = -group;
        limit = group;
    }
}

static int64_t excess_of_place(const struct dependence *d, uint32_t place)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = d->first[place]; i < d->first[place + 1]; i++) {
        int64_t weight = net_arcs_weight(&transition(d, d->edges.data[i])->inhibit, place);
        int64_t excess = d->p->marking[place] - weight + 1;
        least = excess < least ? excess : least;
    }
    return least;
}

static int64_t need_of_transition(const struct dependence *d, uint32_t node)
{
    const struct net_arcs *arcs = guards(d, transition(d, node));
    int64_t sum = 0;
    for (uint32_t i = 0; i < arcs->count; i++) {
        int64_t tokens = d->p->marking[arcs->data[i].place];
        if (d->components.of[arcs->data[i].place] == d->components.of[node] &&
            hinders(d, &arcs->data[i]))
            sum +=
                d->inhibitors ? tokens - arcs->data[i].weight + 1 : arcs->data[i].weight - tokens;
    }
    return sum;
}

static int64_t need(const struct dependence *d, uint32_t component)
{
    int64_t least = INT64_MAX;
    uint32_t place = UINT32_MAX;
    for (uint32_t n = 0; n < d->nodes; n++) {
        if (!d->in[n] || d->components.of[n] != component)
            continue;
        int64_t one = n >= d->places ? need_of_transition(d, n) : INT64_MAX;
        least = one < least ? one : least;
        place = n < d->places ? n : place;
    }
    if (least < INT64_MAX || place == UINT32_MAX)
        return least;
    return d->inhibitors ? excess_of_place(d, place) : need_of_place(d, place);
}

// The transitions outside the remainder that change the sum over these places as wanted, at least n times more than
// in the sequence. `sign` -1: lower it. `excluded`: may be NULL.
static void add_constraint(struct equation *e, const struct partial *p, const uint8_t *places,
                           int sign, int64_t n, const uint8_t *excluded, struct constraints *out)
{
    VECTOR(struct linear_term) terms = {0};
    struct constraint *made = arena_zalloc(&e->arena, sizeof *made);
    made->bound = n;
    for (uint32_t t = 0; t < e->net->transition_count; t++) {
        const struct net_arcs *effect = &e->net->transitions[t].effect;
        int64_t gain = 0;
        for (uint32_t i = 0; i < effect->count; i++)
            gain += places[effect->data[i].place] ? sign * effect->data[i].weight : 0;
        if (gain <= 0 || p->remainder[t] != 0 || (excluded != NULL && excluded[t]))
            continue;
        struct linear_term term = {t, (double)gain};
        VECTOR_PUSH(&terms, term);
        made->bound += gain * p->fired[t];
    }
    if (terms.count > 0) {
        struct linear_term *copy = arena_alloc(&e->arena, terms.count * sizeof *copy);
        memcpy(copy, terms.data, terms.count * sizeof *copy);
        made->terms = copy;
        made->count = (uint32_t)terms.count;
        VECTOR_PUSH(out, made);
    }
    VECTOR_FINISH(&terms);
}

static void treat_components(struct dependence *d, struct constraints *out)
{
    uint8_t *fed = memory_zalloc(d->components.count + 1);
    uint8_t *places = memory_alloc(d->places + 1);
    for (uint32_t n = 0; n < d->nodes; n++)
        for (uint32_t i = d->first[n]; i < d->first[n + 1]; i++)
            if (d->components.of[d->edges.data[i]] != d->components.of[n])
                fed[d->components.of[d->edges.data[i]]] = 1;
    for (uint32_t c = 1; c <= d->components.count; c++) {
        int64_t n = fed[c] ? 0 : need(d, c);
        if (n <= 0 || n == INT64_MAX)
            continue;
        for (uint32_t p = 0; p < d->places; p++)
            places[p] = d->in[p] && d->components.of[p] == c;
        add_constraint(d->e, d->p, places, d->inhibitors ? -1 : 1, n, NULL, out);
    }
    memory_free(fed);
    memory_free(places);
}

static void increment(struct equation *e, const struct partial *p, bool inhibitors,
                      struct constraints *out)
{
    struct dependence d = {.e = e, .p = p, .inhibitors = inhibitors};
    d.places = e->net->place_count;
    d.nodes = d.places + e->net->transition_count;
    d.in = memory_zalloc((size_t)d.nodes + 1);
    d.first = memory_zalloc(((size_t)d.nodes + 1) * sizeof *d.first);
    find_nodes(&d);
    find_edges(&d);
    components_find(&d.components, d.nodes, d.first, d.edges.data, d.in);
    treat_components(&d, out);
    memory_free(d.in);
    components_finish(&d.components);
    memory_free(d.first);
    VECTOR_FINISH(&d.edges);
}

void equation_increment(struct equation *e, const struct partial *p, struct constraints *out)
{
    increment(e, p, false, out);
    if (e->net->has_inhibitors)
        increment(e, p, true, out);
}

// By place: connected to a transition of the chain. By transition: of the chain.
static void mark_chain(const struct equation *e, const int64_t *const *chain, size_t count,
                       uint8_t *places, uint8_t *own)
{
    memset(places, 0, e->net->place_count);
    memset(own, 0, e->net->transition_count);
    for (uint32_t t = 0; t < e->net->transition_count; t++) {
        const struct net_transition *n = &e->net->transitions[t];
        for (size_t i = 0; i < count; i++)
            own[t] = own[t] || chain[i][t] > 0;
        for (uint32_t i = 0; own[t] && i < n->pre.count; i++)
            places[n->pre.data[i].place] = 1;
        for (uint32_t i = 0; own[t] && i < n->post.count; i++)
            places[n->post.data[i].place] = 1;
    }
}

void equation_distant(struct equation *e, const struct partial *p, const int64_t *const *chain,
                      size_t count, struct constraints *out)
{
    uint8_t *places = memory_alloc((size_t)e->net->place_count + 1);
    uint8_t *own = memory_alloc((size_t)e->net->transition_count + 1);
    mark_chain(e, chain, count, places, own);
    add_constraint(e, p, places, 1, 1, e->options->exclude_own ? own : NULL, out);
    memory_free(places);
    memory_free(own);
}

bool equation_is_distant(const struct equation *e, const int64_t *z, const int64_t *const *chain,
                         size_t count)
{
    uint8_t *places = memory_alloc((size_t)e->net->place_count + 1);
    uint8_t *own = memory_alloc((size_t)e->net->transition_count + 1);
    bool found = false;
    mark_chain(e, chain, count, places, own);
    for (uint32_t t = 0; t < e->net->transition_count && !found; t++) {
        const struct net_arcs *effect = &e->net->transitions[t].effect;
        for (uint32_t i = 0; i < effect->count && z[t] > 0 && !own[t]; i++)
            found = found || (places[effect->data[i].place] && effect->data[i].weight > 0);
    }
    memory_free(places);
    memory_free(own);
    return found;
}

bool equation_is_invariant(const struct equation *e, const int64_t *y)
{
    int64_t *change = memory_zalloc(((size_t)e->net->place_count + 1) * sizeof *change);
    bool good = true;
    for (uint32_t t = 0; t < e->net->transition_count; t++) {
        const struct net_arcs *effect = &e->net->transitions[t].effect;
        good = good && y[t] >= 0;
        for (uint32_t i = 0; i < effect->count; i++)
            change[effect->data[i].place] += y[t] * effect->data[i].weight;
    }
    for (uint32_t p = 0; p < e->net->place_count; p++)
        good = good && change[p] == 0;
    memory_free(change);
    return good;
}
