#ifndef REGATTA_ANALYSIS_TIMELINE_H
#define REGATTA_ANALYSIS_TIMELINE_H

#include "results/record.h"

// Where and when the attempts of a race ran and why they ended, for the runs most worth looking at:
// contradictions first, then the longest, of those with two attempts or more. No more than `most`
// are kept, so memory does not grow with the records.

struct timeline_attempt {
    char *configuration;
    char *cpus; // what it got; "" when not bound
    char *why;
    unsigned lane;
    enum end_reason reason;
    bool winner;
    double start_seconds, wall_seconds, stop_latency_seconds;
};

struct timeline_run {
    char *task, *plan;
    unsigned cores;
    enum verdict verdict;
    bool contradiction;
    double wall_seconds; // of the race, without loading
    struct timeline_attempt *attempts;
    size_t attempt_count;
};

struct timeline {
    struct timeline_run *runs; // by timeline_sort: in the order above
    size_t count, most;
    size_t seen; // runs with two attempts or more
};

void timeline_init(struct timeline *timeline, size_t most);
void timeline_finish(struct timeline *timeline);
void timeline_add(struct timeline *timeline, const struct run_record *run); // copies what it keeps
void timeline_sort(struct timeline *timeline);

#endif
