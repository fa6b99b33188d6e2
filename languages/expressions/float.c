#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "languages/expressions/check.h"
#include "logic/terms/print.h"

// Floats (docs/definitions/formats.md 4.2). A float is a bit-vector in terms; that it is one is known of its syntax tree alone, so nothing
// that takes a bit-vector takes a float and nothing that takes a float a bit-vector.

static bool same(struct float_format a, struct float_format b)
{
    return a.exponent == b.exponent && a.significand == b.significand;
}

static struct token part_of(const struct token *literal, const char *begin)
{
    struct token part = *literal;
    part.length -= (size_t)(begin - part.text);
    part.text = begin;
    return part;
}

// The digits before the quote.
static uint32_t width_of(const struct token *part)
{
    struct token digits = *part;
    const char *quote = memchr(part->text, '\'', part->length);
    assert(quote != NULL && "the lexer saw one");
    digits.length = (size_t)(quote - part->text);
    return cfa_number(&digits, CFA_MAX_WIDTH);
}

// exponent "." fraction
static struct float_format format_of_literal(const struct token *literal)
{
    const char *point = memchr(literal->text, '.', literal->length);
    assert(point != NULL && "the lexer saw one");
    struct token fraction = part_of(literal, point + 1);
    return (struct float_format){width_of(literal), width_of(&fraction) + 1};
}

bool cfa_is_float(const struct cfa_checker *checker, const struct ast *node,
                  struct float_format *format)
{
    *format = (struct float_format){0, 0};
    for (;;) {
        const struct cfa_symbol *symbol;
        switch (node->kind) {
        case AST_NAME:
            symbol = cfa_scope_find(checker->scope, node->at->text, node->at->length);
            if (symbol != NULL)
                *format = symbol->format;
            return format->exponent != 0;
        case AST_FLOAT:
            *format = format_of_literal(node->at);
            return true;
        case AST_UNARY:
            if (node->op == CFA_FP_TO_FP || node->op == CFA_FP_FROM_BV) {
                *format = node->format;
                return true;
            }
            if (node->op != CFA_PLUS && node->op != CFA_MINUS &&
                (node->op < CFA_FP_ABS || node->op > CFA_FP_POS))
                return false;
            node = node->child[0];
            break;
        case AST_BINARY:
            if (node->op < CFA_FP_MAX || node->op > CFA_FP_REM)
                return false;
            node = node->child[0];
            break;
        case AST_CHAIN:
            if (node->op < CFA_PLUS || node->op > CFA_DIVIDE)
                return false;
            node = node->child[0];
            break;
        case AST_ITE:
            node = node->child[1];
            break;
        default:
            return false;
        }
    }
}

static void add_format(struct text *text, struct float_format format)
{
    text_printf(text, "fp[%u,%u]", format.exponent, format.significand);
}

void cfa_float_error(struct cfa_checker *checker, const struct token *at, struct float_format found,
                     const char *expected)
{
    struct text text;
    text_init(&text);
    add_format(&text, found);
    lexer_error(&checker->parser->lexer, at, "found type %s, expected %s", text_string(&text),
                expected);
    text_finish(&text);
}

// Any float. NULL when it is none, which is reported.
static const struct term *check_some_float(struct cfa_checker *checker, const struct ast *node,
                                           struct float_format *format)
{
    if (cfa_is_float(checker, node, format))
        return cfa_check_float(checker, node, *format);
    const struct term *term = cfa_check(checker, node);
    if (term != NULL)
        cfa_sort_error(checker, node->at, term->sort, "a float");
    return NULL;
}

