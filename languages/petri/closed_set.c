#include "languages/petri/closed_set.h"

#include <string.h>

#include "base/memory.h"

struct checker {
    const struct net *net;
    const struct formula *goal;
    const struct marking_list *set;
    struct member_index members;
    int64_t *now, *after;
    uint8_t *in; // by transition: is it in T?
    size_t bytes;
};

static bool contains(struct checker *c, const int64_t *marking)
{
    return member_index_find(&c->members, marking) != MEMBER_NONE;
}

static int64_t weight_at(const struct net_arcs *arcs, uint32_t place)
{
    for (uint32_t i = 0; i < arcs->count; i++)
        if (arcs->data[i].place == place)
            return arcs->data[i].weight;
    return 0;
}

// All transitions that change the place in this direction are in T.
static bool has_all(const struct checker *c, uint32_t place, int sign)
{
    const struct net_place *p = &c->net->places[place];
    for (uint32_t i = 0; i < p->user_count; i++) {
        int64_t change = weight_at(&c->net->transitions[p->users[i]].effect, place);
        if (change != 0 && (change > 0) == (sign > 0) && !c->in[p->users[i]])
            return false;
    }
    return true;
}

// Those that t could disable are in T.
static bool keeps_others(const struct checker *c, const struct net_transition *t)
{
    for (uint32_t i = 0; i < t->effect.count; i++) {
        uint32_t place = t->effect.data[i].place;
        const struct net_place *p = &c->net->places[place];
        for (uint32_t k = 0; k < p->user_count; k++) {
            const struct net_transition *other = &c->net->transitions[p->users[k]];
            bool hurts = t->effect.data[i].weight < 0 ? weight_at(&other->pre, place) > 0
                                                      : weight_at(&other->inhibit, place) > 0;
            if (hurts && !c->in[p->users[k]])
                return false;
        }
    }
    return true;
}

// For one reason why t is disabled, all that could take it away are in T.
static bool stays_disabled(const struct checker *c, const struct net_transition *t)
{
    for (uint32_t i = 0; i < t->pre.count; i++)
        if (c->now[t->pre.data[i].place] < t->pre.data[i].weight &&
            has_all(c, t->pre.data[i].place, 1))
            return true;
    for (uint32_t i = 0; i < t->inhibit.count; i++)
        if (c->now[t->inhibit.data[i].place] >= t->inhibit.data[i].weight &&
            has_all(c, t->inhibit.data[i].place, -1))
            return true;
    return false;
}

static void shrink(struct checker *c)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < c->net->transition_count; i++) {
            const struct net_transition *t = &c->net->transitions[i];
            if (!c->in[i] ||
                (net_is_enabled(t, c->now) ? keeps_others(c, t) : stays_disabled(c, t)))
                continue;
            c->in[i] = 0;
            changed = true;
        }
    }
}

// While no transition of T fires, the formula, false now, stays false.
static bool stays_false(const struct checker *c, const struct formula *f)
{
    switch (f->kind) {
    case FORMULA_TRUE:
        return false;
    case FORMULA_FALSE:
        return true;
    case FORMULA_LINEAR:
        for (uint32_t i = 0; i < f->sum.count; i++)
            if (!has_all(c, f->sum.data[i].place, f->sum.data[i].weight > 0 ? -1 : 1))
                return false;
        return true;
    case FORMULA_AND:
        for (uint32_t i = 0; i < f->child_count; i++)
            if (!formula_holds(f->child[i], c->now) && stays_false(c, f->child[i]))
                return true;
        return false;
    case FORMULA_OR:
        for (uint32_t i = 0; i < f->child_count; i++)
            if (!stays_false(c, f->child[i]))
                return false;
        return true;
    }
    return false;
}

static bool check_member(struct checker *c, uint32_t number, struct text *why)
{
    bool all = true;
    c->set->get(c->set->context, number, c->now);
    if (formula_holds(c->goal, c->now)) {
        text_printf(why, "marking %u of the set has the goal", number);
        return false;
    }
    for (uint32_t t = 0; t < c->net->transition_count; t++) {
        c->in[t] = 1;
        if (!net_is_enabled(&c->net->transitions[t], c->now))
            continue;
        memcpy(c->after, c->now, c->bytes);
        net_fire(&c->net->transitions[t], c->after);
        c->in[t] = contains(c, c->after);
        all = all && c->in[t];
    }
    if (all)
        return true;
    shrink(c);
    if (!stays_false(c, c->goal))
        text_printf(why, "marking %u of the set has a way out", number);
    return stays_false(c, c->goal);
}

static enum closed_set_result check_all(struct checker *c,
                                        bool (*go_on)(void *context, uint64_t steps), void *context,
                                        struct text *why)
{
    for (uint32_t p = 0; p < c->net->place_count; p++)
        c->now[p] = c->net->places[p].marking;
    if (!contains(c, c->now)) {
        text_add(why, "the first marking is not in the set");
        return CLOSED_SET_REFUSED;
    }
    for (uint32_t n = 0; n < c->set->count; n++) {
        if (!check_member(c, n, why))
            return CLOSED_SET_REFUSED;
        if (go_on != NULL && (n & 63) == 63 && !go_on(context, 64))
            return CLOSED_SET_STOPPED;
    }
    return CLOSED_SET_ACCEPTED;
}

enum closed_set_result closed_set_check(const struct net *net, const struct formula *goal,
                                        const struct marking_list *set,
                                        bool (*go_on)(void *context, uint64_t steps), void *context,
                                        struct text *why)
{
    struct checker c = {.net = net, .goal = goal, .set = set};
    c.bytes = net->place_count * sizeof *c.now;
    c.now = memory_alloc(c.bytes + 1);
    c.after = memory_alloc(c.bytes + 1);
    c.in = memory_alloc((size_t)net->transition_count + 1);
    member_index_init(&c.members, set, net->place_count);
    enum closed_set_result result = check_all(&c, go_on, context, why);
    member_index_finish(&c.members);
    memory_free(c.now);
    memory_free(c.after);
    memory_free(c.in);
    return result;
}
