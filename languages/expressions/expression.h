#ifndef REGATTA_LANGUAGES_EXPRESSIONS_EXPRESSION_H
#define REGATTA_LANGUAGES_EXPRESSIONS_EXPRESSION_H

#include "base/arena.h"
#include "languages/expressions/token.h"
#include "logic/terms/float_terms.h"
#include "logic/terms/term.h"

// Expressions and types of CFA and STS: text to syntax tree. A tree is needed, not terms at once,
// because a term forgets what was written (order, which side of an equation), and the front end of
// STS turns `x' = e` into an assignment.
//
// Trees live in the parser's arena and point into its tokens. Nothing recurses deeper than
// CFA_MAX_DEPTH: deeper inputs are an error.

enum { CFA_MAX_DEPTH = 2000, CFA_MAX_WIDTH = 65536, CFA_MAX_SIGNIFICAND = 237 };

enum ast_kind {
    AST_NAME,
    AST_TRUE,
    AST_FALSE,
    AST_INT,
    AST_RAT, // number: the numerator, denominator: the other
    AST_BV,
    AST_FLOAT,
    AST_ARRAY, // child: key, element, …, default last; sort: of the keys when written, else NULL
    AST_UNARY, // op, child; of floats: rounding; format or sort, is_signed: of what it is turned into
    AST_CHAIN,  // n operands of one level, left to right; op and ops[i] between child i and i+1
    AST_BINARY, // op, two children; of floats: rounding
    AST_ITE,
    AST_QUANTIFIER, // op CFA_FORALL or CFA_EXISTS; decls; body
    AST_LAMBDA,     // decls; body
    AST_CALL,       // function, arguments
    AST_INDEX,      // array, keys
    AST_WRITE,      // array, keys, element last
    AST_EXTRACT,    // child; number: until, second: from
    AST_EXTEND,     // op, child; sort: of the result, NULL when that is unsupported
    AST_PRIME,
};

struct ast_decl {
    const struct token *name;
    const struct sort *sort;    // NULL: not supported, reported already
    struct float_format format; // of a float, whose sort is the bit-vector of its bits; else 0 bits
};

struct ast {
    enum ast_kind kind;
    int op; // enum cfa_token
    uint32_t height;
    uint32_t child_count, decl_count;
    const struct token *at; // where it starts
    size_t first,
        past; // its tokens, with the parentheses around it, by number: lexer_words says them
    const struct token *op_at; // the operator
    const struct token *number, *second;
    const struct sort *sort;
    struct float_format format;
    enum float_rounding rounding; // to the nearest, ties to even, where none is written
    bool is_signed;
    const struct token *const *ops;
    const struct ast *const *child;
    const struct ast_decl *decls;
};

struct cfa_parser {
    struct lexer lexer;
    struct arena *arena;
    struct term_store *store; // for sorts
    struct messages *messages;
    unsigned depth;
    bool arrow_closes; // inside [ … ]: `<-` is the array arrow, not `<` and `-`
};

// NULL when there is a syntax error (reported).
const struct ast *cfa_parse_expr(struct cfa_parser *parser);
// False when there is a syntax error. *sort is NULL for a type that is not supported (reported); a float is none here.
bool cfa_parse_type(struct cfa_parser *parser, const struct sort **sort);
// ID ":" type. When it fails, decl->name is NULL or a name without a type.
bool cfa_parse_decl(struct cfa_parser *parser, struct ast_decl *decl);
// decl ("," decl)* up to the closing parenthesis, which is consumed; none is fine when `empty`.
bool cfa_parse_decls(struct cfa_parser *parser, bool empty, const struct ast_decl **decls,
                     uint32_t *count);
// expr ("," expr)* ")": the closing parenthesis is consumed.
bool cfa_parse_arguments(struct cfa_parser *parser, const struct ast *const **args,
                         uint32_t *count);
// Error at a nesting that is too deep.
bool cfa_too_deep(struct cfa_parser *parser, const struct token *at);
const char *cfa_token_text(struct cfa_parser *parser, const struct token *token); // in the arena
const void *cfa_copy(struct cfa_parser *parser, const void *items, size_t bytes); // in the arena
// One level of nesting down; false with an error when that is one too many. The caller leaves it with
// parser->depth--.
bool cfa_enter(struct cfa_parser *parser);
// [5,11] or [5:11], the bits of exponent and significand. False when there is a syntax error; 0 bits when it is wrong otherwise
// (reported).
bool cfa_parse_format(struct cfa_parser *parser, struct float_format *format);
// Is there such a format, and do we support it? Reported if not.
bool cfa_format_fits(struct cfa_parser *parser, const struct token *at, struct float_format format);
// The bit-vectors of that width; NULL when it is wrong (reported).
void cfa_bit_vector_sort(struct cfa_parser *parser, const struct token *number,
                         const struct sort **sort);

#endif
