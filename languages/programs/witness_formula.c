#include <inttypes.h>
#include <string.h>

#include "languages/programs/witness.h"

// Terms over bit-vectors as C expressions of the same value: everything is computed in unsigned types of 32, 64 or 128 bits,
// where C wraps as bit-vectors do, and cut to its width.

#define LARGEST_TERM 400

struct writer {
    struct text *out;
    const struct witness_scope *scope;
};

static bool write_bits(struct writer *w, const struct term *t);
static bool write_truth(struct writer *w, const struct term *t);

static uint32_t room(uint32_t width)
{
    return width <= 32 ? 32 : width <= 64 ? 64 : 128;
}

static const char *unsigned_type(uint32_t width)
{
    return room(width) == 32   ? "unsigned int"
           : room(width) == 64 ? "unsigned long long"
                               : "unsigned __int128";
}

static const char *signed_type(uint32_t width)
{
    return room(width) == 32 ? "int" : room(width) == 64 ? "long long" : "__int128";
}

static const char *suffix(uint32_t width)
{
    return room(width) == 32 ? "U" : "ULL";
}

static bool fits(const struct writer *w, uint32_t width)
{
    return width <= 64 || (width <= 128 && w->scope->wide);
}

static bool literal_bits(const struct term *t, uint64_t *out)
{
    if (t->kind != TERM_BV || t->sort->width > 64)
        return false;
    struct value v = term_value(t);
    if (value_is_small(v)) {
        *out = (uint64_t)value_small_get(v);
        return true;
    }
    *out = 0;
    for (const char *c = t->u.text; *c >= '0' && *c <= '9'; c++)
        *out = 10 * *out + (uint64_t)(*c - '0');
    return true;
}

// Opens a parenthesis around a value that may need cutting to its width.
static void open_cut(struct writer *w, uint32_t width)
{
    text_add(w->out, width < room(width) ? "((" : "(");
}

static void close_cut(struct writer *w, uint32_t width)
{
    if (width >= room(width))
        text_add_char(w->out, ')');
    else if (width <= 64)
        text_printf(w->out, ") & 0x%" PRIx64 "%s)", ((uint64_t)1 << width) - 1, suffix(width));
    else
        text_printf(w->out, ") & (((unsigned __int128)1 << %u) - 1))", width);
}

static bool is_unsigned_of(const char *type, uint32_t width)
{
    return (width == 32 && strcmp(type, "unsigned int") == 0) ||
           (width == 64 && strcmp(type, "unsigned long long") == 0);
}

static bool write_variable(struct writer *w, const struct term *t)
{
    const char *type = "", *name = w->scope->name(w->scope->context, t->u.var.name, &type);
    uint32_t width = t->sort->width;
    if (name == NULL || t->u.var.index != 0 || width > 64)
        return false;
    if (is_unsigned_of(type, width)) {
        text_add(w->out, name);
        return true;
    }
    open_cut(w, width);
    text_printf(w->out, "(%s)%s", unsigned_type(width), name);
    close_cut(w, width);
    return true;
}

static bool write_operation(struct writer *w, const struct term *t, const char *operator)
{
    uint32_t width = t->sort->width;
    open_cut(w, width);
    for (uint32_t i = 0; i < t->child_count; i++) {
        if (i > 0)
            text_printf(w->out, " %s ", operator);
        if (!write_bits(w, t->child[i]))
            return false;
    }
    close_cut(w, width);
    return true;
}

static bool write_prefix(struct writer *w, const struct term *t, const char *operator)
{
    open_cut(w, t->sort->width);
    text_add(w->out, operator);
    if (!write_bits(w, t->child[0]))
        return false;
    close_cut(w, t->sort->width);
    return true;
}

// By a literal amount below the width, or by a divisor that is not zero.
static bool write_by_literal(struct writer *w, const struct term *t, const char *operator)
{
    uint64_t by;
    bool shift = t->kind == TERM_BV_SHL || t->kind == TERM_BV_LSHR;
    if (!literal_bits(t->child[1], &by) || (shift ? by >= t->sort->width : by == 0))
        return false;
    return write_operation(w, t, operator);
}

// The number that the bits mean with a sign.
static bool write_signed(struct writer *w, const struct term *t)
{
    uint32_t width = t->sort->width;
    uint64_t bits;
    const char *type = "";
    if (!fits(w, width))
        return false;
    if (t->kind == TERM_VAR && width == 32) {
        const char *name = w->scope->name(w->scope->context, t->u.var.name, &type);
        if (name != NULL && t->u.var.index == 0 && strcmp(type, "int") == 0) {
            text_add(w->out, name);
            return true;
        }
    }
    if (literal_bits(t, &bits) && width <= 64) {
        uint64_t sign = (uint64_t)1 << (width - 1);
        int64_t value = (int64_t)((bits ^ sign) - sign);
        const char *end = width > 32 ? "LL" : "";
        if (bits == sign && width == room(width))
            text_printf(w->out, "(%" PRId64 "%s - 1)", value + 1, end);
        else
            text_printf(w->out, value < 0 ? "(%" PRId64 "%s)" : "%" PRId64 "%s", value, end);
        return true;
    }
    if (width == room(width)) {
        text_printf(w->out, "(%s)", signed_type(width));
        return write_bits(w, t);
    }
    // The sign's weight is taken off twice.
    text_printf(w->out, "((%s)(", signed_type(width));
    if (!write_bits(w, t))
        return false;
    text_printf(w->out, " ^ ((%s)1 << %u)) - ((%s)1 << %u))", unsigned_type(width), width - 1,
                signed_type(width), width - 1);
    return true;
}

