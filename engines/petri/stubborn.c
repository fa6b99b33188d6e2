#include "engines/petri/stubborn.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// A work list: the transitions that bring the goal nearer, then for each in the set what it depends on.
//   enabled t:  those that need what t takes, those forbidden by what t puts;
//   disabled t: all that could fill one place which lacks tokens, or empty one which has too many.

struct list {
    uint32_t *data;
    size_t count, capacity;
};

struct stubborn {
    const struct net *net;
    const struct formula *goal;
    struct list *takers, *givers;     // by place: transitions that lower, that raise it
    struct list *needers, *inhibited; // by place: those with it in pre, in inhibit
    struct list work;
};

static void note(struct list *lists, const struct net_arcs *arcs, uint32_t t, int sign)
{
    for (uint32_t i = 0; i < arcs->count; i++)
        if (sign == 0 || (sign > 0) == (arcs->data[i].weight > 0))
            VECTOR_PUSH(&lists[arcs->data[i].place], t);
}

struct stubborn *stubborn_create(const struct net *net, const struct formula *goal)
{
    struct stubborn *s = memory_zalloc(sizeof *s);
    size_t bytes = ((size_t)net->place_count + 1) * sizeof(struct list);
    s->net = net;
    s->goal = goal;
    s->takers = memory_zalloc(bytes);
    s->givers = memory_zalloc(bytes);
    s->needers = memory_zalloc(bytes);
    s->inhibited = memory_zalloc(bytes);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        note(s->takers, &net->transitions[t].effect, t, -1);
        note(s->givers, &net->transitions[t].effect, t, 1);
        note(s->needers, &net->transitions[t].pre, t, 0);
        note(s->inhibited, &net->transitions[t].inhibit, t, 0);
    }
    return s;
}

static void free_lists(struct stubborn *s, struct list *lists)
{
    for (uint32_t p = 0; p < s->net->place_count; p++)
        VECTOR_FINISH(&lists[p]);
    memory_free(lists);
}

void stubborn_destroy(struct stubborn *s)
{
    if (s == NULL)
        return;
    free_lists(s, s->takers);
    free_lists(s, s->givers);
    free_lists(s, s->needers);
    free_lists(s, s->inhibited);
    VECTOR_FINISH(&s->work);
    memory_free(s);
}

static void add(struct stubborn *s, uint8_t *chosen, uint32_t t)
{
    if (chosen[t])
        return;
    chosen[t] = 1;
    VECTOR_PUSH(&s->work, t);
}

static void add_all(struct stubborn *s, uint8_t *chosen, const struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        add(s, chosen, list->data[i]);
}

// How many transitions lowering a linear sum would add; at most.
static size_t cost_of(const struct stubborn *s, const struct formula *f)
{
    size_t cost = 0;
    if (f->kind == FORMULA_LINEAR)
        for (uint32_t i = 0; i < f->sum.count; i++)
            cost += f->sum.data[i].weight > 0 ? s->takers[f->sum.data[i].place].count
                                              : s->givers[f->sum.data[i].place].count;
    for (uint32_t i = 0; i < f->child_count; i++)
        cost += cost_of(s, f->child[i]);
    return cost;
}

// Transitions without which the formula, false now, stays false.
static void help(struct stubborn *s, const struct formula *f, const int64_t *marking,
                 uint8_t *chosen)
{
    assert(!formula_holds(f, marking) && "what holds needs no help");
    switch (f->kind) {
    case FORMULA_TRUE:
    case FORMULA_FALSE:
        return;
    case FORMULA_LINEAR:
        for (uint32_t i = 0; i < f->sum.count; i++)
            add_all(s, chosen,
                    f->sum.data[i].weight > 0 ? &s->takers[f->sum.data[i].place]
                                              : &s->givers[f->sum.data[i].place]);
        return;
    case FORMULA_OR:
        for (uint32_t i = 0; i < f->child_count; i++)
            help(s, f->child[i], marking, chosen);
        return;
    case FORMULA_AND:
        break;
    }
    const struct formula *best = NULL;
    size_t best_cost = SIZE_MAX;
    for (uint32_t i = 0; i < f->child_count && best_cost > 0; i++) {
        if (formula_holds(f->child[i], marking))
            continue;
        size_t cost = cost_of(s, f->child[i]);
        if (cost < best_cost) {
            best = f->child[i];
            best_cost = cost;
        }
    }
    assert(best != NULL && "some part of a conjunction that is false is false");
    if (best != NULL)
        help(s, best, marking, chosen);
}

static void add_dependent(struct stubborn *s, uint8_t *chosen, const struct net_transition *t)
{
    for (uint32_t i = 0; i < t->effect.count; i++) {
        uint32_t place = t->effect.data[i].place;
        add_all(s, chosen,
                t->effect.data[i].weight < 0 ? &s->needers[place] : &s->inhibited[place]);
    }
}

static size_t missing(const uint8_t *chosen, const struct list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += !chosen[list->data[i]];
    return count;
}

static void add_enabling(struct stubborn *s, uint8_t *chosen, const struct net_transition *t,
                         const int64_t *marking)
{
    const struct list *best = NULL;
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < t->pre.count + t->inhibit.count && least > 0; i++) {
        bool inhibits = i >= t->pre.count;
        const struct net_arc *a = inhibits ? &t->inhibit.data[i - t->pre.count] : &t->pre.data[i];
        if ((marking[a->place] >= a->weight) != inhibits)
            continue;
        const struct list *list = inhibits ? &s->takers[a->place] : &s->givers[a->place];
        size_t count = missing(chosen, list);
        if (count < least) {
            least = count;
            best = list;
        }
    }
    assert(best != NULL && "something holds back what is not enabled");
    if (best != NULL)
        add_all(s, chosen, best);
}

uint32_t stubborn_choose(struct stubborn *s, const int64_t *marking, uint8_t *chosen)
{
    uint32_t enabled = 0;
    memset(chosen, 0, s->net->transition_count);
    VECTOR_CLEAR(&s->work);
    help(s, s->goal, marking, chosen);
    for (size_t i = 0; i < s->work.count; i++) {
        const struct net_transition *t = &s->net->transitions[s->work.data[i]];
        if (net_is_enabled(t, marking)) {
            enabled++;
            add_dependent(s, chosen, t);
        } else {
            add_enabling(s, chosen, t, marking);
        }
    }
    return enabled;
}
