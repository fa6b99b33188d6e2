#ifndef REGATTA_MODEL_REVERSE_H
#define REGATTA_MODEL_REVERSE_H

#include "model/trace.h"

// The model backwards, as a model of its own: its runs begin where the forward model takes a step into the error,
// each of its steps undoes one of the forward model, and its error is that the forward model could have begun
// here. So whatever decides a model decides it in this direction too.
//
//   forward edge    l -> m    guess the values before; run the action on them; what comes out must be the values
//                             now; the guess is what holds next:  m -> l
//   error edge      l -> E    the action runs on the values that l begins with:  E -> l; when all error edges leave
//                             one location, runs begin there and this is the initial action
//   initial action            as an edge, from the initial location to the error
//
// Locations keep their names and variables too; what is guessed lives in local variables. Values that no step
// carries to the next one (carried.h) are not guessed; they and the local variables are the same after every step.
//
// A run read from its end is one of the forward model: the hints of its steps and the guesses say all that was
// open. A set of states that contains where runs begin, is closed under steps and has no error is, for the
// forward model, one that nothing reachable is in: its complement is the invariant.

// Takes the forward model over (as `source`; model_destroy of the result destroys it too).
struct model *reverse_model(struct model *forward);
bool reverse_is(const struct model *model); // made so
// The other ways back, for reversed models only; see prepare.h.
struct trace *reverse_map_trace(const struct trace *trace);
const struct term **reverse_lift_invariant(const struct model *reversed, struct term_store *store,
                                           const struct term *const *invariant);

#endif
