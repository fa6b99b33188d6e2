#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engines/cegar/path.h"
#include "tracegen/complete.h"

// Traces to the leaves of the graph, in the order of a depth-first search (docs/definitions/tracegen.md 2, 3, 9): a node that
// can be reached is the end of a trace when no trace leads on from it. So an infeasible run is shortened to
// its longest feasible prefix, and that is dropped when another trace contains it.

// Cuts whose refutation is looked at for variables to track.
#define HINT_CUTS 16

enum flow { FLOW_ON, FLOW_STOP };

static bool is_bad(const struct generator *g, uint32_t node)
{
    return g->mark[node] == NODE_INFEASIBLE || g->mark[node] == NODE_UNDECIDED;
}

static uint32_t first_good_child(const struct generator *g, uint32_t node)
{
    uint32_t child = generator_child(g, node);
    while (child != NODE_NONE && is_bad(g, child))
        child = generator_sibling(g, child);
    return child;
}

// Hints.

static void add_hint(struct generator *g, const struct term *variable)
{
    const struct variable *x = model_variable_of(g->request->model, variable);
    struct suite *suite = g->suite;
    if (x == NULL || (x->flags & VARIABLE_LOCAL))
        return;
    for (size_t i = 0; i < suite->tracked.count; i++)
        if (suite->tracked.data[i] == x)
            return;
    for (size_t i = 0; i < suite->hints.count; i++)
        if (suite->hints.data[i] == x)
            return;
    VECTOR_PUSH(&suite->hints, x);
}

// The first `count` nodes of the path at hand cannot be run: which variables would have told?
static void find_hints(struct generator *g, size_t count)
{
    assert(count >= 1 && count <= g->path.nodes.count);
    struct path refuted;
    struct term_vector variables = {0};
    if (g->hinted++ >= HINT_CUTS)
        return;
    if (path_init(&refuted, &g->exploration.workspace, g->path.edges.data + 1, count - 1) &&
        path_blame(&refuted, 0, count - 1, NULL, g->path.states.data[count - 1], 8) ==
            PATH_INFEASIBLE) {
        for (size_t k = count - 1; k-- > 0 && variables.count == 0;)
            path_blamed_variables(&refuted, k, false, &variables);
        if (variables.count == 0) // the state itself is what cannot be
            rewrite_free_variables(g->path.states.data[count - 1], &variables);
        for (size_t i = 0; i < variables.count; i++)
            add_hint(g, variables.data[i]);
    }
    VECTOR_FINISH(&variables);
    path_finish(&refuted);
}

// Which nodes can be reached. The path at hand is the depth-first search's; `child` follows it. One question
// is asked about the whole run down to a leaf, since most can be run.
static enum flow probe(struct generator *g, uint32_t child)
{
    size_t known = g->path.nodes.count, last = known;
    for (uint32_t n = child; n != NODE_NONE; n = first_good_child(g, n))
        node_path_push(g, &g->path, n);
    struct abstract_run run = node_path_run(&g->path);
    enum path_result result =
        concretise_check(&g->concretiser, &run, known, g->path.pieces.data, &last);
    assert(result != PATH_INFEASIBLE || (last >= known && last < g->path.nodes.count));
    for (size_t i = known; i < last; i++)
        g->mark[g->path.nodes.data[i]] = NODE_FEASIBLE;
    if (result == PATH_INFEASIBLE) {
        g->mark[g->path.nodes.data[last]] = NODE_INFEASIBLE;
        find_hints(g, last + 1);
    } else if (result == PATH_UNDECIDED) {
        g->mark[VECTOR_LAST(&g->path.nodes)] = NODE_UNDECIDED;
        g->suite->counts.undecided++;
    }
    node_path_cut(&g->path, known);
    return result == PATH_STOPPED ? FLOW_STOP : FLOW_ON;
}

