#include "engines/cegar/graph.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/memory.h"

// The weighted distance of locations from which no path leads to the error: they come last.
#define UNREACHABLE (INT64_MAX / 2)

// Distances: one backward breadth-first pass from the error location.
static void compute_distances(struct graph *g)
{
    uint32_t count = g->model->location_count;
    g->distance = memory_alloc((count + 1) * sizeof *g->distance);
    memset(g->distance, 0xff, count * sizeof *g->distance);
    uint32_t *queue = memory_alloc((count + 1) * sizeof *queue);
    uint32_t head = 0, tail = 0;
    queue[tail++] = g->model->error->index;
    g->distance[g->model->error->index] = 0;
    while (head < tail) {
        const struct location *l = g->model->locations[queue[head++]];
        for (uint32_t i = 0; i < l->in_count; i++) {
            uint32_t from = l->in[i]->source->index;
            if (g->distance[from] == UINT32_MAX) {
                g->distance[from] = g->distance[l->index] + 1;
                queue[tail++] = from;
            }
        }
    }
    assert(tail <= count && "each comes in once");
    memory_free(queue);
}

static void choose_weights(struct graph *g, const int64_t *options)
{
    switch (options[OPTION_SEARCH]) {
    case SEARCH_BFS:
        g->weight_depth = 1;
        break;
    case SEARCH_FIFO: // the order in which nodes came, whatever their depth
        break;
    case SEARCH_DFS:
        g->weight_depth = -1;
        break;
    case SEARCH_ERR:
        g->weight_distance = 1;
        break;
    case SEARCH_DFS_ERR:
        g->weight_distance = 2;
        g->weight_depth = 1;
        break;
    case SEARCH_ERR_DFS:
        g->weight_distance = 1;
        g->weight_depth = 2;
        break;
    case SEARCH_WEIGHTED:
        g->weight_distance = options[OPTION_WEIGHT_DISTANCE];
        g->weight_depth = options[OPTION_WEIGHT_DEPTH];
        break;
    default:
        assert(!"a search that no one knows");
    }
    g->newest_first = g->weight_depth < 0;
}

void graph_init(struct graph *g, struct domain *domain, const struct model *model,
                const struct configuration *configuration)
{
    *g = (struct graph){
        .domain = domain, .model = model, .first_root = NODE_NONE, .last_root = NODE_NONE};
    g->classes = memory_zalloc((model->location_count + 1) * sizeof *g->classes);
    choose_weights(g, configuration->values);
    compute_distances(g);
}

void graph_finish(struct graph *g)
{
    VECTOR_FINISH(&g->nodes);
    VECTOR_FINISH(&g->free);
    VECTOR_FINISH(&g->queue);
    for (uint32_t l = 0; l < g->model->location_count; l++)
        VECTOR_FINISH(&g->classes[l]);
    memory_free(g->classes);
    VECTOR_FINISH(&g->places);
    hash_index_finish(&g->place_index);
    memory_free(g->distance);
}

size_t graph_bytes(const struct graph *g)
{
    return g->nodes.capacity * sizeof *g->nodes.data + g->queue.capacity * sizeof *g->queue.data +
           g->places.capacity * sizeof *g->places.data + hash_index_bytes(&g->place_index);
}

void graph_clear(struct graph *g)
{
    VECTOR_CLEAR(&g->nodes);
    VECTOR_CLEAR(&g->free);
    VECTOR_CLEAR(&g->queue);
    for (uint32_t l = 0; l < g->model->location_count; l++)
        VECTOR_CLEAR(&g->classes[l]);
    VECTOR_CLEAR(&g->places);
    hash_index_clear(&g->place_index);
    g->first_root = g->last_root = NODE_NONE;
    g->live_count = g->covered_count = g->error_count = 0;
}

// Places.

