#include "languages/charts/expression.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "logic/terms/value.h"

#define DEPTH_LIMIT 500

static const struct token_spelling NO_KEYWORDS[] = {
    {"true", CHART_TOKEN_TRUE}, {"false", CHART_TOKEN_FALSE}, {NULL, 0}};

static const struct token_spelling WORDS[] = {
    {"true", CHART_TOKEN_TRUE},   {"false", CHART_TOKEN_FALSE},
    {"and", CHART_TOKEN_AND},     {"or", CHART_TOKEN_OR},
    {"xor", CHART_TOKEN_XOR},     {"not", CHART_TOKEN_NOT},
    {"imply", CHART_TOKEN_IMPLY}, {"div", CHART_TOKEN_DIVIDE},
    {"mod", CHART_TOKEN_MODULO},  {NULL, 0}};

static const struct token_spelling SIGNS[] = {
    {"(", CHART_TOKEN_OPEN},        {")", CHART_TOKEN_CLOSE},
    {"[", CHART_TOKEN_OPEN_SQUARE}, {"]", CHART_TOKEN_CLOSE_SQUARE},
    {"{", CHART_TOKEN_OPEN_CURLY},  {"}", CHART_TOKEN_CLOSE_CURLY},
    {",", CHART_TOKEN_COMMA},       {";", CHART_TOKEN_SEMICOLON},
    {":", CHART_TOKEN_COLON},       {"::", CHART_TOKEN_SCOPE},
    {".", CHART_TOKEN_DOT},         {"?", CHART_TOKEN_QUESTION},
    {":=", CHART_TOKEN_BECOMES},    {"->", CHART_TOKEN_ARROW},
    {"-o)-", CHART_TOKEN_CHANNEL},  {"@", CHART_TOKEN_AT},
    {"#", CHART_TOKEN_HASH},        {"||", CHART_TOKEN_OR},
    {"&&", CHART_TOKEN_AND},        {"!", CHART_TOKEN_NOT},
    {"=", CHART_TOKEN_ASSIGN},      {"==", CHART_TOKEN_EQUAL},
    {"===", CHART_TOKEN_EQUAL},     {"!=", CHART_TOKEN_DIFFERS},
    {"!==", CHART_TOKEN_DIFFERS},   {"/=", CHART_TOKEN_DIFFERS},
    {"<", CHART_TOKEN_LESS},        {"<=", CHART_TOKEN_LESS_EQUAL},
    {">", CHART_TOKEN_GREATER},     {">=", CHART_TOKEN_GREATER_EQUAL},
    {"+", CHART_TOKEN_PLUS},        {"-", CHART_TOKEN_MINUS},
    {"*", CHART_TOKEN_TIMES},       {"/", CHART_TOKEN_SLASH},
    {"%", CHART_TOKEN_PERCENT},     {NULL, 0}};

static size_t string_token(const char *text, size_t left, int *kind)
{
    if (*text != '\'' && *text != '"')
        return 0;
    for (size_t i = 1; i < left && text[i] != '\n'; i++) {
        if (text[i] == *text && text[i - 1] != '\\') {
            *kind = CHART_TOKEN_STRING;
            return i + 1;
        }
    }
    return 0;
}

static const char *special_name(int kind)
{
    return kind == CHART_TOKEN_STRING ? "a string" : NULL;
}

const struct lexer_language CHART_LEXER_ECMASCRIPT = {NO_KEYWORDS, SIGNS,        "_$",
                                                      "_$",        string_token, special_name};
const struct lexer_language CHART_LEXER_WORDS = {WORDS, SIGNS,        "_^",
                                                 "_",   string_token, special_name};

bool chart_parse_number(struct lexer *lexer, const struct token *token, int64_t *value)
{
    int64_t number = 0;
    for (size_t i = 0; i < token->length; i++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, token->text[i] - '0', &number) ||
            number > VALUE_SMALL_MAX) {
            lexer_not_supported(lexer, token, "a number of 2^61 and more");
            return false;
        }
    }
    assert(number >= 0);
    *value = number;
    return true;
}

bool chart_parse_script_number(struct lexer *lexer, const struct token *token, int64_t *value)
{
    if (token->length > 1 && token->text[0] == '0') {
        lexer_not_supported(lexer, token, "a number that begins with 0, which may be octal");
        return false;
    }
    return chart_parse_number(lexer, token, value);
}

