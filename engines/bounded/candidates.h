#ifndef REGATTA_ENGINES_BOUNDED_CANDIDATES_H
#define REGATTA_ENGINES_BOUNDED_CANDIDATES_H

#include "engines/monolithic/monolith.h"
#include "model/precision_text.h"

// Simple inductive facts per location: constants of Booleans and enumerations, bounds of numbers by
// the literals of the model, order between pairs of numbers; of bit-vectors also a at most k times b. Guessed, and those that are not inductive
// together dropped (Houdini: Flanagan and Leino 2001).
//
// hints: predicates that other attempts track, guessed as well, as they are and negated. simple: whether
// the model's own are guessed. known: what is inductive already, per location, or NULL: used, and part of the result.
//
// One formula per location, over plain variables (error: false); NULL when the attempt has to end or the
// solver gives up; memory_free. *proved: how many facts.
const struct term **candidates_prove(struct monolith *monolith, bool simple,
                                     const struct precision_item *hints, size_t hint_count,
                                     const struct term *const *known, size_t *proved);

// What holds by both, per location, each of which may be NULL; memory_free. NULL: nothing.
const struct term **candidates_both(struct monolith *monolith, const struct term *const *a,
                                    const struct term *const *b);

// A fact over plain variables that is more than one formula can be asked for without quantifiers.
struct located_fact {
    uint32_t location;
    const struct term *fact;    // as it is told
    const struct term *assumed; // what of it is assumed before a step: over copies of the template
    const struct term
        *shown; // what implies it when it holds: over current copies and variables of no state
    const struct term *range; // where it says something, as `shown`; NULL: everywhere
};

struct located_facts {
    struct located_fact *data; // a VECTOR
    size_t count, capacity;
};

// Which of the facts are inductive together; known: as above. False: the attempt has to end, the solver gave up, or so many
// checks were not enough; nothing is held then.
bool candidates_settle(struct monolith *monolith, const struct located_fact *facts, size_t count,
                       const struct term *const *known, uint32_t checks, bool *held);

// The model's own, the facts that were found (guessed first; NULL: none), and the equations of affine.h and affine_bits.h
// (elements: as in the first).
const struct term **candidates_prove_simple(struct monolith *monolith,
                                            const struct located_facts *found, bool elements,
                                            size_t *proved);

#endif
