#include "engines/cegar/known_paths.h"

#include <assert.h>

#include "base/memory.h"
#include "model/trace.h"

struct known_path {
    VECTOR(const struct edge *) edges;
    VECTOR(uint32_t) nodes; // root first
};

static void collect(const struct graph *graph, uint32_t error, struct known_path *path)
{
    size_t length = graph_node(graph, error)->depth;
    VECTOR_RESERVE(&path->edges, length);
    VECTOR_RESERVE(&path->nodes, length + 1);
    path->edges.count = length;
    path->nodes.count = length + 1;
    for (uint32_t at = error; at != NODE_NONE; at = graph_node(graph, at)->parent) {
        const struct node *n = graph_node(graph, at);
        path->nodes.data[n->depth] = at;
        if (n->depth)
            path->edges.data[n->depth - 1] = n->edge;
    }
}

// Refutes the path anew: that it is known rests on a comparison of states and edges, the proof must
// not.
static bool refute_known(struct refuter *refuter, const struct known_path *path,
                         struct refutation *out)
{
    struct trace *trace = NULL;
    enum refute_result result = refute_check(refuter, path->edges.data, path->edges.count, &trace);
    trace_destroy(trace);
    return result == REFUTE_SPURIOUS &&
           refute(refuter, path->edges.data, path->edges.count, NULL, out) == REFUTE_SPURIOUS;
}

// Adds the path's interpolants to its nodes: nothing said means true before the first of them and
// false behind the last. When none says anything one step contradicts itself, and nobody tells which.
static bool strengthen(struct refuter *refuter, const struct known_path *path,
                       const struct term **out)
{
    struct refutation refutation;
    if (!refute_known(refuter, path, &refutation))
        return false;
    assert(refutation.node_count == path->nodes.count);
    struct term_store *store = refuter->workspace->store;
    bool begun = false;
    for (size_t i = 0; i < path->edges.count; i++) {
        const struct term *t = refutation.interpolant[i];
        const struct term **at = &out[path->nodes.data[i]];
        begun |= t != NULL;
        if (!begun)
            continue;
        t = t != NULL ? t : term_false(store);
        *at = *at != NULL ? term_and2(store, *at, t) : t;
    }
    refutation_finish(&refutation);
    return begun;
}

const struct term **known_paths_strengthen(struct refuter *refuter, const struct graph *graph)
{
    // Whatever refines this attempt, the proof is made of sequence interpolants.
    struct workspace *workspace = refuter->workspace;
    const struct configuration *own = workspace->configuration;
    struct configuration sequence = *own;
    sequence.values[OPTION_REFINEMENT] = REFINEMENT_SEQ_ITP;
    workspace->configuration = &sequence;
    const struct term **out = memory_zalloc(graph->nodes.count * sizeof *out);
    struct known_path path = {0};
    bool good = true;
    for (size_t i = 0; i < graph->nodes.count && good; i++) {
        if (graph_node(graph, (uint32_t)i)->status != NODE_ERROR)
            continue;
        collect(graph, (uint32_t)i, &path);
        good = strengthen(refuter, &path, out);
    }
    VECTOR_FINISH(&path.edges);
    VECTOR_FINISH(&path.nodes);
    workspace->configuration = own;
    if (!good) {
        memory_free(out);
        out = NULL;
    }
    return out;
}
