#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "languages/xsts/xsts_check.h"
#include "logic/terms/print.h"

// Names and sorts of expressions. Every function returns NULL after it, or something below it, has
// added an error.

static const struct term *check_any(struct xsts_checker *checker, const struct xsts_expr *expr,
                                    const struct sort *expected);

static void report(struct xsts_checker *checker, struct position at, const char *found,
                   const struct sort *sort, const char *expected, const struct sort *wanted)
{
    struct text text;
    text_init(&text);
    text_add(&text, found);
    print_sort(&text, sort, PRINT_XSTS);
    text_add(&text, expected);
    if (wanted != NULL)
        print_sort(&text, wanted, PRINT_XSTS);
    message_add(checker->messages, MESSAGE_ERROR, at, "%s", text_string(&text));
    text_finish(&text);
}

void xsts_report_unknown(struct xsts_checker *checker, const struct symbols *where,
                         const char *what, const char *name, struct position at)
{
    const char *near = NULL;
    if (checker->messages->errors < 50) { // later ones are not kept
        const char **names = memory_alloc((where->stack.count + 1) * sizeof *names);
        for (size_t i = 0; i < where->stack.count; i++)
            names[i] = where->stack.data[i].name;
        near = text_nearest(name, names, where->stack.count);
        memory_free(names);
    }
    if (near != NULL)
        message_add(checker->messages, MESSAGE_ERROR, at,
                    "found `%.100s`, expected a declared %s (did you mean `%s`?)", name, what,
                    near);
    else
        message_add(checker->messages, MESSAGE_ERROR, at, "found `%.100s`, expected a declared %s",
                    name, what);
}

const struct sort *xsts_check_type(struct xsts_checker *checker, const struct xsts_type *type)
{
    if (type->kind == XSTS_BOOLEAN)
        return sort_bool(checker->store);
    if (type->kind == XSTS_INTEGER)
        return sort_int(checker->store);
    if (type->kind == XSTS_MAP) {
        const struct sort *key = xsts_check_type(checker, type->key);
        const struct sort *element = xsts_check_type(checker, type->element);
        return key != NULL && element != NULL ? sort_array(checker->store, key, element) : NULL;
    }
    uint32_t number = symbols_find(&checker->types, type->name);
    if (number != SYMBOL_NONE)
        return checker->types.stack.data[number].sort;
    xsts_report_unknown(checker, &checker->types, "type", type->name, type->at);
    return NULL;
}

void xsts_note_read(struct xsts_checker *checker, uint32_t number, struct position at)
{
    struct symbol *symbol = &checker->values.stack.data[number];
    checker->read_variable = true;
    if (symbol->kind != SYMBOL_LOCAL || symbol->written || symbol->warned)
        return;
    symbol->warned = true;
    message_add(checker->messages, MESSAGE_WARNING, at,
                "local variable `%s` is read before it is written, its value is arbitrary",
                symbol->name);
}

// Literals of one short name in several types, and nothing tells which is meant.
static void report_ambiguous(struct xsts_checker *checker, uint32_t number, struct position at)
{
    const struct symbol *stack = checker->values.stack.data;
    struct text text;
    text_init(&text);
    text_printf(&text, "found `%s`, expected one of ", stack[number].name);
    const char *separator = "";
    for (uint32_t i = 0; i <= number; i++) {
        if (strcmp(stack[i].name, stack[number].name) != 0)
            continue;
        text_printf(&text, "%s`%s.%s`", separator, stack[i].sort->name, stack[i].name);
        separator = ", ";
    }
    message_add(checker->messages, MESSAGE_ERROR, at, "%s", text_string(&text));
    text_finish(&text);
}

static const struct term *check_name(struct xsts_checker *checker, const struct xsts_expr *expr,
                                     const struct sort *expected)
{
    uint32_t number = symbols_find(&checker->values, expr->text);
    if (number == SYMBOL_NONE) {
        xsts_report_unknown(checker, &checker->values, "name", expr->text, expr->at);
        return NULL;
    }
    const struct symbol *stack = checker->values.stack.data;
    if (stack[number].kind != SYMBOL_LITERAL) {
        xsts_note_read(checker, number, expr->at);
        return stack[number].term;
    }
    for (uint32_t i = number; i != SYMBOL_NONE; i = stack[i].older) {
        if (stack[i].sort == expected)
            return stack[i].term;
    }
    if (stack[number].older == SYMBOL_NONE)
        return stack[number].term;
    report_ambiguous(checker, number, expr->at);
    return NULL;
}

