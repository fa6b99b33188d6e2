#include "results/store_inside.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/vector.h"

void store_fail(struct store *store, struct text *why)
{
    text_add(why, sqlite3_errmsg(store->db));
    if (sqlite3_errcode(store->db) == SQLITE_BUSY) {
        text_add(why, ": ");
        store_describe_lock(store->path, why);
    }
}

bool store_execute(struct store *store, const char *sql, struct text *why)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    store_fail(store, why);
    return false;
}

sqlite3_stmt *store_prepare(struct store *store, const char *sql, struct text *why)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        store_fail(store, why);
    return statement;
}

// Opening

// SQL's same_task(path, path).
static void sql_same_task(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *path = (const char *)sqlite3_value_text(values[0]);
    const char *other = (const char *)sqlite3_value_text(values[1]);
    sqlite3_result_int(context, path != NULL && other != NULL && task_is_same(path, other));
}

static bool set_up(struct store *store, bool writable, struct text *why)
{
    sqlite3_busy_handler(store->db, store_wait, store);
    sqlite3_create_function(store->db, "same_task", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                            sql_same_task, NULL, NULL);
    if (!writable)
        return store_check_schema(store, false, why);
    // Two programs may open a file at once: look, create and migrate under one lock.
    if (!store_execute(store, "BEGIN IMMEDIATE", why))
        return false;
    if (!store_check_schema(store, true, why)) {
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        return false;
    }
    // FULL: what was added is there after a power cut too; a sync a run costs little beside the run.
    return store_execute(store, "COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;",
                         why);
}

static bool open_file(struct store *store, const char *path, int flags, struct text *why)
{
    bool good = sqlite3_open_v2(path, &store->db, flags, NULL) == SQLITE_OK;
    if (!good)
        text_add(why, store->db != NULL ? sqlite3_errmsg(store->db) : "out of memory");
    return good && set_up(store, (flags & SQLITE_OPEN_READWRITE) != 0, why);
}

// A store in a folder that cannot be written has no place for the files beside it that readers share. Nobody writes it, as
// long as there is no log of a writer's beside it.
static bool open_immutable(struct store *store, const char *path, struct text *why)
{
    struct text words;
    text_init(&words);
    text_printf(&words, "%s-wal", path);
    bool quiet = access(path, R_OK) == 0 && access(text_string(&words), F_OK) != 0;
    text_clear(&words);
    text_add(&words, "file:");
    for (const char *c = path; *c != '\0'; c++)
        text_printf(&words, strchr("%?#", *c) != NULL ? "%%%02x" : "%c", (unsigned char)*c);
    text_add(&words, "?immutable=1");
    bool good =
        quiet && open_file(store, text_string(&words), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, why);
    text_finish(&words);
    return good;
}

struct store *store_open(const char *path, bool writable, struct text *why)
{
    struct store *store = memory_zalloc(sizeof *store);
    store->path = memory_strdup(path);
    struct text reason, second;
    text_init(&reason);
    text_init(&second);
    bool good = open_file(
        store, path, writable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY,
        &reason);
    int error = sqlite3_errcode(store->db) & 0xff;
    if (!good && !writable && (error == SQLITE_CANTOPEN || error == SQLITE_READONLY)) {
        sqlite3_close(store->db);
        store->db = NULL;
        good = open_immutable(store, path, &second);
    }
    assert(!good || (store->version >= 1 && store->version <= STORE_SCHEMA_VERSION));
    text_finish(&second);
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
    sqlite3_finalize(store->insert_run);
    sqlite3_finalize(store->insert_attempt);
    sqlite3_finalize(store->insert_feature);
    sqlite3_close(store->db);
    memory_free(store->path);
    memory_free(store);
}

// Writing

static sqlite3_stmt *prepare_insert(struct store *store, const char *table, const char *first,
                                    const struct column *columns, size_t count, struct text *why)
{
    assert(count > 0);
    struct text sql;
    text_init(&sql);
    text_printf(&sql, "INSERT INTO %s (%s", table, first != NULL ? first : "");
    for (size_t i = 0; i < count; i++)
        text_printf(&sql, "%s\"%s\"", i == 0 && first == NULL ? "" : ", ", columns[i].name);
    text_add(&sql, ") VALUES (");
    size_t values = count + (first != NULL ? 1 : 0);
    for (size_t i = 0; i < values; i++)
        text_add(&sql, i == 0 ? "?" : ", ?");
    text_add(&sql, ")");
    sqlite3_stmt *statement = store_prepare(store, text_string(&sql), why);
    text_finish(&sql);
    return statement;
}

