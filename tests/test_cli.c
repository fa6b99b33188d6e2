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
#include "experiments/bench_tasks.h"
#include "cli/command.h"
#include "cli/help.h"
#include "view/live_table.h"
#include "view/screen.h"
#include "runs/runner.h"

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

static void test_bench_takes_models_where_no_task_is(void **state)
{
    (void)state;
    make_folder("plain");
    make_folder("plain/sub");
    make_file("plain/b.sol", "");
    make_file("plain/a.txt", "");
    make_file("plain/sub/c.pnml", "");
    make_file("plain/d.cfa", ""); // what is asked of it, nobody says
    struct task_list list = {0};
    struct text why;
    text_init(&why);
    assert_true(task_list_add(&list, inside("plain"), &why));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.paths[0], inside("plain/b.sol"));
    assert_string_equal(list.paths[1], inside("plain/sub/c.pnml"));
    task_list_finish(&list);
    make_task("plain/sub/e.yml", "e.xsts"); // one is enough
    assert_true(task_list_add(&list, inside("plain"), &why));
    assert_int_equal(list.count, 1);
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

static void row_is(const struct race_view *view, unsigned width, bool exchange,
                   const char *expected)
{
    struct text out;
    text_init(&out);
    live_table_row(&out, view, width, exchange);
    assert_string_equal(text_string(&out), expected);
    text_finish(&out);
}

static void test_live_columns_give_way_on_a_narrow_terminal(void **state)
{
    (void)state;
    struct configuration configuration = {.name = (char *)"a-long-configuration-name"};
    struct progress progress = {0};
    struct slot slot = {.cpus = "3,19"};
    struct race_view view = {.lane = 11,
                             .configuration = &configuration,
                             .progress = &progress,
                             .slot = &slot,
                             .running = true,
                             .wall_seconds = 1.5,
                             .left_seconds = 58.5,
                             .given = 12,
                             .taken = 9};
    atomic_store(&progress.nodes, 123456);
    atomic_store(&progress.iterations, 7);
    atomic_store(&progress.phase, ENGINE_REFINING);
    row_is(&view, 200, true,
           "b     3,19    a-long-configuration-n        7     123456      0        12/9    1.5 s   "
           "58.5 s"
           "  refining");
    row_is(&view, 200, false,
           "b     3,19    a-long-configuration-n        7     123456      0    1.5 s   58.5 s  "
           "refining");
    row_is(&view, 80, true,
           "b     3,19    a-long-configura     123456      0    1.5 s   58.5 s  refining");
    row_is(&view, 60, true, "b     3,19    a-long-configu    1.5 s   58.5 s  refining");
    row_is(&view, 50, true, "b     a-long-confi    1.5 s   58.5 s  refining");
    row_is(&view, 1, true, "a-long-con    1.5 s   58.5 s  refining");
    view.left_seconds = -1;
    row_is(&view, 1, true, "a-long-con    1.5 s        -  refining");
    view.step_limit = 200;
    atomic_store(&progress.steps, 50);
    row_is(&view, 1, true, "a-long-con    1.5 s      75%  refining");
    view.running = false;
    view.reason = END_STALLED;
    view.why = "it came back";
    row_is(&view, 1, true, "a-long-con    1.5 s        -  stalled: it came back");
}

static void test_lines_are_cut_between_characters(void **state)
{
    (void)state;
    struct text out;
    text_init(&out);
    screen_cut(&out, "abcd", 2);
    screen_cut(&out, "x", 5);
    screen_cut(&out, "y\xc3\xa9", 2);
    assert_string_equal(text_string(&out), "abxy");
    text_finish(&out);
}

static void map_is(const char *machine, const struct core_tenant *tenants, size_t count,
                   unsigned width, const char *expected)
{
    struct text out;
    text_init(&out);
    struct topology *topology = topology_create(machine, &out);
    assert_non_null(topology);
    core_map_add(&out, topology, tenants, count, width);
    assert_string_equal(text_string(&out), expected);
    topology_destroy(topology);
    text_finish(&out);
}

static void test_cores_are_mapped(void **state)
{
    (void)state;
    const struct slot whole = {.cpus = "0-1"}, half = {.cpus = "5"}, list = {.cpus = "4,10-11,30"},
                      anywhere = {.cpus = ""};
    const struct core_tenant tenants[] = {
        {&whole, core_label(0)}, {&anywhere, core_label(36)}, {&half, core_label(10)}};
    map_is("core:2 pu:1", NULL, 0, 80, "cores   0  ..\n");
    // Whole cores have one character; when one core is shared, each hardware thread has.
    map_is("core:10 pu:2", tenants, 2, 80, "cores   0  0.......  ..\n");
    map_is("core:10 pu:2", tenants, 3, 80, "cores   0  00...a..........  ....\n");
    // Several on one, and who is on several.
    const struct core_tenant crowd[] = {{&half, 'x'}, {&list, 'y'}, {&half, 'z'}};
    map_is("core:16 pu:1", crowd, 3, 80, "cores   0  ....y*..  ..yy....\n");
    // Groups of eight, as many as there is room for; less than one, down to a single core.
    map_is("core:20 pu:1", crowd, 1, 20,
           "cores   0  .....x..\n        8  ........\n       16  ....\n");
    map_is("core:5 pu:1", NULL, 0, 14, "cores   0  ...\n        3  ..\n");
    map_is("core:2 pu:1", NULL, 0, 1, "cores   0  .\n        1  .\n");
    assert_int_equal(core_label(61), 'Z');
    assert_int_equal(core_label(62), '#');
}

