#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/say.h"
#include "base/text.h"

static void texts_grow(void **state)
{
    (void)state;
    struct text text;
    text_init(&text);
    assert_string_equal(text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        text_printf(&text, "%d,", i);
    assert_int_equal(text.length, 3890);
    assert_int_equal(strlen(text.data), 3890);
    text_clear(&text);
    assert_string_equal(text_string(&text), "");
    text_add(&text, "ab");
    text_add_char(&text, 'c');
    text_add_bytes(&text, "defg", 2);
    assert_string_equal(text_string(&text), "abcde");
    char *stolen = text_steal(&text);
    assert_string_equal(stolen, "abcde");
    assert_null(text.data);
    memory_free(stolen);
    stolen = text_steal(&text);
    assert_string_equal(stolen, "");
    memory_free(stolen);
    text_finish(&text);
}

static void durations_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"60s", 60},   {"500ms", 0.5}, {"2m", 120}, {"1h", 3600},
                {"1.5s", 1.5}, {"7", 7},       {"0", 0},    {"0.25h", 900}};
    static const char *const bad[] = {"",    "s",  "-1s", "1 s", "1.s",
                                      ".5s", "1x", "1s ", "1e3", "0x10"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double seconds = -1;
        assert_true(text_parse_duration(good[i].text, &seconds));
        assert_true(fabs(seconds - good[i].seconds) < 1e-9);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double seconds = -1;
        assert_false(text_parse_duration(bad[i], &seconds));
        assert_true(seconds == -1);
    }
}

