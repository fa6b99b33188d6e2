#include "languages/expressions/check.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "logic/terms/print.h"
#include "logic/terms/rewrite.h"

static struct term_store *store_of(const struct cfa_checker *checker)
{
    return checker->parser->store;
}

static void report(struct cfa_checker *checker, const struct token *at, const char *text)
{
    lexer_error(&checker->parser->lexer, at, "%s", text);
}

void cfa_sort_error(struct cfa_checker *checker, const struct token *at, const struct sort *found,
                    const char *expected)
{
    struct text text;
    text_init(&text);
    text_add(&text, "found type ");
    print_sort(&text, found, PRINT_CFA);
    text_printf(&text, ", expected %s", expected);
    report(checker, at, text_string(&text));
    text_finish(&text);
}

static void sort_error(struct cfa_checker *checker, const struct token *at,
                       const struct sort *found, const struct sort *expected)
{
    struct text text;
    text_init(&text);
    print_sort(&text, expected, PRINT_CFA);
    cfa_sort_error(checker, at, found, text_string(&text));
    text_finish(&text);
}

const struct term *cfa_lift(struct cfa_checker *checker, const struct term *a,
                            const struct sort *sort)
{
    if (a->sort == sort)
        return a;
    if (a->sort->kind == SORT_INT && sort->kind == SORT_RAT)
        return term_to_rat(store_of(checker), a);
    return NULL;
}

const struct term *cfa_check_sort(struct cfa_checker *checker, const struct ast *node,
                                  const struct sort *sort)
{
    const struct term *term = cfa_check(checker, node);
    if (term == NULL || sort == NULL)
        return NULL;
    const struct term *lifted = cfa_lift(checker, term, sort);
    if (lifted == NULL)
        sort_error(checker, node->at, term->sort, sort);
    assert(lifted == NULL || lifted->sort == sort);
    return lifted;
}

const struct term *cfa_check_bool(struct cfa_checker *checker, const struct ast *node)
{
    return cfa_check_sort(checker, node, sort_bool(store_of(checker)));
}

bool cfa_check_pair(struct cfa_checker *checker, const struct ast *left, const struct ast *right,
                    const struct term **a, const struct term **b)
{
    const struct term *x = cfa_check(checker, left), *y = cfa_check(checker, right);
    if (x == NULL || y == NULL)
        return false;
    if (cfa_lift(checker, x, y->sort) != NULL)
        x = cfa_lift(checker, x, y->sort);
    const struct term *lifted = cfa_lift(checker, y, x->sort);
    if (lifted == NULL) {
        sort_error(checker, right->at, y->sort, x->sort);
        return false;
    }
    assert(x->sort == lifted->sort);
    *a = x;
    *b = lifted;
    return true;
}

static const struct term *check_number(struct cfa_checker *checker, const struct ast *node)
{
    const struct term *term = cfa_check(checker, node);
    if (term == NULL || term->sort->kind == SORT_INT || term->sort->kind == SORT_RAT)
        return term;
    cfa_sort_error(checker, node->at, term->sort,
                   term->sort->kind == SORT_BV
                       ? "int or rat (bit-vectors have operators of their own: bvadd, bvult, …)"
                       : "int or rat");
    return NULL;
}

// Names.

struct cfa_symbol *cfa_resolve(struct cfa_checker *checker, const struct token *name)
{
    struct cfa_symbol *symbol = cfa_scope_find(checker->scope, name->text, name->length);
    if (symbol != NULL)
        return symbol;
    const char *text = cfa_token_text(checker->parser, name);
    const char *near = cfa_scope_nearest(checker->scope, text);
    if (near != NULL)
        lexer_error(&checker->parser->lexer, name,
                    "found the unknown name `%s`, expected a variable (did you mean `%s`?)", text,
                    near);
    else
        lexer_error(&checker->parser->lexer, name,
                    "found the unknown name `%s`, expected a variable", text);
    return NULL;
}

const struct term *cfa_check_name(struct cfa_checker *checker, const struct ast *node)
{
    const struct cfa_symbol *symbol = cfa_resolve(checker, node->at);
    if (symbol == NULL || symbol->now == NULL)
        return NULL;
    if (checker->constants_only && !symbol->fixed && symbol->next != symbol->now) {
        lexer_error(&checker->parser->lexer, node->at,
                    "found the variable `%s`, expected constants only", symbol->name);
        return NULL;
    }
    if (symbol->height > checker->deepest)
        checker->deepest = symbol->height;
    return checker->when == CFA_NEXT && symbol->next != NULL ? symbol->next : symbol->now;
}

