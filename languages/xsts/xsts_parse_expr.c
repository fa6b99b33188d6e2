#include <assert.h>
#include <string.h>

#include "base/vector.h"
#include "languages/xsts/xsts_parse.h"

// Expressions by precedence climbing: one level of nesting costs a handful of stack frames, however
// many levels of precedence the language has.

enum level {
    LEVEL_IFF = 1,
    LEVEL_IMPLY,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_EQUALITY,
    LEVEL_RELATION,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN,
};

enum association { LEFT, RIGHT, NONE };

static const struct op_info {
    int token;
    enum level level;
    enum association association;
    enum xsts_expr_kind kind; // of the node
    enum xsts_expr_kind sign; // in `operators`, for sums and products
} OPERATORS[] = {
    {X_IFF, LEVEL_IFF, RIGHT, XSTS_IFF, XSTS_IFF},
    {X_IMPLY, LEVEL_IMPLY, RIGHT, XSTS_IMPLY, XSTS_IMPLY},
    {X_OR_ELSE, LEVEL_OR, LEFT, XSTS_OR, XSTS_OR},
    {X_XOR, LEVEL_XOR, RIGHT, XSTS_XOR, XSTS_XOR},
    {X_AND_ALSO, LEVEL_AND, LEFT, XSTS_AND, XSTS_AND},
    {X_EQ, LEVEL_EQUALITY, NONE, XSTS_EQ, XSTS_EQ},
    {X_NE, LEVEL_EQUALITY, NONE, XSTS_NE, XSTS_NE},
    {X_LT, LEVEL_RELATION, NONE, XSTS_LT, XSTS_LT},
    {X_ARROW, LEVEL_RELATION, NONE, XSTS_LT, XSTS_LT},
    {X_LE, LEVEL_RELATION, NONE, XSTS_LE, XSTS_LE},
    {X_GT, LEVEL_RELATION, NONE, XSTS_GT, XSTS_GT},
    {X_GE, LEVEL_RELATION, NONE, XSTS_GE, XSTS_GE},
    {X_PLUS, LEVEL_SUM, LEFT, XSTS_SUM, XSTS_PLUS},
    {X_MINUS, LEVEL_SUM, LEFT, XSTS_SUM, XSTS_MINUS},
    {X_TIMES, LEVEL_PRODUCT, LEFT, XSTS_PRODUCT, XSTS_TIMES},
    {X_DIV, LEVEL_PRODUCT, LEFT, XSTS_PRODUCT, XSTS_DIV},
    {X_MOD, LEVEL_PRODUCT, LEFT, XSTS_PRODUCT, XSTS_MOD},
    {X_REM, LEVEL_PRODUCT, LEFT, XSTS_PRODUCT, XSTS_REM},
};

static const struct xsts_expr *parse_binary(struct xsts_parser *parser, enum level least);

static const struct op_info *find_operator(const struct xsts_parser *parser)
{
    int token = lexer_token(&parser->lexer)->kind;
    if (token == X_ARROW && parser->in_bracket)
        return NULL;
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++) {
        if (OPERATORS[i].token == token)
            return &OPERATORS[i];
    }
    return NULL;
}

static struct position here(const struct xsts_parser *parser)
{
    return lexer_position(&parser->lexer, lexer_token(&parser->lexer));
}

static void stop_too_deep(struct xsts_parser *parser)
{
    if (parser->stopped)
        return;
    parser->stopped = true;
    struct lexer *lexer = &parser->lexer;
    lexer_error(lexer, lexer_token(lexer), "nested too deeply, expected at most %d levels",
                XSTS_DEPTH_LIMIT);
    lexer->at = lexer->count - 1;
    lexer->last_error = lexer->count; // the callers meet the end now and have nothing to say
}

bool xsts_enter(struct xsts_parser *parser)
{
    if (parser->stopped || parser->depth >= XSTS_DEPTH_LIMIT) {
        stop_too_deep(parser);
        return false;
    }
    parser->depth++;
    return true;
}

void xsts_leave(struct xsts_parser *parser)
{
    assert(parser->depth > 0);
    parser->depth--;
}

const char *xsts_copy(struct xsts_parser *parser, const struct token *token)
{
    return arena_strndup(parser->arena, token->text, token->length);
}

