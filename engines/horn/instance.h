#ifndef REGATTA_ENGINES_HORN_INSTANCE_H
#define REGATTA_ENGINES_HORN_INSTANCE_H

#include "logic/smt/smt.h"

// A formula over the parameters of a predicate, of these arguments instead, of which there are as many. Terms of the store.
const struct term *horn_instance(struct term_store *store,
                                 const struct smt_horn_predicate *predicate,
                                 const struct term *const *arguments, const struct term *formula);

#endif
