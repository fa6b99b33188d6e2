#ifndef REGATTA_ENGINES_DOMAINS_SHARING_H
#define REGATTA_ENGINES_DOMAINS_SHARING_H

#include <stdint.h>

// What attempts keep to that give one another elements of what they track (engine_environment.share, .hear), whatever
// their engine.

enum {
    // Refinements before the first time. They are an attempt's own: most tasks need no more, and copies of one
    // another's beginnings would make a portfolio of equals.
    SHARING_FIRST = 2,
    SHARING_MOST_GIVEN = 256, // at a time
    SHARING_MOST_TAKEN = 64,
    SHARING_LARGEST = 40, // element, as a tree
};

// Refinements until the next time. Printing what there is costs time that grows with it: ever more seldom.
static inline uint64_t sharing_next(uint64_t refinements)
{
    return refinements + 2 + refinements / 4;
}

#endif