static bool write_extended(struct writer *w, const struct term *t)
{
    uint32_t width = t->sort->width;
    open_cut(w, width);
    text_printf(w->out, "(%s)", unsigned_type(width));
    if (!(t->kind == TERM_BV_ZEXT ? write_bits(w, t->child[0]) : write_signed(w, t->child[0])))
        return false;
    close_cut(w, width);
    return true;
}

static bool write_extract(struct writer *w, const struct term *t)
{
    uint32_t width = t->sort->width;
    open_cut(w, width);
    text_printf(w->out, "(%s)(", unsigned_type(width));
    if (!write_bits(w, t->child[0]))
        return false;
    text_printf(w->out, " >> %u)", t->u.extract.low);
    close_cut(w, width);
    return true;
}

static bool write_choice(struct writer *w, const struct term *t,
                         bool (*write)(struct writer *, const struct term *))
{
    text_add_char(w->out, '(');
    if (!write_truth(w, t->child[0]))
        return false;
    text_add(w->out, " ? ");
    if (!write(w, t->child[1]))
        return false;
    text_add(w->out, " : ");
    if (!write(w, t->child[2]))
        return false;
    text_add_char(w->out, ')');
    return true;
}

static bool write_bits(struct writer *w, const struct term *t)
{
    uint64_t bits;
    if (t->sort->kind != SORT_BV || !fits(w, t->sort->width))
        return false;
    switch (t->kind) {
    case TERM_BV:
        if (!literal_bits(t, &bits))
            return false;
        text_printf(w->out, "%" PRIu64 "%s", bits, suffix(t->sort->width));
        return true;
    case TERM_VAR:
        return write_variable(w, t);
    case TERM_BV_ADD:
        return write_operation(w, t, "+");
    case TERM_BV_MUL:
        return write_operation(w, t, "*");
    case TERM_BV_AND:
        return write_operation(w, t, "&");
    case TERM_BV_OR:
        return write_operation(w, t, "|");
    case TERM_BV_XOR:
        return write_operation(w, t, "^");
    case TERM_BV_NOT:
        return write_prefix(w, t, "~");
    case TERM_BV_NEG:
        return write_prefix(w, t, "-");
    case TERM_BV_SHL:
        return write_by_literal(w, t, "<<");
    case TERM_BV_LSHR:
        return write_by_literal(w, t, ">>");
    case TERM_BV_UDIV:
        return write_by_literal(w, t, "/");
    case TERM_BV_UREM:
        return write_by_literal(w, t, "%");
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return write_extended(w, t);
    case TERM_BV_EXTRACT:
        return write_extract(w, t);
    case TERM_ITE:
        return write_choice(w, t, write_bits);
    default:
        return false;
    }
}

static bool write_relation(struct writer *w, const struct term *t, const char *operator)
{
    bool sign = t->kind == TERM_BV_SLT || t->kind == TERM_BV_SLE;
    bool truth = t->child[0]->sort->kind == SORT_BOOL;
    text_add_char(w->out, '(');
    for (uint32_t i = 0; i < 2; i++) {
        if (i > 0)
            text_printf(w->out, " %s ", operator);
        bool good = truth  ? write_truth(w, t->child[i])
                    : sign ? write_signed(w, t->child[i])
                           : write_bits(w, t->child[i]);
        if (!good)
            return false;
    }
    text_add_char(w->out, ')');
    return true;
}

static bool write_list(struct writer *w, const struct term *t, const char *operator)
{
    text_add_char(w->out, '(');
    for (uint32_t i = 0; i < t->child_count; i++) {
        if (i > 0)
            text_printf(w->out, " %s ", operator);
        if (!write_truth(w, t->child[i]))
            return false;
    }
    text_add_char(w->out, ')');
    return true;
}

static bool write_truth(struct writer *w, const struct term *t)
{
    switch (t->kind) {
    case TERM_BOOL:
        text_add_char(w->out, value_is_true(term_value(t)) ? '1' : '0');
        return true;
    case TERM_NOT:
        text_add_char(w->out, '!');
        return write_truth(w, t->child[0]);
    case TERM_AND:
        return write_list(w, t, "&&");
    case TERM_OR:
        return write_list(w, t, "||");
    case TERM_EQ:
        return write_relation(w, t, "==");
    case TERM_BV_ULT:
    case TERM_BV_SLT:
        return write_relation(w, t, "<");
    case TERM_BV_ULE:
    case TERM_BV_SLE:
        return write_relation(w, t, "<=");
    case TERM_ITE:
        return write_choice(w, t, write_truth);
    default:
        return false;
    }
}

bool witness_formula(struct text *out, const struct witness_scope *scope, const struct term *term)
{
    struct writer w = {out, scope};
    size_t before = out->length;
    if (term->tree_size <= LARGEST_TERM && write_truth(&w, term))
        return true;
    out->length = before;
    if (out->data != NULL)
        out->data[before] = '\0';
    return false;
}
