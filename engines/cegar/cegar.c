#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/cegar/graph.h"
#include "engines/cegar/refute.h"
#include "engines/domains/domain.h"
#include "engines/engine.h"

// Counterexample-guided abstraction refinement (Clarke et al. 2000) over an abstract reachability graph,
// in the form of [Hajdu20] 2.3: cegar.md 6 to 9.

struct cegar {
    struct workspace workspace;
    const struct engine_environment *environment;
    const struct domain_operations *operations;
    struct domain *domain;
    struct graph graph;
    struct state_list successors;      // scratch
    VECTOR(const struct edge *) edges; // the counterexample at hand: its edges …
    VECTOR(uint32_t) nodes;            // … and nodes, root first
    VECTOR(uint32_t) items;            // its interned form
    uint64_t iterations, refinements;
    uint64_t successor_count;
};

enum outcome { OUTCOME_SAFE, OUTCOME_COUNTEREXAMPLE, OUTCOME_UNSAFE, OUTCOME_GO_ON, OUTCOME_END };

static void preparation(const struct configuration *configuration, struct prepare_options *out)
{
    const int64_t *v = configuration->values;
    *out = (struct prepare_options){
        .encoding = v[OPTION_ENCODING] == ENCODING_LBE ? PREPARE_LARGE_BLOCK
                                                       : PREPARE_SINGLE_BLOCK,
        .propagate_constants = v[OPTION_PROPAGATE],
        .cone_of_influence = v[OPTION_CONE],
        .split_choices = v[OPTION_SPLIT] > 0,
        .split_limit = (uint32_t)v[OPTION_SPLIT],
    };
}

static void publish(struct cegar *c)
{
    struct progress *p = c->workspace.progress;
    atomic_store_explicit(&p->nodes, c->graph.live_count, memory_order_relaxed);
    atomic_store_explicit(&p->nodes_created, c->graph.next_number, memory_order_relaxed);
    atomic_store_explicit(&p->nodes_covered, c->graph.covered_count, memory_order_relaxed);
    atomic_store_explicit(&p->precision, c->operations->precision_size(c->domain),
                          memory_order_relaxed);
    atomic_store_explicit(&p->successors, c->successor_count, memory_order_relaxed);
    workspace_publish_solver_statistics(&c->workspace);
}

// Looks at the memory limit and publishes; called every so often.
static bool take_stock(struct cegar *c)
{
    uint64_t bytes = graph_bytes(&c->graph) + c->operations->bytes(c->domain) +
                     term_store_bytes(c->workspace.store);
    atomic_store_explicit(&c->workspace.progress->bytes, bytes, memory_order_relaxed);
    publish(c);
    if (c->environment->memory_limit && bytes > c->environment->memory_limit)
        workspace_end(&c->workspace, END_MEMORY, "the attempt's memory limit was reached");
    return workspace_step(&c->workspace, 0);
}

static struct advice tell(struct cegar *c, struct engine_event event)
{
    event.iteration = c->iterations;
    event.precision_size = c->operations->precision_size(c->domain);
    event.nodes = c->graph.live_count;
    struct advice advice = {.kind = ADVICE_GO_ON};
    if (c->environment->observe)
        advice = c->environment->observe(c->environment->observer, &event);
    if (advice.kind == ADVICE_STOP)
        workspace_end(&c->workspace, advice.reason, advice.why);
    return advice;
}

// Abstraction.

static bool add_initial(struct cegar *c)
{
    VECTOR_CLEAR(&c->successors);
    if (!c->operations->initial(c->domain, &c->successors))
        return false;
    for (size_t i = 0; i < c->successors.count; i++) {
        bool subsumed = false;
        for (uint32_t r = c->graph.first_root; r != NODE_NONE && !subsumed;
             r = graph_node(&c->graph, r)->next_sibling)
            subsumed = c->operations->covers(c->domain, graph_node(&c->graph, r)->state,
                                             c->successors.data[i]);
        if (!subsumed)
            graph_add(&c->graph, NODE_NONE, NULL, c->workspace.model->initial,
                      c->successors.data[i]);
    }
    return true;
}

static bool expand(struct cegar *c, uint32_t node)
{
    const struct node *n = graph_node(&c->graph, node);
    const struct location *location = c->workspace.model->locations[n->location];
    uint32_t state = n->state;
    for (uint32_t i = 0; i < location->out_count; i++) {
        const struct edge *edge = location->out[i];
        VECTOR_CLEAR(&c->successors);
        if (!c->operations->successors(c->domain, state, edge, &c->successors))
            return false;
        c->successor_count += c->successors.count;
        for (size_t s = 0; s < c->successors.count; s++)
            if (!graph_has_child(&c->graph, node, edge, c->successors.data[s]))
                graph_add(&c->graph, node, edge, edge->target, c->successors.data[s]);
    }
    graph_expanded(&c->graph, node);
    return true;
}

