#ifndef REGATTA_RESULTS_IMPORTING_INSIDE_H
#define REGATTA_RESULTS_IMPORTING_INSIDE_H

#include "base/vector.h"
#include "results/importing.h"

// Private to results: what both kinds of import share.

struct known_task {
    char *name, *path, *digest;
};

struct importer {
    struct store *store;
    const struct import_options *options;
    struct import_counts counts;
    VECTOR(struct known_task) tasks; // of the store, by name
    const char *configuration;       // the options of the run that is added; NULL or "" = not told
};

// Begins a transaction; finish ends it, keeping what was added when `good`.
bool importer_begin(struct importer *importer, struct store *store,
                    const struct import_options *options, struct text *why);
bool importer_finish(struct importer *importer, bool good, struct text *why);

// A status as tools write it ("true", "false(unreach-call)", "TIMEOUT", "OUT OF MEMORY", "unknown", "ERROR (1)",
// and our verdicts and reasons) into verdict and reason. False when it is empty.
bool import_status(struct run_record *run, const char *status);
// "true", "safe", "true(…)" -> "safe"; likewise "unsafe"; "" for anything else.
const char *import_expected(const char *text);
// Fills in what follows from the rest (digests, family, the one attempt with `status` as its words) and adds it.
bool importer_add(struct importer *importer, struct run_record *run, const char *status,
                  struct text *why);

#endif
