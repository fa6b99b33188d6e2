#include "base/memory.h"
#include "tracegen/generator.h"

// States that only infeasible runs of the graph reach may still be reached by others: a run that the graph
// breaks off, since some node covers its end, can go on where that node goes on, with another past. Tried
// from the ends of feasible runs, for a few of them per state.

#define TRIES 8
#define DEPTH_LIMIT 2000

struct rescue {
    struct generator *generator;
    struct node_path path;
    uint8_t *tries; // per state of the suite
    bool going;
};

static bool is_lost(const struct rescue *r, uint32_t node)
{
    uint32_t state = r->generator->suite_state[node];
    return state != SUITE_NONE && !r->generator->suite->states.data[state].covered &&
           r->tries[state] < TRIES;
}

static bool can_run(struct rescue *r)
{
    struct abstract_run run = node_path_run(&r->path);
    size_t last;
    enum path_result result = concretise_check(&r->generator->concretiser, &run, run.count - 1,
                                               r->path.pieces.data, &last);
    r->going &= result != PATH_STOPPED;
    return result == PATH_FEASIBLE;
}

static bool keep(struct rescue *r)
{
    struct generator *g = r->generator;
    enum path_result result;
    struct trace *trace = generator_trace(g, &r->path, &result);
    r->going &= result != PATH_STOPPED && g->suite->internal_error == NULL;
    if (trace == NULL)
        return false;
    generator_keep(g, trace, r->path.nodes.data, r->path.nodes.count, false, false);
    r->going &= generator_deliver(g);
    return true;
}

// Goes on from the end of the path, through lost states only. True when a trace was kept.
static bool go_on(struct rescue *r, unsigned depth)
{
    struct generator *g = r->generator;
    const struct node *end = graph_node(&g->exploration.graph, VECTOR_LAST(&r->path.nodes));
    uint32_t from = end->status == NODE_COVERED ? end->coverer : VECTOR_LAST(&r->path.nodes);
    size_t count = r->path.nodes.count;
    bool kept = false;
    for (uint32_t child = generator_child(g, from);
         child != NODE_NONE && r->going && depth < DEPTH_LIMIT;
         child = generator_sibling(g, child)) {
        if (!is_lost(r, child))
            continue;
        r->tries[g->suite_state[child]]++;
        node_path_push(g, &r->path, child);
        if (can_run(r)) {
            r->tries[g->suite_state[child]] = TRIES;
            kept |= go_on(r, depth + 1) || (r->going && keep(r));
        }
        node_path_cut(&r->path, count);
    }
    return kept;
}

bool rescue_lost_states(struct generator *g)
{
    const struct graph *graph = &g->exploration.graph;
    struct rescue r = {.generator = g, .going = true};
    if (suite_covered_states(g->suite) == g->suite->states.count)
        return true;
    r.tries = memory_zalloc(g->suite->states.count + 1);
    for (uint32_t n = 0; n < graph->nodes.count && r.going; n++)
        if (graph_node(graph, n)->status == NODE_COVERED && g->mark[n] == NODE_FEASIBLE) {
            node_path_lead_to(g, &r.path, n);
            go_on(&r, 0);
        }
    node_path_finish(&r.path);
    memory_free(r.tries);
    return r.going;
}
