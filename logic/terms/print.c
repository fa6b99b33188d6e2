#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "logic/terms/print_inside.h"

bool print_magnitude(struct text *out, const struct term *literal)
{
    if (literal->kind == TERM_INT && value_is_small(literal->u.value)) {
        int64_t n = value_small_get(literal->u.value);
        text_printf(out, "%" PRId64, n < 0 ? -n : n);
        return n < 0;
    }
    const char *text = literal->u.text;
    bool negative = text[0] == '-';
    text += negative;
    size_t numerator = strcspn(text, "/");
    text_add_bytes(out, text, numerator);
    if (text[numerator] == '/')
        text_printf(out, "%%%s", text + numerator + 1);
    return negative;
}

void print_unsigned(struct text *out, const struct term *literal)
{
    assert(literal->kind == TERM_BV);
    if (value_is_small(literal->u.value))
        text_printf(out, "%" PRId64, value_small_get(literal->u.value));
    else
        text_add(out, literal->u.text);
}

const char *print_bits_name(enum term_kind kind)
{
    static const char *const names[TERM_KIND_COUNT] = {
        [TERM_BV_NOT] = "bvnot",   [TERM_BV_NEG] = "bvneg",   [TERM_BV_AND] = "bvand",
        [TERM_BV_OR] = "bvor",     [TERM_BV_XOR] = "bvxor",   [TERM_BV_ADD] = "bvadd",
        [TERM_BV_MUL] = "bvmul",   [TERM_BV_UDIV] = "bvudiv", [TERM_BV_SDIV] = "bvsdiv",
        [TERM_BV_UREM] = "bvurem", [TERM_BV_SREM] = "bvsrem", [TERM_BV_SMOD] = "bvsmod",
        [TERM_BV_SHL] = "bvshl",   [TERM_BV_LSHR] = "bvlshr", [TERM_BV_ASHR] = "bvashr",
        [TERM_BV_ROL] = "bvrol",   [TERM_BV_ROR] = "bvror",   [TERM_BV_ULT] = "bvult",
        [TERM_BV_ULE] = "bvule",   [TERM_BV_SLT] = "bvslt",   [TERM_BV_SLE] = "bvsle"};
    return names[kind];
}

void print_term(struct text *out, const struct term *term, enum print_language language)
{
    if (language == PRINT_SMTLIB)
        print_smtlib(out, term);
    else if (language == PRINT_PREFIX)
        print_prefix(out, term);
    else
        print_infix(out, term, language);
}

void print_sort(struct text *out, const struct sort *sort, enum print_language language)
{
    if (language == PRINT_SMTLIB) {
        print_smtlib_sort(out, sort);
        return;
    }
    bool xsts = language == PRINT_XSTS;
    switch (sort->kind) {
    case SORT_BOOL:
        text_add(out, xsts ? "boolean" : "bool");
        break;
    case SORT_INT:
        text_add(out, xsts ? "integer" : "int");
        break;
    case SORT_RAT:
        text_add(out, xsts ? "rational" : "rat");
        break;
    case SORT_BV:
        text_printf(out, "bv[%u]", sort->width);
        break;
    case SORT_ENUM:
        text_add(out, sort->name);
        break;
    case SORT_ARRAY:
        text_add_char(out, '[');
        print_sort(out, sort->key, language);
        text_add(out, "] -> ");
        print_sort(out, sort->element, language);
        break;
    }
}

static void print_array_value(struct text *out, const struct term *array)
{
    const struct sort *sort = array->sort;
    text_add(out, "(array");
    for (uint32_t i = 1; i + 1 < array->child_count; i += 2) {
        text_add(out, " (");
        print_value(out, sort->key, term_value(array->child[i]));
        text_add_char(out, ' ');
        print_value(out, sort->element, term_value(array->child[i + 1]));
        text_add_char(out, ')');
    }
    text_add(out, " (default ");
    print_value(out, sort->element, term_value(array->child[0]));
    text_add(out, "))");
}

static void print_number(struct text *out, const struct term *literal)
{
    struct text magnitude;
    text_init(&magnitude);
    if (print_magnitude(&magnitude, literal))
        text_add_char(out, '-');
    text_add(out, text_string(&magnitude));
    text_finish(&magnitude);
}

void print_value(struct text *out, const struct sort *sort, struct value value)
{
    assert(value_known(value));
    if (!value_is_small(value)) {
        const struct term *literal = value_pointer_get(value);
        if (literal->kind == TERM_ARRAY)
            print_array_value(out, literal);
        else if (literal->kind == TERM_BV)
            text_printf(out, "%u'd%s", sort->width, literal->u.text);
        else
            print_number(out, literal);
        return;
    }
    int64_t n = value_small_get(value);
    switch (sort->kind) {
    case SORT_BOOL:
        text_add(out, n != 0 ? "true" : "false");
        break;
    case SORT_ENUM:
        text_add(out, sort->literals[n]);
        break;
    case SORT_BV:
        text_printf(out, "%u'd%" PRId64, sort->width, n);
        break;
    default:
        text_printf(out, "%" PRId64, n);
    }
}
