#ifndef REGATTA_ENGINES_CERTIFY_CERTIFY_H
#define REGATTA_ENGINES_CERTIFY_CERTIFY_H

#include "base/text.h"
#include "engines/model/trace.h"
#include "engines/smt/smt.h"

// Checks verdicts. Shares no code with the engines beyond expressions, solver interface and model.

// Runs the trace on its model in a concrete interpreter: start values, initial action, every step,
// ending in the error location. Unknown start values and unhinted havocs take the sort's default;
// unhinted choices are searched; a division by zero takes the trace's value, else 0 (any function is
// allowed, but one and the same). Fills the states. False with the reason in `why` (appended) when
// some assumption fails or the run does not connect.
bool certify_replay(struct trace *trace, struct text *why);

enum certify_result { CERTIFY_ACCEPTED, CERTIFY_REFUSED, CERTIFY_UNDECIDED };

// Is `invariant` (one formula per location, over the model's variables; may live in a child store
// `store`) a proof of safety? Checks with a solver of its own, backend by name:
// true ⇒ post of the initial action inside invariant[initial]; for each edge (l, a, l'): invariant[l]
// and a imply invariant[l'] afterwards; invariant[error] is false. UNDECIDED on solver unknown or stop.
enum certify_result certify_invariant(const struct model *model, struct term_store *store,
                                      const struct term *const *invariant, const char *backend,
                                      const _Atomic int *stop, struct text *why);

// Told of the check's solver context while it lives, then of NULL, so that its owner may interrupt it.
struct certify_owner {
    void (*publish_solver)(void *context, struct smt_context *solver);
    void *context;
};
enum certify_result certify_invariant_owned(const struct model *model, struct term_store *store,
                                            const struct term *const *invariant,
                                            const char *backend, const _Atomic int *stop,
                                            const struct certify_owner *owner, struct text *why);

#endif
