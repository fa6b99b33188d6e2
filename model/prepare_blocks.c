#include <string.h>

#include "model/prepare_draft.h"

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
    for (uint32_t l = 0; l < locations; l++)
        if (!reached[l] || !leads[l])
            lift_settle(graph, l, reached[l] ? FATE_DEAD : FATE_UNREACHABLE);
    memory_free(reached);
    memory_free(leads);
}

// Large blocks.

struct blocks {
    struct draft_graph *graph;
    uint32_t *in, *out; // degrees of locations
    uint32_t *only_out; // an outgoing edge of the location: its only one where that matters
    bool *inner;        // inside a block, from now on or from an earlier round
};

// Does a cycle of the source go through this location and otherwise only through inner ones? The
// edge that closes it was left out, because it cannot run or does nothing. Still the location must
// stay: a proof for the source needs a formula on every cycle.
static bool closes_cycle(const struct blocks *blocks, uint32_t location)
{
    const struct model *source = blocks->graph->source;
    bool *seen = memory_zalloc(source->location_count), found = false;
    VECTOR(uint32_t) work = {0};
    VECTOR_PUSH(&work, location);
    while (work.count > 0 && !found) {
        const struct location *at = source->locations[VECTOR_POP(&work)];
        for (uint32_t i = 0; i < at->out_count && !found; i++) {
            uint32_t target = at->out[i]->target->index;
            found = target == location;
            if (found || seen[target] || !blocks->inner[target])
                continue;
            seen[target] = true;
            VECTOR_PUSH(&work, target);
        }
    }
    VECTOR_FINISH(&work);
    memory_free(seen);
    return found;
}

// A cycle that can be reached has a location with two ways in; those are looked at last, when the
// others on it are inner already.
static void choose_inner(struct blocks *blocks)
{
    const struct model *source = blocks->graph->source;
    for (uint32_t l = 0; l < source->location_count; l++)
        blocks->inner[l] = blocks->graph->lift[l].fate == FATE_INNER;
    for (unsigned many = 0; many < 2; many++)
        for (uint32_t l = 0; l < source->location_count; l++) {
            const struct location *location = source->locations[l];
            if (location == source->initial || location == source->error || blocks->in[l] != 1 ||
                blocks->out[l] != 1 || (location->in_count > 1) != many)
                continue;
            blocks->inner[l] = !many || !closes_cycle(blocks, l);
        }
}

static bool is_inner(const struct blocks *blocks, uint32_t location)
{
    return blocks->inner[location];
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
        lift_settle(graph, edge.target, FATE_INNER);
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
                            memory_zalloc(locations * sizeof(uint32_t)), memory_zalloc(locations)};
    for (size_t i = 0; i < graph->edges.count; i++) {
        blocks.in[graph->edges.data[i].target]++;
        blocks.out[graph->edges.data[i].source]++;
        blocks.only_out[graph->edges.data[i].source] = (uint32_t)i;
    }
    choose_inner(&blocks);
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
    memory_free(blocks.inner);
}
