#ifndef REGATTA_TESTS_RANDOM_CHART_H
#define REGATTA_TESTS_RANDOM_CHART_H

#include "languages/charts/chart.h"

// Small random charts with parallel regions, composite states, variables, history, raised events. The same chart for the
// same seed. Caller: chart_destroy.
struct chart *random_chart(enum chart_semantics semantics, uint64_t seed);
// SCXML with more of what documents have: regions of one state, final ones too, initial transitions and default histories
// with content, several targets, several events.
struct chart *random_document(uint64_t seed);

// All configurations that the interpreter reaches, one after another, `cells` values each.
struct chart_configurations {
    int64_t *data;
    size_t count, capacity, cells;
    bool overflow; // of the queue of internal events, somewhere
    bool complete; // not more than the limit, and no number too large
};
struct chart_configurations chart_explore(const struct chart *chart, size_t limit);
void chart_configurations_finish(struct chart_configurations *configurations);
bool chart_configurations_have(const struct chart_configurations *configurations,
                               const int64_t *cells);

#endif
