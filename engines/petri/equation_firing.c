#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engines/petri/equation_firing.h"
#include "engines/petri/equation_inside.h"
#include "engines/petri/markings.h"

// 1.1: sequences that fire each transition at most as often as a solution says.

#define REALIZE_LIMIT 200000
#define PARTIALS_LIMIT 200
#define STEPS_LIMIT 20000

void firing_begin(struct firing *f, const struct petri_problem *problem, const int64_t *counts,
                  const uint32_t *order)
{
    const struct net *net = problem->net;
    *f = (struct firing){.problem = problem, .net = net, .order = order};
    f->left = memory_alloc(((size_t)net->transition_count + 1) * sizeof *f->left);
    f->marking = memory_alloc(((size_t)net->place_count + 1) * sizeof *f->marking);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        assert(counts[t] >= 0);
        f->left[t] = counts[t];
        f->total += counts[t];
    }
    for (uint32_t p = 0; p < net->place_count; p++)
        f->marking[p] = net->places[p].marking;
}

void firing_finish(struct firing *f)
{
    memory_free(f->left);
    memory_free(f->marking);
    VECTOR_FINISH(&f->sequence);
}

void firing_fire(struct firing *f, uint32_t t)
{
    assert(firing_can(f, t));
    net_fire(&f->net->transitions[t], f->marking);
    f->left[t]--;
    f->total--;
    VECTOR_PUSH(&f->sequence, t);
}

void firing_take_back(struct firing *f)
{
    uint32_t t = VECTOR_POP(&f->sequence);
    const struct net_arcs *effect = &f->net->transitions[t].effect;
    for (uint32_t i = 0; i < effect->count; i++)
        f->marking[effect->data[i].place] -= effect->data[i].weight;
    f->left[t]++;
    f->total++;
    assert(f->left[t] > 0 && f->total > 0);
}

bool firing_hinders(const struct firing *f, uint32_t t, uint32_t other)
{
    const struct net_arcs *effect = &f->net->transitions[t].effect;
    const struct net_transition *o = &f->net->transitions[other];
    if (other == t || f->left[other] == 0)
        return false;
    for (uint32_t i = 0; i < effect->count; i++)
        if (net_arcs_weight(effect->data[i].weight < 0 ? &o->pre : &o->inhibit,
                            effect->data[i].place) != 0)
            return true;
    return false;
}

bool firing_is_harmless(const struct firing *f, uint32_t t)
{
    const struct net_arcs *effect = &f->net->transitions[t].effect;
    for (uint32_t i = 0; i < effect->count; i++) {
        const struct net_place *place = &f->net->places[effect->data[i].place];
        for (uint32_t k = 0; k < place->user_count; k++)
            if (firing_hinders(f, t, place->users[k]))
                return false;
    }
    return true;
}

bool firing_can(const struct firing *f, uint32_t t)
{
    return f->left[t] > 0 && net_is_enabled(&f->net->transitions[t], f->marking);
}

struct level {
    size_t length; // of the sequence when it was entered
    uint32_t next; // place in the order of the next transition to try
};

struct partial *equation_partial(struct equation *e, struct solution *solution,
                                 const uint32_t *sequence, size_t length)
{
    const struct net *net = e->net;
    struct partial *p = arena_zalloc(&e->arena, sizeof *p);
    uint32_t *copy = arena_alloc(&e->arena, (length + 1) * sizeof *copy);
    int64_t *fired = arena_zalloc(&e->arena, (net->transition_count + 1) * sizeof *fired);
    int64_t *remainder = arena_alloc(&e->arena, (net->transition_count + 1) * sizeof *remainder);
    int64_t *marking = arena_alloc(&e->arena, (net->place_count + 1) * sizeof *marking);
    for (uint32_t i = 0; i < net->place_count; i++)
        marking[i] = net->places[i].marking;
    for (size_t i = 0; i < length; i++) {
        copy[i] = sequence[i];
        assert(net_is_enabled(&net->transitions[sequence[i]], marking));
        fired[sequence[i]]++;
        net_fire(&net->transitions[sequence[i]], marking);
    }
    for (uint32_t t = 0; t < net->transition_count; t++)
        remainder[t] = solution->x[t] - fired[t];
    *p = (struct partial){.solution = solution,
                          .sequence = copy,
                          .length = length,
                          .fired = fired,
                          .remainder = remainder,
                          .marking = marking};
    VECTOR_PUSH(&solution->partials, p);
    e->result->partials++;
    return p;
}

// Ways to fire parts of the counts in `f`, one for each part (merge) or all, depth first in the order of transitions. `meet` is told of each
// part when it is met, and again (`leaf`) when nothing more can fire after it; false: enough. True when all were met.
static bool enumerate(struct firing *f, bool reduce, bool merge,
                      bool (*meet)(void *context, const struct firing *f, bool leaf), void *context)
{
    VECTOR(struct level) levels = {0};
    struct level level = {0, 0};
    struct markings seen;                 // firings left
    bool is_new, leaf = true, all = true; // leaf: the sequence was just made longer
    markings_init(&seen, f->net->transition_count);
    markings_add(&seen, f->left, &is_new);
    VECTOR_PUSH(&levels, level);
    all = meet(context, f, false);
    while (levels.count > 0 && all) {
        struct level *top = &VECTOR_LAST(&levels);
        while (f->sequence.count > top->length)
            firing_take_back(f);
        while (top->next < f->net->transition_count && !firing_can(f, f->order[top->next]))
            top->next++;
        if (top->next == f->net->transition_count) {
            all = !leaf || meet(context, f, true);
            leaf = false;
            levels.count--;
        } else {
            uint32_t t = f->order[top->next++];
            if (reduce && firing_is_harmless(f, t))
                top->next = f->net->transition_count; // the others may as well come later
            firing_fire(f, t);
            markings_add(&seen, f->left, &is_new);
            is_new = is_new || !merge;
            leaf = is_new;
            level.length = f->sequence.count;
            if (is_new) {
                VECTOR_PUSH(&levels, level);
                all = meet(context, f, false);
            }
        }
        if (++f->steps > STEPS_LIMIT ||
            ((f->steps & 255) == 0 && !f->problem->go_on(f->problem->context, 256)))
            all = false;
    }
    markings_finish(&seen);
    VECTOR_FINISH(&levels);
    return all;
}

