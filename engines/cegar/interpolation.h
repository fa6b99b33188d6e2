#ifndef REGATTA_ENGINES_CEGAR_INTERPOLATION_H
#define REGATTA_ENGINES_CEGAR_INTERPOLATION_H

#include "logic/smt/smt.h"

// Sequence interpolants of formulas, by means that need no interpolating solver (Debian's Z3 has
// none).
//
// parts[0] … parts[count-1] are unsatisfiable together. out receives count - 1 formulas: out[i] is
// over variables common to parts[0..i] and parts[i+1..], parts[0] implies out[0], out[i-1] and
// parts[i] imply out[i], out[count-2] and parts[count-1] contradict each other. Results live in
// `store`.

// Farkas' lemma (Rybalchenko and Sofronie-Stokkermans 2007): for parts whose contradiction lies in linear
// equations and inequations over int or rat and in opposite Boolean literals, after splitting "or", ≠
// and conditionals and after branching on integers, at most `branches` sides of such splits in
// each of two attempts (0 = no split but those that propagation decides). Terms of enumerations are
// treated value by value. Terms that are not linear (x * y, a[i], …) count as variables. The
// multipliers come from a model of the dual linear problem, found by the solver. False, and `out`
// untouched, when the parts are not of that form, the branches run out, or the solver gives up.
// The context is that of `store`.
bool interpolate_farkas(struct term_store *store, struct smt_context *context,
                        const struct term *const *parts, size_t count, unsigned branches,
                        const struct term **out);

// Is `interpolants` a sequence as described above (inductive, ending in false)? Variable conditions
// are checked too. SMT_UNSAT = yes, SMT_SAT = no, SMT_UNKNOWN. The solver has no assertions of its own
// and is left so.
enum smt_result interpolation_check(struct smt *smt, struct term_store *store,
                                    const struct term *const *parts, size_t count,
                                    const struct term *const *interpolants);
// The same without the condition on variables: weakest preconditions may mention a variable that the
// parts before the cut do not.
enum smt_result interpolation_inductive(struct smt *smt, struct term_store *store,
                                        const struct term *const *parts, size_t count,
                                        const struct term *const *interpolants);

#endif
