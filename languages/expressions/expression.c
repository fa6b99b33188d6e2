#include "languages/expressions/expression.h"

#include <assert.h>
#include <string.h>

#include "base/vector.h"

struct ast_vector {
    const struct ast **data;
    size_t count, capacity;
};

// Binary operators, loosest to tightest (docs/definitions/formats.md 4.1).
enum level {
    LEVEL_EXPRESSION, // if, lambda
    LEVEL_IFF,
    LEVEL_IMPLY,
    LEVEL_QUANTIFIER,
    LEVEL_EXTREME,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_EQUALITY,
    LEVEL_RELATION,
    LEVEL_BV_OR,
    LEVEL_BV_XOR,
    LEVEL_BV_AND,
    LEVEL_SHIFT,
    LEVEL_ADD,
    LEVEL_MUL,
    LEVEL_CONCAT,
    LEVEL_EXTEND,
};

enum association { ONE, LEFT, RIGHT };

struct operator_level {
    enum level level;
    enum association association;
};

static bool operator_of(int token, struct operator_level *out)
{
    static const struct {
        int first, last; // in the order of enum cfa_token
        struct operator_level level;
    } table[] = {
        {CFA_IFF, CFA_IFF, {LEVEL_IFF, RIGHT}},
        {CFA_IMPLY, CFA_IMPLY, {LEVEL_IMPLY, RIGHT}},
        {CFA_FP_MAX, CFA_FP_MIN, {LEVEL_EXTREME, ONE}},
        {CFA_OR, CFA_OR, {LEVEL_OR, LEFT}},
        {CFA_XOR, CFA_XOR, {LEVEL_XOR, RIGHT}},
        {CFA_AND, CFA_AND, {LEVEL_AND, LEFT}},
        {CFA_EQ, CFA_NE, {LEVEL_EQUALITY, ONE}},
        {CFA_LT, CFA_GE, {LEVEL_RELATION, ONE}},
        {CFA_BV_ULT, CFA_BV_SGE, {LEVEL_RELATION, ONE}},
        {CFA_BV_OR, CFA_BV_OR, {LEVEL_BV_OR, ONE}},
        {CFA_BV_XOR, CFA_BV_XOR, {LEVEL_BV_XOR, ONE}},
        {CFA_BV_AND, CFA_BV_AND, {LEVEL_BV_AND, ONE}},
        {CFA_BV_SHL, CFA_BV_ROR, {LEVEL_SHIFT, ONE}},
        {CFA_PLUS, CFA_MINUS, {LEVEL_ADD, LEFT}},
        {CFA_BV_ADD, CFA_BV_SUB, {LEVEL_ADD, LEFT}},
        {CFA_FP_ADD, CFA_FP_SUB, {LEVEL_ADD, LEFT}},
        {CFA_TIMES, CFA_REM, {LEVEL_MUL, LEFT}},
        {CFA_BV_MUL, CFA_BV_SREM, {LEVEL_MUL, LEFT}},
        {CFA_FP_MUL, CFA_FP_REM, {LEVEL_MUL, LEFT}},
        {CFA_CONCAT, CFA_CONCAT, {LEVEL_CONCAT, LEFT}},
        {CFA_BV_ZERO_EXTEND, CFA_BV_SIGN_EXTEND, {LEVEL_EXTEND, ONE}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (token >= table[i].first && token <= table[i].last) {
            *out = table[i].level;
            return true;
        }
    }
    return false;
}

// Making nodes.

static struct ast *make(struct cfa_parser *parser, enum ast_kind kind, const struct token *at)
{
    struct ast *node = arena_zalloc(parser->arena, sizeof *node);
    node->kind = kind;
    node->at = at;
    node->first = (size_t)(at - parser->lexer.tokens);
    node->past = parser->lexer.at;
    node->height = 1;
    return node;
}

// How much deeper than its operands a chain may make a term: and, or, + and - flatten, the others
// nest to the left.
static uint32_t chain_height(const struct ast *node)
{
    for (uint32_t i = 0; i + 1 < node->child_count; i++) {
        int op = node->ops[i]->kind;
        if (op != CFA_AND && op != CFA_OR && op != CFA_PLUS && op != CFA_MINUS)
            return node->child_count;
    }
    return 1;
}

// NULL when the tree gets too high.
static const struct ast *adopt(struct cfa_parser *parser, struct ast *node,
                               const struct ast *const *children, size_t count)
{
    assert(node->kind != AST_CHAIN || count >= 2);
    node->child = cfa_copy(parser, children, count * sizeof *children);
    node->child_count = (uint32_t)count;
    node->past = parser->lexer.at;
    if (count > 0 && children[0]->at == node->at)
        node->first = children[0]->first;
    uint32_t height = 0;
    for (size_t i = 0; i < count; i++)
        height = children[i]->height > height ? children[i]->height : height;
    node->height = height + (node->kind == AST_CHAIN ? chain_height(node) : 1);
    if (node->height > CFA_MAX_DEPTH) {
        cfa_too_deep(parser, node->at);
        return NULL;
    }
    return node;
}

// Expressions.

static const struct ast *parse_level(struct cfa_parser *parser, enum level least);
static const struct ast *parse_unary(struct cfa_parser *parser);

// An expression in brackets of its own, where `<-` is the array arrow or not.
static const struct ast *parse_nested(struct cfa_parser *parser, bool arrow_closes)
{
    bool outer = parser->arrow_closes;
    parser->arrow_closes = arrow_closes;
    const struct ast *node = parse_level(parser, LEVEL_EXPRESSION);
    parser->arrow_closes = outer;
    return node;
}

const struct ast *cfa_parse_expr(struct cfa_parser *parser)
{
    return parse_nested(parser, false);
}

static bool parse_list(struct cfa_parser *parser, struct ast_vector *list, bool arrow_closes)
{
    do {
        const struct ast *item = parse_nested(parser, arrow_closes);
        if (item == NULL)
            return false;
        VECTOR_PUSH(list, item);
    } while (lexer_accept(&parser->lexer, CFA_COMMA) != NULL);
    return true;
}

bool cfa_parse_arguments(struct cfa_parser *parser, const struct ast *const **args, uint32_t *count)
{
    struct ast_vector list = {0};
    bool fine = lexer_at(&parser->lexer, CFA_RPAREN) || parse_list(parser, &list, false);
    *args = cfa_copy(parser, list.data, list.count * sizeof *list.data);
    *count = (uint32_t)list.count;
    VECTOR_FINISH(&list);
    return fine && lexer_expect(&parser->lexer, CFA_RPAREN) != NULL;
}

static bool parse_array_entries(struct cfa_parser *parser, struct ast_vector *list,
                                const struct sort **key_sort)
{
    struct lexer *lexer = &parser->lexer;
    while (!lexer_at(lexer, CFA_DEFAULT) && !lexer_at(lexer, CFA_LT)) {
        const struct ast *key = parse_nested(parser, true);
        if (key == NULL || lexer_expect(lexer, CFA_LARROW) == NULL)
            return false;
        const struct ast *element = parse_nested(parser, false);
        if (element == NULL || lexer_expect(lexer, CFA_COMMA) == NULL)
            return false;
        VECTOR_PUSH(list, key);
        VECTOR_PUSH(list, element);
    }
    if (lexer_accept(lexer, CFA_LT) != NULL &&
        (!cfa_parse_type(parser, key_sort) || lexer_expect(lexer, CFA_GT) == NULL))
        return false;
    if (lexer_expect(lexer, CFA_DEFAULT) == NULL)
        return false;
    if (*key_sort == NULL && list->count == 0)
        return lexer_unexpected(lexer, "an entry or `<type>` before `default`");
    if (lexer_expect(lexer, CFA_LARROW) == NULL)
        return false;
    const struct ast *element = parse_nested(parser, false);
    if (element == NULL)
        return false;
    VECTOR_PUSH(list, element);
    return lexer_expect(lexer, CFA_RBRACKET);
}

static const struct ast *parse_array(struct cfa_parser *parser)
{
    struct ast *node = make(parser, AST_ARRAY, lexer_next(&parser->lexer));
    struct ast_vector list = {0};
    const struct ast *result = NULL;
    if (parse_array_entries(parser, &list, &node->sort))
        result = adopt(parser, node, list.data, list.count);
    VECTOR_FINISH(&list);
    return result;
}

static bool at_lambda(struct cfa_parser *parser)
{
    const struct lexer *lexer = &parser->lexer;
    return lexer_at(lexer, CFA_LPAREN) &&
           ((lexer_peek(lexer, 1)->kind == CFA_RPAREN &&
             lexer_peek(lexer, 2)->kind == CFA_RARROW) ||
            (lexer_peek(lexer, 1)->kind == TOKEN_NAME && lexer_peek(lexer, 2)->kind == CFA_COLON));
}

static const struct ast *parse_lambda(struct cfa_parser *parser)
{
    struct ast *node = make(parser, AST_LAMBDA, lexer_next(&parser->lexer));
    if (!cfa_parse_decls(parser, true, &node->decls, &node->decl_count) ||
        lexer_expect(&parser->lexer, CFA_RARROW) == NULL)
        return NULL;
    const struct ast *body = parse_level(parser, LEVEL_EXPRESSION);
    return body != NULL ? adopt(parser, node, &body, 1) : NULL;
}

static const struct ast *parse_quantifier(struct cfa_parser *parser)
{
    struct ast *node = make(parser, AST_QUANTIFIER, lexer_next(&parser->lexer));
    node->op = node->at->kind;
    if (lexer_expect(&parser->lexer, CFA_LPAREN) == NULL ||
        !cfa_parse_decls(parser, false, &node->decls, &node->decl_count))
        return NULL;
    const struct ast *body = parse_level(parser, LEVEL_QUANTIFIER);
    return body != NULL ? adopt(parser, node, &body, 1) : NULL;
}

static const struct ast *parse_if(struct cfa_parser *parser)
{
    struct ast *node = make(parser, AST_ITE, lexer_next(&parser->lexer));
    const struct ast *part[3] = {cfa_parse_expr(parser)};
    if (part[0] == NULL || lexer_expect(&parser->lexer, CFA_THEN) == NULL)
        return NULL;
    part[1] = cfa_parse_expr(parser);
    if (part[1] == NULL || lexer_expect(&parser->lexer, CFA_ELSE) == NULL)
        return NULL;
    part[2] = parse_level(parser, LEVEL_EXPRESSION);
    return part[2] != NULL ? adopt(parser, node, part, 3) : NULL;
}

static const struct ast *parse_number(struct cfa_parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct ast *node = make(parser, AST_INT, lexer_next(lexer));
    node->number = node->at;
    if (!lexer_at(lexer, CFA_PERCENT))
        return node;
    lexer_next(lexer);
    node->kind = AST_RAT;
    node->second = lexer_expect_in(lexer, TOKEN_NUMBER, "(a remainder is written `mod`)");
    return node->second != NULL ? node : NULL;
}

static const struct ast *parse_parentheses(struct cfa_parser *parser)
{
    const size_t first = parser->lexer.at;
    lexer_next(&parser->lexer);
    const struct ast *inner = parse_nested(parser, false);
    if (inner == NULL || lexer_expect(&parser->lexer, CFA_RPAREN) == NULL)
        return NULL;
    struct ast *node = arena_alloc(parser->arena, sizeof *node);
    *node = *inner;
    node->first = first;
    node->past = parser->lexer.at;
    return node;
}

// Operators that other languages spell so; false always.
static bool report_foreign(struct cfa_parser *parser)
{
    static const char *const ours[][2] = {
        {"==", "`=`"},    {"!=", "`/=`"},
        {"&&", "`and`"},  {"||", "`or`"},
        {"!", "`not`"},   {"=>", "`imply`"},
        {"<=>", "`iff`"}, {"%", "another operator (a remainder is written `mod`)"},
    };
    const struct token *token = lexer_token(&parser->lexer);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (token_is(token, ours[i][0]))
            return lexer_unexpected(&parser->lexer, ours[i][1]);
    }
    return false;
}

