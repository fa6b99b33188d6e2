#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "results/csv.h"
#include "results/exporting.h"
#include "results/importing.h"
#include "results/query.h"

// Into a store and out of it in the formats of others.

static char folder[64];
static struct store *store;

static const char *inside(const char *name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static struct store *open_store(const char *name)
{
    struct text why;
    text_init(&why);
    struct store *opened = store_open(inside(name), true, &why);
    assert_string_equal(text_string(&why), "");
    text_finish(&why);
    return opened;
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/regatta-exchange-XXXXXX");
    assert_non_null(mkdtemp(folder));
    store = open_store("runs.db");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    store_close(store);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void write_file(const char *name, const char *text, size_t bytes)
{
    FILE *file = fopen(inside(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
}

static void set(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

static void add_run(const char *task, const char *plan, enum verdict verdict,
                    enum end_reason reason)
{
    struct run_record run;
    struct text why;
    text_init(&why);
    run_record_init(&run);
    set(&run.task, task);
    set(&run.task_digest, task);
    set(&run.plan, plan);
    set(&run.plan_digest, plan);
    set(&run.expected, "safe");
    set(&run.host, "a \"host\" <&>, of\nours");
    run.verdict = verdict;
    run.reason = reason;
    run.wall_seconds = 1.5;
    run.cpu_seconds = 2.25;
    run.time_limit_seconds = 60;
    run.cores = 2;
    run.peak_bytes = 123456789;
    run.seed = UINT64_MAX;
    run.started_epoch_ms = 1700000000000;
    run_record_add_feature(&run, "edges", 7);
    assert_true(store_add(store, &run, &why));
    run_record_finish(&run);
    text_finish(&why);
}

static bool add_values(void *context, const struct query_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(context, "%s%s", values[i].text, i + 1 < count ? "|" : "\n");
    return true;
}

// The rows of a query, without the names of its columns.
static void rows_are(struct store *in, const char *sql, const char *expected)
{
    struct text found, why;
    text_init(&found);
    text_init(&why);
    assert_true(store_query(in, sql, add_values, &found, NULL, &why));
    const char *rows = strchr(text_string(&found), '\n');
    assert_non_null(rows);
    assert_string_equal(rows + 1, expected);
    text_finish(&found);
    text_finish(&why);
}

static void query_fails(const char *sql, const char *expected)
{
    struct text found, why;
    text_init(&found);
    text_init(&why);
    assert_false(store_query(store, sql, add_values, &found, NULL, &why));
    if (strstr(text_string(&why), expected) == NULL)
        fail_msg("%s: %s", sql, text_string(&why));
    text_finish(&found);
    text_finish(&why);
}

static struct import_counts import_good(struct store *into, const char *name,
                                        const struct import_options *options)
{
    static const struct import_options none;
    struct import_counts counts = {0};
    struct text why;
    text_init(&why);
    bool good = import_file(into, inside(name), options != NULL ? options : &none, &counts, &why);
    assert_string_equal(text_string(&why), "");
    assert_true(good);
    text_finish(&why);
    return counts;
}

// What is refused adds nothing.
static void import_fails(const char *name, const char *text, size_t bytes, const char *expected)
{
    static const struct import_options none;
    struct import_counts counts;
    struct text why, position;
    text_init(&why);
    text_init(&position);
    write_file(name, text, bytes);
    text_printf(&position, "%s%s", inside(name), expected);
    assert_false(import_file(store, inside(name), &none, &counts, &why));
    if (strncmp(text_string(&why), text_string(&position), position.length) != 0)
        fail_msg("found %s, expected %s", text_string(&why), text_string(&position));
    rows_are(store, "select count(*) from run", "0\n");
    text_finish(&why);
    text_finish(&position);
}

static void test_questions_read_only(void **state)
{
    (void)state;
    add_run("x/a.yml", "p", VERDICT_SAFE, END_SOLVED);
    rows_are(store, "select task, cores, null, x'00ff' from run", "x/a.yml|2||00ff\n");
    rows_are(store,
             "with recursive n(i) as (select 1 union select i + 1 from n where i < 3) "
             "select max(i) from n;  ",
             "3\n");
    query_fails("delete from run", "not authorized");
    query_fails("pragma user_version = 7", "not authorized");
    query_fails("attach 'other.db' as other", "not authorized");
    query_fails("select nosuch from run", "query:1:8: no such column");
    query_fails("select 1; select 2", "query:1:10: found a second statement");
    query_fails(" -- nothing", "query:1:1: found no statement");
    rows_are(store, "select count(*) from run", "1\n");
}

static void test_csv_comes_back_as_it_went(void **state)
{
    (void)state;
    static const char SUMMARY[] = "select task, task_digest, plan, verdict, reason, host, seed, "
                                  "wall_seconds, peak_bytes from run";
    add_run("x/a,b.yml", "p", VERDICT_SAFE, END_SOLVED);
    add_run("x/\"c\".yml", "p", VERDICT_UNKNOWN, END_STALLED);
    FILE *file = fopen(inside("out.csv"), "w");
    struct text why, before;
    text_init(&why);
    text_init(&before);
    assert_true(export_runs_csv(store, file, &why));
    fclose(file);
    assert_true(store_query(store, SUMMARY, add_values, &before, NULL, &why));
    struct store *other = open_store("other.db");
    assert_int_equal(import_good(other, "out.csv", NULL).added, 2);
    assert_int_equal(import_good(other, "out.csv", NULL).known, 2);
    rows_are(other, SUMMARY, strchr(text_string(&before), '\n') + 1);
    store_close(other);
    text_finish(&before);
    text_finish(&why);
}

static void test_json_has_features_and_whole_seeds(void **state)
{
    (void)state;
    add_run("x/a.yml", "p", VERDICT_SAFE, END_SOLVED);
    FILE *file = fopen(inside("out.json"), "w");
    struct text why;
    text_init(&why);
    assert_true(export_runs_json(store, file, &why));
    fclose(file);
    char *text = text_read_file(inside("out.json"), NULL);
    assert_non_null(strstr(text, "\"seed\":\"18446744073709551615\""));
    assert_non_null(strstr(text, "\"features\":{\"edges\":7}"));
    assert_non_null(strstr(text, "\"attempts\":[]"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    memory_free(text);
    text_finish(&why);
}

static void test_benchexec_comes_back(void **state)
{
    (void)state;
    add_run("x/a.yml", "p", VERDICT_SAFE, END_SOLVED);
    add_run("x/b.yml", "p", VERDICT_UNSAFE, END_SOLVED);
    add_run("x/b.yml", "q/r s", VERDICT_UNKNOWN, END_TIMEOUT);
    struct text written, why;
    text_init(&written);
    text_init(&why);
    assert_true(export_runs_benchexec(store, inside("out.xml"), &written, &why));
    assert_non_null(strstr(text_string(&written), "/out.p.xml\n"));
    assert_non_null(strstr(text_string(&written), "/out.q_r_s.xml\n"));
    char *text = text_read_file(inside("out.p.xml"), NULL);
    assert_non_null(strstr(text, "title=\"category\" value=\"correct\""));
    assert_non_null(strstr(text, "title=\"category\" value=\"wrong\""));
    memory_free(text);
    struct store *other = open_store("other.db");
    import_good(other, "out.p.xml", NULL);
    import_good(other, "out.q_r_s.xml", NULL);
    rows_are(other,
             "select task, plan, verdict, reason, expected, wall_seconds, cpu_seconds, "
             "peak_bytes, time_limit_seconds, cores, started_epoch_ms, "
             "(select count(*) from attempt where run = run.id) from run",
             "x/a.yml|p|safe|solved|safe|1.5|2.25|123456789|60.0|2|1700000000000|1\n"
             "x/b.yml|p|unsafe|solved|safe|1.5|2.25|123456789|60.0|2|1700000000000|1\n"
             "x/b.yml|q/r s|unknown|timeout|safe|1.5|2.25|123456789|60.0|2|1700000000000|1\n");
    store_close(other);
    text_finish(&written);
    text_finish(&why);
}

// "<result tool="t" version="1" name="n"><run name="x/a.yml">…", compressed by bzip2.
static const unsigned char COMPRESSED[] = {
    0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xf9, 0x26, 0x0a, 0x09, 0x00, 0x00,
    0x17, 0x19, 0x80, 0x50, 0x63, 0xf2, 0x07, 0xab, 0x67, 0xdf, 0x60, 0x20, 0x00, 0x84, 0x1a, 0x26,
    0xa9, 0xbd, 0x4d, 0xa6, 0xa9, 0xa3, 0x23, 0xd1, 0xea, 0x4c, 0x27, 0xa0, 0x4a, 0xa7, 0x92, 0x69,
    0x93, 0x46, 0x83, 0x40, 0x00, 0xd0, 0xe0, 0xb8, 0x91, 0x43, 0xd7, 0x8b, 0x8d, 0xb2, 0x25, 0x9f,
    0xa4, 0x05, 0x7f, 0x88, 0x6c, 0x73, 0xf2, 0x2d, 0x51, 0xf1, 0x09, 0x65, 0x99, 0x16, 0x01, 0xc8,
    0x39, 0xca, 0xb9, 0x1c, 0xf4, 0x31, 0x44, 0x58, 0xd6, 0xc1, 0x83, 0x6b, 0x8b, 0x0a, 0x6f, 0x16,
    0xf6, 0x69, 0x23, 0xb3, 0x83, 0x0b, 0x83, 0xcc, 0x18, 0x51, 0x7f, 0xf4, 0x0e, 0x28, 0x10, 0x61,
    0xea, 0x9a, 0xcd, 0xb4, 0x3c, 0xb1, 0xc3, 0x3c, 0x11, 0x6d, 0x2b, 0x20, 0xb8, 0xe1, 0x9e, 0x62,
    0xab, 0xfe, 0xc2, 0x44, 0x5c, 0x31, 0x52, 0x55, 0x5c, 0x44, 0x49, 0x34, 0x68, 0x83, 0xcf, 0xaf,
    0x9b, 0x82, 0x1b, 0xf3, 0xf8, 0xbb, 0x92, 0x29, 0xc2, 0x84, 0x87, 0xc9, 0x30, 0x50, 0x48,
};

static void test_benchexec_compressed(void **state)
{
    (void)state;
    add_run("models/x/a.yml", "p", VERDICT_SAFE, END_SOLVED);
    write_file("in.xml.bz2", (const char *)COMPRESSED, sizeof COMPRESSED);
    import_good(store, "in.xml.bz2", NULL);
    // the task is known by its name
    rows_are(store, "select task, task_digest, plan, tool, version, verdict, cpu_seconds from run",
             "models/x/a.yml|models/x/a.yml|p|regatta||safe|2.25\n"
             "models/x/a.yml|models/x/a.yml|n|t|1|unsafe|12.5\n");
}

// <result tool="t" version="1" name="n" timelimit="10s"><run name="x/a.yml"><column title="status" value="t
// rue"/><column title="category" value="wrong"/></run><run name="x/b.yml"><column title="status" value="fal
// se(unreach-call)"/><column title="category" value="correct"/></run><run name="x/c.yml"><column title="sta
// tus" value="true"/><column title="category" value="missing"/></run><run name="x/d.yml"><column title="sta
// tus" value="TIMEOUT"/><column title="category" value="error"/></run></result>
// compressed by gzip.
static const unsigned char GZIPPED[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xad, 0x91, 0xb1, 0x0a, 0x02, 0x31,
    0x0c, 0x86, 0x5f, 0xa5, 0x64, 0xd2, 0x41, 0xab, 0xfb, 0x9d, 0x9b, 0x83, 0x83, 0xb8, 0x9c, 0x0f,
    0x50, 0x6b, 0x3c, 0x0b, 0x69, 0x0b, 0x69, 0xaa, 0xde, 0xdb, 0x5b, 0x51, 0x14, 0x45, 0xa1, 0x83,
    0x63, 0xfe, 0x7c, 0xe4, 0xe3, 0x27, 0x0d, 0x63, 0xca, 0x24, 0x4a, 0x62, 0xa4, 0x16, 0x04, 0xd4,
    0x09, 0x39, 0xb9, 0x18, 0x5a, 0x98, 0x83, 0x0a, 0xc6, 0x63, 0x0b, 0x01, 0x94, 0x38, 0x8f, 0xe4,
    0xbc, 0x93, 0x12, 0xcf, 0x12, 0x2c, 0x1a, 0xce, 0xe1, 0xb1, 0xbd, 0x68, 0x33, 0x1d, 0x3c, 0x95,
    0xcc, 0x46, 0xca, 0x3e, 0x14, 0x56, 0xa8, 0xe4, 0x49, 0x8c, 0xe4, 0x54, 0xee, 0x19, 0xca, 0x65,
    0x14, 0xce, 0x08, 0xfa, 0x13, 0xb2, 0x46, 0xb0, 0x8f, 0x3c, 0x3c, 0xb1, 0x33, 0xc7, 0xd0, 0xdf,
    0x38, 0x5d, 0x0c, 0xef, 0x9a, 0x5d, 0x8d, 0xe6, 0x60, 0x28, 0xe1, 0x28, 0x07, 0x46, 0x63, 0x8f,
    0x13, 0x6b, 0x88, 0xc6, 0x15, 0x56, 0x1b, 0x99, 0xd1, 0xca, 0x77, 0xaf, 0xfd, 0x63, 0x3d, 0xef,
    0x52, 0x72, 0xbf, 0x0a, 0xee, 0x6b, 0x44, 0xdd, 0x6a, 0xbd, 0xdc, 0x6c, 0xbb, 0x0a, 0x17, 0x32,
    0x47, 0x7e, 0x99, 0xf4, 0xfd, 0xd1, 0x8b, 0x2b, 0xf4, 0xff, 0x0f, 0xbc, 0xf1, 0x01, 0x00, 0x00,
};

// Files judge even where they name no expected verdict.
static void test_benchexec_category_without_expectation(void **state)
{
    (void)state;
    write_file("in.xml.gz", (const char *)GZIPPED, sizeof GZIPPED);
    struct import_counts counts = import_good(store, "in.xml.gz", NULL);
    assert_int_equal(counts.added, 4);
    assert_int_equal(counts.wrong, 1);
    rows_are(store, "select task, verdict, expected, reason from run",
             "x/a.yml|safe|unsafe|solved\nx/b.yml|unsafe|unsafe|solved\n"
             "x/c.yml|safe||solved\nx/d.yml|unknown||timeout\n");
}

static void test_broken_gzip_is_refused(void **state)
{
    (void)state;
    write_file("in.xml.gz", "\x1f\x8b\x08rest", 7);
    struct import_options options = {0};
    struct import_counts counts;
    struct text why;
    text_init(&why);
    assert_false(import_file(store, inside("in.xml.gz"), &options, &counts, &why));
    assert_non_null(strstr(text_string(&why), "gzip cannot read on from here"));
    text_finish(&why);
}

// What is not supported, and what could not be read, is no plain "unknown" on its way back.
static void test_benchexec_keeps_why_there_is_no_answer(void **state)
{
    (void)state;
    struct run_record run;
    struct text written, why;
    text_init(&written);
    text_init(&why);
    for (int i = 0; i < 3; i++) {
        run_record_init(&run);
        set(&run.task, i == 0 ? "x/a.yml" : i == 1 ? "x/b.yml" : "x/c.yml");
        set(&run.task_digest, run.task);
        set(&run.plan, "p");
        set(&run.status, i == 1 ? "x/b.xsts:1:2: not supported" : RUN_STATUS_OK);
        run.verdict = i == 2 ? VERDICT_SAFE : VERDICT_UNKNOWN;
        run.reason = i == 0 ? END_UNSUPPORTED : i == 1 ? END_NONE : END_SOLVED;
        run.checked = i == 2 ? CHECK_MISSING : CHECK_NONE;
        set(&run.machine_cpu, "Some CPU");
        run.machine_memory_bytes = 1000;
        assert_true(store_add(store, &run, &why));
        run_record_finish(&run);
    }
    assert_true(export_runs_benchexec(store, inside("out.xml"), &written, &why));
    char *text = text_read_file(inside("out.xml"), NULL);
    assert_non_null(strstr(text, "<cpu model=\"Some CPU\""));
    assert_non_null(strstr(text, "<ram size=\"1000B\"/>"));
    assert_non_null(strstr(text, "<column title=\"checked\" value=\"no\"/>"));
    assert_non_null(strstr(text, "value=\"ERROR (unsupported)\""));
    memory_free(text);
    struct store *other = open_store("other.db");
    import_good(other, "out.xml", NULL);
    rows_are(other, "select task, verdict, reason, status, checked from run",
             "x/a.yml|unknown|unsupported|ok|\n"
             "x/b.yml|unknown|none|x/b.xsts:1:2: not supported|\nx/c.yml|safe|solved|ok|no\n");
    store_close(other);
    text_finish(&written);
    text_finish(&why);
}

static void test_table_of_table_generator(void **state)
{
    (void)state;
    static const char TABLE[] = "tool\t\tT 1\tT 1\tT 1\tT 1\n"
                                "run set\t\ta\ta\tb\tb\n"
                                "in/\t\tstatus\tcputime (s)\tstatus\tcputime (s)\n"
                                "x/1.yml\ttrue\ttrue\t1.5\tTIMEOUT (true)\t900.25\n"
                                "x/2.yml\tfalse\tERROR (1)\t2\t\t\n";
    struct import_options options = {.time_limit_seconds = 900, .cores = 2};
    write_file("table.csv", TABLE, strlen(TABLE));
    struct import_counts counts = import_good(store, "table.csv", &options);
    assert_int_equal(counts.added, 3);
    assert_int_equal(counts.empty, 1);
    rows_are(store,
             "select task, family, tool, plan, expected, verdict, reason, cpu_seconds, "
             "wall_seconds, time_limit_seconds, cores from run",
             "in/x/1.yml|x|T 1|a|safe|safe|solved|1.5|1.5|900.0|2\n"
             "in/x/1.yml|x|T 1|b|safe|unknown|timeout|900.25|900.25|900.0|2\n"
             "in/x/2.yml|x|T 1|a|unsafe|unknown|crashed|2.0|2.0|900.0|2\n");
}

static void test_table_with_columns_of_its_own(void **state)
{
    (void)state;
    static const char TABLE[] = "\xef\xbb\xbfname;outcome;secs;mem;what\r\n"
                                "\"x/a;1\";SAFE;1m;2MB;\"two\r\nlines\"\r\n";
    struct import_options options = {
        .tool = "other", .columns = "name=task,outcome=verdict,secs=wall_seconds,mem=peak_bytes"};
    write_file("table.csv", TABLE, strlen(TABLE));
    assert_int_equal(import_good(store, "table.csv", &options).added, 1);
    rows_are(store, "select task, tool, plan, verdict, wall_seconds, peak_bytes from run",
             "x/a;1|other|other|safe|60.0|2000000\n");
}

#define FAILS(name, text, expected) import_fails(name, text, sizeof(text) - 1, expected)

static void test_malformed(void **state)
{
    (void)state;
    FAILS("1.csv", "", ":1:1: found the end");
    FAILS("2.csv", "name,verdict\n", ":1:1: found no column of tasks");
    FAILS("3.csv", "task,secs\n", ":1:1: found no column of verdicts");
    FAILS("4.csv", "task,verdict\n\na,safe\nb\n", ":4:1: found 1 cells, expected 2");
    FAILS("5.csv", "task,verdict,wall_s\na,safe,1\nb,safe,soon\n", ":3:8: found \"soon\"");
    FAILS("6.csv", "task,verdict\na,\"safe\n", ":2:3: found the end of the file within quotes");
    FAILS("7.csv", "task,verdict\na,\"safe\"!\n", ":2:3: found text behind the closing quotes");
    FAILS("8.csv", "task,verdict\na,sa\0fe\n", ":2:3: found a NUL");
    FAILS("9.csv", "tool\t\tA\nfoo\n", ":3:1: expected the line \"run set\"");
    FAILS("10.csv", "tool\t\tA\nrun set\t\tB\nin\n", ":3:1: found 1 columns, expected the 3");
    FAILS("11.csv", "task,verdict\n,safe\n", ":2:1: found no task");
    FAILS("1.xml", "<a/>", ":1:");
    FAILS("2.xml", "<result><run name=\"a\"><column ", ":1:");
    FAILS("3.xml", "<result>\n<run/></result>", ":2:");
    FAILS("4.xml",
          "<result><run name=\"a\"><column title=\"cputime\" value=\"1 parsec\"/></run></result>",
          ":1:");
    FAILS("5.xml", "<result timelimit=\"-\"/>", ":1:");
    FAILS("6.xml", "BZh9 and so on", ":1:1: bzip2 cannot read on");
    FAILS("7.xml", "<!DOCTYPE r [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]><result tool=\"&a;\"/>",
          ":1:");
}

// What others measured and this project compares itself with.
static void test_shared_tables(void **state)
{
    (void)state;
    static const char REPLAY[] = SOURCE_DIR "/../shared/replay/btor2-select.csv";
    static const char THETA[] = SOURCE_DIR "/../shared/baseline/theta-4.4.4.csv";
    static const struct import_options none;
    if (access(REPLAY, R_OK) != 0 || access(THETA, R_OK) != 0) {
        print_message("skipped: the shared tables are not there\n");
        skip();
    }
    struct import_counts counts;
    struct text why;
    text_init(&why);
    assert_true(import_file(store, REPLAY, &none, &counts, &why));
    assert_int_equal(counts.added + counts.empty, 14410);
    assert_int_equal(counts.added, 14245);
    rows_are(store, "select count(*) from run where verdict <> 'unknown' and verdict <> expected",
             "7\n");
    assert_true(import_file(store, THETA, &none, &counts, &why));
    rows_are(store,
             "select verdict, count(*) from run where tool = 'theta-4.4.4' group by 1 order by 1",
             "safe|140\nunknown|78\nunsafe|161\n");
    text_finish(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_questions_read_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_comes_back_as_it_went, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_json_has_features_and_whole_seeds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_benchexec_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_benchexec_compressed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_benchexec_category_without_expectation, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_broken_gzip_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_benchexec_keeps_why_there_is_no_answer, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_table_of_table_generator, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_table_with_columns_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_malformed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shared_tables, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
