#include <assert.h>

#include "base/memory.h"
#include "engines/petri/reduce_inside.h"

// Places that are only passed through (Berthelot 1986; "free" for reachability: Thierry-Mieg 2020). Each pair of a
// transition that fills the place and one that empties it becomes one transition, which does both.

#define ARCS_MAX 60
// A pair may hold the same transition twice, and so on: weights and sequences could double with each place.
#define WEIGHT_MAX (NET_NUMBER_MAX / 2)
#define LENGTH_MAX 10000

struct numbers {
    uint32_t *data;
    size_t count, capacity;
};

struct passage {
    uint32_t place;
    int64_t weight; // of all arcs
    struct numbers fill, empty;
};

static void finish(struct passage *p)
{
    VECTOR_FINISH(&p->fill);
    VECTOR_FINISH(&p->empty);
}

// False when the place is not one that is only passed through.
static bool find_passage(const struct small_net *s, uint32_t place, struct passage *out)
{
    const struct small_place *p = &s->places[place];
    uint32_t last = UINT32_MAX;
    *out = (struct passage){.place = place};
    if (!p->alive || p->visible || p->inhibits || p->marking != 0)
        return false;
    for (size_t i = 0; i < p->users.count; i++) {
        uint32_t number = p->users.data[i];
        const struct small_transition *t = &s->transitions.data[number];
        if (!t->alive || number == last)
            continue;
        last = number;
        int64_t takes = small_weight(&t->pre, place), gives = small_weight(&t->post, place);
        int64_t weight = takes ? takes : gives;
        if (weight == 0)
            continue;
        if ((takes && gives) || (out->weight && out->weight != weight))
            return false;
        out->weight = weight;
        if (takes)
            VECTOR_PUSH(&out->empty, number);
        else
            VECTOR_PUSH(&out->fill, number);
    }
    return out->fill.count > 0 && out->empty.count > 0 &&
           out->fill.count * out->empty.count <= out->fill.count + out->empty.count;
}

static bool has_visible(const struct small_net *s, const struct arc_list *arcs)
{
    for (size_t i = 0; i < arcs->count; i++)
        if (s->places[arcs->data[i].place].visible)
            return true;
    return false;
}

static bool has_inhibiting(const struct small_net *s, const struct arc_list *arcs)
{
    for (size_t i = 0; i < arcs->count; i++)
        if (s->places[arcs->data[i].place].inhibits)
            return true;
    return false;
}

// All that empties the place needs nothing else, nobody sees it, and more tokens sooner hinder nobody: it may fire at once.
static bool empties_at_once(const struct small_net *s, const struct passage *p)
{
    for (size_t i = 0; i < p->empty.count; i++) {
        const struct small_transition *t = &s->transitions.data[p->empty.data[i]];
        if (t->pre.count != 1 || t->inhibit.count > 0 || has_visible(s, &t->post) ||
            has_inhibiting(s, &t->post))
            return false;
    }
    return true;
}

// All that fills the place does nothing else, nobody sees it, and tokens that stay longer where they were hinder nobody: it may
// wait until the place is emptied. Whether something is dead may depend on it.
static bool fills_late(const struct small_net *s, const struct passage *p)
{
    for (size_t i = 0; i < p->fill.count; i++) {
        const struct small_transition *t = &s->transitions.data[p->fill.data[i]];
        if (t->post.count != 1 || t->inhibit.count > 0 || has_visible(s, &t->pre) ||
            has_inhibiting(s, &t->pre))
            return false;
    }
    return !s->deadlock;
}

static void add_arcs(const struct arc_list *from, uint32_t without, struct arc_list *to)
{
    for (size_t i = 0; i < from->count; i++)
        if (from->data[i].place != without)
            small_set(to, from->data[i].place,
                      small_weight(to, from->data[i].place) + from->data[i].weight);
}

static void note_users(struct small_net *s, uint32_t number, const struct arc_list *arcs)
{
    for (size_t i = 0; i < arcs->count; i++)
        VECTOR_PUSH(&s->places[arcs->data[i].place].users, number);
}

// First `fill`, then `empty`, which needs what `fill` gives besides no more than before.
static void fuse(struct small_net *s, uint32_t place, uint32_t fill, uint32_t empty)
{
    const struct small_transition *a = &s->transitions.data[fill], *b = &s->transitions.data[empty];
    struct expansion pair = {a->expansion, b->expansion};
    struct small_transition new = {.alive = true, .length = a->length + b->length};
    new.expansion = s->given->transition_count + (uint32_t)s->expansions.count;
    assert(pair.first < new.expansion);
    assert(pair.second < new.expansion);
    assert(small_weight(&a->post, place) == small_weight(&b->pre, place));
    add_arcs(&a->pre, place, &new.pre);
    add_arcs(&b->pre, place, &new.pre);
    add_arcs(&a->post, place, &new.post);
    add_arcs(&b->post, place, &new.post);
    add_arcs(&a->inhibit, place, &new.inhibit);
    add_arcs(&b->inhibit, place, &new.inhibit);
    uint32_t number = (uint32_t)s->transitions.count;
    note_users(s, number, &new.pre);
    note_users(s, number, &new.post);
    note_users(s, number, &new.inhibit);
    VECTOR_PUSH(&s->expansions, pair);
    VECTOR_PUSH(&s->transitions, new);
}

static bool has_small_weights(const struct arc_list *arcs)
{
    for (size_t i = 0; i < arcs->count; i++)
        if (arcs->data[i].weight > WEIGHT_MAX)
            return false;
    return true;
}

static bool is_small(const struct small_net *s, const struct numbers *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct small_transition *t = &s->transitions.data[list->data[i]];
        if (t->pre.count + t->post.count + t->inhibit.count > ARCS_MAX || t->length > LENGTH_MAX ||
            !has_small_weights(&t->pre) || !has_small_weights(&t->post))
            return false;
    }
    return true;
}

static bool fuse_place(struct small_net *s, const struct passage *p)
{
    bool at_once = empties_at_once(s, p);
    if ((!at_once && !fills_late(s, p)) || !is_small(s, &p->fill) || !is_small(s, &p->empty))
        return false;
    for (size_t i = 0; i < p->fill.count; i++)
        for (size_t k = 0; k < p->empty.count; k++)
            fuse(s, p->place, p->fill.data[i], p->empty.data[k]);
    for (size_t i = 0; i < p->fill.count; i++)
        small_remove_transition(s, p->fill.data[i]);
    for (size_t i = 0; i < p->empty.count; i++)
        small_remove_transition(s, p->empty.data[i]);
    small_remove_place(s, p->place);
    if (at_once)
        s->counts.post_fused++;
    else
        s->counts.pre_fused++;
    return true;
}

void reduce_by_fusion(struct small_net *s)
{
    for (uint32_t place = 0; place < s->given->place_count; place++) {
        struct passage p;
        if (find_passage(s, place, &p))
            fuse_place(s, &p);
        finish(&p);
        if ((place & 255) == 255 && !s->go_on(s->context, 1))
            return;
    }
}