// Literals: the bits of exponent and fraction as they are.
static const struct term *check_literal(struct cfa_checker *checker, const struct ast *node)
{
    const struct token *literal = node->at;
    const char *point = memchr(literal->text, '.', literal->length);
    struct token parts[2] = {*literal, part_of(literal, point + 1)};
    parts[0].length = (size_t)(point - literal->text);
    struct float_format format = format_of_literal(literal);
    if (!cfa_format_fits(checker->parser, literal, format))
        return NULL;
    const struct term *bits = term_bv(checker->parser->store, 1, 0);
    for (size_t i = 0; i < 2; i++) {
        struct ast part = {.kind = AST_BV, .at = &parts[i]};
        const struct term *term = cfa_check_literal(checker, &part);
        if (term == NULL)
            return NULL;
        bits = term_bv_binary(checker->parser->store, TERM_BV_CONCAT, bits, term);
    }
    return bits;
}

// Prefix operators.

static const struct term *check_unary(struct cfa_checker *checker, const struct ast *node,
                                      struct float_format format)
{
    struct term_store *store = checker->parser->store;
    const struct term *a;
    struct float_format from;
    switch (node->op) {
    case CFA_FP_TO_FP:
        a = check_some_float(checker, node->child[0], &from);
        return a != NULL ? float_format_convert(store, from, format, node->rounding, a) : NULL;
    case CFA_FP_FROM_BV:
        a = cfa_check(checker, node->child[0]);
        if (a != NULL && a->sort->kind != SORT_BV) {
            cfa_sort_error(checker, node->child[0]->at, a->sort, "a bit-vector");
            return NULL;
        }
        return a != NULL
                   ? float_format_from_integer(store, format, node->rounding, a, node->is_signed)
                   : NULL;
    default:
        break;
    }
    a = cfa_check_float(checker, node->child[0], format);
    if (a == NULL)
        return NULL;
    switch (node->op) {
    case CFA_MINUS:
    case CFA_FP_NEG:
        return float_negate(store, a);
    case CFA_FP_ABS:
        return float_absolute(store, a);
    case CFA_FP_ROUND:
        return float_format_integral(store, format, node->rounding, a);
    case CFA_FP_SQRT:
        return float_format_root(store, format, node->rounding, a);
    default:
        assert(node->op == CFA_PLUS || node->op == CFA_FP_POS);
        return a;
    }
}

const struct term *cfa_check_float_test(struct cfa_checker *checker, const struct ast *node)
{
    struct term_store *store = checker->parser->store;
    struct float_format format;
    const struct term *a = check_some_float(checker, node->child[0], &format), *fits;
    if (a == NULL || (node->op == CFA_FP_TO_BV && node->sort == NULL))
        return NULL; // any other operator of a float makes a float
    if (node->op == CFA_FP_IS_NAN)
        return float_format_is_nan(store, format, a);
    assert(node->op == CFA_FP_TO_BV);
    uint32_t width = node->sort->width;
    const struct term *bits =
        float_format_to_integer(store, format, node->rounding, a, node->is_signed, width, &fits);
    const struct term *ones = term_bv_unary(store, TERM_BV_NOT, term_default(store, node->sort));
    return term_ite(store, fits, bits, ones);
}

// Operators between two.

enum { EQUAL = 1, GREATER = 2, LESS = 4 }; // float_compare's predicates

const struct term *cfa_check_float_relation(struct cfa_checker *checker, const struct ast *node,
                                            struct float_format format)
{
    struct term_store *store = checker->parser->store;
    const struct term *a = cfa_check_float(checker, node->child[0], format);
    const struct term *b = cfa_check_float(checker, node->child[1], format);
    if (a == NULL || b == NULL)
        return NULL;
    uint64_t predicate = node->op == CFA_EQ || node->op == CFA_NE ? EQUAL
                         : node->op == CFA_LT                     ? LESS
                         : node->op == CFA_LE                     ? LESS | EQUAL
                         : node->op == CFA_GT                     ? GREATER
                                                                  : GREATER | EQUAL;
    const struct term *holds = float_format_compare(store, format, predicate, a, b);
    return node->op == CFA_NE ? term_not(store, holds) : holds;
}