char *chart_token_text(struct chart *chart, const struct token *token)
{
    bool escaped = token->length > 1 && token->text[0] == '^';
    return arena_strndup(&chart->arena, token->text + escaped, token->length - escaped);
}

bool chart_check_type(struct chart_scope *scope, const struct token *at,
                      const struct chart_type *found, const struct chart_type *expected,
                      const char *what)
{
    if (found == expected)
        return true;
    lexer_error(scope->lexer, at, "found %s of type %s, expected type %s", what, found->name,
                expected->name);
    return false;
}

static const struct chart_expression *parse_conditional(struct chart_scope *scope);
static const struct chart_expression *parse_unary(struct chart_scope *scope);
static const struct chart_expression *parse_not(struct chart_scope *scope);

static struct chart_expression *node(struct chart_scope *scope, enum chart_operator op,
                                     const struct chart_type *type, const struct token *at)
{
    return chart_make(scope->chart, op, type, lexer_position(scope->lexer, at));
}

static const struct chart_expression *join(struct chart_scope *scope, enum chart_operator op,
                                           const struct chart_type *type, const struct token *at,
                                           const struct chart_expression *a,
                                           const struct chart_expression *b)
{
    assert(a != NULL);
    struct chart_expression *made = node(scope, op, type, at);
    made->child[0] = a;
    made->child[1] = b;
    made->depth = (b != NULL && b->depth > a->depth ? b->depth : a->depth) + 1;
    if (made->depth <= DEPTH_LIMIT)
        return made;
    lexer_error(scope->lexer, at,
                "found an expression nested too deeply, expected %d levels at most", DEPTH_LIMIT);
    return NULL;
}

static const struct chart_expression *negate(struct chart_scope *scope, const struct token *at,
                                             const struct chart_expression *a)
{
    return a == NULL ? NULL : join(scope, CHART_NOT, &CHART_TYPE_BOOL, at, a, NULL);
}

// Calls that nest: counted, so that no input can use up the stack.
static bool enter(struct chart_scope *scope)
{
    if (scope->depth++ < DEPTH_LIMIT)
        return true;
    lexer_error(scope->lexer, lexer_token(scope->lexer),
                "found an expression nested too deeply, expected %d levels at most", DEPTH_LIMIT);
    return false;
}

// What ECMAScript begins so, and we do not read; NULL: nothing.
static const char *goes_on(int kind)
{
    switch (kind) {
    case CHART_TOKEN_OPEN_SQUARE:
        return "arrays";
    case CHART_TOKEN_OPEN_CURLY:
        return "objects";
    case CHART_TOKEN_LESS:
    case CHART_TOKEN_GREATER:
        return "shifts";
    case CHART_TOKEN_SLASH:
        return "regular expressions";
    default:
        return NULL;
    }
}

static const struct chart_expression *not_begun(struct chart_scope *scope, const struct token *at)
{
    if (scope->notation == CHART_ECMASCRIPT && goes_on(at->kind) != NULL)
        lexer_not_supported(scope->lexer, at, "%s", goes_on(at->kind));
    else
        lexer_unexpected(scope->lexer, "an expression");
    return NULL;
}

// { EXPRESSION }
static const struct chart_expression *parse_formula(struct chart_scope *scope)
{
    lexer_next(scope->lexer);
    const struct chart_expression *inner = parse_conditional(scope);
    bool closed = inner != NULL && lexer_expect(scope->lexer, CHART_TOKEN_CLOSE_CURLY) != NULL;
    return closed ? inner : NULL;
}

const struct chart_type *chart_text_type(struct chart *chart)
{
    if (chart->texts == NULL) {
        chart->texts = arena_zalloc(&chart->arena, sizeof *chart->texts);
        *chart->texts = (struct chart_type){.kind = CHART_ENUM, .name = "string"};
    }
    return chart->texts;
}

// The position of a string among those of the chart, in which it is from now on.
static int64_t text_number(struct chart *chart, const char *name)
{
    chart_text_type(chart);
    for (uint32_t i = 0; i < chart->texts->literal_count; i++)
        if (strcmp(chart->texts->literals[i], name) == 0)
            return i;
    CHART_APPEND(&chart->arena, chart->text_names, chart->texts->literal_count, name);
    chart->texts->literals = chart->text_names;
    return (int64_t)chart->texts->literal_count - 1;
}

