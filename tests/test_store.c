#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "results/store.h"

#define KEY(task_digest_, plan_digest_, limit, cores_, seed_)                                      \
    (struct run_key)                                                                               \
    {                                                                                              \
        .task_digest = (task_digest_), .plan_digest = (plan_digest_),                              \
        .time_limit_seconds = (limit), .cores = (cores_), .seed = (seed_)                          \
    }

static char folder[64];
static char path[96];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/regatta-store-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/records.db", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void set(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

static struct store *open_good(bool writable)
{
    struct text why;
    text_init(&why);
    struct store *store = store_open(path, writable, &why);
    assert_string_equal(text_string(&why), "");
    assert_non_null(store);
    text_finish(&why);
    return store;
}

static void make_run(struct run_record *run, const char *digest, uint64_t seed)
{
    run_record_init(run);
    set(&run->task, "a/b.yml");
    set(&run->task_digest, digest);
    set(&run->property, "it's \"quoted\"; -- x");
    set(&run->plan, "default");
    set(&run->plan_digest, "p1");
    set(&run->expected, "unsafe");
    run->verdict = VERDICT_UNSAFE;
    run->contradiction = true;
    run->load_seconds = 0.5;
    run->wall_seconds = 1.25;
    run->time_limit_seconds = 60;
    run->cores = 2;
    run->seed = seed;
    run->started_epoch_ms = 1234567890123;
    run->trace_length = 40;
    set(&run->family, "a");
    set(&run->cpus, "0-1,4");
    run->reason = END_SOLVED;
    run->repetition = 3;
    run->job = 1;
    run->memory_limit_bytes = 1u << 30;
    run->cpu_limit_seconds = 2.5;
    run->peak_bytes = 4096;
    run->disturbance = (struct disturbance){0.25, 0, 12, -1};
    run_record_add_feature(run, "variables", 7);
    run_record_add_feature(run, "edges", 2.5);
    run->attempts = memory_zalloc(2 * sizeof *run->attempts);
    run->attempt_count = 2;
    for (unsigned i = 0; i < 2; i++) {
        record_init(&run->attempts[i]);
        set(&run->attempts[i].configuration, i == 0 ? "expl-seq" : "pred-seq");
        run->attempts[i].attempt = run->attempts[i].lane = i;
        run->attempts[i].reason = i == 0 ? END_SOLVED : END_LOST;
        run->attempts[i].verdict = i == 0 ? VERDICT_UNSAFE : VERDICT_UNKNOWN;
        run->attempts[i].winner = i == 0;
        run->attempts[i].nodes = UINT64_MAX - i;
        run->attempts[i].solver_seconds = 0.5;
    }
}

static void add(struct store *store, const struct run_record *run)
{
    struct text why;
    text_init(&why);
    assert_true(store_add(store, run, &why));
    assert_string_equal(text_string(&why), "");
    text_finish(&why);
}

static bool check_run(void *context, const struct run_record *run)
{
    ++*(int *)context;
    assert_string_equal(run->property, "it's \"quoted\"; -- x");
    assert_string_equal(run->expected, "unsafe");
    assert_string_equal(run->status, RUN_STATUS_OK);
    assert_int_equal(run->verdict, VERDICT_UNSAFE);
    assert_true(run->contradiction);
    assert_true(run->load_seconds == 0.5);
    assert_true(run->wall_seconds == 1.25);
    assert_true(run->started_epoch_ms == 1234567890123);
    assert_true(run->seed == UINT64_MAX);
    assert_int_equal(run->trace_length, 40);
    assert_string_equal(run->family, "a");
    assert_string_equal(run->tool, RUN_TOOL);
    assert_string_equal(run->cpus, "0-1,4");
    assert_int_equal(run->reason, END_SOLVED);
    assert_int_equal(run->repetition, 3);
    assert_int_equal(run->job, 1);
    assert_true(run->memory_limit_bytes == 1u << 30);
    assert_true(run->cpu_limit_seconds == 2.5);
    assert_true(run->peak_bytes == 4096);
    assert_true(run->disturbance.foreign_cpu_seconds == 0.25);
    assert_true(run->disturbance.swapped_pages == 12);
    assert_true(run->disturbance.throttle_events == -1);
    assert_int_equal(run->attempt_count, 2);
    assert_string_equal(run->attempts[0].configuration, "expl-seq");
    assert_true(run->attempts[0].winner);
    assert_false(run->attempts[1].winner);
    assert_int_equal(run->attempts[1].reason, END_LOST);
    assert_true(run->attempts[1].nodes == UINT64_MAX - 1);
    return true;
}

static void test_what_goes_in_comes_out(void **state)
{
    (void)state;
    struct run_record run;
    make_run(&run, "t1", UINT64_MAX);
    struct store *store = open_good(true);
    add(store, &run);
    store_close(store);
    run_record_finish(&run);

    int count = 0;
    struct text why;
    text_init(&why);
    store = open_good(false);
    assert_true(store_each(store, check_run, &count, &why));
    assert_int_equal(count, 1);
    store_close(store);
    text_finish(&why);
}

