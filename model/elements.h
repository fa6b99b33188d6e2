#ifndef REGATTA_MODEL_ELEMENTS_H
#define REGATTA_MODEL_ELEMENTS_H

#include "logic/terms/rewrite.h"

// What is known of single elements of an array: a term that equals the array, which has literals at some keys and is the array itself,
// or a literal, at all others (`store(a, 3, 7)`; `store(zeros, 3, a[3])` where all but one are known).

// What is known of the array variable after it was assigned `value`; NULL: nothing, or of too many elements. The lookup tells what was known of
// variables before (itself: nothing).
const struct term *elements_after(struct term_store *store, const struct term *variable,
                                  const struct term *value, rewrite_lookup lookup, void *context);

#endif