// A node over `count` children, which are copied; NULL when one of them is NULL.
static struct xsts_expr *make(struct xsts_parser *parser, enum xsts_expr_kind kind,
                              struct position at, const struct xsts_expr *const *child,
                              size_t count)
{
    struct xsts_expr *node = arena_zalloc(parser->arena, sizeof *node);
    const struct xsts_expr **copy = NULL;
    node->kind = kind;
    node->at = at;
    node->depth = 1;
    if (count > 0)
        copy = arena_alloc(parser->arena, count * sizeof(struct xsts_expr *));
    for (size_t i = 0; i < count; i++) {
        if (child[i] == NULL)
            return NULL;
        copy[i] = child[i];
        if (node->depth <= child[i]->depth)
            node->depth = child[i]->depth + 1;
    }
    node->child = copy;
    node->child_count = (uint32_t)count;
    if (node->depth > XSTS_DEPTH_LIMIT) {
        stop_too_deep(parser);
        return NULL;
    }
    return node;
}

const struct xsts_type *xsts_parse_type(struct xsts_parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct xsts_type *type = arena_zalloc(parser->arena, sizeof *type);
    type->at = here(parser);
    if (lexer_accept(lexer, X_BOOLEAN) != NULL) {
        type->kind = XSTS_BOOLEAN;
    } else if (lexer_accept(lexer, X_INTEGER) != NULL) {
        type->kind = XSTS_INTEGER;
    } else if (lexer_at(lexer, TOKEN_NAME)) {
        type->kind = XSTS_NAMED;
        type->name = xsts_copy(parser, lexer_next(lexer));
    } else if (lexer_at(lexer, X_OPEN_BRACKET)) {
        if (!xsts_enter(parser))
            return NULL;
        lexer_next(lexer);
        type->kind = XSTS_MAP;
        type->key = xsts_parse_type(parser);
        if (type->key != NULL &&
            lexer_expect_in(lexer, X_CLOSE_BRACKET, "after the key type") != NULL &&
            lexer_expect(lexer, X_MAPS) != NULL)
            type->element = xsts_parse_type(parser);
        xsts_leave(parser);
        if (type->element == NULL)
            return NULL;
    } else {
        lexer_unexpected(lexer, "a type (`boolean`, `integer`, `[key] -> element` or a name)");
        return NULL;
    }
    return type;
}

// The array literal after its `[`: entries, then the default.
static const struct xsts_expr *parse_array_rest(struct xsts_parser *parser, struct position at)
{
    struct lexer *lexer = &parser->lexer;
    VECTOR(const struct xsts_expr *) parts = {0};
    const struct xsts_type *key_type = NULL;
    struct xsts_expr *node = NULL;
    while (!lexer_at(lexer, X_LT) && !lexer_at(lexer, X_DEFAULT)) {
        const struct xsts_expr *key = xsts_parse_expr(parser);
        if (key == NULL || lexer_expect_in(lexer, X_ARROW, "after the key") == NULL)
            goto done;
        const struct xsts_expr *element = xsts_parse_expr(parser);
        if (element == NULL)
            goto done;
        VECTOR_PUSH(&parts, key);
        VECTOR_PUSH(&parts, element);
        if (lexer_expect_in(lexer, X_COMMA, "and a `default <-` entry at the end of the array") ==
            NULL)
            goto done;
    }
    if (lexer_accept(lexer, X_LT) != NULL) {
        key_type = xsts_parse_type(parser);
        if (key_type == NULL || lexer_expect_in(lexer, X_GT, "after the key type") == NULL)
            goto done;
    } else if (parts.count == 0) {
        lexer_unexpected(lexer, "`<` and the key type (there is no key to take it from)");
        goto done;
    }
    if (lexer_expect(lexer, X_DEFAULT) == NULL || lexer_expect(lexer, X_ARROW) == NULL)
        goto done;
    const struct xsts_expr *rest = xsts_parse_expr(parser);
    if (rest == NULL || lexer_expect_in(lexer, X_CLOSE_BRACKET, "after the default") == NULL)
        goto done;
    VECTOR_PUSH(&parts, rest);
    node = make(parser, XSTS_ARRAY, at, parts.data, parts.count);
    if (node != NULL)
        node->key_type = key_type;
done:
    VECTOR_FINISH(&parts);
    return node;
}

static const struct xsts_expr *parse_array(struct xsts_parser *parser)
{
    struct position at = here(parser);
    lexer_next(&parser->lexer);
    bool outer = parser->in_bracket;
    parser->in_bracket = true;
    const struct xsts_expr *node = parse_array_rest(parser, at);
    parser->in_bracket = outer;
    return node;
}