static bool prepare_inserts(struct store *store, struct text *why)
{
    if (store->insert_feature != NULL)
        return true;
    if (store->insert_run == NULL)
        store->insert_run =
            prepare_insert(store, "run", NULL, store_run_columns, store_run_column_count, why);
    if (store->insert_run != NULL && store->insert_attempt == NULL)
        store->insert_attempt = prepare_insert(store, "attempt", "run", store_attempt_columns,
                                               store_attempt_column_count, why);
    if (store->insert_attempt != NULL)
        store->insert_feature = store_prepare(
            store, "INSERT OR REPLACE INTO feature (task_digest, name, value) VALUES (?, ?, ?)",
            why);
    return store->insert_feature != NULL;
}

// The statement's values stay the caller's: reset before they go.
static bool finish_insert(struct store *store, sqlite3_stmt *statement, struct text *why)
{
    bool good = sqlite3_step(statement) == SQLITE_DONE;
    if (!good)
        store_fail(store, why);
    sqlite3_reset(statement);
    return good;
}

static bool insert_run(struct store *store, const struct run_record *run, struct text *why)
{
    for (size_t i = 0; i < store_run_column_count; i++)
        column_bind(store->insert_run, (int)i + 1, &store_run_columns[i], run);
    return finish_insert(store, store->insert_run, why);
}

static bool insert_attempts(struct store *store, const struct run_record *run, int64_t id,
                            struct text *why)
{
    bool good = true;
    for (size_t a = 0; a < run->attempt_count && good; a++) {
        sqlite3_bind_int64(store->insert_attempt, 1, id);
        for (size_t i = 0; i < store_attempt_column_count; i++)
            column_bind(store->insert_attempt, (int)i + 2, &store_attempt_columns[i],
                        &run->attempts[a]);
        good = finish_insert(store, store->insert_attempt, why);
    }
    return good;
}

