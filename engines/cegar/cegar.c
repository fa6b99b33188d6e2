#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "engines/cegar/cegar.h"
#include "engines/cegar/cooperation.h"
#include "engines/cegar/known_paths.h"
#include "engines/cegar/warm_start.h"

// Counterexample-guided abstraction refinement (Clarke et al. 2000) over an abstract reachability graph,
// in the form of [Hajdu20] 2.3: docs/definitions/cegar.md 6 to 9.

static void preparation(const struct configuration *configuration, struct prepare_options *out)
{
    const int64_t *v = configuration->values;
    *out = (struct prepare_options){
        .encoding = v[OPTION_ENCODING] == ENCODING_LBE         ? PREPARE_LARGE_BLOCK
                    : v[OPTION_ENCODING] == ENCODING_STATEMENT ? PREPARE_STATEMENTS
                    : v[OPTION_ENCODING] == ENCODING_LOOPS     ? PREPARE_LOOP_BLOCKS
                                                               : PREPARE_SINGLE_BLOCK,
        .propagate_constants = v[OPTION_PROPAGATE],
        .cone_of_influence = v[OPTION_CONE],
        .split_choices = v[OPTION_SPLIT] > 0,
        .split_limit = (uint32_t)v[OPTION_SPLIT],
        .recode = engine_recode(configuration),
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
    atomic_store_explicit(&p->cache_lookups[CACHE_COVERING], c->graph.lookups,
                          memory_order_relaxed);
    atomic_store_explicit(&p->cache_hits[CACHE_COVERING], c->graph.found, memory_order_relaxed);
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

struct advice cegar_tell(struct cegar *c, struct engine_event event)
{
    event.iteration = c->iterations;
    event.precision_size = c->operations->precision_size(c->domain);
    event.nodes = c->graph.live_count;
    event.covered = c->graph.covered_count;
    event.waiting = c->graph.queue.count;
    event.created = c->graph.next_number;
    event.expanded = c->expanded_count;
    event.successors = c->successor_count;
    return workspace_tell(&c->workspace, &event);
}

// Abstraction.

bool cegar_add_initial(struct cegar *c)
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
    assert(n->status == NODE_WAITING);
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
    c->expanded_count++;
    return true;
}

static size_t errors_wanted(const struct cegar *c)
{
    switch (workspace_option(&c->workspace, OPTION_STOP)) {
    case STOP_ALL:
        return SIZE_MAX;
    case STOP_N:
        return (size_t)workspace_option(&c->workspace, OPTION_STOP_COUNT);
    default:
        return 1;
    }
}

// Builds the graph until it is complete or holds as many error nodes as wanted: c->errors.
static enum cegar_step abstract(struct cegar *c)
{
    size_t wanted = errors_wanted(c);
    VECTOR_CLEAR(&c->errors);
    if (c->graph.first_root == NODE_NONE && !cegar_add_initial(c))
        return CEGAR_END;
    for (uint64_t round = 1;; round++) {
        uint32_t node = graph_take(&c->graph);
        if (node == NODE_NONE)
            return c->errors.count ? CEGAR_COUNTEREXAMPLE : CEGAR_SAFE;
        if (round % 256 == 0) {
            cegar_tell(c, (struct engine_event){.kind = EVENT_SAMPLE});
            if (!take_stock(c))
                return CEGAR_END;
        }
        if (graph_node(&c->graph, node)->status == NODE_ERROR) {
            VECTOR_PUSH(&c->errors, node);
            if (c->errors.count == wanted)
                return CEGAR_COUNTEREXAMPLE;
            continue;
        }
        uint32_t coverer = graph_find_coverer(&c->graph, node);
        if (coverer != NODE_NONE)
            graph_cover(&c->graph, node, coverer);
        else if (!expand(c, node))
            return CEGAR_END;
    }
}

#define FEW_STATES 64 // of one location, whose formulas are said one by one

// Without what strengthens single nodes: the domain may know a shorter form.
static const struct term *any_of(struct cegar *c, uint32_t location)
{
    VECTOR(uint32_t) states = {0};
    for (size_t i = 0; i < c->graph.nodes.count; i++) {
        const struct node *n = graph_node(&c->graph, (uint32_t)i);
        if (n->status == NODE_EXPANDED && n->location == location)
            VECTOR_PUSH(&states, n->state);
    }
    const struct term *formula = c->operations->any_of(c->domain, states.data, states.count);
    VECTOR_FINISH(&states);
    return formula;
}

// The reachable abstract states of each location, as one formula: an inductive invariant.
// strengthening: per node, what holds there besides its state; NULL = nothing.
static const struct term **invariant(struct cegar *c, const struct term *const *strengthening)
{
    const struct model *model = c->workspace.model;
    struct term_store *store = c->workspace.store;
    struct term_vector *parts = memory_zalloc(model->location_count * sizeof *parts);
    const struct term **formulas = memory_alloc(model->location_count * sizeof *formulas);
    size_t *counts = memory_zalloc(model->location_count * sizeof *counts);
    bool shorter = strengthening == NULL && c->operations->any_of != NULL;
    for (size_t i = 0; i < c->graph.nodes.count; i++) {
        const struct node *n = graph_node(&c->graph, (uint32_t)i);
        if (n->status != NODE_EXPANDED || (shorter && ++counts[n->location] > FEW_STATES))
            continue;
        const struct term *formula = c->operations->formula(c->domain, n->state);
        if (strengthening != NULL && strengthening[i] != NULL)
            formula = term_and2(store, formula, strengthening[i]);
        VECTOR_PUSH(&parts[n->location], formula);
    }
    for (uint32_t l = 0; l < model->location_count; l++) {
        formulas[l] =
            counts[l] > FEW_STATES ? any_of(c, l) : term_or(store, parts[l].data, parts[l].count);
        VECTOR_FINISH(&parts[l]);
    }
    memory_free(parts);
    memory_free(counts);
    assert(term_is_false(formulas[model->error->index]) && "error nodes are not expanded");
    return formulas;
}

void cegar_clear_graph(struct cegar *c)
{
    graph_clear(&c->graph);
    c->passed_over = false;
}

// Nothing waits, but error nodes of known counterexamples are left.
static void conclude_known(struct cegar *c, struct engine_result *result)
{
    if (workspace_option(&c->workspace, OPTION_MITIGATE_SAFE)) {
        const struct term **known = known_paths_strengthen(&c->refuter, &c->graph);
        if (known != NULL) {
            result->verdict = VERDICT_SAFE;
            result->invariant = invariant(c, known);
            memory_free(known);
            return;
        }
    }
    workspace_end(&c->workspace, END_STALLED,
                  "exact loop: only spurious counterexamples that are known are left");
}

// Every node was expanded, or is covered by one that nobody passed over.
static bool is_complete(const struct graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct node *n = graph_node(graph, (uint32_t)i);
        if (n->status == NODE_WAITING ||
            (n->status == NODE_COVERED && (graph_node(graph, n->coverer)->barred ||
                                           graph_node(graph, n->coverer)->status == NODE_FREE)))
            return false;
    }
    return true;
}

