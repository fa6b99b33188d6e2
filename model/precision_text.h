#ifndef REGATTA_MODEL_PRECISION_TEXT_H
#define REGATTA_MODEL_PRECISION_TEXT_H

#include "base/text.h"
#include "model/model.h"

// What an attempt came to track, as text, so that another one can begin with it: of another domain,
// over another preparation of the model, on another thread or in another process. Names are those of
// the source model, terms are SMT-LIB 2.6; an element a line:
//
//   (variable x)                 its value matters
//   (variable x |loop head|)     … at that location
//   (predicate (<= x 5))
//   (predicate (<= x 5) |loop head|)
//
// A precision says what an abstraction looks at, never what is true: whatever is read, verdicts stay
// sound. So nothing that is read needs to be believed, and what cannot be used is passed over.

struct precision_item {
    const struct term *predicate;    // over plain variables; NULL: a variable
    const struct variable *variable; // NULL: a predicate
    const struct location *location; // NULL: everywhere, …
    bool elsewhere;                  // … or at a location that this model does not have (reading)
};

// Elements beyond this many bytes of text, and predicates larger than this (as trees), are left out.
#define PRECISION_TEXT_LIMIT ((size_t)1 << 20)
#define PRECISION_TREE_LIMIT 1000

// Appends an element of a precision over `model` (any preparation). Makes terms in the store.
void precision_text_add(struct text *out, struct term_store *store,
                        const struct precision_item *item);

// Calls for each element that means something in `model`: those with variables that were prepared away
// are passed over, as are bounds (engines/domains/bounds.h), and all from the first that is malformed on. Terms are made in the store, a
// child of the model's. How many there were.
size_t precision_text_read(const char *text, const struct model *model, struct term_store *store,
                           void (*take)(void *context, const struct precision_item *item),
                           void *context);

#endif
