#include <string.h>

#include "engines/model/prepare_draft.h"

// Locations off every path from the start to the error, and blocks of edges in a row.

static void mark_reachable(const struct draft_graph *graph, bool *reached)
{
    struct draft_outgoing outgoing = draft_outgoing_make(graph);
    VECTOR(uint32_t) work = {0};
    VECTOR_PUSH(&work, graph->source->initial->index);
    reached[graph->source->initial->index] = true;
    while (work.count > 0) {
        uint32_t location = VECTOR_POP(&work);
        for (uint32_t i = outgoing.first[location]; i < outgoing.first[location + 1]; i++) {
            uint32_t target = graph->edges.data[outgoing.edge[i]].target;
            if (reached[target])
                continue;
            reached[target] = true;
            VECTOR_PUSH(&work, target);
        }
    }
    VECTOR_FINISH(&work);
    draft_outgoing_finish(&outgoing);
}

// Turns every edge around; twice is as before.
static void reverse(struct draft_graph *graph)
{
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct draft_edge *edge = &graph->edges.data[i];
        uint32_t source = edge->source;
        edge->source = edge->target;
        edge->target = source;
    }
}

static void mark_leading_to_error(struct draft_graph *graph, bool *leads)
{
    reverse(graph);
    struct draft_outgoing incoming = draft_outgoing_make(graph);
    VECTOR(uint32_t) work = {0};
    VECTOR_PUSH(&work, graph->source->error->index);
    leads[graph->source->error->index] = true;
    while (work.count > 0) {
        uint32_t location = VECTOR_POP(&work);
        for (uint32_t i = incoming.first[location]; i < incoming.first[location + 1]; i++) {
            uint32_t before = graph->edges.data[incoming.edge[i]].target;
            if (leads[before])
                continue;
            leads[before] = true;
            VECTOR_PUSH(&work, before);
        }
    }
    VECTOR_FINISH(&work);
    draft_outgoing_finish(&incoming);
    reverse(graph);
}

static bool does_nothing(const struct draft_edge *edge)
{
    return edge->source == edge->target && edge->action->kind == STATEMENT_SKIP;
}

void prepare_trim(struct draft_graph *graph)
{
    uint32_t locations = graph->source->location_count;
    bool *reached = memory_zalloc(locations), *leads = memory_zalloc(locations);
    mark_reachable(graph, reached);
    mark_leading_to_error(graph, leads);
    size_t kept = 0;
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct draft_edge edge = graph->edges.data[i];
        // Once the error is reached nothing after it counts.
        if (reached[edge.source] && leads[edge.target] && !does_nothing(&edge) &&
            edge.source != graph->source->error->index)
            graph->edges.data[kept++] = edge;
    }
    graph->edges.count = kept;
    memory_free(reached);
    memory_free(leads);
}

// Large blocks.

struct blocks {
    struct draft_graph *graph;
    uint32_t *in, *out; // degrees of locations
    uint32_t *only_out; // an outgoing edge of the location: its only one where that matters
};

static bool is_inner(const struct blocks *blocks, uint32_t location)
{
    return location != blocks->graph->source->initial->index &&
           location != blocks->graph->source->error->index && blocks->in[location] == 1 &&
           blocks->out[location] == 1;
}

// The edge joined with all that follow through inner locations. An edge that starts outside of them
// cannot come back to itself: every location on the way has one way in.
static struct draft_edge join_from(const struct blocks *blocks, struct draft_edge edge)
{
    struct draft_graph *graph = blocks->graph;
    VECTOR(const struct draft *) actions = {0};
    VECTOR(const struct edge *) origins = {0};
    VECTOR_PUSH(&actions, edge.action);
    for (uint32_t i = 0; i < edge.origin_count; i++)
        VECTOR_PUSH(&origins, edge.origin[i]);
    while (is_inner(blocks, edge.target)) {
        const struct draft_edge *next = &graph->edges.data[blocks->only_out[edge.target]];
        VECTOR_PUSH(&actions, next->action);
        for (uint32_t i = 0; i < next->origin_count; i++)
            VECTOR_PUSH(&origins, next->origin[i]);
        edge.target = next->target;
    }
    if (actions.count > 1) {
        edge.action = draft_sequence(graph, actions.data, actions.count, NULL);
        const struct edge **origin = arena_alloc(&graph->arena, origins.count * sizeof(*origin));
        memcpy(origin, origins.data, origins.count * sizeof(*origin));
        edge.origin = origin;
        edge.origin_count = (uint32_t)origins.count;
    }
    VECTOR_FINISH(&actions);
    VECTOR_FINISH(&origins);
    return edge;
}

void prepare_blocks(struct draft_graph *graph)
{
    uint32_t locations = graph->source->location_count;
    struct blocks blocks = {graph, memory_zalloc(locations * sizeof(uint32_t)),
                            memory_zalloc(locations * sizeof(uint32_t)),
                            memory_zalloc(locations * sizeof(uint32_t))};
    for (size_t i = 0; i < graph->edges.count; i++) {
        blocks.in[graph->edges.data[i].target]++;
        blocks.out[graph->edges.data[i].source]++;
        blocks.only_out[graph->edges.data[i].source] = (uint32_t)i;
    }
    VECTOR(struct draft_edge) joined = {0};
    for (size_t i = 0; i < graph->edges.count; i++)
        if (!is_inner(&blocks, graph->edges.data[i].source))
            VECTOR_PUSH(&joined, join_from(&blocks, graph->edges.data[i]));
    graph->edges.count = joined.count;
    if (joined.count > 0)
        memcpy(graph->edges.data, joined.data, joined.count * sizeof *joined.data);
    VECTOR_FINISH(&joined);
    memory_free(blocks.in);
    memory_free(blocks.out);
    memory_free(blocks.only_out);
}
