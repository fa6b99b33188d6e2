#include "tracegen/explore.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

// Solver steps of one question: what cannot be decided counts as possible in the graph, and as
// undecided in a trace.
#define CHECK_STEPS 3000000

bool exploration_skips(const struct model *model, const struct edge *edge)
{
    return trace_only_tests(model, edge);
}

const struct term *exploration_formula(struct exploration *x, uint32_t node)
{
    return x->operations->formula(x->domain, graph_node(&x->graph, node)->state);
}

// Events.

static void add_writes(const struct statement *s, variable_bits *written)
{
    if (s->variable != NULL)
        variable_bits_set(written, s->variable->index);
    for (uint32_t i = 0; i < s->child_count; i++)
        add_writes(s->child[i], written);
}

void exploration_find_events(const struct model *model, variable_bits *inputs,
                             variable_bits *outputs)
{
    size_t words = variable_bits_words(model->variable_count);
    variable_bits *by_system = memory_zalloc(words * sizeof *by_system);
    memset(inputs, 0, words * sizeof *inputs);
    memset(outputs, 0, words * sizeof *outputs);
    for (uint32_t e = 0; e < model->edge_count; e++) {
        const struct edge *edge = model->edges[e];
        if (edge->target->phase == PHASE_STIMULATED)
            add_writes(edge->action, inputs);
        else if (edge->source->phase == PHASE_STIMULATED ||
                 (!edge->source->observable && edge->source->phase == PHASE_STABLE))
            add_writes(edge->action, by_system);
    }
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (!variable_bits_get(inputs, v) || !variable_bits_get(by_system, v))
            continue;
        variable_bits_clear(inputs, v);
        if (model->variables[v]->sort->kind == SORT_BOOL)
            variable_bits_set(outputs, v);
    }
    memory_free(by_system);
}

// What a state says.

void state_values(const struct model *model, struct term_store *store, const struct term *formula,
                  struct value *values, struct term_vector *rest)
{
    struct term_vector conjuncts = {0}, variables = {0};
    memset(values, 0, model->variable_count * sizeof *values);
    rewrite_conjuncts(formula, &conjuncts);
    for (size_t i = 0; i < conjuncts.count; i++) {
        VECTOR_CLEAR(&variables);
        rewrite_free_variables(conjuncts.data[i], &variables);
        const struct variable *x =
            variables.count == 1 ? model_variable_of(model, variables.data[0]) : NULL;
        const struct term *value =
            x != NULL ? rewrite_solve(store, conjuncts.data[i], x->term) : NULL;
        if (value != NULL && term_is_literal(value))
            values[x->index] = term_value(value);
        else if (rest != NULL)
            VECTOR_PUSH(rest, conjuncts.data[i]);
    }
    VECTOR_FINISH(&conjuncts);
    VECTOR_FINISH(&variables);
}

// Precision.

// Inside a step, at a hidden location, everything counts.
static void track(struct exploration *x, const variable_bits *tracked)
{
    const struct model *model = x->request->model;
    struct term_vector here = {0};
    for (uint32_t l = 0; l < model->location_count; l++) {
        const struct location *location = model->locations[l];
        VECTOR_CLEAR(&here);
        for (uint32_t v = 0; v < model->variable_count; v++) {
            const struct variable *variable = model->variables[v];
            bool local = !location->observable && (variable->flags & VARIABLE_LOCAL);
            if (local || variable_bits_get(tracked, v))
                VECTOR_PUSH(&here, variable->term);
        }
        x->operations->refine(x->domain, location, NULL, here.data, here.count);
        for (size_t p = 0; p < x->request->predicate_count; p++)
            x->operations->refine(x->domain, location, x->request->predicates[p], NULL, 0);
    }
    VECTOR_FINISH(&here);
}

static void choose_precision(struct exploration *x)
{
    const struct model *model = x->request->model;
    size_t words = variable_bits_words(model->variable_count);
    variable_bits *inputs = memory_zalloc(2 * words * sizeof *inputs), *tracked = inputs + words;
    exploration_find_events(model, inputs, tracked); // output events count as named
    for (size_t i = 0; i < x->request->variable_count; i++)
        variable_bits_set(tracked, x->request->variables[i]->index);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *variable = model->variables[v];
        bool local = (variable->flags & VARIABLE_LOCAL) != 0;
        if (!local && (x->request->all_variables || (variable->flags & VARIABLE_CONTROL)))
            variable_bits_set(tracked, v);
        if (variable_bits_get(tracked, v))
            VECTOR_PUSH(&x->tracked, variable);
    }
    track(x, tracked);
    memory_free(inputs);
}