// Whether two of them are the same is all that is asked of strings, so they are literals of an enumeration, with quotes.
static const struct chart_expression *parse_string(struct chart_scope *scope,
                                                   const struct token *at)
{
    if (!scope->strings) {
        lexer_not_supported(scope->lexer, at, "strings");
        return NULL;
    }
    for (size_t i = 1; i + 1 < at->length; i++) {
        if (!isprint((unsigned char)at->text[i]) || strchr("\\'\"|", at->text[i]) != NULL) {
            lexer_not_supported(scope->lexer, at,
                                "a string with quotes, `\\`, `|` or what is not ASCII");
            return NULL;
        }
    }
    lexer_next(scope->lexer);
    const char *name = chart_text(scope->chart, "'%.*s'", (int)(at->length - 2), at->text + 1);
    int64_t number = text_number(scope->chart, name);
    struct chart_expression *made = node(scope, CHART_LITERAL, scope->chart->texts, at);
    made->value = number;
    return made;
}

static const struct chart_expression *parse_primary(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    struct chart_expression *made;
    switch (at->kind) {
    case CHART_TOKEN_TRUE:
    case CHART_TOKEN_FALSE:
        lexer_next(lexer);
        made = node(scope, CHART_LITERAL, &CHART_TYPE_BOOL, at);
        made->value = at->kind == CHART_TOKEN_TRUE;
        return made;
    case TOKEN_NUMBER:
        lexer_next(lexer);
        made = node(scope, CHART_LITERAL, &CHART_TYPE_INT, at);
        if (lexer_at(lexer, CHART_TOKEN_DOT) && lexer_peek(lexer, 1)->kind == TOKEN_NUMBER) {
            lexer_not_supported(lexer, at, "a number that is not an integer");
            return NULL;
        }
        if (scope->notation == CHART_ECMASCRIPT)
            return chart_parse_script_number(lexer, at, &made->value) ? made : NULL;
        return chart_parse_number(lexer, at, &made->value) ? made : NULL;
    case CHART_TOKEN_OPEN: {
        lexer_next(lexer);
        const struct chart_expression *inner = parse_conditional(scope);
        return inner != NULL && lexer_expect(lexer, CHART_TOKEN_CLOSE) != NULL ? inner : NULL;
    }
    case CHART_TOKEN_OPEN_CURLY:
        if (scope->formulas)
            return parse_formula(scope);
        return not_begun(scope, at);
    case CHART_TOKEN_STRING:
        return parse_string(scope, at);
    case TOKEN_NAME:
        return scope->name(scope);
    default:
        return not_begun(scope, at);
    }
}

// ECMAScript: a number stands for whether it is not 0.
static const struct chart_expression *
as_condition(struct chart_scope *scope, const struct token *at, const struct chart_expression *a)
{
    if (a == NULL || a->type != &CHART_TYPE_INT || scope->notation != CHART_ECMASCRIPT)
        return a;
    return negate(scope, at,
                  join(scope, CHART_EQUAL, &CHART_TYPE_BOOL, at, a,
                       chart_literal(scope->chart, &CHART_TYPE_INT, 0)));
}

bool chart_at_step(struct lexer *lexer)
{
    const struct token *a = lexer_token(lexer), *b = lexer_peek(lexer, 1);
    return (a->kind == CHART_TOKEN_PLUS || a->kind == CHART_TOKEN_MINUS) && a->kind == b->kind &&
           a->text + a->length == b->text;
}

// False with a message: `++` or `--` of ECMAScript, which is no pair of signs.
static bool is_no_step(struct chart_scope *scope)
{
    if (scope->notation != CHART_ECMASCRIPT || !chart_at_step(scope->lexer))
        return true;
    lexer_not_supported(scope->lexer, lexer_token(scope->lexer),
                        "`++` and `--` inside an expression");
    return false;
}

