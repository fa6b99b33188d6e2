#include "languages/petri/net.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/vector.h"

// Nodes are found by their ids through a table with open addressing; arcs are kept with ids until all
// nodes are there, then sorted by transition and place so that those between the same nodes meet.

struct node {
    const char *id;
    const char *target; // of a reference, else NULL
    enum net_node_kind kind;
    uint32_t number;
    struct position at;
};

struct net_index {
    VECTOR(struct node) nodes;
    uint32_t *slots; // index of a node + 1, 0 = free
    uint32_t slot_count;
};

struct raw_arc {
    const char *source, *target;
    enum net_arc_kind kind;
    int64_t weight;
    struct position at;
};

enum side { SIDE_PRE, SIDE_POST, SIDE_INHIBIT };

struct side_arc {
    uint32_t transition, place;
    enum side side;
    int64_t weight;
};

struct net_builder {
    struct net *net;
    VECTOR(struct net_place) places;
    VECTOR(struct net_transition) transitions;
    VECTOR(struct raw_arc) arcs;
    VECTOR(struct side_arc) sides;
};

static uint32_t slot_of(const struct net_index *index, const char *id)
{
    uint64_t hash = hash128_add_text(hash128_seed(0), id).low;
    uint32_t i = (uint32_t)hash & (index->slot_count - 1);
    while (index->slots[i] && strcmp(index->nodes.data[index->slots[i] - 1].id, id) != 0)
        i = (i + 1) & (index->slot_count - 1);
    return i;
}

static void grow(struct net_index *index)
{
    index->slot_count = index->slot_count ? 2 * index->slot_count : 64;
    assert(index->nodes.count < index->slot_count);
    memory_free(index->slots);
    index->slots = memory_zalloc(index->slot_count * sizeof *index->slots);
    for (uint32_t i = 0; i < index->nodes.count; i++)
        index->slots[slot_of(index, index->nodes.data[i].id)] = i + 1;
}

static const struct node *find_node(const struct net_index *index, const char *id)
{
    uint32_t found = index->slot_count ? index->slots[slot_of(index, id)] : 0;
    return found ? &index->nodes.data[found - 1] : NULL;
}

static bool add_node(struct net_index *index, struct node node)
{
    if (2 * (index->nodes.count + 1) > index->slot_count)
        grow(index);
    uint32_t slot = slot_of(index, node.id);
    if (index->slots[slot])
        return false;
    VECTOR_PUSH(&index->nodes, node);
    index->slots[slot] = (uint32_t)index->nodes.count;
    return true;
}

// Follows references; NULL when one leads nowhere or in a circle.
static const struct node *resolve(const struct net_index *index, const char *id)
{
    const struct node *node = find_node(index, id);
    for (size_t steps = 0; node != NULL && node->target != NULL; steps++) {
        const struct node *next =
            steps > index->nodes.count ? NULL : find_node(index, node->target);
        node = next != NULL && next->kind == node->kind ? next : NULL;
    }
    return node;
}

struct net_builder *net_builder_create(const char *path)
{
    struct net_builder *b = memory_zalloc(sizeof *b);
    b->net = memory_zalloc(sizeof *b->net);
    arena_init(&b->net->arena);
    b->net->index = memory_zalloc(sizeof *b->net->index);
    b->net->path = arena_strdup(&b->net->arena, path);
    b->net->name = "";
    return b;
}

static void finish_builder(struct net_builder *b)
{
    VECTOR_FINISH(&b->places);
    VECTOR_FINISH(&b->transitions);
    VECTOR_FINISH(&b->arcs);
    VECTOR_FINISH(&b->sides);
    memory_free(b);
}

void net_builder_destroy(struct net_builder *builder)
{
    if (builder == NULL)
        return;
    net_destroy(builder->net);
    finish_builder(builder);
}

void net_destroy(struct net *net)
{
    if (net == NULL)
        return;
    VECTOR_FINISH(&net->index->nodes);
    memory_free(net->index->slots);
    memory_free(net->index);
    arena_finish(&net->arena);
    memory_free(net);
}

enum net_node_kind net_find(const struct net *net, const char *id, uint32_t *number)
{
    const struct node *node = resolve(net->index, id);
    if (node == NULL)
        return NET_NONE;
    *number = node->number;
    return node->kind;
}

void net_builder_name(struct net_builder *b, const char *name)
{
    b->net->name = arena_strdup(&b->net->arena, name);
}

static struct position own(const struct net_builder *b, struct position at)
{
    at.path = b->net->path;
    return at;
}

