#include "engines/petri/reduce.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "engines/petri/reduce_inside.h"

#define ROUNDS_MAX 100

int64_t small_weight(const struct arc_list *arcs, uint32_t place)
{
    return net_arcs_weight(&(struct net_arcs){arcs->data, (uint32_t)arcs->count}, place);
}

void small_set(struct arc_list *arcs, uint32_t place, int64_t weight)
{
    size_t i = 0;
    while (i < arcs->count && arcs->data[i].place < place)
        i++;
    bool there = i < arcs->count && arcs->data[i].place == place;
    if (there && weight != 0) {
        arcs->data[i].weight = weight;
    } else if (there) {
        memmove(arcs->data + i, arcs->data + i + 1, (arcs->count - i - 1) * sizeof *arcs->data);
        arcs->count--;
    } else if (weight != 0) {
        struct net_arc arc = {place, weight};
        VECTOR_PUSH(arcs, arc);
        memmove(arcs->data + i + 1, arcs->data + i, (arcs->count - i - 1) * sizeof *arcs->data);
        arcs->data[i] = arc;
    }
    assert(weight >= 0 && (i == 0 || arcs->data[i - 1].place < place));
    if (i + 1 < arcs->count && weight != 0) {
        assert(arcs->data[i + 1].place > place);
    }
}

int64_t small_effect(const struct small_transition *t, uint32_t place)
{
    return small_weight(&t->post, place) - small_weight(&t->pre, place);
}

void small_remove_transition(struct small_net *s, uint32_t t)
{
    struct small_transition *transition = &s->transitions.data[t];
    assert(transition->alive);
    transition->alive = false;
    VECTOR_FINISH(&transition->pre);
    VECTOR_FINISH(&transition->post);
    VECTOR_FINISH(&transition->inhibit);
    s->changed = true;
}

void small_remove_place(struct small_net *s, uint32_t place)
{
    struct small_place *p = &s->places[place];
    assert(p->alive);
    for (size_t i = 0; i < p->users.count; i++) {
        struct small_transition *t = &s->transitions.data[p->users.data[i]];
        if (!t->alive)
            continue;
        small_set(&t->pre, place, 0);
        small_set(&t->post, place, 0);
        small_set(&t->inhibit, place, 0);
    }
    p->alive = false;
    VECTOR_FINISH(&p->users);
    s->changed = true;
}

static void mark_visible(struct small_net *s, const struct formula *f)
{
    for (uint32_t i = 0; f->kind == FORMULA_LINEAR && i < f->sum.count; i++)
        s->places[f->sum.data[i].place].visible = true;
    for (uint32_t i = 0; i < f->child_count; i++)
        mark_visible(s, f->child[i]);
}

static bool same_formula(const struct formula *a, const struct formula *b)
{
    if (a->kind != b->kind || a->child_count != b->child_count)
        return false;
    if (a->kind == FORMULA_LINEAR &&
        (a->bound != b->bound || a->sum.count != b->sum.count ||
         memcmp(a->sum.data, b->sum.data, a->sum.count * sizeof *a->sum.data) != 0))
        return false;
    for (uint32_t i = 0; i < a->child_count; i++)
        if (!same_formula(a->child[i], b->child[i]))
            return false;
    return true;
}

bool reduction_is_deadlock(const struct net *net, const struct formula *goal)
{
    struct arena arena;
    arena_init(&arena);
    bool same = same_formula(goal, formula_deadlock(&arena, net));
    arena_finish(&arena);
    return same;
}

static void copy_arcs(struct small_net *s, uint32_t t, const struct net_arcs *from,
                      struct arc_list *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        VECTOR_PUSH(to, from->data[i]);
        VECTOR_PUSH(&s->places[from->data[i].place].users, t);
    }
}

