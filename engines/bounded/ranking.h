#ifndef REGATTA_ENGINES_BOUNDED_RANKING_H
#define REGATTA_ENGINES_BOUNDED_RANKING_H

#include "engines/monolithic/monolith.h"

// Lexicographic ranking functions (Alias et al. 2010) for models in which to come back to a state is the error (Biere, Artho,
// Schuppan 2002): where a component of the graph keeps values that it is compared with (measures.h), measures are
// guessed, and those that no step there makes greater are found by the solver, then those that no step does that leaves these
// as they are, and so on, until no way leads back on which all stay the same. Then the tuple of measures is less than
// that of what was kept, or still the same where nothing has got smaller yet: that is the invariant, over two states of a run
// (Podelski, Rybalchenko 2004). Numbers are the model's, so wraps are seen; that values are finitely many is not used.
//
// known: inductive facts, per location, or NULL: used, and part of the result.
// One formula per location, over plain variables (error: false); NULL when nothing is kept anywhere, or the attempt has to
// end; memory_free. *proved: how many facts. *safe: they are an invariant that no error can be reached from.
const struct term **ranking_prove(struct monolith *monolith, const struct term *const *known,
                                  size_t *proved, bool *safe);

#endif
