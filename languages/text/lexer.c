#include "languages/text/lexer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

// What is cut up: the text and where we are in it.
struct scan {
    const char *text;
    size_t bytes, at;
    unsigned line;
    size_t line_start;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static unsigned scan_column(const struct scan *scan)
{
    return (unsigned)(scan->at - scan->line_start) + 1;
}

static void scan_step(struct scan *scan, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (scan->text[scan->at++] == '\n') {
            scan->line++;
            scan->line_start = scan->at;
        }
    }
}

static struct position scan_position(const struct lexer *lexer, const struct scan *scan)
{
    return (struct position){lexer->path, scan->line, scan_column(scan)};
}

static bool scan_sees(const struct scan *scan, const char *what)
{
    size_t length = strlen(what);
    return scan->bytes - scan->at >= length && memcmp(scan->text + scan->at, what, length) == 0;
}

static void skip_block_comment(struct lexer *lexer, struct scan *scan)
{
    struct position start = scan_position(lexer, scan);
    scan_step(scan, 2);
    while (scan->at < scan->bytes && !scan_sees(scan, "*/"))
        scan_step(scan, 1);
    if (scan->at < scan->bytes)
        scan_step(scan, 2);
    else
        message_add(lexer->messages, MESSAGE_ERROR, start,
                    "found a comment without an end, expected `*/`");
}

static void skip_blank(struct lexer *lexer, struct scan *scan)
{
    while (scan->at < scan->bytes) {
        if (is_space(scan->text[scan->at])) {
            scan_step(scan, 1);
        } else if (scan_sees(scan, "//")) {
            while (scan->at < scan->bytes && scan->text[scan->at] != '\n')
                scan_step(scan, 1);
        } else if (scan_sees(scan, "/*")) {
            skip_block_comment(lexer, scan);
        } else {
            return;
        }
    }
}

static const struct token_spelling *find_keyword(const struct lexer_language *language,
                                                 const char *text, size_t length)
{
    for (const struct token_spelling *k = language->keywords; k->text != NULL; k++) {
        if (k->text[0] == text[0] && strlen(k->text) == length &&
            memcmp(k->text, text, length) == 0)
            return k;
    }
    return NULL;
}

static const struct token_spelling *find_punctuation(const struct lexer_language *language,
                                                     const struct scan *scan)
{
    const struct token_spelling *best = NULL;
    size_t best_length = 0;
    for (const struct token_spelling *p = language->punctuation; p->text != NULL; p++) {
        size_t length = strlen(p->text);
        if (length > best_length && scan_sees(scan, p->text)) {
            best = p;
            best_length = length;
        }
    }
    return best;
}

// The length of the token at the current place and its kind; 0 when none starts here.
static size_t match_token(const struct lexer_language *language, const struct scan *scan, int *kind)
{
    const char *text = scan->text + scan->at;
    size_t left = scan->bytes - scan->at, length = 0;
    if (language->special != NULL && (length = language->special(text, left, kind)) > 0) {
        assert(length <= left);
        return length;
    }
    if (is_letter(text[0]) || is_one_of(text[0], language->name_start)) {
        length = 1;
        while (length < left && (is_letter(text[length]) || is_digit(text[length]) ||
                                 is_one_of(text[length], language->name_part)))
            length++;
        const struct token_spelling *keyword = find_keyword(language, text, length);
        *kind = keyword != NULL ? keyword->kind : TOKEN_NAME;
        return length;
    }
    if (is_digit(text[0])) {
        while (length < left && is_digit(text[length]))
            length++;
        *kind = TOKEN_NUMBER;
        return length;
    }
    const struct token_spelling *punctuation = find_punctuation(language, scan);
    if (punctuation == NULL)
        return 0;
    *kind = punctuation->kind;
    return strlen(punctuation->text);
}

