#ifndef REGATTA_ANALYSIS_FAMILIES_H
#define REGATTA_ANALYSIS_FAMILIES_H

#include "analysis/score.h"

// Rows by task families: the cells of the heat map.

struct family_cell {
    size_t tasks; // that were run
    size_t solved;
    double wall_seconds; // of the solved
    uint64_t peak_bytes; // the largest of a run
};

struct families {
    const char **names; // those of the score, in order of name
    size_t *of_task;    // for each task of the score: its family
    size_t count, row_count;
    struct family_cell *cells; // cells[row * count + family]; the last row is the virtual best
};

// The score must outlive it. `best`: the cells of the virtual best, one a task.
void families_compute(struct families *families, const struct score *score,
                      const struct score_cell *best);
void families_finish(struct families *families);
const struct family_cell *families_cell(const struct families *families, size_t row, size_t family);

#endif
