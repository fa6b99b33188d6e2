#ifndef REGATTA_ENGINES_PDR_CUBE_H
#define REGATTA_ENGINES_PDR_CUBE_H

#include "engines/monolithic/monolith.h"

// Sets of states as conjunctions of literals over a table of facts: locations, Boolean variables, equations of
// enumerations, bits of bit-vectors, and predicates.

struct fact {
    const struct term *now;  // over current copies
    const struct term *next; // a Boolean variable that stands for the fact after the step
    const struct term *mark; // a Boolean variable that stands for the fact now
    uint32_t location;       // the location it tells, or UINT32_MAX
};

struct facts {
    struct monolith *monolith;
    VECTOR(struct fact) table;
    uint32_t *by_term; // fact + 1 by the id of its term
    uint32_t by_term_count;
};

struct facts_literals {
    uint32_t *data;
    size_t count, capacity; // a VECTOR
};

// A literal: 2 * fact, + 1 when negated.
struct cube {
    uint32_t count;
    uint32_t literals[]; // ascending
};

void facts_init(struct facts *facts, struct monolith *monolith);
void facts_finish(struct facts *facts);
// The number of the fact, made when it is new.
uint32_t facts_add(struct facts *facts, const struct term *now, uint32_t location);
bool facts_has(const struct facts *facts, const struct term *now);
// Asserts what the facts from `first` on mean: `next` (after a step) or `mark` (now).
void facts_define(struct facts *facts, struct smt *smt, uint32_t first, bool next);

const struct term *literal_now(const struct facts *facts, uint32_t literal);
const struct term *literal_next(const struct facts *facts, uint32_t literal);
const struct term *literal_mark(const struct facts *facts, uint32_t literal);

// Copied into the arena, sorted.
struct cube *cube_make(struct arena *arena, const uint32_t *literals, size_t count);
// Is every literal of a in b: does a contain all states of b?
bool cube_subsumes(const struct cube *a, const struct cube *b);
// The states of the cube, and of all others, as a formula.
const struct term *cube_formula(const struct facts *facts, const struct cube *cube);

#endif
