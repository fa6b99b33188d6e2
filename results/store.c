#include "results/store.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum {
    APPLICATION_ID = 0x52475441, // "RGTA" in the file's header: this is one of ours
    SCHEMA_VERSION = 1,
    BUSY_MS = 10000,
};

struct store {
    sqlite3 *db;
};

// Columns: one line each; tables, insertion and reading are made from these lists.

enum column_kind {
    COLUMN_TEXT,     // char *
    COLUMN_REAL,     // double
    COLUMN_UINT64,   // uint64_t, kept as the signed number of the same bits
    COLUMN_INT64,    // int64_t
    COLUMN_UNSIGNED, // unsigned
    COLUMN_BOOL,     // bool
    COLUMN_VERDICT,  // enum verdict, kept as its name
    COLUMN_REASON,   // enum end_reason, kept as its name
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t offset;
};

#define RUN(kind, name)                                                                            \
    {                                                                                              \
#name, kind, offsetof(struct run_record, name)                                             \
    }
static const struct column RUN_COLUMNS[] = {
    RUN(COLUMN_TEXT, task),
    RUN(COLUMN_TEXT, task_digest),
    RUN(COLUMN_TEXT, property),
    RUN(COLUMN_TEXT, plan),
    RUN(COLUMN_TEXT, plan_digest),
    RUN(COLUMN_TEXT, expected),
    RUN(COLUMN_VERDICT, verdict),
    RUN(COLUMN_BOOL, contradiction),
    RUN(COLUMN_TEXT, status),
    RUN(COLUMN_REAL, load_seconds),
    RUN(COLUMN_REAL, wall_seconds),
    RUN(COLUMN_REAL, cpu_seconds),
    RUN(COLUMN_REAL, stop_latency_seconds),
    RUN(COLUMN_REAL, time_limit_seconds),
    RUN(COLUMN_UNSIGNED, cores),
    RUN(COLUMN_UINT64, seed),
    RUN(COLUMN_INT64, started_epoch_ms),
    RUN(COLUMN_INT64, trace_length),
    RUN(COLUMN_TEXT, host),
    RUN(COLUMN_TEXT, version),
};
#undef RUN

#define ATTEMPT(kind, name)                                                                        \
    {                                                                                              \
#name, kind, offsetof(struct record, name)                                                 \
    }
static const struct column ATTEMPT_COLUMNS[] = {
    ATTEMPT(COLUMN_TEXT, configuration),
    ATTEMPT(COLUMN_TEXT, configuration_text),
    ATTEMPT(COLUMN_TEXT, fingerprint),
    ATTEMPT(COLUMN_UNSIGNED, attempt),
    ATTEMPT(COLUMN_UNSIGNED, lane),
    ATTEMPT(COLUMN_UNSIGNED, step),
    ATTEMPT(COLUMN_UINT64, seed),
    ATTEMPT(COLUMN_TEXT, cpus_asked),
    ATTEMPT(COLUMN_TEXT, cpus_got),
    ATTEMPT(COLUMN_VERDICT, verdict),
    ATTEMPT(COLUMN_REASON, reason),
    ATTEMPT(COLUMN_TEXT, why),
    ATTEMPT(COLUMN_BOOL, winner),
    ATTEMPT(COLUMN_REAL, start_seconds),
    ATTEMPT(COLUMN_REAL, wall_seconds),
    ATTEMPT(COLUMN_REAL, cpu_seconds),
    ATTEMPT(COLUMN_REAL, stop_latency_seconds),
    ATTEMPT(COLUMN_UINT64, peak_bytes),
    ATTEMPT(COLUMN_UINT64, iterations),
    ATTEMPT(COLUMN_UINT64, refinements),
    ATTEMPT(COLUMN_UINT64, nodes),
    ATTEMPT(COLUMN_UINT64, nodes_created),
    ATTEMPT(COLUMN_UINT64, precision),
    ATTEMPT(COLUMN_UINT64, successors),
    ATTEMPT(COLUMN_UINT64, steps),
    ATTEMPT(COLUMN_UINT64, solver_checks),
    ATTEMPT(COLUMN_REAL, solver_seconds),
};
#undef ATTEMPT

enum {
    RUN_COLUMN_COUNT = sizeof RUN_COLUMNS / sizeof RUN_COLUMNS[0],
    ATTEMPT_COLUMN_COUNT = sizeof ATTEMPT_COLUMNS / sizeof ATTEMPT_COLUMNS[0],
};

