#include <assert.h>
#include <stdlib.h>

#include "logic/terms/bits.h"
#include "logic/terms/store.h"

static const struct term *literal(struct term_store *store, const struct sort *sort,
                                  struct value value)
{
    return term_of_value(store, sort, value);
}

static bool is_zero(const struct term *a)
{
    return a->kind == TERM_BV && value_equal(a->u.value, value_small(0))
               ? true
               : a->kind == TERM_BV && !value_is_small(a->u.value) && a->u.text[0] == '0';
}

static bool is_one(const struct term *a)
{
    return a->kind == TERM_BV &&
           (value_is_small(a->u.value) ? value_equal(a->u.value, value_small(1))
                                       : a->u.text[0] == '1' && a->u.text[1] == '\0');
}

static bool is_ones(const struct term *a)
{
    return a->kind == TERM_BV && bits_is_ones(a->sort->width, term_value(a));
}

uint64_t term_bv_number(const struct term *literal)
{
    assert(literal->kind == TERM_BV && literal->sort->width <= 64);
    return value_is_small(literal->u.value) ? (uint64_t)value_small_get(literal->u.value)
                                            : strtoull(literal->u.text, NULL, 10);
}

const struct term *term_bv_unary(struct term_store *store, enum term_kind kind,
                                 const struct term *a)
{
    assert(a->sort->kind == SORT_BV && (kind == TERM_BV_NOT || kind == TERM_BV_NEG));
    if (a->kind == TERM_BV)
        return literal(store, a->sort, bits_unary(store, kind, a->sort->width, term_value(a)));
    if (a->kind == kind)
        return a->child[0];
    return store_make1(store, kind, a->sort, a);
}

static bool is_commutative(enum term_kind kind)
{
    return (kind >= TERM_BV_AND && kind <= TERM_BV_MUL);
}

// Put together of something and a literal below it.
static bool ends_in_literal(const struct term *a)
{
    return a->kind == TERM_BV_CONCAT && a->child[1]->kind == TERM_BV;
}

struct cut {
    const struct term *high, *low;
};

static struct cut cut_at(struct term_store *store, const struct term *literal, uint32_t border)
{
    return (struct cut){term_bv_extract(store, literal, literal->sort->width - 1, border),
                        term_bv_extract(store, literal, border - 1, 0)};
}

// The carry from below is known.
static const struct term *add_above(struct term_store *store, const struct term *a,
                                    const struct term *b)
{
    const struct term *low = a->child[1];
    struct cut cut = cut_at(store, b, low->sort->width);
    const struct term *sum = term_bv_binary(store, TERM_BV_ADD, low, cut.low);
    const struct term *high = term_bv_binary(store, TERM_BV_ADD, a->child[0], cut.high);
    if (bits_holds(TERM_BV_ULT, low->sort->width, term_value(sum), term_value(low)))
        high = term_bv_binary(store, TERM_BV_ADD, high, term_bv(store, high->sort->width, 1));
    return term_bv_binary(store, TERM_BV_CONCAT, high, sum);
}

// A remainder, what was divided, and what by: numbers without sign. The remainder by zero is the dividend. NULL: they are not these.
static const struct term *with_remainder(struct term_store *store, const struct term *a,
                                         const struct term *b)
{
    if (a->kind == TERM_BV_UREM && a->child[0] == b)
        return store->truth[1];
    if (b->kind == TERM_BV_UREM && b->child[1] == a)
        return term_eq(store, a, term_bv(store, a->sort->width, 0));
    return NULL;
}