static void test_has_knows_the_whole_key(void **state)
{
    (void)state;
    struct run_record run;
    make_run(&run, "t1", 7);
    struct store *store = open_good(true);
    assert_false(store_has(store, &KEY("t1", "p1", 60, 2, 7)));
    add(store, &run);
    assert_true(store_has(store, &KEY("t1", "p1", 60, 2, 7)));
    assert_false(store_has(store, &KEY("t2", "p1", 60, 2, 7)));
    assert_false(store_has(store, &KEY("t1", "p2", 60, 2, 7)));
    assert_false(store_has(store, &KEY("t1", "p1", 61, 2, 7)));
    assert_false(store_has(store, &KEY("t1", "p1", 60, 1, 7)));
    assert_false(store_has(store, &KEY("t1", "p1", 60, 2, 8)));
    store_close(store);
    run_record_finish(&run);
}

static void test_interrupted_run_is_kept_but_not_finished(void **state)
{
    (void)state;
    struct run_record run;
    make_run(&run, "t1", UINT64_MAX);
    set(&run.status, RUN_STATUS_INTERRUPTED);
    struct store *store = open_good(true);
    add(store, &run);
    assert_false(store_has(store, &KEY("t1", "p1", 60, 2, UINT64_MAX)));
    store_close(store);
    run_record_finish(&run);
}

static bool stop_at_first(void *context, const struct run_record *run)
{
    (void)run;
    ++*(int *)context;
    return false;
}

static void test_each_stops_when_told(void **state)
{
    (void)state;
    struct store *store = open_good(true);
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct run_record run;
        make_run(&run, "t1", seed);
        add(store, &run);
        run_record_finish(&run);
    }
    int count = 0;
    struct text why;
    text_init(&why);
    assert_true(store_each(store, stop_at_first, &count, &why));
    assert_int_equal(count, 1);
    text_finish(&why);
    store_close(store);
}

static void refused(bool writable, const char *expected)
{
    struct text why;
    text_init(&why);
    struct store *store = store_open(path, writable, &why);
    assert_null(store);
    assert_non_null(strstr(text_string(&why), expected));
    assert_non_null(strstr(text_string(&why), path));
    text_finish(&why);
}

static void write_sql(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_refuses_other_files(void **state)
{
    (void)state;
    refused(false, "unable to open");
    FILE *file = fopen(path, "w");
    fputs("this is not a database, and it is longer than the header of one would be ..........\n",
          file);
    for (int i = 0; i < 100; i++)
        fputs("more of the same\n", file);
    fclose(file);
    refused(true, "not a database");
    unlink(path);
    write_sql("CREATE TABLE other (x)");
    refused(true, "not a store of Regatta");
    refused(false, "not a store of Regatta");
}

static void test_refuses_a_newer_schema(void **state)
{
    (void)state;
    store_close(open_good(true));
    write_sql("PRAGMA user_version = 99");
    refused(true, "newer");
    refused(false, "newer");
}

// The rows are lost while the store is open: the caller's result stays as it was.
static void test_a_damaged_file_gives_no_limits(void **state)
{
    (void)state;
    enum { RUNS = 200, FIRST_BYTES = 1 << 16, LOST_BYTES = 1 << 20 };
    struct store *store = open_good(true);
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct run_record run;
        make_run(&run, "t1", seed);
        add(store, &run);
        run_record_finish(&run);
    }
    struct run_limits *limits = NULL;
    size_t count = 0;
    struct text why;
    text_init(&why);
    assert_true(store_limits(store, &limits, &count, &why));
    assert_int_equal(count, 1);
    memory_free(limits);
    store_close(store);

    store = open_good(false);
    static const char nothing[LOST_BYTES];
    FILE *file = fopen(path, "r+");
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long bytes = ftell(file);
    assert_true(bytes > FIRST_BYTES && bytes - FIRST_BYTES <= LOST_BYTES);
    assert_int_equal(fseek(file, FIRST_BYTES, SEEK_SET), 0);
    assert_int_equal(fwrite(nothing, 1, (size_t)bytes - FIRST_BYTES, file), bytes - FIRST_BYTES);
    fclose(file);
    limits = NULL;
    count = 0;
    assert_false(store_limits(store, &limits, &count, &why));
    assert_null(limits);
    assert_int_equal(count, 0);
    assert_true(why.length > 0);
    text_finish(&why);
    store_close(store);
}

// A process that dies in the middle of writing: what was added before is there, nothing is half there.
static void test_survives_being_killed(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct text why;
        text_init(&why);
        struct store *store = store_open(path, true, &why);
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct run_record run;
            make_run(&run, "t1", seed);
            store_add(store, &run, &why);
        }
        _exit(0); // no close, no checkpoint
    }
    int status;
    waitpid(child, &status, 0);
    struct store *store = open_good(true);
    for (uint64_t seed = 0; seed < 5; seed++)
        assert_true(store_has(store, &KEY("t1", "p1", 60, 2, seed)));
    store_close(store);
}

