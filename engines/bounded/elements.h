#ifndef REGATTA_ENGINES_BOUNDED_ELEMENTS_H
#define REGATTA_ENGINES_BOUNDED_ELEMENTS_H

#include "engines/monolithic/monolith.h"

// Facts about all elements of arrays in a range, such as "for all k: 0 <= k < i implies a[k] = v": what loops that fill
// arrays leave behind, and loops that check rely on. What holds of an element is guessed from what is stored and asked, with a
// number in its index put as "each"; ranges go between numbers of the state and literals that they are compared with. Those that are not
// inductive together are dropped (Flanagan and Leino 2001). No solver sees a quantifier: a fact is shown for one arbitrary index,
// and before the step it is assumed for that one and for those that the step looks at.
//
// known: inductive facts per location without quantifiers, which are used and are part of the result, or NULL. The invariant, with quantifiers, per location (error: false), when it excludes the error; memory_free. NULL: it does not,
// no array is indexed by a number of the state, the attempt has to end or the solver gave up.
const struct term **elements_prove(struct monolith *monolith, const struct term *const *known);
// What holds of single elements and of the numbers that elements are looked for with, beside the known (or NULL), whether it
// excludes the error or not: without quantifiers, as above. NULL: nothing was looked for.
const struct term **elements_know(struct monolith *monolith, const struct term *const *known);

#endif
