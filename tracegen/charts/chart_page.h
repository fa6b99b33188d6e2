#ifndef REGATTA_TRACEGEN_CHARTS_CHART_PAGE_H
#define REGATTA_TRACEGEN_CHARTS_CHART_PAGE_H

#include "tracegen/charts/chart_run.h"

// A page that stands for itself: the chart, drawn, and runs of it that are stepped through by mouse or keyboard. Active states are
// marked, and the transitions that have fired; beside the chart stands what happened and what the values are.

struct chart_page {
    const struct chart *chart;
    const char *title;
    const char *
        svg; // the drawing with the identities of chart_draw.h; NULL: boxes inside one another stand in
    const char *why_not; // there is no drawing; static words
    const struct chart_run *runs;
    const char *const *names; // of the runs
    size_t run_count;
};

void chart_page_print(struct text *out, const struct chart_page *page);

#endif
