#include "model/ranges.h"

#include <assert.h>

#define DEEPEST 24  // of terms that are looked into
#define LARGEST 300 // of these, in nodes as trees

static uint64_t all_ones(uint32_t width)
{
    assert(width >= 1 && width <= RANGE_WIDEST);
    return UINT64_MAX >> (64 - width);
}

static int64_t greatest(uint32_t width)
{
    return (int64_t)(all_ones(width) >> 1);
}

static int64_t with_sign(uint64_t number, uint32_t width)
{
    return (int64_t)(number << (64 - width)) >> (64 - width);
}

bool range_is_for(const struct sort *sort)
{
    return sort->kind == SORT_BV && sort->width <= RANGE_WIDEST;
}

struct range range_any(uint32_t width)
{
    return (struct range){-greatest(width) - 1, greatest(width), 0, all_ones(width)};
}

bool range_is_any(const struct range *r, uint32_t width)
{
    return r->least == 0 && r->most == all_ones(width) && r->low == -greatest(width) - 1 &&
           r->high == greatest(width);
}

bool range_is_one(const struct range *r)
{
    return r->least == r->most;
}

// Each reading bounds the other. False: no number is left.
static bool settle(struct range *r, uint32_t width)
{
    const uint64_t mask = all_ones(width);
    for (int round = 0; round < 2; round++) {
        if (r->low > r->high || r->least > r->most)
            return false;
        if (r->low >= 0 || r->high < 0) { // in one order both ways
            const uint64_t least = (uint64_t)r->low & mask, most = (uint64_t)r->high & mask;
            r->least = least > r->least ? least : r->least;
            r->most = most < r->most ? most : r->most;
        }
        if (r->least > r->most)
            return false;
        if (r->most <= mask >> 1 || r->least > mask >> 1) {
            const int64_t low = with_sign(r->least, width), high = with_sign(r->most, width);
            r->low = low > r->low ? low : r->low;
            r->high = high < r->high ? high : r->high;
        }
    }
    return r->low <= r->high;
}

bool range_meet(struct range *r, const struct range *with, uint32_t width)
{
    r->low = with->low > r->low ? with->low : r->low;
    r->high = with->high < r->high ? with->high : r->high;
    r->least = with->least > r->least ? with->least : r->least;
    r->most = with->most < r->most ? with->most : r->most;
    return settle(r, width);
}

void range_join(struct range *r, const struct range *with)
{
    r->low = with->low < r->low ? with->low : r->low;
    r->high = with->high > r->high ? with->high : r->high;
    r->least = with->least < r->least ? with->least : r->least;
    r->most = with->most > r->most ? with->most : r->most;
}

static struct range signed_range(__int128 low, __int128 high, uint32_t width)
{
    struct range r = range_any(width);
    if (low >= r.low && high <= r.high && low <= high) {
        r.low = (int64_t)low;
        r.high = (int64_t)high;
        (void)settle(&r, width);
    }
    return r;
}

static struct range unsigned_range(unsigned __int128 least, unsigned __int128 most, uint32_t width)
{
    struct range r = range_any(width);
    if (most <= r.most && least <= most) {
        r.least = (uint64_t)least;
        r.most = (uint64_t)most;
        (void)settle(&r, width);
    }
    return r;
}

static struct range of_word(const struct range_view *view, const struct term *t, unsigned depth);

static struct range of_sum(const struct range *a, const struct range *b, uint32_t width)
{
    struct range r = signed_range((__int128)a->low + b->low, (__int128)a->high + b->high, width);
    const struct range other = unsigned_range((unsigned __int128)a->least + b->least,
                                              (unsigned __int128)a->most + b->most, width);
    (void)range_meet(&r, &other, width);
    return r;
}

static struct range of_product(const struct range *a, const struct range *b, uint32_t width)
{
    if (a->low >= 0 && b->low >= 0) {
        struct range r =
            signed_range((__int128)a->low * b->low, (__int128)a->high * b->high, width);
        if (!range_is_any(&r, width))
            return r;
    }
    return unsigned_range((unsigned __int128)a->least * b->least,
                          (unsigned __int128)a->most * b->most, width);
}

