#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "engines/petri/reduce_inside.h"

// ---- The cone: what the goal needs, more or less of

struct cone {
    struct small_net *s;
    uint8_t *more, *less; // by place: more tokens may help, fewer may
    uint8_t *in;          // by transition
    bool changed;
};

static void want(struct cone *c, uint8_t *wanted, uint32_t place)
{
    c->changed = c->changed || !wanted[place];
    wanted[place] = 1;
}

static void want_goal(struct cone *c, const struct formula *f)
{
    for (uint32_t i = 0; f->kind == FORMULA_LINEAR && i < f->sum.count; i++)
        want(c, f->sum.data[i].weight > 0 ? c->less : c->more, f->sum.data[i].place);
    for (uint32_t i = 0; i < f->child_count; i++)
        want_goal(c, f->child[i]);
}

static bool helps(const struct cone *c, const struct small_transition *t)
{
    for (size_t i = 0; i < t->post.count; i++)
        if (c->more[t->post.data[i].place] && small_effect(t, t->post.data[i].place) > 0)
            return true;
    for (size_t i = 0; i < t->pre.count; i++)
        if (c->less[t->pre.data[i].place] && small_effect(t, t->pre.data[i].place) < 0)
            return true;
    return false;
}

static void take_in(struct cone *c, uint32_t t)
{
    const struct small_transition *transition = &c->s->transitions.data[t];
    assert(transition->alive && !c->in[t]);
    c->in[t] = 1;
    for (size_t i = 0; i < transition->pre.count; i++)
        want(c, c->more, transition->pre.data[i].place);
    for (size_t i = 0; i < transition->inhibit.count; i++)
        want(c, c->less, transition->inhibit.data[i].place);
}

static void leave_out_rest(struct cone *c)
{
    struct small_net *s = c->s;
    for (uint32_t t = 0; t < s->transitions.count; t++)
        if (s->transitions.data[t].alive && !c->in[t]) {
            small_remove_transition(s, t);
            s->counts.unneeded_transitions++;
        }
    for (uint32_t p = 0; p < s->given->place_count; p++)
        if (s->places[p].alive && !c->more[p] && !c->less[p]) {
            assert(!s->places[p].visible && "the goal speaks of what it does not want");
            small_remove_place(s, p);
            s->counts.unneeded_places++;
        }
}

void reduce_to_cone(struct small_net *s)
{
    size_t places = (size_t)s->given->place_count + 1;
    struct cone c = {.s = s, .changed = true};
    c.more = memory_zalloc(places);
    c.less = memory_zalloc(places);
    c.in = memory_zalloc(s->transitions.count + 1);
    want_goal(&c, s->goal);
    while (c.changed) {
        c.changed = false;
        for (uint32_t t = 0; t < s->transitions.count; t++)
            if (s->transitions.data[t].alive && !c.in[t] && helps(&c, &s->transitions.data[t]))
                take_in(&c, t);
    }
    leave_out_rest(&c);
    memory_free(c.more);
    memory_free(c.less);
    memory_free(c.in);
}

// ---- Dead, idle and dominated transitions

// Places that may ever be filled, and whether a place ever gets more than it has at the start.
struct possible {
    uint8_t *filled, *grows;
};

static bool may_fire(const struct small_net *s, const struct possible *p,
                     const struct small_transition *t)
{
    for (size_t i = 0; i < t->pre.count; i++) {
        uint32_t place = t->pre.data[i].place;
        if (!p->filled[place] ||
            (!p->grows[place] && s->places[place].marking < t->pre.data[i].weight))
            return false;
    }
    return true;
}

