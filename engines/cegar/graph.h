#ifndef REGATTA_ENGINES_CEGAR_GRAPH_H
#define REGATTA_ENGINES_CEGAR_GRAPH_H

#include <assert.h>

#include "base/hash_index.h"
#include "base/vector.h"
#include "engines/domains/domain.h"

// The abstract reachability graph ([Hajdu20] 2.3; docs/definitions/cegar.md 6): nodes of a location and an abstract
// state, successor edges with the model's edges as actions, covered-by edges. Nodes are indices; removed
// ones are used again, but `number` keeps counting, and orders nodes.
//
// Covering does not scan: nodes are found by (location, state), and a state's possible coverers by one
// look-up for each class of states present at the location (domain.h).

#define NODE_NONE UINT32_MAX

enum node_status { NODE_FREE, NODE_WAITING, NODE_EXPANDED, NODE_COVERED, NODE_ERROR };

struct node {
    uint64_t number; // order of creation
    uint32_t location, state;
    const struct edge *edge; // the action that leads here, NULL in a root
    uint32_t parent;
    uint32_t depth;
    uint32_t first_child, next_sibling, previous_sibling;
    uint32_t coverer;                                       // NODE_COVERED
    uint32_t first_covered, next_covered, previous_covered; // the nodes that this one covers
    uint32_t next_same, previous_same; // nodes of the same location and state that may cover
    uint32_t last_child;
    enum node_status status;
    bool queued; // is in the waiting queue
    bool barred; // may not cover others
};

struct place { // nodes of one location and state
    uint32_t location, state;
    uint32_t first; // node; NODE_NONE when none is there now
};

struct class_count {
    uint32_t class, count;
};
struct location_classes { // classes of the states present at a location
    struct class_count *data;
    size_t count, capacity;
};

struct queue_entry {
    int64_t key[2]; // smaller comes first
    uint64_t number;
    uint32_t node;
};

struct graph {
    struct domain *domain;
    const struct model *model;
    VECTOR(struct node) nodes;
    VECTOR(uint32_t) free;
    uint64_t next_number;
    uint32_t first_root, last_root;
    VECTOR(struct place) places;
    struct hash_index place_index;    // of places, by location and state
    struct location_classes *classes; // per location
    VECTOR(struct queue_entry) queue; // base/heap.h
    int64_t weight_distance, weight_depth;
    int newest_first;   // ties
    uint32_t *distance; // per location: shortest path to the error location
    size_t live_count, covered_count, error_count;
    uint64_t lookups, found; // of coverers: classes asked, and nodes that were found to be covered
};

// The search order is the configuration's: a node with the least
// wE * (shortest path from its location to the error location) + wD * depth ([Hajdu20] 3.3; docs/definitions/cegar.md 7).
void graph_init(struct graph *graph, struct domain *domain, const struct model *model,
                const struct configuration *configuration);
void graph_finish(struct graph *graph);
void graph_clear(struct graph *graph); // drops all nodes

// A new node, waiting (or an error node at the error location); parent NODE_NONE = a root.
uint32_t graph_add(struct graph *graph, uint32_t parent, const struct edge *edge,
                   const struct location *location, uint32_t state);
// The next waiting node of the search order, error nodes first; NODE_NONE when none is left. The node
// stays waiting (or error) until the caller changes it.
uint32_t graph_take(struct graph *graph);
// Another node that covers this waiting one, or NODE_NONE.
uint32_t graph_find_coverer(struct graph *graph, uint32_t node);
void graph_cover(struct graph *graph, uint32_t node, uint32_t coverer);
void graph_expanded(struct graph *graph, uint32_t node);
// Is there a child by this edge whose state covers `state`?
bool graph_has_child(struct graph *graph, uint32_t node, const struct edge *edge, uint32_t state);
// Removes a node with all below it; what they covered waits again, and so does its parent.
void graph_prune(struct graph *graph, uint32_t node);
// Leaves a path on which the error is known to be unreachable in the graph: its nodes may not cover any
// more, since an error behind a node they cover would be taken for that error (Ádám 2023, 6.2). What
// they covered waits again.
void graph_bar_path(struct graph *graph, uint32_t error);
// Appends everything that later steps depend on, in a canonical form (engine.h, encode_graph).
void graph_encode(const void *graph, struct engine_words *out);
// Puts a node (back) into the queue.
void graph_wait(struct graph *graph, uint32_t node);

// No run from an initial state gets to the error within so many steps, as far as the graph tells: an error node is that
// far away, and behind waiting nodes the error is no nearer than the model's edges allow. UINT32_MAX: never at all.
// Linear in the graph; memory is given back.
uint32_t graph_free_steps(const struct graph *graph);

size_t graph_bytes(const struct graph *graph);

static inline struct node *graph_node(const struct graph *graph, uint32_t node)
{
    assert(node < graph->nodes.count);
    return &graph->nodes.data[node];
}

#endif
