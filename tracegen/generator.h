#ifndef REGATTA_TRACEGEN_GENERATOR_H
#define REGATTA_TRACEGEN_GENERATOR_H

#include "tracegen/concretise.h"
#include "tracegen/explore.h"

// What the parts of one generation share. Private to this folder.

enum node_mark {
    NODE_UNKNOWN,
    NODE_CUT,        // belongs to a dead end
    NODE_FEASIBLE,   // there is a run to it
    NODE_INFEASIBLE, // there is none
    NODE_UNDECIDED,
};

// A run of the graph from a root on: nodes, and what is asked about them.
struct node_path {
    VECTOR(uint32_t) nodes;
    VECTOR(const struct edge *) edges;
    VECTOR(const struct term *) states;
    VECTOR(bool) exact;
    VECTOR(struct trace *) pieces; // of exact runs, with the nodes that they were made for
    VECTOR(uint32_t) piece_nodes;
};

struct generator {
    const struct tracegen_request *request;
    struct suite *suite;
    struct exploration exploration;
    struct concretiser concretiser;
    uint8_t *mark;                    // per node, enum node_mark
    uint32_t *suite_state;            // per node, SUITE_NONE when cut or hidden
    VECTOR(int8_t) exact;             // per state of the domain: -1 not known yet
    VECTOR(const struct term *) core; // per state: without inputs; NULL = not made yet
    variable_bits *inputs;
    struct state_table states, edges; // of the suite
    struct node_path path;
    unsigned hinted; // cuts that were looked at for hints
};

static inline const struct location *generator_location(const struct generator *g, uint32_t node)
{
    return g->request->model->locations[graph_node(&g->exploration.graph, node)->location];
}
// The first child, next sibling that is not cut; NODE_NONE.
uint32_t generator_child(const struct generator *generator, uint32_t node);
uint32_t generator_sibling(const struct generator *generator, uint32_t node);
// The node before, at a location that users see; NODE_NONE.
uint32_t generator_seen_before(const struct generator *generator, uint32_t node);
// Does the node's state leave no variable open?
bool generator_is_exact(struct generator *generator, uint32_t node);

// dead_ends.c: marks what is cut.
void generator_cut_dead_ends(struct generator *generator);

// suite.c: the states and edges of the graph, merged.
void generator_merge(struct generator *generator);
uint32_t generator_edge(struct generator *generator, uint32_t from, uint32_t to,
                        const struct edge *edge);
// Adds a replayed trace along these nodes; the suite takes it over.
void generator_keep(struct generator *generator, struct trace *trace, const uint32_t *nodes,
                    size_t count, bool shortened, bool added);
// Hands out the last trace. False: no more are wanted.
bool generator_deliver(struct generator *generator);
// rescue.c: traces to states that only infeasible runs of the graph reach. False: no more are wanted.
bool rescue_lost_states(struct generator *generator);
// Takes the last trace out again and destroys it.
void generator_drop_last(struct generator *generator);

// The path to a node, from its root.
void node_path_lead_to(struct generator *generator, struct node_path *path, uint32_t node);
void node_path_push(struct generator *generator, struct node_path *path, uint32_t node);
void node_path_cut(struct node_path *path, size_t count);
void node_path_finish(struct node_path *path);
struct abstract_run node_path_run(const struct node_path *path);

// A trace of the path, replayed, and checked to go through its states; NULL when there is none
// (*result) or for an internal error (suite->internal_error).
struct trace *generator_trace(struct generator *generator, struct node_path *path,
                              enum path_result *result);

#endif