static const struct chart_expression *parse_unary_inside(struct chart_scope *scope)
{
    struct lexer *lexer = scope->lexer;
    const struct token *at = lexer_token(lexer);
    if (at->kind == CHART_TOKEN_NOT && scope->notation == CHART_ECMASCRIPT) {
        lexer_next(lexer);
        const struct chart_expression *a = as_condition(scope, at, parse_unary(scope));
        if (a == NULL || !chart_check_type(scope, at, a->type, &CHART_TYPE_BOOL, "an operand"))
            return NULL;
        return negate(scope, at, a);
    }
    if (at->kind != CHART_TOKEN_MINUS && at->kind != CHART_TOKEN_PLUS)
        return parse_primary(scope);
    if (!is_no_step(scope))
        return NULL;
    lexer_next(lexer);
    const struct chart_expression *a = parse_unary(scope);
    if (a == NULL || !chart_check_type(scope, at, a->type, &CHART_TYPE_INT, "an operand"))
        return NULL;
    if (at->kind == CHART_TOKEN_PLUS)
        return a;
    if (a->op == CHART_LITERAL) {
        struct chart_expression *made = node(scope, CHART_LITERAL, &CHART_TYPE_INT, at);
        made->value = -a->value;
        return made;
    }
    return join(scope, CHART_NEGATE, &CHART_TYPE_INT, at, a, NULL);
}

static const struct chart_expression *parse_unary(struct chart_scope *scope)
{
    const struct chart_expression *made = enter(scope) ? parse_unary_inside(scope) : NULL;
    scope->depth--;
    return made;
}

// The operator of a token at a level of precedence, -1 if it is none.
static int binary_operator(const struct chart_scope *scope, int level, int kind)
{
    bool words = scope->notation == CHART_WORDS;
    if (level == 0)
        return kind == CHART_TOKEN_TIMES                                 ? CHART_MULTIPLY
               : kind == CHART_TOKEN_DIVIDE || kind == CHART_TOKEN_SLASH ? CHART_DIVIDE
               : kind == CHART_TOKEN_MODULO || (words && kind == CHART_TOKEN_PERCENT) ? CHART_MODULO
               : kind == CHART_TOKEN_PERCENT ? CHART_REMAINDER
                                             : -1;
    return kind == CHART_TOKEN_PLUS ? CHART_ADD : kind == CHART_TOKEN_MINUS ? CHART_SUBTRACT : -1;
}

// ECMAScript's division leaves the integers, and x % 0 is no number.
static bool operator_is_supported(struct chart_scope *scope, const struct token *at, int op,
                                  const struct chart_expression *right)
{
    if (at->kind == CHART_TOKEN_SLASH && scope->notation == CHART_ECMASCRIPT) {
        lexer_not_supported(scope->lexer, at, "division, whose result may be no integer");
        return false;
    }
    if (at->kind == CHART_TOKEN_PERCENT && scope->fractions) {
        lexer_not_supported(scope->lexer, at, "`%%`, which makes a fraction");
        return false;
    }
    bool zero = right->op != CHART_LITERAL || right->value == 0;
    if (op == CHART_REMAINDER && zero) {
        lexer_not_supported(scope->lexer, at, "`%%` by what is not a literal other than 0");
        return false;
    }
    return true;
}

static const struct chart_expression *parse_arithmetic(struct chart_scope *scope, int level)
{
    const struct chart_expression *left =
        level == 0 ? parse_unary(scope) : parse_arithmetic(scope, level - 1);
    while (left != NULL) {
        const struct token *at = lexer_token(scope->lexer);
        int op = binary_operator(scope, level, at->kind);
        if (op < 0 || (at->kind == CHART_TOKEN_SLASH && scope->trigger))
            return left;
        if (!is_no_step(scope))
            return NULL;
        lexer_next(scope->lexer);
        const struct chart_expression *right =
            level == 0 ? parse_unary(scope) : parse_arithmetic(scope, level - 1);
        if (right == NULL || !operator_is_supported(scope, at, op, right) ||
            !chart_check_type(scope, at, left->type, &CHART_TYPE_INT, "an operand") ||
            !chart_check_type(scope, at, right->type, &CHART_TYPE_INT, "an operand"))
            return NULL;
        left = join(scope, op, &CHART_TYPE_INT, at, left, right);
    }
    return NULL;
}

static const struct chart_expression *parse_relation(struct chart_scope *scope)
{
    const struct chart_expression *left = parse_arithmetic(scope, 1);
    const struct token *at = lexer_token(scope->lexer);
    if (left == NULL || at->kind < CHART_TOKEN_LESS || at->kind > CHART_TOKEN_GREATER_EQUAL)
        return left;
    lexer_next(scope->lexer);
    const struct chart_expression *right = parse_arithmetic(scope, 1);
    if (right == NULL || !chart_check_type(scope, at, left->type, &CHART_TYPE_INT, "an operand") ||
        !chart_check_type(scope, at, right->type, &CHART_TYPE_INT, "an operand"))
        return NULL;
    bool swapped = at->kind >= CHART_TOKEN_GREATER;
    bool strict = at->kind == CHART_TOKEN_LESS || at->kind == CHART_TOKEN_GREATER;
    return join(scope, strict ? CHART_LESS : CHART_LESS_EQUAL, &CHART_TYPE_BOOL, at,
                swapped ? right : left, swapped ? left : right);
}

