#ifndef REGATTA_RESULTS_STORE_INSIDE_H
#define REGATTA_RESULTS_STORE_INSIDE_H

#include <sqlite3.h>

#include "results/store.h"

// Private to results: what the parts of the store share.

enum {
    STORE_APPLICATION_ID = 0x52475441, // "RGTA" in the file's header: this is one of ours
    STORE_SCHEMA_VERSION = 7,
    STORE_BUSY_MS = 60000, // how long to wait for another writer
};

struct store {
    sqlite3 *db;
    char *path;
    int version; // of the file's schema: older than ours only when it may not be written
    sqlite3_stmt *insert_run, *insert_attempt, *insert_feature; // NULL until needed
    bool batch;                                                 // store_begin … store_end
};

// SQLite's busy handler; `context` is the store (store_wait.c).
int store_wait(void *context, int times);
// "process N (NAME) is writing to it"
void store_describe_lock(const char *path, struct text *out);

void store_fail(struct store *store, struct text *why);
bool store_execute(struct store *store, const char *sql, struct text *why);
sqlite3_stmt *store_prepare(struct store *store, const char *sql, struct text *why);

// Columns (store_columns.c): one line each; tables, migration, insertion and reading are made from
// these lists.

enum column_kind {
    COLUMN_TEXT,     // char *
    COLUMN_REAL,     // double
    COLUMN_UINT64,   // uint64_t, kept as the signed number of the same bits
    COLUMN_INT64,    // int64_t
    COLUMN_UNSIGNED, // unsigned
    COLUMN_BOOL,     // bool
    COLUMN_VERDICT,  // enum verdict, kept as its name
    COLUMN_REASON,   // enum end_reason, kept as its name
    COLUMN_CHECK,    // enum check, kept as its name
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t offset;
    int since;          // the first schema that has it
    const char *before; // SQL: its value in a row of an older schema
};

extern const struct column store_run_columns[], store_attempt_columns[];
extern const size_t store_run_column_count, store_attempt_column_count;

const char *column_type(const struct column *column);
void column_bind(sqlite3_stmt *statement, int at, const struct column *column, const void *object);
// Files are input: what is NULL there reads as "".
const char *column_text(sqlite3_stmt *statement, int at);
void column_read(sqlite3_stmt *statement, int at, const struct column *column, void *object);

// Makes, checks and migrates the schema (store_schema.c); sets store->version. Under the lock of
// a transaction when `writable`.
bool store_check_schema(struct store *store, bool writable, struct text *why);

#endif