static const struct ast *parse_primary(struct cfa_parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    const struct token *at = lexer_token(lexer);
    switch (at->kind) {
    case TOKEN_NUMBER:
        return parse_number(parser);
    case TOKEN_NAME:
        return make(parser, AST_NAME, lexer_next(lexer));
    case CFA_TRUE:
        return make(parser, AST_TRUE, lexer_next(lexer));
    case CFA_FALSE:
        return make(parser, AST_FALSE, lexer_next(lexer));
    case CFA_BV_LITERAL:
        return make(parser, AST_BV, lexer_next(lexer));
    case CFA_FP_LITERAL:
        return make(parser, AST_FLOAT, lexer_next(lexer));
    case CFA_LPAREN:
        return parse_parentheses(parser);
    case CFA_LBRACKET:
        return parse_array(parser);
    case CFA_FOREIGN:
        report_foreign(parser);
        return NULL;
    case CFA_IF:
    case CFA_NOT:
    case CFA_FORALL:
    case CFA_EXISTS:
        lexer_unexpected(lexer, "an operand (put this one in parentheses)");
        return NULL;
    default:
        lexer_unexpected(lexer, "an expression");
        return NULL;
    }
}

static const struct ast *parse_call(struct cfa_parser *parser, const struct ast *function)
{
    struct ast *node = make(parser, AST_CALL, function->at);
    node->op_at = lexer_next(&parser->lexer);
    struct ast_vector list = {0};
    VECTOR_PUSH(&list, function);
    const struct ast *result = NULL;
    if (parse_list(parser, &list, false) && lexer_expect(&parser->lexer, CFA_RPAREN) != NULL)
        result = adopt(parser, node, list.data, list.count);
    VECTOR_FINISH(&list);
    return result;
}

