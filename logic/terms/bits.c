#include "logic/terms/bits.h"

#include <assert.h>
#include <string.h>

#include "logic/terms/bits_wide.h"
#include "logic/terms/store.h"

static uint64_t mask(uint32_t width)
{
    return ((uint64_t)1 << width) - 1; // width <= 60
}

static uint64_t get(struct value v)
{
    return (uint64_t)value_small_get(v);
}

static int64_t as_signed(uint32_t width, uint64_t x)
{
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (int64_t)(x ^ sign) - (int64_t)sign;
}

static uint64_t rotate_left(uint32_t width, uint64_t x, uint64_t by)
{
    by %= width;
    return by == 0 ? x : (x << by | x >> (width - by)) & mask(width);
}

static uint64_t arithmetic_shift(uint32_t width, uint64_t x, uint64_t by)
{
    return (uint64_t)(as_signed(width, x) >> (by < width ? by : width - 1));
}

// Truncating division of magnitudes with signs, as SMT-LIB defines bvsdiv, bvsrem and bvsmod; the
// cases with divisor 0 follow from bvudiv (all ones) and bvurem (the dividend).
static uint64_t signed_division(enum term_kind kind, uint32_t width, uint64_t x, uint64_t y)
{
    int64_t a = as_signed(width, x), b = as_signed(width, y);
    if (kind == TERM_BV_SDIV)
        return b == 0 ? (a < 0 ? 1 : mask(width)) : (uint64_t)(a / b);
    if (b == 0)
        return x;
    int64_t rest = a % b;
    if (kind == TERM_BV_SMOD && rest != 0 && (rest < 0) != (b < 0))
        rest += b;
    return (uint64_t)rest;
}

static uint64_t small_binary(enum term_kind kind, uint32_t width, uint64_t x, uint64_t y)
{
    switch (kind) {
    case TERM_BV_AND:
        return x & y;
    case TERM_BV_OR:
        return x | y;
    case TERM_BV_XOR:
        return x ^ y;
    case TERM_BV_ADD:
        return x + y;
    case TERM_BV_MUL:
        return x * y; // modulo 2^64, cut to the width below
    case TERM_BV_UDIV:
        return y == 0 ? mask(width) : x / y;
    case TERM_BV_UREM:
        return y == 0 ? x : x % y;
    case TERM_BV_SDIV:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
        return signed_division(kind, width, x, y);
    case TERM_BV_SHL:
        return y >= width ? 0 : x << y;
    case TERM_BV_LSHR:
        return y >= width ? 0 : x >> y;
    case TERM_BV_ASHR:
        return arithmetic_shift(width, x, y);
    case TERM_BV_ROL:
        return rotate_left(width, x, y);
    case TERM_BV_ROR:
        return rotate_left(width, x, width - y % width);
    default:
        assert(!"a binary operator on bit-vectors");
        return 0;
    }
}

struct value bits_binary(struct term_store *store, enum term_kind kind, uint32_t width,
                         struct value a, struct value b)
{
    if (width > VALUE_BV_SMALL_WIDTH)
        return bits_wide_binary(store, kind, width, a, b);
    return value_small((int64_t)(small_binary(kind, width, get(a), get(b)) & mask(width)));
}

struct value bits_unary(struct term_store *store, enum term_kind kind, uint32_t width,
                        struct value a)
{
    if (width > VALUE_BV_SMALL_WIDTH)
        return bits_wide_unary(store, kind, width, a);
    uint64_t x = kind == TERM_BV_NOT ? ~get(a) : 0 - get(a);
    return value_small((int64_t)(x & mask(width)));
}

bool bits_holds(enum term_kind kind, uint32_t width, struct value a, struct value b)
{
    if (width > VALUE_BV_SMALL_WIDTH)
        return bits_wide_holds(kind, width, a, b);
    uint64_t x = get(a), y = get(b);
    switch (kind) {
    case TERM_BV_ULT:
        return x < y;
    case TERM_BV_ULE:
        return x <= y;
    case TERM_BV_SLT:
        return as_signed(width, x) < as_signed(width, y);
    default:
        assert(kind == TERM_BV_SLE);
        return as_signed(width, x) <= as_signed(width, y);
    }
}

struct value bits_concat(struct term_store *store, uint32_t high_width, struct value high,
                         uint32_t low_width, struct value low)
{
    if (high_width + low_width > VALUE_BV_SMALL_WIDTH)
        return bits_wide_concat(store, high_width, high, low_width, low);
    return value_small((int64_t)(get(high) << low_width | get(low)));
}

struct value bits_extract(struct term_store *store, struct value a, uint32_t high, uint32_t low)
{
    uint32_t width = high - low + 1;
    if (!value_is_small(a))
        return bits_wide_extract(store, a, high, low);
    return value_small((int64_t)(get(a) >> low & mask(width)));
}

struct value bits_extend(struct term_store *store, enum term_kind kind, uint32_t old_width,
                         struct value a, uint32_t width)
{
    if (width == old_width)
        return a;
    if (width > VALUE_BV_SMALL_WIDTH)
        return bits_wide_extend(store, kind, old_width, a, width);
    uint64_t x = get(a);
    if (kind == TERM_BV_SEXT)
        x = (uint64_t)as_signed(old_width, x) & mask(width);
    return value_small((int64_t)x);
}

int bits_compare(struct value a, struct value b)
{
    if (value_equal(a, b))
        return 0;
    if (value_is_small(a)) // of one sort: both are
        return get(a) < get(b) ? -1 : 1;
    const char *x = value_pointer_get(a)->u.text, *y = value_pointer_get(b)->u.text;
    size_t n = strlen(x), m = strlen(y);
    if (n != m)
        return n < m ? -1 : 1;
    return strcmp(x, y) < 0 ? -1 : 1;
}

struct value bits_ones(struct term_store *store, uint32_t width)
{
    return bits_unary(store, TERM_BV_NOT, width, term_value(term_bv(store, width, 0)));
}

bool bits_is_ones(uint32_t width, struct value a)
{
    if (width <= VALUE_BV_SMALL_WIDTH)
        return get(a) == mask(width);
    return bits_wide_is_ones(width, a);
}