static void choose_configuration(struct exploration *x)
{
    const struct tracegen_request *request = x->request;
    configuration_init(&x->configuration, "trace");
    int64_t *v = x->configuration.values;
    v[OPTION_DOMAIN] = request->predicate_count ? DOMAIN_EXPL_PRED_SPLIT : DOMAIN_EXPL;
    v[OPTION_GRANULARITY] = GRANULARITY_LOCAL;
    v[OPTION_AUTOEXPL] = AUTOEXPL_STATIC;
    v[OPTION_PREDSPLIT] = PREDSPLIT_WHOLE;
    v[OPTION_INITPREC] = INITPREC_EMPTY;
    v[OPTION_SEARCH] = SEARCH_BFS;
    v[OPTION_CHECK_LIMIT] = CHECK_STEPS;
    v[OPTION_MAXENUM] = (int64_t)request->value_limit;
    configuration_seal(&x->configuration);
}

void exploration_init(struct exploration *x, const struct tracegen_request *request)
{
    memset(x, 0, sizeof *x);
    x->request = request;
    choose_configuration(x);
    x->environment = (struct engine_environment){
        .model = request->model,
        .configuration = &x->configuration,
        .seed = request->seed,
        .stop = request->stop,
        .progress = &x->progress,
        .publish_solver = request->publish_solver,
        .observer = request->context,
        .store = request->store,
    };
    workspace_init(&x->workspace, &x->environment);
    x->operations = request->predicate_count ? &domain_product_split : &domain_explicit;
    x->domain = x->operations->create(&x->workspace);
    graph_init(&x->graph, x->domain, request->model, &x->configuration);
    choose_precision(x);
}

void exploration_finish(struct exploration *x)
{
    graph_finish(&x->graph);
    x->operations->destroy(x->domain);
    VECTOR_FINISH(&x->successors);
    VECTOR_FINISH(&x->tracked);
    workspace_finish(&x->workspace);
    configuration_finish(&x->configuration);
}

// The graph.

static bool add_initial(struct exploration *x)
{
    VECTOR_CLEAR(&x->successors);
    if (!x->operations->initial(x->domain, &x->successors))
        return false;
    for (size_t i = 0; i < x->successors.count; i++)
        graph_add(&x->graph, NODE_NONE, NULL, x->request->model->initial, x->successors.data[i]);
    return true;
}

static bool expand(struct exploration *x, uint32_t node)
{
    const struct model *model = x->request->model;
    const struct location *location = model->locations[graph_node(&x->graph, node)->location];
    uint32_t state = graph_node(&x->graph, node)->state;
    for (uint32_t i = 0; i < location->out_count; i++) {
        const struct edge *edge = location->out[i];
        if (exploration_skips(model, edge))
            continue;
        VECTOR_CLEAR(&x->successors);
        if (!x->operations->successors(x->domain, state, edge, &x->successors))
            return false;
        for (size_t s = 0; s < x->successors.count; s++)
            if (!graph_has_child(&x->graph, node, edge, x->successors.data[s]))
                graph_add(&x->graph, node, edge, edge->target, x->successors.data[s]);
    }
    graph_expanded(&x->graph, node);
    return workspace_step(&x->workspace, 1);
}

static bool grow(struct exploration *x)
{
    uint64_t limit = x->request->node_limit;
    if (!add_initial(x))
        return false;
    for (;;) {
        uint32_t node = graph_take(&x->graph);
        if (node == NODE_NONE)
            return true;
        if (graph_node(&x->graph, node)->status == NODE_ERROR)
            continue; // an end like any other
        uint32_t coverer = graph_find_coverer(&x->graph, node);
        if (coverer != NODE_NONE) {
            graph_cover(&x->graph, node, coverer);
            continue;
        }
        if (limit && x->graph.live_count >= limit) {
            workspace_end(&x->workspace, END_STEPS, "the limit of nodes was reached");
            return false;
        }
        if (!expand(x, node))
            return false;
    }
}

void exploration_run(struct exploration *x)
{
    if (!grow(x)) {
        x->ended = x->workspace.reason;
        x->why = x->workspace.why;
    }
    assert(x->ended != END_NONE || x->why == NULL);
    // What follows has its own limits.
    if (x->request->explored != NULL)
        x->request->explored(x->request->context);
    if (x->ended != END_SOLVER && x->ended != END_MEMORY)
        workspace_forgive(&x->workspace);
}
