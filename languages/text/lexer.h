#ifndef REGATTA_LANGUAGES_TEXT_LEXER_H
#define REGATTA_LANGUAGES_TEXT_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/message.h"

// Characters to tokens, for the textual languages (XSTS, PROP, CFA, STS). The whole text is cut up
// when the lexer is made, so a parser may look ahead as far as it likes and may go back.
//
// A token is the longest piece of text that makes one. Comments are `// …` to the end of the line
// and
// `/* … */`, not nested. A character that starts no token and an unterminated comment are errors
// with their position; the lexer then goes on behind them. Any bytes are a valid input (NULs too).

enum {
    TOKEN_END = 0,    // behind the last token; never consumed
    TOKEN_NAME = 1,   // starts with a letter or one of name_start; not a keyword
    TOKEN_NUMBER = 2, // decimal digits, any number of them
    TOKEN_OWN = 16,   // from here on: the kinds of the language
};

struct token_spelling {
    const char *text;
    int kind; // >= TOKEN_OWN; several spellings may have one kind
};

// One per language, static.
struct lexer_language {
    const struct token_spelling *keywords;    // spelled like names; ends with text NULL
    const struct token_spelling *punctuation; // in any order; ends with text NULL
    const char *name_start;                   // beside letters: what may start a name, "_$"
    const char *name_part;                    // beside letters and digits: what may follow, "_$."
    // Tried first at the start of every token, may be NULL: how many of the `left` bytes at `text`
    // make a special token (say 4'b0101) of kind *kind; 0 = none. It must not read text[left].
    size_t (*special)(const char *text, size_t left, int *kind);
    // For messages: what a kind of the language's own that has no spelling is called; may be NULL.
    const char *(*special_name)(int kind);
};

struct token {
    int kind;
    const char *text; // a slice of the input, not NUL-terminated
    size_t length;
    unsigned line, column; // from 1; columns in bytes
};

struct lexer {
    const struct lexer_language *language;
    const char *path;
    struct messages *messages;
    struct token *tokens; // the last one is TOKEN_END
    size_t count;
    size_t at;         // the current token
    size_t last_error; // index + 1 of the token that the last error was about
};

// `path` (NULL for text that has no file) and `text` must outlive the lexer and its tokens. Lexical
// errors go to `messages` here.
void lexer_init(struct lexer *lexer, const struct lexer_language *language, const char *path,
                const char *text, size_t bytes, struct messages *messages);
void lexer_finish(struct lexer *lexer);

// The current token; the one `ahead` tokens further (TOKEN_END behind the end). The pointers live
// as long as the lexer.
const struct token *lexer_token(const struct lexer *lexer);
const struct token *lexer_peek(const struct lexer *lexer, size_t ahead);
static inline bool lexer_at(const struct lexer *lexer, int kind)
{
    return lexer->tokens[lexer->at].kind == kind;
}
// Consumes and returns the current token (TOKEN_END stays).
const struct token *lexer_next(struct lexer *lexer);
// Consumes the current token if it has this kind; NULL if not.
const struct token *lexer_accept(struct lexer *lexer, int kind);
// The same, but when it has not, adds the error "found X, expected Y".
const struct token *lexer_expect(struct lexer *lexer, int kind);
// As lexer_expect, and the message ends with " " and `context` ("after `var`").
const struct token *lexer_expect_in(struct lexer *lexer, int kind, const char *context);
// Adds the error "found X, expected `expected`" at the current token. At most one per token, so
// that an error that is met again while its callers unwind is reported once; false always.
bool lexer_unexpected(struct lexer *lexer, const char *expected);
// An error at a token. Always added.
void lexer_error(struct lexer *lexer, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// That something legal at a token is not supported.
void lexer_not_supported(struct lexer *lexer, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Skips to the next token of one of the `count` kinds (or the end) without consuming it; jumps over
// what is in (), [] and {} when `nested` (recognised by these spellings).
void lexer_skip_to(struct lexer *lexer, const int *kinds, size_t count, bool nested);

// The tokens from number `first` (of `lexer->tokens`) to before `past` as they are written, blanks, ends of lines and
// comments between two of them as one blank. The arena's.
const char *lexer_words(const struct lexer *lexer, size_t first, size_t past, struct arena *arena);

bool token_is(const struct token *token, const char *text);
struct position lexer_position(const struct lexer *lexer, const struct token *token);
// "`x`", "end of file"; "`;`", "a name". Written to `out`, cut to fit.
void lexer_describe_token(const struct token *token, char *out, size_t size);
void lexer_describe_kind(const struct lexer *lexer, int kind, char *out, size_t size);

#endif
