#ifndef REGATTA_LOGIC_SMT_FLOAT_SEARCH_H
#define REGATTA_LOGIC_SMT_FLOAT_SEARCH_H

#include "base/vector.h"
#include "logic/terms/term.h"

// Questions about floats, whose formulas over bits are too large for solvers: intervals are carried through the operations
// (logic/terms/float_notes.h says which terms are such) until nothing changes, and where that does not decide one of them is
// split in two, as deep as it takes (branch and prune; docs/definitions/floats.md). An answer needs no solver.

// A value for a variable that is a float.
struct float_choice {
    const struct term *variable;
    uint64_t bits;
};

// A vector in the sense of base/vector.h.
struct float_choices {
    struct float_choice *data;
    size_t count, capacity;
};

// True: no values satisfy all of the formulas. False: nothing is known, but where `found` is not empty then, the formulas may be satisfied
// with these values. *work: how many terms may be looked at, of which what was needed is taken.
bool float_search_refutes(const struct term_store *store, const struct term *const *formulas,
                          size_t count, int64_t *work, struct float_choices *found);

#define FLOAT_SEARCH_WORK 3000000 // enough for one question, as a rule

#endif
