#ifndef REGATTA_LANGUAGES_UMLRT_TEXT_INSIDE_H
#define REGATTA_LANGUAGES_UMLRT_TEXT_INSIDE_H

#include "languages/text/lexer.h"
#include "model/capsules/capsules.h"

// What the readers of the text form and of CTL share: tokens, names, expressions.

enum cffsm_token {
    T_QUOTED = TOKEN_OWN,
    T_MODULE,
    T_ATTRIBUTE,
    T_TIMER,
    T_OPTIONAL,
    T_PART,
    T_EXTERNAL,
    T_IN,
    T_OUT,
    T_CONNECT,
    T_LOCATION,
    T_COMPOSITE,
    T_INITIAL,
    T_TOP,
    T_AS,
    T_CASE,
    T_BEYOND,
    T_OTHERWISE,
    T_SEND,
    T_SET,
    T_CREATE,
    T_DESTROY,
    T_INT,
    T_BOOL,
    T_TRUE,
    T_FALSE,
    T_AND,
    T_OR,
    T_NOT,
    T_DIV,
    T_MOD,
    T_REM,
    T_IF,
    T_THEN,
    T_ELSE,
    T_LBRACE,
    T_RBRACE,
    T_LPAREN,
    T_RPAREN,
    T_LBRACKET,
    T_RBRACKET,
    T_COLON,
    T_SEMICOLON,
    T_COMMA,
    T_POINT,
    T_RANGE,
    T_DASHES,
    T_ARROW,
    T_BECOMES,
    T_EQUAL,
    T_EQUALS,
    T_UNEQUAL,
    T_LESS,
    T_LESS_EQUAL,
    T_GREATER,
    T_GREATER_EQUAL,
    T_PLUS,
    T_MINUS,
    T_TIMES,
    T_AT,
};

extern const struct lexer_language CFFSM_LANGUAGE;

// A place where expressions are read: the module's attributes and, where there is one, the trigger's variables.
struct expression_scope {
    struct capsules *capsules;
    struct term_store *store; // where terms are made
    const struct capsule_module *module;
    const struct capsule_signal *trigger; // NULL: none
};

// The name at the current token, quoted or not; NULL with a message when there is none.
const char *cffsm_name(struct lexer *lexer, struct capsules *capsules, const char *context);
// The spelling of a name token, allocated in the capsules.
const char *cffsm_spelling(struct capsules *capsules, const struct token *token);
static inline bool cffsm_at_name(const struct lexer *lexer)
{
    // `top` is a good name for a part, and a keyword only where a module could begin.
    return lexer_at(lexer, TOKEN_NAME) || lexer_at(lexer, T_QUOTED) || lexer_at(lexer, T_TOP);
}
// Of a Boolean or a number, as wanted; NULL with a message.
const struct term *cffsm_expression_of(struct lexer *lexer, const struct expression_scope *scope,
                                       bool boolean);

#endif
