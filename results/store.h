#ifndef REGATTA_RESULTS_STORE_H
#define REGATTA_RESULTS_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "results/record.h"

// The SQLite store (WAL, one writer): a row a run, a row an attempt; the schema's version inside.
// A run and its attempts are written in one transaction: after a crash a run is there whole or not.

struct store;

// Opens or makes the file; a writable one with an older schema is migrated, of a read-only one the
// newer columns are filled in while reading. NULL and the reason appended to `why`: not a Regatta store, a newer
// schema, no permission, locked …
struct store *store_open(const char *path, bool writable, struct text *why);
void store_close(struct store *store);
// Who is told, once, when a store waits for another process that writes: "FILE: waiting: process N (NAME) is writing to
// it". Of the whole program; NULL = nobody. Any thread that uses a store may call it.
void store_on_wait(void (*tell)(const char *text));
bool store_add(struct store *store, const struct run_record *run, struct text *why);
enum store_added { STORE_FAILED, STORE_ADDED, STORE_KNOWN };
// As store_add, but not when there is a finished run with the same key (see store_has): whoever comes
// second, in another process too, adds nothing and gets STORE_KNOWN.
enum store_added store_add_once(struct store *store, const struct run_record *run,
                                struct text *why);
// Many additions in one transaction: none of them is there before store_end, nor without `keep`.
bool store_begin(struct store *store, struct text *why);
bool store_end(struct store *store, bool keep, struct text *why);
// What makes a run: the task, what was run on it and within which limits. Texts are not owned.
struct run_key {
    const char *task; // its path (task_is_same); NULL = any task that asks this question
    const char *task_digest, *plan_digest;
    double time_limit_seconds;
    unsigned cores;
    uint64_t seed;
};
// Is there already a finished run with this key?
bool store_has(struct store *store, const struct run_key *key);
// The newest of those, to be finished by the caller; false when there is none.
bool store_find(struct store *store, const struct run_key *key, struct run_record *run);
// Writes another expected verdict into all runs of a task that have a different one. False and the reason appended.
bool store_expect(struct store *store, const char *task, const char *task_digest,
                  const char *expected, struct text *why);

struct run_limits {
    double time_seconds, cpu_seconds; // 0 = none
};
// The limits that runs in the store had, each pair once; the caller frees *out by memory_free.
bool store_limits(struct store *store, struct run_limits **out, size_t *count, struct text *why);

// Adds the runs of another store, which has those of one task, with its features; each one once (store_add_once).
bool store_merge(struct store *into, const char *path, struct text *why);

// Calls `each` for every run, oldest first, attempts included; stops when it returns false.
bool store_each(struct store *store, bool (*each)(void *context, const struct run_record *run),
                void *context, struct text *why);
// The same of a file, for reading only.
bool store_each_in(const char *path, bool (*each)(void *context, const struct run_record *run),
                   void *context, struct text *why);
// The features of the tasks, ordered by task digest and name.
bool store_each_feature(struct store *store,
                        bool (*each)(void *context, const char *task_digest, const char *name,
                                     double value),
                        void *context, struct text *why);

#endif
