#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "tracegen/generator.h"

// The graph as a user sees it: one state for all nodes that have it, at locations that are shown, and the
// traces as walks in it.

uint32_t generator_child(const struct generator *g, uint32_t node)
{
    uint32_t child = graph_node(&g->exploration.graph, node)->first_child;
    return child == NODE_NONE || g->mark[child] != NODE_CUT ? child : generator_sibling(g, child);
}

uint32_t generator_sibling(const struct generator *g, uint32_t node)
{
    assert(node != NODE_NONE);
    do
        node = graph_node(&g->exploration.graph, node)->next_sibling;
    while (node != NODE_NONE && g->mark[node] == NODE_CUT);
    return node;
}

uint32_t generator_seen_before(const struct generator *g, uint32_t node)
{
    do
        node = graph_node(&g->exploration.graph, node)->parent;
    while (node != NODE_NONE && !generator_location(g, node)->observable);
    return node;
}

bool generator_is_exact(struct generator *g, uint32_t node)
{
    const struct model *model = g->request->model;
    const struct node *n = graph_node(&g->exploration.graph, node);
    bool seen = model->locations[n->location]->observable;
    while (g->exact.count <= n->state)
        VECTOR_PUSH(&g->exact, -1);
    // States at hidden locations are asked about seldom and not remembered.
    if (seen && g->exact.data[n->state] >= 0)
        return g->exact.data[n->state];
    struct value *values = memory_alloc((model->variable_count + 1) * sizeof *values);
    state_values(model, g->request->store, exploration_formula(&g->exploration, node), values,
                 NULL);
    bool exact = true;
    for (uint32_t v = 0; v < model->variable_count && exact; v++)
        exact = value_known(values[v]) || (seen && (model->variables[v]->flags & VARIABLE_LOCAL));
    memory_free(values);
    if (seen)
        g->exact.data[n->state] = exact;
    return exact;
}

static uint32_t merge_state(struct generator *g, uint32_t node)
{
    const struct node *n = graph_node(&g->exploration.graph, node);
    uint64_t key = (uint64_t)n->location << 32 | n->state;
    uint32_t index = state_table_intern(&g->states, &key, 1, hash_mix(key + 1));
    if (index == g->suite->states.count)
        VECTOR_PUSH(&g->suite->states, ((struct suite_state){
                                           .location = generator_location(g, node),
                                           .formula = exploration_formula(&g->exploration, node),
                                       }));
    assert(index < g->suite->states.count && "as many states as numbers");
    g->suite->states.data[index].initial |= n->parent == NODE_NONE;
    return index;
}

uint32_t generator_edge(struct generator *g, uint32_t from, uint32_t to, const struct edge *edge)
{
    uint64_t key[2] = {(uint64_t)from << 32 | to, edge != NULL ? edge->id + 1 : 0};
    uint32_t index = state_table_intern(&g->edges, key, 2,
                                        hash_mix(key[0] * 0x9e3779b97f4a7c15u + hash_mix(key[1])));
    if (index == g->suite->edges.count)
        VECTOR_PUSH(&g->suite->edges, ((struct suite_edge){.from = from, .to = to, .edge = edge}));
    assert(index < g->suite->edges.count && from < g->suite->states.count &&
           to < g->suite->states.count);
    return index;
}

static void merge_edges(struct generator *g, uint32_t node)
{
    const struct graph *graph = &g->exploration.graph;
    const struct node *n = graph_node(graph, node);
    uint32_t state = g->suite_state[node], before = generator_seen_before(g, node);
    if (state == SUITE_NONE)
        return;
    if (before != NODE_NONE)
        generator_edge(g, g->suite_state[before], state, n->edge);
    if (n->status == NODE_COVERED && g->suite_state[n->coverer] != SUITE_NONE &&
        g->suite_state[n->coverer] != state)
        generator_edge(g, state, g->suite_state[n->coverer], NULL);
    // A state counts as looked at when one of its nodes was.
    if (n->status != NODE_WAITING)
        g->suite->states.data[state].waiting = false;
    g->suite->states.data[state].stuck |= n->status == NODE_EXPANDED && n->first_child == NODE_NONE;
}

static void count_ignored(struct generator *g)
{
    const struct graph *graph = &g->exploration.graph;
    struct state_table seen;
    state_table_init(&seen);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct node *n = graph_node(graph, (uint32_t)i);
        uint64_t key = (uint64_t)n->location << 32 | n->state, hash = hash_mix(key + 1);
        if (g->mark[i] != NODE_CUT || !generator_location(g, (uint32_t)i)->observable ||
            state_table_find(&g->states, &key, 1, hash) != STATE_NONE)
            continue;
        size_t before = seen.entries.count;
        state_table_intern(&seen, &key, 1, hash);
        g->suite->counts.ignored_states += seen.entries.count - before;
    }
    state_table_finish(&seen);
}

