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
#include "languages/petri/net_view.h"
#include "languages/registry/registry.h"
#include "languages/registry/task.h"
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

// A net and two questions about it.
struct several {
    char folder[64], net[96], list[96];
    struct task whole;
    struct language_questions questions;
    struct messages messages;
};

static void write_text(char path[96], const char *folder, const char *name, const char *contents)
{
    snprintf(path, 96, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(contents, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define REACHED(id, number)                                                                        \
    "<property><id>" id "</id><formula><exists-path><finally><integer-le>"                         \
    "<integer-constant>" number "</integer-constant><tokens-count><place>q</place></tokens-count>" \
    "</integer-le></finally></exists-path></formula></property>"

static int open_several(void **state)
{
    static struct several several;
    struct several *s = &several;
    *s = (struct several){.folder = P_tmpdir "/regatta-test-XXXXXX"};
    assert_non_null(mkdtemp(s->folder));
    write_text(s->net, s->folder, "n.net", "net n\npl p (2)\ntr t p -> q\n");
    write_text(s->list, s->folder, "n.xml",
               "<property-set>" REACHED("two", "2") REACHED("three", "3") "</property-set>");
    messages_init(&s->messages);
    bool more;
    struct budget budget = {0};
    assert_int_equal(task_read_questions(&s->whole, s->net, s->list, PROPERTY_AT_ALL, &budget,
                                         &s->messages, &s->questions, &more),
                     BUDGET_DONE);
    assert_true(more);
    assert_int_equal(s->questions.count, 2);
    *state = s;
    return 0;
}

static int close_several(void **state)
{
    struct several *s = *state;
    unlink(s->net);
    unlink(s->list);
    rmdir(s->folder);
    language_questions_finish(&s->questions);
    messages_finish(&s->messages);
    return 0;
}

// One net behind all questions and whatever else is asked; it lives as long as a model needs it.
static void test_shared_source(void **state)
{
    struct several *s = *state;
    struct budget budget = {0};
    struct task asked[3];
    bool good;
    for (size_t i = 0; i < 3; i++) {
        task_read_of(&asked[i], &s->whole, i < 2 ? &s->questions.data[i] : NULL,
                     i < 2 ? NULL : "EF q >= 1", &budget, &s->messages, &good);
        assert_true(good);
        assert_ptr_equal(net_view_of(asked[i].model)->net, net_view_of(asked[0].model)->net);
        assert_string_equal(asked[i].model_digest, s->whole.model_digest);
    }
    task_finish(&s->whole);
    task_finish(&asked[0]);
    assert_int_equal(net_view_of(asked[2].model)->net->place_count, 2);
    task_finish(&asked[1]);
    task_finish(&asked[2]);
}

// However a question is named, it is the same task.
static void test_same_task(void **state)
{
    struct several *s = *state;
    struct budget budget = {0};
    struct task one, other;
    char path[128];
    bool good;
    snprintf(path, sizeof path, "%s#three", s->net);
    task_read(&one, path, s->list, PROPERTY_AT_ALL, &budget, &s->messages, &good);
    assert_true(good);
    task_read_of(&other, &s->whole, &s->questions.data[1], NULL, &budget, &s->messages, &good);
    assert_true(good);
    assert_string_equal(one.path, other.path);
    assert_string_equal(one.property, other.property);
    assert_string_equal(one.digest, other.digest);
    assert_string_equal(one.property_digest, other.property_digest);
    task_finish(&one);
    task_finish(&other);
    task_finish(&s->whole);
}

// The net changed while its questions were asked: all answers are about the one that was read.
static void test_changed_file(void **state)
{
    struct several *s = *state;
    struct budget budget = {0};
    struct task asked;
    bool good;
    write_text(s->net, s->folder, "n.net", "net n\n tr nothing here");
    task_read_of(&asked, &s->whole, &s->questions.data[0], NULL, &budget, &s->messages, &good);
    assert_true(good);
    assert_int_equal(net_view_of(asked.model)->net->place_count, 2);
    task_finish(&asked);
    task_finish(&s->whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_no_property),
        cmocka_unit_test(test_several_properties),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test_setup_teardown(test_shared_source, open_several, close_several),
        cmocka_unit_test_setup_teardown(test_same_task, open_several, close_several),
        cmocka_unit_test_setup_teardown(test_changed_file, open_several, close_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
