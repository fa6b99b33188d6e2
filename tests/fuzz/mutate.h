#ifndef REGATTA_TESTS_FUZZ_MUTATE_H
#define REGATTA_TESTS_FUZZ_MUTATE_H

#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"

// Inputs changed in small ways, the same ones for the same state of the generator: bytes and bits exchanged, pieces cut
// out, doubled, moved and taken from other inputs, words of a dictionary and large numbers put in.

struct seed {
    char *data;
    size_t bytes;
};

struct seeds {
    VECTOR(struct seed) files; // not empty when there is something to change
    VECTOR(char *) words;      // of a dictionary; may be empty
};

const struct seed *seeds_any(const struct seeds *seeds, struct random *random);
void seeds_finish(struct seeds *seeds);

// One change. `text` may become empty.
void mutate(struct text *text, const struct seeds *seeds, struct random *random);

#endif
