#ifndef REGATTA_ANALYSIS_EXPORT_H
#define REGATTA_ANALYSIS_EXPORT_H

#include "base/text.h"
#include "results/record.h"

// Comma-separated values (RFC 4180, LF line ends), one row a run or one row an attempt.

void export_csv_runs_head(struct text *out);
void export_csv_run(struct text *out, const struct run_record *run);
void export_csv_attempts_head(struct text *out);
void export_csv_attempts(struct text *out, const struct run_record *run);

#endif
