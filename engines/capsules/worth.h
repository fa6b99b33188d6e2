#ifndef REGATTA_ENGINES_CAPSULES_WORTH_H
#define REGATTA_ENGINES_CAPSULES_WORTH_H

#include <stdbool.h>

#include "model/capsules/shows.h"

// What an answer is worth: a table with a row for each thing a configuration may do and a column for each shape of answer.

// From the best; an answer that several rows speak of is worth the least of what they say.
enum capsule_worth {
    WORTH_SOUND,   // so it is
    WORTH_REPLAY,  // so it is if its run can be followed on the concrete semantics
    WORTH_MODULO,  // so it is unless deadlocks or steps of abstracted parts alone matter
    WORTH_BOUNDED, // so it is as far as queues and loops were explored
    WORTH_CLAIMED, // to be confirmed by another configuration
    WORTH_NONE,    // says nothing
};

enum capsule_row {
    ROW_CONCRETE,   // concrete, all inputs
    ROW_RESTRICTED, // concrete, some inputs only
    ROW_SYMBOLIC,
    ROW_WEAK,       // subsumption that drops conditions
    ROW_ABSTRACTED, // structural abstraction, aggregation
    ROW_LIMITED,
    ROW_BOUNDED, // a full queue lost a signal, or a loop went beyond its bound
    ROW_STUCK,   // symbolic: a state without a step may hide behind one with some
    ROW_PRESENT, // an optional part of an abstracted one is taken to be there from the start
    ROW_COUNT
};

const char *capsule_worth_name(enum capsule_worth worth);
enum capsule_worth capsule_worth_of(enum capsule_row row, enum capsule_shape shape, bool truth);

#endif