static bool insert_features(struct store *store, const struct run_record *run, struct text *why)
{
    assert(run->feature_count == 0 || run->features != NULL);
    bool good = true;
    for (size_t i = 0; i < run->feature_count && good; i++) {
        sqlite3_bind_text(store->insert_feature, 1, run->task_digest, -1, SQLITE_STATIC);
        sqlite3_bind_text(store->insert_feature, 2, run->features[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_double(store->insert_feature, 3, run->features[i].value);
        good = finish_insert(store, store->insert_feature, why);
    }
    return good;
}

static bool insert(struct store *store, const struct run_record *run, struct text *why)
{
    return prepare_inserts(store, why) && insert_run(store, run, why) &&
           insert_attempts(store, run, sqlite3_last_insert_rowid(store->db), why) &&
           insert_features(store, run, why);
}

bool store_begin(struct store *store, struct text *why)
{
    assert(!store->batch && "batches are not nested");
    store->batch = store_execute(store, "BEGIN IMMEDIATE", why);
    return store->batch;
}

bool store_end(struct store *store, bool keep, struct text *why)
{
    store->batch = false;
    if (keep && store_execute(store, "COMMIT", why))
        return true;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return !keep;
}

static enum store_added add(struct store *store, const struct run_record *run, bool once,
                            struct text *why)
{
    bool own = !store->batch;
    if (own && !store_execute(store, "BEGIN IMMEDIATE", why))
        return STORE_FAILED;
    enum store_added added = STORE_ADDED;
    const struct run_key key = {
        .task = run->task,
        .task_digest = run->task_digest,
        .plan_digest = run->plan_digest,
        .time_limit_seconds = run->time_limit_seconds,
        .cores = run->cores,
        .seed = run->seed,
    };
    if (once && store_has(store, &key))
        added = STORE_KNOWN;
    else if (!insert(store, run, why))
        added = STORE_FAILED;
    if (own && added != STORE_FAILED && !store_execute(store, "COMMIT", why))
        added = STORE_FAILED;
    if (own && added == STORE_FAILED)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return added;
}

bool store_add(struct store *store, const struct run_record *run, struct text *why)
{
    return add(store, run, false, why) == STORE_ADDED;
}

enum store_added store_add_once(struct store *store, const struct run_record *run, struct text *why)
{
    return add(store, run, true, why);
}

bool store_expect(struct store *store, const char *task, const char *task_digest,
                  const char *expected, struct text *why)
{
    sqlite3_stmt *statement =
        store_prepare(store,
                      "UPDATE run SET expected = ?1 WHERE task_digest = ?2 AND expected <> ?1 AND "
                      "same_task(task, ?3)",
                      why);
    if (statement == NULL)
        return false;
    sqlite3_bind_text(statement, 1, expected, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, task_digest, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, task, -1, SQLITE_STATIC);
    bool good = finish_insert(store, statement, why);
    sqlite3_finalize(statement);
    return good;
}

// Reading

static void add_select(struct text *sql, const struct store *store, const char *table,
                       const struct column *columns, size_t count, const char *rest)
{
    text_add(sql, "SELECT id");
    for (size_t i = 0; i < count; i++)
        if (columns[i].since <= store->version)
            text_printf(sql, ", \"%s\"", columns[i].name);
        else
            text_printf(sql, ", %s", columns[i].before);
    text_printf(sql, " FROM %s %s", table, rest);
}

// An interrupted run is not a finished one.
static sqlite3_stmt *select_finished(struct store *store, const struct run_key *key, bool whole,
                                     struct text *why)
{
    assert(key->task_digest != NULL && key->plan_digest != NULL && "only the task may be left out");
    static const char KEY[] = "WHERE task_digest = ? AND plan_digest = ? AND "
                              "time_limit_seconds = ? AND cores = ? AND seed = ? AND "
                              "(?6 IS NULL OR same_task(task, ?6)) AND "
                              "status <> '" RUN_STATUS_INTERRUPTED "' ORDER BY id DESC LIMIT 1";
    struct text sql;
    text_init(&sql);
    if (whole)
        add_select(&sql, store, "run", store_run_columns, store_run_column_count, KEY);
    else
        text_printf(&sql, "SELECT id FROM run %s", KEY);
    sqlite3_stmt *statement = store_prepare(store, text_string(&sql), why);
    text_finish(&sql);
    if (statement == NULL)
        return NULL;
    sqlite3_bind_text(statement, 1, key->task_digest, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, key->plan_digest, -1, SQLITE_STATIC);
    sqlite3_bind_double(statement, 3, key->time_limit_seconds);
    sqlite3_bind_int64(statement, 4, key->cores);
    sqlite3_bind_int64(statement, 5, (int64_t)key->seed);
    if (key->task != NULL)
        sqlite3_bind_text(statement, 6, key->task, -1, SQLITE_STATIC);
    return statement;
}

// Under load SQLite gives up taking part in a file that others write to (SQLITE_PROTOCOL, SQLITE_BUSY); that says nothing
// about what is in it.
static bool has_row(sqlite3_stmt *statement)
{
    enum { TRIES = 100, SLEEP_MS = 50 };
    for (int i = 0; i < TRIES; i++) {
        int step = sqlite3_step(statement);
        if (step == SQLITE_ROW || step == SQLITE_DONE)
            return step == SQLITE_ROW;
        sqlite3_reset(statement);
        sqlite3_sleep(SLEEP_MS);
    }
    return false;
}

bool store_has(struct store *store, const struct run_key *key)
{
    struct text why;
    text_init(&why);
    sqlite3_stmt *statement = select_finished(store, key, false, &why);
    text_finish(&why);
    bool found = statement != NULL && has_row(statement);
    sqlite3_finalize(statement);
    return found;
}

bool store_limits(struct store *store, struct run_limits **out, size_t *count, struct text *why)
{
    VECTOR(struct run_limits) found = {0};
    sqlite3_stmt *rows = store_prepare(
        store, "SELECT DISTINCT time_limit_seconds, cpu_limit_seconds FROM run ORDER BY 1, 2", why);
    if (rows == NULL)
        return false;
    int step;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        struct run_limits limits = {sqlite3_column_double(rows, 0), sqlite3_column_double(rows, 1)};
        VECTOR_PUSH(&found, limits);
    }
    bool good = step == SQLITE_DONE;
    if (!good)
        store_fail(store, why);
    sqlite3_finalize(rows);
    if (!good) {
        VECTOR_FINISH(&found);
        return false;
    }
    *out = found.data;
    *count = found.count;
    return true;
}

static sqlite3_stmt *select_attempts(struct store *store, struct text *why)
{
    struct text sql;
    text_init(&sql);
    add_select(&sql, store, "attempt", store_attempt_columns, store_attempt_column_count,
               "WHERE run = ? ORDER BY id");
    sqlite3_stmt *attempts = store_prepare(store, text_string(&sql), why);
    text_finish(&sql);
    return attempts;
}

static bool read_attempts(struct store *store, sqlite3_stmt *attempts, int64_t id,
                          struct run_record *run, struct text *why)
{
    assert(run->attempt_count == 0 && run->attempts == NULL);
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
        for (size_t i = 0; i < store_attempt_column_count; i++)
            column_read(attempts, (int)i + 1, &store_attempt_columns[i], record);
    }
    if (step != SQLITE_DONE)
        store_fail(store, why);
    return step == SQLITE_DONE;
}

