#ifndef REGATTA_ENGINES_HORN_GUESSED_H
#define REGATTA_ENGINES_HORN_GUESSED_H

#include "engines/domains/workspace.h"
#include "engines/horn/runs.h"

// Of simple facts about the bit-vectors of each predicate those that the clauses, all together, imply of it: from all facts the ones
// that some clause does not keep go, until every clause keeps what is left (Flanagan, Leino 2001). What is false in a state that a run met
// is not asked (runs.h). First equations of up to four of them, differences of 1, signs, who is at most whom; what recursion adds up
// is often such a fact. Where these do not rule the query out, with them who is less than whom, at most a literal, or not 0, what
// came to the same number in all runs, and, where the clauses ask for remainders, lowest bits. Then tables: what procedures gave for small
// numbers. Then who is at most the difference of two others, is one of two others, or at most another if a third is not 0. At last, if all
// are wanted, powers of two, sums up to a number, and products. With quotients, but by powers of two, that takes long: only the patient do more
// than equations and tables.
//
// The runs are the caller's, and stay. guesses_destroy.
struct guesses *guesses_create(struct workspace *workspace, const struct smt_horn *problem,
                               struct horn_runs *runs, bool patient);
void guesses_destroy(struct guesses *guesses);
// Out come the facts of each predicate as one formula over its parameters, terms of the workspace's store; `false` for the
// query. Memory: the caller's. True when they also rule the query out: then they interpret the clauses. Stops where the
// workspace says so; the formulas are then worth nothing, and the answer is false. `all`: powers and products, too, which may take
// long; what was found out before stays.
bool guesses_prove(struct guesses *guesses, bool all, const struct term **out);

#endif
