#include <assert.h>
#include <string.h>

#include "languages/umlrt/text_inside.h"

static const struct token_spelling KEYWORDS[] = {
    {"module", T_MODULE},
    {"attribute", T_ATTRIBUTE},
    {"timer", T_TIMER},
    {"optional", T_OPTIONAL},
    {"part", T_PART},
    {"external", T_EXTERNAL},
    {"in", T_IN},
    {"out", T_OUT},
    {"connect", T_CONNECT},
    {"location", T_LOCATION},
    {"composite", T_COMPOSITE},
    {"initial", T_INITIAL},
    {"top", T_TOP},
    {"as", T_AS},
    {"case", T_CASE},
    {"beyond", T_BEYOND},
    {"otherwise", T_OTHERWISE},
    {"send", T_SEND},
    {"set", T_SET},
    {"create", T_CREATE},
    {"destroy", T_DESTROY},
    {"int", T_INT},
    {"bool", T_BOOL},
    {"true", T_TRUE},
    {"false", T_FALSE},
    {"and", T_AND},
    {"or", T_OR},
    {"not", T_NOT},
    {"div", T_DIV},
    {"mod", T_MOD},
    {"rem", T_REM},
    {"if", T_IF},
    {"then", T_THEN},
    {"else", T_ELSE},
    {NULL, 0},
};

static const struct token_spelling PUNCTUATION[] = {
    {"{", T_LBRACE},      {"}", T_RBRACE},    {"(", T_LPAREN},
    {")", T_RPAREN},      {"[", T_LBRACKET},  {"]", T_RBRACKET},
    {":", T_COLON},       {";", T_SEMICOLON}, {",", T_COMMA},
    {".", T_POINT},       {"..", T_RANGE},    {"--", T_DASHES},
    {"->", T_ARROW},      {":=", T_BECOMES},  {"=", T_EQUAL},
    {"==", T_EQUALS},     {"!=", T_UNEQUAL},  {"<", T_LESS},
    {"<=", T_LESS_EQUAL}, {">", T_GREATER},   {">=", T_GREATER_EQUAL},
    {"+", T_PLUS},        {"-", T_MINUS},     {"*", T_TIMES},
    {"@", T_AT},          {"&&", T_AND},      {"||", T_OR},
    {"!", T_NOT},         {NULL, 0},
};

// "a name in quotes", on one line.
static size_t special(const char *text, size_t left, int *kind)
{
    if (text[0] != '"')
        return 0;
    for (size_t i = 1; i < left && text[i] != '\n' && text[i] != '\0'; i++)
        if (text[i] == '"') {
            *kind = T_QUOTED;
            return i + 1;
        }
    return 0;
}

static const char *special_name(int kind)
{
    return kind == T_QUOTED ? "a name in quotes" : NULL;
}

const struct lexer_language CFFSM_LANGUAGE = {
    .keywords = KEYWORDS,
    .punctuation = PUNCTUATION,
    .name_start = "_",
    .name_part = "_",
    .special = special,
    .special_name = special_name,
};

const char *cffsm_spelling(struct capsules *capsules, const struct token *token)
{
    assert(token->kind != T_QUOTED || token->length >= 2);
    if (token->kind == T_QUOTED)
        return capsules_name(capsules, token->text + 1, token->length - 2);
    return capsules_name(capsules, token->text, token->length);
}

const char *cffsm_name(struct lexer *lexer, struct capsules *capsules, const char *context)
{
    if (!cffsm_at_name(lexer)) {
        lexer_expect_in(lexer, TOKEN_NAME, context);
        return NULL;
    }
    return cffsm_spelling(capsules, lexer_next(lexer));
}

// Nesting is bounded: the reader goes down by recursion.
#define DEPTH_MOST 200

struct reader {
    struct lexer *lexer;
    const struct expression_scope *scope;
    int depth;
};

static const struct term *read_expression(struct reader *r);

static const struct term *wrong_sort(struct reader *r, const struct token *at, bool boolean)
{
    lexer_error(r->lexer, at, "found %s, expected %s", boolean ? "a number" : "a truth value",
                boolean ? "a truth value" : "a number");
    return NULL;
}

static bool is_bool(const struct term *t)
{
    return t->sort->kind == SORT_BOOL;
}

static const struct term *read_variable(struct reader *r)
{
    const struct token *at = lexer_next(r->lexer);
    const char *name = cffsm_spelling(r->scope->capsules, at);
    if (r->scope->trigger != NULL)
        for (size_t i = 0; i < r->scope->trigger->variables.count; i++)
            if (strcmp(r->scope->trigger->variables.data[i].name, name) == 0)
                return r->scope->trigger->variables.data[i].term;
    uint32_t a =
        r->scope->module != NULL ? capsule_find_attribute(r->scope->module, name) : CAPSULE_NONE;
    if (a != CAPSULE_NONE)
        return r->scope->module->attributes.data[a].term;
    lexer_error(r->lexer, at, "`%s` is no attribute of the module and no variable of the trigger",
                name);
    return NULL;
}

static const struct term *read_choice(struct reader *r)
{
    lexer_next(r->lexer);
    const struct token *at = lexer_token(r->lexer);
    const struct term *condition = read_expression(r);
    if (condition == NULL || lexer_expect(r->lexer, T_THEN) == NULL)
        return NULL;
    if (!is_bool(condition))
        return wrong_sort(r, at, true);
    const struct term *a = read_expression(r);
    if (a == NULL || lexer_expect(r->lexer, T_ELSE) == NULL)
        return NULL;
    at = lexer_token(r->lexer);
    const struct term *b = read_expression(r);
    if (b == NULL)
        return NULL;
    if (a->sort != b->sort)
        return wrong_sort(r, at, is_bool(a));
    return term_ite(r->scope->store, condition, a, b);
}

