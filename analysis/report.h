#ifndef REGATTA_ANALYSIS_REPORT_H
#define REGATTA_ANALYSIS_REPORT_H

#include "analysis/baseline.h"
#include "analysis/study.h"
#include "base/text.h"

// The text report: wrong verdicts first, then a line per plan or configuration with the virtual
// best, what each solves that others do not, what became of the attempts, and the comparison with a
// baseline. `details` lists each unsolved task and each ratio.

void report_print(struct text *out, const struct study *study,
                  const struct baseline *baseline /* may be NULL */, bool details);
// The sections, for those who want one alone.
void report_alarms(struct text *out, const struct score *score);
void report_rows(struct text *out, const struct study *study);
void report_unique(struct text *out, const struct score *score);
void report_unsolved(struct text *out, const struct score *score);
void report_attempts(struct text *out, const struct attempts *attempts);
void report_baseline(struct text *out, const struct score *score, const struct baseline *baseline,
                     bool details);

#endif