// The rest of a step that the path at hand broke off inside of, since another run came that way before: along
// the nodes that cover. False when it leads nowhere.
static bool finish_step(struct generator *g)
{
    const struct graph *graph = &g->exploration.graph;
    size_t limit = g->path.nodes.count + 2 * g->request->model->location_count;
    uint32_t at = VECTOR_LAST(&g->path.nodes);
    while (!generator_location(g, at)->observable) {
        if (graph_node(graph, at)->status == NODE_COVERED)
            at = graph_node(graph, at)->coverer;
        at = generator_child(g, at);
        if (at == NODE_NONE || g->path.nodes.count >= limit)
            return false;
        node_path_push(g, &g->path, at);
    }
    return true;
}

bool generator_deliver(struct generator *g)
{
    if (g->request->deliver != NULL && !g->request->deliver(g->request->context, g->suite))
        return false;
    if (g->request->trace_limit && g->suite->traces.count >= g->request->trace_limit) {
        workspace_end(&g->exploration.workspace, END_STEPS, "the limit of traces was reached");
        return false;
    }
    return true;
}

// A trace to the end of the path at hand. *kept: it is in the suite now.
static enum flow emit(struct generator *g, bool *kept)
{
    size_t count = g->path.nodes.count;
    uint32_t end = VECTOR_LAST(&g->path.nodes);
    bool shortened = generator_child(g, end) != NODE_NONE;
    enum path_result result = PATH_FEASIBLE;
    *kept = false;
    if (!generator_location(g, end)->observable &&
        (graph_node(&g->exploration.graph, end)->status != NODE_COVERED || !finish_step(g))) {
        node_path_cut(&g->path, count);
        return FLOW_ON;
    }
    struct trace *trace = generator_trace(g, &g->path, &result);
    if (trace != NULL) {
        generator_keep(g, trace, g->path.nodes.data, g->path.nodes.count, shortened, false);
        *kept = true;
    }
    node_path_cut(&g->path, count);
    if (result == PATH_STOPPED || g->suite->internal_error != NULL)
        return FLOW_STOP;
    g->suite->counts.undecided += result == PATH_UNDECIDED;
    if (trace == NULL)
        return FLOW_ON;
    return generator_deliver(g) ? FLOW_ON : FLOW_STOP;
}

struct visit {
    uint32_t next; // child to look at
    bool kept;     // a trace leads through here
};

static enum flow search(struct generator *g, uint32_t root)
{
    VECTOR(struct visit) stack = {0};
    enum flow flow = FLOW_ON;
    uint32_t next = root;
    for (;;) {
        while (flow == FLOW_ON && next != NODE_NONE && g->mark[next] == NODE_UNKNOWN)
            flow = probe(g, next);
        if (flow == FLOW_STOP)
            break;
        if (next != NODE_NONE && g->mark[next] == NODE_FEASIBLE) {
            node_path_push(g, &g->path, next);
            VECTOR_PUSH(&stack, ((struct visit){.next = generator_child(g, next)}));
        } else if (stack.count > 0 && VECTOR_LAST(&stack).next == NODE_NONE) {
            struct visit *top = &VECTOR_LAST(&stack);
            if (!top->kept)
                flow = emit(g, &top->kept);
            assert(g->path.nodes.count == stack.count && "a visit for each node of the path");
            bool kept = VECTOR_POP(&stack).kept;
            node_path_cut(&g->path, stack.count);
            if (stack.count > 0)
                VECTOR_LAST(&stack).kept |= kept;
        }
        if (stack.count == 0)
            break;
        struct visit *top = &VECTOR_LAST(&stack);
        next = top->next;
        if (next != NODE_NONE)
            top->next = generator_sibling(g, next);
    }
    assert(flow == FLOW_STOP || stack.count == 0);
    node_path_cut(&g->path, 0);
    VECTOR_FINISH(&stack);
    return flow;
}