static const struct term *apply(struct cfa_checker *checker, const struct token *op,
                                enum float_rounding mode, struct float_format format,
                                const struct term *a, const struct term *b)
{
    struct term_store *store = checker->parser->store;
    switch (op->kind) {
    case CFA_PLUS:
    case CFA_FP_ADD:
        return float_format_binary(store, format, mode, FLOAT_ADD, a, b);
    case CFA_MINUS:
    case CFA_FP_SUB:
        return float_format_binary(store, format, mode, FLOAT_SUB, a, b);
    case CFA_TIMES:
    case CFA_FP_MUL:
        return float_format_binary(store, format, mode, FLOAT_MUL, a, b);
    case CFA_DIVIDE:
    case CFA_FP_DIV:
        return float_format_binary(store, format, mode, FLOAT_DIV, a, b);
    case CFA_FP_MAX:
    case CFA_FP_MIN:
        // What is no number gives way, of what compares equal the second stays.
        return term_ite(store,
                        term_or2(store, float_format_is_nan(store, format, b),
                                 float_format_compare(
                                     store, format, op->kind == CFA_FP_MAX ? GREATER : LESS, a, b)),
                        a, b);
    case CFA_FP_REM:
        if (format.exponent <= FLOAT_REMAINDER_EXPONENT)
            return float_format_remainder(store, format, a, b);
        message_add(checker->parser->messages, MESSAGE_UNSUPPORTED,
                    lexer_position(&checker->parser->lexer, op),
                    "`fprem` of floats with more than %d bits of exponent",
                    FLOAT_REMAINDER_EXPONENT);
        return NULL;
    default:
        lexer_error(&checker->parser->lexer, op, "found `%.*s` of floats, expected `fprem`",
                    (int)op->length, op->text);
        return NULL;
    }
}

// Operands of one level, from the left.
static const struct term *check_operands(struct cfa_checker *checker, const struct ast *node,
                                         struct float_format format)
{
    const struct term *a = cfa_check_float(checker, node->child[0], format);
    for (uint32_t i = 1; i < node->child_count; i++) {
        const struct token *op = node->kind == AST_CHAIN ? node->ops[i - 1] : node->op_at;
        const struct term *b = cfa_check_float(checker, node->child[i], format);
        a = a != NULL && b != NULL ? apply(checker, op, node->rounding, format, a, b) : NULL;
    }
    return a;
}

static const struct term *check_choice(struct cfa_checker *checker, const struct ast *node,
                                       struct float_format format)
{
    const struct term *condition = cfa_check_bool(checker, node->child[0]);
    const struct term *a = cfa_check_float(checker, node->child[1], format);
    const struct term *b = cfa_check_float(checker, node->child[2], format);
    return condition != NULL && a != NULL && b != NULL
               ? term_ite(checker->parser->store, condition, a, b)
               : NULL;
}

static const struct term *check_known(struct cfa_checker *checker, const struct ast *node,
                                      struct float_format format)
{
    switch (node->kind) {
    case AST_NAME:
        return cfa_check_name(checker, node);
    case AST_FLOAT:
        return check_literal(checker, node);
    case AST_UNARY:
        return check_unary(checker, node, format);
    case AST_ITE:
        return check_choice(checker, node, format);
    default:
        assert(node->kind == AST_CHAIN || node->kind == AST_BINARY);
        return check_operands(checker, node, format);
    }
}

const struct term *cfa_check_float(struct cfa_checker *checker, const struct ast *node,
                                   struct float_format format)
{
    struct text expected;
    struct float_format found;
    bool fine = cfa_is_float(checker, node, &found);
    if (fine && same(found, format)) {
        const struct term *term = check_known(checker, node, format);
        assert(term == NULL || term->sort->width == format.exponent + format.significand);
        return term;
    }
    const struct term *term = fine ? NULL : cfa_check(checker, node);
    text_init(&expected);
    add_format(&expected, format);
    if (fine)
        cfa_float_error(checker, node->at, found, text_string(&expected));
    else if (term != NULL)
        cfa_sort_error(checker, node->at, term->sort, text_string(&expected));
    text_finish(&expected);
    return NULL;
}
