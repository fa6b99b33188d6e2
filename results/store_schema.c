#include "results/store_inside.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"

// Making

static void add_columns(struct text *sql, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(sql, ", \"%s\" %s NOT NULL", columns[i].name, column_type(&columns[i]));
}

static void add_feature_table(struct text *sql)
{
    text_add(sql, "CREATE TABLE feature (task_digest TEXT NOT NULL, name TEXT NOT NULL, "
                  "value REAL NOT NULL, PRIMARY KEY (task_digest, name)) WITHOUT ROWID;\n");
}

static bool create_schema(struct store *store, struct text *why)
{
    struct text sql;
    text_init(&sql);
    text_add(&sql, "CREATE TABLE run (id INTEGER PRIMARY KEY");
    add_columns(&sql, store_run_columns, store_run_column_count);
    text_add(&sql, ");\nCREATE INDEX run_key ON run (task_digest, plan_digest);\n"
                   "CREATE TABLE attempt (id INTEGER PRIMARY KEY, "
                   "run INTEGER NOT NULL REFERENCES run (id)");
    add_columns(&sql, store_attempt_columns, store_attempt_column_count);
    text_add(&sql, ");\nCREATE INDEX attempt_run ON attempt (run);\n");
    add_feature_table(&sql);
    text_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;", STORE_APPLICATION_ID,
                STORE_SCHEMA_VERSION);
    bool good = store_execute(store, text_string(&sql), why);
    text_finish(&sql);
    return good;
}

// Migration: one step for each version, within the transaction that found the old one. What
// an older program wrote stays; new columns get what can be told from the rest of the row.

static const char *constant_of(const struct column *column)
{
    return column_type(column)[0] == 'T' ? "''" : "0";
}

static void add_new_columns(struct text *sql, const char *table, const struct column *columns,
                            size_t count, int version)
{
    char update[40];
    snprintf(update, sizeof update, "UPDATE %s SET ", table);
    for (size_t i = 0; i < count; i++) {
        const struct column *column = &columns[i];
        assert(column->since != version || column->before != NULL);
        if (column->since == version)
            text_printf(sql, "ALTER TABLE %s ADD COLUMN \"%s\" %s NOT NULL DEFAULT %s;\n", table,
                        column->name, column_type(column), constant_of(column));
    }
    size_t set = 0;
    for (size_t i = 0; i < count; i++)
        if (columns[i].since == version)
            text_printf(sql, "%s\"%s\" = %s", set++ == 0 ? update : ", ", columns[i].name,
                        columns[i].before);
    text_add(sql, set > 0 ? ";\n" : "");
}

static bool migrate(struct store *store, struct text *why)
{
    assert(store->version < STORE_SCHEMA_VERSION);
    struct text sql;
    text_init(&sql);
    for (int version = store->version + 1; version <= STORE_SCHEMA_VERSION; version++) {
        add_new_columns(&sql, "run", store_run_columns, store_run_column_count, version);
        add_new_columns(&sql, "attempt", store_attempt_columns, store_attempt_column_count,
                        version);
        if (version == 2)
            add_feature_table(&sql);
    }
    text_printf(&sql, "PRAGMA user_version = %d;", STORE_SCHEMA_VERSION);
    bool good = store_execute(store, text_string(&sql), why);
    text_finish(&sql);
    if (good)
        store->version = STORE_SCHEMA_VERSION;
    return good;
}

// Checking

static bool read_number(struct store *store, const char *sql, int64_t *number, struct text *why)
{
    sqlite3_stmt *statement = store_prepare(store, sql, why);
    if (statement == NULL)
        return false;
    bool good = sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        *number = sqlite3_column_int64(statement, 0);
    else
        store_fail(store, why);
    sqlite3_finalize(statement);
    return good;
}

// SQL's task_family(path), for rows of older schemas.
static void sql_family(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *path = (const char *)sqlite3_value_text(values[0]);
    char *family = task_family(path != NULL ? path : "");
    sqlite3_result_text(context, family, -1, SQLITE_TRANSIENT);
    memory_free(family);
}

// A file without any table is new: it becomes a store when it may be written.
bool store_check_schema(struct store *store, bool writable, struct text *why)
{
    int64_t application = 0, version = 0, tables = 0;
    store->version = STORE_SCHEMA_VERSION;
    if (!read_number(store, "PRAGMA application_id", &application, why) ||
        !read_number(store, "PRAGMA user_version", &version, why) ||
        !read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, why))
        return false;
    if (application == 0 && tables == 0 && writable)
        return create_schema(store, why);
    if (application != STORE_APPLICATION_ID || version < 1) {
        text_add(why, "not a store of Regatta");
        return false;
    }
    if (version > STORE_SCHEMA_VERSION) {
        text_printf(why, "written by a newer Regatta (schema %d, this program knows %d)",
                    (int)version, STORE_SCHEMA_VERSION);
        return false;
    }
    store->version = (int)version;
    if (version == STORE_SCHEMA_VERSION)
        return true;
    sqlite3_create_function(store->db, "task_family", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                            sql_family, NULL, NULL);
    return !writable || migrate(store, why);
}
