#ifndef REGATTA_ENGINES_BOUNDED_SEEK_H
#define REGATTA_ENGINES_BOUNDED_SEEK_H

#include "engines/engine.h"

// Gives a proof its invariant. The bounded engines know at times that there is no error and have nothing to
// show for it: what is known of rows of states of a model that runs backwards, or of an abstract view, says nothing of the
// model itself, and a havoc may leave a quantifier in the weakest precondition. What is a proof for others then says the same in a way that can be checked:
// simple facts that need no search (kind, one step), Horn clauses (horn), clauses learnt step by step (ic3), then
// interpolation (imc), each within a number of steps of its own and of the solver.
//
// Does nothing unless `result` is safe without invariant and the environment wants one. `passed_over`: an engine
// not to try, because it was it that had none (without abstraction); may be NULL. The verdict stays as it is, but
// for one case: a run to the error, where there should be none, is an internal error. Notes tell who found the
// invariant.
void seek_invariant(const struct engine_environment *environment, const struct engine *passed_over,
                    struct engine_result *result);

#endif
