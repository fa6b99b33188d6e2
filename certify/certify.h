#ifndef REGATTA_CERTIFY_CERTIFY_H
#define REGATTA_CERTIFY_CERTIFY_H

#include "base/text.h"
#include "logic/smt/smt.h"
#include "model/induction_rule.h"
#include "model/trace.h"

// Checks verdicts. Shares no code with the engines beyond expressions, solver interface and model.

// Runs the trace on its model in a concrete interpreter: start values, initial action, every step,
// ending in the error location. Unknown start values and unhinted havocs take the sort's default;
// unhinted choices are searched; a division by zero takes the trace's value, else 0 (any function is
// allowed, but one and the same). Fills the states. False with the reason in `why` (appended) when
// some assumption fails or the run does not connect. A trace that skips rounds is not run: what it hints is taken, for its
// model's judge, who has to run the input.
bool certify_replay(struct trace *trace, struct text *why);
// The same for a run that may end anywhere.
bool certify_replay_run(struct trace *trace, struct text *why);

enum certify_result { CERTIFY_ACCEPTED, CERTIFY_REFUSED, CERTIFY_UNDECIDED };

// Is `invariant` (per location a formula over the model's variables, or NULL; terms may live in a
// child store `store`) a proof of safety? Locations without a formula must not form a cycle: what
// holds there follows from the paths that lead there. Checks with a solver of its own, backend by
// name: after the initial action invariant[initial] holds; from each location with a formula, along
// every path to the next such location, that one's formula holds; the error location's formula is
// false (NULL counts as false). UNDECIDED on solver unknown or stop.
enum certify_result certify_invariant(const struct model *model, struct term_store *store,
                                      const struct term *const *invariant, const char *backend,
                                      const _Atomic int *stop, struct text *why);

struct certify_owner {
    // Told of the check's solver context while it lives, then of NULL, so that its owner may
    // interrupt it. May be NULL.
    void (*publish_solver)(void *context, struct smt_context *solver);
    void *context;
    uint64_t step_limit; // solver steps for each implication, 0 = none
};
// By a rule that may take several steps.
enum certify_result certify_invariant_owned(const struct model *model, struct term_store *store,
                                            const struct term *const *invariant,
                                            struct induction_rule rule, const char *backend,
                                            const _Atomic int *stop,
                                            const struct certify_owner *owner, struct text *why);

#endif
