#ifndef REGATTA_ENGINES_HORN_RUNS_H
#define REGATTA_ENGINES_HORN_RUNS_H

#include "logic/smt/smt.h"
#include "model/procedures.h"
#include "model/walk.h"

// Runs of a program with procedures: calls have a stack, inputs are at random (walk.h). Every state that a run from main meets is one of the
// program's, so a guess about a predicate that is false there need not be asked of a solver. What a procedure gives for some numbers
// is a guess, too: a table, from which a proof may follow where the numbers are few.

// A state as the parameters of a predicate; unknown where the run did not tell.
struct horn_state {
    const struct value *values;
};

// What a procedure gave.
struct horn_entry {
    uint32_t procedure;
    const struct value *inputs, *outputs;
    uint32_t *predicates; // of the states between its entry and its exit, in their order
    struct horn_state *states;
    size_t state_count;
};

struct horn_runs {
    const struct procedures *view;
    const struct smt_horn_predicate *predicates;
    size_t predicate_count;
    const uint32_t *predicate_of;          // by location; SMT_HORN_NONE: none
    const struct procedure_call **call_of; // by edge
    struct walk walk;
    struct arena arena;
    bool **varies; // by procedure and input: tables were made for several numbers
    uint32_t depth;
    bool sampling; // main runs: what is met is kept by predicate
    struct horn_samples {
        struct horn_state *data; // a VECTOR
        size_t count, capacity;
    } * met; // by predicate
    struct {
        struct horn_entry *data; // a VECTOR
        size_t count, capacity;
    } entries;
};

// The predicates' parameters are variables of the view's model. Runs main some times. horn_runs_destroy.
struct horn_runs *horn_runs_create(const struct procedures *view,
                                   const struct smt_horn_predicate *predicates,
                                   size_t predicate_count, const uint32_t *predicate_of);
void horn_runs_destroy(struct horn_runs *runs); // NULL is fine
// Some run from main met a state in which this formula over the predicate's parameters is false.
bool horn_runs_refute(struct horn_runs *runs, uint32_t predicate, const struct term *formula);
// The term's value in the first state that a run met; unknown: none did, or it does not say.
struct value horn_runs_first(struct horn_runs *runs, uint32_t predicate, const struct term *term);
// Calls each procedure that some run called with numbers from 0 up to the largest that is wanted, or less, for those inputs of up to 32 bits
// that differed from call to call, 64 rows or a little more: `entries` has those that came to their end, and all that these called.
void horn_runs_tabulate(struct horn_runs *runs, int64_t largest);

#endif
