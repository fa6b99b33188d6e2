#include "results/store_inside.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "base/memory.h"

// Seeds of a bench count up from one repetition to the next.
#define REPETITION_BEFORE                                                                          \
    "(SELECT count(DISTINCT o.seed) FROM run o WHERE o.task_digest = run.task_digest AND "         \
    "o.plan_digest = run.plan_digest AND o.time_limit_seconds = run.time_limit_seconds AND "       \
    "o.cores = run.cores AND o.seed < run.seed)"

// The most telling reason of its attempts, as the race says it.
#define REASON_BEFORE                                                                              \
    "CASE WHEN run.verdict <> 'unknown' THEN 'solved' ELSE coalesce((SELECT a.reason FROM "        \
    "attempt a WHERE a.run = run.id ORDER BY CASE a.reason WHEN 'interrupted' THEN 0 WHEN "        \
    "'internal' THEN 1 WHEN 'timeout' THEN 2 WHEN 'memory' THEN 3 WHEN 'stalled' THEN 4 WHEN "     \
    "'steps' THEN 5 WHEN 'solver_error' THEN 6 WHEN 'crashed' THEN 7 WHEN 'unknown' THEN 8 "       \
    "ELSE 9 END LIMIT 1), 'none') END"

// What records said in words before. A safe verdict without a word may not have been asked to be checked.
#define CHECKED_BEFORE(why)                                                                        \
    "CASE WHEN verdict = 'unsafe' THEN 'yes' WHEN verdict <> 'safe' THEN '' "                      \
    "WHEN " why " LIKE '%prepared model only%' THEN 'prepared' "                                   \
    "WHEN " why " LIKE '%not certified%' OR " why " LIKE '%could not be checked%' OR " why         \
    " LIKE '%was not checked%' THEN 'no' ELSE '' END"
#define WINNER_SAID "coalesce((SELECT a.why FROM attempt a WHERE a.run = run.id AND a.winner), '')"
#define NO_WINNER /* imported */                                                                   \
    "NOT EXISTS (SELECT 1 FROM attempt a WHERE a.run = run.id AND a.winner)"

// clang-format off
#define RUN(kind, name) {#name, kind, offsetof(struct run_record, name), 1, NULL}
#define RUN_SINCE(since, kind, name, before)                                                       \
    {#name, kind, offsetof(struct run_record, name), since, before}
#define DISTURBANCE(kind, name)                                                                    \
    {#name, kind, offsetof(struct run_record, disturbance.name), 2, "-1"}
const struct column store_run_columns[] = {
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
    RUN_SINCE(2, COLUMN_TEXT, family, "task_family(run.task)"),
    RUN_SINCE(2, COLUMN_TEXT, tool, "'" RUN_TOOL "'"),
    RUN_SINCE(2, COLUMN_REASON, reason, REASON_BEFORE),
    RUN_SINCE(2, COLUMN_UNSIGNED, repetition, REPETITION_BEFORE),
    RUN_SINCE(2, COLUMN_UNSIGNED, job, "0"),
    RUN_SINCE(2, COLUMN_TEXT, cpus, "''"),
    RUN_SINCE(2, COLUMN_UINT64, memory_limit_bytes, "0"),
    RUN_SINCE(2, COLUMN_UINT64, peak_bytes, "0"),
    RUN_SINCE(4, COLUMN_REAL, cpu_limit_seconds, "0"),
    RUN_SINCE(6, COLUMN_CHECK, checked,
              "CASE WHEN " NO_WINNER " THEN '' ELSE " CHECKED_BEFORE(WINNER_SAID) " END"),
    RUN_SINCE(7, COLUMN_TEXT, machine_system, "''"),
    RUN_SINCE(7, COLUMN_TEXT, machine_cpu, "''"),
    RUN_SINCE(7, COLUMN_UINT64, machine_memory_bytes, "0"),
    DISTURBANCE(COLUMN_REAL, foreign_cpu_seconds),
    DISTURBANCE(COLUMN_REAL, stolen_seconds),
    DISTURBANCE(COLUMN_INT64, swapped_pages),
    DISTURBANCE(COLUMN_INT64, throttle_events),
};
#undef RUN
#undef RUN_SINCE
#undef DISTURBANCE

#define ATTEMPT(kind, name) {#name, kind, offsetof(struct record, name), 1, NULL}
const struct column store_attempt_columns[] = {
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
    {"checked", COLUMN_CHECK, offsetof(struct record, checked), 6, CHECKED_BEFORE("why")},
    {"checker", COLUMN_TEXT, offsetof(struct record, checker), 6, "''"},
    {"check_seconds", COLUMN_REAL, offsetof(struct record, check_seconds), 6, "0"},
#define X(constant, name, since, meaning)                                                          \
    {#name "_lookups", COLUMN_UINT64, offsetof(struct record, cache_lookups[constant]), since, "0"},\
    {#name "_hits", COLUMN_UINT64, offsetof(struct record, cache_hits[constant]), since, "0"},
    CACHES(X)
#undef X
    {"monitor_seconds", COLUMN_REAL, offsetof(struct record, monitor_seconds), 7, "0"},
    {"spared_seconds", COLUMN_REAL, offsetof(struct record, spared_seconds), 7, "0"},
};
#undef ATTEMPT
// clang-format on

const size_t store_run_column_count = sizeof store_run_columns / sizeof store_run_columns[0];
const size_t store_attempt_column_count =
    sizeof store_attempt_columns / sizeof store_attempt_columns[0];

const char *column_type(const struct column *column)
{
    switch (column->kind) {
    case COLUMN_TEXT:
    case COLUMN_VERDICT:
    case COLUMN_REASON:
    case COLUMN_CHECK:
        return "TEXT";
    case COLUMN_REAL:
        return "REAL";
    default:
        return "INTEGER";
    }
}

void column_bind(sqlite3_stmt *statement, int at, const struct column *column, const void *object)
{
    const void *field = (const char *)object + column->offset;
    switch (column->kind) {
    case COLUMN_TEXT:
        assert(*(char *const *)field != NULL);
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
    case COLUMN_CHECK:
        sqlite3_bind_text(statement, at, check_name(*(const enum check *)field), -1, SQLITE_STATIC);
        break;
    }
}

const char *column_text(sqlite3_stmt *statement, int at)
{
    const unsigned char *text = sqlite3_column_text(statement, at);
    return text != NULL ? (const char *)text : "";
}

static void read_text(char **field, sqlite3_stmt *statement, int at)
{
    assert(*field != NULL && "a record begins with empty texts");
    char *text = memory_strdup(column_text(statement, at));
    memory_free(*field);
    *field = text;
}

static int known(int parsed, int otherwise)
{
    return parsed >= 0 ? parsed : otherwise;
}

void column_read(sqlite3_stmt *statement, int at, const struct column *column, void *object)
{
    void *field = (char *)object + column->offset;
    const char *text;
    switch (column->kind) {
    case COLUMN_TEXT:
        read_text(field, statement, at);
        break;
    case COLUMN_REAL:
        *(double *)field = sqlite3_column_double(statement, at);
        if (!isfinite(*(double *)field))
            *(double *)field = 0;
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
        text = column_text(statement, at);
        *(enum verdict *)field = (enum verdict)known(verdict_parse(text), VERDICT_UNKNOWN);
        break;
    case COLUMN_REASON:
        text = column_text(statement, at);
        *(enum end_reason *)field = (enum end_reason)known(end_reason_parse(text), END_NONE);
        break;
    case COLUMN_CHECK:
        text = column_text(statement, at);
        *(enum check *)field = (enum check)known(check_parse(text), CHECK_NONE);
        break;
    }
}
