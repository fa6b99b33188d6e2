#ifndef REGATTA_ENGINES_BOUNDED_RATES_H
#define REGATTA_ENGINES_BOUNDED_RATES_H

#include "engines/bounded/candidates.h"

// What a loop adds up against how often it went round: low * i <= s <= high * i, in numbers that do not wrap. s is a word that something is
// added to, i one that a number is added to; low and high are numbers of the model, products of two of them, and what words of
// fewer bits have at most. Guesses, appended to the facts; none is shown.
void rates_guess(struct monolith *monolith, struct located_facts *facts);

#endif