static const struct term *check_prime(struct cfa_checker *checker, const struct ast *node)
{
    if (checker->when != CFA_TRANSITION) {
        report(checker, node->op_at,
               checker->when == CFA_NEXT ? "found `'` inside a primed expression"
                                         : "found `'`, which only a `transition` may have");
        return NULL;
    }
    const struct ast *operand = node->child[0];
    if (operand->kind == AST_NAME) {
        const struct cfa_symbol *symbol =
            cfa_scope_find(checker->scope, operand->at->text, operand->at->length);
        if (symbol != NULL && symbol->fixed) {
            lexer_error(&checker->parser->lexer, node->op_at,
                        "found `'` after `%s`, which never changes", symbol->name);
            return NULL;
        }
    }
    checker->when = CFA_NEXT;
    const struct term *term = cfa_check(checker, operand);
    assert(checker->when == CFA_NEXT);
    checker->when = CFA_TRANSITION;
    return term;
}

// Boolean operators.

static const struct term *check_junction(struct cfa_checker *checker, const struct ast *node)
{
    VECTOR(const struct term *) args = {0};
    bool fine = true;
    for (uint32_t i = 0; i < node->child_count; i++) {
        const struct term *arg = cfa_check_bool(checker, node->child[i]);
        fine = fine && arg != NULL;
        VECTOR_PUSH(&args, arg);
    }
    const struct term *result = NULL;
    if (fine)
        result = node->op == CFA_AND ? term_and(store_of(checker), args.data, args.count)
                                     : term_or(store_of(checker), args.data, args.count);
    VECTOR_FINISH(&args);
    return result;
}

static const struct term *check_boolean(struct cfa_checker *checker, const struct ast *node)
{
    struct term_store *store = store_of(checker);
    const struct term *a = cfa_check_bool(checker, node->child[0]);
    const struct term *b = cfa_check_bool(checker, node->child[1]);
    if (a == NULL || b == NULL)
        return NULL;
    return node->op == CFA_IFF     ? term_iff(store, a, b)
           : node->op == CFA_IMPLY ? term_implies(store, a, b)
                                   : term_xor(store, a, b);
}

static const struct term *check_equality(struct cfa_checker *checker, const struct ast *node)
{
    const struct term *a, *b;
    struct float_format format;
    if (cfa_is_float(checker, node->child[0], &format))
        return cfa_check_float_relation(checker, node, format);
    if (!cfa_check_pair(checker, node->child[0], node->child[1], &a, &b))
        return NULL;
    const struct term *equal = term_eq(store_of(checker), a, b);
    return node->op == CFA_EQ ? equal : term_not(store_of(checker), equal);
}

// Both sides int or both rat.
static bool check_numbers(struct cfa_checker *checker, const struct ast *node,
                          const struct term **a, const struct term **b)
{
    const struct term *x = check_number(checker, node->child[0]);
    const struct term *y = check_number(checker, node->child[1]);
    if (x == NULL || y == NULL)
        return false;
    *a = x->sort == y->sort ? x : cfa_lift(checker, x, sort_rat(store_of(checker)));
    *b = x->sort == y->sort ? y : cfa_lift(checker, y, sort_rat(store_of(checker)));
    assert((*a)->sort == (*b)->sort);
    return true;
}

static const struct term *check_order(struct cfa_checker *checker, const struct ast *node)
{
    struct term_store *store = store_of(checker);
    const struct term *a, *b;
    struct float_format format;
    if (cfa_is_float(checker, node->child[0], &format))
        return cfa_check_float_relation(checker, node, format);
    if (!check_numbers(checker, node, &a, &b))
        return NULL;
    switch (node->op) {
    case CFA_LT:
        return term_lt(store, a, b);
    case CFA_LE:
        return term_le(store, a, b);
    case CFA_GT:
        return term_lt(store, b, a);
    default:
        return term_le(store, b, a);
    }
}

// Arithmetic.

static bool literal_zero(const struct ast *node)
{
    while (node->kind == AST_UNARY && (node->op == CFA_PLUS || node->op == CFA_MINUS))
        node = node->child[0];
    return node->kind == AST_INT || node->kind == AST_RAT || node->kind == AST_BV;
}

