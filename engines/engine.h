#ifndef REGATTA_ENGINES_ENGINE_H
#define REGATTA_ENGINES_ENGINE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/text.h"
#include "configs/configuration.h"
#include "logic/smt/smt.h"
#include "model/induction_rule.h"
#include "model/prepare.h"
#include "model/trace.h"
#include "results/record.h"
#include "results/verdict.h"

// An engine is an algorithm that decides a model; one call of `run` serves one attempt. It knows no
// thread, core, clock or monitor: it polls the stop flag, publishes progress, and asks `observe`.

// Published while an attempt runs; written by the engine's thread alone, read by anyone, relaxed.
// Aligned so that two attempts never share a cache line.
struct progress {
    _Alignas(64) _Atomic uint64_t iterations; // abstractions begun
    _Atomic uint64_t refinements;             // refinements finished
    _Atomic uint64_t nodes;                   // nodes in the reachability graph now
    _Atomic uint64_t nodes_created;           // ever
    _Atomic uint64_t nodes_covered;
    _Atomic uint64_t precision;  // variables or predicates tracked
    _Atomic uint64_t successors; // abstract successors computed
    _Atomic uint64_t solver_checks;
    _Atomic int64_t solver_ns;
    _Atomic uint64_t steps; // engine steps: the unit of step budgets; deterministic
    _Atomic uint64_t bytes; // memory held by the engine's own structures
    _Atomic uint64_t cache_lookups[CACHE_COUNT], cache_hits[CACHE_COUNT];
    _Atomic int phase; // enum engine_phase
};

enum engine_phase {
    ENGINE_STARTING,
    ENGINE_ABSTRACTING,
    ENGINE_REFINING,
    ENGINE_CHECKING,
    ENGINE_DONE
};

struct engine_words {
    uint32_t *data;
    size_t count, capacity; // a VECTOR
};

// The abstract counterexample of an event, in interned form: two counterexamples of one attempt are
// the same exactly when `count` and all items are. Valid during the call.
struct counterexample {
    const uint32_t
        *items; // state 0, edge 0, state 1, edge 1, …, state n: ids interned in the attempt
    size_t count;
    struct hash128 hash; // order-sensitive, over the items
    uint32_t
        precision_id; // the precision it was found with, interned: equal ids = equal precisions
    // Appends the reachability graph it was found in, with all that the algorithm's next steps depend
    // on, in a canonical form: equal sequences = equal graphs. NULL = there is none. Takes time
    // linear in the graph, so only who needs it asks.
    void (*encode_graph)(const void *graph, struct engine_words *out);
    const void *graph;
};

enum engine_event_kind {
    EVENT_ROUND,          // an abstraction begins
    EVENT_COUNTEREXAMPLE, // found in the abstract, not yet refined
    EVENT_REFINED,        // a spurious counterexample was refined
    EVENT_SAMPLE,         // every so often inside a long abstraction
};

struct engine_event {
    enum engine_event_kind kind;
    uint64_t iteration;
    const struct counterexample *counterexample; // EVENT_COUNTEREXAMPLE
    size_t index, count;                         // EVENT_COUNTEREXAMPLE: one event for each of the
                                                 // `count` that a round found, index from 0
    bool precision_changed;                      // EVENT_REFINED
    // EVENT_REFINED: the precision stays, and all that follows is a function of it, so that nothing will ever be new, unless the
    // observer has known counterexamples passed over.
    bool repeats;
    uint64_t element_size; // EVENT_REFINED: the largest element, as a tree
    uint64_t precision_size;
    uint64_t nodes, covered, waiting; // in the graph now
    // Of explicit exploration; 0 where there is none.
    uint64_t condition_length; // the longest path condition
    uint64_t pull_depth;       // the deepest stack of parts that wait for one another
    uint64_t overflows;        // signals lost at full queues
    // Nodes that an exploration with less abstraction had after as many expansions; 0 = not known.
    uint64_t baseline;
    // Of the attempt so far.
    uint64_t created, expanded, successors;
    uint64_t solver_checks;
    int64_t solver_ns;
    // Filled in by whoever runs the engine; 0 = not known.
    int64_t cpu_ns;       // of the attempt's thread
    int64_t remaining_ns; // of the attempt's budget
    uint64_t bytes, memory_limit;
};