// What can fire when every place that is filled once holds as much as anybody wants.
static void remove_dead(struct small_net *s)
{
    size_t places = (size_t)s->given->place_count + 1;
    struct possible p = {memory_zalloc(places), memory_zalloc(places)};
    uint8_t *fires = memory_zalloc(s->transitions.count + 1);
    for (uint32_t i = 0; i < s->given->place_count; i++)
        p.filled[i] = s->places[i].marking > 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < s->transitions.count; i++) {
            const struct small_transition *t = &s->transitions.data[i];
            if (!t->alive || fires[i] || !may_fire(s, &p, t))
                continue;
            fires[i] = 1;
            changed = true;
            for (size_t k = 0; k < t->post.count; k++) {
                uint32_t place = t->post.data[k].place;
                p.filled[place] = 1;
                p.grows[place] = p.grows[place] || small_effect(t, place) > 0;
            }
        }
    }
    for (uint32_t i = 0; i < s->transitions.count; i++)
        if (s->transitions.data[i].alive && !fires[i]) {
            small_remove_transition(s, i);
            s->counts.dead++;
        }
    memory_free(p.filled);
    memory_free(p.grows);
    memory_free(fires);
}

static bool same_arcs(const struct arc_list *a, const struct arc_list *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->data, b->data, a->count * sizeof *a->data) == 0);
}

static void remove_idle(struct small_net *s)
{
    for (uint32_t i = 0; i < s->transitions.count && !s->deadlock; i++) {
        const struct small_transition *t = &s->transitions.data[i];
        if (!t->alive || !same_arcs(&t->pre, &t->post))
            continue;
        small_remove_transition(s, i);
        s->counts.idle++;
    }
}

static bool same_effect(const struct small_transition *a, const struct small_transition *b)
{
    const struct arc_list *all[] = {&a->pre, &a->post, &b->pre, &b->post};
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < all[k]->count; i++) {
            uint32_t place = all[k]->data[i].place;
            if (small_effect(a, place) != small_effect(b, place))
                return false;
        }
    return true;
}

// Whenever a can fire, b can.
static bool asks_less(const struct small_transition *b, const struct small_transition *a)
{
    for (size_t i = 0; i < b->pre.count; i++)
        if (small_weight(&a->pre, b->pre.data[i].place) < b->pre.data[i].weight)
            return false;
    for (size_t i = 0; i < b->inhibit.count; i++) {
        int64_t weight = small_weight(&a->inhibit, b->inhibit.data[i].place);
        if (weight == 0 || weight > b->inhibit.data[i].weight)
            return false;
    }
    return true;
}

struct hashed {
    uint64_t hash;
    uint32_t number;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// The same for equal effects, in whatever order.
static uint64_t hash_effect(const struct small_transition *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->pre.count; i++)
        sum -= hash_mix(t->pre.data[i].place + 1) * (uint64_t)t->pre.data[i].weight;
    for (size_t i = 0; i < t->post.count; i++)
        sum += hash_mix(t->post.data[i].place + 1) * (uint64_t)t->post.data[i].weight;
    return sum;
}

#define GROUP_MAX 40

static void remove_dominated(struct small_net *s)
{
    VECTOR(struct hashed) all = {0};
    for (uint32_t i = 0; i < s->transitions.count; i++) {
        struct hashed h = {hash_effect(&s->transitions.data[i]), i};
        if (s->transitions.data[i].alive)
            VECTOR_PUSH(&all, h);
    }
    if (all.count)
        qsort(all.data, all.count, sizeof *all.data, by_hash);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = i + 1; k < all.count && k < i + GROUP_MAX; k++) {
            if (all.data[k].hash != all.data[i].hash)
                break;
            uint32_t one = all.data[i].number, two = all.data[k].number;
            const struct small_transition *a = &s->transitions.data[one],
                                          *b = &s->transitions.data[two];
            if (!a->alive || !b->alive || !same_effect(a, b))
                continue;
            if (asks_less(a, b))
                small_remove_transition(s, two);
            else if (asks_less(b, a))
                small_remove_transition(s, one);
            else
                continue;
            s->counts.dominated++;
        }
    VECTOR_FINISH(&all);
}

// ---- Places

static bool is_changed(const struct small_net *s, uint32_t place)
{
    const struct small_place *p = &s->places[place];
    for (size_t i = 0; i < p->users.count; i++) {
        const struct small_transition *t = &s->transitions.data[p->users.data[i]];
        if (t->alive && small_effect(t, place) != 0)
            return true;
    }
    return false;
}

