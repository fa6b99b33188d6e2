#ifndef REGATTA_LANGUAGES_UMLRT_CODE_H
#define REGATTA_LANGUAGES_UMLRT_CODE_H

#include "logic/smt/smt.h"
#include "model/capsules/capsules.h"

// Action code (a subset of C++, docs/umlrt.md) run symbolically: attributes and received values are symbols, each
// feasible way through is a state of its own.

struct code_names { // a VECTOR
    const char **data;
    size_t count, capacity;
};

// What names mean where a piece of code stands.
struct code_scope {
    struct capsules *capsules;
    uint32_t module;
    const struct capsule_signal *trigger;    // NULL: no received value
    struct code_names logs, frames, strings; // ports of the library; attributes that are texts
    struct code_names periodic;              // timers that were set with informEvery: filled here
    unsigned loop_bound;
    struct smt *solver; // prunes what is not feasible; NULL: only what folds to false
    struct messages *messages;
};

struct code_local {
    const char *name;
    bool boolean;
    const struct term *value; // NULL: not set yet
};

// A way through some code.
struct code_state {
    const struct term *condition;
    VECTOR(const struct term *) attributes; // values now
    VECTOR(struct code_local) locals;
    struct capsule_case effect; // outputs, timers, parts
    bool returned, beyond;
    const struct term *result; // of `return e`
};

struct code_states { // a VECTOR
    struct code_state *data;
    size_t count, capacity;
};

void code_state_finish(struct code_state *state);
void code_states_finish(struct code_states *states);
// The attributes have the values they had before.
struct code_state code_state_start(const struct code_scope *scope);
struct code_state code_state_copy(const struct code_state *state);
// Runs a piece of code from each state; the states are replaced by those behind it, `returned` is taken back. False with
// messages: `path` and `line` say where the code begins.
bool code_run(struct code_scope *scope, const char *path, unsigned line, const char *text,
              struct code_states *states);
// Is the formula satisfiable, as far as the scope's solver knows?
bool code_feasible(const struct code_scope *scope, const struct term *formula);
// The assignments that lead from the old values to the state's.
void code_assignments(const struct code_scope *scope, const struct code_state *state,
                      struct capsule_case *out);

#endif