static const struct xsts_expr *parse_parenthesis(struct xsts_parser *parser)
{
    lexer_next(&parser->lexer);
    bool outer = parser->in_bracket;
    parser->in_bracket = false;
    const struct xsts_expr *inner = xsts_parse_expr(parser);
    parser->in_bracket = outer;
    if (inner == NULL || lexer_expect_in(&parser->lexer, X_CLOSE, "or an operator") == NULL)
        return NULL;
    return inner;
}

static const struct xsts_expr *parse_primary(struct xsts_parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct position at = here(parser);
    const struct token *token = lexer_token(lexer);
    struct xsts_expr *node = NULL;
    switch (token->kind) {
    case X_TRUE:
        lexer_next(lexer);
        return make(parser, XSTS_TRUE, at, NULL, 0);
    case X_FALSE:
        lexer_next(lexer);
        return make(parser, XSTS_FALSE, at, NULL, 0);
    case TOKEN_NUMBER:
    case TOKEN_NAME:
        lexer_next(lexer);
        node = make(parser, token->kind == TOKEN_NAME ? XSTS_NAME : XSTS_NUMBER, at, NULL, 0);
        node->text = xsts_copy(parser, token);
        return node;
    case X_OPEN:
        return parse_parenthesis(parser);
    case X_OPEN_BRACKET:
        return parse_array(parser);
    case X_NOT:
        lexer_unexpected(lexer, "an operand (put `!...` in parentheses here)");
        return NULL;
    case X_IF:
        lexer_unexpected(lexer, "an operand (put `if ... then ... else` in parentheses here)");
        return NULL;
    case X_EQUALS:
        lexer_unexpected(lexer, "an expression (equality is written `==`)");
        return NULL;
    default:
        lexer_unexpected(lexer, "an expression");
        return NULL;
    }
}

// One `[i]` or `[i <- e]` behind `base`.
static const struct xsts_expr *parse_index(struct xsts_parser *parser, const struct xsts_expr *base)
{
    struct lexer *lexer = &parser->lexer;
    bool outer = parser->in_bracket;
    parser->in_bracket = true;
    const struct xsts_expr *part[3] = {base, NULL, NULL};
    size_t count = 2;
    lexer_next(lexer);
    part[1] = xsts_parse_expr(parser);
    if (part[1] != NULL && lexer_accept(lexer, X_ARROW) != NULL) {
        part[2] = xsts_parse_expr(parser);
        count = 3;
    }
    parser->in_bracket = outer;
    if (part[count - 1] == NULL ||
        lexer_expect_in(lexer, X_CLOSE_BRACKET, "after the index") == NULL)
        return NULL;
    return make(parser, count == 2 ? XSTS_READ : XSTS_WRITE, base->at, part, count);
}

static const struct xsts_expr *parse_access(struct xsts_parser *parser)
{
    const struct xsts_expr *node = parse_primary(parser);
    while (node != NULL && lexer_at(&parser->lexer, X_OPEN_BRACKET))
        node = parse_index(parser, node);
    return node;
}

static const struct xsts_expr *parse_sign(struct xsts_parser *parser)
{
    struct position at = here(parser);
    bool minus = false, sign = false;
    while (lexer_at(&parser->lexer, X_PLUS) || lexer_at(&parser->lexer, X_MINUS)) {
        sign = true;
        minus ^= lexer_next(&parser->lexer)->kind == X_MINUS;
    }
    const struct xsts_expr *operand = parse_access(parser);
    if (operand == NULL || !sign)
        return operand;
    return make(parser, minus ? XSTS_MINUS : XSTS_PLUS, at, &operand, 1);
}

// Any number of `!` and the equality that they negate.
static const struct xsts_expr *parse_not(struct xsts_parser *parser)
{
    struct position at = here(parser);
    bool negated = false;
    while (lexer_accept(&parser->lexer, X_NOT) != NULL)
        negated = !negated;
    const struct xsts_expr *operand = parse_binary(parser, LEVEL_EQUALITY);
    // `!!a` keeps one node so that the sort of `a` is still checked.
    const struct xsts_expr *inner =
        negated || operand == NULL ? operand : make(parser, XSTS_NOT, at, &operand, 1);
    return inner == NULL ? NULL : make(parser, XSTS_NOT, at, &inner, 1);
}

