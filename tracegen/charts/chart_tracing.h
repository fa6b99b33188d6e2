#ifndef REGATTA_TRACEGEN_CHARTS_CHART_TRACING_H
#define REGATTA_TRACEGEN_CHARTS_CHART_TRACING_H

#include "model/trace.h"
#include "tracegen/charts/chart_explore.h"

// What `regatta trace` does with charts.

struct chart_tracing {
    const char *name; // of the input, for people
    const struct chart *chart;
    unsigned what; // CHART_COVER_…
    struct chart_explore_limits limits;
    const char *folder; // for the files: new or empty; NULL: only the summary
    unsigned forms;     // TRACE_FILE_READABLE, TRACE_FILE_SEQUENCE
};

// The chart behind a model, NULL if there is none.
const struct chart *chart_of_model(const struct model *model);
// A summary on standard output, the files; false with words in *why when one cannot be written. *complete: all that can be was
// explored, and every state and transition is on some run.
bool chart_tracing_run(const struct chart_tracing *tracing, bool *complete, struct text *why);
// Compares two versions: runs that cover each, followed in the other. The number of runs that cannot be followed.
size_t chart_tracing_compare(const struct chart_tracing *one, const struct chart_tracing *two);
// A page of one trace of a chart's model. False with words when it cannot be written.
bool chart_page_of_trace(const struct trace *trace, const char *path, const char *title,
                         struct text *why);

#endif
