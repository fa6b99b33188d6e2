#ifndef REGATTA_MODEL_PROCEDURES_H
#define REGATTA_MODEL_PROCEDURES_H

#include "model/model.h"

// A program with recursive procedures, as a view of its model (struct model_view), and what proves it safe: a formula for
// each location, that of a procedure's exit being its summary.
//
// The view's model holds main and each procedure once. Main begins in its initial location. A procedure begins in its
// entry, where its inputs (parameters, and shared variables as they were when it was called) hold their values, which
// nothing in the model changes, and all other variables are arbitrary; in its exit its outputs (shared variables, its
// result) do. A call is an edge that makes outputs arbitrary: what it is given, as terms that it does not change, and
// where its outputs go stand in `calls`. A procedure has variables of its own each time it runs.
//
// So the model says more than the program does: a run of it enters procedures with any inputs (by their `reset` edges),
// and calls return anything. With a contract for each procedure (procedures_contracts) it says what the program does,
// where the contracts hold.

#define PROCEDURES_VIEW "procedures"

struct procedure {
    const char *name;
    const struct location *entry, *exit;
    const struct edge *reset;                  // from outside to the entry: the only edge there
    const struct variable **inputs, **outputs; // distinct
    size_t input_count, output_count;
};

struct procedure_call {
    const struct edge *edge;
    uint32_t callee;
    const struct term **inputs;      // as the callee's, of the same sorts
    const struct variable **outputs; // likewise; distinct, and changed by the edge
};

struct procedures {
    struct model_view base;
    struct model *model; // owned; no judge, no view
    struct procedure *procedures;
    size_t count;
    struct procedure_call *calls;
    size_t call_count;
    struct arena arena; // all arrays
};

// NULL: the model's input is no such program.
const struct procedures *procedures_of(const struct model *model);
// As a view: to be given to a model (model_builder_view). Takes `model` over.
void procedures_init(struct procedures *procedures);

// What a formula at a procedure's entry and exit may speak of; elsewhere all variables of the model.
// `formulas` is by location of the view's model, terms of `store` (a child of that model's store) or NULL. The model in which
// a procedure is entered with inputs that its entry's formula allows, a call with other inputs is an error, and a call
// returns what the formula at the exit allows: when `formulas` are an inductive invariant of it, all runs of the program
// are without error (Floyd and Hoare's rule for recursive procedures: by induction over the length of a run). Its locations are
// those of the view's model, in their order. Made in a store that is a child of `store`. NULL with the reason appended
// to `why` when a formula at an entry or exit is missing or speaks of anything else, or the view is not as said above.
struct model *procedures_contracts(const struct procedures *procedures, struct term_store *store,
                                   const struct term *const *formulas, struct text *why);

#endif