// The graph is complete. False when it has to be built again.
static bool conclude(struct cegar *c, struct engine_result *result)
{
    ENSURE(is_complete(&c->graph));
    if (c->graph.error_count == 0) {
        result->verdict = VERDICT_SAFE;
        result->invariant = invariant(c, NULL);
        return true;
    }
    if (domain_head(c->domain)->precision_id != c->passed_precision) {
        cegar_clear_graph(c); // at the precision of today they may be gone
        return false;
    }
    conclude_known(c, result);
    return true;
}

static void begin_round(struct cegar *c)
{
    cooperate(c);
    c->iterations++;
    atomic_store_explicit(&c->workspace.progress->iterations, c->iterations, memory_order_relaxed);
    cegar_tell(c, (struct engine_event){.kind = EVENT_ROUND});
}

static void loop(struct cegar *c, struct engine_result *result)
{
    begin_round(c);
    for (;;) {
        atomic_store_explicit(&c->workspace.progress->phase, ENGINE_ABSTRACTING,
                              memory_order_relaxed);
        enum cegar_step outcome = abstract(c);
        if (outcome == CEGAR_SAFE && conclude(c, result))
            return;
        if (outcome == CEGAR_END || !take_stock(c))
            return;
        if (outcome == CEGAR_COUNTEREXAMPLE) {
            cooperate_on_runs(c);
            atomic_store_explicit(&c->workspace.progress->phase, ENGINE_REFINING,
                                  memory_order_relaxed);
            outcome = cegar_refine(c, &result->trace);
        }
        if (outcome == CEGAR_UNSAFE)
            result->verdict = VERDICT_UNSAFE;
        if (outcome == CEGAR_UNSAFE || outcome == CEGAR_END)
            return;
        if (outcome != CEGAR_KNOWN)
            begin_round(c);
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
    case DOMAIN_EXPL_PRED_CART:
        return &domain_product_cartesian;
    case DOMAIN_EXPL_PRED_BOOL:
        return &domain_product_boolean;
    case DOMAIN_EXPL_PRED_SPLIT:
        return &domain_product_split;
    case DOMAIN_EXPL_PRED_COMBINED:
        return &domain_product_combined;
    default:
        return &domain_predicates;
    }
}

static void finish(struct cegar *c)
{
    graph_finish(&c->graph);
    c->operations->destroy(c->domain);
    VECTOR_FINISH(&c->successors);
    VECTOR_FINISH(&c->errors);
    VECTOR_FINISH(&c->items);
    refuter_finish(&c->refuter);
    cooperation_finish(c);
    workspace_finish(&c->workspace);
}

static void take_notes(const struct cegar *c, struct engine_result *result)
{
    struct text solvers;
    text_init(&solvers);
    workspace_describe_solvers(&c->workspace, &solvers);
    refuter_describe(&c->refuter, result->notes, sizeof result->notes);
    if (solvers.length)
        engine_note(result->notes, sizeof result->notes, "%s", text_string(&solvers));
    text_finish(&solvers);
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct cegar *c = memory_zalloc(sizeof *c);
    struct engine_result result = {.verdict = VERDICT_UNKNOWN};
    c->environment = environment;
    workspace_init(&c->workspace, environment);
    c->operations = choose_domain(environment->configuration);
    c->domain = c->operations->create(&c->workspace);
    graph_init(&c->graph, c->domain, environment->model, environment->configuration);
    refuter_init(&c->refuter, &c->workspace);
    cooperation_init(c);
    warm_start(c);
    loop(c, &result);
    take_stock(c);
    atomic_store_explicit(&c->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    result.reason = result.verdict == VERDICT_UNKNOWN ? c->workspace.reason : END_SOLVED;
    result.why = result.verdict == VERDICT_UNKNOWN ? c->workspace.why : NULL;
    result.solver = workspace_solver_statistics(&c->workspace);
    assert((result.verdict == VERDICT_SAFE) == (result.invariant != NULL));
    assert((result.verdict == VERDICT_UNSAFE) == (result.trace != NULL));
    take_notes(c, &result);
    cooperation_describe(c, result.notes, sizeof result.notes);
    warm_start_describe(c, result.notes, sizeof result.notes);
    if (result.verdict == VERDICT_UNKNOWN)
        warm_start_leave(c);
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