static bool add_named(struct net_builder *b, enum net_node_kind kind, uint32_t number,
                      const char **id, const char **name, struct position at)
{
    *id = arena_strdup(&b->net->arena, *id);
    *name = *name != NULL && **name ? arena_strdup(&b->net->arena, *name) : *id;
    return add_node(b->net->index, (struct node){*id, NULL, kind, number, at});
}

bool net_builder_place(struct net_builder *b, const char *id, const char *name, int64_t marking,
                       struct position at)
{
    at = own(b, at);
    if (!add_named(b, NET_PLACE, (uint32_t)b->places.count, &id, &name, at))
        return false;
    struct net_place place = {.id = id, .name = name, .marking = marking, .at = at};
    VECTOR_PUSH(&b->places, place);
    return true;
}

bool net_builder_transition(struct net_builder *b, const char *id, const char *name,
                            struct position at)
{
    at = own(b, at);
    if (!add_named(b, NET_TRANSITION, (uint32_t)b->transitions.count, &id, &name, at))
        return false;
    struct net_transition transition = {.id = id, .name = name, .at = at};
    VECTOR_PUSH(&b->transitions, transition);
    return true;
}

bool net_builder_reference(struct net_builder *b, const char *id, const char *target,
                           enum net_node_kind kind, struct position at)
{
    struct arena *arena = &b->net->arena;
    struct node node = {arena_strdup(arena, id), arena_strdup(arena, target), kind, 0, own(b, at)};
    return add_node(b->net->index, node);
}

// The id as the node has it, when that is there already: most arcs come after their ends.
static const char *keep_id(struct net_builder *b, const char *id)
{
    const struct node *node = find_node(b->net->index, id);
    return node != NULL ? node->id : arena_strdup(&b->net->arena, id);
}

void net_builder_arc(struct net_builder *b, const char *source, const char *target,
                     enum net_arc_kind kind, int64_t weight, struct position at)
{
    assert(weight > 0 && weight <= NET_NUMBER_MAX);
    struct raw_arc arc = {keep_id(b, source), keep_id(b, target), kind, weight, own(b, at)};
    VECTOR_PUSH(&b->arcs, arc);
}

void net_builder_declare_places(struct net_builder *b)
{
    for (size_t i = 0; i < b->arcs.count; i++) {
        const struct raw_arc *arc = &b->arcs.data[i];
        const struct node *source = find_node(b->net->index, arc->source);
        const struct node *target = find_node(b->net->index, arc->target);
        if (source == NULL && target != NULL && target->kind == NET_TRANSITION)
            net_builder_place(b, arc->source, NULL, 0, arc->at);
        if (target == NULL && source != NULL && source->kind == NET_TRANSITION)
            net_builder_place(b, arc->target, NULL, 0, arc->at);
    }
}

static const char *describe(const struct node *node)
{
    return node->kind == NET_PLACE ? "place" : "transition";
}

// NULL with a message when there is no such node.
static const struct node *end_of(const struct net_builder *b, const struct raw_arc *arc,
                                 const char *id, struct messages *messages)
{
    const struct node *node = resolve(b->net->index, id);
    if (node == NULL)
        message_add(messages, MESSAGE_ERROR, arc->at,
                    "found an arc's end `%.60s`, expected the id of a place or transition", id);
    return node;
}

static void add_side(struct net_builder *b, uint32_t transition, enum side side, uint32_t place,
                     int64_t weight)
{
    struct side_arc arc = {transition, place, side, weight};
    VECTOR_PUSH(&b->sides, arc);
}

static bool resolve_arc(struct net_builder *b, const struct raw_arc *arc, struct messages *messages)
{
    const struct node *source = end_of(b, arc, arc->source, messages);
    const struct node *target = end_of(b, arc, arc->target, messages);
    if (source == NULL || target == NULL)
        return false;
    if (source->kind == target->kind) {
        message_add(messages, MESSAGE_ERROR, arc->at,
                    "found an arc from a %s to a %s, expected one between a place and a transition",
                    describe(source), describe(target));
        return false;
    }
    if (source->kind == NET_TRANSITION && arc->kind != NET_ARC_NORMAL) {
        message_add(messages, MESSAGE_ERROR, arc->at,
                    "found %s arc from a transition to a place, expected it to leave a place",
                    arc->kind == NET_ARC_INHIBITOR ? "an inhibitor" : "a read");
        return false;
    }
    if (source->kind == NET_TRANSITION)
        add_side(b, source->number, SIDE_POST, target->number, arc->weight);
    else if (arc->kind == NET_ARC_INHIBITOR)
        add_side(b, target->number, SIDE_INHIBIT, source->number, arc->weight);
    else
        add_side(b, target->number, SIDE_PRE, source->number, arc->weight);
    if (arc->kind == NET_ARC_READ)
        add_side(b, target->number, SIDE_POST, source->number, arc->weight);
    return true;
}

