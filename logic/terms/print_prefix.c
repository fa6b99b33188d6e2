#include <assert.h>

#include "logic/terms/print_inside.h"

static const char *operator_name(const struct term *t)
{
    switch ((enum term_kind)t->kind) {
    case TERM_NOT:
        return "not";
    case TERM_AND:
        return "and";
    case TERM_OR:
        return "or";
    case TERM_EQ:
        return t->child[0]->sort->kind == SORT_BOOL ? "iff" : "=";
    case TERM_ITE:
        return "ite";
    case TERM_FORALL:
        return "forall";
    case TERM_EXISTS:
        return "exists";
    case TERM_LE:
        return "<=";
    case TERM_LT:
        return "<";
    case TERM_ADD:
        return "+";
    case TERM_MUL:
        return "*";
    case TERM_DIV:
        return t->sort->kind == SORT_RAT ? "/" : "div";
    case TERM_MOD:
        return "mod";
    case TERM_REM:
        return "rem";
    case TERM_TO_RAT:
        return "to_rat";
    case TERM_BV_CONCAT:
        return "++";
    case TERM_SELECT:
        return "read";
    case TERM_STORE:
        return "write";
    default:
        return print_bits_name((enum term_kind)t->kind);
    }
}

static void print_variable(struct text *out, const struct term *t)
{
    text_add(out, t->u.var.name);
    if (t->u.var.index != 0)
        text_printf(out, "@%u", t->u.var.index);
}

static void print_application(struct text *out, const char *name, const struct term *t)
{
    text_printf(out, "(%s", name);
    for (uint32_t i = 0; i < t->child_count; i++) {
        text_add_char(out, ' ');
        print_prefix(out, t->child[i]);
    }
    text_add_char(out, ')');
}

static void print_not(struct text *out, const struct term *t)
{
    const struct term *a = t->child[0];
    if (a->kind == TERM_EQ) {
        enum sort_kind kind = a->child[0]->sort->kind;
        print_application(out, kind == SORT_BOOL ? "xor" : kind == SORT_ENUM ? "!=" : "/=", a);
    } else if (a->kind == TERM_LE) {
        print_application(out, ">", a);
    } else if (a->kind == TERM_LT) {
        print_application(out, ">=", a);
    } else {
        print_application(out, "not", t);
    }
}

static void print_quantifier(struct text *out, const struct term *t)
{
    text_printf(out, "(%s (", operator_name(t));
    for (uint32_t i = 0; i + 1 < t->child_count; i++) {
        text_add(out, i == 0 ? "(" : " (");
        print_variable(out, t->child[i]);
        text_add_char(out, ' ');
        print_sort(out, t->child[i]->sort, PRINT_PREFIX);
        text_add_char(out, ')');
    }
    text_add(out, ") ");
    print_prefix(out, t->child[t->child_count - 1]);
    text_add_char(out, ')');
}

void print_prefix(struct text *out, const struct term *t)
{
    if (term_is_literal(t)) {
        print_value(out, t->sort, term_value(t));
        return;
    }
    switch ((enum term_kind)t->kind) {
    case TERM_VAR:
        print_variable(out, t);
        break;
    case TERM_NOT:
        print_not(out, t);
        break;
    case TERM_FORALL:
    case TERM_EXISTS:
        print_quantifier(out, t);
        break;
    case TERM_BV_EXTRACT:
        text_add(out, "(extract ");
        print_prefix(out, t->child[0]);
        text_printf(out, " %u %u)", t->u.extract.high + 1, t->u.extract.low);
        break;
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        text_add(out, t->kind == TERM_BV_ZEXT ? "(bv_zero_extend " : "(bv_sign_extend ");
        print_prefix(out, t->child[0]);
        text_printf(out, " bv[%u])", t->sort->width);
        break;
    case TERM_CONST_ARRAY:
        text_add(out, "(array (default ");
        print_prefix(out, t->child[0]);
        text_add(out, "))");
        break;
    default:
        print_application(out, operator_name(t), t);
    }
}