// `x<-1` outside of brackets: the arrow is taken apart.
static void split_arrow(struct lexer *lexer)
{
    struct token *arrow = &lexer->tokens[lexer->at];
    arrow->kind = X_MINUS;
    arrow->text++;
    arrow->length--;
    arrow->column++;
}

// The operands of a chain of operators of one level: `a + b - c`. The first is given.
static const struct xsts_expr *parse_chain(struct xsts_parser *parser,
                                           const struct xsts_expr *first, const struct op_info *op)
{
    enum level level = op->level;
    enum xsts_expr_kind kind = op->kind;
    VECTOR(const struct xsts_expr *) operands = {0};
    VECTOR(enum xsts_expr_kind) signs = {0};
    VECTOR_PUSH(&operands, first);
    VECTOR_PUSH(&signs, op->sign);
    struct xsts_expr *node = NULL;
    do {
        lexer_next(&parser->lexer);
        const struct xsts_expr *operand = parse_binary(parser, level + 1);
        if (operand == NULL)
            goto done;
        VECTOR_PUSH(&operands, operand);
        VECTOR_PUSH(&signs, op->sign);
        op = find_operator(parser);
    } while (op != NULL && op->level == level);
    node = make(parser, kind, first->at, operands.data, operands.count);
    if (node != NULL) {
        enum xsts_expr_kind *copy = arena_alloc(parser->arena, signs.count * sizeof *copy);
        memcpy(copy, signs.data, signs.count * sizeof *copy);
        node->operators = copy;
    }
done:
    VECTOR_FINISH(&operands);
    VECTOR_FINISH(&signs);
    return node;
}

static const struct xsts_expr *parse_pair(struct xsts_parser *parser, const struct xsts_expr *left,
                                          const struct op_info *op)
{
    const struct xsts_expr *part[2] = {left, NULL};
    if (op->token == X_ARROW)
        split_arrow(&parser->lexer);
    else
        lexer_next(&parser->lexer);
    // A right-associative operator takes others of its level into its right side.
    bool right = op->association == RIGHT;
    if (right && !xsts_enter(parser))
        return NULL;
    part[1] = parse_binary(parser, right ? op->level : op->level + 1);
    if (right)
        xsts_leave(parser);
    return part[1] == NULL ? NULL : make(parser, op->kind, left->at, part, 2);
}

// An expression of operators that bind at least as tightly as `least`.
static const struct xsts_expr *parse_binary(struct xsts_parser *parser, enum level least)
{
    bool negation = least <= LEVEL_NOT && lexer_at(&parser->lexer, X_NOT);
    const struct xsts_expr *left = negation ? parse_not(parser) : parse_sign(parser);
    enum level tightest = negation ? LEVEL_AND : LEVEL_PRODUCT;
    while (left != NULL) {
        const struct op_info *op = find_operator(parser);
        if (op == NULL || op->level < least)
            return left;
        if (op->level > tightest) {
            const struct token *token = lexer_token(&parser->lexer);
            lexer_error(&parser->lexer, token,
                        "found a second comparison `%.*s`, expected at most one (use parentheses)",
                        (int)token->length, token->text);
            return NULL;
        }
        left =
            op->association == LEFT ? parse_chain(parser, left, op) : parse_pair(parser, left, op);
        tightest = op->association == LEFT ? op->level : op->level - 1;
    }
    return NULL;
}

static const struct xsts_expr *parse_if(struct xsts_parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct position at = here(parser);
    const struct xsts_expr *part[3] = {NULL, NULL, NULL};
    lexer_next(lexer);
    if ((part[0] = xsts_parse_expr(parser)) == NULL || lexer_expect(lexer, X_THEN) == NULL)
        return NULL;
    if ((part[1] = xsts_parse_expr(parser)) == NULL ||
        lexer_expect_in(lexer, X_ELSE, "(an `if` expression needs both branches)") == NULL)
        return NULL;
    if ((part[2] = xsts_parse_expr(parser)) == NULL)
        return NULL;
    return make(parser, XSTS_IF, at, part, 3);
}

const struct xsts_expr *xsts_parse_expr(struct xsts_parser *parser)
{
    if (!xsts_enter(parser))
        return NULL;
    const struct xsts_expr *node =
        lexer_at(&parser->lexer, X_IF) ? parse_if(parser) : parse_binary(parser, LEVEL_IFF);
    xsts_leave(parser);
    return node;
}
