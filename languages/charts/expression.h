#ifndef REGATTA_LANGUAGES_CHARTS_EXPRESSION_H
#define REGATTA_LANGUAGES_CHARTS_EXPRESSION_H

#include "languages/charts/build.h"
#include "languages/text/lexer.h"

// Expressions of the languages that charts are written in: one grammar, whose operators have several spellings, over
// names that each language looks up by itself. All is checked for its type here.

enum chart_notation { CHART_ECMASCRIPT, CHART_WORDS /* Gamma, and our own properties */ };

enum chart_token {
    CHART_TOKEN_OPEN = TOKEN_OWN, // (
    CHART_TOKEN_CLOSE,
    CHART_TOKEN_OPEN_SQUARE,
    CHART_TOKEN_CLOSE_SQUARE,
    CHART_TOKEN_OPEN_CURLY,
    CHART_TOKEN_CLOSE_CURLY,
    CHART_TOKEN_COMMA,
    CHART_TOKEN_SEMICOLON,
    CHART_TOKEN_COLON,
    CHART_TOKEN_SCOPE, // ::
    CHART_TOKEN_DOT,
    CHART_TOKEN_QUESTION,
    CHART_TOKEN_BECOMES, // :=
    CHART_TOKEN_ARROW,   // ->
    CHART_TOKEN_CHANNEL, // -o)-
    CHART_TOKEN_AT,      // @
    CHART_TOKEN_HASH,    // #
    CHART_TOKEN_STRING,
    CHART_TOKEN_OR,
    CHART_TOKEN_XOR,
    CHART_TOKEN_AND,
    CHART_TOKEN_NOT, // ! in ECMAScript, which binds tightly
    CHART_TOKEN_IMPLY,
    CHART_TOKEN_EQUAL,
    CHART_TOKEN_ASSIGN, // =: equality in words, a mistake in ECMAScript
    CHART_TOKEN_DIFFERS,
    CHART_TOKEN_LESS,
    CHART_TOKEN_LESS_EQUAL,
    CHART_TOKEN_GREATER,
    CHART_TOKEN_GREATER_EQUAL,
    CHART_TOKEN_PLUS,
    CHART_TOKEN_MINUS,
    CHART_TOKEN_TIMES,
    CHART_TOKEN_DIVIDE, // div, and / in words
    CHART_TOKEN_SLASH,
    CHART_TOKEN_MODULO, // mod
    CHART_TOKEN_PERCENT,
    CHART_TOKEN_TRUE,
    CHART_TOKEN_FALSE,
};

extern const struct lexer_language CHART_LEXER_ECMASCRIPT, CHART_LEXER_WORDS;

struct chart_scope {
    struct chart *chart;
    struct lexer *lexer;
    enum chart_notation notation;
    bool trigger;   // of Gamma: `/` begins its effect, and it has operators of its own
    bool fractions; // of Gamma: `%` makes one
    bool formulas;  // `{ EXPRESSION }` is one, and Gamma's signs join them
    bool strings;   // there may be some: literals of one enumeration
    bool truth;     // ECMAScript: only whether it holds matters, so numbers stand for that
    uint32_t depth; // of calls, to refuse what is nested too deeply
    void *context;
    // The current token is a name (or, in a call of its own, anything that starts no expression). Consumes it and what
    // belongs to it. NULL with a message.
    const struct chart_expression *(*name)(struct chart_scope *scope);
};

// NULL with a message. The parser stands behind the expression.
const struct chart_expression *chart_parse_expression(struct chart_scope *scope);
// The same of this type; `what` names it in the message ("a condition").
const struct chart_expression *chart_parse_typed(struct chart_scope *scope,
                                                 const struct chart_type *type, const char *what);
// The type of strings: an enumeration of all that are written in the chart or in a question, in quotes.
const struct chart_type *chart_text_type(struct chart *chart);
// Its value when it depends on nothing but the variables' initial values; false otherwise.
bool chart_constant(const struct chart_expression *expression, int64_t *value);
// Do the types agree? Adds the message if not.
bool chart_check_type(struct chart_scope *scope, const struct token *at,
                      const struct chart_type *found, const struct chart_type *expected,
                      const char *what);
// At `++` or `--`, which are cut into two signs?
bool chart_at_step(struct lexer *lexer);
// A decimal number into *value, false with a message when it does not fit.
bool chart_parse_number(struct lexer *lexer, const struct token *token, int64_t *value);
// The same in ECMAScript, where 010 is eight for some and an error for others: not supported.
bool chart_parse_script_number(struct lexer *lexer, const struct token *token, int64_t *value);
// The token's text, without the `^` that Gamma's names may begin with; lives in the chart.
char *chart_token_text(struct chart *chart, const struct token *token);

#endif
