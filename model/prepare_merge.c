#include <string.h>

#include "model/prepare_draft.h"

// Blocks from loop to loop (large-block encoding, Beyer et al. 2009): a location that is not needed to cut
// cycles goes, each of its incoming edges joined with each of its outgoing ones, and parallel edges
// become a choice. What comes before a location with several ways out is copied into each of them, so
// the cheapest go first and the dearest stay.

// Statements that a location may add when it goes, from round to round.
static const size_t PRICES[] = {0, 8, 40, 160, 400};
enum { LARGEST_BLOCK = 4000 }; // statements of one edge
enum { LONGEST_LIST = 64 };    // children that are copied into a longer sequence

struct joined {
    struct draft_edge edge; // origin: of an action that is no block yet
    size_t size;            // statements
    bool gone;
};

struct ways {
    VECTOR(uint32_t) list; // numbers of edges, some gone
};

struct merging {
    struct draft_graph *graph;
    VECTOR(struct joined) edges;
    struct ways *in, *out; // by location
    bool *stays;           // by location
};

static size_t size_of(const struct draft *draft)
{
    size_t size = 1;
    for (uint32_t i = 0; i < draft->child_count; i++)
        size += size_of(draft->child[i]);
    return size;
}

// Edges.

static void add(struct merging *m, struct draft_edge edge)
{
    struct joined joined = {edge, size_of(edge.action), false};
    uint32_t number = (uint32_t)m->edges.count;
    VECTOR_PUSH(&m->edges, joined);
    VECTOR_PUSH(&m->out[edge.source].list, number);
    VECTOR_PUSH(&m->in[edge.target].list, number);
}

static void sweep(const struct merging *m, struct ways *ways)
{
    size_t kept = 0;
    for (size_t i = 0; i < ways->list.count; i++)
        if (!m->edges.data[ways->list.data[i]].gone)
            ways->list.data[kept++] = ways->list.data[i];
    ways->list.count = kept;
}

static struct draft *new_draft(struct merging *m, enum statement_kind kind, size_t children)
{
    struct draft *draft = arena_zalloc(&m->graph->arena, sizeof *draft);
    draft->kind = kind;
    draft->child_count = (uint32_t)children;
    draft->child = arena_alloc(&m->graph->arena, (children + 1) * sizeof *draft->child);
    return draft;
}

static void set_child(struct draft *draft, size_t i, const struct draft *child)
{
    ((const struct draft **)(uintptr_t)draft->child)[i] = child;
}

// The edge's action as a part of a block: it says which edges of the source run when it does.
static const struct draft *part(struct merging *m, const struct draft_edge *edge)
{
    if (edge->origin_count == 0)
        return edge->action;
    struct draft *part = new_draft(m, STATEMENT_SEQUENCE, 1);
    set_child(part, 0, edge->action);
    part->enters = edge->origin;
    part->enter_count = edge->origin_count;
    return part;
}

static bool is_open(const struct draft *draft)
{
    return draft->kind == STATEMENT_SEQUENCE && draft->enter_count == 0 && draft->settled == NULL &&
           draft->child_count <= LONGEST_LIST;
}

static size_t parts_in(const struct draft *draft)
{
    return is_open(draft) ? draft->child_count : 1;
}

static size_t put_parts(struct draft *into, size_t at, const struct draft *draft)
{
    if (!is_open(draft)) {
        set_child(into, at, draft);
        return at + 1;
    }
    for (uint32_t i = 0; i < draft->child_count; i++)
        set_child(into, at + i, draft->child[i]);
    return at + draft->child_count;
}

static struct draft_edge in_a_row(struct merging *m, const struct draft_edge *a,
                                  const struct draft_edge *b)
{
    const struct draft *first = part(m, a), *second = part(m, b);
    struct draft *both = new_draft(m, STATEMENT_SEQUENCE, parts_in(first) + parts_in(second));
    put_parts(both, put_parts(both, 0, first), second);
    return (struct draft_edge){a->source, b->target, both, NULL, 0};
}

static bool is_plain_choice(const struct draft *draft)
{
    return draft->kind == STATEMENT_CHOICE && draft->enter_count == 0 && draft->settled == NULL &&
           draft->origin == NULL && draft->child_count <= LONGEST_LIST;
}

static struct draft_edge side_by_side(struct merging *m, const struct draft_edge *a,
                                      const struct draft_edge *b)
{
    const struct draft *first = part(m, a), *second = part(m, b);
    size_t before = a->origin_count == 0 && is_plain_choice(first) ? first->child_count : 1;
    struct draft *choice = new_draft(m, STATEMENT_CHOICE, before + 1);
    for (size_t i = 0; i < before; i++)
        set_child(choice, i, before > 1 ? first->child[i] : first);
    set_child(choice, before, second);
    uint32_t *branch = arena_alloc(&m->graph->arena, (before + 1) * sizeof *branch);
    for (uint32_t i = 0; i <= before; i++)
        branch[i] = i;
    choice->branch = branch;
    return (struct draft_edge){a->source, a->target, choice, NULL, 0};
}

