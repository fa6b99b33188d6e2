#ifndef REGATTA_ENGINES_BOUNDED_BOUNDED_H
#define REGATTA_ENGINES_BOUNDED_BOUNDED_H

#include "engines/bounded/refining.h"
#include "engines/bounded/unrolling.h"

// What the bounded engines share.

struct bounded {
    struct workspace workspace;
    struct monolith monolith;
    struct refining
        *refining; // option abstraction: what makes the view abstract, and refines it; else NULL
    struct unrolling base; // runs from the start
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
// Looks for an error at the end of the base run; in an abstract view, until there is none that cannot be followed.
// False: the attempt is over.
bool bounded_check_base(struct bounded *bounded);
// Makes the base run a step longer. False: the attempt is over: there is no such run, or no need for it.
bool bounded_extend_base(struct bounded *bounded);
// The verdict is safe, with this invariant (may be NULL: then it cannot be checked).
void bounded_safe(struct bounded *bounded, const struct term **invariant);

#endif