// The row that `runs` is at.
static bool read_run(struct store *store, sqlite3_stmt *runs, sqlite3_stmt *attempts,
                     struct run_record *run, struct text *why)
{
    run_record_init(run);
    for (size_t i = 0; i < store_run_column_count; i++)
        column_read(runs, (int)i + 1, &store_run_columns[i], run);
    return read_attempts(store, attempts, sqlite3_column_int64(runs, 0), run, why);
}

bool store_find(struct store *store, const struct run_key *key, struct run_record *run)
{
    struct text why;
    text_init(&why);
    sqlite3_stmt *runs = select_finished(store, key, true, &why);
    sqlite3_stmt *attempts = runs != NULL ? select_attempts(store, &why) : NULL;
    bool found = attempts != NULL && has_row(runs);
    if (found && !read_run(store, runs, attempts, run, &why)) {
        run_record_finish(run);
        found = false;
    }
    sqlite3_finalize(runs);
    sqlite3_finalize(attempts);
    text_finish(&why);
    return found;
}

static bool each_run(struct store *store, sqlite3_stmt *runs, sqlite3_stmt *attempts,
                     bool (*each)(void *context, const struct run_record *run), void *context,
                     struct text *why)
{
    int step;
    while ((step = sqlite3_step(runs)) == SQLITE_ROW) {
        struct run_record run;
        bool good = read_run(store, runs, attempts, &run, why);
        bool more = good && each(context, &run);
        run_record_finish(&run);
        if (!more)
            return good;
    }
    if (step != SQLITE_DONE)
        store_fail(store, why);
    return step == SQLITE_DONE;
}

bool store_each(struct store *store, bool (*each)(void *context, const struct run_record *run),
                void *context, struct text *why)
{
    struct text sql;
    text_init(&sql);
    add_select(&sql, store, "run", store_run_columns, store_run_column_count, "ORDER BY id");
    sqlite3_stmt *runs = store_prepare(store, text_string(&sql), why);
    text_finish(&sql);
    sqlite3_stmt *attempts = runs != NULL ? select_attempts(store, why) : NULL;
    bool good = attempts != NULL && each_run(store, runs, attempts, each, context, why);
    sqlite3_finalize(runs);
    sqlite3_finalize(attempts);
    return good;
}

bool store_each_in(const char *path, bool (*each)(void *context, const struct run_record *run),
                   void *context, struct text *why)
{
    struct store *store = store_open(path, false, why);
    bool good = store != NULL && store_each(store, each, context, why);
    store_close(store);
    return good;
}

bool store_each_feature(struct store *store,
                        bool (*each)(void *context, const char *task_digest, const char *name,
                                     double value),
                        void *context, struct text *why)
{
    if (store->version < 2)
        return true; // had none
    sqlite3_stmt *rows = store_prepare(
        store, "SELECT task_digest, name, value FROM feature ORDER BY task_digest, name", why);
    if (rows == NULL)
        return false;
    int step;
    bool more = true;
    while (more && (step = sqlite3_step(rows)) == SQLITE_ROW)
        more = each(context, column_text(rows, 0), column_text(rows, 1),
                    sqlite3_column_double(rows, 2));
    bool good = !more || step == SQLITE_DONE;
    if (!good)
        store_fail(store, why);
    sqlite3_finalize(rows);
    return good;
}
