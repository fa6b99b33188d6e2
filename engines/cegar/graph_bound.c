#include "base/memory.h"
#include "engines/cegar/graph.h"

// A breadth-first walk in which a step costs one and going on at a coverer nothing.

struct walk {
    const struct graph *graph;
    uint8_t *seen;               // per node
    VECTOR(uint32_t) now, later; // nodes at this distance from the roots, and at the next
    uint32_t free_steps;         // no error within so many, as far as seen
};

static void limit(struct walk *w, uint32_t error_at)
{
    uint32_t free_steps = error_at > 0 ? error_at - 1 : 0;
    if (free_steps < w->free_steps)
        w->free_steps = free_steps;
}

static void visit(struct walk *w, uint32_t node, uint32_t steps)
{
    const struct node *n = graph_node(w->graph, node);
    uint32_t distance = w->graph->distance[n->location];
    switch (n->status) {
    case NODE_ERROR:
    case NODE_WAITING: // from here on only the shape of the model is known
        if (distance < UINT32_MAX - steps)
            limit(w, steps + distance);
        break;
    case NODE_COVERED:
        VECTOR_PUSH(&w->now, n->coverer);
        break;
    case NODE_EXPANDED:
        for (uint32_t c = n->first_child; c != NODE_NONE; c = graph_node(w->graph, c)->next_sibling)
            VECTOR_PUSH(&w->later, c);
        break;
    case NODE_FREE:
        break;
    }
}

uint32_t graph_free_steps(const struct graph *graph)
{
    struct walk w = {
        .graph = graph,
        .seen = memory_zalloc(graph->nodes.count + 1),
        .free_steps = UINT32_MAX,
    };
    for (uint32_t r = graph->first_root; r != NODE_NONE; r = graph_node(graph, r)->next_sibling)
        VECTOR_PUSH(&w.later, r);
    for (uint32_t steps = 0; w.later.count && steps <= w.free_steps; steps++) {
        VECTOR_CLEAR(&w.now);
        for (size_t i = 0; i < w.later.count; i++)
            VECTOR_PUSH(&w.now, w.later.data[i]);
        VECTOR_CLEAR(&w.later);
        for (size_t i = 0; i < w.now.count; i++) {
            uint32_t node = w.now.data[i];
            if (w.seen[node])
                continue;
            w.seen[node] = 1;
            visit(&w, node, steps);
        }
    }
    VECTOR_FINISH(&w.now);
    VECTOR_FINISH(&w.later);
    memory_free(w.seen);
    return w.free_steps;
}
