#ifndef REGATTA_ENGINES_CEGAR_WEAKEST_H
#define REGATTA_ENGINES_CEGAR_WEAKEST_H

#include "engines/cegar/abstraction.h"
#include "engines/cegar/path.h"

// The weakest precondition of one step of a path, over the statements to blame only: assumptions that
// are not to blame are skipped (the weaker step refutes the same), assignments that are not become what
// `abstraction` says, choices and ifs give the conjunction
// over their branches ([Hajdu20] 3.1; docs/definitions/cegar.md 8.2 with its extension to whole actions). A havoc of a
// variable that matters gives "for all", which is eliminated, if need be by the solver.
//
// post and the result are over plain variables. NULL when a quantifier cannot be eliminated or the result
// grows beyond `size_limit` nodes (as a tree).
const struct term *weakest_precondition(struct path *path, size_t step, const struct term *post,
                                        enum abstraction abstraction, uint32_t size_limit);

// The formula holds for all values of x; NULL when that needs a quantifier.
const struct term *weakest_project(struct workspace *workspace, const struct term *formula,
                                   const struct term *variable);

#endif