bool cfa_zero_divisor(struct cfa_checker *checker, const struct ast *node,
                      const struct term *divisor)
{
    const struct term *zero = divisor->sort->kind == SORT_BV
                                  ? term_bv(store_of(checker), divisor->sort->width, 0)
                                  : term_default(store_of(checker), divisor->sort);
    if (!literal_zero(node) || divisor != zero)
        return false;
    report(checker, node->at, "found a division by zero, expected another divisor");
    return true;
}

// A run of `+` and `-`, summed up at once: a long sum is one term.
static const struct term *check_sum(struct cfa_checker *checker, const struct ast *node)
{
    struct term_store *store = store_of(checker);
    VECTOR(const struct term *) args = {0};
    bool fine = true, rational = false;
    for (uint32_t i = 0; i < node->child_count; i++) {
        const struct term *arg = check_number(checker, node->child[i]);
        fine = fine && arg != NULL;
        rational = rational || (arg != NULL && arg->sort->kind == SORT_RAT);
        VECTOR_PUSH(&args, arg);
    }
    for (uint32_t i = 0; fine && i < node->child_count; i++) {
        if (rational)
            args.data[i] = cfa_lift(checker, args.data[i], sort_rat(store));
        assert(args.data[i]->sort == args.data[0]->sort);
        if (i > 0 && node->ops[i - 1]->kind == CFA_MINUS)
            args.data[i] = term_neg(store, args.data[i]);
    }
    const struct term *sum = fine ? term_add(store, args.data, args.count) : NULL;
    VECTOR_FINISH(&args);
    return sum;
}

static const struct term *check_product(struct cfa_checker *checker, const struct token *op,
                                        const struct term *a, const struct ast *b_node)
{
    struct term_store *store = store_of(checker);
    const struct term *b = check_number(checker, b_node);
    if (a == NULL || b == NULL)
        return NULL;
    if (op->kind == CFA_MOD || op->kind == CFA_REM) {
        const struct term *odd = a->sort->kind == SORT_RAT ? a : b;
        if (odd->sort->kind == SORT_RAT) {
            cfa_sort_error(checker, odd == a ? op : b_node->at, odd->sort,
                           "int on both sides of a remainder");
            return NULL;
        }
    } else if (a->sort != b->sort) {
        a = cfa_lift(checker, a, sort_rat(store));
        b = cfa_lift(checker, b, sort_rat(store));
    }
    if (op->kind == CFA_TIMES)
        return term_mul2(store, a, b);
    if (cfa_zero_divisor(checker, b_node, b))
        return NULL;
    return op->kind == CFA_DIVIDE ? term_div(store, a, b)
           : op->kind == CFA_MOD  ? term_mod(store, a, b)
                                  : term_rem(store, a, b);
}

// Operators of one level that are taken from the left, two by two.
static const struct term *check_left(struct cfa_checker *checker, const struct ast *node)
{
    const struct ast *first = node->child[0];
    bool number = node->op >= CFA_PLUS && node->op <= CFA_REM;
    const struct term *term = number ? check_number(checker, first) : cfa_check(checker, first);
    for (uint32_t i = 0; i + 1 < node->child_count; i++) {
        const struct token *op = node->ops[i];
        const struct ast *right = node->child[i + 1];
        if (op->kind == CFA_PLUS || op->kind == CFA_MINUS || term == NULL) {
            // A sum with bvadd in it, or an error: look at the rest for more errors.
            const struct term *b = op->kind >= CFA_PLUS && op->kind <= CFA_REM
                                       ? check_number(checker, right)
                                       : cfa_check(checker, right);
            if (term != NULL && b != NULL)
                cfa_sort_error(checker, op, term->sort, "int or rat");
            term = NULL;
        } else if (op->kind >= CFA_TIMES && op->kind <= CFA_REM) {
            if (term->sort->kind != SORT_INT && term->sort->kind != SORT_RAT) {
                cfa_sort_error(checker, op, term->sort, "int or rat");
                term = NULL;
            } else {
                term = check_product(checker, op, term, right);
            }
        } else {
            term = cfa_check_bv_binary(checker, op, term, i == 0 ? first : node, right);
        }
    }
    return term;
}

static const struct term *check_chain(struct cfa_checker *checker, const struct ast *node)
{
    if (node->op == CFA_AND || node->op == CFA_OR)
        return check_junction(checker, node);
    bool sum = true;
    for (uint32_t i = 0; i + 1 < node->child_count; i++)
        sum = sum && (node->ops[i]->kind == CFA_PLUS || node->ops[i]->kind == CFA_MINUS);
    return sum ? check_sum(checker, node) : check_left(checker, node);
}

