#ifndef REGATTA_ENGINES_BOUNDED_SETTLE_H
#define REGATTA_ENGINES_BOUNDED_SETTLE_H

#include "engines/bounded/candidates.h"

// Which facts are inductive together (Houdini: Flanagan and Leino 2001), edge by edge: each edge has a solver of its own, which knows what
// that edge does, what is assumed where it begins and what has to hold where it ends; it is asked again only when a fact was dropped
// where the edge begins. So no question speaks of what other edges do, nor of the arrays that they look at.
//
// known: inductive already, per location, or NULL. *checks: how many of the solver are left. dropped: of facts that are not to be asked, true; out: of
// those that are not inductive, too. False: the attempt has to end, there is no solver, or the checks were not enough.
bool settle_by_edges(struct monolith *monolith, const struct located_fact *const *facts,
                     size_t count, const struct term *const *known, uint32_t *checks,
                     bool *dropped);

// Of facts that are inductive together those that exclude the error, and those that these need: a checker has less to do. False: they do
// not exclude it, the attempt has to end or the solver gave up; held is as before then.
bool settle_needed(struct monolith *monolith, const struct located_fact *const *facts, size_t count,
                   const struct term *const *known, bool *held);
// The same for the parts of an invariant, per location, that excludes the error; one with quantifiers stays as it is.
void settle_shrink(struct monolith *monolith, const struct term **invariant);

#endif
