#ifndef REGATTA_ANALYSIS_FIGURES_H
#define REGATTA_ANALYSIS_FIGURES_H

#include "analysis/study.h"
#include "base/text.h"

// Figures for papers, drawn by gnuplot (a process; needed at run time for these only): quantile
// plot, scatter plot of two rows, heat map of solved tasks by family, distribution of stall times.

enum figures_kind {
    FIGURES_SVG,
    FIGURES_PDF,
};

// Writes quantile, scatter, heat-map and stalls with the ending of the kind into `folder`, which is
// made when it is not there; what has no data is left out. `a` and `b` are rows of the score for the
// scatter plot. False and the reason appended to `why`: gnuplot is missing or fails, the folder
// cannot be made.
bool figures_write(const struct study *study, const char *folder, enum figures_kind kind, size_t a,
                   size_t b, struct text *why);
// "A,B": numbers of rows from 1 in the order of the scores.
bool figures_parse_pair(const struct study *study, const char *text, size_t *a, size_t *b,
                        struct text *why);
// The script of all figures, as gnuplot gets it; for figures_write and for tests.
void figures_script(struct text *out, const struct study *study, enum figures_kind kind, size_t a,
                    size_t b);

#endif
