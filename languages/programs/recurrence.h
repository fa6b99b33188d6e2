#ifndef REGATTA_LANGUAGES_PROGRAMS_RECURRENCE_H
#define REGATTA_LANGUAGES_PROGRAMS_RECURRENCE_H

#include "base/vector.h"
#include "languages/programs/flat.h"

// A run that comes back to what it was does not end: what it did in between can be done again, with the same inputs, for
// ever. What it was is told of now and then, and compared whenever the run is at the same place (Brent 1980: what is kept is replaced
// after 1, 2, 4, 8, … places, so it comes to lie in the circle, whatever comes before). Nothing is told of what has no
// influence on where the run goes: a counter that is only counted.

enum recurrence_use { RECURRENCE_NONE, RECURRENCE_KEEP, RECURRENCE_COMPARE };

// Places of one kind that a run passes, and what it was at the one that is kept.
struct sight {
    uint64_t passed, next;
    bool kept;
    uint64_t place[2];
    size_t objects; // that there were
    size_t depth;   // of calls
    VECTOR(uint64_t) state;
};

struct recurrence {
    struct sight blocks, calls;
    // Values that a block may take over from another, where they have influence.
    VECTOR(uint32_t) live;
    bool *slots;          // by value of an alloca that is not exposed: what is there has influence
    VECTOR(uint64_t) now; // what the run is
    uint64_t told;        // words
};

// `slot` and `exposed` by value, as the interpreter has them: the alloca that it is an address in, plus 1, and whether that address
// is kept somewhere.
struct recurrence *recurrence_create(const struct flat *flat, const uint32_t *slot,
                                     const bool *exposed);
void recurrence_destroy(struct recurrence *recurrence); // NULL is fine

// The run passes a place. When the answer is not RECURRENCE_NONE, what it is is told of next (`now`, empty before), and then given to
// recurrence_settle.
enum recurrence_use recurrence_pass(struct recurrence *recurrence, struct sight *sight, uint64_t a,
                                    uint64_t b);
// It is what it was.
bool recurrence_settle(struct recurrence *recurrence, struct sight *sight, enum recurrence_use use);
void recurrence_tell(struct recurrence *recurrence, uint64_t word);
void recurrence_tell_bytes(struct recurrence *recurrence, const uint8_t *bytes, uint64_t count);

#endif
