#ifndef REGATTA_LOGIC_SMT_ARRAY_READS_H
#define REGATTA_LOGIC_SMT_ARRAY_READS_H

#include "logic/terms/rewrite.h"

// Formulas about arrays, told by what is read of them: a read of an array variable is a variable, two reads at keys that are equal are
// equal (Ackermann 1954), an equation between arrays holds at all keys that occur. Every assignment that satisfies the
// formulas satisfies what is told, so where that is unsatisfiable the formulas are. The other way round an equation that is false may
// be lost, and what arrays hold at keys that do not occur.

struct array_reads;

struct array_reads *array_reads_create(struct term_store *store);
void array_reads_destroy(struct array_reads *reads); // NULL is fine
// The formula without arrays. NULL: it has arrays of arrays, quantifiers, or more keys than are worth it.
const struct term *array_reads_of(struct array_reads *reads, const struct term *formula);
// What has to be assumed beside all that was told so far; NULL as above.
const struct term *array_reads_facts(struct array_reads *reads);

#endif
