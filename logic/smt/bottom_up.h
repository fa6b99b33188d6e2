#ifndef REGATTA_LOGIC_SMT_BOTTOM_UP_H
#define REGATTA_LOGIC_SMT_BOTTOM_UP_H

#include "logic/terms/term.h"

// Rebuilds a term from the leaves, each distinct subterm once, without recursion.

// The new form of a term whose children have become `children`; NULL ends the walk.
typedef const struct term *(*bottom_up_maker)(void *context, const struct term *term,
                                              const struct term *const *children);
// True for a term that stays as it is and need not be walked into; may be NULL.
typedef bool (*bottom_up_skip)(void *context, const struct term *term);

// NULL when the maker gave up.
const struct term *bottom_up(const struct term *root, bottom_up_skip skip, bottom_up_maker make,
                             void *context);

#endif