// b[until:from]
static const struct ast *parse_extract(struct cfa_parser *parser, const struct ast *operand)
{
    struct lexer *lexer = &parser->lexer;
    struct ast *node = make(parser, AST_EXTRACT, operand->at);
    node->number = lexer_next(lexer);
    node->op_at = lexer_next(lexer);
    node->second = lexer_expect(lexer, TOKEN_NUMBER);
    if (node->second == NULL || lexer_expect(lexer, CFA_RBRACKET) == NULL)
        return NULL;
    return adopt(parser, node, &operand, 1);
}

// a[i, …] or a[i, … <- v]
static const struct ast *parse_access(struct cfa_parser *parser, const struct ast *array)
{
    struct lexer *lexer = &parser->lexer;
    struct ast *node = make(parser, AST_INDEX, array->at);
    node->op_at = lexer_next(lexer);
    if (lexer_at(lexer, TOKEN_NUMBER) && lexer_peek(lexer, 1)->kind == CFA_COLON)
        return parse_extract(parser, array);
    struct ast_vector list = {0};
    VECTOR_PUSH(&list, array);
    bool fine = parse_list(parser, &list, true);
    if (fine && lexer_accept(lexer, CFA_LARROW) != NULL) {
        node->kind = AST_WRITE;
        const struct ast *element = parse_nested(parser, false);
        fine = element != NULL;
        if (fine)
            VECTOR_PUSH(&list, element);
    }
    const struct ast *result = NULL;
    if (fine && lexer_expect(lexer, CFA_RBRACKET) != NULL)
        result = adopt(parser, node, list.data, list.count);
    VECTOR_FINISH(&list);
    return result;
}

