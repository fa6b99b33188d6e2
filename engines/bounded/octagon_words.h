#ifndef REGATTA_ENGINES_BOUNDED_OCTAGON_WORDS_H
#define REGATTA_ENGINES_BOUNDED_OCTAGON_WORDS_H

#include "engines/bounded/octagon_terms.h"

// What statements over machine words make of octagons.

// The runs on which Booleans have these values: a choice sets one, a later condition asks for it.
struct octagon_case {
    struct octagon octagon;
    uint32_t known, values; // a bit for each Boolean
};

struct octagon_cases {
    struct octagon_case *data; // a VECTOR
    size_t count, capacity;
};

// Any value that it can have.
void octagon_words_forget(struct octagon_words *words, struct octagon *octagon, uint32_t number);
// The runs that pass the statement. Out of work: nothing that counts.
void octagon_words_pass(struct octagon_words *words, struct octagon_cases *cases,
                        const struct statement *statement);

#endif
