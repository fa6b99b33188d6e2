#include <assert.h>
#include <string.h>

#include "logic/terms/number.h"
#include "logic/terms/print_inside.h"

// The expression grammars of XSTS and CFA (docs/definitions/formats.md 2.1 and 4.1) as binding strengths, loosest
// first. Canonical forms are turned back into what one would write: x + -1*y <= 0 is x <= y.

enum level {
    LEVEL_ANY, // if … then … else …
    LEVEL_IFF,
    LEVEL_IMPLY,
    LEVEL_QUANTIFIER,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_EQUALITY,
    LEVEL_RELATION,
    LEVEL_BVOR,
    LEVEL_BVXOR,
    LEVEL_BVAND,
    LEVEL_SHIFT,
    LEVEL_ADD,
    LEVEL_MUL,
    LEVEL_CONCAT,
    LEVEL_EXTEND,
    LEVEL_UNARY,
    LEVEL_POSTFIX,
    LEVEL_PRIMARY
};

struct infix {
    struct text *out;
    bool xsts;
};

static void print(const struct infix *p, const struct term *t, enum level least);

static bool is_negative(const struct term *t)
{
    return (t->kind == TERM_INT || t->kind == TERM_RAT) && number_sign(t->sort, term_value(t)) < 0;
}

static bool is_negative_monomial(const struct term *t)
{
    return is_negative(t) || (t->kind == TERM_MUL && is_negative(t->child[0]));
}

static bool is_unit_magnitude(const struct term *t)
{
    if (t->kind == TERM_INT)
        return value_equal(t->u.value, value_small(1)) || value_equal(t->u.value, value_small(-1));
    return t->kind == TERM_RAT && (strcmp(t->u.text, "1/1") == 0 || strcmp(t->u.text, "-1/1") == 0);
}

static enum level bits_level(enum term_kind kind)
{
    switch (kind) {
    case TERM_BV_NOT:
    case TERM_BV_NEG:
        return LEVEL_UNARY;
    case TERM_BV_AND:
        return LEVEL_BVAND;
    case TERM_BV_OR:
        return LEVEL_BVOR;
    case TERM_BV_XOR:
        return LEVEL_BVXOR;
    case TERM_BV_ADD:
        return LEVEL_ADD;
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
    case TERM_BV_ROL:
    case TERM_BV_ROR:
        return LEVEL_SHIFT;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        return LEVEL_RELATION;
    case TERM_BV_CONCAT:
        return LEVEL_CONCAT;
    case TERM_BV_EXTRACT:
        return LEVEL_POSTFIX;
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return LEVEL_EXTEND;
    default:
        return LEVEL_MUL;
    }
}

static enum level mul_level(const struct term *t)
{
    return t->child_count == 2 && is_negative(t->child[0]) && is_unit_magnitude(t->child[0])
               ? LEVEL_UNARY
               : LEVEL_MUL;
}

static enum level not_level(const struct term *a)
{
    switch (a->kind) {
    case TERM_EQ:
        return a->child[0]->sort->kind == SORT_BOOL ? LEVEL_XOR : LEVEL_EQUALITY;
    case TERM_LE:
    case TERM_LT:
    case TERM_BV_ULE:
    case TERM_BV_ULT:
    case TERM_BV_SLE:
    case TERM_BV_SLT:
        return LEVEL_RELATION;
    default:
        return LEVEL_NOT;
    }
}

static enum level level_of(const struct term *t)
{
    switch ((enum term_kind)t->kind) {
    case TERM_INT:
    case TERM_RAT:
        return is_negative(t) ? LEVEL_UNARY : LEVEL_PRIMARY;
    case TERM_BOOL:
    case TERM_BV:
    case TERM_ENUM:
    case TERM_ARRAY:
    case TERM_CONST_ARRAY:
    case TERM_VAR:
        return LEVEL_PRIMARY;
    case TERM_NOT:
        return not_level(t->child[0]);
    case TERM_AND:
        return LEVEL_AND;
    case TERM_OR:
        return LEVEL_OR;
    case TERM_EQ:
        return t->child[0]->sort->kind == SORT_BOOL ? LEVEL_IFF : LEVEL_EQUALITY;
    case TERM_ITE:
        return LEVEL_ANY;
    case TERM_FORALL:
    case TERM_EXISTS:
        return LEVEL_QUANTIFIER;
    case TERM_LE:
    case TERM_LT:
        return LEVEL_RELATION;
    case TERM_ADD:
        return LEVEL_ADD;
    case TERM_MUL:
        return mul_level(t);
    case TERM_DIV:
    case TERM_MOD:
    case TERM_REM:
        return LEVEL_MUL;
    case TERM_TO_RAT: // integers are lifted where a rational stands on the other side
        return level_of(t->child[0]);
    case TERM_SELECT:
    case TERM_STORE:
        return LEVEL_POSTFIX;
    default:
        return bits_level((enum term_kind)t->kind);
    }
}

