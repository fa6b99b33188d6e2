#ifndef REGATTA_LANGUAGES_PETRI_RECODE_H
#define REGATTA_LANGUAGES_PETRI_RECODE_H

#include "model/recode.h"

// A net's model in another form (model_view.recode): places within bounds or as Booleans, where weights prove what they
// never hold more of (bounds.h), and the loop with steps of the environment.
//
// Ways back. A run is the sequence of its transitions. A set of states S of this form becomes, over numbers of tokens,
//
//   S[p := p >= 1 for Booleans], the facts that prove the bounds, and p >= 0 for all places that these speak of.
//
// The facts are kept by every transition, so it is an invariant of the source where S is one here.
struct model *petri_recode(const struct model *source, const struct recode_options *options,
                           const _Atomic bool *given_up);

#endif