static const struct term *check_unary(struct cfa_checker *checker, const struct ast *node)
{
    struct term_store *store = store_of(checker);
    if (node->op == CFA_NOT) {
        const struct term *a = cfa_check_bool(checker, node->child[0]);
        return a != NULL ? term_not(store, a) : NULL;
    }
    if (node->op >= CFA_FP_ABS && node->op <= CFA_FP_FROM_BV)
        return cfa_check_float_test(checker, node);
    if (node->op != CFA_PLUS && node->op != CFA_MINUS)
        return cfa_check_bv_unary(checker, node);
    const struct term *a = check_number(checker, node->child[0]);
    return a != NULL && node->op == CFA_MINUS ? term_neg(store, a) : a;
}

static const struct term *check_binary(struct cfa_checker *checker, const struct ast *node)
{
    switch (node->op) {
    case CFA_IFF:
    case CFA_IMPLY:
    case CFA_XOR:
        return check_boolean(checker, node);
    case CFA_EQ:
    case CFA_NE:
        return check_equality(checker, node);
    case CFA_LT:
    case CFA_LE:
    case CFA_GT:
    case CFA_GE:
        return check_order(checker, node);
    default: {
        if (node->op >= CFA_FP_MAX && node->op <= CFA_FP_REM)
            return cfa_check_float_test(checker, node);
        const struct term *a = cfa_check(checker, node->child[0]);
        return cfa_check_bv_binary(checker, node->op_at, a, node->child[0], node->child[1]);
    }
    }
}

static const struct term *check_ite(struct cfa_checker *checker, const struct ast *node)
{
    const struct term *condition = cfa_check_bool(checker, node->child[0]);
    const struct term *a, *b;
    if (!cfa_check_pair(checker, node->child[1], node->child[2], &a, &b) || condition == NULL)
        return NULL;
    return term_ite(store_of(checker), condition, a, b);
}

// Binders.

// Bound names that hide another one get a new name in the term, so that a term never has one
// variable both free and bound.
static const struct term *bind(struct cfa_checker *checker, const struct ast_decl *decl,
                               struct cfa_scope *scope)
{
    struct cfa_symbol *symbol = arena_zalloc(checker->parser->arena, sizeof *symbol);
    symbol->name = cfa_token_text(checker->parser, decl->name);
    symbol->at = decl->name;
    symbol->sort = decl->sort;
    symbol->format = decl->format;
    symbol->fixed = true;
    if (decl->sort != NULL) {
        struct text name;
        text_init(&name);
        text_add(&name, symbol->name);
        if (cfa_scope_find(scope->outer, symbol->name, strlen(symbol->name)) != NULL)
            text_printf(&name, "!%u", checker->bound_names++);
        symbol->now = term_var(store_of(checker), text_string(&name), decl->sort);
        text_finish(&name);
    }
    if (!cfa_scope_add(scope, symbol)) {
        lexer_error(&checker->parser->lexer, decl->name, "found a second `%s` in this list",
                    symbol->name);
        return NULL;
    }
    return symbol->now;
}

// Checks the body with the declared names in scope. NULL unless all is fine; variables: decl_count.
static const struct term *check_body(struct cfa_checker *checker, const struct ast *node,
                                     const struct term **variables)
{
    struct cfa_scope scope;
    cfa_scope_init(&scope, checker->scope);
    bool fine = true;
    for (uint32_t i = 0; i < node->decl_count; i++) {
        variables[i] = bind(checker, &node->decls[i], &scope);
        fine = fine && variables[i] != NULL;
    }
    checker->scope = &scope;
    const struct term *body = node->kind == AST_LAMBDA ? cfa_check(checker, node->child[0])
                                                       : cfa_check_bool(checker, node->child[0]);
    checker->scope = scope.outer;
    cfa_scope_finish(&scope);
    return fine ? body : NULL;
}

static const struct term *check_quantifier(struct cfa_checker *checker, const struct ast *node)
{
    const struct term **variables =
        arena_alloc(checker->parser->arena, node->decl_count * sizeof *variables);
    const struct term *body = check_body(checker, node, variables);
    if (body == NULL)
        return NULL;
    return term_quantifier(store_of(checker), node->op == CFA_FORALL ? TERM_FORALL : TERM_EXISTS,
                           variables, node->decl_count, body);
}

