#ifndef REGATTA_TRACEGEN_CHARTS_CHART_COMPARE_H
#define REGATTA_TRACEGEN_CHARTS_CHART_COMPARE_H

#include "tracegen/charts/chart_run.h"

// Two versions of a chart: can the other one do what a run does? It is given the same events and values, by their names, and has to
// have a way on which the same states are active and the same outputs and variables, of those that both know, have the same values.

// The first step that the other chart cannot follow, SIZE_MAX if it follows all; *why: what its nearest way does instead.
size_t chart_compare_run(const struct chart *chart, const struct chart_run *run,
                         const struct chart *other, struct text *why);
// What only one of them has, a line each.
void chart_compare_parts(const struct chart *one, const struct chart *two, struct text *out);

#endif