static const struct term *read_number(struct reader *r)
{
    const struct token *at = lexer_next(r->lexer);
    const char *digits = capsules_name(r->scope->capsules, at->text, at->length);
    return term_int_text(r->scope->store, digits);
}

static const struct term *read_atom(struct reader *r)
{
    struct term_store *store = r->scope->store;
    if (lexer_at(r->lexer, TOKEN_NUMBER))
        return read_number(r);
    if (lexer_accept(r->lexer, T_TRUE) != NULL)
        return term_true(store);
    if (lexer_accept(r->lexer, T_FALSE) != NULL)
        return term_false(store);
    if (lexer_at(r->lexer, T_IF))
        return read_choice(r);
    if (cffsm_at_name(r->lexer))
        return read_variable(r);
    if (lexer_accept(r->lexer, T_LPAREN) != NULL) {
        const struct term *t = read_expression(r);
        return t != NULL && lexer_expect(r->lexer, T_RPAREN) != NULL ? t : NULL;
    }
    lexer_unexpected(r->lexer, "an expression");
    return NULL;
}

static const struct term *read_unary(struct reader *r)
{
    if (r->depth >= DEPTH_MOST) {
        lexer_error(r->lexer, lexer_token(r->lexer), "an expression nested more than %d deep",
                    DEPTH_MOST);
        return NULL;
    }
    r->depth++;
    const struct term *t;
    const struct token *at = lexer_peek(r->lexer, 1);
    if (lexer_accept(r->lexer, T_NOT) != NULL) {
        t = read_unary(r);
        if (t != NULL)
            t = is_bool(t) ? term_not(r->scope->store, t) : wrong_sort(r, at, true);
    } else if (lexer_accept(r->lexer, T_MINUS) != NULL) {
        t = read_unary(r);
        if (t != NULL)
            t = is_bool(t) ? wrong_sort(r, at, false) : term_neg(r->scope->store, t);
    } else {
        t = read_atom(r);
    }
    r->depth--;
    return t;
}

static const struct term *divide(struct reader *r, int kind, const struct token *at,
                                 const struct term *a, const struct term *b)
{
    struct term_store *store = r->scope->store;
    if (b->kind != TERM_INT || b == term_int(store, 0)) {
        lexer_error(r->lexer, at, "found a divisor that is no number other than 0, expected one");
        return NULL;
    }
    return kind == T_DIV   ? term_div(store, a, b)
           : kind == T_MOD ? term_mod(store, a, b)
                           : term_rem(store, a, b);
}

static const struct term *apply(struct reader *r, int kind, const struct token *at,
                                const struct term *a, const struct term *b)
{
    struct term_store *store = r->scope->store;
    bool equation = kind == T_EQUAL || kind == T_EQUALS || kind == T_UNEQUAL;
    bool logical = kind == T_AND || kind == T_OR;
    if (equation ? a->sort != b->sort : is_bool(a) != logical || is_bool(b) != logical)
        return wrong_sort(r, at, equation ? is_bool(a) : logical);
    switch (kind) {
    case T_AND:
        return term_and2(store, a, b);
    case T_OR:
        return term_or2(store, a, b);
    case T_EQUAL:
    case T_EQUALS:
        return term_eq(store, a, b);
    case T_UNEQUAL:
        return term_not(store, term_eq(store, a, b));
    case T_LESS:
        return term_lt(store, a, b);
    case T_LESS_EQUAL:
        return term_le(store, a, b);
    case T_GREATER:
        return term_lt(store, b, a);
    case T_GREATER_EQUAL:
        return term_le(store, b, a);
    case T_PLUS:
        return term_add2(store, a, b);
    case T_MINUS:
        return term_sub(store, a, b);
    case T_TIMES:
        return term_mul2(store, a, b);
    default:
        assert(kind == T_DIV || kind == T_MOD || kind == T_REM);
        return divide(r, kind, at, a, b);
    }
}

static int precedence(int kind)
{
    switch (kind) {
    case T_OR:
        return 1;
    case T_AND:
        return 2;
    case T_EQUAL:
    case T_EQUALS:
    case T_UNEQUAL:
    case T_LESS:
    case T_LESS_EQUAL:
    case T_GREATER:
    case T_GREATER_EQUAL:
        return 3;
    case T_PLUS:
    case T_MINUS:
        return 4;
    case T_TIMES:
    case T_DIV:
    case T_MOD:
    case T_REM:
        return 5;
    default:
        return 0;
    }
}

static const struct term *read_binary(struct reader *r, int least)
{
    const struct term *a = read_unary(r);
    while (a != NULL && precedence(lexer_token(r->lexer)->kind) >= least) {
        int kind = lexer_next(r->lexer)->kind;
        const struct token *at = lexer_token(r->lexer);
        const struct term *b = read_binary(r, precedence(kind) + 1);
        a = b == NULL ? NULL : apply(r, kind, at, a, b);
    }
    return a;
}

static const struct term *read_expression(struct reader *r)
{
    return read_binary(r, 1);
}

const struct term *cffsm_expression_of(struct lexer *lexer, const struct expression_scope *scope,
                                       bool boolean)
{
    struct reader r = {lexer, scope, 0};
    const struct token *at = lexer_token(lexer);
    const struct term *t = read_expression(&r);
    if (t != NULL && is_bool(t) != boolean)
        return wrong_sort(&r, at, boolean);
    return t;
}
