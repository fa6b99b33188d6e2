#ifndef REGATTA_ANALYSIS_SUMMARY_H
#define REGATTA_ANALYSIS_SUMMARY_H

#include <stdbool.h>

#include "analysis/study.h"
#include "analysis/table.h"
#include "base/text.h"

// The tables of a report that go into papers and pages: one line each, in the order of the report.

// X(name, title)
#define SUMMARY_TABLES(X)                                                                          \
    X(alarms, "Wrong verdicts and contradictions")                                                 \
    X(scores, "Scores")                                                                            \
    X(unknowns, "Runs without an answer")                                                          \
    X(yardsticks, "Against the single best and the virtual best")                                  \
    X(cover, "What each adds, and a smallest set that reaches the virtual best")                   \
    X(families, "Solved tasks by family")                                                          \
    X(attempts, "Attempts and why they ended")

// Adds the table of that name, or all of them, with titles, when `name` is NULL (CSV, which has room
// for one table only: the scores). False when there is no such table.
bool summary_print(struct text *out, const struct study *study, enum table_format format,
                   const char *name);
// The names, NULL-terminated, for messages.
const char *const *summary_names(void);

#endif
