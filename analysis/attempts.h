#ifndef REGATTA_ANALYSIS_ATTEMPTS_H
#define REGATTA_ANALYSIS_ATTEMPTS_H

#include "results/record.h"

// What became of each configuration's attempts, over all runs: who answers, who stalls.

struct attempts_row {
    char *configuration;
    size_t started, won;
    size_t ended[END_INTERNAL + 1]; // by enum end_reason
    double wall_seconds, cpu_seconds, solver_seconds;
    double worst_stop_latency_seconds;
};

struct attempts {
    struct attempts_row *rows; // in order of first appearance; by attempts_sort: most wins first
    size_t count, capacity;
};

void attempts_init(struct attempts *attempts);
void attempts_finish(struct attempts *attempts);
void attempts_add(struct attempts *attempts, const struct run_record *run);
void attempts_sort(struct attempts *attempts);

#endif