// Whether the sort of the expression can be told only by what stands around it: names of literals
// that several types have. (Unknown names do not count: they are errors anyway.)
static bool is_open(struct xsts_checker *checker, const struct xsts_expr *expr)
{
    switch (expr->kind) {
    case XSTS_NAME: {
        uint32_t number = symbols_find(&checker->values, expr->text);
        const struct symbol *stack = checker->values.stack.data;
        return number != SYMBOL_NONE && stack[number].kind == SYMBOL_LITERAL &&
               stack[number].older != SYMBOL_NONE;
    }
    case XSTS_IF:
        return is_open(checker, expr->child[1]) && is_open(checker, expr->child[2]);
    case XSTS_ARRAY:
        return is_open(checker, expr->child[expr->child_count - 1]) ||
               (expr->key_type == NULL && is_open(checker, expr->child[0]));
    case XSTS_WRITE:
        return is_open(checker, expr->child[0]);
    default:
        return false;
    }
}

// Two expressions of one sort; the one that tells the sort comes first.
static bool check_same(struct xsts_checker *checker, const struct xsts_expr *left,
                       const struct xsts_expr *right, const struct sort *expected,
                       const struct term *out[2])
{
    bool swap = expected == NULL && is_open(checker, left) && !is_open(checker, right);
    const struct term *first = xsts_check_expr(checker, swap ? right : left, expected);
    if (first == NULL) {
        // Still look for errors of its own in the other side, unless it is its sort that matters.
        if (!is_open(checker, swap ? left : right))
            xsts_check_expr(checker, swap ? left : right, expected);
        return false;
    }
    const struct term *second = xsts_check_expr(checker, swap ? left : right, first->sort);
    out[0] = swap ? second : first;
    out[1] = swap ? first : second;
    return second != NULL;
}

static const struct term *check_junction(struct xsts_checker *checker, const struct xsts_expr *expr)
{
    const struct term **args = memory_alloc(expr->child_count * sizeof *args);
    bool good = true;
    for (uint32_t i = 0; i < expr->child_count; i++) {
        args[i] = xsts_check_expr(checker, expr->child[i], sort_bool(checker->store));
        good = good && args[i] != NULL;
    }
    const struct term *result = NULL;
    if (good)
        result = expr->kind == XSTS_AND ? term_and(checker->store, args, expr->child_count)
                                        : term_or(checker->store, args, expr->child_count);
    memory_free(args);
    return result;
}

static const struct term *check_connective(struct xsts_checker *checker,
                                           const struct xsts_expr *expr)
{
    const struct sort *boolean = sort_bool(checker->store);
    const struct term *a = xsts_check_expr(checker, expr->child[0], boolean);
    const struct term *b = xsts_check_expr(checker, expr->child[1], boolean);
    if (a == NULL || b == NULL)
        return NULL;
    if (expr->kind == XSTS_IFF)
        return term_iff(checker->store, a, b);
    return expr->kind == XSTS_XOR ? term_xor(checker->store, a, b)
                                  : term_implies(checker->store, a, b);
}

static const struct term *check_relation(struct xsts_checker *checker, const struct xsts_expr *expr)
{
    struct term_store *store = checker->store;
    if (expr->kind == XSTS_EQ || expr->kind == XSTS_NE) {
        const struct term *side[2];
        if (!check_same(checker, expr->child[0], expr->child[1], NULL, side))
            return NULL;
        const struct term *equal = term_eq(store, side[0], side[1]);
        return expr->kind == XSTS_EQ ? equal : term_not(store, equal);
    }
    const struct term *a = xsts_check_expr(checker, expr->child[0], sort_int(store));
    const struct term *b = xsts_check_expr(checker, expr->child[1], sort_int(store));
    if (a == NULL || b == NULL)
        return NULL;
    switch (expr->kind) {
    case XSTS_LT:
        return term_lt(store, a, b);
    case XSTS_LE:
        return term_le(store, a, b);
    case XSTS_GT:
        return term_lt(store, b, a);
    default:
        assert(expr->kind == XSTS_GE);
        return term_le(store, b, a);
    }
}