static void begin(struct small_net *s, const struct petri_problem *problem)
{
    const struct net *net = problem->net;
    *s = (struct small_net){
        .given = net, .goal = problem->goal, .go_on = problem->go_on, .context = problem->context};
    s->deadlock = reduction_is_deadlock(net, problem->goal);
    s->places = memory_zalloc(((size_t)net->place_count + 1) * sizeof *s->places);
    for (uint32_t p = 0; p < net->place_count; p++) {
        s->places[p].alive = true;
        s->places[p].marking = net->places[p].marking;
    }
    for (uint32_t t = 0; t < net->transition_count; t++) {
        struct small_transition new = {.alive = true, .expansion = t, .length = 1};
        copy_arcs(s, t, &net->transitions[t].pre, &new.pre);
        copy_arcs(s, t, &net->transitions[t].post, &new.post);
        copy_arcs(s, t, &net->transitions[t].inhibit, &new.inhibit);
        for (size_t i = 0; i < new.inhibit.count; i++)
            s->places[new.inhibit.data[i].place].inhibits = true;
        VECTOR_PUSH(&s->transitions, new);
    }
    if (!s->deadlock)
        mark_visible(s, problem->goal);
}

static void end(struct small_net *s)
{
    for (uint32_t p = 0; p < s->given->place_count; p++)
        VECTOR_FINISH(&s->places[p].users);
    for (size_t t = 0; t < s->transitions.count; t++)
        if (s->transitions.data[t].alive)
            small_remove_transition(s, (uint32_t)t);
    memory_free(s->places);
    VECTOR_FINISH(&s->transitions);
    VECTOR_FINISH(&s->expansions);
}

// ---- The result

static void build_arcs(const struct small_net *s, struct net_builder *b, uint32_t t, const char *id)
{
    const struct small_transition *transition = &s->transitions.data[t];
    const struct net_place *places = s->given->places;
    struct position at = {s->given->path, 0, 0};
    for (size_t i = 0; i < transition->pre.count; i++)
        net_builder_arc(b, places[transition->pre.data[i].place].id, id, NET_ARC_NORMAL,
                        transition->pre.data[i].weight, at);
    for (size_t i = 0; i < transition->post.count; i++)
        net_builder_arc(b, id, places[transition->post.data[i].place].id, NET_ARC_NORMAL,
                        transition->post.data[i].weight, at);
    for (size_t i = 0; i < transition->inhibit.count; i++)
        net_builder_arc(b, places[transition->inhibit.data[i].place].id, id, NET_ARC_INHIBITOR,
                        transition->inhibit.data[i].weight, at);
}

// Places keep their ids. Transitions get numbers that no place can have for an id: nobody asks for their names.
static struct net *build(const struct small_net *s, struct reduction *out)
{
    struct net_builder *b = net_builder_create(s->given->path);
    struct messages messages;
    struct position at = {s->given->path, 0, 0};
    VECTOR(uint32_t) begins = {0};
    char id[40];
    for (uint32_t p = 0; p < s->given->place_count; p++)
        if (s->places[p].alive)
            net_builder_place(b, s->given->places[p].id, NULL, s->places[p].marking, at);
    for (uint32_t t = 0; t < s->transitions.count; t++) {
        if (!s->transitions.data[t].alive)
            continue;
        snprintf(id, sizeof id, "\x01%u", t);
        net_builder_transition(b, id, NULL, at);
        build_arcs(s, b, t, id);
        VECTOR_PUSH(&begins, s->transitions.data[t].expansion);
    }
    messages_init(&messages);
    struct net *net = net_builder_finish(b, &messages);
    ENSURE(net == NULL || net->transition_count == begins.count); // a firing is told by `begins`
    messages_finish(&messages);
    out->begins = begins.data;
    return net;
}