// Comparisons: `a < b` is "not b <= a"; a literal stands on the right of <=.
static const struct term *compare(struct term_store *store, enum term_kind kind,
                                  const struct term *a, const struct term *b)
{
    bool is_signed = kind == TERM_BV_SLT || kind == TERM_BV_SLE;
    enum term_kind le = is_signed ? TERM_BV_SLE : TERM_BV_ULE;
    uint32_t width = a->sort->width;
    if (a->kind == TERM_BV && b->kind == TERM_BV)
        return term_bool(store, bits_holds(kind, width, term_value(a), term_value(b)));
    if (kind == TERM_BV_ULT || kind == TERM_BV_SLT)
        return term_not(store, compare(store, le, b, a));
    if (a == b)
        return store->truth[1];
    struct value top = bits_ones(store, width); // the greatest number
    if (is_signed)
        top = bits_binary(store, TERM_BV_LSHR, width, top, term_value(term_bv(store, width, 1)));
    struct value bottom = is_signed ? bits_unary(store, TERM_BV_NOT, width, top)
                                    : term_value(term_bv(store, width, 0));
    struct value minus_one = bits_ones(store, width);
    if (a->kind == TERM_BV) {
        if (value_equal(term_value(a), bottom))
            return store->truth[1];
        struct value below = bits_binary(store, TERM_BV_ADD, width, term_value(a), minus_one);
        return term_not(store, compare(store, le, b, literal(store, a->sort, below)));
    }
    if (b->kind == TERM_BV) {
        if (value_equal(term_value(b), top))
            return store->truth[1];
        if (value_equal(term_value(b), bottom))
            return term_eq(store, a, b);
        struct value almost = bits_binary(store, TERM_BV_ADD, width, top, minus_one);
        if (value_equal(term_value(b), almost))
            return term_not(store, term_eq(store, a, literal(store, a->sort, top)));
        if (ends_in_literal(a)) {
            struct cut cut = cut_at(store, b, a->child[1]->sort->width);
            bool below = bits_holds(TERM_BV_ULE, a->child[1]->sort->width, term_value(a->child[1]),
                                    term_value(cut.low));
            return below ? compare(store, le, a->child[0], cut.high)
                         : compare(store, is_signed ? TERM_BV_SLT : TERM_BV_ULT, a->child[0],
                                   cut.high);
        }
    }
    const struct term *simpler = is_signed ? NULL : with_remainder(store, a, b);
    return simpler != NULL ? simpler : store_make2(store, le, store->bool_sort, a, b);
}

// Rules with equal or opposite sides. NULL when none fits.
static const struct term *with_itself(struct term_store *store, enum term_kind kind,
                                      const struct term *a, const struct term *b)
{
    const struct term *zero = term_bv(store, a->sort->width, 0);
    if (a == b) {
        if (kind == TERM_BV_AND || kind == TERM_BV_OR)
            return a;
        if (kind == TERM_BV_XOR || kind == TERM_BV_UREM || kind == TERM_BV_SREM ||
            kind == TERM_BV_SMOD) // the remainder by zero is the dividend, here zero
            return zero;
        return NULL;
    }
    bool complements = (a->kind == TERM_BV_NOT && a->child[0] == b) ||
                       (b->kind == TERM_BV_NOT && b->child[0] == a);
    bool opposites = (a->kind == TERM_BV_NEG && a->child[0] == b) ||
                     (b->kind == TERM_BV_NEG && b->child[0] == a);
    if (complements && kind == TERM_BV_AND)
        return zero;
    if (complements && (kind == TERM_BV_OR || kind == TERM_BV_XOR || kind == TERM_BV_ADD))
        return term_bv_unary(store, TERM_BV_NOT, zero);
    return opposites && kind == TERM_BV_ADD ? zero : NULL;
}

// b is a literal on the right. NULL when no rule fits.
static const struct term *with_literal(struct term_store *store, enum term_kind kind,
                                       const struct term *a, const struct term *b)
{
    uint32_t width = a->sort->width;
    switch (kind) {
    case TERM_BV_AND:
        return is_zero(b) ? b : is_ones(b) ? a : NULL;
    case TERM_BV_OR:
        return is_zero(b) ? a : is_ones(b) ? b : NULL;
    case TERM_BV_XOR:
        return is_zero(b) ? a : is_ones(b) ? term_bv_unary(store, TERM_BV_NOT, a) : NULL;
    case TERM_BV_ADD:
        return is_zero(b) ? a : ends_in_literal(a) ? add_above(store, a, b) : NULL;
    case TERM_BV_MUL:
        return is_zero(b)   ? b
               : is_one(b)  ? a
               : is_ones(b) ? term_bv_unary(store, TERM_BV_NEG, a)
                            : NULL;
    case TERM_BV_UDIV:
        return is_zero(b) ? literal(store, a->sort, bits_ones(store, width)) : is_one(b) ? a : NULL;
    case TERM_BV_SDIV:
        // In one bit the literal 1 is the number -1.
        return is_one(b) && width > 1 ? a : NULL;
    case TERM_BV_UREM:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
        return is_zero(b) ? a : is_one(b) && width > 1 ? term_bv(store, width, 0) : NULL;
    default: // shifts and rotations
        return is_zero(b) ? a : NULL;
    }
}

