#ifndef REGATTA_RESULTS_STORE_H
#define REGATTA_RESULTS_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "results/record.h"

// The SQLite store (WAL, one writer): a row a run, a row an attempt; the schema's version inside.
// A run and its attempts are written in one transaction: after a crash a run is there whole or not.

struct store;

// Opens or makes the file. NULL and the reason appended to `why`: not a Regatta store, a newer
// schema, no permission, locked …
struct store *store_open(const char *path, bool writable, struct text *why);
void store_close(struct store *store);
bool store_add(struct store *store, const struct run_record *run, struct text *why);
// Is there already a finished run of this task (digest), plan digest, limits and repetition?
bool store_has(struct store *store, const char *task_digest, const char *plan_digest,
               double time_limit_seconds, unsigned cores, uint64_t seed);

// Calls `each` for every run, oldest first, attempts included; stops when it returns false.
bool store_each(struct store *store, bool (*each)(void *context, const struct run_record *run),
                void *context, struct text *why);

#endif
