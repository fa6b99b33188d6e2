#ifndef REGATTA_ENGINES_BOUNDED_REFINING_H
#define REGATTA_ENGINES_BOUNDED_REFINING_H

#include "base/vector.h"
#include "engines/cegar/refute.h"
#include "engines/domains/state_table.h"
#include "engines/engine.h"
#include "engines/monolithic/monolith.h"

// Counterexample-guided abstraction refinement (Clarke et al. 2000) around any engine that works on the monolithic view:
// the engine is given an abstract view (monolith.h) and hands in the runs to the error that it finds there. A run that
// can be followed in the model is the answer; else it is refuted, and what the refutation speaks of is tracked from then on:
//   PREDICATES  its interpolants, split as predsplit says (implicit predicate abstraction: Tonetta 2009)
//   VARIABLES   the variables of interpolants, or of unsat cores (localization: Kurshan 1994)
//
// A refuted run's sequence of edges is not found again, for what is tracked then is a proof that it cannot be taken; with
// the binary strategies, the run itself is not.

struct refining {
    struct monolith *monolith; // abstract
    struct refuter refuter;
    bool variables;     // tracks variables, else predicates
    int64_t split;      // of predicates, enum option_value
    uint64_t iteration; // for events
    uint64_t refinements;
    uint32_t precision_id;
    struct state_table states; // that counterexamples went through
    VECTOR(uint64_t) words;    // scratch
    VECTOR(uint32_t) items;    // scratch
    size_t given;              // tracked terms that were given to others, or taken from them
    uint64_t taken, handed_on; // from others; from an attempt before
    uint64_t next_cooperation; // refinements
};

// Makes the view abstract, with the initial precision of the configuration and what an attempt before left.
void refining_init(struct refining *refining, struct monolith *monolith);
// decided: there is a verdict; else what is tracked is left where the environment wants it.
void refining_finish(struct refining *refining, bool decided);

enum refining_answer {
    REFINING_REFINED,  // more is tracked
    REFINING_CONCRETE, // *trace is the run, on the workspace's model; caller owns it
    REFINING_END,      // the attempt has to end; the workspace's reason tells
};

// The solver's model is a run of the abstract view with `length` steps (0: none), the last one by an edge to the error
// location.
enum refining_answer refining_treat(struct refining *refining, struct smt *smt, uint32_t length,
                                    struct trace **trace);
// Between rounds: gives predicates to attempts that run side by side, and takes up some of theirs.
void refining_cooperate(struct refining *refining);
// "refinements by farkas 3; 5 predicates": cut to the size; appended to what is there.
void refining_describe(const struct refining *refining, char *notes, size_t bytes);

#endif