static void test_a_large_machine_has_room(void **state)
{
    (void)state;
    struct text out, why;
    text_init(&out);
    text_init(&why);
    struct topology *topology = topology_create("pack:2 core:64 pu:2", &why);
    const struct slot one = {.cpus = "255"};
    const struct core_tenant tenant = {&one, '0'};
    core_map_add(&out, topology, &tenant, 1, 79);
    size_t lines = 0, length = 0, idle = 0;
    for (const char *p = text_string(&out); *p != '\0'; p++) {
        length = *p == '\n' ? 0 : length + 1;
        assert_true(length <= 79);
        lines += *p == '\n';
        idle += *p == '.';
    }
    assert_int_equal(lines, 6); // 24 cores of two characters a line
    assert_int_equal(idle, 255);
    topology_destroy(topology);
    text_finish(&out);
    text_finish(&why);
}

// Counts over attempts, also those that others of their lane came after.
static void test_a_race_is_put_together(void **state)
{
    (void)state;
    struct configuration first = {.name = (char *)"first"}, second = {.name = (char *)"second"};
    struct progress progress = {0};
    struct slot slots[] = {{.cpus = "0"}, {.cpus = "1"}};
    const struct race_options options = {.time_limit_seconds = 3600, .cpu_limit_seconds = 10};
    struct race_picture picture;
    struct text out;
    text_init(&out);
    race_picture_init(&picture);
    race_picture_begin(&picture, &options);
    struct race_view views[] = {
        {0, 0, &first, &slots[0], &progress, true, .cpu_seconds = 1, .given = 1},
        {1, 1, &second, &slots[1], &progress, true, .cpu_seconds = 2, .taken = 5}};
    race_picture_update(&picture, RACE_SAMPLE, views, 2);
    assert_int_equal(picture.tenants.count, 2);
    live_table_stall(&out, &picture);
    assert_int_equal(out.length, 0);
    views[0].running = false;
    views[0].reason = END_STALLED;
    views[0].why = "again";
    views[0].given = 3;
    race_picture_update(&picture, RACE_ENDED, views, 1);
    struct race_view next = {2,         0,    &second,          &slots[0],
                             &progress, true, .cpu_seconds = 4, .given = 4};
    race_picture_update(&picture, RACE_STARTED, &next, 1);
    assert_int_equal(picture.lanes.count, 2);
    assert_int_equal(picture.tenants.count, 2);
    assert_int_equal(picture.ended, 1);
    assert_int_equal(picture.stalls, 1);
    assert_int_equal(race_picture_given(&picture), 7);
    assert_int_equal(race_picture_taken(&picture), 5);
    assert_true(race_picture_left_cpu_seconds(&picture) == 3);
    assert_true(race_picture_left_seconds(&picture) > 0);
    live_table_stall(&out, &picture);
    assert_non_null(strstr(text_string(&out), "stalls  1, last first at "));
    assert_non_null(strstr(text_string(&out), ": again"));
    // A second race of the run: the first one's attempts are freed by then.
    race_picture_begin(&picture, &options);
    assert_int_equal(picture.lanes.count + picture.tenants.count + picture.ended, 0);
    assert_null(picture.stalled_name);
    race_picture_update(&picture, RACE_STARTED, views, 1);
    assert_int_equal(picture.lanes.count, 1);
    assert_int_equal(race_picture_given(&picture), views[0].given);
    race_picture_finish(&picture);
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
    // Whether the proof was checked has its fixed place.
    run.record.checked = CHECK_PASSED;
    summary_is(&run, "safe, checked (expl-seq in 2.0 s)");
    run.record.checked = CHECK_MISSING;
    summary_is(&run, "safe, not checked (expl-seq in 2.0 s)");
    run.record.checked = CHECK_PREPARED;
    summary_is(
        &run,
        "safe, not checked (expl-seq in 2.0 s, its proof only as that of the prepared model)");
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
        cmocka_unit_test_setup_teardown(test_bench_takes_models_where_no_task_is, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_bench_reads_sets_and_patterns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_digest_depends_on_the_question_only, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_unreadable_task_still_has_a_digest, set_up, tear_down),
        cmocka_unit_test(test_live_columns_give_way_on_a_narrow_terminal),
        cmocka_unit_test(test_lines_are_cut_between_characters),
        cmocka_unit_test(test_cores_are_mapped),
        cmocka_unit_test(test_a_large_machine_has_room),
        cmocka_unit_test(test_a_race_is_put_together),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_every_option_has_help_and_a_name_of_its_own),
        cmocka_unit_test(test_manual_mentions_every_command_and_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