// Builds the graph until it is complete or holds an error node, which becomes *error.
static enum outcome abstract(struct cegar *c, uint32_t *error)
{
    if (c->graph.first_root == NODE_NONE && !add_initial(c))
        return OUTCOME_END;
    for (uint64_t round = 1;; round++) {
        uint32_t node = graph_take(&c->graph);
        if (node == NODE_NONE)
            return OUTCOME_SAFE;
        if (graph_node(&c->graph, node)->status == NODE_ERROR) {
            *error = node;
            return OUTCOME_COUNTEREXAMPLE;
        }
        if (round % 256 == 0 && !take_stock(c))
            return OUTCOME_END;
        uint32_t coverer = graph_find_coverer(&c->graph, node);
        if (coverer != NODE_NONE)
            graph_cover(&c->graph, node, coverer);
        else if (!expand(c, node))
            return OUTCOME_END;
    }
}

// Refinement.

static void collect_counterexample(struct cegar *c, uint32_t error)
{
    VECTOR_CLEAR(&c->edges);
    VECTOR_CLEAR(&c->nodes);
    size_t length = graph_node(&c->graph, error)->depth;
    VECTOR_RESERVE(&c->edges, length);
    VECTOR_RESERVE(&c->nodes, length + 1);
    c->edges.count = length;
    c->nodes.count = length + 1;
    for (uint32_t at = error; at != NODE_NONE; at = graph_node(&c->graph, at)->parent) {
        const struct node *n = graph_node(&c->graph, at);
        c->nodes.data[n->depth] = at;
        if (n->depth)
            c->edges.data[n->depth - 1] = n->edge;
    }
}

static bool report_counterexample(struct cegar *c)
{
    VECTOR_CLEAR(&c->items);
    struct hash128 hash = hash128_seed(0xcec);
    for (size_t i = 0; i < c->nodes.count; i++) {
        VECTOR_PUSH(&c->items, graph_node(&c->graph, c->nodes.data[i])->state);
        if (i + 1 < c->nodes.count)
            VECTOR_PUSH(&c->items, c->edges.data[i]->id);
    }
    for (size_t i = 0; i < c->items.count; i++)
        hash = hash128_add(hash, c->items.data[i]);
    struct hash128 graph = hash128_seed(c->graph.live_count);
    graph = hash128_add(graph, c->graph.covered_count);
    struct counterexample counterexample = {
        .items = c->items.data,
        .count = c->items.count,
        .hash = hash,
        .precision_id = domain_head(c->domain)->precision_id,
        .graph = graph,
    };
    tell(c, (struct engine_event){.kind = EVENT_COUNTEREXAMPLE,
                                  .counterexample = &counterexample});
    return c->workspace.reason == END_NONE;
}

static bool add_precision(struct cegar *c, const struct refutation *r)
{
    bool changed = false;
    for (size_t i = 0; i < r->node_count; i++) {
        uint32_t location = graph_node(&c->graph, c->nodes.data[i])->location;
        if (r->interpolant[i] || r->variables[i].count)
            changed |= c->operations->refine(c->domain, c->workspace.model->locations[location],
                                             r->interpolant[i], r->variables[i].data,
                                             r->variables[i].count);
    }
    return changed;
}

static void prune(struct cegar *c, const struct refutation *r)
{
    if (workspace_option(&c->workspace, OPTION_PRUNE) == PRUNE_FULL) {
        graph_clear(&c->graph);
        return;
    }
    uint32_t node = c->nodes.data[r->prune];
    bool root = graph_node(&c->graph, node)->parent == NODE_NONE;
    graph_prune(&c->graph, node);
    if (root) // the initial states are computed anew, at the new precision
        add_initial(c);
}