static void sizes_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"2GB", 2000000000},
                {"512MB", 512000000},
                {"64KB", 64000},
                {"2GiB", 2147483648},
                {"100B", 100},
                {"100", 100},
                {"1.5KiB", 1536},
                {"0", 0},
                {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {
        "", "GB", "-1", "1 GB", "2gb", "99999999999TiB", "18446744073709551616"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes = 1;
        assert_true(text_parse_size(good[i].text, &bytes));
        assert_true(bytes == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes = 1;
        assert_false(text_parse_size(bad[i], &bytes));
    }
}

static void assert_duration(double seconds, const char *expected)
{
    struct text text;
    text_init(&text);
    text_add_duration(&text, seconds);
    assert_string_equal(text_string(&text), expected);
    text_finish(&text);
}

static void assert_size(uint64_t bytes, const char *expected)
{
    struct text text;
    text_init(&text);
    text_add_size(&text, bytes);
    assert_string_equal(text_string(&text), expected);
    text_finish(&text);
}

static void durations_and_sizes_are_written(void **state)
{
    (void)state;
    assert_duration(1.2, "1.2 s");
    assert_duration(0.035, "35 ms");
    assert_duration(0.0012, "1.2 ms");
    assert_duration(0.00002, "20 us");
    assert_duration(0.99999, "1.0 s");
    assert_duration(59.96, "1m00s");
    assert_duration(252, "4m12s");
    assert_duration(3599.9, "1h00m");
    assert_duration(7260, "2h01m");
    assert_size(12300000, "12.3 MB");
    assert_size(999, "999 B");
    assert_size(999999, "1.0 MB");
    assert_size(UINT64_MAX, "18.4 EB");
}

static void near_words_are_found(void **state)
{
    (void)state;
    static const char *const words[] = {"explicit", "predicate", "product", "bfs", "dfs"};
    assert_string_equal(text_nearest("explict", words, 5), "explicit");
    assert_string_equal(text_nearest("bfd", words, 5), "bfs");
    assert_string_equal(text_nearest("predicates", words, 5), "predicate");
    assert_null(text_nearest("interpolation", words, 5));
    assert_null(text_nearest("x", words, 0));
}

static void files_are_read_whole(void **state)
{
    (void)state;
    char path[] = "test_text_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    for (int i = 0; i < 100000; i++)
        fputc(i % 251, file);
    fclose(file);
    size_t bytes = 0;
    char *content = text_read_file(path, &bytes);
    remove(path);
    assert_non_null(content);
    assert_int_equal(bytes, 100000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal((unsigned char)content[i], i % 251);
    assert_int_equal(content[bytes], 0);
    memory_free(content);
    errno = 0;
    assert_null(text_read_file("no/such/file", &bytes));
    assert_int_equal(errno, ENOENT);
    assert_null(text_read_file(".", &bytes)); // a directory
}

static char *printed(const struct messages *messages)
{
    char *data = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&data, &bytes);
    messages_print(messages, file);
    fclose(file);
    return data;
}

static void messages_have_positions(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    message_add(&messages, MESSAGE_WARNING, (struct position){"a.xsts", 0, 0}, "odd");
    assert_false(messages_failed(&messages));
    message_add(&messages, MESSAGE_ERROR, (struct position){"a.xsts", 3, 7}, "found %s", "x");
    message_add(&messages, MESSAGE_UNSUPPORTED, (struct position){"a.xsts", 4, 0}, "floats");
    message_add(&messages, MESSAGE_NOTE, (struct position){NULL, 0, 0}, "the end");
    assert_true(messages_failed(&messages));
    assert_int_equal(messages.errors, 1);
    assert_int_equal(messages.unsupported, 1);
    char *text = printed(&messages);
    assert_string_equal(text, "a.xsts: warning: odd\n"
                              "a.xsts:3:7: error: found x\n"
                              "a.xsts:4: not supported: floats\n"
                              "note: the end\n");
    free(text);
    messages_finish(&messages);
}

static void errors_end_somewhere(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    for (unsigned i = 1; i <= 1000; i++)
        message_add(&messages, MESSAGE_ERROR, (struct position){"a", i, 1}, "wrong");
    assert_int_equal(messages.errors, 1000);
    assert_int_equal(messages.count, 51);
    assert_int_equal(messages.items[49].line, 50);
    assert_int_equal(messages.items[50].kind, MESSAGE_NOTE);
    messages_finish(&messages);
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bytes, printable;
    } cases[] = {
        {"a", 1, 1},
        {"\xc3\xa9", 2, 2},         // é
        {"\xe2\x82\xac", 3, 3},     // €
        {"\xf0\x9f\x98\x80", 4, 4}, // the first beyond 16 bits in common use
        {"\n", 1, 0},
        {"\x7f", 1, 0},
        {"\xc2\x85", 2, 0},     // next line
        {"\xe2\x80\xa8", 3, 0}, // line separator
        {"\x80", 0, 0},         // a byte that only continues
        {"\xc3", 0, 0},         // cut off
        {"\xc3(", 0, 0},
        {"\xc0\x80", 0, 0},         // too long for what it says
        {"\xe0\x80\xaf", 0, 0},     // likewise
        {"\xed\xa0\x80", 0, 0},     // half of a pair
        {"\xf4\x90\x80\x80", 0, 0}, // beyond the last character
        {"\xff", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t left = strlen(cases[i].text);
        assert_int_equal(text_utf8_length(cases[i].text, left), cases[i].bytes);
        assert_int_equal(text_printable_length(cases[i].text, left), cases[i].printable);
    }
}

static void words_become_a_line(void **state)
{
    (void)state;
    static const struct {
        const char *words, *line;
    } cases[] = {
        {"", ""},
        {" \n ", ""},
        {"\n a\t\n\nb ", "a b"},
        {"a\x1b[2J\xff"
         "b",
         "a [2J b"},
        {"1234567890", "1234567890"},
        {"12345678901", "1234567890…"},
        {"123456789 \n ", "123456789"},
        {"123456789 0", "123456789 …"},
        {"123456789é", "123456789…"}, // never half of a character
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text line;
        text_init(&line);
        text_add(&line, ": ");
        text_add_words(&line, cases[i].words, strlen(cases[i].words), 10);
        assert_string_equal(text_string(&line) + 2, cases[i].line);
        text_finish(&line);
    }
}

// Nothing that a terminal obeys, and nothing that looks like another line.
static void test_shown(void **state)
{
    (void)state;
    static const struct {
        const char *foreign, *name, *shown;
    } cases[] = {
        {"a.xsts", "a.xsts", "a.xsts"},
        {"\x1b[31m", "\\x1b[31m", "\\x1b[31m"},
        {"a\nsafe, checked", "a\\x0asafe, checked", "a\nsafe, checked"},
        {"\xc2\x9b"
         "1m",
         "\\xc2\\x9b1m", "\\xc2\\x9b1m"},
        {"\xff\x7f\r", "\\xff\\x7f\\x0d", "\\xff\\x7f\\x0d"},
        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8", "\\xe2\\x80\\xa8"},
        {"\xc3\xbc\t", "\xc3\xbc\\x09", "\xc3\xbc\t"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text out;
        text_init(&out);
        text_add_name(&out, cases[i].foreign);
        assert_string_equal(text_string(&out), cases[i].name);
        text_clear(&out);
        text_add_shown(&out, cases[i].foreign, strlen(cases[i].foreign));
        assert_string_equal(text_string(&out), cases[i].shown);
        text_finish(&out);
    }
}

static void test_json(void **state)
{
    (void)state;
    struct text out;
    text_init(&out);
    text_add_json(&out, "{\n\t\"a\xff\x7f\": \"\xc2\x9b\xc3\xbc\xe2\x80\xa8\"}");
    assert_string_equal(text_string(&out), "{\n\t\"a\\ufffd\\u007f\": \"\\u009b\xc3\xbc\\u2028\"}");
    text_finish(&out);
}

static void test_ends(void **state)
{
    (void)state;
    assert_true(text_ends_with("a.xsts", ".xsts"));
    assert_true(text_ends_with(".xsts", ".xsts"));
    assert_true(text_ends_with("a", ""));
    assert_false(text_ends_with("xsts", ".xsts"));
    assert_false(text_ends_with("a.xsts.c", ".xsts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_grow),
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(durations_and_sizes_are_written),
        cmocka_unit_test(near_words_are_found),
        cmocka_unit_test(files_are_read_whole),
        cmocka_unit_test(messages_have_positions),
        cmocka_unit_test(errors_end_somewhere),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(words_become_a_line),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
