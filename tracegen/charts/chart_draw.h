#ifndef REGATTA_TRACEGEN_CHARTS_CHART_DRAW_H
#define REGATTA_TRACEGEN_CHARTS_CHART_DRAW_H

#include "base/text.h"
#include "languages/charts/chart.h"

// The chart for Graphviz: composite states are clusters inside one another. In its drawing the state with index N has the
// identity sN, the transition with index N tN.
void chart_draw_dot(struct text *out, const struct chart *chart);

#endif
