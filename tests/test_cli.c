#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/bench_tasks.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/live.h"
#include "cli/runner.h"

// A folder of small files for one test.

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/regatta-cli-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *inside(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(inside(name), 0700), 0);
}

static void make_file(const char *name, const char *contents)
{
    FILE *file = fopen(inside(name), "w");
    assert_non_null(file);
    fputs(contents, file);
    fclose(file);
}

static void make_task(const char *name, const char *model)
{
    char contents[300];
    snprintf(contents, sizeof contents,
             "format_version: '2.0'\ninput_files: '%s'\nproperties:\n"
             "  - property_file: p.prop\n    expected_verdict: true\n",
             model);
    make_file(name, contents);
}

static void test_bench_finds_tasks_in_order_and_skips_what_it_should(void **state)
{
    (void)state;
    make_folder("sub");
    make_folder("ltl");
    make_task("b.yml", "b.xsts");
    make_task("a.yml", "a.cfa");
    make_task("sub/c.yml", "c.system");
    make_task("ltl/d.yml", "d.xsts");
    make_task("e.yml", "e.foreign");
    make_file("b.xsts", "");
    struct task_list list = {0};
    struct text why;
    text_init(&why);
    assert_true(task_list_add(&list, folder, &why));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.paths[0], inside("a.yml"));
    assert_string_equal(list.paths[1], inside("b.yml"));
    assert_string_equal(list.paths[2], inside("sub/c.yml"));
    assert_int_equal(list.foreign, 1);
    task_list_finish(&list);
    // named, it is taken
    assert_true(task_list_add(&list, inside("ltl"), &why));
    assert_int_equal(list.count, 1);
    assert_false(task_list_add(&list, inside("nowhere"), &why));
    assert_non_null(strstr(text_string(&why), "No such file"));
    task_list_finish(&list);
    text_finish(&why);
}

static void test_bench_reads_sets_and_patterns(void **state)
{
    (void)state;
    make_folder("sub");
    make_task("b.yml", "b.xsts");
    make_task("a.yml", "a.xsts");
    make_task("sub/c.yml", "c.xsts");
    make_file("all.set", "# first these\n  *.yml  # by name\n\nsub/c.yml\r\n");
    make_file("bad.set", "a.yml\n\nnone-*.yml\n");
    make_file("loop.set", "lo*\n");
    struct task_list list = {0};
    struct text why;
    text_init(&why);
    assert_true(task_list_add(&list, inside("all.set"), &why));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.paths[0], inside("a.yml"));
    assert_string_equal(list.paths[2], inside("sub/c.yml"));
    assert_true(task_list_add(&list, inside("*/c.yml"), &why));
    assert_int_equal(list.count, 4);
    assert_false(task_list_add(&list, inside("bad.set"), &why));
    assert_non_null(strstr(text_string(&why), "bad.set:3:1: "));
    assert_non_null(strstr(text_string(&why), "no file matches"));
    text_clear(&why);
    assert_false(task_list_add(&list, inside("loop.set"), &why));
    assert_non_null(strstr(text_string(&why), "loop.set:1:1: found the set file"));
    task_list_finish(&list);
    text_finish(&why);
}

static bool open_task(struct task *task, const char *property, enum property_at at)
{
    struct messages messages;
    messages_init(&messages);
    bool good = task_open(task, inside("m.xsts"), property, at, &messages);
    messages_finish(&messages);
    return good;
}

static void digest_of(const char *property, enum property_at at, char out[33])
{
    struct task task;
    assert_true(open_task(&task, property, at));
    strcpy(out, task.digest);
    task_finish(&task);
}

static void test_digest_depends_on_the_question_only(void **state)
{
    (void)state;
    char first[33], again[33], property[33], stable[33], other[33];
    make_file("m.xsts", "trans {} init {} env {}");
    digest_of("true", PROPERTY_AT_ALL, first);
    digest_of("true", PROPERTY_AT_ALL, again);
    digest_of("false", PROPERTY_AT_ALL, property);
    digest_of("true", PROPERTY_AT_STABLE, stable);
    make_file("m.xsts", "trans {} init {} env { }");
    digest_of("true", PROPERTY_AT_ALL, other);
    assert_string_equal(first, again);
    assert_string_not_equal(first, property);
    assert_string_not_equal(first, stable);
    assert_string_not_equal(first, other);
}

static void test_unreadable_task_still_has_a_digest(void **state)
{
    (void)state;
    struct task task;
    assert_false(open_task(&task, NULL, PROPERTY_AT_ALL));
    assert_int_equal(strlen(task.digest), 32);
    task_finish(&task);
}

