#ifndef REGATTA_PORTFOLIO_PLAN_SOLVERS_H
#define REGATTA_PORTFOLIO_PLAN_SOLVERS_H

#include <stdbool.h>

#include "base/text.h"
#include "configs/plan.h"

// Whether the solver programs that a plan's configurations name can be started; each configuration is tried once. The first that cannot
// is told in `why`: "NAME: the reason".
bool plan_has_solvers(const struct plan *plan, struct text *why);

#endif