static struct place *place_find(const struct graph *g, uint32_t location, uint32_t state)
{
    struct hash_probe probe =
        hash_index_probe(&g->place_index, hash_mix((uint64_t)location << 32 | state));
    for (uint32_t i; hash_index_next(&g->place_index, &probe, &i);) {
        struct place *place = &g->places.data[i];
        if (place->location == location && place->state == state)
            return place;
    }
    return NULL;
}

static struct place *place_get(struct graph *g, uint32_t location, uint32_t state)
{
    struct place *place = place_find(g, location, state);
    if (place != NULL)
        return place;
    hash_index_add(&g->place_index, hash_mix((uint64_t)location << 32 | state),
                   (uint32_t)g->places.count);
    VECTOR_PUSH(&g->places, ((struct place){location, state, NODE_NONE}));
    return &VECTOR_LAST(&g->places);
}

static void class_add(struct graph *g, uint32_t location, uint32_t class, int by)
{
    struct location_classes *classes = &g->classes[location];
    size_t i = 0;
    while (i < classes->count && classes->data[i].class != class)
        i++;
    if (i == classes->count)
        VECTOR_PUSH(classes, ((struct class_count){.class = class}));
    assert((by == 1 || classes->data[i].count > 0) && "only who joined leaves");
    classes->data[i].count += (uint32_t)by;
    if (!classes->data[i].count) // keep the order of the rest: it decides who covers
        memmove(&classes->data[i], &classes->data[i + 1],
                (--classes->count - i) * sizeof *classes->data);
}

// A node joins or leaves those that may cover others.
static void coverers_join(struct graph *g, uint32_t index)
{
    struct node *n = graph_node(g, index);
    if (n->barred)
        return;
    struct place *place = place_get(g, n->location, n->state);
    if (place->first == NODE_NONE)
        class_add(g, n->location, domain_head(g->domain)->operations->class_of(g->domain, n->state),
                  1);
    n->previous_same = NODE_NONE;
    n->next_same = place->first;
    if (place->first != NODE_NONE)
        graph_node(g, place->first)->previous_same = index;
    place->first = index;
}

static void coverers_leave(struct graph *g, uint32_t index)
{
    struct node *n = graph_node(g, index);
    if (n->barred)
        return;
    struct place *place = place_find(g, n->location, n->state);
    assert(place != NULL);
    if (n->next_same != NODE_NONE)
        graph_node(g, n->next_same)->previous_same = n->previous_same;
    if (n->previous_same != NODE_NONE)
        graph_node(g, n->previous_same)->next_same = n->next_same;
    else
        place->first = n->next_same;
    if (place->first == NODE_NONE)
        class_add(g, n->location, domain_head(g->domain)->operations->class_of(g->domain, n->state),
                  -1);
}

// The waiting queue. Entries of nodes that stopped waiting are skipped when they come up.

static bool before(const struct graph *g, struct queue_entry a, struct queue_entry b)
{
    if (a.key[0] != b.key[0])
        return a.key[0] < b.key[0];
    if (a.key[1] != b.key[1])
        return a.key[1] < b.key[1];
    return g->newest_first ? a.number > b.number : a.number < b.number;
}

static void queue_put(struct graph *g, size_t position, struct queue_entry entry)
{
    g->queue.data[position] = entry;
}

void graph_wait(struct graph *g, uint32_t index)
{
    struct node *n = graph_node(g, index);
    if (n->queued)
        return;
    n->queued = true;
    int64_t distance = g->distance[n->location], key = g->weight_depth * n->depth;
    if (g->weight_distance)
        key += distance == UINT32_MAX ? UNREACHABLE : g->weight_distance * distance;
    const struct queue_entry entry = {
        .key = {n->status == NODE_ERROR ? 0 : 1, key},
        .number = n->number,
        .node = index,
    };
    HEAP_PUSH(&g->queue, entry, before, queue_put, g);
}

