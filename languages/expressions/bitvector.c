#include <assert.h>

#include "base/text.h"
#include "languages/expressions/check.h"
#include "logic/terms/print.h"

static bool is_bit_vector(struct cfa_checker *checker, const struct token *at,
                          const struct term *term)
{
    if (term->sort->kind == SORT_BV)
        return true;
    cfa_sort_error(checker, at, term->sort, "a bit-vector");
    return false;
}

const struct term *cfa_check_bv_unary(struct cfa_checker *checker, const struct ast *node)
{
    const struct term *a = cfa_check(checker, node->child[0]);
    if (a == NULL || !is_bit_vector(checker, node->child[0]->at, a))
        return NULL;
    switch (node->op) {
    case CFA_BV_NEG:
        return term_bv_unary(checker->parser->store, TERM_BV_NEG, a);
    case CFA_BV_NOT:
        return term_bv_unary(checker->parser->store, TERM_BV_NOT, a);
    default:
        assert(node->op == CFA_BV_POS);
        return a;
    }
}

static enum term_kind kind_of(int op, bool *swap)
{
    *swap = op == CFA_BV_UGT || op == CFA_BV_UGE || op == CFA_BV_SGT || op == CFA_BV_SGE;
    switch (op) {
    case CFA_BV_ULT:
    case CFA_BV_UGT:
        return TERM_BV_ULT;
    case CFA_BV_ULE:
    case CFA_BV_UGE:
        return TERM_BV_ULE;
    case CFA_BV_SLT:
    case CFA_BV_SGT:
        return TERM_BV_SLT;
    case CFA_BV_SLE:
    case CFA_BV_SGE:
        return TERM_BV_SLE;
    case CFA_BV_OR:
        return TERM_BV_OR;
    case CFA_BV_XOR:
        return TERM_BV_XOR;
    case CFA_BV_AND:
        return TERM_BV_AND;
    case CFA_BV_SHL:
        return TERM_BV_SHL;
    case CFA_BV_ASHR:
        return TERM_BV_ASHR;
    case CFA_BV_LSHR:
        return TERM_BV_LSHR;
    case CFA_BV_ROL:
        return TERM_BV_ROL;
    case CFA_BV_ROR:
        return TERM_BV_ROR;
    case CFA_BV_ADD:
    case CFA_BV_SUB:
        return TERM_BV_ADD;
    case CFA_BV_MUL:
        return TERM_BV_MUL;
    case CFA_BV_UDIV:
        return TERM_BV_UDIV;
    case CFA_BV_SDIV:
        return TERM_BV_SDIV;
    case CFA_BV_SMOD:
        return TERM_BV_SMOD;
    case CFA_BV_UREM:
        return TERM_BV_UREM;
    case CFA_BV_SREM:
        return TERM_BV_SREM;
    default:
        assert(op == CFA_CONCAT);
        return TERM_BV_CONCAT;
    }
}

static const struct term *check_concat(struct cfa_checker *checker, const struct token *op,
                                       const struct term *a, const struct term *b)
{
    if (a->sort->width + b->sort->width > CFA_MAX_WIDTH) {
        message_add(checker->parser->messages, MESSAGE_UNSUPPORTED,
                    lexer_position(&checker->parser->lexer, op), "bit-vector of more than %d bits",
                    CFA_MAX_WIDTH);
        return NULL;
    }
    return term_bv_binary(checker->parser->store, TERM_BV_CONCAT, a, b);
}

const struct term *cfa_check_bv_binary(struct cfa_checker *checker, const struct token *op,
                                       const struct term *a, const struct ast *a_node,
                                       const struct ast *b_node)
{
    struct term_store *store = checker->parser->store;
    const struct term *b = cfa_check(checker, b_node);
    if (a == NULL || b == NULL || !is_bit_vector(checker, a_node->at, a) ||
        !is_bit_vector(checker, b_node->at, b))
        return NULL;
    if (op->kind == CFA_CONCAT)
        return check_concat(checker, op, a, b);
    if (a->sort != b->sort) {
        struct text expected;
        text_init(&expected);
        print_sort(&expected, a->sort, PRINT_CFA);
        cfa_sort_error(checker, b_node->at, b->sort, text_string(&expected));
        text_finish(&expected);
        return NULL;
    }
    if (op->kind >= CFA_BV_UDIV && op->kind <= CFA_BV_SREM && cfa_zero_divisor(checker, b_node, b))
        return NULL;
    if (op->kind == CFA_BV_SUB)
        b = term_bv_unary(store, TERM_BV_NEG, b);
    bool swap;
    enum term_kind kind = kind_of(op->kind, &swap);
    return swap ? term_bv_binary(store, kind, b, a) : term_bv_binary(store, kind, a, b);
}

// Bits `second` up to but not including `number`.
const struct term *cfa_check_extract(struct cfa_checker *checker, const struct ast *node)
{
    const struct term *a = cfa_check(checker, node->child[0]);
    if (a == NULL || !is_bit_vector(checker, node->at, a))
        return NULL;
    uint32_t until = cfa_number(node->number, CFA_MAX_WIDTH);
    uint32_t from = cfa_number(node->second, CFA_MAX_WIDTH);
    if (until > a->sort->width) {
        lexer_error(&checker->parser->lexer, node->number,
                    "found the bit position %.*s, expected at most the width %u",
                    (int)node->number->length, node->number->text, a->sort->width);
        return NULL;
    }
    if (from >= until) {
        lexer_error(&checker->parser->lexer, node->second,
                    "found the bit position %.*s, expected less than %u", (int)node->second->length,
                    node->second->text, until);
        return NULL;
    }
    return term_bv_extract(checker->parser->store, a, until - 1, from);
}

const struct term *cfa_check_extend(struct cfa_checker *checker, const struct ast *node)
{
    const struct term *a = cfa_check(checker, node->child[0]);
    if (a == NULL || node->sort == NULL || !is_bit_vector(checker, node->at, a))
        return NULL;
    if (node->sort->width < a->sort->width) {
        lexer_error(&checker->parser->lexer, node->op_at,
                    "found an extension from %u to %u bits, expected at least %u", a->sort->width,
                    node->sort->width, a->sort->width);
        return NULL;
    }
    return term_bv_extend(checker->parser->store,
                          node->op == CFA_BV_ZERO_EXTEND ? TERM_BV_ZEXT : TERM_BV_SEXT, a,
                          node->sort->width);
}
