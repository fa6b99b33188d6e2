#ifndef REGATTA_RESULTS_QUERY_PRINT_H
#define REGATTA_RESULTS_QUERY_PRINT_H

#include <stdio.h>

#include "base/budget.h"
#include "results/store.h"

// The answer to a question in SQL: a table for people (columns as wide as their widest cell), CSV with the names first, or a
// JSON object a row.

enum query_format { QUERY_AS_TEXT, QUERY_AS_CSV, QUERY_AS_JSON };

// Under a budget: a question may be endless, and its answer too. BUDGET_DONE: *good, or the reason appended. Otherwise it was
// ended, and what it held is lost.
enum budget_end query_print(FILE *out, struct store *store, const char *sql,
                            enum query_format format, const struct budget *budget, bool *good,
                            struct text *why);

#endif