static bool is_zero(const struct xsts_expr *expr)
{
    while (expr->kind == XSTS_PLUS || expr->kind == XSTS_MINUS)
        expr = expr->child[0];
    return expr->kind == XSTS_NUMBER && strspn(expr->text, "0") == strlen(expr->text);
}

static const struct term *divide(struct xsts_checker *checker, enum xsts_expr_kind kind,
                                 const struct term *a, const struct term *b)
{
    switch (kind) {
    case XSTS_DIV:
        return term_div(checker->store, a, b);
    case XSTS_MOD:
        return term_mod(checker->store, a, b);
    default:
        assert(kind == XSTS_REM);
        return term_rem(checker->store, a, b);
    }
}

// From the left; factors in a row are multiplied at once. Changes `args`.
static const struct term *multiply(struct xsts_checker *checker, const struct xsts_expr *expr,
                                   const struct term **args)
{
    uint32_t factors = 1; // collected at the start of `args`
    for (uint32_t i = 1; i < expr->child_count; i++) {
        if (expr->operators[i] == XSTS_TIMES) {
            args[factors++] = args[i];
            continue;
        }
        args[0] =
            divide(checker, expr->operators[i], term_mul(checker->store, args, factors), args[i]);
        factors = 1;
    }
    return term_mul(checker->store, args, factors);
}

static const struct term *check_chain(struct xsts_checker *checker, const struct xsts_expr *expr)
{
    struct term_store *store = checker->store;
    const struct term **args = memory_alloc(expr->child_count * sizeof *args);
    bool good = true;
    for (uint32_t i = 0; i < expr->child_count; i++) {
        const struct xsts_expr *child = expr->child[i];
        args[i] = xsts_check_expr(checker, child, sort_int(store));
        if (expr->kind == XSTS_PRODUCT && i > 0 && expr->operators[i] != XSTS_TIMES &&
            is_zero(child)) {
            message_add(checker->messages, MESSAGE_ERROR, child->at,
                        "found a division by zero, expected another divisor");
            args[i] = NULL;
        }
        good = good && args[i] != NULL;
        if (good && expr->kind == XSTS_SUM && i > 0 && expr->operators[i] == XSTS_MINUS)
            args[i] = term_neg(store, args[i]);
    }
    const struct term *result = NULL;
    if (good)
        result = expr->kind == XSTS_SUM ? term_add(store, args, expr->child_count)
                                        : multiply(checker, expr, args);
    memory_free(args);
    return result;
}

static const struct term *check_access(struct xsts_checker *checker, const struct xsts_expr *expr,
                                       const struct sort *expected)
{
    const struct term *array =
        check_any(checker, expr->child[0], expr->kind == XSTS_WRITE ? expected : NULL);
    if (array == NULL)
        return NULL;
    if (array->sort->kind != SORT_ARRAY) {
        report(checker, expr->child[0]->at, "found an expression of type ", array->sort,
               " before `[`, expected an array", NULL);
        return NULL;
    }
    const struct term *key = xsts_check_expr(checker, expr->child[1], array->sort->key);
    if (expr->kind == XSTS_READ)
        return key != NULL ? term_select(checker->store, array, key) : NULL;
    const struct term *element = xsts_check_expr(checker, expr->child[2], array->sort->element);
    return key != NULL && element != NULL ? term_store_at(checker->store, array, key, element)
                                          : NULL;
}

struct placed_key {
    const struct term *key;
    uint32_t position;
};

