#ifndef REGATTA_ENGINES_BOUNDED_MEASURES_H
#define REGATTA_ENGINES_BOUNDED_MEASURES_H

#include "engines/monolithic/monolith.h"

// What may get smaller with each round of a loop that is in error when it comes back to what was kept.

// A component of the graph of locations with variables that nothing in it writes, and that ways to the error compare
// with others: these others came back to what they were.
struct returning {
    struct monolith *m;
    const uint32_t *component;        // by location
    uint32_t number;                  // of this one
    bool *written;                    // by variable: in it
    const struct term **kept;         // by variable: what it is compared with; NULL: nothing
    VECTOR(const struct edge *) ways; // inside of it, and from it to the error
    // Of what is assumed and asked on all edges from it, over states; without what is kept.
    struct term_vector atoms;
};

// Without atoms. False: nothing is kept there. To be finished in any case.
bool returning_init(struct returning *returning, struct monolith *monolith,
                    const uint32_t *component, uint32_t number);
void returning_find_atoms(struct returning *returning);
void returning_finish(struct returning *returning);

// Facts that may hold in it and its surroundings, on which measures lean: its atoms, weaker ones, signs. Appended to those
// that are there, each once.
void measures_support(const struct returning *returning, struct term_vector *out);

// A value that gets smaller, or greater (`rising`); true is greater than false.
struct measure_form {
    const struct term *value; // over plain variables: a number, a bit-vector, a Boolean
    bool without_sign, rising;
};

struct measure_forms {
    struct measure_form *data; // a VECTOR
    size_t count, capacity;
};

// Simple ones first: variables, whether an atom holds, the sides of comparisons, sums and differences of two. Of bit-vectors
// sides and sums are widened, so that nothing wraps.
void measures_guess(const struct returning *returning, struct measure_forms *out);
// More of them: those that are there, while an atom holds.
void measures_guess_phases(const struct returning *returning, struct measure_forms *out);
// Of the first few numbers: how far they are from 0 and from one another, the greater and the lesser of two.
void measures_guess_distances(const struct returning *returning, struct measure_forms *out);
// a is less than b, as the form has it: over what its value is in two states.
const struct term *measures_less(struct term_store *store, const struct measure_form *form,
                                 const struct term *a, const struct term *b);
// With what was kept instead of what is now.
const struct term *measures_kept(const struct returning *returning, const struct term *value);

#endif