uint32_t graph_take(struct graph *g)
{
    while (g->queue.count) {
        struct queue_entry top;
        HEAP_TAKE(&g->queue, &top, before, queue_put, g);
        assert(g->queue.count == 0 || !before(g, g->queue.data[0], top));
        struct node *n = graph_node(g, top.node);
        if (n->status == NODE_FREE || n->number != top.number)
            continue; // the node was removed, and perhaps its place taken by another
        n->queued = false;
        if (n->status == NODE_WAITING || n->status == NODE_ERROR)
            return top.node;
    }
    return NODE_NONE;
}

// Nodes.

static void link_child(struct graph *g, uint32_t parent, uint32_t index)
{
    uint32_t *first = parent == NODE_NONE ? &g->first_root : &graph_node(g, parent)->first_child;
    uint32_t *last = parent == NODE_NONE ? &g->last_root : &graph_node(g, parent)->last_child;
    struct node *n = graph_node(g, index);
    n->previous_sibling = *last;
    n->next_sibling = NODE_NONE;
    if (*last != NODE_NONE)
        graph_node(g, *last)->next_sibling = index;
    else
        *first = index;
    *last = index;
}

static void unlink_child(struct graph *g, uint32_t index)
{
    struct node *n = graph_node(g, index);
    uint32_t *first =
        n->parent == NODE_NONE ? &g->first_root : &graph_node(g, n->parent)->first_child;
    uint32_t *last = n->parent == NODE_NONE ? &g->last_root : &graph_node(g, n->parent)->last_child;
    if (n->previous_sibling != NODE_NONE)
        graph_node(g, n->previous_sibling)->next_sibling = n->next_sibling;
    else
        *first = n->next_sibling;
    if (n->next_sibling != NODE_NONE)
        graph_node(g, n->next_sibling)->previous_sibling = n->previous_sibling;
    else
        *last = n->previous_sibling;
}

uint32_t graph_add(struct graph *g, uint32_t parent, const struct edge *edge,
                   const struct location *location, uint32_t state)
{
    assert(parent == NODE_NONE ? edge == NULL && location == g->model->initial
                               : edge->target == location &&
                                     edge->source->index == graph_node(g, parent)->location);
    uint32_t index;
    if (g->free.count) {
        index = VECTOR_POP(&g->free);
    } else {
        index = (uint32_t)g->nodes.count;
        VECTOR_PUSH(&g->nodes, ((struct node){.status = NODE_FREE}));
    }
    *graph_node(g, index) = (struct node){
        .number = g->next_number++,
        .location = location->index,
        .state = state,
        .edge = edge,
        .parent = parent,
        .depth = parent == NODE_NONE ? 0 : graph_node(g, parent)->depth + 1,
        .first_child = NODE_NONE,
        .last_child = NODE_NONE,
        .coverer = NODE_NONE,
        .first_covered = NODE_NONE,
        .next_covered = NODE_NONE,
        .previous_covered = NODE_NONE,
        .status = location == g->model->error ? NODE_ERROR : NODE_WAITING,
    };
    link_child(g, parent, index);
    g->live_count++;
    if (location == g->model->error)
        g->error_count++;
    else
        coverers_join(g, index);
    graph_wait(g, index);
    return index;
}

uint32_t graph_find_coverer(struct graph *g, uint32_t index)
{
    const struct node *n = graph_node(g, index);
    assert(n->status == NODE_WAITING);
    const struct domain_operations *ops = domain_head(g->domain)->operations;
    const struct location_classes *classes = &g->classes[n->location];
    for (size_t i = 0; i < classes->count; i++) {
        g->lookups++;
        uint32_t state = ops->coverer_in_class(g->domain, n->state, classes->data[i].class);
        if (state == STATE_NONE)
            continue;
        const struct place *place = place_find(g, n->location, state);
        if (place == NULL || place->first == NODE_NONE)
            continue;
        uint32_t candidate = place->first;
        if (candidate == index)
            candidate = n->next_same;
        if (candidate == NODE_NONE)
            continue;
        g->found++;
        return candidate;
    }
    return NODE_NONE;
}