static const struct chart_expression *parse_equality(struct chart_scope *scope)
{
    const struct chart_expression *left = parse_relation(scope);
    while (left != NULL) {
        const struct token *at = lexer_token(scope->lexer);
        bool equals = at->kind == CHART_TOKEN_EQUAL ||
                      (at->kind == CHART_TOKEN_ASSIGN && scope->notation == CHART_WORDS);
        if ((!equals && at->kind != CHART_TOKEN_DIFFERS) || scope->trigger)
            return left;
        if (at->text[0] == '/' && scope->notation == CHART_ECMASCRIPT) {
            lexer_not_supported(scope->lexer, at, "`/=` in an expression");
            return NULL;
        }
        lexer_next(scope->lexer);
        const struct chart_expression *right = parse_relation(scope);
        if (right == NULL || !chart_check_type(scope, at, right->type, left->type, "a right side"))
            return NULL;
        left = join(scope, CHART_EQUAL, &CHART_TYPE_BOOL, at, left, right);
        if (!equals)
            left = negate(scope, at, left);
    }
    return NULL;
}

static const struct chart_expression *parse_not_inside(struct chart_scope *scope)
{
    const struct token *at = lexer_token(scope->lexer);
    if (at->kind != CHART_TOKEN_NOT || scope->notation == CHART_ECMASCRIPT)
        return parse_equality(scope);
    lexer_next(scope->lexer);
    const struct chart_expression *a = parse_not(scope);
    if (a == NULL || !chart_check_type(scope, at, a->type, &CHART_TYPE_BOOL, "an operand"))
        return NULL;
    return negate(scope, at, a);
}

static const struct chart_expression *parse_not(struct chart_scope *scope)
{
    const struct chart_expression *made = enter(scope) ? parse_not_inside(scope) : NULL;
    scope->depth--;
    return made;
}

#define IMPLY 3

// At the operator of a junction? Triggers and formulas have signs for what is a word elsewhere.
static bool joins(const struct chart_scope *scope, const struct token *at, int level)
{
    static const int KINDS[] = {CHART_TOKEN_AND, CHART_TOKEN_XOR, CHART_TOKEN_OR,
                                CHART_TOKEN_IMPLY};
    bool sign =
        (level == 1 && token_is(at, "^")) || (level == IMPLY && at->kind == CHART_TOKEN_ARROW);
    return (sign && (scope->trigger || scope->formulas)) || at->kind == KINDS[level];
}

// and (0), xor (1), or (2), imply (3, to the right)
static const struct chart_expression *parse_junction(struct chart_scope *scope, int level)
{
    const struct chart_expression *left =
        level == 0 ? parse_not(scope) : parse_junction(scope, level - 1);
    while (left != NULL) {
        const struct token *at = lexer_token(scope->lexer);
        if (!joins(scope, at, level))
            return left;
        lexer_next(scope->lexer);
        const struct chart_expression *right = level == 0       ? parse_not(scope)
                                               : level == IMPLY ? parse_junction(scope, IMPLY)
                                                                : parse_junction(scope, level - 1);
        if (scope->truth) {
            left = as_condition(scope, at, left);
            right = as_condition(scope, at, right);
        }
        if (right == NULL || left == NULL ||
            !chart_check_type(scope, at, left->type, &CHART_TYPE_BOOL, "an operand") ||
            !chart_check_type(scope, at, right->type, &CHART_TYPE_BOOL, "an operand"))
            return NULL;
        if (level == IMPLY)
            left = negate(scope, at, left);
        left = join(scope,
                    level == 0   ? CHART_AND
                    : level == 1 ? CHART_EQUAL
                                 : CHART_OR,
                    &CHART_TYPE_BOOL, at, left, right);
        if (level == 1)
            left = negate(scope, at, left);
    }
    return NULL;
}