// By a literal that is not 0.
static struct range of_quotient(enum term_kind kind, const struct range *a, const struct range *by,
                                uint32_t width)
{
    const uint64_t n = by->least;
    if (kind == TERM_BV_UDIV)
        return unsigned_range(a->least / n, a->most / n, width);
    if (kind == TERM_BV_UREM)
        return a->most < n ? *a : unsigned_range(0, a->most < n ? a->most : n - 1, width);
    const int64_t m = by->low;
    if (m <= 0)
        return range_any(width);
    if (kind == TERM_BV_SDIV)
        return signed_range(a->low / m, a->high / m, width);
    const int64_t low = a->low >= 0 ? 0 : a->low > -m ? a->low : 1 - m;
    const int64_t high = a->high <= 0 ? 0 : a->high < m ? a->high : m - 1;
    return signed_range(low, high, width);
}

static struct range of_shift(enum term_kind kind, const struct range *a, const struct range *by,
                             uint32_t width)
{
    if (by->least >= width)
        return range_any(width);
    if (kind == TERM_BV_LSHR)
        return unsigned_range(a->least >> by->least, a->most >> by->least, width);
    if (kind == TERM_BV_ASHR)
        return signed_range(a->low >> by->least, a->high >> by->least, width);
    return unsigned_range((unsigned __int128)a->least << by->least,
                          (unsigned __int128)a->most << by->least, width);
}

static struct range of_two(const struct range_view *view, const struct term *t, unsigned depth)
{
    const uint32_t width = t->sort->width;
    const struct range a = of_word(view, t->child[0], depth), b = of_word(view, t->child[1], depth);
    switch (t->kind) {
    case TERM_BV_ADD:
        return of_sum(&a, &b, width);
    case TERM_BV_MUL:
        return of_product(&a, &b, width);
    case TERM_BV_AND:
        return unsigned_range(0, a.most < b.most ? a.most : b.most, width);
    case TERM_BV_UDIV:
    case TERM_BV_SDIV:
    case TERM_BV_UREM:
    case TERM_BV_SREM:
        return range_is_one(&b) && b.least != 0 ? of_quotient(t->kind, &a, &b, width)
                                                : range_any(width);
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
        return range_is_one(&b) ? of_shift(t->kind, &a, &b, width) : range_any(width);
    default:
        return range_any(width);
    }
}

static struct range of_word(const struct range_view *view, const struct term *t, unsigned depth)
{
    const uint32_t width = t->sort->width;
    assert(range_is_for(t->sort));
    if (t->kind == TERM_BV) {
        const uint64_t number = term_bv_number(t);
        const int64_t sign = with_sign(number, width);
        return (struct range){sign, sign, number, number};
    }
    if (t->kind == TERM_VAR) {
        const struct range *known = view->look(view->context, t);
        return known != NULL ? *known : range_any(width);
    }
    if (depth == 0 || t->child_count == 0 || t->child_count > 3)
        return range_any(width);
    const struct term *inner = t->child[0];
    if (t->kind == TERM_ITE) {
        const int holds = range_decide(view, inner);
        if (holds != 0)
            return of_word(view, t->child[holds > 0 ? 1 : 2], depth - 1);
        struct range r = of_word(view, t->child[1], depth - 1);
        const struct range other = of_word(view, t->child[2], depth - 1);
        range_join(&r, &other);
        return r;
    }
    if (t->child_count == 2 && range_is_for(inner->sort) && range_is_for(t->child[1]->sort) &&
        inner->sort == t->sort)
        return of_two(view, t, depth - 1);
    if (t->child_count != 1 || !range_is_for(inner->sort))
        return range_any(width);
    const struct range r = of_word(view, inner, depth - 1);
    if (t->kind == TERM_BV_ZEXT)
        return unsigned_range(r.least, r.most, width);
    if (t->kind == TERM_BV_SEXT) {
        struct range out = signed_range(r.low, r.high, width);
        const struct range other = unsigned_range(r.least, all_ones(width), width);
        (void)range_meet(&out, &other, width);
        return out;
    }
    if (t->kind == TERM_BV_EXTRACT && t->u.extract.low == 0) {
        struct range out = signed_range(r.low, r.high, width), other = range_any(width);
        // Where nothing is cut off only 0 becomes 0.
        if (r.low >= other.low && r.high <= other.high)
            other.least = r.least > 0;
        (void)range_meet(&out, &other, width);
        other = unsigned_range(r.least, r.most, width);
        (void)range_meet(&out, &other, width);
        return out;
    }
    return range_any(width);
}