// (x op c) op d = x op (c op d), for the associative and commutative operators.
static const struct term *merge_literals(struct term_store *store, enum term_kind kind,
                                         const struct term *a, const struct term *b)
{
    if (a->kind != kind || a->child[1]->kind != TERM_BV || !is_commutative(kind))
        return NULL;
    return term_bv_binary(store, kind, a->child[0], term_bv_binary(store, kind, a->child[1], b));
}

static const struct term *concat(struct term_store *store, const struct term *a,
                                 const struct term *b)
{
    uint32_t width = a->sort->width + b->sort->width;
    const struct sort *sort = sort_bv(store, width);
    if (a->kind == TERM_BV && b->kind == TERM_BV)
        return literal(
            store, sort,
            bits_concat(store, a->sort->width, term_value(a), b->sort->width, term_value(b)));
    if (a->kind == TERM_BV_EXTRACT && b->kind == TERM_BV_EXTRACT && a->child[0] == b->child[0] &&
        a->u.extract.low == b->u.extract.high + 1)
        return term_bv_extract(store, a->child[0], a->u.extract.high, b->u.extract.low);
    return store_make2(store, TERM_BV_CONCAT, sort, a, b);
}

// A quotient times what it was divided by, and how much less than the dividend that is: the dividend also where it is divided by zero.
static const struct term *quotient_times(const struct term *product)
{
    for (int k = 0; product->kind == TERM_BV_MUL && k < 2; k++) {
        const struct term *q = product->child[k];
        if ((q->kind == TERM_BV_UDIV || q->kind == TERM_BV_SDIV) &&
            q->child[1] == product->child[1 - k])
            return q;
    }
    return NULL;
}

// x / y * y + x % y is x, x - x / y * y is x % y. NULL when it is neither.
static const struct term *with_quotient(struct term_store *store, const struct term *a,
                                        const struct term *b)
{
    const struct term *q = quotient_times(b->kind == TERM_BV_NEG ? b->child[0] : b);
    if (q == NULL)
        return NULL;
    const enum term_kind rest = q->kind == TERM_BV_UDIV ? TERM_BV_UREM : TERM_BV_SREM;
    if (b->kind == TERM_BV_NEG)
        return a == q->child[0] ? term_bv_binary(store, rest, a, q->child[1]) : NULL;
    const bool fits = a->kind == rest && a->child[0] == q->child[0] && a->child[1] == q->child[1];
    return fits ? q->child[0] : NULL;
}

static const struct term *operation(struct term_store *store, enum term_kind kind,
                                    const struct term *a, const struct term *b)
{
    if (a->kind == TERM_BV && b->kind == TERM_BV)
        return literal(store, a->sort,
                       bits_binary(store, kind, a->sort->width, term_value(a), term_value(b)));
    if (is_commutative(kind) &&
        (a->kind == TERM_BV || (b->kind != TERM_BV && store_compare(b, a) < 0))) {
        const struct term *swap = a;
        a = b;
        b = swap;
    }
    const struct term *simpler = with_itself(store, kind, a, b);
    if (simpler == NULL && b->kind == TERM_BV) {
        simpler = with_literal(store, kind, a, b);
        if (simpler == NULL)
            simpler = merge_literals(store, kind, a, b);
    }
    if (simpler == NULL && kind == TERM_BV_ADD) {
        simpler = with_quotient(store, a, b);
        if (simpler == NULL)
            simpler = with_quotient(store, b, a);
    }
    return simpler != NULL ? simpler : store_make2(store, kind, a->sort, a, b);
}

const struct term *term_bv_binary(struct term_store *store, enum term_kind kind,
                                  const struct term *a, const struct term *b)
{
    assert(a->sort->kind == SORT_BV && b->sort->kind == SORT_BV);
    assert(kind >= TERM_BV_AND && kind <= TERM_BV_CONCAT);
    if (kind == TERM_BV_CONCAT)
        return concat(store, a, b);
    assert(a->sort == b->sort);
    return kind >= TERM_BV_ULT ? compare(store, kind, a, b) : operation(store, kind, a, b);
}

