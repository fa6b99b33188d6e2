#ifndef REGATTA_MODEL_TRACE_H
#define REGATTA_MODEL_TRACE_H

#include "base/text.h"
#include "model/model.h"

// A concrete run of a model: start values, the edges taken, and how nondeterminism was resolved.
// Owns a child store for its values, so it outlives the attempt that found it.

// The resolution of one CHOICE (branch number) or HAVOC (value), in order of execution in its step.
// Hints are found by statement: the replay consumes the hints of a statement one after another. A
// missing hint means "any": the replay then searches (choices) or takes a default (havocs).
struct trace_hint {
    const struct statement *statement; // of trace.model
    struct value value;                // HAVOC: the value; CHOICE: the branch as value_small
};

// What ran in a step, in order; filled by the replay. ASSIGN, HAVOC: the variable's new value;
// CHOICE: the branch; IF: the value of its condition; ASSUME and SKIP: true.
struct trace_event {
    const struct statement *statement;
    struct value value;
};

struct trace_step {
    const struct edge *edge;
    struct trace_hint *hints;
    size_t hint_count, hint_capacity;
    struct value *state;        // after the step, one per variable; NULL until replayed
    struct trace_event *events; // NULL until replayed; both are parts of the trace's
    size_t event_count;
};

// The value that x div 0 (mod, rem) took for this dividend.
struct trace_division {
    enum term_kind kind;
    const struct sort *sort;
    struct value dividend, result;
};

struct trace {
    const struct model *model;
    struct term_store *store;
    struct value *start;       // one per variable: values before the initial action; unknown = any
    struct trace_step initial; // the initial action: edge NULL; its state is the first state
    struct trace_step *steps;  // the last one ends in the error location
    size_t step_count, step_capacity;
    // Of all steps, one after the other: a step of its own each would be most of the time of a long replay.
    struct value *states;
    struct trace_event *events;
    struct trace_division *divisions;
    size_t division_count, division_capacity;
    // Rounds of loops in which nothing is arbitrary are left out (accelerate.h): it does not replay, and is one of the input's for a judge
    // that follows it only.
    bool skips;
};

struct trace *trace_create(const struct model *model); // start values unknown, no steps
void trace_destroy(struct trace *trace);               // NULL is fine
struct trace_step *trace_add_step(struct trace *trace, const struct edge *edge);
// Values are taken over into the trace's store.
void trace_add_hint(struct trace *trace, struct trace_step *step, const struct statement *statement,
                    const struct sort *sort, struct value value);
void trace_add_division(struct trace *trace, enum term_kind kind, const struct sort *sort,
                        struct value dividend, struct value result);
void trace_add_divisions(struct trace *trace, const struct trace *from); // all of another trace's
// The value as it is in the trace's store: two owned values of one sort compare by their words.
struct value trace_own(struct trace *trace, const struct sort *sort, struct value value);
// Of a trace that skips, in place of a replay: events are what it hints, the first state what it begins with, the others unknown.
void trace_take_hints(struct trace *trace);
// Drops states and events.
void trace_forget_states(struct trace *trace);

// Number of source steps a user counts: edges between observable locations, without the last edge
// into the error location when it only tests the property.
size_t trace_length(const struct trace *trace);
// Does this edge of a source model into its error location only test the property?
bool trace_only_tests(const struct model *model, const struct edge *edge);
// Is the state after this step (0 = the initial action, i = steps[i - 1]) one that users see? Not in
// hidden locations, and not after a last step that only tests the property.
bool trace_shows(const struct trace *trace, size_t step);
const struct trace_step *trace_step_at(const struct trace *trace, size_t step);
const struct location *trace_location_at(const struct trace *trace, size_t step);

enum trace_format {
    TRACE_READABLE, // source variables that changed, source actions taken, one block a step
    TRACE_SEXPR,    // docs/definitions/formats.md 8.1 layout A (XSTS), 8.2 (CFA), 8.3 (STS)
    TRACE_JSON,
    TRACE_PAGE, // where the dialect has one
    TRACE_DOT,  // the same
};
// The trace must have been replayed (states present) on a source model.
void trace_print(struct text *out, const struct trace *trace, enum trace_format format);

// The S-expressions of XSTS and STS (docs/definitions/formats.md 8.1, 8.3), for their dialects.
void trace_print_xsts(struct text *out, const struct trace *trace);
void trace_print_sts(struct text *out, const struct trace *trace);
// The witnesses of circuits that aigsim (AIGER) and btorsim (BTOR2) read, for their dialects. The trace must have been
// replayed.
void trace_print_aiger(struct text *out, const struct trace *trace);
void trace_print_btor2(struct text *out, const struct trace *trace);

#endif
