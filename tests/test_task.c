#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "languages/registry/registry.h"
#include "languages/registry/task_definition.h"

struct fixture {
    char path[200];
    struct messages messages;
    struct task_definition task;
};

static bool read_text(struct fixture *f, const char *contents)
{
    snprintf(f->path, sizeof f->path, P_tmpdir "/regatta-test-XXXXXX.yml");
    int file = mkstemps(f->path, 4);
    assert_true(file >= 0);
    assert_int_equal(write(file, contents, strlen(contents)), (long)strlen(contents));
    close(file);
    messages_init(&f->messages);
    return task_definition_read(f->path, &f->task, &f->messages);
}

static void finish(struct fixture *f)
{
    task_definition_finish(&f->task);
    messages_finish(&f->messages);
    unlink(f->path);
}

static void test_paths(void **state)
{
    (void)state;
    struct fixture f;
    assert_true(read_text(&f, "format_version: '2.0'\n"
                              "input_files: 'sub/model.xsts'\n"
                              "properties:\n"
                              "  - property_file: /abs/p.prop\n"
                              "    expected_verdict: false\n"
                              "options:\n"
                              "  language: C\n"));
    assert_string_equal(f.task.path, f.path);
    assert_string_equal(f.task.model_path, P_tmpdir "/sub/model.xsts");
    assert_string_equal(f.task.property_path, "/abs/p.prop");
    assert_int_equal(f.task.expected, EXPECTED_UNSAFE);
    assert_int_equal(f.messages.count, 0);
    finish(&f);
}

static void test_no_property(void **state)
{
    (void)state;
    struct fixture f;
    assert_true(read_text(&f, "format_version: \"1.0\"\ninput_files: [m.cfa]\n"));
    assert_string_equal(f.task.model_path, P_tmpdir "/m.cfa");
    assert_null(f.task.property_path);
    assert_int_equal(f.task.expected, EXPECTED_NONE);
    finish(&f);
}

static void test_several_properties(void **state)
{
    (void)state;
    struct fixture f;
    assert_true(read_text(&f, "format_version: '2.0'\n"
                              "input_files: m.cfa\n"
                              "properties:\n"
                              "  - {property_file: a.prp, expected_verdict: true}\n"
                              "  - {property_file: b.prp, expected_verdict: false}\n"));
    assert_string_equal(f.task.property_path, P_tmpdir "/a.prp");
    assert_int_equal(f.task.expected, EXPECTED_SAFE);
    assert_int_equal(f.messages.count, 1);
    assert_int_equal(f.messages.items[0].kind, MESSAGE_NOTE);
    finish(&f);
}

static void test_missing_file(void **state)
{
    (void)state;
    struct messages messages;
    struct task_definition task;
    messages_init(&messages);
    assert_false(task_definition_read("/nowhere/task.yml", &task, &messages));
    assert_int_equal(messages.errors, 1);
    assert_null(task.model_path);
    messages_finish(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_no_property),
        cmocka_unit_test(test_several_properties),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