static void print_variable(const struct infix *p, const struct term *t)
{
    text_add(p->out, t->u.var.name);
    if (t->u.var.index != 0)
        text_printf(p->out, "@%u", t->u.var.index);
}

static void print_list(const struct infix *p, const struct term *t, const char *between,
                       enum level operand)
{
    for (uint32_t i = 0; i < t->child_count; i++) {
        if (i > 0)
            text_add(p->out, between);
        print(p, t->child[i], operand);
    }
}

static void print_binary(const struct infix *p, const struct term *t, enum level left,
                         const char *name, enum level right)
{
    print(p, t->child[0], left);
    text_printf(p->out, " %s ", name);
    print(p, t->child[1], right);
}

static void print_magnitude_of(const struct infix *p, const struct term *literal)
{
    print_magnitude(p->out, literal); // the caller has seen the sign
}

// |coefficient| * factors, or the magnitude of a literal.
static void print_monomial(const struct infix *p, const struct term *t)
{
    if (term_is_literal(t)) {
        print_magnitude_of(p, t);
        return;
    }
    if (t->kind != TERM_MUL) {
        print(p, t, LEVEL_MUL);
        return;
    }
    uint32_t i = 0;
    if (term_is_literal(t->child[0])) {
        i = 1;
        if (!is_unit_magnitude(t->child[0])) {
            print_magnitude_of(p, t->child[0]);
            text_add(p->out, " * ");
        }
    }
    for (bool first = true; i < t->child_count; i++, first = false) {
        if (!first)
            text_add(p->out, " * ");
        print(p, t->child[i], LEVEL_MUL + 1);
    }
}

// Summands of a term: itself, or the children of an ADD.
static uint32_t summand_count(const struct term *t)
{
    return t->kind == TERM_ADD ? t->child_count : 1;
}

static const struct term *summand(const struct term *t, uint32_t i)
{
    return t->kind == TERM_ADD ? t->child[i] : t;
}

static uint32_t count_signed(const struct term *t, bool negative)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < summand_count(t); i++)
        n += is_negative_monomial(summand(t, i)) == negative;
    return n;
}

// The summands of one sign, by their magnitudes.
static void print_side(const struct infix *p, const struct term *sum, bool negative)
{
    bool first = true;
    for (uint32_t i = 0; i < summand_count(sum); i++) {
        const struct term *s = summand(sum, i);
        if (is_negative_monomial(s) != negative)
            continue;
        if (!first)
            text_add(p->out, " + ");
        print_monomial(p, s);
        first = false;
    }
}

// Positive summands first: 3 - x, not -x + 3.
static void print_sum(const struct infix *p, const struct term *sum)
{
    if (count_signed(sum, false) > 0)
        print_side(p, sum, false);
    bool first = count_signed(sum, false) == 0;
    for (uint32_t i = 0; i < summand_count(sum); i++) {
        const struct term *s = summand(sum, i);
        if (!is_negative_monomial(s))
            continue;
        text_add(p->out, first ? "-" : " - ");
        print_monomial(p, s);
        first = false;
    }
}

static bool is_small_int(const struct term *t, int64_t n)
{
    return t->kind == TERM_INT && value_equal(t->u.value, value_small(n));
}

static bool is_zero(const struct term *t)
{
    return (t->kind == TERM_INT || t->kind == TERM_RAT) && number_sign(t->sort, term_value(t)) == 0;
}

// sum <= bound, sum < bound and their negations.
static void print_inequality(const struct infix *p, const struct term *t, bool negated)
{
    static const char *const names[2][2] = {{"<=", ">"}, {"<", ">="}};
    const struct term *sum = t->child[0], *bound = t->child[1];
    bool strict = t->kind == TERM_LT;
    bool two_sides = count_signed(sum, true) > 0 && count_signed(sum, false) > 0;
    bool below = two_sides && is_small_int(bound, -1); // a - b <= -1 is a < b
    if (two_sides && (is_zero(bound) || below)) {
        print_side(p, sum, false);
        text_printf(p->out, " %s ", names[strict || below][negated]);
        print_side(p, sum, true);
        return;
    }
    print(p, sum, LEVEL_ADD);
    text_printf(p->out, " %s ", names[strict][negated]);
    print(p, bound, LEVEL_ADD);
}

