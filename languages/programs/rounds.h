#ifndef REGATTA_LANGUAGES_PROGRAMS_ROUNDS_H
#define REGATTA_LANGUAGES_PROGRAMS_ROUNDS_H

#include "base/vector.h"
#include "languages/programs/flat.h"

// Many rounds of a loop at once, for a run that is interpreted. One round is recorded, instruction by instruction. Under the assumption
// that every value it begins with goes on as it did in this round, by the same step each time or by one that grows by the
// same amount, all it computes has such a course too; the assumption holds when the courses that the round ends with are those that
// it began with, one round later, and it holds for as many rounds as no branch, comparison or access would be another one and no
// number leaves the range in which it was looked at. So many rounds are skipped: what they leave behind is known. Exact over words; whatever
// has no course (an input, an address that moves, a quotient) is not skipped. The closed forms are those of loop acceleration (Finkel and
// Leroux, FSTTCS 2002, translations with a guard), found for one path at a time.

// In the round k: start + k * step + k * (k - 1) / 2 * bend, modulo two to the width.
struct course {
    uint64_t start, step, bend;
};

// A value or some bytes that the round reads or writes.
struct round_place {
    bool memory;
    uint64_t at; // number of the value, or address
    uint32_t bytes, width;
    bool first_read; // before the round writes it
    bool written;
    bool lost; // it holds nothing that is known since the last write
    uint64_t before, after;
    struct course head, now;
};

struct round_step {
    const struct instruction *instruction;
    size_t operands;     // where their values begin
    uint32_t chosen;     // PHI, SELECT: the operand
    uint64_t address;    // LOAD, STORE; what holds nothing any more from here on
    uint64_t lost_bytes; // and how much of it; 0: none
    uint64_t result;
};

struct rounds {
    const struct flat *flat;
    bool recording, failed;
    uint32_t block, before; // the round begins where control comes to one from the other
    uint32_t *left,
        *every; // by block: how often it is entered before a round from there is recorded
    VECTOR(struct round_step) steps;
    VECTOR(uint64_t) operands;
    VECTOR(struct round_place) places;
    VECTOR(uint32_t) cells;  // those of memory
    uint32_t *place_of;      // by value, plus 1
    VECTOR(uint32_t) losses; // steps
    uint64_t most;           // rounds that go the same way, as far as is known
};

struct rounds *rounds_create(const struct flat *flat);
void rounds_destroy(struct rounds *rounds); // NULL is fine
// Control comes to a block. True: the round that was recorded is complete.
bool rounds_enter(struct rounds *rounds, uint32_t before, uint32_t block);
// What the round did; `values` are its operands', of a phi instruction all but the chosen one are ignored.
void rounds_note(struct rounds *rounds, const struct round_step *step, const uint64_t *values);
void rounds_give_up(struct rounds *rounds);
// After a complete round: how many more can be skipped, 0 when it is not worth it. The places say what they leave.
uint64_t rounds_count(struct rounds *rounds);
// So many were: what was recorded is forgotten.
void rounds_skipped(struct rounds *rounds);
// What a written place holds when so many rounds more have been run.
uint64_t rounds_leave(const struct round_place *place, uint64_t count);

#endif