// KEEP_SEARCHING answers a counterexample: do not refine it, look for another.
enum advice_kind { ADVICE_GO_ON, ADVICE_KEEP_SEARCHING, ADVICE_STOP };

struct advice {
    enum advice_kind kind;
    enum end_reason reason; // ADVICE_STOP
    const char *why;        // static text; ADVICE_STOP
};

struct engine;

// The stop flag holds an enum end_reason; END_NONE = go on. First reason wins.
struct engine_environment {
    const struct model *model; // prepared as the configuration asks
    const struct configuration *configuration;
    uint64_t seed;
    const _Atomic int *stop;
    uint64_t step_limit;   // engine steps, 0 = none
    uint64_t memory_limit; // bytes of the engine's structures, 0 = none
    struct progress *progress;
    struct advice (*observe)(void *context, const struct engine_event *event);
    void *observer;
    // Called when the engine has a solver context (it may adopt more) and again with NULL before that
    // is destroyed, so that the owner of the attempt can interrupt it. `context` is `observer`.
    void (*publish_solver)(void *context, struct smt_context *solver);
    // What an attempt before came to track (engines/model/precision_text.h), to begin with, and
    // where to leave what this one came to track. NULL: nothing, nobody asks. Engines without a
    // precision pass both over.
    const char *precision_in;
    struct text *precision_out;
    // Gives elements of a precision (the same text) and bounds (engines/domains/bounds.h) to attempts that run beside
    // this one, and what those have given since the last call ("" = nothing; valid until the next call). Called between
    // rounds, where the engine can use it. NULL: this attempt works alone. `context`: `observer`.
    void (*share)(void *context, const char *text);
    const char *(*hear)(void *context);
    // The engine's term store, a child of model->store, owned by the caller.
    struct term_store *store;
    // Engines that this one may ask for help, NULL-terminated; NULL: it has to do alone.
    const struct engine *const *helpers;
    // Nobody will look at the invariant of a safe verdict, so none need be searched for.
    bool invariant_unwanted;
    // Tests only: told of each look at the stop flag, with the name of the place, just before it.
    void (*polled)(void *context, const char *site);
    // Tests only: leaves a precaution out, to show that it is needed.
    enum engine_fault { ENGINE_FAULT_NONE, ENGINE_FAULT_KNOWN_PATHS_COVER } fault;
};

struct engine_result {
    enum verdict verdict;
    enum end_reason reason;
    const char *why;               // for people, static or of environment.store; may be NULL
    struct trace *trace;           // VERDICT_UNSAFE: on environment.model; caller destroys
    const struct term **invariant; // VERDICT_SAFE: per location of the model, terms in
                                   // environment.store; memory_free; NULL if none was made
    struct induction_rule rule;    // how the invariant is a proof; zeroes: by single steps
    // VERDICT_SAFE by an engine for procedures (model/procedures.h): the proof, by location of the view's model, and its
    // store, which is there with any verdict. The caller frees both.
    const struct term **procedures;
    struct term_store *procedures_store;
    struct smt_statistics solver; // abstraction and refinement together
    const char
        *sat_solver; // VERDICT_SAFE: what decided in Z3's place (logic/smt), static; NULL: none
    const char
        *checked;    // how a proof that is no invariant was checked, or what has no trace; static
    char notes[256]; // what else is worth keeping, for people; "" = nothing
};

struct engine {
    const char *name;
    const char *description;
    // How the configuration wants the model prepared.
    void (*preparation)(const struct configuration *configuration, struct prepare_options *out);
    struct engine_result (*run)(const struct engine_environment *environment);
    const char *view; // the kind of view of the model that it needs; NULL: none
};

// The form of the model that a configuration asks for, for engines that know models only.
struct recode_options engine_recode(const struct configuration *configuration);

// The helper with this name; NULL if there is none.
const struct engine *engine_helper(const struct engine_environment *environment, const char *name);

// Adds to the notes of a result, behind "; " when there are some; what does not fit is cut off.
__attribute__((format(printf, 3, 4))) void engine_note(char *notes, size_t bytes,
                                                       const char *format, ...);

#endif
