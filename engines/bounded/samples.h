#ifndef REGATTA_ENGINES_BOUNDED_SAMPLES_H
#define REGATTA_ENGINES_BOUNDED_SAMPLES_H

#include "model/model.h"

// Guesses at invariants, held against states that random walks meet (walk.h): what is false in a state that the model reaches is no
// invariant, and no solver has to be asked. What is left may be false nevertheless.

struct sampled_fact {
    uint32_t location;
    const struct term
        *says; // over plain variables, and variables of no state: for all their values
    const struct term *range; // where it says something, as above; NULL: everywhere
    bool fails; // out: it is false in a state that was met, or its range is empty in all of many
};

// The same on every machine. Facts whose value is not known are left; facts of more terms than are worth it, too.
void samples_refute(const struct model *model, struct sampled_fact *facts, size_t count);

#endif