// The goal over the small net's places; a constant place is the number that it holds.
static const struct formula *translate(const struct small_net *s, const uint32_t *numbers,
                                       const struct formula *f, struct arena *arena)
{
    if (f->kind == FORMULA_LINEAR) {
        VECTOR(struct net_arc) terms = {0};
        int64_t bound = f->bound;
        for (uint32_t i = 0; i < f->sum.count; i++) {
            struct net_arc term = f->sum.data[i];
            if (s->places[term.place].alive) {
                term.place = numbers[term.place];
                VECTOR_PUSH(&terms, term);
            } else {
                bound -= term.weight * s->places[term.place].marking;
            }
        }
        const struct formula *made = formula_at_most(arena, terms.data, terms.count, bound);
        VECTOR_FINISH(&terms);
        return made;
    }
    if (f->child_count == 0)
        return f;
    const struct formula **children = memory_alloc(f->child_count * sizeof *children);
    for (uint32_t i = 0; i < f->child_count; i++)
        children[i] = translate(s, numbers, f->child[i], arena);
    const struct formula *made = formula_join(arena, f->kind, children, f->child_count);
    memory_free(children);
    return made;
}

static void make_goal(const struct small_net *s, struct reduction *out)
{
    if (s->deadlock) {
        out->goal = formula_deadlock(&out->arena, out->net);
        return;
    }
    uint32_t *numbers = memory_alloc(((size_t)s->given->place_count + 1) * sizeof *numbers);
    uint32_t count = 0;
    for (uint32_t p = 0; p < s->given->place_count; p++)
        numbers[p] = s->places[p].alive ? count++ : UINT32_MAX;
    ENSURE(count == out->net->place_count); // the small net has them in the same order
    out->goal = translate(s, numbers, s->goal, &out->arena);
    memory_free(numbers);
}

static bool took_away(const struct reduction_counts *counts)
{
#define R(field, words)                                                                            \
    if (counts->field)                                                                             \
        return true;
    REDUCTION_RULES(R)
#undef R
    return false;
}

static void apply(struct small_net *s, struct reduction_choice choice)
{
    s->changed = true;
    for (unsigned round = 0; s->changed && round < ROUNDS_MAX; round++) {
        s->changed = false;
        if (choice.cone && !s->deadlock)
            reduce_to_cone(s);
        if (choice.local)
            reduce_locally(s);
        if (choice.fusion)
            reduce_by_fusion(s);
        if (!s->go_on(s->context, s->given->transition_count))
            return;
    }
}

bool reduction_make(const struct petri_problem *problem, struct reduction_choice choice,
                    struct reduction *out)
{
    struct small_net s;
    begin(&s, problem);
    apply(&s, choice);
    bool smaller = took_away(&s.counts);
    if (smaller) {
        *out = (struct reduction){.counts = s.counts,
                                  .given_transitions = problem->net->transition_count};
        arena_init(&out->arena);
        out->net = build(&s, out);
        smaller = out->net != NULL;
    }
    if (smaller) {
        make_goal(&s, out);
        assert(out->net->place_count <= problem->net->place_count);
        assert(out->net->transition_count <= problem->net->transition_count);
        out->expansions = s.expansions.data;
        s.expansions.data = NULL;
        s.expansions.count = s.expansions.capacity = 0;
    } else if (took_away(&s.counts)) {
        reduction_finish(out);
    }
    end(&s);
    return smaller;
}

void reduction_finish(struct reduction *r)
{
    net_destroy(r->net);
    arena_finish(&r->arena);
    memory_free(r->begins);
    memory_free((struct expansion *)(uintptr_t)r->expansions);
}

void reduction_expand(const struct reduction *r, const struct petri_sequence *sequence,
                      struct petri_sequence *out)
{
    VECTOR(uint32_t) open = {0};
    for (size_t i = 0; i < sequence->count; i++) {
        ENSURE(sequence->data[i] < r->net->transition_count);
        VECTOR_PUSH(&open, r->begins[sequence->data[i]]);
        while (open.count > 0) {
            uint32_t e = VECTOR_POP(&open);
            if (e < r->given_transitions) {
                VECTOR_PUSH(out, e);
                continue;
            }
            assert(r->expansions[e - r->given_transitions].first < e &&
                   r->expansions[e - r->given_transitions].second < e);
            VECTOR_PUSH(&open, r->expansions[e - r->given_transitions].second);
            VECTOR_PUSH(&open, r->expansions[e - r->given_transitions].first);
        }
    }
    VECTOR_FINISH(&open);
}
