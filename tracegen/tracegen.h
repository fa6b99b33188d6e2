#ifndef REGATTA_TRACEGEN_TRACEGEN_H
#define REGATTA_TRACEGEN_TRACEGEN_H

#include "base/vector.h"
#include "logic/smt/smt.h"
#include "model/trace.h"
#include "results/verdict.h"

// Trace generation (Ádám 2023, part I; docs/definitions/tracegen.md): a small set of concrete runs that together visit every
// state of the reachability graph of a model, at a chosen level of abstraction. The graph is explored
// as a whole, without refinement; one trace leads to each of its leaves; traces that cannot be run are
// shortened, those contained in others dropped; every trace is replayed before it is handed out.

struct suite;

struct tracegen_request {
    const struct model *model; // a source model
    struct term_store *store;  // a child of the model's; outlives the suite
    // What the abstraction tracks: all variables, or those named here with the control variables and output
    // events that belong to a model with an environment.
    bool all_variables;
    const struct variable *const *variables;
    size_t variable_count;
    const struct term *const *predicates; // over plain variables, in `store`
    size_t predicate_count;
    uint64_t value_limit; // successors of a step that are told apart; more leave variables open
    uint64_t node_limit;  // of the graph; 0 = none
    uint64_t trace_limit; // 0 = none
    bool keep_dead_ends;
    unsigned complete; // criteria (coverage.h), a bit each, that more traces are made for
    uint64_t seed;
    const _Atomic int *stop; // an enum end_reason; may be NULL
    // The exploration is over (also when the stop flag ended it: the caller may clear the flag so that
    // traces are made of what there is). May be NULL.
    void (*explored)(void *context);
    // A trace was replayed and is now the last one of the suite. May be NULL. False: no more.
    bool (*deliver)(void *context, const struct suite *suite);
    void (*publish_solver)(void *context,
                           struct smt_context *solver); // as for engines; may be NULL
    void *context;
};

#define SUITE_NONE UINT32_MAX

// A state of the graph at a location that users see; nodes with the same state count once.
struct suite_state {
    const struct location *location;
    const struct term *formula; // over plain variables
    bool covered;               // some trace visits it
    bool initial, waiting;      // waiting: not looked at when a limit ended the exploration
    bool stuck;                 // no step leads on from it
};

struct suite_edge {
    uint32_t from, to; // states
    const struct edge
        *edge; // of the model; NULL: `from` is covered by `to`, which stands for all runs on
    bool covered;
};

struct suite_trace {
    struct trace *trace; // replayed, on the source model
    uint32_t *states;    // the suite's states that it visits, in order, …
    uint32_t *edges;     // … and the edges between them
    size_t state_count;  // edges: one less
    bool shortened;      // the abstract run that it was made of goes on, but cannot
    bool added;          // to complete a coverage
};

struct suite_counts {
    uint64_t nodes;          // of the graph
    uint64_t leaves;         // runs of the graph, dead ends not counted
    uint64_t infeasible;     // of these
    uint64_t shortened;      // traces that end before their leaf
    uint64_t removed;        // shortened ones contained in other traces
    uint64_t dead_ends;      // leaves cut because the model ignored the environment
    uint64_t undecided;      // the solver could not tell
    uint64_t ignored_states; // that occur in cut dead ends only
};

struct suite {
    const struct model *model;
    VECTOR(struct suite_state) states;
    VECTOR(struct suite_edge) edges;
    VECTOR(struct suite_trace) traces;
    VECTOR(const struct variable *) tracked;
    VECTOR(const struct variable *) hints; // to track when coverage was lost: a guess
    VECTOR(const struct variable *)
    open; // tracked, but of any value, or more than the limit, somewhere
    struct suite_counts counts;
    enum end_reason explore_end, trace_end; // END_NONE: not cut short
    const char *explore_why, *trace_why;    // static or of the request's store; may be NULL
    bool full_coverage; // every state is on some trace, and none was left waiting
    bool concrete;      // every variable is tracked and known: states are those of the model itself
    double explore_seconds, seconds;
    char *internal_error; // a trace that does not replay: a bug; NULL
};

// Caller: suite_destroy before the store.
struct suite *tracegen_run(const struct tracegen_request *request);
void suite_destroy(struct suite *suite); // NULL is fine
uint64_t suite_covered_states(const struct suite *suite);
uint64_t suite_edges(const struct suite *suite);

#endif