// One message for a whole run of characters that start no token.
static void skip_unknown(struct lexer *lexer, struct scan *scan)
{
    struct position start = scan_position(lexer, scan);
    const unsigned char *text = (const unsigned char *)scan->text + scan->at;
    size_t length = text_utf8_length((const char *)text, scan->bytes - scan->at);
    if (length > 1)
        message_add(lexer->messages, MESSAGE_ERROR, start,
                    "found the character `%.*s`, expected a token", (int)length,
                    (const char *)text);
    else if (text[0] > ' ' && text[0] < 0x7f)
        message_add(lexer->messages, MESSAGE_ERROR, start,
                    "found the character `%c`, expected a token", text[0]);
    else
        message_add(lexer->messages, MESSAGE_ERROR, start,
                    "found the byte 0x%02x, expected a token", text[0]);
    int kind;
    do {
        length = text_utf8_length(scan->text + scan->at, scan->bytes - scan->at);
        scan_step(scan, length > 0 ? length : 1);
    } while (scan->at < scan->bytes && !is_space(scan->text[scan->at]) &&
             match_token(lexer->language, scan, &kind) == 0 && !scan_sees(scan, "/*") &&
             !scan_sees(scan, "//"));
}

void lexer_init(struct lexer *lexer, const struct lexer_language *language, const char *path,
                const char *text, size_t bytes, struct messages *messages)
{
    *lexer = (struct lexer){.language = language, .path = path, .messages = messages};
    VECTOR(struct token) tokens = {0};
    struct scan scan = {.text = text, .bytes = bytes, .line = 1};
    if (scan_sees(&scan, "\xef\xbb\xbf")) // a byte-order mark some editors write
        scan.at = scan.line_start = 3;
    for (skip_blank(lexer, &scan); scan.at < scan.bytes; skip_blank(lexer, &scan)) {
        struct token token = {
            .text = text + scan.at, .line = scan.line, .column = scan_column(&scan)};
        token.length = match_token(language, &scan, &token.kind);
        if (token.length == 0) {
            skip_unknown(lexer, &scan);
            continue;
        }
        VECTOR_PUSH(&tokens, token);
        scan_step(&scan, token.length);
    }
    assert(scan.at == bytes && scan.line_start <= bytes); // all of the text, and nothing behind it
    struct token end = {TOKEN_END, text + bytes, 0, scan.line, scan_column(&scan)};
    VECTOR_PUSH(&tokens, end);
    lexer->tokens = tokens.data;
    lexer->count = tokens.count;
}

void lexer_finish(struct lexer *lexer)
{
    memory_free(lexer->tokens);
    lexer->tokens = NULL;
    lexer->count = lexer->at = 0;
}

const struct token *lexer_token(const struct lexer *lexer)
{
    return &lexer->tokens[lexer->at];
}

const struct token *lexer_peek(const struct lexer *lexer, size_t ahead)
{
    assert(lexer->at < lexer->count); // the end is a token too, and stays the next one
    size_t left = lexer->count - 1 - lexer->at;
    return &lexer->tokens[lexer->at + (ahead < left ? ahead : left)];
}

const struct token *lexer_next(struct lexer *lexer)
{
    budget_look();
    const struct token *token = lexer_token(lexer);
    if (token->kind != TOKEN_END)
        lexer->at++;
    return token;
}

const struct token *lexer_accept(struct lexer *lexer, int kind)
{
    return lexer_at(lexer, kind) && kind != TOKEN_END ? lexer_next(lexer) : NULL;
}

const struct token *lexer_expect(struct lexer *lexer, int kind)
{
    return lexer_expect_in(lexer, kind, NULL);
}

const struct token *lexer_expect_in(struct lexer *lexer, int kind, const char *context)
{
    if (lexer_at(lexer, kind))
        return lexer_next(lexer);
    char expected[200];
    lexer_describe_kind(lexer, kind, expected, sizeof expected);
    if (context != NULL) {
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, " %s", context);
    }
    lexer_unexpected(lexer, expected);
    return NULL;
}