struct collection {
    struct equation *e;
    struct solution *solution;
    struct partials *out;
};

static bool collect_leaf(void *context, const struct firing *f, bool leaf)
{
    struct collection *c = context;
    if (leaf)
        VECTOR_PUSH(c->out,
                    equation_partial(c->e, c->solution, f->sequence.data, f->sequence.count));
    return c->out->count < PARTIALS_LIMIT;
}

struct prefix_collection {
    struct equation *e;
    const struct partial *p;
    bool (*wanted)(struct equation *e, const struct partial *p, const int64_t *marking);
    struct equation_prefixes *out;
    uint32_t *lacking; // places that the remainder wants otherwise
    uint32_t lacking_count;
    int64_t *lack;        // tokens there
    struct markings seen; // such tokens
};

static void find_lacking(struct prefix_collection *c)
{
    const struct net *net = c->e->net;
    uint8_t *in = memory_zalloc((size_t)net->place_count + 1);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_transition *n = &net->transitions[t];
        for (uint32_t i = 0; i < n->pre.count && c->p->remainder[t] > 0; i++)
            in[n->pre.data[i].place] |= c->p->marking[n->pre.data[i].place] < n->pre.data[i].weight;
        for (uint32_t i = 0; i < n->inhibit.count && c->p->remainder[t] > 0; i++)
            in[n->inhibit.data[i].place] |=
                c->p->marking[n->inhibit.data[i].place] >= n->inhibit.data[i].weight;
    }
    c->lacking = memory_alloc(((size_t)net->place_count + 1) * sizeof *c->lacking);
    c->lack = memory_alloc(((size_t)net->place_count + 1) * sizeof *c->lack);
    for (uint32_t p = 0; p < net->place_count; p++)
        if (in[p])
            c->lacking[c->lacking_count++] = p;
    markings_init(&c->seen, c->lacking_count);
    memory_free(in);
}

static bool collect_prefix(void *context, const struct firing *f, bool leaf)
{
    struct prefix_collection *c = context;
    if (leaf || f->total == 0 || !c->wanted(c->e, c->p, f->marking))
        return true;
    bool is_new;
    for (uint32_t i = 0; i < c->lacking_count; i++)
        c->lack[i] = f->marking[c->lacking[i]];
    markings_add(&c->seen, c->lack, &is_new);
    if (!is_new)
        return true;
    uint32_t *copy = arena_alloc(&c->e->arena, (f->sequence.count + 1) * sizeof *copy);
    struct equation_prefix prefix = {copy, f->sequence.count};
    if (prefix.length)
        memcpy(copy, f->sequence.data, prefix.length * sizeof *copy);
    VECTOR_PUSH(c->out, prefix);
    return c->out->count < PARTIALS_LIMIT;
}

static int by_length(const void *a, const void *b)
{
    const struct equation_prefix *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    for (size_t i = 0; i < x->length; i++)
        if (x->sequence[i] != y->sequence[i])
            return x->sequence[i] < y->sequence[i] ? -1 : 1;
    return 0;
}

void equation_collect_prefixes(struct equation *e, const struct partial *p,
                               bool (*wanted)(struct equation *e, const struct partial *p,
                                              const int64_t *marking),
                               struct equation_prefixes *out)
{
    struct prefix_collection c = {.e = e, .p = p, .wanted = wanted, .out = out};
    struct firing f;
    find_lacking(&c);
    firing_begin(&f, e->problem, p->fired, e->order);
    if (!enumerate(&f, false, true, collect_prefix, &c))
        e->result->cut = true;
    firing_finish(&f);
    markings_finish(&c.seen);
    memory_free(c.lacking);
    memory_free(c.lack);
    if (out->count)
        qsort(out->data, out->count, sizeof *out->data, by_length);
}

bool equation_partials(struct equation *e, struct solution *solution, struct partials *out)
{
    struct petri_sequence sequence = {0};
    bool full = equation_realize(e->problem, solution->x, e->order, REALIZE_LIMIT, &sequence,
                                 &e->result->cut);
    if (full) {
        VECTOR_PUSH(out, equation_partial(e, solution, sequence.data, sequence.count));
    } else {
        struct firing f;
        struct collection c = {e, solution, out};
        firing_begin(&f, e->problem, solution->x, e->order);
        if (!enumerate(&f, e->options->reduce, e->options->wide, collect_leaf, &c))
            e->result->cut = true;
        if (out->count == 0)
            VECTOR_PUSH(out, equation_partial(e, solution, f.sequence.data, f.sequence.count));
        firing_finish(&f);
    }
    VECTOR_FINISH(&sequence);
    return full;
}
