#ifndef REGATTA_TRACEGEN_CHARTS_CHART_EXPLORE_H
#define REGATTA_TRACEGEN_CHARTS_CHART_EXPLORE_H

#include "tracegen/charts/chart_run.h"

// The configurations that the interpreter reaches, breadth first, and the steps between them. Integers from outside come from
// the numbers that the chart's text speaks of and those beside them, so more may be reachable than what is found.

struct chart_edge {
    uint32_t from, to; // nodes; from = CHART_NOWHERE: a start
    const struct chart_event *event;
    uint32_t *taken, *counts; // how its choices were resolved
    size_t choice_count;
    uint32_t *fired; // indices of transitions, in order
    size_t fired_count;
};
#define CHART_NOWHERE UINT32_MAX

struct chart_graph {
    const struct chart *chart;
    size_t cells; // of a configuration
    VECTOR(int64_t) configurations;
    VECTOR(uint32_t) reached_by; // by node: the edge that found it
    VECTOR(struct chart_edge) edges;
    uint32_t node_count;
    int64_t *numbers;
    uint32_t number_count;
    bool complete; // no limit was met
    uint64_t
        too_hard; // steps that overflow a queue, do not end, read what has no value, or leave 64 bits
};

struct chart_explore_limits {
    uint64_t nodes, edges; // 0: none
    double seconds;        // 0: none
    const _Atomic int *stop;
};

void chart_graph_explore(struct chart_graph *graph, const struct chart *chart,
                         const struct chart_explore_limits *limits);
void chart_graph_finish(struct chart_graph *graph);
static inline const int64_t *chart_graph_node(const struct chart_graph *graph, uint32_t node)
{
    return graph->configurations.data + (size_t)node * graph->cells;
}
// The run that ends with these edges, one behind the other; what comes before them is how the first one's node was found. Caller:
// chart_run_finish.
struct chart_run chart_graph_run(const struct chart_graph *graph, const uint32_t *edges,
                                 size_t count);

#endif