struct range range_of(const struct range_view *view, const struct term *word)
{
    return word->tree_size > LARGEST ? range_any(word->sort->width) : of_word(view, word, DEEPEST);
}

// Conditions.

static int decide_order(enum term_kind kind, const struct range *a, const struct range *b)
{
    switch (kind) {
    case TERM_BV_SLT:
        return a->high < b->low ? 1 : a->low >= b->high ? -1 : 0;
    case TERM_BV_SLE:
        return a->high <= b->low ? 1 : a->low > b->high ? -1 : 0;
    case TERM_BV_ULT:
        return a->most < b->least ? 1 : a->least >= b->most ? -1 : 0;
    case TERM_BV_ULE:
        return a->most <= b->least ? 1 : a->least > b->most ? -1 : 0;
    default:
        return a->least > b->most || b->least > a->most || a->low > b->high || b->low > a->high ? -1
               : range_is_one(a) && range_is_one(b) && a->least == b->least                     ? 1
                                                                                                : 0;
    }
}

static bool compares(const struct term *t)
{
    return ((t->kind >= TERM_BV_ULT && t->kind <= TERM_BV_SLE) || t->kind == TERM_EQ) &&
           range_is_for(t->child[0]->sort) && t->tree_size <= LARGEST;
}

int range_decide(const struct range_view *view, const struct term *t)
{
    if (t->kind == TERM_BOOL)
        return term_is_true(t) ? 1 : -1;
    if (t->kind == TERM_NOT)
        return -range_decide(view, t->child[0]);
    if (t->kind == TERM_AND || t->kind == TERM_OR) {
        const int settles = t->kind == TERM_AND ? -1 : 1; // one of the parts does
        int all = -settles;
        for (uint32_t i = 0; i < t->child_count; i++) {
            const int one = range_decide(view, t->child[i]);
            if (one == settles)
                return settles;
            all = one == 0 ? 0 : all;
        }
        return all;
    }
    if (!compares(t))
        return 0;
    const struct range a = range_of(view, t->child[0]), b = range_of(view, t->child[1]);
    return decide_order(t->kind, &a, &b);
}

static bool narrow_word(const struct range_view *view, const struct term *t, struct range r,
                        unsigned depth);

// A product that does not wrap, with a literal, lies in the range.
static bool narrow_factor(const struct range_view *view, const struct term *t, struct range r,
                          unsigned depth)
{
    const uint32_t width = t->sort->width;
    const uint64_t most = all_ones(width);
    for (int k = 0; k < 2; k++) {
        const struct range by = range_of(view, t->child[k]), of = range_of(view, t->child[1 - k]);
        struct range inner = range_any(width);
        if (!range_is_one(&by) || by.least == 0 || of.most > most / by.least)
            continue;
        inner.least = r.least / by.least + (r.least % by.least != 0);
        inner.most = r.most / by.least;
        return settle(&inner, width) && narrow_word(view, t->child[1 - k], inner, depth - 1);
    }
    return true;
}

