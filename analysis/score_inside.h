#ifndef REGATTA_ANALYSIS_SCORE_INSIDE_H
#define REGATTA_ANALYSIS_SCORE_INSIDE_H

#include "analysis/score.h"

// Shared by score.c (taking in runs, names, order) and score_sums.c (cells, sums, virtual best).

struct score_run {
    size_t task, row;
    enum outcome outcome;
    enum verdict verdict;
    enum end_reason reason;
    double wall_seconds, cpu_seconds, stop_latency_seconds;
    double par2_seconds;
    uint64_t peak_bytes;
    char *status;
    bool contradiction;
    enum check checked;
};

double score_par2(enum outcome outcome, double wall_seconds, double limit_seconds);
int score_compare_doubles(const void *a, const void *b);
void score_fill_cells(struct score *score); // sorts the runs
// Adds up the cells of one row, one for each task.
void score_sum_row(const struct score *score, struct score_row *row,
                   const struct score_cell *cells);

#endif
