#ifndef REGATTA_LANGUAGES_EXPRESSIONS_TOKEN_H
#define REGATTA_LANGUAGES_EXPRESSIONS_TOKEN_H

#include "languages/text/lexer.h"

// The tokens of CFA and STS (docs/definitions/formats.md 4.1 and 5). The two languages share their expressions; the
// words of bit-vectors, floats and automata are ordinary names in STS.

enum cfa_token {
    // punctuation
    CFA_LPAREN = TOKEN_OWN,
    CFA_RPAREN,
    CFA_LBRACE,
    CFA_RBRACE,
    CFA_LBRACKET,
    CFA_RBRACKET,
    CFA_COMMA,
    CFA_COLON,
    CFA_BECOMES, // :=
    CFA_RARROW,  // ->
    CFA_LARROW,  // <-
    CFA_PRIME,   // '
    CFA_PERCENT,
    CFA_FOREIGN, // ==, &&, …: operators of other languages, for a helpful message
    // operators
    CFA_IFF,
    CFA_IMPLY,
    CFA_OR,
    CFA_XOR,
    CFA_AND,
    CFA_NOT,
    CFA_EQ,
    CFA_NE,
    CFA_LT,
    CFA_LE,
    CFA_GT,
    CFA_GE,
    CFA_PLUS,
    CFA_MINUS,
    CFA_TIMES,
    CFA_DIVIDE,
    CFA_MOD,
    CFA_REM,
    CFA_CONCAT,
    CFA_BV_ULT,
    CFA_BV_ULE,
    CFA_BV_UGT,
    CFA_BV_UGE,
    CFA_BV_SLT,
    CFA_BV_SLE,
    CFA_BV_SGT,
    CFA_BV_SGE,
    CFA_BV_OR,
    CFA_BV_XOR,
    CFA_BV_AND,
    CFA_BV_SHL,
    CFA_BV_ASHR,
    CFA_BV_LSHR,
    CFA_BV_ROL,
    CFA_BV_ROR,
    CFA_BV_ADD,
    CFA_BV_SUB,
    CFA_BV_MUL,
    CFA_BV_UDIV,
    CFA_BV_SDIV,
    CFA_BV_SMOD,
    CFA_BV_UREM,
    CFA_BV_SREM,
    CFA_BV_POS,
    CFA_BV_NEG,
    CFA_BV_NOT,
    CFA_BV_ZERO_EXTEND,
    CFA_BV_SIGN_EXTEND,
    CFA_FP_MAX,
    CFA_FP_MIN,
    CFA_FP_ADD,
    CFA_FP_SUB,
    CFA_FP_MUL,
    CFA_FP_DIV,
    CFA_FP_REM,
    CFA_FP_ABS,
    CFA_FP_ROUND, // fproundtoint
    CFA_FP_SQRT,
    CFA_FP_NEG,
    CFA_FP_POS,
    CFA_FP_IS_NAN,
    CFA_FP_TO_FP,
    CFA_FP_TO_BV,
    CFA_FP_FROM_BV,
    // other words of expressions and types
    CFA_IF,
    CFA_THEN,
    CFA_ELSE,
    CFA_FORALL,
    CFA_EXISTS,
    CFA_TRUE,
    CFA_FALSE,
    CFA_DEFAULT,
    CFA_BOOL,
    CFA_INT,
    CFA_RAT,
    CFA_BV,
    CFA_FP,
    // special literals
    CFA_BV_LITERAL, // 4'b0101
    CFA_FP_LITERAL, // 2'b01.2'b00
    // automata
    CFA_VAR,
    CFA_MAIN,
    CFA_PROCESS,
    CFA_INIT,
    CFA_FINAL,
    CFA_ERROR,
    CFA_LOC,
    CFA_HAVOC,
    CFA_ASSUME,
    CFA_RETURN,
    // symbolic transition systems
    STS_SPECIFICATION,
    STS_CONST,
    STS_SYSTEM,
    STS_PROPERTY,
    STS_MODELS,
    STS_INVARIANT,
    STS_INITIAL,
    STS_TRANSITION,
};

extern const struct lexer_language cfa_language;
extern const struct lexer_language sts_language;

#endif
