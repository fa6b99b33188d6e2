#ifndef REGATTA_MODEL_PREPARE_DRAFT_H
#define REGATTA_MODEL_PREPARE_DRAFT_H

#include "base/arena.h"
#include "base/vector.h"
#include "model/model_memory.h"
#include "model/prepare.h"

// Private to preparation: the model while it is being transformed. Drafts of actions are immutable
// and may be shared; variables are the source's. Every transformation rewrites a graph in place.

struct draft {
    enum statement_kind kind;
    const struct statement *origin;  // of the source, NULL when made by preparation
    const struct variable *variable; // of the source
    const struct term *expression;   // in the builder's store
    uint32_t child_count;
    const struct draft *const *child;
    const uint32_t *branch; // CHOICE: the source's branch of each child
    const struct settled *settled;
    // Inside a block of prepare_merge: the edges of the source that begin here, in their order.
    const struct edge *const *enters;
    uint32_t enter_count;
    struct position position;
};

struct draft_edge {
    uint32_t source, target; // indices of locations of the source model
    const struct draft *action;
    const struct edge *const *origin;
    uint32_t origin_count; // 0: parts of the action say which edges they begin
};

struct draft_graph {
    const struct model *source;
    struct model_builder *builder;
    struct term_store *store; // the builder's
    struct arena arena;       // of the drafts
    VECTOR(struct draft_edge) edges;
    const struct draft *initial_action;
    const struct term *property;  // or NULL
    bool *kept;                   // variables by index
    const _Atomic bool *given_up; // as in the options
    struct lift *lift;            // of the source's locations by index; see prepare_lift.c
};

static inline bool draft_given_up(const struct draft_graph *graph)
{
    return graph->given_up && atomic_load_explicit(graph->given_up, memory_order_relaxed);
}

// Outgoing edges by location, as indices into graph.edges: those of l are
// edge[first[l]] … edge[first[l + 1] - 1].
struct draft_outgoing {
    uint32_t *first, *edge;
};

// Makers. Sequences are flat and without SKIP; what skipped children settled moves to the sequence.
const struct draft *draft_import(struct draft_graph *graph, const struct statement *statement);
const struct draft *draft_skip(struct draft_graph *graph, const struct settled *settled);
const struct draft *draft_assume(struct draft_graph *graph, const struct term *condition,
                                 struct position position);
const struct draft *draft_sequence(struct draft_graph *graph, const struct draft *const *children,
                                   size_t count, const struct settled *settled);
// The same statement with other children. A CHOICE of one child becomes that child, repeated
// branches that do nothing are one, an IF between two of those is nothing.
const struct draft *draft_choice(struct draft_graph *graph, const struct draft *like,
                                 const struct draft *const *children, const uint32_t *branch,
                                 size_t count);
const struct draft *draft_if(struct draft_graph *graph, const struct draft *like,
                             const struct term *condition, const struct draft *then,
                             const struct draft *otherwise);
const struct draft *draft_with_expression(struct draft_graph *graph, const struct draft *like,
                                          const struct term *expression);
// The same action without assignments to and havocs of variables that are not kept.
const struct draft *draft_without_writes(struct draft_graph *graph, const struct draft *draft);
// Sets the flag of every variable that some expression in it reads.
void draft_mark_reads(const struct draft_graph *graph, const struct draft *draft, bool *read);
// The same draft, whose run settles some more choices.
const struct draft *draft_settle(struct draft_graph *graph, const struct draft *draft,
                                 const struct settled *settled);
const struct settled *settled_add(struct draft_graph *graph, const struct statement *choice,
                                  uint32_t branch, const struct settled *next);

// Removes the writes of variables that are not kept from the whole graph.
void draft_graph_drop_writes(struct draft_graph *graph);

struct draft_outgoing draft_outgoing_make(const struct draft_graph *graph);
void draft_outgoing_finish(struct draft_outgoing *outgoing);

// What is learnt about the source's locations on the way, for prepare_lift_invariant.
void lift_init(struct draft_graph *graph);
// The fate of a location that is still there.
void lift_settle(struct draft_graph *graph, uint32_t location, enum location_fate fate);
struct draft_fact {
    uint32_t variable; // of the source
    const struct term *literal;
};
// `known`, in order of variables: the literals that they have whenever the location is reached.
void lift_learn(struct draft_graph *graph, uint32_t location, const struct draft_fact *known,
                size_t count);

// Transformations.
void prepare_constants(struct draft_graph *graph);
// One action rewritten with nothing known before it; NULL when it cannot run.
const struct draft *prepare_propagate(struct draft_graph *graph, const struct draft *action);
void prepare_cone(struct draft_graph *graph);
void prepare_trim(struct draft_graph *graph); // drops edges on no path from start to error
void prepare_blocks(struct draft_graph *graph);
void prepare_merge(struct draft_graph *graph); // the last of all: its drafts are not transformed
// `propagate`: values flow through every part, so that impossible and decided branches do not count.
void prepare_split(struct draft_graph *graph, uint32_t limit, bool propagate);

#endif