void graph_cover(struct graph *g, uint32_t index, uint32_t coverer)
{
    struct node *n = graph_node(g, index), *c = graph_node(g, coverer);
    assert(n->status == NODE_WAITING && index != coverer && c->status != NODE_COVERED);
    assert(n->location == c->location && !c->barred);
    coverers_leave(g, index);
    n->status = NODE_COVERED;
    n->coverer = coverer;
    n->previous_covered = NODE_NONE;
    n->next_covered = c->first_covered;
    if (c->first_covered != NODE_NONE)
        graph_node(g, c->first_covered)->previous_covered = index;
    c->first_covered = index;
    g->covered_count++;
}

static void uncover(struct graph *g, uint32_t index)
{
    struct node *n = graph_node(g, index);
    assert(n->status == NODE_COVERED);
    if (n->previous_covered != NODE_NONE)
        graph_node(g, n->previous_covered)->next_covered = n->next_covered;
    else
        graph_node(g, n->coverer)->first_covered = n->next_covered;
    if (n->next_covered != NODE_NONE)
        graph_node(g, n->next_covered)->previous_covered = n->previous_covered;
    n->coverer = n->next_covered = n->previous_covered = NODE_NONE;
    n->status = NODE_WAITING;
    assert(g->covered_count > 0);
    g->covered_count--;
    coverers_join(g, index);
    graph_wait(g, index);
}

void graph_bar_path(struct graph *g, uint32_t error)
{
    assert(graph_node(g, error)->status == NODE_ERROR);
    for (uint32_t at = graph_node(g, error)->parent; at != NODE_NONE;
         at = graph_node(g, at)->parent) {
        while (graph_node(g, at)->first_covered != NODE_NONE)
            uncover(g, graph_node(g, at)->first_covered);
        // One that was pruned in part and covered since keeps the rest of its children, and has left already.
        if (graph_node(g, at)->status != NODE_COVERED)
            coverers_leave(g, at);
        graph_node(g, at)->barred = true;
    }
}

void graph_expanded(struct graph *g, uint32_t index)
{
    assert(graph_node(g, index)->status == NODE_WAITING);
    graph_node(g, index)->status = NODE_EXPANDED;
}

bool graph_has_child(struct graph *g, uint32_t index, const struct edge *edge, uint32_t state)
{
    const struct domain_operations *ops = domain_head(g->domain)->operations;
    for (uint32_t c = graph_node(g, index)->first_child; c != NODE_NONE;
         c = graph_node(g, c)->next_sibling)
        if (graph_node(g, c)->edge == edge &&
            (graph_node(g, c)->state == state ||
             ops->covers(g->domain, graph_node(g, c)->state, state)))
            return true;
    return false;
}

static void remove_one(struct graph *g, uint32_t index)
{
    struct node *n = graph_node(g, index);
    assert(n->first_child == NODE_NONE && n->status != NODE_FREE && g->live_count > 0);
    while (n->first_covered != NODE_NONE)
        uncover(g, n->first_covered);
    if (n->status == NODE_COVERED)
        uncover(g, index);
    if (n->status == NODE_ERROR)
        g->error_count--;
    else
        coverers_leave(g, index);
    unlink_child(g, index);
    n->status = NODE_FREE;
    g->live_count--;
    VECTOR_PUSH(&g->free, index);
}

void graph_prune(struct graph *g, uint32_t top)
{
    uint32_t parent = graph_node(g, top)->parent;
    uint32_t at = top;
    for (;;) { // leaves first, without recursion: paths can be long
        while (graph_node(g, at)->first_child != NODE_NONE)
            at = graph_node(g, at)->last_child;
        uint32_t up = graph_node(g, at)->parent;
        remove_one(g, at);
        if (at == top)
            break;
        at = up;
    }
    if (parent != NODE_NONE && graph_node(g, parent)->status == NODE_EXPANDED) {
        graph_node(g, parent)->status = NODE_WAITING;
        graph_wait(g, parent);
    }
    assert(g->live_count + g->free.count == g->nodes.count);
}
