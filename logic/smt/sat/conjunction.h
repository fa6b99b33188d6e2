#ifndef REGATTA_LOGIC_SMT_SAT_CONJUNCTION_H
#define REGATTA_LOGIC_SMT_SAT_CONJUNCTION_H

#include "logic/smt/sat/blast.h"

// Conjunctions and disjunctions of many, as gates with two inputs that are shared. Terms are flat: where a circuit had
// a gate a ∧ b that ten others read, there are ten conjunctions with a and b among their members. So members are put
// together that always occur together, then those of which there is a gate already, then the rest, those that occur
// most often first, so that beginnings are shared. Private to engines/smt.

// Counts what will be asked for: before the subterms of `term` get their circuits.
void conjunction_expect(struct blast *blast, const struct term *term);
// The literal of an AND or OR whose members have theirs.
uint32_t conjunction_literal(struct blast *blast, const struct term *term);

#endif