// left = bound, with the negative summands moved to the right when that leaves one on the left.
static void print_number_equality(const struct infix *p, const struct term *t, const char *name)
{
    const struct term *sum = t->child[0], *bound = t->child[1];
    bool movable = term_is_literal(bound) && count_signed(sum, true) > 0 &&
                   (count_signed(sum, false) == 1 || is_zero(bound));
    if (!movable || count_signed(sum, false) == 0) {
        print_binary(p, t, LEVEL_ADD, name, LEVEL_ADD);
        return;
    }
    print_side(p, sum, false);
    text_printf(p->out, " %s ", name);
    print_side(p, sum, true);
    if (!is_zero(bound)) {
        text_add(p->out, is_negative(bound) ? " - " : " + ");
        print_magnitude_of(p, bound);
    }
}

static void print_equality(const struct infix *p, const struct term *t, bool negated)
{
    enum sort_kind kind = t->child[0]->sort->kind;
    if (kind == SORT_BOOL) {
        enum level level = negated ? LEVEL_XOR : LEVEL_IFF;
        print_binary(p, t, level + 1, negated ? "xor" : "iff", level + 1);
        return;
    }
    const char *name = p->xsts ? (negated ? "!=" : "==") : (negated ? "/=" : "=");
    if (kind == SORT_INT || kind == SORT_RAT)
        print_number_equality(p, t, name);
    else
        print_binary(p, t, LEVEL_EQUALITY + 1, name, LEVEL_EQUALITY + 1);
}

static const char *bits_comparison_name(enum term_kind kind, bool negated)
{
    switch (kind) {
    case TERM_BV_ULT:
        return negated ? "bvuge" : "bvult";
    case TERM_BV_ULE:
        return negated ? "bvugt" : "bvule";
    case TERM_BV_SLT:
        return negated ? "bvsge" : "bvslt";
    default:
        assert(kind == TERM_BV_SLE);
        return negated ? "bvsgt" : "bvsle";
    }
}

static void print_bits_comparison(const struct infix *p, const struct term *t, bool negated)
{
    const char *name = bits_comparison_name((enum term_kind)t->kind, negated);
    print_binary(p, t, LEVEL_RELATION + 1, name, LEVEL_RELATION + 1);
}

static void print_not(const struct infix *p, const struct term *a)
{
    switch (not_level(a)) {
    case LEVEL_XOR:
    case LEVEL_EQUALITY:
        print_equality(p, a, true);
        break;
    case LEVEL_RELATION:
        if (a->kind >= TERM_BV_ULT)
            print_bits_comparison(p, a, true);
        else
            print_inequality(p, a, true);
        break;
    default:
        text_add(p->out, p->xsts ? "!" : "not ");
        print(p, a, LEVEL_UNARY);
    }
}

// Does it read as an integer where no rational stands beside it?
static bool reads_as_int(const struct term *t)
{
    if (t->kind == TERM_TO_RAT)
        return true;
    if ((t->kind != TERM_ADD && t->kind != TERM_MUL) || term_is_literal(t))
        return false;
    for (uint32_t i = 0; i < t->child_count; i++)
        if (!reads_as_int(t->child[i]))
            return false;
    return true;
}

static void print_division(const struct infix *p, const struct term *t)
{
    const char *name = t->kind == TERM_DIV   ? "/"
                       : t->kind == TERM_REM ? "rem"
                       : p->xsts             ? "%"
                                             : "mod";
    if (t->sort->kind == SORT_RAT && reads_as_int(t->child[0]) && reads_as_int(t->child[1])) {
        text_add(p->out, "1%1 * ");
        print_binary(p, t, LEVEL_MUL + 1, name, LEVEL_MUL + 1);
        return;
    }
    print_binary(p, t, LEVEL_MUL, name, LEVEL_MUL + 1);
}

static void print_product(const struct infix *p, const struct term *t)
{
    if (is_negative_monomial(t))
        text_add_char(p->out, '-');
    print_monomial(p, t);
}

static void print_bits(const struct infix *p, const struct term *t)
{
    enum term_kind kind = (enum term_kind)t->kind;
    enum level level = bits_level(kind);
    switch (kind) {
    case TERM_BV_NOT:
    case TERM_BV_NEG:
        text_printf(p->out, "%s ", print_bits_name(kind));
        print(p, t->child[0], LEVEL_UNARY);
        break;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        print_bits_comparison(p, t, false);
        break;
    case TERM_BV_ADD:
        for (int i = 0; i < 2; i++) {
            if (t->child[i]->kind == TERM_BV_NEG && t->child[1 - i]->kind != TERM_BV_NEG) {
                print(p, t->child[1 - i], level);
                text_add(p->out, " bvsub ");
                print(p, t->child[i]->child[0], level + 1);
                return;
            }
        }
        print_binary(p, t, level, "bvadd", level + 1);
        break;
    case TERM_BV_CONCAT:
        print_binary(p, t, level, "++", level + 1);
        break;
    case TERM_BV_EXTRACT:
        print(p, t->child[0], LEVEL_POSTFIX);
        text_printf(p->out, "[%u:%u]", t->u.extract.high + 1, t->u.extract.low);
        break;
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        print(p, t->child[0], level + 1);
        text_printf(p->out, " %s bv[%u]",
                    kind == TERM_BV_ZEXT ? "bv_zero_extend" : "bv_sign_extend", t->sort->width);
        break;
    default: // in the grammar, + and * are chains, the others take two operands
        print_binary(p, t, level == LEVEL_MUL ? level : level + 1, print_bits_name(kind),
                     level + 1);
    }
}