// Runs of the graph that cannot be run: all leaves under an infeasible node, and that node.
static void count_leaves(struct generator *g)
{
    const struct graph *graph = &g->exploration.graph;
    struct suite_counts *counts = &g->suite->counts;
    for (size_t i = 0; i < graph->nodes.count; i++) { // parents come first
        const struct node *n = graph_node(graph, (uint32_t)i);
        if (g->mark[i] != NODE_CUT && n->parent != NODE_NONE &&
            g->mark[n->parent] == NODE_INFEASIBLE)
            g->mark[i] = NODE_INFEASIBLE;
        if (g->mark[i] == NODE_CUT || generator_child(g, (uint32_t)i) != NODE_NONE)
            continue;
        counts->leaves++;
        counts->infeasible += g->mark[i] == NODE_INFEASIBLE;
    }
    assert(counts->infeasible <= counts->leaves);
    counts->removed =
        counts->infeasible > counts->shortened ? counts->infeasible - counts->shortened : 0;
}

static void make_traces(struct generator *g)
{
    const struct graph *graph = &g->exploration.graph;
    enum flow flow = g->exploration.workspace.reason == END_NONE ? FLOW_ON : FLOW_STOP;
    for (uint32_t r = graph->first_root; r != NODE_NONE && flow == FLOW_ON;
         r = graph_node(graph, r)->next_sibling)
        if (g->mark[r] != NODE_CUT)
            flow = search(g, r);
    if (flow == FLOW_ON && !rescue_lost_states(g))
        flow = FLOW_STOP;
    if (flow == FLOW_ON && g->request->complete)
        complete_coverage(g);
    g->suite->trace_end = g->exploration.workspace.reason;
    g->suite->trace_why = g->exploration.workspace.why;
    count_leaves(g);
}

// Hints are for those who lost something.
static void conclude(struct generator *g)
{
    struct suite *suite = g->suite;
    suite->full_coverage = suite->explore_end == END_NONE && suite->internal_error == NULL &&
                           suite_covered_states(suite) == suite->states.count;
    assert(suite_covered_states(suite) <= suite->states.count);
    if (suite->full_coverage)
        VECTOR_CLEAR(&suite->hints);
}

static void begin(struct generator *g, const struct tracegen_request *request)
{
    const struct model *model = request->model;
    *g = (struct generator){.request = request, .suite = memory_zalloc(sizeof *g->suite)};
    g->suite->model = model;
    state_table_init(&g->states);
    state_table_init(&g->edges);
    size_t words = variable_bits_words(model->variable_count);
    g->inputs = memory_zalloc(2 * words * sizeof *g->inputs);
    exploration_find_events(model, g->inputs, g->inputs + words);
}

static void end(struct generator *g)
{
    node_path_finish(&g->path);
    state_table_finish(&g->states);
    state_table_finish(&g->edges);
    VECTOR_FINISH(&g->exact);
    VECTOR_FINISH(&g->core);
    memory_free(g->mark);
    memory_free(g->suite_state);
    memory_free(g->inputs);
}

struct suite *tracegen_run(const struct tracegen_request *request)
{
    struct generator here, *g = &here;
    begin(g, request);
    struct suite *suite = g->suite;
    int64_t start = clock_wall_ns();
    exploration_init(&g->exploration, request);
    exploration_run(&g->exploration);
    suite->explore_seconds = clock_seconds(clock_wall_ns() - start);
    suite->explore_end = g->exploration.ended;
    suite->explore_why = g->exploration.why;
    suite->counts.nodes = g->exploration.graph.live_count;
    for (size_t i = 0; i < g->exploration.tracked.count; i++)
        VECTOR_PUSH(&suite->tracked, g->exploration.tracked.data[i]);
    size_t nodes = g->exploration.graph.nodes.count + 1;
    g->mark = memory_zalloc(nodes);
    g->suite_state = memory_zalloc(nodes * sizeof *g->suite_state);
    concretiser_init(&g->concretiser, &g->exploration.workspace);
    generator_cut_dead_ends(g);
    generator_merge(g);
    make_traces(g);
    concretiser_finish(&g->concretiser);
    conclude(g);
    end(g);
    exploration_finish(&g->exploration);
    suite->seconds = clock_seconds(clock_wall_ns() - start);
    return suite;
}
