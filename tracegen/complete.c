#include "tracegen/complete.h"

#include "base/memory.h"
#include "certify/certify.h"
#include "logic/terms/eval.h"
#include "tracegen/coverage.h"

// Nodes from which one branch is tried.
#define TRIES 256

struct completion {
    struct generator *generator;
    struct coverage *coverage;
    struct node_path path;
    bool going;
};

// The suite takes the trace if it covers something new of what is wanted, or of the graph.
static bool offer(struct completion *c, struct trace *trace, const uint32_t *nodes, size_t count)
{
    struct generator *g = c->generator;
    generator_keep(g, trace, nodes, count, false, true);
    unsigned wanted = g->request->complete | 1u << COVER_STATES | 1u << COVER_EDGES;
    if (!coverage_add(c->coverage, &VECTOR_LAST(&g->suite->traces), NULL, wanted)) {
        generator_drop_last(g);
        return false;
    }
    c->going &= generator_deliver(g);
    return true;
}

// Branches.

struct lookup {
    const struct model *model;
    const struct value *state;
};

static struct value look_up(void *context, const struct term *variable)
{
    const struct lookup *lookup = context;
    const struct variable *x = model_variable_of(lookup->model, variable);
    return x != NULL ? lookup->state[x->index] : VALUE_UNKNOWN;
}

// The child that the trace's last state belongs to; NODE_NONE.
static uint32_t find_child(struct generator *g, uint32_t node, const struct edge *edge,
                           const struct trace *trace)
{
    struct evaluator *evaluator = evaluator_create(trace->store);
    struct lookup lookup = {trace->model, trace_step_at(trace, trace->step_count)->state};
    uint32_t child = graph_node(&g->exploration.graph, node)->first_child;
    while (child != NODE_NONE &&
           (graph_node(&g->exploration.graph, child)->edge != edge ||
            !value_is_true(evaluator_run(evaluator, exploration_formula(&g->exploration, child),
                                         look_up, &lookup))))
        child = graph_node(&g->exploration.graph, child)->next_sibling;
    evaluator_destroy(evaluator);
    return child;
}

static bool try_branch(struct completion *c, uint32_t node, const struct edge *edge,
                       const struct statement *statement, uint32_t branch)
{
    struct generator *g = c->generator;
    node_path_lead_to(g, &c->path, node);
    VECTOR_PUSH(&c->path.edges, edge);
    VECTOR_PUSH(&c->path.states, NULL);
    VECTOR_PUSH(&c->path.exact, true);
    VECTOR_PUSH(&c->path.nodes, NODE_NONE);
    struct abstract_run run = node_path_run(&c->path);
    enum path_result result;
    struct trace *trace = concretise_through(&g->concretiser, &run, statement, branch, &result);
    c->going &= result != PATH_STOPPED;
    node_path_cut(&c->path, c->path.nodes.count - 1);
    struct text why;
    text_init(&why);
    uint32_t child = NODE_NONE;
    if (trace != NULL && certify_replay_run(trace, &why))
        child = find_child(g, node, edge, trace);
    text_finish(&why);
    if (child == NODE_NONE) {
        trace_destroy(trace);
        return false;
    }
    VECTOR_PUSH(&c->path.nodes, child);
    bool kept = offer(c, trace, c->path.nodes.data, c->path.nodes.count);
    c->path.nodes.count--;
    return kept;
}

static void force(struct completion *c, const struct edge *edge, const struct statement *s,
                  uint32_t branch)
{
    struct generator *g = c->generator;
    const struct graph *graph = &g->exploration.graph;
    unsigned tries = 0;
    for (uint32_t n = 0; n < graph->nodes.count && tries < TRIES && c->going; n++)
        if (graph_node(graph, n)->location == edge->source->index &&
            graph_node(graph, n)->status == NODE_EXPANDED && g->mark[n] == NODE_FEASIBLE) {
            tries++;
            if (try_branch(c, n, edge, s, branch))
                return;
        }
}

static void force_branches(struct completion *c, const struct edge *edge, const struct statement *s)
{
    bool branches = s->kind == STATEMENT_IF || (s->kind == STATEMENT_CHOICE && s->child_count > 1);
    for (uint32_t b = 0; b < s->child_count && c->going; b++) {
        if (branches && !coverage_has_branch(c->coverage, s, b))
            force(c, edge, s, b);
        force_branches(c, edge, s->child[b]);
    }
}

// Going on behind covered leaves.

static void go_on(struct completion *c, uint32_t leaf, uint32_t child)
{
    struct generator *g = c->generator;
    node_path_lead_to(g, &c->path, leaf);
    for (uint32_t n = child; n != NODE_NONE; n = generator_child(g, n))
        node_path_push(g, &c->path, n);
    while (c->path.nodes.count > 0 &&
           !generator_location(g, VECTOR_LAST(&c->path.nodes))->observable)
        node_path_cut(&c->path, c->path.nodes.count - 1);
    enum path_result result;
    struct trace *trace = generator_trace(g, &c->path, &result);
    c->going &= result != PATH_STOPPED;
    if (trace != NULL)
        offer(c, trace, c->path.nodes.data, c->path.nodes.count);
}

static void extend(struct completion *c)
{
    struct generator *g = c->generator;
    const struct graph *graph = &g->exploration.graph;
    for (uint32_t n = 0; n < graph->nodes.count && c->going; n++) {
        if (graph_node(graph, n)->status != NODE_COVERED || g->mark[n] != NODE_FEASIBLE)
            continue;
        for (uint32_t child = generator_child(g, graph_node(graph, n)->coverer);
             child != NODE_NONE && c->going; child = generator_sibling(g, child))
            go_on(c, n, child);
    }
}

void complete_coverage(struct generator *g)
{
    const struct model *model = g->request->model;
    unsigned wanted = g->request->complete;
    struct completion c = {.generator = g, .going = true};
    c.coverage = coverage_create(model, g->suite);
    for (size_t i = 0; i < g->suite->traces.count; i++)
        coverage_add(c.coverage, &g->suite->traces.data[i], NULL, 0);
    if (wanted & (1u << COVER_TRANSITIONS | 1u << COVER_DECISIONS))
        for (uint32_t e = 0; e < model->edge_count; e++)
            if (!exploration_skips(model, model->edges[e]))
                force_branches(&c, model->edges[e], model->edges[e]->action);
    extend(&c);
    node_path_finish(&c.path);
    coverage_destroy(c.coverage);
}
