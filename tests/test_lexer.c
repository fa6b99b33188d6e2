#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "languages/text/lexer.h"

enum { T_IF = TOKEN_OWN, T_LESS, T_ARROW, T_OPEN, T_CLOSE, T_SEMICOLON, T_BITS };

static const struct token_spelling KEYWORDS[] = {{"if", T_IF}, {NULL, 0}};
static const struct token_spelling PUNCTUATION[] = {
    {"<", T_LESS}, {"<-", T_ARROW}, {"{", T_OPEN}, {"}", T_CLOSE}, {";", T_SEMICOLON}, {NULL, 0}};

// `#` and the digits behind it.
static size_t match_bits(const char *text, size_t left, int *kind)
{
    size_t length = text[0] == '#';
    while (length > 0 && length < left && text[length] >= '0' && text[length] <= '9')
        length++;
    *kind = T_BITS;
    return length > 1 ? length : 0;
}

static const char *bits_name(int kind)
{
    return kind == T_BITS ? "a bit vector" : NULL;
}

static const struct lexer_language LANGUAGE = {.keywords = KEYWORDS,
                                               .punctuation = PUNCTUATION,
                                               .name_start = "_",
                                               .name_part = "_.",
                                               .special = match_bits,
                                               .special_name = bits_name};

struct fixture {
    struct messages messages;
    struct lexer lexer;
};

static void start_bytes(struct fixture *f, const char *text, size_t bytes)
{
    messages_init(&f->messages);
    lexer_init(&f->lexer, &LANGUAGE, "file", text, bytes, &f->messages);
}

static void start(struct fixture *f, const char *text)
{
    start_bytes(f, text, strlen(text));
}

static void finish(struct fixture *f)
{
    lexer_finish(&f->lexer);
    messages_finish(&f->messages);
}

static void expect_token(struct fixture *f, int kind, const char *text, unsigned line,
                         unsigned column)
{
    const struct token *token = lexer_next(&f->lexer);
    assert_int_equal(token->kind, kind);
    assert_true(token_is(token, text));
    assert_int_equal(token->line, line);
    assert_int_equal(token->column, column);
}

static void expect_error(struct fixture *f, size_t i, unsigned line, unsigned column,
                         const char *text)
{
    assert_true(i < f->messages.count);
    assert_int_equal(f->messages.items[i].line, line);
    assert_int_equal(f->messages.items[i].column, column);
    assert_string_equal(f->messages.items[i].text, text);
}

static void test_tokens(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "if iffy x.1<-12;\n  a<b /* ; */ // ;\n#01");
    expect_token(&f, T_IF, "if", 1, 1);
    expect_token(&f, TOKEN_NAME, "iffy", 1, 4);
    expect_token(&f, TOKEN_NAME, "x.1", 1, 9);
    expect_token(&f, T_ARROW, "<-", 1, 12);
    expect_token(&f, TOKEN_NUMBER, "12", 1, 14);
    expect_token(&f, T_SEMICOLON, ";", 1, 16);
    expect_token(&f, TOKEN_NAME, "a", 2, 3);
    expect_token(&f, T_LESS, "<", 2, 4);
    expect_token(&f, TOKEN_NAME, "b", 2, 5);
    expect_token(&f, T_BITS, "#01", 3, 1);
    expect_token(&f, TOKEN_END, "", 3, 4);
    expect_token(&f, TOKEN_END, "", 3, 4);
    assert_int_equal(f.messages.count, 0);
    finish(&f);
}

static void test_empty(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "");
    expect_token(&f, TOKEN_END, "", 1, 1);
    assert_int_equal(lexer_peek(&f.lexer, 100)->kind, TOKEN_END);
    finish(&f);
    start(&f, "\xef\xbb\xbfx");
    expect_token(&f, TOKEN_NAME, "x", 1, 1);
    finish(&f);
}

static void test_unknown_characters(void **state)
{
    (void)state;
    struct fixture f;
    // Columns count bytes; a run of unknown characters is one error; NUL is a character.
    start_bytes(&f, "\xc3\xa9?? x @y\n\0z\xff", 13);
    expect_token(&f, TOKEN_NAME, "x", 1, 6);
    expect_token(&f, TOKEN_NAME, "y", 1, 9);
    expect_token(&f, TOKEN_NAME, "z", 2, 2);
    expect_token(&f, TOKEN_END, "", 2, 4);
    assert_int_equal(f.messages.count, 4);
    expect_error(&f, 0, 1, 1, "found the character `\xc3\xa9`, expected a token");
    expect_error(&f, 1, 1, 8, "found the character `@`, expected a token");
    expect_error(&f, 2, 2, 1, "found the byte 0x00, expected a token");
    expect_error(&f, 3, 2, 3, "found the byte 0xff, expected a token");
    finish(&f);
}

static void test_open_comment(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "x\n /* y * / \n z");
    expect_token(&f, TOKEN_NAME, "x", 1, 1);
    expect_token(&f, TOKEN_END, "", 3, 3);
    expect_error(&f, 0, 2, 2, "found a comment without an end, expected `*/`");
    finish(&f);
    start(&f, "/*/ x */ y"); // the shortest comment has four characters
    expect_token(&f, TOKEN_NAME, "y", 1, 10);
    finish(&f);
}

static void test_expect(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, "x ; abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
    assert_null(lexer_expect(&f.lexer, T_SEMICOLON));
    assert_null(lexer_expect(&f.lexer, T_BITS)); // one error per token
    assert_non_null(lexer_expect(&f.lexer, TOKEN_NAME));
    assert_null(lexer_expect_in(&f.lexer, T_BITS, "after the name"));
    assert_non_null(lexer_accept(&f.lexer, T_SEMICOLON));
    assert_null(lexer_accept(&f.lexer, T_SEMICOLON));
    lexer_unexpected(&f.lexer, "something short");
    lexer_next(&f.lexer);
    assert_null(lexer_expect(&f.lexer, TOKEN_NUMBER));
    assert_int_equal(f.messages.count, 4);
    expect_error(&f, 0, 1, 1, "found `x`, expected `;`");
    expect_error(&f, 1, 1, 3, "found `;`, expected a bit vector after the name");
    expect_error(&f, 2, 1, 5,
                 "found `abcdefghijklmnopqrstuvwxyzabcdefghijklmn...`, expected something short");
    expect_error(&f, 3, 1, 57, "found end of file, expected a number");
    assert_string_equal(f.messages.items[0].path, "file");
    finish(&f);
}

static void test_skip(void **state)
{
    (void)state;
    static const int stops[] = {T_SEMICOLON, T_CLOSE};
    struct fixture f;
    start(&f, "a { b ; } c ; d }");
    lexer_skip_to(&f.lexer, stops, 2, true);
    assert_int_equal(lexer_token(&f.lexer)->column, 13);
    f.lexer.at = 0;
    lexer_skip_to(&f.lexer, stops, 2, false);
    assert_int_equal(lexer_token(&f.lexer)->column, 7);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_unknown_characters),
        cmocka_unit_test(test_open_comment),
        cmocka_unit_test(test_expect),
        cmocka_unit_test(test_skip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