static void test_live_line_is_cut_to_the_terminal(void **state)
{
    (void)state;
    struct configuration configuration = {.name = (char *)"a-long-configuration-name"};
    struct progress progress = {0};
    struct slot slot = {.cpus = "3,19"};
    struct race_view view = {.configuration = &configuration,
                             .progress = &progress,
                             .slot = &slot,
                             .running = true,
                             .wall_seconds = 1.5};
    atomic_store(&progress.nodes, 123456);
    atomic_store(&progress.phase, ENGINE_REFINING);
    struct text out;
    text_init(&out);
    live_line(&out, &view, 200);
    assert_non_null(strstr(text_string(&out), "3,19  a-long-configuration-n "));
    assert_non_null(strstr(text_string(&out), "123456"));
    assert_non_null(strstr(text_string(&out), "refining"));
    assert_null(strchr(text_string(&out), '\n'));
    text_clear(&out);
    live_line(&out, &view, 20);
    assert_int_equal(out.length, 20);
    text_clear(&out);
    live_line(&out, &view, 60); // narrow: the name gives way, state and time stay
    assert_non_null(strstr(text_string(&out), "a-long-con "));
    assert_non_null(strstr(text_string(&out), "1.5 s  refining"));
    text_finish(&out);
}

static void summary_is(const struct run *run, const char *expected)
{
    struct text out;
    text_init(&out);
    run_summary(&out, &run->record);
    assert_string_equal(text_string(&out), expected);
    text_finish(&out);
}

static void test_summary(void **state)
{
    (void)state;
    struct record attempt = {.configuration = (char *)"expl-seq",
                             .winner = true,
                             .start_seconds = 0.5,
                             .wall_seconds = 1.5};
    struct run run = {.record.status = (char *)RUN_STATUS_OK};
    run.record.attempts = &attempt;
    run.record.attempt_count = 1;
    run.record.verdict = VERDICT_UNSAFE;
    run.record.trace_length = 7;
    run.record.wall_seconds = 2.1; // with stopping the others: not what the winner took
    summary_is(&run, "unsafe (expl-seq in 2.0 s, trace of 7 steps)");
    run.record.trace_length = 1;
    summary_is(&run, "unsafe (expl-seq in 2.0 s, trace of 1 step)");
    run.record.verdict = VERDICT_SAFE;
    run.record.trace_length = -1;
    summary_is(&run, "safe (expl-seq in 2.0 s)");
    run.record.verdict = VERDICT_UNKNOWN;
    run.record.reason = END_STALLED;
    attempt.winner = false;
    summary_is(&run, "unknown (after 2.1 s: a monitor saw that refinement makes no progress)");
    run.record.status = (char *)RUN_STATUS_INTERRUPTED;
    summary_is(&run, "unknown (interrupted after 2.1 s)");
}

static void test_every_option_has_help_and_a_name_of_its_own(void **state)
{
    (void)state;
    for (size_t c = 0; command_all()[c] != NULL; c++) {
        const struct command *command = command_all()[c];
        assert_ptr_equal(command_find(command->name), command);
        assert_non_null(command->description);
        for (const struct poptOption *o = command->options; o->longName != NULL; o++) {
            assert_non_null(o->descrip);
            assert_string_not_equal(o->longName, "help");
            for (const struct poptOption *p = o + 1; p->longName != NULL; p++) {
                assert_string_not_equal(o->longName, p->longName);
                assert_true(o->shortName == 0 || o->shortName != p->shortName);
            }
        }
    }
}

static void test_manual_mentions_every_command_and_option(void **state)
{
    (void)state;
    char *manual = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&manual, &bytes);
    help_man(out);
    fclose(out);
    for (size_t c = 0; command_all()[c] != NULL; c++) {
        char heading[100];
        snprintf(heading, sizeof heading, ".SS regatta %s", command_all()[c]->name);
        assert_non_null(strstr(manual, heading));
    }
    assert_non_null(strstr(manual, "\\-\\-sequential"));
    assert_non_null(strstr(manual, ".SH EXIT STATUS"));
    free(manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bench_finds_tasks_in_order_and_skips_what_it_should,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bench_reads_sets_and_patterns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_digest_depends_on_the_question_only, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_unreadable_task_still_has_a_digest, set_up, tear_down),
        cmocka_unit_test(test_live_line_is_cut_to_the_terminal),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_every_option_has_help_and_a_name_of_its_own),
        cmocka_unit_test(test_manual_mentions_every_command_and_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
