#ifndef REGATTA_LOGIC_SMT_SAT_BLAST_H
#define REGATTA_LOGIC_SMT_SAT_BLAST_H

#include "logic/smt/sat/gates.h"
#include "logic/terms/term.h"

// Terms as circuits ("bit-blasting"): Booleans, bit-vectors, enumerations as binary numbers, and arrays with few
// keys as tables. Private to engines/smt. The same term gives the same literals, which live as long as the blast.

// Which literals may be true together: an enumeration need not have a power of two of values.
struct blast_range {
    uint32_t holds; // literal, over the inputs of one variable
};

// In how many conjunctions a member occurs, and a hash of which.
struct blast_uses {
    uint64_t where;
    uint32_t count;
};

struct blast {
    struct gates gates;    // inputs have in[0]: number + 1 of their range, 0 = none
    VECTOR(uint32_t) at;   // by term id: position in `bits` + 1, 0 = not made yet
    VECTOR(uint32_t) bits; // literals, lowest first
    VECTOR(struct blast_range) ranges;
    VECTOR(const struct term *) todo;
    VECTOR(struct blast_uses) uses; // by member (conjunction.c)
    VECTOR(bool) expected;          // by term id: counted
    uint64_t made, found;           // terms
};

void blast_init(struct blast *blast);
void blast_finish(struct blast *blast);

// Bits of a value of that sort, 0 for a sort with one value; UINT32_MAX for one that has no such form: numbers, and
// arrays with too many keys.
uint32_t blast_width(const struct sort *sort);
// Has every subterm such a form? (It may still become too large.)
bool blast_fits(const struct term *term);
// The literals of a term, blast_width(sort) of them; `*position` is where in `bits` they begin. False for a term
// with a subterm that has no such form, or when the circuit becomes too large.
bool blast_term(struct blast *blast, const struct term *term, uint32_t *position);
// The variable's literals when it was met before; else false.
bool blast_known(const struct blast *blast, const struct term *term, uint32_t *position);
// A literal of that sort from bits, lowest first.
const struct term *blast_literal(struct term_store *store, const struct sort *sort,
                                 const bool *bits);

#endif