static const char *column_type(enum column_kind kind)
{
    switch (kind) {
    case COLUMN_TEXT:
    case COLUMN_VERDICT:
    case COLUMN_REASON:
        return "TEXT";
    case COLUMN_REAL:
        return "REAL";
    default:
        return "INTEGER";
    }
}

static void fail(struct store *store, struct text *why)
{
    text_add(why, sqlite3_errmsg(store->db));
}

static bool execute(struct store *store, const char *sql, struct text *why)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    fail(store, why);
    return false;
}

static sqlite3_stmt *prepare(struct store *store, const char *sql, struct text *why)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(store, why);
    return statement;
}

// Opening

static void add_columns(struct text *sql, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(sql, ", \"%s\" %s NOT NULL", columns[i].name, column_type(columns[i].kind));
}

static bool create_schema(struct store *store, struct text *why)
{
    struct text sql;
    text_init(&sql);
    text_add(&sql, "CREATE TABLE run (id INTEGER PRIMARY KEY");
    add_columns(&sql, RUN_COLUMNS, RUN_COLUMN_COUNT);
    text_add(&sql, ");\nCREATE INDEX run_key ON run (task_digest, plan_digest);\n"
                   "CREATE TABLE attempt (id INTEGER PRIMARY KEY, "
                   "run INTEGER NOT NULL REFERENCES run (id)");
    add_columns(&sql, ATTEMPT_COLUMNS, ATTEMPT_COLUMN_COUNT);
    text_printf(&sql,
                ");\nCREATE INDEX attempt_run ON attempt (run);\n"
                "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                APPLICATION_ID, SCHEMA_VERSION);
    bool good = execute(store, text_string(&sql), why);
    text_finish(&sql);
    return good;
}

static bool read_number(struct store *store, const char *sql, int64_t *number, struct text *why)
{
    sqlite3_stmt *statement = prepare(store, sql, why);
    if (statement == NULL)
        return false;
    bool good = sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        *number = sqlite3_column_int64(statement, 0);
    else
        fail(store, why);
    sqlite3_finalize(statement);
    return good;
}

// A file without any table is new: it becomes a store when it may be written.
static bool check_schema(struct store *store, bool writable, struct text *why)
{
    int64_t application = 0, version = 0, tables = 0;
    if (!read_number(store, "PRAGMA application_id", &application, why) ||
        !read_number(store, "PRAGMA user_version", &version, why) ||
        !read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, why))
        return false;
    if (application == 0 && tables == 0 && writable)
        return create_schema(store, why);
    if (application != APPLICATION_ID) {
        text_add(why, "not a store of Regatta");
        return false;
    }
    if (version > SCHEMA_VERSION) {
        text_printf(why, "written by a newer Regatta (schema %d, this program knows %d)",
                    (int)version, SCHEMA_VERSION);
        return false;
    }
    return true;
}

static bool set_up(struct store *store, bool writable, struct text *why)
{
    sqlite3_busy_timeout(store->db, BUSY_MS);
    if (!writable)
        return check_schema(store, false, why);
    // Two programs may open a new file at once: look and create under one lock.
    if (!execute(store, "BEGIN IMMEDIATE", why))
        return false;
    if (!check_schema(store, true, why)) {
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        return false;
    }
    // NORMAL loses nothing when the program is killed; power loss may take the last runs.
    return execute(store, "COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", why);
}

struct store *store_open(const char *path, bool writable, struct text *why)
{
    struct store *store = memory_zalloc(sizeof *store);
    struct text reason;
    text_init(&reason);
    int flags = writable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    bool good = sqlite3_open_v2(path, &store->db, flags, NULL) == SQLITE_OK;
    if (!good)
        text_add(&reason, store->db != NULL ? sqlite3_errmsg(store->db) : "out of memory");
    else
        good = set_up(store, writable, &reason);
    if (!good) {
        text_printf(why, "%s: %s", path, text_string(&reason));
        store_close(store);
        store = NULL;
    }
    text_finish(&reason);
    return store;
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    sqlite3_close(store->db);
    memory_free(store);
}

// Writing

