#ifndef REGATTA_LANGUAGES_PETRI_FLOW_H
#define REGATTA_LANGUAGES_PETRI_FLOW_H

#include "languages/petri/formula.h"

// Weights that no transition makes heavier: weights * effect(t) <= 0 for all t, and so weights * m <= weights * m0 for every
// reachable marking m. Inhibitor arcs only make fewer markings reachable.

// The fact of weights that were computed with floating point numbers, made integers by a common denominator and checked;
// NULL when there is none of reasonable size, or some transition breaks it. FORMULA_LINEAR, or a constant.
const struct formula *flow_fact(const struct net *net, const double *weights, struct arena *arena);

#endif
