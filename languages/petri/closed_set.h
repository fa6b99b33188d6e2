#ifndef REGATTA_LANGUAGES_PETRI_CLOSED_SET_H
#define REGATTA_LANGUAGES_PETRI_CLOSED_SET_H

#include "base/text.h"
#include "languages/petri/formula.h"
#include "languages/petri/member_index.h"

// Checks a proof that no marking with the goal is reachable: a set of markings, given by a list.
//
// It is one when the first marking is in it, no member has the goal, and each member has a set T of transitions such
// that firing each enabled one of T leads into the set, and
//   - T is all transitions, or
//   - every way to the goal fires one of T (it has all that change a false comparison which the goal needs); of an
//     enabled t in T, all that it could disable are in T; of a disabled one, all that could give it what it lacks.
// Then the first transition of T on a shortest way from a member to the goal can be fired first (Schmidt 1999), and leads
// to a member with a shorter way: there is none. The largest T is computed here from the set alone. Shares no code with the
// search.

enum closed_set_result { CLOSED_SET_ACCEPTED, CLOSED_SET_REFUSED, CLOSED_SET_STOPPED };

// go_on is called now and then; false: stop. May be NULL. The reason of a refusal is appended to `why`.
enum closed_set_result closed_set_check(const struct net *net, const struct formula *goal,
                                        const struct marking_list *set,
                                        bool (*go_on)(void *context, uint64_t steps), void *context,
                                        struct text *why);

#endif
