#ifndef REGATTA_LANGUAGES_PETRI_BRANCHING_CHECK_H
#define REGATTA_LANGUAGES_PETRI_BRANCHING_CHECK_H

#include "languages/petri/formula.h"
#include "languages/petri/member_index.h"

// Decides a formula of CTL from a part of the reachable markings, in the plainest way: the graph over the listed markings
// is computed anew; a marking with a successor outside is open, and what depends on what is outside is unknown. Each
// subformula in turn is labelled in all markings, until no label changes. Shares no code with engines/ctl.

enum branching_truth { BRANCHING_UNKNOWN, BRANCHING_TRUE, BRANCHING_FALSE };

// Truth at the net's first marking. UNKNOWN when the markings do not suffice, or go_on (may be NULL) said no.
enum branching_truth branching_check(const struct net *net, const struct branching *branching,
                                     const struct marking_list *markings,
                                     bool (*go_on)(void *context, uint64_t steps), void *context);

#endif
