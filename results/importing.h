#ifndef REGATTA_RESULTS_IMPORTING_H
#define REGATTA_RESULTS_IMPORTING_H

#include "results/store.h"

// Results of other tools (or of another store) into a store, so that they stand in the same report. A file
// goes in whole or not at all; what is there already (same task, tool, configuration, limits) is not added twice.
//
// A task is known again by folder and file without ending ("xsts/on-off"): imported runs of a task that
// the store has get its digest. So import after the runs to compare with.

struct import_options {
    const char *tool; // for tables that name none; NULL = the file's name
    const char *
        columns; // tables: "THEIRS=OURS,…": their columns and the fields (results/fields.h); NULL = none
    double time_limit_seconds; // for files that tell none; 0 = none
    unsigned cores;            // likewise
};

struct import_counts {
    size_t added, known, empty; // empty: cells without a result
    size_t wrong;               // of those added: against the expected verdict
};

// BenchExec's result files, also compressed by bzip2 or gzip. False and "path:line:column: …" in `why`.
bool import_benchexec(struct store *store, const char *path, const struct import_options *options,
                      struct import_counts *counts, struct text *why);
// Tables with separators (results/csv.h): with a header line of names, or as table-generator writes them (three header
// lines: tool, run set, columns).
bool import_table(struct store *store, const char *path, const struct import_options *options,
                  struct import_counts *counts, struct text *why);
// One of the two, by what the file begins with.
bool import_file(struct store *store, const char *path, const struct import_options *options,
                 struct import_counts *counts, struct text *why);

#endif
