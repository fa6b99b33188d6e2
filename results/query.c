#include "results/query.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "results/store_inside.h"

static int authorize(void *context, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)context, (void)a, (void)c, (void)d;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

static int used_up(void *budget)
{
    return budget_judge(budget) != BUDGET_DONE;
}

static void fail(struct store *store, struct text *why)
{
    assert(sqlite3_errcode(store->db) != SQLITE_OK);
    int offset = sqlite3_error_offset(store->db);
    text_printf(why, "query:1:%d: %s", offset >= 0 ? offset + 1 : 1, sqlite3_errmsg(store->db));
}

static void take_value(sqlite3_stmt *statement, int i, struct query_value *value,
                       struct text *hexadecimal)
{
    const unsigned char *bytes;
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_NULL:
        *value = (struct query_value){QUERY_NULL, ""};
        break;
    case SQLITE_BLOB:
        text_clear(hexadecimal);
        bytes = sqlite3_column_blob(statement, i);
        for (int k = 0; k < sqlite3_column_bytes(statement, i); k++)
            text_printf(hexadecimal, "%02x", bytes[k]);
        *value = (struct query_value){QUERY_TEXT, text_string(hexadecimal)};
        break;
    case SQLITE_TEXT:
        *value = (struct query_value){QUERY_TEXT, (const char *)sqlite3_column_text(statement, i)};
        break;
    default:
        *value =
            (struct query_value){QUERY_NUMBER, (const char *)sqlite3_column_text(statement, i)};
        break;
    }
    if (value->text == NULL)
        value->text = "";
}

static bool run(struct store *store, sqlite3_stmt *statement,
                bool (*each)(void *context, const struct query_value *values, size_t count),
                void *context, struct text *why)
{
    int count = sqlite3_column_count(statement), step = SQLITE_ROW;
    struct query_value *values = memory_zalloc((size_t)count * sizeof *values);
    struct text *buffers = memory_zalloc((size_t)count * sizeof *buffers);
    for (int i = 0; i < count; i++)
        values[i] = (struct query_value){QUERY_TEXT, sqlite3_column_name(statement, i)};
    bool more = each(context, values, (size_t)count);
    while (more && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < count; i++)
            take_value(statement, i, &values[i], &buffers[i]);
        more = each(context, values, (size_t)count);
    }
    bool good = !more || step == SQLITE_DONE;
    if (!good)
        fail(store, why);
    for (int i = 0; i < count; i++)
        text_finish(&buffers[i]);
    memory_free(buffers);
    memory_free(values);
    return good;
}

bool store_query(struct store *store, const char *sql,
                 bool (*each)(void *context, const struct query_value *values, size_t count),
                 void *context, const struct budget *budget, struct text *why)
{
    enum { STEPS_BETWEEN_LOOKS = 10000 };
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;
    sqlite3_set_authorizer(store->db, authorize, NULL);
    if (budget != NULL)
        sqlite3_progress_handler(store->db, STEPS_BETWEEN_LOOKS, used_up, (void *)budget);
    bool good = sqlite3_prepare_v2(store->db, sql, -1, &statement, &rest) == SQLITE_OK;
    if (!good) {
        fail(store, why);
    } else if (statement == NULL) {
        text_add(why, "query:1:1: found no statement, expected SELECT");
        good = false;
    } else if (rest[strspn(rest, " \t\r\n;")] != '\0') {
        text_printf(why, "query:1:%zu: found a second statement, expected one",
                    (size_t)(rest - sql) + 1);
        good = false;
    }
    good = good && run(store, statement, each, context, why);
    sqlite3_finalize(statement);
    sqlite3_set_authorizer(store->db, NULL, NULL);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    return good;
}