static const struct ast *parse_postfix(struct cfa_parser *parser)
{
    const struct ast *node = parse_primary(parser);
    while (node != NULL) {
        if (lexer_at(&parser->lexer, CFA_LPAREN)) {
            node = parse_call(parser, node);
        } else if (lexer_at(&parser->lexer, CFA_LBRACKET)) {
            node = parse_access(parser, node);
        } else if (lexer_at(&parser->lexer, CFA_PRIME)) {
            struct ast *prime = make(parser, AST_PRIME, node->at);
            prime->op_at = lexer_next(&parser->lexer);
            node = adopt(parser, prime, &node, 1);
        } else {
            break;
        }
    }
    return node;
}

static bool is_float_operator(int kind)
{
    return kind >= CFA_FP_MAX && kind <= CFA_FP_FROM_BV;
}

// [u] or [s], or the end of [8'u].
static bool parse_signedness(struct cfa_parser *parser, bool *is_signed)
{
    struct lexer *lexer = &parser->lexer;
    const struct token *word = lexer_token(lexer);
    *is_signed = token_is(word, "s");
    if (!*is_signed && !token_is(word, "u"))
        return lexer_unexpected(lexer, "`u` (without a sign) or `s` (with one)");
    lexer_next(lexer);
    return lexer_expect(lexer, CFA_RBRACKET) != NULL;
}

