#ifndef REGATTA_VIEW_PLAN_SHOW_H
#define REGATTA_VIEW_PLAN_SHOW_H

#include "base/text.h"
#include "configs/plan.h"

// A plan as text, and as a graph for Graphviz. `only`: this variant alone; NULL: all.
void plan_show(struct text *out, const struct plan *plan, const struct plan_variant *only);
void plan_show_dot(struct text *out, const struct plan *plan, const struct plan_variant *only);

#endif