// Edges from here that lead to the same location become one.
static void merge_parallel(struct merging *m, uint32_t location)
{
    sweep(m, &m->out[location]);
    for (size_t i = 0; i < m->out[location].list.count; i++) {
        uint32_t a = m->out[location].list.data[i];
        for (size_t k = 0; k < i; k++) {
            uint32_t b = m->out[location].list.data[k];
            if (m->edges.data[a].gone || m->edges.data[b].gone ||
                m->edges.data[a].edge.target != m->edges.data[b].edge.target ||
                m->edges.data[a].size + m->edges.data[b].size > LARGEST_BLOCK)
                continue;
            m->edges.data[a].gone = m->edges.data[b].gone = true;
            add(m, side_by_side(m, &m->edges.data[b].edge, &m->edges.data[a].edge));
        }
    }
    sweep(m, &m->out[location]);
}

// Locations.

// Statements of these edges together, and of the largest.
static size_t sum_sizes(const struct merging *m, const struct ways *ways, size_t *most)
{
    size_t sum = 0;
    *most = 0;
    for (size_t i = 0; i < ways->list.count; i++) {
        size_t size = m->edges.data[ways->list.data[i]].size;
        sum += size;
        *most = size > *most ? size : *most;
    }
    return sum;
}

// What the model grows by when the location goes; SIZE_MAX: too large an edge would come out.
static size_t price(struct merging *m, uint32_t location)
{
    struct ways *in = &m->in[location], *out = &m->out[location];
    size_t most_in, most_out;
    sweep(m, in);
    sweep(m, out);
    size_t before = sum_sizes(m, in, &most_in), after = sum_sizes(m, out, &most_out);
    if (in->list.count == 0 || out->list.count == 0 || most_in + most_out > LARGEST_BLOCK)
        return SIZE_MAX;
    return before * (out->list.count - 1) + after * (in->list.count - 1);
}

static void remove_location(struct merging *m, uint32_t location)
{
    struct ways in = m->in[location], out = m->out[location];
    m->in[location] = m->out[location] = (struct ways){0};
    for (size_t i = 0; i < in.list.count; i++)
        for (size_t k = 0; k < out.list.count; k++) {
            struct draft_edge a = m->edges.data[in.list.data[i]].edge;
            struct draft_edge b = m->edges.data[out.list.data[k]].edge;
            add(m, in_a_row(m, &a, &b));
        }
    for (size_t i = 0; i < in.list.count; i++)
        m->edges.data[in.list.data[i]].gone = true;
    for (size_t k = 0; k < out.list.count; k++)
        m->edges.data[out.list.data[k]].gone = true;
    for (size_t i = 0; i < in.list.count; i++)
        merge_parallel(m, m->edges.data[in.list.data[i]].edge.source);
    VECTOR_FINISH(&in.list);
    VECTOR_FINISH(&out.list);
    lift_settle(m->graph, location, FATE_INNER);
    m->stays[location] = true; // as far as this is concerned
}

static bool remove_cheap(struct merging *m, size_t most)
{
    bool any = false;
    for (uint32_t l = 0; l < m->graph->source->location_count; l++) {
        if (m->stays[l] || draft_given_up(m->graph) || price(m, l) > most)
            continue;
        remove_location(m, l);
        any = true;
    }
    return any;
}

static void export_edges(struct merging *m)
{
    struct draft_graph *graph = m->graph;
    VECTOR_CLEAR(&graph->edges);
    for (size_t i = 0; i < m->edges.count; i++)
        if (!m->edges.data[i].gone)
            VECTOR_PUSH(&graph->edges, m->edges.data[i].edge);
}

void prepare_merge(struct draft_graph *graph)
{
    const struct model *source = graph->source;
    uint32_t locations = source->location_count;
    struct merging m = {.graph = graph,
                        .in = memory_zalloc(locations * sizeof(struct ways)),
                        .out = memory_zalloc(locations * sizeof(struct ways)),
                        .stays = memory_zalloc(locations)};
    model_back_edges(source, m.stays); // they cut every cycle
    m.stays[source->initial->index] = m.stays[source->error->index] = true;
    for (size_t i = 0; i < graph->edges.count; i++)
        add(&m, graph->edges.data[i]);
    for (uint32_t l = 0; l < locations; l++)
        merge_parallel(&m, l);
    for (size_t p = 0; p < sizeof PRICES / sizeof *PRICES; p++)
        while (remove_cheap(&m, PRICES[p]))
            ;
    export_edges(&m);
    for (uint32_t l = 0; l < locations; l++) {
        VECTOR_FINISH(&m.in[l].list);
        VECTOR_FINISH(&m.out[l].list);
    }
    VECTOR_FINISH(&m.edges);
    memory_free(m.in);
    memory_free(m.out);
    memory_free(m.stays);
}