// [RNE] and the like, if there is any.
static bool parse_rounding(struct cfa_parser *parser, struct ast *node)
{
    static const struct {
        const char *name;
        enum float_rounding rounding;
    } modes[] = {
        {"RNE", FLOAT_NEAREST_EVEN}, {"RNA", FLOAT_NEAREST_AWAY}, {"RTP", FLOAT_UPWARDS},
        {"RTN", FLOAT_DOWNWARDS},    {"RTZ", FLOAT_TO_ZERO},
    };
    struct lexer *lexer = &parser->lexer;
    // `fpneg [1 <- …]` would begin with a bracket, too.
    if (!lexer_at(lexer, CFA_LBRACKET) || lexer_peek(lexer, 2)->kind != CFA_RBRACKET)
        return true;
    lexer_next(lexer);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (token_is(lexer_token(lexer), modes[i].name)) {
            node->rounding = modes[i].rounding;
            lexer_next(lexer);
            return lexer_expect(lexer, CFA_RBRACKET) != NULL;
        }
    }
    return lexer_unexpected(lexer, "a rounding mode (RNE, RNA, RTP, RTN or RTZ)");
}

// What an operator of floats has in brackets behind it.
static bool parse_brackets(struct cfa_parser *parser, struct ast *node)
{
    struct lexer *lexer = &parser->lexer;
    if ((node->op == CFA_FP_TO_FP || node->op == CFA_FP_FROM_BV) &&
        !cfa_parse_format(parser, &node->format))
        return false;
    if (node->op == CFA_FP_FROM_BV &&
        (lexer_expect(lexer, CFA_LBRACKET) == NULL || !parse_signedness(parser, &node->is_signed)))
        return false;
    if (node->op == CFA_FP_TO_BV) {
        if (lexer_expect(lexer, CFA_LBRACKET) == NULL)
            return false;
        const struct token *width = lexer_expect(lexer, TOKEN_NUMBER);
        if (width == NULL || lexer_expect(lexer, CFA_PRIME) == NULL ||
            !parse_signedness(parser, &node->is_signed))
            return false;
        cfa_bit_vector_sort(parser, width, &node->sort);
    }
    return parse_rounding(parser, node);
}

