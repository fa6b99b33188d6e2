#ifndef REGATTA_LANGUAGES_PROGRAMS_PLACES_H
#define REGATTA_LANGUAGES_PROGRAMS_PLACES_H

#include "languages/programs/flat.h"

// Where instructions of a flat program access memory, as far as they say it themselves.

// By value: the instruction that computes it, NULL for none; memory_free.
const struct instruction **flat_definitions(const struct flat *flat);

// An address: so many bytes from what `base` points to, which no OP_GEP computes.
struct memory_place {
    struct operand base;
    int64_t offset;
    bool exact; // the offset is known
};

struct memory_place flat_place_of(const struct flat *flat,
                                  const struct instruction *const *definitions,
                                  struct operand address);

// A copy, or a fill, of memory.
struct transfer {
    const struct operand *to, *from; // from: NULL where it is a fill
    const struct operand *byte;      // of a fill
    int64_t bytes;                   // -1: not known
};

// OP_COPY and LLVM's memcpy, memmove and memset.
bool flat_is_transfer(const struct flat *flat, const struct instruction *i, struct transfer *out);

// A call that says that a variable, its last operand, begins or ends to live.
bool flat_is_lifetime(const struct flat *flat, const struct instruction *i);

#endif