static void bind(sqlite3_stmt *statement, int at, const struct column *column, const void *object)
{
    const void *field = (const char *)object + column->offset;
    switch (column->kind) {
    case COLUMN_TEXT:
        sqlite3_bind_text(statement, at, *(char *const *)field, -1, SQLITE_STATIC);
        break;
    case COLUMN_REAL:
        sqlite3_bind_double(statement, at, *(const double *)field);
        break;
    case COLUMN_UINT64:
        sqlite3_bind_int64(statement, at, (int64_t) * (const uint64_t *)field);
        break;
    case COLUMN_INT64:
        sqlite3_bind_int64(statement, at, *(const int64_t *)field);
        break;
    case COLUMN_UNSIGNED:
        sqlite3_bind_int64(statement, at, *(const unsigned *)field);
        break;
    case COLUMN_BOOL:
        sqlite3_bind_int(statement, at, *(const bool *)field);
        break;
    case COLUMN_VERDICT:
        sqlite3_bind_text(statement, at, verdict_name(*(const enum verdict *)field), -1,
                          SQLITE_STATIC);
        break;
    case COLUMN_REASON:
        sqlite3_bind_text(statement, at, end_reason_name(*(const enum end_reason *)field), -1,
                          SQLITE_STATIC);
        break;
    }
}

static void add_insert(struct text *sql, const char *table, const char *first,
                       const struct column *columns, size_t count)
{
    text_printf(sql, "INSERT INTO %s (%s", table, first != NULL ? first : "");
    for (size_t i = 0; i < count; i++)
        text_printf(sql, "%s\"%s\"", i == 0 && first == NULL ? "" : ", ", columns[i].name);
    text_add(sql, ") VALUES (");
    size_t values = count + (first != NULL ? 1 : 0);
    for (size_t i = 0; i < values; i++)
        text_add(sql, i == 0 ? "?" : ", ?");
    text_add(sql, ")");
}

static bool insert_run(struct store *store, const struct run_record *run, struct text *why)
{
    struct text sql;
    text_init(&sql);
    add_insert(&sql, "run", NULL, RUN_COLUMNS, RUN_COLUMN_COUNT);
    sqlite3_stmt *statement = prepare(store, text_string(&sql), why);
    text_finish(&sql);
    if (statement == NULL)
        return false;
    for (int i = 0; i < RUN_COLUMN_COUNT; i++)
        bind(statement, i + 1, &RUN_COLUMNS[i], run);
    bool good = sqlite3_step(statement) == SQLITE_DONE;
    if (!good)
        fail(store, why);
    sqlite3_finalize(statement);
    return good;
}

static bool insert_attempts(struct store *store, const struct run_record *run, int64_t id,
                            struct text *why)
{
    struct text sql;
    text_init(&sql);
    add_insert(&sql, "attempt", "run", ATTEMPT_COLUMNS, ATTEMPT_COLUMN_COUNT);
    sqlite3_stmt *statement = prepare(store, text_string(&sql), why);
    text_finish(&sql);
    if (statement == NULL)
        return false;
    bool good = true;
    for (size_t a = 0; a < run->attempt_count && good; a++) {
        sqlite3_reset(statement);
        sqlite3_bind_int64(statement, 1, id);
        for (int i = 0; i < ATTEMPT_COLUMN_COUNT; i++)
            bind(statement, i + 2, &ATTEMPT_COLUMNS[i], &run->attempts[a]);
        good = sqlite3_step(statement) == SQLITE_DONE;
    }
    if (!good)
        fail(store, why);
    sqlite3_finalize(statement);
    return good;
}