bool lexer_unexpected(struct lexer *lexer, const char *expected)
{
    if (lexer->last_error != lexer->at + 1) {
        char found[100];
        lexer_describe_token(lexer_token(lexer), found, sizeof found);
        lexer_error(lexer, lexer_token(lexer), "found %s, expected %s", found, expected);
    }
    return false;
}

static void add_message(struct lexer *lexer, enum message_kind kind, const struct token *at,
                        const char *format, va_list arguments)
{
    struct text text;
    text_init(&text);
    text_vprintf(&text, format, arguments);
    message_add(lexer->messages, kind, lexer_position(lexer, at), "%s", text_string(&text));
    text_finish(&text);
}

void lexer_not_supported(struct lexer *lexer, const struct token *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_message(lexer, MESSAGE_UNSUPPORTED, at, format, arguments);
    va_end(arguments);
}

void lexer_error(struct lexer *lexer, const struct token *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_message(lexer, MESSAGE_ERROR, at, format, arguments);
    va_end(arguments);
    if (at >= lexer->tokens && at < lexer->tokens + lexer->count)
        lexer->last_error = (size_t)(at - lexer->tokens) + 1;
}

static bool is_kind_of(int kind, const int *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kind == kinds[i])
            return true;
    }
    return false;
}

void lexer_skip_to(struct lexer *lexer, const int *kinds, size_t count, bool nested)
{
    size_t depth = 0;
    for (; !lexer_at(lexer, TOKEN_END); lexer_next(lexer)) {
        const struct token *token = lexer_token(lexer);
        if (depth == 0 && is_kind_of(token->kind, kinds, count))
            return;
        char c = token->length == 1 ? token->text[0] : '\0';
        if (nested && is_one_of(c, "([{"))
            depth++;
        else if (nested && is_one_of(c, ")]}") && depth > 0)
            depth--;
    }
}

const char *lexer_words(const struct lexer *lexer, size_t first, size_t past, struct arena *arena)
{
    assert(first < past && past <= lexer->count);
    const struct token *token = &lexer->tokens[first], *last = &lexer->tokens[past - 1];
    char *words = arena_alloc(arena, (size_t)(last->text + last->length - token->text) + 1);
    char *end = words;
    for (; token <= last; token++) {
        if (end > words && token->text > token[-1].text + token[-1].length)
            *end++ = ' ';
        memcpy(end, token->text, token->length);
        end += token->length;
    }
    *end = '\0';
    return words;
}

bool token_is(const struct token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(text, token->text, token->length) == 0;
}

struct position lexer_position(const struct lexer *lexer, const struct token *token)
{
    return (struct position){lexer->path, token->line, token->column};
}

void lexer_describe_token(const struct token *token, char *out, size_t size)
{
    enum { LONGEST = 40 };
    if (token->kind == TOKEN_END)
        snprintf(out, size, "end of file");
    else if (token->length > LONGEST)
        snprintf(out, size, "`%.*s...`", LONGEST, token->text);
    else
        snprintf(out, size, "`%.*s`", (int)token->length, token->text);
}

void lexer_describe_kind(const struct lexer *lexer, int kind, char *out, size_t size)
{
    const struct lexer_language *language = lexer->language;
    const char *special = language->special_name != NULL ? language->special_name(kind) : NULL;
    const char *plain = kind == TOKEN_END      ? "end of file"
                        : kind == TOKEN_NAME   ? "a name"
                        : kind == TOKEN_NUMBER ? "a number"
                                               : special;
    const struct token_spelling *spelling = NULL;
    const struct token_spelling *tables[] = {language->keywords, language->punctuation};
    for (size_t t = 0; t < 2 && spelling == NULL; t++) {
        for (const struct token_spelling *s = tables[t]; s->text != NULL; s++) {
            if (s->kind == kind) {
                spelling = s;
                break;
            }
        }
    }
    if (plain == NULL && spelling != NULL)
        snprintf(out, size, "`%s`", spelling->text);
    else
        snprintf(out, size, "%s", plain != NULL ? plain : "something else");
}
