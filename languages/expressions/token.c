#include "languages/expressions/token.h"

// clang-format off
#define SHARED_KEYWORDS                                                                            \
    {"iff", CFA_IFF}, {"imply", CFA_IMPLY}, {"or", CFA_OR}, {"xor", CFA_XOR}, {"and", CFA_AND},    \
    {"not", CFA_NOT}, {"mod", CFA_MOD}, {"rem", CFA_REM}, {"if", CFA_IF}, {"then", CFA_THEN},      \
    {"else", CFA_ELSE}, {"forall", CFA_FORALL}, {"exists", CFA_EXISTS}, {"true", CFA_TRUE},        \
    {"false", CFA_FALSE}, {"default", CFA_DEFAULT}, {"bool", CFA_BOOL}, {"int", CFA_INT},          \
    {"rat", CFA_RAT}, {"var", CFA_VAR}

#define SHARED_PUNCTUATION                                                                         \
    {"(", CFA_LPAREN}, {")", CFA_RPAREN}, {"{", CFA_LBRACE}, {"}", CFA_RBRACE},                    \
    {"[", CFA_LBRACKET}, {"]", CFA_RBRACKET}, {",", CFA_COMMA}, {":", CFA_COLON},                  \
    {":=", CFA_BECOMES}, {"->", CFA_RARROW}, {"<-", CFA_LARROW}, {"'", CFA_PRIME},                 \
    {"%", CFA_PERCENT}, {"=", CFA_EQ}, {"/=", CFA_NE}, {"<", CFA_LT}, {"<=", CFA_LE},              \
    {">", CFA_GT}, {">=", CFA_GE}, {"+", CFA_PLUS}, {"-", CFA_MINUS}, {"*", CFA_TIMES},            \
    {"/", CFA_DIVIDE}, {"==", CFA_FOREIGN}, {"!=", CFA_FOREIGN}, {"&&", CFA_FOREIGN},              \
    {"||", CFA_FOREIGN}, {"!", CFA_FOREIGN}, {"=>", CFA_FOREIGN}, {"<=>", CFA_FOREIGN}

static const struct token_spelling cfa_keywords[] = {
    SHARED_KEYWORDS,
    {"main", CFA_MAIN}, {"process", CFA_PROCESS}, {"init", CFA_INIT}, {"final", CFA_FINAL},
    {"error", CFA_ERROR}, {"loc", CFA_LOC}, {"havoc", CFA_HAVOC}, {"assume", CFA_ASSUME},
    {"return", CFA_RETURN}, {"bv", CFA_BV}, {"fp", CFA_FP},
    {"bvult", CFA_BV_ULT}, {"bvule", CFA_BV_ULE}, {"bvugt", CFA_BV_UGT}, {"bvuge", CFA_BV_UGE},
    {"bvslt", CFA_BV_SLT}, {"bvsle", CFA_BV_SLE}, {"bvsgt", CFA_BV_SGT}, {"bvsge", CFA_BV_SGE},
    {"bvor", CFA_BV_OR}, {"bvxor", CFA_BV_XOR}, {"bvand", CFA_BV_AND}, {"bvshl", CFA_BV_SHL},
    {"bvashr", CFA_BV_ASHR}, {"bvlshr", CFA_BV_LSHR}, {"bvrol", CFA_BV_ROL},
    {"bvror", CFA_BV_ROR}, {"bvadd", CFA_BV_ADD}, {"bvsub", CFA_BV_SUB}, {"bvmul", CFA_BV_MUL},
    {"bvudiv", CFA_BV_UDIV}, {"bvsdiv", CFA_BV_SDIV}, {"bvsmod", CFA_BV_SMOD},
    {"bvurem", CFA_BV_UREM}, {"bvsrem", CFA_BV_SREM}, {"bvpos", CFA_BV_POS},
    {"bvneg", CFA_BV_NEG}, {"bvnot", CFA_BV_NOT}, {"bv_zero_extend", CFA_BV_ZERO_EXTEND},
    {"bv_sign_extend", CFA_BV_SIGN_EXTEND},
    {"fpmax", CFA_FP_MAX}, {"fpmin", CFA_FP_MIN}, {"fpadd", CFA_FP_ADD}, {"fpsub", CFA_FP_SUB},
    {"fpmul", CFA_FP_MUL}, {"fpdiv", CFA_FP_DIV}, {"fprem", CFA_FP_REM}, {"fpabs", CFA_FP_ABS},
    {"fpisnan", CFA_FP_IS_NAN}, {"fproundtoint", CFA_FP_ROUND}, {"fpsqrt", CFA_FP_SQRT},
    {"fptofp", CFA_FP_TO_FP}, {"fptobv", CFA_FP_TO_BV}, {"fpfrombv", CFA_FP_FROM_BV},
    {"fpneg", CFA_FP_NEG}, {"fppos", CFA_FP_POS},
    {NULL, 0},
};

static const struct token_spelling sts_keywords[] = {
    SHARED_KEYWORDS,
    {"equal", CFA_IFF}, {"specification", STS_SPECIFICATION}, {"const", STS_CONST},
    {"system", STS_SYSTEM}, {"property", STS_PROPERTY}, {"models", STS_MODELS},
    {"invariant", STS_INVARIANT}, {"initial", STS_INITIAL}, {"transition", STS_TRANSITION},
    {NULL, 0},
};

static const struct token_spelling cfa_punctuation[] = {
    SHARED_PUNCTUATION, {"++", CFA_CONCAT}, {NULL, 0}};
static const struct token_spelling sts_punctuation[] = {SHARED_PUNCTUATION, {NULL, 0}};
// clang-format on

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_part(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// width 'b digits, width 'd sign? digits, width 'x digits. All that looks like digits belongs to
// it: which of them are right is said with a better message later.
static size_t match_bit_vector(const char *text, size_t left)
{
    size_t n = 0;
    while (n < left && is_digit(text[n]))
        n++;
    if (n == 0 || n + 1 >= left || text[n] != '\'' ||
        (text[n + 1] != 'b' && text[n + 1] != 'd' && text[n + 1] != 'x'))
        return 0;
    bool decimal = text[n + 1] == 'd';
    n += 2;
    if (decimal && n + 1 < left && (text[n] == '-' || text[n] == '+') && is_digit(text[n + 1]))
        n++;
    while (n < left && is_name_part(text[n]))
        n++;
    return n;
}

static size_t match_special(const char *text, size_t left, int *kind)
{
    size_t n = match_bit_vector(text, left);
    if (n == 0)
        return 0;
    *kind = CFA_BV_LITERAL;
    size_t fraction = n < left && text[n] == '.' ? match_bit_vector(text + n + 1, left - n - 1) : 0;
    if (fraction == 0)
        return n;
    *kind = CFA_FP_LITERAL;
    return n + 1 + fraction;
}

static const char *special_name(int kind)
{
    return kind == CFA_BV_LITERAL   ? "a bit-vector literal"
           : kind == CFA_FP_LITERAL ? "a floating-point literal"
                                    : NULL;
}

const struct lexer_language cfa_language = {
    cfa_keywords, cfa_punctuation, "_", "_", match_special, special_name,
};

const struct lexer_language sts_language = {
    sts_keywords, sts_punctuation, "_", "_", NULL, NULL,
};
