#ifndef REGATTA_ANALYSIS_ATTEMPTS_H
#define REGATTA_ANALYSIS_ATTEMPTS_H

#include "results/record.h"

// What became of each configuration's attempts, over all runs: who answers, who stalls.

// Times of stalls are counted in bins, eight to a power of ten: bin b holds those from
// attempts_bin_seconds(b) on to the next; the first also what is shorter, the last what is longer.
enum { STALL_BINS = 56 };

struct attempts_row {
    char *configuration;
    size_t started, won;
    size_t ended[END_INTERNAL + 1]; // by enum end_reason
    double wall_seconds, cpu_seconds, solver_seconds;
    double monitor_seconds,
        spared_seconds; // what monitors cost, and what those that fired left over
    double worst_stop_latency_seconds;
    size_t stalls[STALL_BINS]; // attempts that stalled, by their wall time until then
};

struct attempts {
    struct attempts_row *rows; // in order of first appearance; by attempts_sort: most wins first
    size_t count, capacity;
};

void attempts_init(struct attempts *attempts);
void attempts_finish(struct attempts *attempts);
void attempts_add(struct attempts *attempts, const struct run_record *run);
void attempts_sort(struct attempts *attempts);
double attempts_bin_seconds(size_t bin); // its lower edge; STALL_BINS: the end of the last

#endif