// The word lies in the range.
static bool narrow_word(const struct range_view *view, const struct term *t, struct range r,
                        unsigned depth)
{
    if (t->kind == TERM_VAR)
        return view->narrow(view->context, t, &r);
    if (depth == 0 || term_is_literal(t))
        return true;
    const struct range own = range_of(view, t);
    if (!range_meet(&r, &own, t->sort->width))
        return false;
    if (t->kind == TERM_BV_ZEXT || t->kind == TERM_BV_SEXT) {
        const uint32_t width = t->child[0]->sort->width;
        struct range inner = range_any(width);
        if (t->kind == TERM_BV_ZEXT) {
            inner.least = r.least;
            inner.most = r.most < inner.most ? r.most : inner.most;
        } else {
            inner.low = r.low > inner.low ? r.low : inner.low;
            inner.high = r.high < inner.high ? r.high : inner.high;
        }
        return settle(&inner, width) && narrow_word(view, t->child[0], inner, depth - 1);
    }
    if (t->kind == TERM_BV_MUL && t->child_count == 2)
        return narrow_factor(view, t, r, depth);
    if (t->kind == TERM_BV_ADD && t->child_count == 2) {
        for (int k = 0; k < 2; k++) {
            const struct range by = range_of(view, t->child[k]),
                               of = range_of(view, t->child[1 - k]);
            struct range sum = range_any(t->sort->width), inner = sum;
            // With a sign, where the sum does not wrap.
            if (!range_is_one(&by) || (__int128)of.low + by.low < sum.low ||
                (__int128)of.high + by.low > sum.high)
                continue;
            const __int128 low = (__int128)r.low - by.low, high = (__int128)r.high - by.low;
            inner.low = low > inner.low ? (int64_t)low : inner.low;
            inner.high = high < inner.high ? (int64_t)high : inner.high;
            if (low > sum.high || high < sum.low)
                return false;
            return settle(&inner, t->sort->width) &&
                   narrow_word(view, t->child[1 - k], inner, depth - 1);
        }
    }
    return true;
}

// a < b, or a <= b.
static bool suppose_order(const struct range_view *view, const struct term *a, const struct term *b,
                          bool sign, bool strict)
{
    const uint32_t width = a->sort->width;
    struct range low = range_of(view, a), high = range_of(view, b), below = range_any(width),
                 above = below;
    if (sign) {
        if (strict && (high.high == below.low || low.low == below.high))
            return false;
        below.high = high.high - strict;
        above.low = low.low + strict;
    } else {
        if (strict && (high.most == 0 || low.least == below.most))
            return false;
        below.most = high.most - strict;
        above.least = low.least + strict;
    }
    return settle(&below, width) && settle(&above, width) && narrow_word(view, a, below, DEEPEST) &&
           narrow_word(view, b, above, DEEPEST);
}

// A number at the end of a range that is not in it.
static void leave_out(struct range *r, uint64_t number, uint32_t width)
{
    const int64_t sign = with_sign(number, width);
    if (range_is_one(r))
        return;
    r->least += r->least == number;
    r->most -= r->most == number;
    r->low += r->low == sign;
    r->high -= r->high == sign;
}

static bool suppose_equal(const struct range_view *view, const struct term *a, const struct term *b,
                          bool holds)
{
    const uint32_t width = a->sort->width;
    struct range x = range_of(view, a), y = range_of(view, b);
    if (holds)
        return range_meet(&x, &y, width) && narrow_word(view, a, x, DEEPEST) &&
               narrow_word(view, b, x, DEEPEST);
    if (range_is_one(&x) && range_is_one(&y))
        return x.least != y.least;
    if (range_is_one(&y)) {
        leave_out(&x, y.least, width);
        return settle(&x, width) && narrow_word(view, a, x, DEEPEST);
    }
    if (range_is_one(&x)) {
        leave_out(&y, x.least, width);
        return settle(&y, width) && narrow_word(view, b, y, DEEPEST);
    }
    return true;
}

bool range_suppose(const struct range_view *view, const struct term *t, bool holds)
{
    if (t->kind == TERM_NOT)
        return range_suppose(view, t->child[0], !holds);
    if (t->kind == (holds ? TERM_AND : TERM_OR)) {
        for (uint32_t i = 0; i < t->child_count; i++)
            if (!range_suppose(view, t->child[i], holds))
                return false;
        return true;
    }
    if (!compares(t))
        return true;
    if (t->kind == TERM_EQ)
        return suppose_equal(view, t->child[0], t->child[1], holds);
    const bool sign = t->kind == TERM_BV_SLT || t->kind == TERM_BV_SLE;
    const bool strict = (t->kind == TERM_BV_SLT || t->kind == TERM_BV_ULT) == holds;
    return suppose_order(view, t->child[holds ? 0 : 1], t->child[holds ? 1 : 0], sign, strict);
}