static enum outcome refine(struct cegar *c, uint32_t error, struct trace **trace)
{
    collect_counterexample(c, error);
    if (!report_counterexample(c))
        return OUTCOME_END;
    const struct term **states = memory_alloc(c->nodes.count * sizeof *states);
    for (size_t i = 0; i < c->nodes.count; i++)
        states[i] =
            c->operations->formula(c->domain, graph_node(&c->graph, c->nodes.data[i])->state);
    struct refutation refutation;
    enum refute_result result = refute(&c->workspace, c->edges.data, c->edges.count, states,
                                       &refutation, trace);
    memory_free(states);
    if (result == REFUTE_FEASIBLE)
        return OUTCOME_UNSAFE;
    if (result != REFUTE_SPURIOUS)
        return OUTCOME_END;
    bool changed = add_precision(c, &refutation);
    prune(c, &refutation);
    refutation_finish(&refutation);
    c->refinements++;
    atomic_store_explicit(&c->workspace.progress->refinements, c->refinements,
                          memory_order_relaxed);
    tell(c, (struct engine_event){.kind = EVENT_REFINED, .precision_changed = changed});
    return workspace_step(&c->workspace, 1) ? OUTCOME_GO_ON : OUTCOME_END;
}

// The reachable abstract states of each location, as one formula: an inductive invariant.
static const struct term **invariant(struct cegar *c)
{
    const struct model *model = c->workspace.model;
    struct term_store *store = c->workspace.store;
    struct term_vector *parts = memory_zalloc(model->location_count * sizeof *parts);
    const struct term **formulas = memory_alloc(model->location_count * sizeof *formulas);
    for (size_t i = 0; i < c->graph.nodes.count; i++) {
        const struct node *n = graph_node(&c->graph, (uint32_t)i);
        if (n->status == NODE_EXPANDED)
            VECTOR_PUSH(&parts[n->location], c->operations->formula(c->domain, n->state));
    }
    for (uint32_t l = 0; l < model->location_count; l++) {
        formulas[l] = term_or(store, parts[l].data, parts[l].count);
        VECTOR_FINISH(&parts[l]);
    }
    memory_free(parts);
    return formulas;
}

static void loop(struct cegar *c, struct engine_result *result)
{
    for (;;) {
        c->iterations++;
        atomic_store_explicit(&c->workspace.progress->iterations, c->iterations,
                              memory_order_relaxed);
        atomic_store_explicit(&c->workspace.progress->phase, ENGINE_ABSTRACTING,
                              memory_order_relaxed);
        tell(c, (struct engine_event){.kind = EVENT_ROUND});
        uint32_t error = NODE_NONE;
        enum outcome outcome = abstract(c, &error);
        if (outcome == OUTCOME_SAFE) {
            result->verdict = VERDICT_SAFE;
            result->invariant = invariant(c);
            return;
        }
        if (outcome == OUTCOME_END || !take_stock(c))
            return;
        atomic_store_explicit(&c->workspace.progress->phase, ENGINE_REFINING,
                              memory_order_relaxed);
        outcome = refine(c, error, &result->trace);
        if (outcome == OUTCOME_UNSAFE)
            result->verdict = VERDICT_UNSAFE;
        if (outcome != OUTCOME_GO_ON)
            return;
    }
}

static const struct domain_operations *choose_domain(const struct configuration *configuration)
{
    switch (configuration->values[OPTION_DOMAIN]) {
    case DOMAIN_EXPL:
        return &domain_explicit;
    case DOMAIN_PRED_BOOL:
        return &domain_predicates_boolean;
    case DOMAIN_PRED_SPLIT:
        return &domain_predicates_split;
    default:
        return &domain_predicates;
    }
}

static void finish(struct cegar *c)
{
    graph_finish(&c->graph);
    c->operations->destroy(c->domain);
    VECTOR_FINISH(&c->successors);
    VECTOR_FINISH(&c->edges);
    VECTOR_FINISH(&c->nodes);
    VECTOR_FINISH(&c->items);
    workspace_finish(&c->workspace);
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct cegar *c = memory_zalloc(sizeof *c);
    struct engine_result result = {.verdict = VERDICT_UNKNOWN};
    c->environment = environment;
    workspace_init(&c->workspace, environment);
    c->operations = choose_domain(environment->configuration);
    c->domain = c->operations->create(&c->workspace);
    graph_init(&c->graph, c->domain, environment->model,
               environment->configuration->values[OPTION_SEARCH]);
    loop(c, &result);
    take_stock(c);
    atomic_store_explicit(&c->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    result.reason = result.verdict == VERDICT_UNKNOWN ? c->workspace.reason : END_SOLVED;
    result.why = result.verdict == VERDICT_UNKNOWN ? c->workspace.why : NULL;
    if (c->workspace.solver)
        result.solver = smt_statistics(c->workspace.solver);
    finish(c);
    memory_free(c);
    return result;
}

const struct engine engine_cegar = {
    .name = "cegar",
    .description = "counterexample-guided abstraction refinement over a reachability graph",
    .preparation = preparation,
    .run = run,
};