// Bits of an extension or concatenation that lie in one part. NULL when they do not.
static const struct term *extract_part(struct term_store *store, const struct term *a,
                                       uint32_t high, uint32_t low)
{
    if (a->kind == TERM_BV_EXTRACT)
        return term_bv_extract(store, a->child[0], a->u.extract.low + high, a->u.extract.low + low);
    if (a->kind == TERM_BV_CONCAT) {
        uint32_t border = a->child[1]->sort->width;
        if (high < border)
            return term_bv_extract(store, a->child[1], high, low);
        if (low >= border)
            return term_bv_extract(store, a->child[0], high - border, low - border);
    }
    if (a->kind == TERM_BV_ZEXT || a->kind == TERM_BV_SEXT) {
        uint32_t border = a->child[0]->sort->width;
        if (high < border)
            return term_bv_extract(store, a->child[0], high, low);
        if (low >= border && a->kind == TERM_BV_ZEXT)
            return term_bv(store, high - low + 1, 0);
    }
    return NULL;
}

const struct term *term_bv_extract(struct term_store *store, const struct term *a, uint32_t high,
                                   uint32_t low)
{
    assert(a->sort->kind == SORT_BV && low <= high && high < a->sort->width);
    if (low == 0 && high + 1 == a->sort->width)
        return a;
    const struct sort *sort = sort_bv(store, high - low + 1);
    if (a->kind == TERM_BV)
        return literal(store, sort, bits_extract(store, term_value(a), high, low));
    const struct term *part = extract_part(store, a, high, low);
    if (part != NULL)
        return part;
    struct term head = {.kind = TERM_BV_EXTRACT, .sort = sort};
    head.u.extract.high = high;
    head.u.extract.low = low;
    return store_intern(store, &head, &a, 1);
}

const struct term *term_bv_extend(struct term_store *store, enum term_kind kind,
                                  const struct term *a, uint32_t width)
{
    assert((kind == TERM_BV_ZEXT || kind == TERM_BV_SEXT) && a->sort->kind == SORT_BV);
    assert(width >= a->sort->width);
    if (width == a->sort->width)
        return a;
    const struct sort *sort = sort_bv(store, width);
    if (a->kind == TERM_BV)
        return literal(store, sort, bits_extend(store, kind, a->sort->width, term_value(a), width));
    // An extended vector has a zero in front when zeros were added.
    if (a->kind == kind || a->kind == TERM_BV_ZEXT)
        return term_bv_extend(store, a->kind, a->child[0], width);
    return store_make1(store, kind, sort, a);
}

const struct term *bits_eq_literal(struct term_store *store, const struct term *a,
                                   const struct term *b)
{
    switch (a->kind) {
    case TERM_BV_NOT:
    case TERM_BV_NEG:
        return term_eq(store, a->child[0], term_bv_unary(store, a->kind, b));
    case TERM_BV_ADD:
        if (a->child[1]->kind != TERM_BV)
            return NULL;
        return term_eq(
            store, a->child[0],
            term_bv_binary(store, TERM_BV_ADD, b, term_bv_unary(store, TERM_BV_NEG, a->child[1])));
    case TERM_BV_XOR:
        if (a->child[1]->kind != TERM_BV)
            return NULL;
        return term_eq(store, a->child[0], term_bv_binary(store, TERM_BV_XOR, b, a->child[1]));
    case TERM_BV_CONCAT: {
        uint32_t border = a->child[1]->sort->width;
        return term_and2(
            store,
            term_eq(store, a->child[0], term_bv_extract(store, b, b->sort->width - 1, border)),
            term_eq(store, a->child[1], term_bv_extract(store, b, border - 1, 0)));
    }
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT: {
        const struct term *inner = a->child[0];
        const struct term *low = term_bv_extract(store, b, inner->sort->width - 1, 0);
        if (term_bv_extend(store, a->kind, low, b->sort->width) != b)
            return store->truth[0];
        return term_eq(store, inner, low);
    }
    default:
        return NULL;
    }
}