bool store_add(struct store *store, const struct run_record *run, struct text *why)
{
    if (!execute(store, "BEGIN IMMEDIATE", why))
        return false;
    if (insert_run(store, run, why) &&
        insert_attempts(store, run, sqlite3_last_insert_rowid(store->db), why) &&
        execute(store, "COMMIT", why))
        return true;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

// Reading

bool store_has(struct store *store, const char *task_digest, const char *plan_digest,
               double time_limit_seconds, unsigned cores, uint64_t seed)
{
    struct text why;
    text_init(&why);
    sqlite3_stmt *statement =
        prepare(store,
                "SELECT 1 FROM run WHERE task_digest = ? AND plan_digest = ? AND "
                "time_limit_seconds = ? AND cores = ? AND seed = ? AND status <> ? LIMIT 1",
                &why);
    text_finish(&why);
    if (statement == NULL)
        return false;
    sqlite3_bind_text(statement, 1, task_digest, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, plan_digest, -1, SQLITE_STATIC);
    sqlite3_bind_double(statement, 3, time_limit_seconds);
    sqlite3_bind_int64(statement, 4, cores);
    sqlite3_bind_int64(statement, 5, (int64_t)seed);
    sqlite3_bind_text(statement, 6, RUN_STATUS_INTERRUPTED, -1, SQLITE_STATIC);
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

static void read_text(char **field, sqlite3_stmt *statement, int at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    memory_free(*field);
    *field = memory_strdup(text != NULL ? text : "");
}

static int known(int parsed, int otherwise)
{
    return parsed >= 0 ? parsed : otherwise;
}

static void read_field(sqlite3_stmt *statement, int at, const struct column *column, void *object)
{
    void *field = (char *)object + column->offset;
    const char *text;
    switch (column->kind) {
    case COLUMN_TEXT:
        read_text(field, statement, at);
        break;
    case COLUMN_REAL:
        *(double *)field = sqlite3_column_double(statement, at);
        break;
    case COLUMN_UINT64:
        *(uint64_t *)field = (uint64_t)sqlite3_column_int64(statement, at);
        break;
    case COLUMN_INT64:
        *(int64_t *)field = sqlite3_column_int64(statement, at);
        break;
    case COLUMN_UNSIGNED:
        *(unsigned *)field = (unsigned)sqlite3_column_int64(statement, at);
        break;
    case COLUMN_BOOL:
        *(bool *)field = sqlite3_column_int(statement, at) != 0;
        break;
    case COLUMN_VERDICT:
        text = (const char *)sqlite3_column_text(statement, at);
        *(enum verdict *)field =
            (enum verdict)known(verdict_parse(text != NULL ? text : ""), VERDICT_UNKNOWN);
        break;
    case COLUMN_REASON:
        text = (const char *)sqlite3_column_text(statement, at);
        *(enum end_reason *)field =
            (enum end_reason)known(end_reason_parse(text != NULL ? text : ""), END_NONE);
        break;
    }
}

static void add_select(struct text *sql, const char *table, const struct column *columns,
                       size_t count, const char *rest)
{
    text_add(sql, "SELECT id");
    for (size_t i = 0; i < count; i++)
        text_printf(sql, ", \"%s\"", columns[i].name);
    text_printf(sql, " FROM %s %s", table, rest);
}

static bool read_attempts(struct store *store, sqlite3_stmt *attempts, int64_t id,
                          struct run_record *run, struct text *why)
{
    size_t capacity = 0;
    int step;
    sqlite3_reset(attempts);
    sqlite3_bind_int64(attempts, 1, id);
    while ((step = sqlite3_step(attempts)) == SQLITE_ROW) {
        if (run->attempt_count == capacity) {
            capacity = capacity != 0 ? 2 * capacity : 4;
            run->attempts = memory_realloc(run->attempts, capacity * sizeof *run->attempts);
        }
        struct record *record = &run->attempts[run->attempt_count++];
        record_init(record);
        for (int i = 0; i < ATTEMPT_COLUMN_COUNT; i++)
            read_field(attempts, i + 1, &ATTEMPT_COLUMNS[i], record);
    }
    if (step != SQLITE_DONE)
        fail(store, why);
    return step == SQLITE_DONE;
}

static bool each_run(struct store *store, sqlite3_stmt *runs, sqlite3_stmt *attempts,
                     bool (*each)(void *context, const struct run_record *run), void *context,
                     struct text *why)
{
    int step;
    while ((step = sqlite3_step(runs)) == SQLITE_ROW) {
        struct run_record run;
        run_record_init(&run);
        for (int i = 0; i < RUN_COLUMN_COUNT; i++)
            read_field(runs, i + 1, &RUN_COLUMNS[i], &run);
        bool good = read_attempts(store, attempts, sqlite3_column_int64(runs, 0), &run, why);
        bool more = good && each(context, &run);
        run_record_finish(&run);
        if (!more)
            return good;
    }
    if (step != SQLITE_DONE)
        fail(store, why);
    return step == SQLITE_DONE;
}

bool store_each(struct store *store, bool (*each)(void *context, const struct run_record *run),
                void *context, struct text *why)
{
    struct text sql;
    text_init(&sql);
    add_select(&sql, "run", RUN_COLUMNS, RUN_COLUMN_COUNT, "ORDER BY id");
    sqlite3_stmt *runs = prepare(store, text_string(&sql), why);
    text_clear(&sql);
    add_select(&sql, "attempt", ATTEMPT_COLUMNS, ATTEMPT_COLUMN_COUNT, "WHERE run = ? ORDER BY id");
    sqlite3_stmt *attempts = runs != NULL ? prepare(store, text_string(&sql), why) : NULL;
    text_finish(&sql);
    bool good =
        runs != NULL && attempts != NULL && each_run(store, runs, attempts, each, context, why);
    sqlite3_finalize(runs);
    sqlite3_finalize(attempts);
    return good;
}
