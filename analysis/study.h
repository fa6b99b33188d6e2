#ifndef REGATTA_ANALYSIS_STUDY_H
#define REGATTA_ANALYSIS_STUDY_H

#include "analysis/attempts.h"
#include "analysis/cover.h"
#include "analysis/families.h"
#include "analysis/score.h"
#include "analysis/timeline.h"
#include "base/text.h"
#include "base/vector.h"

// Runs that the machine disturbed, of those for which that is known.
struct study_disturbance {
    size_t known;
    size_t foreign; // others took 5 % of the wall time or more, and at least 50 ms, of its threads
    size_t stolen;  // by a hypervisor, likewise
    size_t swapped; // pages were swapped
    size_t throttled; // cores were slowed down for heat
};

// All that a report shows, from the records of one or more stores: fed with runs, computed once.
//
// The yardstick is the virtual best of the configurations, so that portfolios can be held against
// it; where all rows are portfolios it is that of all rows. The same rows make up the cover.

struct study {
    struct score score;
    struct attempts attempts;
    struct timeline timeline;
    VECTOR(char *) files; // names of the stores, for the title
    VECTOR(char *) hosts;
    VECTOR(char *) versions;
    size_t runs;
    struct study_disturbance disturbance;
    int64_t first_epoch_ms, last_epoch_ms; // 0 when none
    // after study_compute
    bool configurations_only;
    struct score_row best;         // the yardstick
    struct score_cell *best_cells; // one a task
    size_t single_best; // row: of those that take part that of least PAR-2; row_count when none
    struct cover cover;
    struct families families;
};

void study_init(struct study *study);
void study_finish(struct study *study);
void study_add_file(struct study *study, const char *name);
void study_add(struct study *study, const struct run_record *run);
void study_compute(struct study *study); // once, after the last study_add

// What the figures stand on, a line for each sentence: the base, PAR-2, the yardsticks, checks. The same words stand under
// the tables of the text, of Markdown and LaTeX, and in the page.
void study_explain(struct text *out, const struct study *study);

// How much of the way from the single best to the yardstick a row makes, by PAR-2: 0 like the single
// best, 1 like the virtual best; more where a portfolio was faster than all recorded configurations. NAN where these two
// are one.
double study_gap_closed(const struct study *study, const struct score_row *row);

#endif
