#ifndef REGATTA_CERTIFY_QUANTIFIED_H
#define REGATTA_CERTIFY_QUANTIFIED_H

#include "logic/terms/eval.h"

// The value of a quantified boolean term in a concrete state, by asking a solver; VALUE_UNKNOWN
// when the solver does not know, and for terms whose values the zero-division function could
// change.
struct value quantified_value(struct term_store *store, const struct term *term, eval_lookup lookup,
                              void *context);

#endif