// In a trigger `==` binds weakest, and to the right.
static const struct chart_expression *parse_equal_triggers(struct chart_scope *scope,
                                                           const struct chart_expression *left)
{
    const struct token *at = lexer_next(scope->lexer);
    const struct chart_expression *right = parse_conditional(scope);
    if (right == NULL || !chart_check_type(scope, at, left->type, &CHART_TYPE_BOOL, "an operand") ||
        !chart_check_type(scope, at, right->type, &CHART_TYPE_BOOL, "an operand"))
        return NULL;
    return join(scope, CHART_EQUAL, &CHART_TYPE_BOOL, at, left, right);
}

static const struct chart_expression *parse_conditional_inside(struct chart_scope *scope)
{
    const struct chart_expression *condition = parse_junction(scope, IMPLY);
    const struct token *at = lexer_token(scope->lexer);
    if (condition != NULL && scope->trigger && at->kind == CHART_TOKEN_EQUAL)
        return parse_equal_triggers(scope, condition);
    if (condition == NULL || at->kind != CHART_TOKEN_QUESTION)
        return condition;
    condition = as_condition(scope, at, condition);
    lexer_next(scope->lexer);
    const struct chart_expression *then = parse_conditional(scope);
    if (then == NULL || lexer_expect(scope->lexer, CHART_TOKEN_COLON) == NULL)
        return NULL;
    const struct chart_expression *otherwise = parse_conditional(scope);
    if (otherwise == NULL ||
        !chart_check_type(scope, at, condition->type, &CHART_TYPE_BOOL, "a condition") ||
        !chart_check_type(scope, at, otherwise->type, then->type, "an alternative"))
        return NULL;
    struct chart_expression *made = node(scope, CHART_IF, then->type, at);
    made->child[0] = condition;
    made->child[1] = then;
    made->child[2] = otherwise;
    made->depth = condition->depth + then->depth + otherwise->depth + 1;
    return made;
}

static const struct chart_expression *parse_conditional(struct chart_scope *scope)
{
    const struct chart_expression *made = enter(scope) ? parse_conditional_inside(scope) : NULL;
    scope->depth--;
    return made;
}

const struct chart_expression *chart_parse_expression(struct chart_scope *scope)
{
    uint32_t depth = scope->depth;
    const struct chart_expression *made = parse_conditional(scope);
    assert(scope->depth == depth); // whatever was wrong
    (void)depth;
    return made;
}

const struct chart_expression *chart_parse_typed(struct chart_scope *scope,
                                                 const struct chart_type *type, const char *what)
{
    const struct token *at = lexer_token(scope->lexer);
    const struct chart_expression *made = parse_conditional(scope);
    if (scope->truth)
        made = as_condition(scope, at, made);
    return made != NULL && chart_check_type(scope, at, made->type, type, what) ? made : NULL;
}

static bool constant_pair(const struct chart_expression *e, int64_t a, int64_t b, int64_t *value)
{
    switch (e->op) {
    case CHART_AND:
        *value = a && b;
        return true;
    case CHART_OR:
        *value = a || b;
        return true;
    case CHART_EQUAL:
        *value = a == b;
        return true;
    case CHART_LESS:
        *value = a < b;
        return true;
    case CHART_LESS_EQUAL:
        *value = a <= b;
        return true;
    case CHART_ADD:
        return !__builtin_add_overflow(a, b, value);
    case CHART_SUBTRACT:
        return !__builtin_sub_overflow(a, b, value);
    case CHART_MULTIPLY:
        return !__builtin_mul_overflow(a, b, value);
    default:
        return false;
    }
}

bool chart_constant(const struct chart_expression *e, int64_t *value)
{
    int64_t a, b;
    switch (e->op) {
    case CHART_LITERAL:
        *value = e->value;
        return true;
    case CHART_VARIABLE: // without a first value it has none to go by
        *value = e->variable->initial;
        return e->variable->set == NULL;
    case CHART_NOT:
    case CHART_NEGATE:
        if (!chart_constant(e->child[0], &a))
            return false;
        if (e->op == CHART_NEGATE)
            return !__builtin_sub_overflow(0, a, value);
        *value = !a;
        return true;
    case CHART_IF:
        return chart_constant(e->child[0], &a) && chart_constant(e->child[a ? 1 : 2], value);
    case CHART_ACTIVE:
    case CHART_NOW:
        return false;
    default:
        return chart_constant(e->child[0], &a) && chart_constant(e->child[1], &b) &&
               constant_pair(e, a, b, value);
    }
}
