#ifndef REGATTA_ENGINES_BOUNDED_BOUNDED_H
#define REGATTA_ENGINES_BOUNDED_BOUNDED_H

#include "engines/bounded/refining.h"
#include "engines/bounded/unrolling.h"
#include "engines/domains/bounds.h"

extern const struct engine engine_bmc, engine_kinduction, engine_imc;

// What the bounded engines share.

struct bounded {
    struct workspace workspace;
    struct monolith monolith;
    struct refining
        *refining; // option abstraction: what makes the view abstract, and refines it; else NULL
    struct unrolling base; // runs from the start
    struct bounds bounds;  // what others say of such runs
    // Base runs with first_believed … end_believed - 1 steps and then the error: some of them were not looked for, since
    // others say that there are none. All of the others were.
    uint32_t first_believed, end_believed;
    uint32_t left_out; // how many such runs in all
    bool interpolating;
    struct engine_result result;
};

void bounded_preparation(const struct configuration *configuration, struct prepare_options *out);
// interpolating: no SAT solver takes the place of the solver. False: the attempt is over (no solver, or the
// initial location is the error location already).
bool bounded_init(struct bounded *bounded, const struct engine_environment *environment,
                  bool interpolating);
// The engine's answer; releases everything.
struct engine_result bounded_finish(struct bounded *bounded);

// Publishes, tells the observer that a round begins, looks at the limits. False: end now.
bool bounded_round(struct bounded *bounded);
// Looks for an error at the end of the base run, unless others say that there is none; in an abstract view, until there
// is none that cannot be followed. False: the attempt is over.
bool bounded_check_base(struct bounded *bounded);
// Makes the base run a step longer. False: the attempt is over: there is no such run, or no need for it.
bool bounded_extend_base(struct bounded *bounded);
// Looks for the errors of base runs with fewer than `steps` steps that were not looked for because others say that
// there are none: to be asked before what needs it is said. The base stays as long as it was. False: the attempt is over, with a
// trace when the others were wrong.
bool bounded_confirm(struct bounded *bounded, uint32_t steps);
// The verdict is safe, with this invariant (may be NULL: then it cannot be checked).
void bounded_safe(struct bounded *bounded, const struct term **invariant);
// The same with formulas that hold by another rule. May a proof by rows of states be had here? Not where the model runs
// backwards, and where states of an abstract view differ nothing is said of the model's own.
void bounded_safe_by(struct bounded *bounded, const struct term **formulas,
                     struct induction_rule rule);
bool bounded_has_rows(const struct bounded *bounded, uint32_t steps, bool distinct);
// Safe, since every run has fewer steps than the base.
void bounded_safe_by_end(struct bounded *bounded);

#endif
