#ifndef REGATTA_LOGIC_TERMS_FLOAT_NOTES_H
#define REGATTA_LOGIC_TERMS_FLOAT_NOTES_H

#include "logic/terms/term.h"

// What terms over the bits of floats mean (logic/terms/float_terms.h makes them): a sum is some hundred terms, of which nobody
// could tell any more that they are one. A note says of a term that it equals an operation on floats of 32 or 64 bits, which is
// true of it wherever it stands. Substitution (logic/terms/rewrite.h) carries notes over; what other rewriting makes has none.
// Who reads them may decide in another way than by bits; nobody has to.

enum float_meaning {
    FLOAT_MEANS_SUM, // the first four in the order of enum float_operation, rounded to the nearest
    FLOAT_MEANS_DIFFERENCE,
    FLOAT_MEANS_PRODUCT,
    FLOAT_MEANS_QUOTIENT,
    FLOAT_MEANS_NEGATIVE,
    FLOAT_MEANS_MAGNITUDE,
    FLOAT_MEANS_RESIZED,       // of the other width, rounded to the nearest
    FLOAT_MEANS_FROM_SIGNED,   // of an integer, rounded to the nearest
    FLOAT_MEANS_FROM_UNSIGNED, //
    FLOAT_MEANS_TO_SIGNED,     // an integer, towards zero; where it does not fit nothing is said
    FLOAT_MEANS_TO_UNSIGNED,   //
    FLOAT_MEANS_COMPARISON,    // `detail`: the predicate of float_compare
    FLOAT_MEANS_ORDER,         // the same where both are numbers; else nothing is said
    FLOAT_MEANS_CLASS,         // `detail`: the classes of float_is_class
};

enum { FLOAT_CLASS_NAN = 3, FLOAT_CLASS_INFINITE = 4 | 512 };

struct float_note {
    const struct term *term;
    enum float_meaning meaning;
    uint32_t detail;
    const struct term *a, *b; // operands; b is NULL where there is one
};

// The term is what the note says. Literals and variables are not noted, nor what has a note already, nor what is older than an
// operand.
void float_note_add(struct term_store *store, struct float_note note);
// NULL: none is known.
const struct float_note *float_note_of(const struct term_store *store, const struct term *term);
// Has any term one?
bool float_notes_any(const struct term_store *store);

#endif
