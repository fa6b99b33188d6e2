#ifndef REGATTA_LANGUAGES_XSTS_XSTS_PARSE_H
#define REGATTA_LANGUAGES_XSTS_XSTS_PARSE_H

#include "languages/text/lexer.h"
#include "languages/xsts/xsts.h"

// What the two halves of the XSTS parser share: tokens, and the parser's state.

enum xsts_token {
    X_TYPE = TOKEN_OWN,
    X_CTRL,
    X_VAR,
    X_BOOLEAN,
    X_INTEGER,
    X_TRANS,
    X_INIT,
    X_ENV,
    X_PROP,
    X_CHOICE,
    X_OR,
    X_IF,
    X_ELSE,
    X_THEN,
    X_FOR,
    X_FROM,
    X_TO,
    X_DO,
    X_LOCAL,
    X_HAVOC,
    X_ASSUME,
    X_TRUE,
    X_FALSE,
    X_DEFAULT,
    X_IFF,
    X_XOR,
    X_REM,
    X_OPEN_BRACE,
    X_CLOSE_BRACE,
    X_OPEN,
    X_CLOSE,
    X_OPEN_BRACKET,
    X_CLOSE_BRACKET,
    X_COLON,
    X_SEMICOLON,
    X_COMMA,
    X_BECOMES, // :=
    X_EQUALS,  // =
    X_EQ,
    X_NE,
    X_LT,
    X_LE,
    X_GT,
    X_GE,
    X_ARROW,    // <-
    X_MAPS,     // ->
    X_IMPLY,    // =>
    X_OR_ELSE,  // ||
    X_AND_ALSO, // &&
    X_NOT,
    X_PLUS,
    X_MINUS,
    X_TIMES,
    X_DIV,
    X_MOD,
};

extern const struct lexer_language xsts_language;

struct xsts_parser {
    struct lexer lexer;
    struct arena *arena;
    uint32_t depth;  // of the recursion
    bool in_bracket; // here `<-` is the arrow of an array, elsewhere it is `<` and `-`
    bool stopped;    // nested too deeply: nothing more is reported
};

// One level deeper; false (and an error, once) when that is too deep. Every call that returned true
// is followed by xsts_leave.
bool xsts_enter(struct xsts_parser *parser);
void xsts_leave(struct xsts_parser *parser);

// All of these return NULL after an error.
const struct xsts_expr *xsts_parse_expr(struct xsts_parser *parser);
const struct xsts_type *xsts_parse_type(struct xsts_parser *parser);
const char *xsts_copy(struct xsts_parser *parser, const struct token *token);

#endif
