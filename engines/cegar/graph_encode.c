#include <stdlib.h>

#include "base/memory.h"
#include "engines/cegar/graph.h"

// The canonical form names nodes by their rank in order of creation, so that it does not depend on
// where they are kept. Besides the tree it holds what decides who covers: the order of the nodes of
// a place and of the classes of a location.

struct ranked {
    uint64_t number;
    uint32_t node;
};

static int by_number(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static uint32_t rank_of(const uint32_t *rank, uint32_t node)
{
    return node == NODE_NONE ? NODE_NONE : rank[node];
}

static void push_node(const struct node *n, const uint32_t *rank, struct engine_words *out)
{
    bool placed = n->status != NODE_ERROR && n->status != NODE_COVERED && !n->barred;
    VECTOR_PUSH(out, n->location);
    VECTOR_PUSH(out, n->state);
    VECTOR_PUSH(out, n->edge ? n->edge->id : UINT32_MAX);
    VECTOR_PUSH(out, (uint32_t)n->status << 2 | (uint32_t)n->queued << 1 | n->barred);
    VECTOR_PUSH(out, rank_of(rank, n->parent));
    VECTOR_PUSH(out, rank_of(rank, n->coverer));
    VECTOR_PUSH(out, rank_of(rank, n->next_covered));
    VECTOR_PUSH(out, placed ? rank_of(rank, n->next_same) : NODE_NONE);
}

static void push_classes(const struct graph *g, struct engine_words *out)
{
    for (uint32_t l = 0; l < g->model->location_count; l++) {
        VECTOR_PUSH(out, (uint32_t)g->classes[l].count);
        for (size_t i = 0; i < g->classes[l].count; i++)
            VECTOR_PUSH(out, g->classes[l].data[i].class);
    }
}

void graph_encode(const void *graph, struct engine_words *out)
{
    const struct graph *g = graph;
    struct ranked *order = memory_alloc((g->live_count + 1) * sizeof *order);
    uint32_t *rank = memory_alloc((g->nodes.count + 1) * sizeof *rank);
    size_t count = 0;
    bool sorted = true; // until places of removed nodes were taken again
    for (size_t i = 0; i < g->nodes.count; i++) {
        if (g->nodes.data[i].status == NODE_FREE)
            continue;
        order[count] = (struct ranked){g->nodes.data[i].number, (uint32_t)i};
        sorted = sorted && (count == 0 || order[count - 1].number < order[count].number);
        count++;
    }
    if (!sorted)
        qsort(order, count, sizeof *order, by_number);
    for (size_t i = 0; i < count; i++)
        rank[order[i].node] = (uint32_t)i;
    VECTOR_PUSH(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        push_node(&g->nodes.data[order[i].node], rank, out);
    push_classes(g, out);
    memory_free(order);
    memory_free(rank);
}