static int compare_keys(const void *a, const void *b)
{
    const struct placed_key *x = a, *y = b;
    if (x->key->id != y->key->id)
        return x->key->id < y->key->id ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

// Keys stand at entries[0], entries[2], …; the same constant twice is an error.
static bool check_distinct_keys(struct xsts_checker *checker, const struct xsts_expr *expr,
                                const struct term *const *entries, uint32_t count)
{
    struct placed_key *keys = memory_alloc((count / 2 + 1) * sizeof *keys);
    uint32_t found = 0;
    bool distinct = true;
    for (uint32_t i = 0; i < count; i += 2) {
        if (term_is_literal(entries[i]))
            keys[found++] = (struct placed_key){entries[i], i};
    }
    qsort(keys, found, sizeof *keys, compare_keys);
    for (uint32_t i = 1; i < found; i++) {
        if (keys[i].key != keys[i - 1].key)
            continue;
        message_add(checker->messages, MESSAGE_ERROR, expr->child[keys[i].position]->at,
                    "found a key that the array literal has already, expected another one");
        distinct = false;
    }
    memory_free(keys);
    return distinct;
}

static const struct term *check_array(struct xsts_checker *checker, const struct xsts_expr *expr,
                                      const struct sort *expected)
{
    uint32_t count = expr->child_count - 1;
    bool typed = expected != NULL && expected->kind == SORT_ARRAY;
    const struct term *rest =
        check_any(checker, expr->child[count], typed ? expected->element : NULL);
    const struct sort *key = typed ? expected->key : NULL;
    const struct term **entries = memory_alloc((count + 1) * sizeof *entries);
    bool good = rest != NULL;
    uint32_t done = 0; // the first key is not looked at twice
    if (expr->key_type != NULL) {
        key = xsts_check_type(checker, expr->key_type);
    } else if (count > 0) {
        entries[0] = check_any(checker, expr->child[0], key);
        key = entries[0] != NULL ? entries[0]->sort : NULL;
        done = 1;
    }
    good = good && key != NULL;
    for (uint32_t i = done; i < count; i++) {
        const struct sort *sort = i % 2 == 0 ? key : rest != NULL ? rest->sort : NULL;
        entries[i] = sort != NULL ? xsts_check_expr(checker, expr->child[i], sort) : NULL;
        good = good && entries[i] != NULL;
    }
    const struct term *result = NULL;
    if (good && check_distinct_keys(checker, expr, entries, count))
        result = term_array(checker->store, sort_array(checker->store, key, rest->sort), rest,
                            entries, count / 2);
    memory_free(entries);
    return result;
}

static const struct term *check_if(struct xsts_checker *checker, const struct xsts_expr *expr,
                                   const struct sort *expected)
{
    const struct term *condition =
        xsts_check_expr(checker, expr->child[0], sort_bool(checker->store));
    const struct term *branch[2];
    if (!check_same(checker, expr->child[1], expr->child[2], expected, branch) || condition == NULL)
        return NULL;
    return term_ite(checker->store, condition, branch[0], branch[1]);
}

// `expected` here only helps to find out what short names mean.
static const struct term *check_any(struct xsts_checker *checker, const struct xsts_expr *expr,
                                    const struct sort *expected)
{
    struct term_store *store = checker->store;
    const struct term *inner;
    switch (expr->kind) {
    case XSTS_TRUE:
        return term_true(store);
    case XSTS_FALSE:
        return term_false(store);
    case XSTS_NUMBER:
        return term_int_text(store, expr->text);
    case XSTS_NAME:
        return check_name(checker, expr, expected);
    case XSTS_ARRAY:
        return check_array(checker, expr, expected);
    case XSTS_IF:
        return check_if(checker, expr, expected);
    case XSTS_IFF:
    case XSTS_IMPLY:
    case XSTS_XOR:
        return check_connective(checker, expr);
    case XSTS_OR:
    case XSTS_AND:
        return check_junction(checker, expr);
    case XSTS_NOT:
        inner = xsts_check_expr(checker, expr->child[0], sort_bool(store));
        return inner != NULL ? term_not(store, inner) : NULL;
    case XSTS_EQ:
    case XSTS_NE:
    case XSTS_LT:
    case XSTS_LE:
    case XSTS_GT:
    case XSTS_GE:
        return check_relation(checker, expr);
    case XSTS_SUM:
    case XSTS_PRODUCT:
        return check_chain(checker, expr);
    case XSTS_READ:
    case XSTS_WRITE:
        return check_access(checker, expr, expected);
    default: // a sign
        assert(expr->kind == XSTS_PLUS || expr->kind == XSTS_MINUS);
        inner = xsts_check_expr(checker, expr->child[0], sort_int(store));
        return inner != NULL && expr->kind == XSTS_MINUS ? term_neg(store, inner) : inner;
    }
}

const struct term *xsts_check_expr(struct xsts_checker *checker, const struct xsts_expr *expr,
                                   const struct sort *expected)
{
    const struct term *term = check_any(checker, expr, expected);
    if (term == NULL || expected == NULL || term->sort == expected)
        return term;
    report(checker, expr->at, "found an expression of type ", term->sort, ", expected ", expected);
    return NULL;
}