static void print_array(const struct infix *p, const struct term *t)
{
    text_add_char(p->out, '[');
    for (uint32_t i = 1; i + 1 < t->child_count; i += 2) {
        print(p, t->child[i], LEVEL_ADD);
        text_add(p->out, " <- ");
        print(p, t->child[i + 1], LEVEL_ANY);
        text_add(p->out, ", ");
    }
    if (t->child_count == 1) {
        text_add_char(p->out, '<');
        print_sort(p->out, t->sort->key, p->xsts ? PRINT_XSTS : PRINT_CFA);
        text_add_char(p->out, '>');
    }
    text_add(p->out, "default <- ");
    print(p, t->child[0], LEVEL_ANY);
    text_add_char(p->out, ']');
}

static void print_access(const struct infix *p, const struct term *t)
{
    print(p, t->child[0], LEVEL_POSTFIX);
    text_add_char(p->out, '[');
    print(p, t->child[1], LEVEL_ADD); // a comparison in brackets could look like an arrow
    if (t->kind == TERM_STORE) {
        text_add(p->out, " <- ");
        print(p, t->child[2], LEVEL_ANY);
    }
    text_add_char(p->out, ']');
}

static void print_quantifier(const struct infix *p, const struct term *t)
{
    text_add(p->out, t->kind == TERM_FORALL ? "forall (" : "exists (");
    for (uint32_t i = 0; i + 1 < t->child_count; i++) {
        if (i > 0)
            text_add(p->out, ", ");
        print_variable(p, t->child[i]);
        text_add(p->out, " : ");
        print_sort(p->out, t->child[i]->sort, p->xsts ? PRINT_XSTS : PRINT_CFA);
    }
    text_add(p->out, ") ");
    print(p, t->child[t->child_count - 1], LEVEL_QUANTIFIER);
}

static void print_literal(const struct infix *p, const struct term *t)
{
    if (t->kind == TERM_ARRAY)
        print_array(p, t);
    else if (t->kind == TERM_ENUM)
        text_printf(p->out, "%s.%s", t->sort->name, t->sort->literals[value_small_get(t->u.value)]);
    else
        print_value(p->out, t->sort, term_value(t));
}

static void print_ite(const struct infix *p, const struct term *t)
{
    static const char *const words[] = {"if ", " then ", " else "};
    for (int i = 0; i < 3; i++) {
        text_add(p->out, words[i]);
        print(p, t->child[i], LEVEL_ANY);
    }
}

static void print_bare(const struct infix *p, const struct term *t)
{
    if (term_is_literal(t)) {
        print_literal(p, t);
        return;
    }
    switch ((enum term_kind)t->kind) {
    case TERM_VAR:
        print_variable(p, t);
        break;
    case TERM_NOT:
        print_not(p, t->child[0]);
        break;
    case TERM_AND:
        print_list(p, t, p->xsts ? " && " : " and ", LEVEL_AND + 1);
        break;
    case TERM_OR:
        print_list(p, t, p->xsts ? " || " : " or ", LEVEL_OR + 1);
        break;
    case TERM_EQ:
        print_equality(p, t, false);
        break;
    case TERM_ITE:
        print_ite(p, t);
        break;
    case TERM_FORALL:
    case TERM_EXISTS:
        print_quantifier(p, t);
        break;
    case TERM_LE:
    case TERM_LT:
        print_inequality(p, t, false);
        break;
    case TERM_ADD:
        print_sum(p, t);
        break;
    case TERM_MUL:
        print_product(p, t);
        break;
    case TERM_DIV:
    case TERM_MOD:
    case TERM_REM:
        print_division(p, t);
        break;
    case TERM_TO_RAT:
        print_bare(p, t->child[0]);
        break;
    case TERM_SELECT:
    case TERM_STORE:
        print_access(p, t);
        break;
    case TERM_CONST_ARRAY:
        print_array(p, t);
        break;
    default:
        print_bits(p, t);
    }
}

static void print(const struct infix *p, const struct term *t, enum level least)
{
    bool brackets = level_of(t) < least;
    if (brackets)
        text_add_char(p->out, '(');
    print_bare(p, t);
    if (brackets)
        text_add_char(p->out, ')');
}

void print_infix(struct text *out, const struct term *term, enum print_language language)
{
    struct infix p = {out, language == PRINT_XSTS};
    print(&p, term, LEVEL_ANY);
}
