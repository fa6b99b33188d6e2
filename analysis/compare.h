#ifndef REGATTA_ANALYSIS_COMPARE_H
#define REGATTA_ANALYSIS_COMPARE_H

#include "analysis/score.h"
#include "analysis/statistics.h"
#include "base/text.h"
#include "base/vector.h"

// Two rows of scores on the tasks that both ran and could read: what became better, what worse, and whether that can be
// chance. A task is the same when its digest is. Times are wall times with loading; below a millisecond they
// count as one.

struct compare_options {
    double alpha;     // differences with a smaller p count: 0.05
    double tolerance; // a ratio of times below 1 + this is no worsening: 0.05
    bool strict;      // every task that is lost is a worsening
    uint64_t seed;    // of the bootstrap
};
#define COMPARE_OPTIONS_STANDARD ((struct compare_options){.alpha = 0.05, .tolerance = 0.05})

enum compare_change {
    CHANGE_WRONG,  // b is wrong where a was not
    CHANGE_LOST,   // a solved it, b did not
    CHANGE_GAINED, // b solved it, a did not
    CHANGE_MENDED, // a was wrong, b is not
    CHANGE_SLOWER, // both solved it, at least twice as slow and a tenth of a second slower
    CHANGE_FASTER,
    CHANGE_NONE,
};

struct compare_pair {
    const struct score_task *task;
    const struct score_cell *a, *b;
    enum compare_change change;
    double ratio; // time of b by that of a; both solved it
};

struct comparison {
    const char *a, *b;                 // labels; the scores'
    VECTOR(struct compare_pair) pairs; // by change, then ratio: the worst first
    size_t changes[CHANGE_NONE + 1];
    size_t only_a, only_b; // tasks that the other did not run
    size_t solved_a, solved_b, both;
    double solved_p;          // sign test of lost and gained
    double par2_a, par2_b;    // 0 when there is no pair
    double ratio;             // geometric mean over what both solved; 1 when that is nothing
    struct interval ratio_95; // of the ratio
    double time_p;            // Wilcoxon's, of the ratios' logarithms
    bool worse, wrong;        // by the options; wrong: b is wrong somewhere that a was not
};

void compare_rows(struct comparison *comparison, const struct score *a, size_t row_a,
                  const struct score *b, size_t row_b, const struct compare_options *options);
void comparison_finish(struct comparison *comparison);
// For people; `all`: every changed task, else the worst of each kind.
void comparison_print(struct text *out, const struct comparison *comparison, bool all);

#endif