// The number of tokens never changes: transitions that it forbids are dead, to the others it says nothing.
static void remove_constant(struct small_net *s, uint32_t place)
{
    struct small_place *p = &s->places[place];
    assert(!is_changed(s, place));
    for (size_t i = 0; i < p->users.count; i++) {
        uint32_t number = p->users.data[i];
        const struct small_transition *t = &s->transitions.data[number];
        int64_t inhibit = t->alive ? small_weight(&t->inhibit, place) : 0;
        if (!t->alive ||
            (small_weight(&t->pre, place) <= p->marking && (inhibit == 0 || p->marking < inhibit)))
            continue;
        small_remove_transition(s, number);
        s->counts.dead++;
    }
    small_remove_place(s, place);
    s->counts.constant++;
}

// It never holds fewer tokens than a transition takes: nobody takes more than he gives back, or nobody asks.
static bool never_hinders(const struct small_net *s, uint32_t place)
{
    const struct small_place *p = &s->places[place];
    for (size_t i = 0; i < p->users.count; i++) {
        const struct small_transition *t = &s->transitions.data[p->users.data[i]];
        if (!t->alive)
            continue;
        int64_t takes = small_weight(&t->pre, place);
        if (takes > 0 && (takes > p->marking || small_effect(t, place) < 0))
            return false;
    }
    return true;
}

// q changes as p does, and where q suffices for a transition, so does p.
static bool follows(const struct small_net *s, uint32_t p, uint32_t q)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct small_place *one = &s->places[side ? q : p];
        for (size_t i = 0; i < one->users.count; i++) {
            const struct small_transition *t = &s->transitions.data[one->users.data[i]];
            if (!t->alive)
                continue;
            int64_t takes = small_weight(&t->pre, p);
            if (small_effect(t, p) != small_effect(t, q) ||
                (takes > 0 &&
                 (small_weight(&t->pre, q) == 0 ||
                  takes - s->places[p].marking > small_weight(&t->pre, q) - s->places[q].marking)))
                return false;
        }
    }
    return true;
}

static uint64_t hash_changes(const struct small_net *s, uint32_t place)
{
    const struct small_place *p = &s->places[place];
    uint64_t sum = 0;
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < p->users.count; i++) {
        uint32_t number = p->users.data[i];
        const struct small_transition *t = &s->transitions.data[number];
        if (t->alive && number != last)
            sum += hash_mix(number + 1) * (uint64_t)small_effect(t, place);
        last = number;
    }
    return sum;
}

static bool may_go(const struct small_net *s, uint32_t place)
{
    const struct small_place *p = &s->places[place];
    return p->alive && !p->visible && !p->inhibits;
}

static void remove_followers(struct small_net *s)
{
    VECTOR(struct hashed) all = {0};
    for (uint32_t i = 0; i < s->given->place_count; i++) {
        struct hashed h = {hash_changes(s, i), i};
        if (s->places[i].alive)
            VECTOR_PUSH(&all, h);
    }
    if (all.count)
        qsort(all.data, all.count, sizeof *all.data, by_hash);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = i + 1; k < all.count && k < i + GROUP_MAX; k++) {
            if (all.data[k].hash != all.data[i].hash)
                break;
            uint32_t one = all.data[i].number, two = all.data[k].number;
            assert(one < two);
            if (!s->places[one].alive || !s->places[two].alive)
                continue;
            if (may_go(s, one) && follows(s, one, two))
                small_remove_place(s, one);
            else if (may_go(s, two) && follows(s, two, one))
                small_remove_place(s, two);
            else
                continue;
            s->counts.redundant++;
        }
    VECTOR_FINISH(&all);
}

void reduce_locally(struct small_net *s)
{
    remove_dead(s);
    remove_idle(s);
    remove_dominated(s);
    for (uint32_t p = 0; p < s->given->place_count; p++) {
        if (!s->places[p].alive)
            continue;
        if (!is_changed(s, p)) {
            remove_constant(s, p);
        } else if (may_go(s, p) && never_hinders(s, p)) {
            small_remove_place(s, p);
            s->counts.redundant++;
        }
    }
    remove_followers(s);
}