static int compare_sides(const void *left, const void *right)
{
    const struct side_arc *a = left, *b = right;
    if (a->transition != b->transition)
        return a->transition < b->transition ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static bool same_ends(const struct side_arc *a, const struct side_arc *b)
{
    return a->transition == b->transition && a->side == b->side && a->place == b->place;
}

// Weights between the same ends add up; of inhibitors the one with the least weight says it all.
static bool merge_sides(struct net_builder *b, struct messages *messages)
{
    size_t kept = 0;
    if (b->sides.count > 1)
        qsort(b->sides.data, b->sides.count, sizeof *b->sides.data, compare_sides);
    for (size_t i = 0; i < b->sides.count; i++) {
        struct side_arc *arc = &b->sides.data[i];
        struct side_arc *last = kept ? &b->sides.data[kept - 1] : NULL;
        if (last == NULL || !same_ends(last, arc))
            b->sides.data[kept++] = *arc;
        else if (arc->side != SIDE_INHIBIT)
            last->weight += arc->weight;
        if (b->sides.data[kept - 1].weight > NET_NUMBER_MAX) {
            message_add(messages, MESSAGE_UNSUPPORTED, b->transitions.data[arc->transition].at,
                        "weights above 2^40");
            return false;
        }
    }
    b->sides.count = kept;
    return true;
}

static struct net_arcs copy_side(struct net_builder *b, uint32_t transition, enum side side,
                                 size_t *next)
{
    size_t first = *next, i = first;
    while (i < b->sides.count && b->sides.data[i].transition == transition &&
           b->sides.data[i].side == side)
        i++;
    struct net_arc *arcs = arena_alloc(&b->net->arena, (i - first) * sizeof *arcs);
    for (size_t k = first; k < i; k++)
        arcs[k - first] = (struct net_arc){b->sides.data[k].place, b->sides.data[k].weight};
    *next = i;
    return (struct net_arcs){arcs, (uint32_t)(i - first)};
}

static struct net_arcs make_effect(struct net_builder *b, const struct net_transition *t)
{
    struct net_arc *arcs =
        arena_alloc(&b->net->arena, ((size_t)t->pre.count + t->post.count) * sizeof *arcs);
    uint32_t count = 0, i = 0, k = 0;
    while (i < t->pre.count || k < t->post.count) {
        uint32_t left = i < t->pre.count ? t->pre.data[i].place : UINT32_MAX;
        uint32_t right = k < t->post.count ? t->post.data[k].place : UINT32_MAX;
        struct net_arc arc = {left < right ? left : right, 0};
        if (left <= right)
            arc.weight -= t->pre.data[i++].weight;
        if (right <= left)
            arc.weight += t->post.data[k++].weight;
        if (arc.weight != 0)
            arcs[count++] = arc;
    }
    assert(count <= t->pre.count + t->post.count);
    return (struct net_arcs){arcs, count};
}

static void make_transitions(struct net_builder *b)
{
    size_t next = 0;
    for (uint32_t i = 0; i < b->transitions.count; i++) {
        struct net_transition *t = &b->transitions.data[i];
        t->pre = copy_side(b, i, SIDE_PRE, &next);
        t->post = copy_side(b, i, SIDE_POST, &next);
        t->inhibit = copy_side(b, i, SIDE_INHIBIT, &next);
        t->effect = make_effect(b, t);
        b->net->has_inhibitors = b->net->has_inhibitors || t->inhibit.count > 0;
    }
    assert(next == b->sides.count);
}

// Calls of this come with ascending transitions, so a transition is noted already when it is the last.
static void note_users(const struct net_arcs *arcs, uint32_t transition, uint32_t *last,
                       uint32_t *counts, uint32_t **lists)
{
    for (uint32_t i = 0; i < arcs->count; i++) {
        uint32_t place = arcs->data[i].place;
        if (last[place] == transition + 1)
            continue;
        last[place] = transition + 1;
        if (lists != NULL)
            lists[place][counts[place]] = transition;
        counts[place]++;
    }
}

static void make_users(struct net_builder *b)
{
    size_t count = b->places.count;
    uint32_t *last = memory_alloc((count + 1) * sizeof *last);
    uint32_t *counts = memory_zalloc((count + 1) * sizeof *counts);
    uint32_t **lists = memory_zalloc((count + 1) * sizeof *lists);
    for (unsigned round = 0; round < 2; round++) {
        memset(last, 0, (count + 1) * sizeof *last);
        for (size_t p = 0; round == 1 && p < count; p++) {
            lists[p] = arena_alloc(&b->net->arena, counts[p] * sizeof **lists);
            b->places.data[p].users = lists[p];
            b->places.data[p].user_count = counts[p];
            counts[p] = 0;
        }
        for (uint32_t t = 0; t < b->transitions.count; t++) {
            const struct net_transition *transition = &b->transitions.data[t];
            note_users(&transition->pre, t, last, counts, round ? lists : NULL);
            note_users(&transition->post, t, last, counts, round ? lists : NULL);
            note_users(&transition->inhibit, t, last, counts, round ? lists : NULL);
        }
    }
    memory_free(last);
    memory_free(counts);
    memory_free(lists);
}

static void *keep(struct net_builder *b, const void *data, size_t bytes)
{
    void *copy = arena_alloc(&b->net->arena, bytes);
    if (bytes)
        memcpy(copy, data, bytes);
    return copy;
}

static bool check_references(const struct net_builder *b, struct messages *messages)
{
    bool good = true;
    const struct net_index *index = b->net->index;
    for (size_t i = 0; i < index->nodes.count; i++) {
        const struct node *node = &index->nodes.data[i];
        if (node->target == NULL || resolve(index, node->id) != NULL)
            continue;
        message_add(messages, MESSAGE_ERROR, node->at,
                    "found a reference to `%.60s`, expected the id of a %s", node->target,
                    describe(node));
        good = false;
    }
    return good;
}

#ifndef NDEBUG
static bool arcs_are_consistent(const struct net *net, const struct net_arcs *arcs, bool signs)
{
    for (uint32_t i = 0; i < arcs->count; i++) {
        const struct net_arc *arc = &arcs->data[i];
        if (arc->place >= net->place_count || arc->weight == 0 || (!signs && arc->weight < 0) ||
            (i > 0 && arcs->data[i - 1].place >= arc->place))
            return false;
    }
    return true;
}
// What net.h says of arcs and of users; whoever walks along two lists of arcs at once rests on it.
static bool net_is_consistent(const struct net *net)
{
    for (uint32_t i = 0; i < net->transition_count; i++) {
        const struct net_transition *t = &net->transitions[i];
        if (!arcs_are_consistent(net, &t->pre, false) ||
            !arcs_are_consistent(net, &t->post, false) ||
            !arcs_are_consistent(net, &t->inhibit, false) ||
            !arcs_are_consistent(net, &t->effect, true))
            return false;
    }
    for (uint32_t p = 0; p < net->place_count; p++)
        for (uint32_t i = 0; i < net->places[p].user_count; i++)
            if (net->places[p].users[i] >= net->transition_count ||
                (i > 0 && net->places[p].users[i - 1] >= net->places[p].users[i]))
                return false;
    return true;
}
#endif
struct net *net_builder_finish(struct net_builder *b, struct messages *messages)
{
    struct net *net = b->net;
    bool good = check_references(b, messages);
    for (size_t i = 0; i < b->arcs.count; i++)
        good = resolve_arc(b, &b->arcs.data[i], messages) && good;
    good = good && merge_sides(b, messages);
    if (!good) {
        net_builder_destroy(b);
        return NULL;
    }
    make_transitions(b);
    make_users(b);
    net->place_count = (uint32_t)b->places.count;
    net->transition_count = (uint32_t)b->transitions.count;
    net->places = keep(b, b->places.data, b->places.count * sizeof *b->places.data);
    net->transitions =
        keep(b, b->transitions.data, b->transitions.count * sizeof *b->transitions.data);
    assert(net_is_consistent(net));
    finish_builder(b);
    return net;
}

bool net_read_number(const char *text, int64_t *out, bool *too_large)
{
    *too_large = false;
    while (isspace((unsigned char)*text))
        text++;
    if (!isdigit((unsigned char)*text))
        return false;
    int64_t value = 0;
    for (; isdigit((unsigned char)*text); text++) {
        value = 10 * value + (*text - '0');
        *too_large = *too_large || value > NET_NUMBER_MAX;
        value = *too_large ? NET_NUMBER_MAX : value;
    }
    while (isspace((unsigned char)*text))
        text++;
    if (*text != '\0' || *too_large) {
        *too_large = *too_large && *text == '\0';
        return false;
    }
    *out = value;
    return true;
}
