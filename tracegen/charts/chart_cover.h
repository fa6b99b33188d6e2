#ifndef REGATTA_TRACEGEN_CHARTS_CHART_COVER_H
#define REGATTA_TRACEGEN_CHARTS_CHART_COVER_H

#include "tracegen/charts/chart_explore.h"

// Few runs that together visit all that was explored: states, transitions, pairs of transitions that fire one directly
// behind the other, in one step or in two.

enum { CHART_COVER_STATES = 1, CHART_COVER_TRANSITIONS = 2, CHART_COVER_PAIRS = 4 };

struct chart_suite {
    VECTOR(struct chart_run) runs;
    uint32_t states, transitions; // reached
    uint32_t state_total, transition_total;
    uint64_t pairs;
    VECTOR(const struct chart_state *) missed_states; // never found active
    VECTOR(const struct chart_transition *) missed_transitions;
};

void chart_suite_make(struct chart_suite *suite, const struct chart_graph *graph, unsigned what);
void chart_suite_finish(struct chart_suite *suite);
// Can the transition fire in some run, by its place in the chart?
bool chart_cover_counts(const struct chart_transition *transition);

#endif