// The operand of a prefix operator that is at the current token.
static const struct ast *parse_prefix(struct cfa_parser *parser)
{
    const struct token *at = lexer_next(&parser->lexer);
    struct ast *node = make(parser, AST_UNARY, at);
    node->op = at->kind;
    node->op_at = at;
    if (is_float_operator(at->kind) && !parse_brackets(parser, node))
        return NULL;
    if (!cfa_enter(parser))
        return NULL;
    const struct ast *operand = at->kind != CFA_NOT ? parse_unary(parser)
                                : lexer_at(&parser->lexer, CFA_NOT)
                                    ? parse_prefix(parser)
                                    : parse_level(parser, LEVEL_EQUALITY);
    parser->depth--;
    return operand != NULL ? adopt(parser, node, &operand, 1) : NULL;
}

static const struct ast *parse_unary(struct cfa_parser *parser)
{
    switch (lexer_token(&parser->lexer)->kind) {
    case CFA_PLUS:
    case CFA_MINUS:
    case CFA_BV_POS:
    case CFA_BV_NEG:
    case CFA_BV_NOT:
    case CFA_FP_ABS:
    case CFA_FP_ROUND:
    case CFA_FP_SQRT:
    case CFA_FP_NEG:
    case CFA_FP_POS:
    case CFA_FP_IS_NAN:
    case CFA_FP_TO_FP:
    case CFA_FP_TO_BV:
    case CFA_FP_FROM_BV:
        return parse_prefix(parser);
    default:
        return parse_postfix(parser);
    }
}

// What may stand before the first operator of an expression of level `least`.
static const struct ast *parse_operand(struct cfa_parser *parser, enum level least)
{
    struct lexer *lexer = &parser->lexer;
    int kind = lexer_token(lexer)->kind;
    if (least <= LEVEL_EXPRESSION && kind == CFA_IF)
        return parse_if(parser);
    if (least <= LEVEL_EXPRESSION && at_lambda(parser))
        return parse_lambda(parser);
    if (least <= LEVEL_QUANTIFIER && (kind == CFA_FORALL || kind == CFA_EXISTS))
        return parse_quantifier(parser);
    if (least <= LEVEL_NOT && kind == CFA_NOT)
        return parse_prefix(parser);
    return parse_unary(parser);
}

static const struct ast *make_chain(struct cfa_parser *parser, const struct ast_vector *operands,
                                    const struct token *const *ops, size_t op_count)
{
    assert(operands->count == op_count + 1); // one between every two
    if (op_count == 0)
        return operands->data[0];
    struct ast *node = make(parser, AST_CHAIN, operands->data[0]->at);
    node->op = ops[0]->kind;
    node->op_at = ops[0];
    node->ops = cfa_copy(parser, ops, op_count * sizeof *ops);
    return adopt(parser, node, operands->data, operands->count);
}

// An operator of floats has a rounding of its own, so it is a node of its own.
static const struct ast *parse_float_operator(struct cfa_parser *parser, const struct ast *left,
                                              enum level next)
{
    struct ast *node = make(parser, AST_BINARY, left->at);
    node->op_at = lexer_next(&parser->lexer);
    node->op = node->op_at->kind;
    const struct ast *right = parse_brackets(parser, node) ? parse_level(parser, next) : NULL;
    return right != NULL ? adopt(parser, node, (const struct ast *[]){left, right}, 2) : NULL;
}

// The operators of one left-associative level; the current token is the first.
static const struct ast *parse_chain(struct cfa_parser *parser, const struct ast *first,
                                     enum level level)
{
    struct operator_level found;
    struct ast_vector operands = {0};
    VECTOR(const struct token *) ops = {0};
    VECTOR_PUSH(&operands, first);
    const struct ast *last = first;
    while (last != NULL && operator_of(lexer_token(&parser->lexer)->kind, &found) &&
           found.level == level) {
        if (is_float_operator(lexer_token(&parser->lexer)->kind)) {
            last = make_chain(parser, &operands, ops.data, ops.count);
            if (last != NULL)
                last = parse_float_operator(parser, last, level + 1);
            operands.count = ops.count = 0;
        } else {
            VECTOR_PUSH(&ops, lexer_next(&parser->lexer));
            last = parse_level(parser, level + 1);
        }
        VECTOR_PUSH(&operands, last);
    }
    const struct ast *result =
        last != NULL ? make_chain(parser, &operands, ops.data, ops.count) : NULL;
    VECTOR_FINISH(&operands);
    VECTOR_FINISH(&ops);
    return result;
}

