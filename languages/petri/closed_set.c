#include "languages/petri/closed_set.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// What transitions may have to do with a place.
enum role { GIVES, TAKES, NEEDS, INHIBITED, ROLES };

struct checker {
    const struct net *net;
    const struct formula *goal;
    const struct marking_list *set;
    struct member_index members;
    int64_t *now, *after;
    uint8_t *in, *enabled;    // by transition: is it in T; can it fire?
    uint32_t *out[ROLES];     // by place: how many transitions with this role are not in T
    VECTOR(uint32_t) touched; // places that one of T with some role was the first to leave
    size_t bytes;
};

static bool contains(struct checker *c, const int64_t *marking)
{
    return member_index_find(&c->members, marking) != MEMBER_NONE;
}

static void leave(struct checker *c, enum role role, uint32_t place)
{
    if (c->out[role][place]++ == 0)
        VECTOR_PUSH(&c->touched, place);
}

// Takes t out of T.
static void drop(struct checker *c, uint32_t number)
{
    const struct net_transition *t = &c->net->transitions[number];
    c->in[number] = 0;
    for (uint32_t i = 0; i < t->effect.count; i++)
        leave(c, t->effect.data[i].weight > 0 ? GIVES : TAKES, t->effect.data[i].place);
    for (uint32_t i = 0; i < t->pre.count; i++)
        leave(c, NEEDS, t->pre.data[i].place);
    for (uint32_t i = 0; i < t->inhibit.count; i++)
        leave(c, INHIBITED, t->inhibit.data[i].place);
}

static void fill(struct checker *c)
{
    memset(c->in, 1, c->net->transition_count);
    VECTOR_CLEAR(&c->touched);
    for (unsigned role = 0; role < ROLES; role++)
        memset(c->out[role], 0, c->net->place_count * sizeof *c->out[role]);
}

// All transitions that change the place in this direction are in T.
static bool has_all(const struct checker *c, uint32_t place, int sign)
{
    return c->out[sign > 0 ? GIVES : TAKES][place] == 0;
}

// Those that t could disable are in T.
static bool keeps_others(const struct checker *c, const struct net_transition *t)
{
    for (uint32_t i = 0; i < t->effect.count; i++)
        if (c->out[t->effect.data[i].weight < 0 ? NEEDS : INHIBITED][t->effect.data[i].place] > 0)
            return false;
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

// Takes out of T who asks for one that is not there, until nobody does. Who uses no place that was touched need not be looked at.
static void shrink(struct checker *c)
{
    while (c->touched.count > 0) {
        const struct net_place *p = &c->net->places[VECTOR_POP(&c->touched)];
        for (uint32_t k = 0; k < p->user_count; k++) {
            uint32_t number = p->users[k];
            const struct net_transition *t = &c->net->transitions[number];
            if (c->in[number] && !(c->enabled[number] ? keeps_others(c, t) : stays_disabled(c, t)))
                drop(c, number);
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
    assert(number < c->set->count);
    bool all = true;
    c->set->get(c->set->context, number, c->now);
    if (formula_holds(c->goal, c->now)) {
        text_printf(why, "marking %u of the set has the goal", number);
        return false;
    }
    fill(c);
    for (uint32_t t = 0; t < c->net->transition_count; t++) {
        c->enabled[t] = net_is_enabled(&c->net->transitions[t], c->now);
        if (!c->enabled[t])
            continue;
        memcpy(c->after, c->now, c->bytes);
        net_fire(&c->net->transitions[t], c->after);
        if (!contains(c, c->after)) {
            drop(c, t);
            all = false;
        }
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
    assert(set->count == 0 || set->get != NULL);
    c.bytes = net->place_count * sizeof *c.now;
    c.now = memory_alloc(c.bytes + 1);
    c.after = memory_alloc(c.bytes + 1);
    c.in = memory_alloc((size_t)net->transition_count + 1);
    c.enabled = memory_alloc((size_t)net->transition_count + 1);
    for (unsigned role = 0; role < ROLES; role++)
        c.out[role] = memory_alloc(((size_t)net->place_count + 1) * sizeof *c.out[role]);
    member_index_init(&c.members, set, net->place_count);
    enum closed_set_result result = check_all(&c, go_on, context, why);
    member_index_finish(&c.members);
    memory_free(c.now);
    memory_free(c.after);
    memory_free(c.in);
    memory_free(c.enabled);
    VECTOR_FINISH(&c.touched);
    for (unsigned role = 0; role < ROLES; role++)
        memory_free(c.out[role]);
    return result;
}
