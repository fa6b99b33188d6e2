#ifndef REGATTA_LANGUAGES_PETRI_COUNTING_H
#define REGATTA_LANGUAGES_PETRI_COUNTING_H

#include "languages/petri/formula.h"
#include "logic/terms/term.h"

// Formulas over places as terms. A place is an integer, or a Boolean that says that it holds its one token.

// A formula of linear comparisons; `place` gives the variable of a place.
const struct term *counting_formula(struct term_store *store, const struct formula *formula,
                                    const struct term *(*place)(void *context, uint32_t place),
                                    void *context);

#endif
