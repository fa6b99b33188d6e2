#ifndef REGATTA_ANALYSIS_COVER_H
#define REGATTA_ANALYSIS_COVER_H

#include "analysis/score.h"

// What each row adds to the others: the tasks that it alone solves, and a smallest set of rows that
// together solve all that any of them solves (minimum set cover).
//
// Exact by branch and bound (base/set_cover.h): tasks solved by the same rows are one, the task with the fewest rows is
// branched on, tasks without a row in common bound from below. After a second or so of work (counted,
// not timed) the best set so far stands (it began as the greedy one; Chvátal 1979), with a lower bound beside it.

struct cover {
    size_t tasks;   // solved by some row that takes part
    size_t *unique; // for each row of the score: tasks that no other taking part solves
    size_t *rows;   // the set; first what covers most, then what adds most
    size_t *adds;   // how many tasks each of them adds to those before
    size_t count;
    size_t at_least; // no smaller set than this can do; == count when exact
};

// `configurations_only`: portfolios take no part.
void cover_compute(struct cover *cover, const struct score *score, bool configurations_only);
void cover_finish(struct cover *cover);

#endif