// A function whose value does not depend on its arguments is a constant array; there are no others.
static const struct term *check_lambda(struct cfa_checker *checker, const struct ast *node)
{
    const struct term **variables =
        arena_alloc(checker->parser->arena, (node->decl_count + 1) * sizeof *variables);
    const struct term *body = check_body(checker, node, variables);
    if (body == NULL)
        return NULL;
    bool constant = node->decl_count > 0;
    for (uint32_t i = 0; i < node->decl_count; i++)
        constant = constant && !rewrite_contains(body, variables[i]);
    if (!constant) {
        message_add(checker->parser->messages, MESSAGE_UNSUPPORTED,
                    lexer_position(&checker->parser->lexer, node->at),
                    "function literal whose value depends on its arguments");
        return NULL;
    }
    for (uint32_t i = node->decl_count; i-- > 0;)
        body = term_array(store_of(checker),
                          sort_array(store_of(checker), variables[i]->sort, body->sort), body, NULL,
                          0);
    return body;
}

// Arrays and functions.

static const struct term *check_select(struct cfa_checker *checker, const struct ast *node,
                                       uint32_t keys)
{
    const struct term *term = cfa_check(checker, node->child[0]);
    for (uint32_t i = 1; i <= keys; i++) {
        if (term != NULL && term->sort->kind != SORT_ARRAY) {
            cfa_sort_error(checker, i == 1 ? node->at : node->child[i]->at, term->sort,
                           i > 1                    ? "no further index"
                           : node->kind == AST_CALL ? "a function"
                                                    : "an array");
            term = NULL;
        }
        const struct term *key =
            cfa_check_sort(checker, node->child[i], term != NULL ? term->sort->key : NULL);
        term = term != NULL && key != NULL ? term_select(store_of(checker), term, key) : NULL;
    }
    return term;
}

// a[i, j <- v] = a[i <- a[i][j <- v]]
static const struct term *check_write(struct cfa_checker *checker, const struct ast *node)
{
    struct term_store *store = store_of(checker);
    uint32_t keys = node->child_count - 2;
    const struct term **level = arena_alloc(checker->parser->arena, (keys + 1) * sizeof *level);
    const struct term **key = arena_alloc(checker->parser->arena, keys * sizeof *key);
    level[0] = cfa_check(checker, node->child[0]);
    for (uint32_t i = 0; i < keys; i++) {
        if (level[i] != NULL && level[i]->sort->kind != SORT_ARRAY) {
            cfa_sort_error(checker, i == 0 ? node->at : node->child[i + 1]->at, level[i]->sort,
                           i == 0 ? "an array" : "no further index");
            level[i] = NULL;
        }
        key[i] = cfa_check_sort(checker, node->child[i + 1],
                                level[i] != NULL ? level[i]->sort->key : NULL);
        level[i + 1] =
            level[i] != NULL && key[i] != NULL ? term_select(store, level[i], key[i]) : NULL;
    }
    const struct term *value = cfa_check_sort(checker, node->child[keys + 1],
                                              level[keys] != NULL ? level[keys]->sort : NULL);
    for (uint32_t i = keys; value != NULL && i-- > 0;)
        value = term_store_at(store, level[i], key[i], value);
    return value;
}

const struct term *cfa_check(struct cfa_checker *checker, const struct ast *node)
{
    struct float_format format;
    if (cfa_is_float(checker, node, &format)) {
        if (cfa_check_float(checker, node, format) != NULL)
            cfa_float_error(checker, node->at, format, "something else than a float");
        return NULL;
    }
    switch (node->kind) {
    case AST_NAME:
        return cfa_check_name(checker, node);
    case AST_TRUE:
    case AST_FALSE:
    case AST_INT:
    case AST_RAT:
    case AST_BV:
        return cfa_check_literal(checker, node);
    case AST_FLOAT:
        break; // above
    case AST_ARRAY:
        return cfa_check_array(checker, node);
    case AST_UNARY:
        return check_unary(checker, node);
    case AST_CHAIN:
        return check_chain(checker, node);
    case AST_BINARY:
        return check_binary(checker, node);
    case AST_ITE:
        return check_ite(checker, node);
    case AST_QUANTIFIER:
        return check_quantifier(checker, node);
    case AST_LAMBDA:
        return check_lambda(checker, node);
    case AST_CALL:
    case AST_INDEX:
        return check_select(checker, node, node->child_count - 1);
    case AST_WRITE:
        return check_write(checker, node);
    case AST_EXTRACT:
        return cfa_check_extract(checker, node);
    case AST_EXTEND:
        return cfa_check_extend(checker, node);
    case AST_PRIME:
        return check_prime(checker, node);
    }
    assert(!"a kind of syntax tree");
    return NULL;
}
