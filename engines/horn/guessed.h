#ifndef REGATTA_ENGINES_HORN_GUESSED_H
#define REGATTA_ENGINES_HORN_GUESSED_H

#include "engines/domains/workspace.h"

// Of simple facts about the bit-vectors of each predicate those that the clauses, all together, imply of it: from all facts the ones
// that some clause does not keep go, until every clause keeps what is left (Flanagan, Leino 2001). First equations of up to four of
// them, differences of 1, signs, who is at most whom; what recursion adds up is often such a fact. Where these do not rule the query
// out, with them who is less than whom, at most a literal, or not 0; then who is at most the difference of two others. With quotients
// that takes long: only the patient do it.
//
// Out come the facts of each predicate as one formula over its parameters, terms of the workspace's store; `false` for the
// query. Memory: the caller's. True when they also rule the query out: then they interpret the clauses. Stops where the
// workspace says so; the formulas are then worth nothing, and the answer is false.
bool guessed_interpretation(struct workspace *workspace, const struct smt_horn *problem,
                            bool patient, const struct term **out);

#endif