static const struct ast *parse_extension(struct cfa_parser *parser, const struct ast *operand)
{
    struct ast *node = make(parser, AST_EXTEND, operand->at);
    node->op_at = lexer_next(&parser->lexer);
    node->op = node->op_at->kind;
    if (!lexer_at(&parser->lexer, CFA_BV)) {
        lexer_unexpected(&parser->lexer, "`bv`");
        return NULL;
    }
    return cfa_parse_type(parser, &node->sort) ? adopt(parser, node, &operand, 1) : NULL;
}

// One operator with its right side, which for ONE and LEFT binds tighter.
static const struct ast *parse_binary(struct cfa_parser *parser, const struct ast *left,
                                      struct operator_level found)
{
    if (found.association == LEFT)
        return parse_chain(parser, left, found.level);
    if (found.level == LEVEL_EXTEND)
        return parse_extension(parser, left);
    if (is_float_operator(lexer_token(&parser->lexer)->kind))
        return parse_float_operator(parser, left, found.level + 1);
    struct ast *node = make(parser, AST_BINARY, left->at);
    node->op_at = lexer_next(&parser->lexer);
    node->op = node->op_at->kind;
    const struct ast *right =
        parse_level(parser, found.association == RIGHT ? found.level : found.level + 1);
    return right != NULL ? adopt(parser, node, (const struct ast *[]){left, right}, 2) : NULL;
}

// `x <- 1` outside an array: `x < -1` (docs/definitions/formats.md 2.1).
static const struct ast *parse_less_minus(struct cfa_parser *parser, const struct ast *left)
{
    struct ast *node = make(parser, AST_BINARY, left->at);
    node->op_at = lexer_next(&parser->lexer);
    node->op = CFA_LT;
    struct ast *minus = make(parser, AST_UNARY, node->op_at);
    minus->op = CFA_MINUS;
    minus->op_at = node->op_at;
    const struct ast *operand = parse_unary(parser);
    const struct ast *right = operand != NULL ? adopt(parser, minus, &operand, 1) : NULL;
    return right != NULL ? adopt(parser, node, (const struct ast *[]){left, right}, 2) : NULL;
}

static const struct ast *parse_operators(struct cfa_parser *parser, enum level least)
{
    const struct ast *left = parse_operand(parser, least);
    enum level single = LEVEL_EXPRESSION; // the level of an operator of which there may be but one
    while (left != NULL) {
        struct operator_level found;
        int kind = lexer_token(&parser->lexer)->kind;
        if (kind == CFA_FOREIGN || kind == CFA_PERCENT) {
            report_foreign(parser);
            return NULL;
        }
        if (kind == CFA_LARROW && !parser->arrow_closes && least <= LEVEL_RELATION)
            found = (struct operator_level){LEVEL_RELATION, ONE};
        else if (!operator_of(kind, &found) || found.level < least)
            break;
        if (found.association == ONE && found.level == single) {
            lexer_unexpected(&parser->lexer,
                             "only one such operator (put one of them in parentheses)");
            return NULL;
        }
        single = found.association == ONE ? found.level : LEVEL_EXPRESSION;
        left =
            kind == CFA_LARROW ? parse_less_minus(parser, left) : parse_binary(parser, left, found);
    }
    return left;
}

static const struct ast *parse_level(struct cfa_parser *parser, enum level least)
{
    if (!cfa_enter(parser))
        return NULL;
    const struct ast *node = parse_operators(parser, least);
    assert(parser->depth > 0); // what went down came up again
    parser->depth--;
    return node;
}
