#ifndef REGATTA_RESULTS_EXPORTING_H
#define REGATTA_RESULTS_EXPORTING_H

#include <stdio.h>

#include "results/store.h"

// The records of a store in formats of others. Interrupted runs are left out of BenchExec's.

// A row a run, its columns those of the table `run`. False and the reason in `why`.
bool export_runs_csv(struct store *store, FILE *out, struct text *why);
// A JSON object a line: the columns of `run`, `features` and `attempts`. Seeds are text: they have 64 bits.
bool export_runs_json(struct store *store, FILE *out, struct text *why);
// BenchExec's result files (https://github.com/sosy-lab/benchexec, doc/result.dtd), which its table-generator reads.
// One file holds the runs of one plan with one limit, one number of cores and one repetition. When there are
// more of them than one, "NAME.xml" becomes "NAME.PLAN.xml" for each (a number behind it where that is taken).
// `written` gets a line a file.
bool export_runs_benchexec(struct store *store, const char *path, struct text *written,
                           struct text *why);

#endif
