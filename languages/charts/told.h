#ifndef REGATTA_LANGUAGES_CHARTS_TOLD_H
#define REGATTA_LANGUAGES_CHARTS_TOLD_H

#include "languages/charts/translate.h"
#include "model/dialect.h"

// Runs of a chart's model in the words of the chart: replayed by the interpreter, and told in states, events,
// transitions and variables.

#define CHART_VIEW "hierarchy"

// What a model that was read from a chart carries.
struct chart_view {
    struct model_view head;
    struct chart *chart;                     // owned
    const struct chart_expression *property; // the invariant; NULL: none
    struct chart_map map;
};
// Takes over the chart.
struct chart_view *chart_view_create(struct chart *chart, const struct chart_expression *property);

// For the dialects of charts. The trace was replayed on a model whose view is a struct chart_view.
bool chart_told_replay(const struct trace *trace, struct text *why);
void chart_told_print(struct text *out, const struct trace *trace);

#endif