// Which tracked variables have no one value somewhere, and whether nothing at all is left open.
static void find_open(struct generator *g)
{
    const struct model *model = g->request->model;
    struct suite *suite = g->suite;
    bool *open = memory_zalloc(model->variable_count + 1);
    struct value *values = memory_alloc((model->variable_count + 1) * sizeof *values);
    uint32_t states = 0;
    suite->concrete = true;
    for (uint32_t v = 0; v < model->variable_count; v++)
        states += !(model->variables[v]->flags & VARIABLE_LOCAL);
    for (size_t i = 0; i < suite->states.count; i++) {
        state_values(model, g->request->store, suite->states.data[i].formula, values, NULL);
        for (size_t t = 0; t < suite->tracked.count; t++)
            open[suite->tracked.data[t]->index] |=
                !value_known(values[suite->tracked.data[t]->index]);
    }
    for (size_t t = 0; t < suite->tracked.count; t++)
        if (open[suite->tracked.data[t]->index]) {
            suite->concrete = false;
            VECTOR_PUSH(&suite->open, suite->tracked.data[t]);
        }
    suite->concrete &= suite->tracked.count >= states;
    memory_free(open);
    memory_free(values);
}

void generator_merge(struct generator *g)
{
    const struct graph *graph = &g->exploration.graph;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        bool shown = g->mark[i] != NODE_CUT && generator_location(g, (uint32_t)i)->observable;
        g->suite_state[i] = shown ? merge_state(g, (uint32_t)i) : SUITE_NONE;
    }
    for (size_t i = 0; i < g->suite->states.count; i++)
        g->suite->states.data[i].waiting = true;
    for (size_t i = 0; i < graph->nodes.count; i++)
        merge_edges(g, (uint32_t)i);
    count_ignored(g);
    find_open(g);
}

void generator_keep(struct generator *g, struct trace *trace, const uint32_t *nodes, size_t count,
                    bool shortened, bool added)
{
    struct suite_trace out = {.trace = trace, .shortened = shortened, .added = added};
    out.states = memory_alloc(count * sizeof *out.states);
    out.edges = memory_alloc(count * sizeof *out.edges);
    for (size_t i = 0; i < count; i++) {
        uint32_t state = g->suite_state[nodes[i]];
        if (state == SUITE_NONE)
            continue;
        g->suite->states.data[state].covered = true;
        if (out.state_count > 0) {
            uint32_t edge = generator_edge(g, out.states[out.state_count - 1], state,
                                           graph_node(&g->exploration.graph, nodes[i])->edge);
            g->suite->edges.data[edge].covered = true;
            out.edges[out.state_count - 1] = edge;
        }
        out.states[out.state_count++] = state;
    }
    assert(out.state_count <= trace->step_count + 1 && "a state that is shown is behind a step");
    g->suite->counts.shortened += shortened;
    VECTOR_PUSH(&g->suite->traces, out);
}

// What the trace covered stays marked: only traces that go where others went before are dropped.
void generator_drop_last(struct generator *g)
{
    assert(g->suite->traces.count > 0);
    struct suite_trace *last = &g->suite->traces.data[--g->suite->traces.count];
    trace_destroy(last->trace);
    memory_free(last->states);
    memory_free(last->edges);
}

uint64_t suite_covered_states(const struct suite *suite)
{
    uint64_t covered = 0;
    for (size_t i = 0; i < suite->states.count; i++)
        covered += suite->states.data[i].covered;
    return covered;
}

uint64_t suite_edges(const struct suite *suite)
{
    uint64_t edges = 0;
    for (size_t i = 0; i < suite->edges.count; i++)
        edges += suite->edges.data[i].edge != NULL;
    return edges;
}

void suite_destroy(struct suite *suite)
{
    if (suite == NULL)
        return;
    for (size_t i = 0; i < suite->traces.count; i++) {
        trace_destroy(suite->traces.data[i].trace);
        memory_free(suite->traces.data[i].states);
        memory_free(suite->traces.data[i].edges);
    }
    VECTOR_FINISH(&suite->states);
    VECTOR_FINISH(&suite->edges);
    VECTOR_FINISH(&suite->traces);
    VECTOR_FINISH(&suite->tracked);
    VECTOR_FINISH(&suite->hints);
    VECTOR_FINISH(&suite->open);
    memory_free(suite->internal_error);
    memory_free(suite);
}
