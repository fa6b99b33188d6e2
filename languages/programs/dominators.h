#ifndef REGATTA_LANGUAGES_PROGRAMS_DOMINATORS_H
#define REGATTA_LANGUAGES_PROGRAMS_DOMINATORS_H

#include "languages/programs/flat.h"

// The blocks that are reached, in reverse postorder: what dominates comes first; memory_free.
uint32_t *flat_block_order(const struct flat *flat, size_t *count);

// Which blocks of a flat program every way to a block leads through.
struct dominators {
    uint32_t *
        nearest; // by block: that of the others that is nearest; UINT32_MAX when the block is not reached
    uint32_t *order; // by block: in reverse postorder
};

// By Cooper, Harvey and Kennedy's iteration ("A simple, fast dominance algorithm").
void dominators_find(struct dominators *dominators, const struct flat *flat);
void dominators_finish(struct dominators *dominators);
// Every way to `b` leads through `a`; each block dominates itself. False where one of them is not reached.
bool dominators_has(const struct dominators *dominators, uint32_t a, uint32_t b);

#endif