static void test_the_second_of_two_adds_nothing(void **state)
{
    (void)state;
    struct run_record run;
    struct text why;
    text_init(&why);
    make_run(&run, "t1", 7);
    struct store *one = open_good(true), *other = open_good(true);
    assert_int_equal(store_add_once(one, &run, &why), STORE_ADDED);
    assert_int_equal(store_add_once(other, &run, &why), STORE_KNOWN);
    struct run_record found;
    assert_true(store_find(other, &KEY("t1", "p1", 60, 2, 7), &found));
    assert_int_equal(found.attempt_count, 2);
    run_record_finish(&found);
    assert_false(store_find(other, &KEY("t1", "p1", 60, 2, 8), &found));
    store_close(one);
    store_close(other);
    run_record_finish(&run);
    text_finish(&why);
}

static bool count_run(void *context, const struct run_record *run)
{
    (void)run;
    ++*(int *)context;
    return true;
}

static void test_a_batch_is_whole_or_not_there(void **state)
{
    (void)state;
    struct text why;
    text_init(&why);
    struct store *store = open_good(true);
    for (int keep = 0; keep < 2; keep++) {
        assert_true(store_begin(store, &why));
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct run_record run;
            make_run(&run, "t1", seed);
            add(store, &run);
            run_record_finish(&run);
        }
        assert_true(store_end(store, keep == 1, &why));
        int count = 0;
        assert_true(store_each(store, count_run, &count, &why));
        assert_int_equal(count, keep == 1 ? 3 : 0);
    }
    store_close(store);
    text_finish(&why);
}

static bool add_feature(void *context, const char *digest, const char *name, double value)
{
    text_printf(context, "%s %s %g;", digest, name, value);
    return true;
}

static void test_features_are_kept_once_a_task(void **state)
{
    (void)state;
    struct text why, found;
    text_init(&why);
    text_init(&found);
    struct store *store = open_good(true);
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct run_record run;
        make_run(&run, "t1", seed);
        add(store, &run);
        run_record_finish(&run);
    }
    assert_true(store_each_feature(store, add_feature, &found, &why));
    assert_string_equal(text_string(&found), "t1 edges 2.5;t1 variables 7;");
    store_close(store);
    text_finish(&found);
    text_finish(&why);
}

// A file as the first schema's program left it: two repetitions of a configuration on two tasks,
// and a run of the default plan.
static void write_schema_1(void)
{
    char *sql = text_read_file(SOURCE_DIR "/tests/data/schema-1.sql", NULL);
    assert_non_null(sql);
    write_sql(sql);
    memory_free(sql);
}

static bool describe_run(void *context, const struct run_record *run)
{
    text_printf(context, "%s|%s|%s|%s|%s|%s|%u|%zu|%g;", run->task, run->family, run->tool,
                verdict_name(run->verdict), check_name(run->checked), end_reason_name(run->reason),
                run->repetition, run->attempt_count, run->disturbance.foreign_cpu_seconds);
    return true;
}

static void describe_store(struct store *store, struct text *out)
{
    struct text why;
    text_init(&why);
    assert_true(store_each(store, describe_run, out, &why));
    text_finish(&why);
}

static const char SCHEMA_1_RUNS[] = "tasks/traffic-light.yml|tasks|regatta|safe||solved|0|1|-1;"
                                    "tasks/traffic-light.yml|tasks|regatta|safe||solved|1|1|-1;"
                                    "tasks/unsafe-at-40.yml|tasks|regatta|unknown||stalled|0|1|-1;"
                                    "tasks/unsafe-at-40.yml|tasks|regatta|unknown||stalled|1|1|-1;"
                                    "tasks/traffic-light.yml|tasks|regatta|safe||solved|0|2|-1;";

static void test_an_older_schema_is_read_and_migrated(void **state)
{
    (void)state;
    write_schema_1();
    for (int writable = 0; writable < 3; writable++) { // as it was, migrating, migrated
        struct text found, features, why;
        text_init(&found);
        text_init(&features);
        text_init(&why);
        struct store *store = open_good(writable == 1);
        describe_store(store, &found);
        assert_string_equal(text_string(&found), SCHEMA_1_RUNS);
        assert_true(store_each_feature(store, add_feature, &features, &why));
        assert_string_equal(text_string(&features), "");
        store_close(store);
        text_finish(&found);
        text_finish(&features);
        text_finish(&why);
    }
    // What the old one has is known, and new runs go in.
    struct store *store = open_good(true);
    assert_true(store_has(store, &KEY("53f3c6e9dc1cfc541a999e1944275d4e",
                                      "95572898294f21a4db4dbc94484efb17", 5, 1, 1)));
    struct run_record run;
    make_run(&run, "t1", 0);
    add(store, &run);
    run_record_finish(&run);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_goes_in_comes_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_has_knows_the_whole_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_damaged_file_gives_no_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_interrupted_run_is_kept_but_not_finished, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_each_stops_when_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refuses_other_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refuses_a_newer_schema, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_survives_being_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_second_of_two_adds_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_batch_is_whole_or_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_features_are_kept_once_a_task, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_older_schema_is_read_and_migrated, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
