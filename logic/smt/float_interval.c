#include "logic/smt/float_interval.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// x87 would compute with more digits than the format has.
static_assert(FLT_EVAL_METHOD == 0, "floats are computed in their own format");

enum { EQUAL = 1, GREATER = 2, LESS = 4, UNORDERED = 8 };

static const uint64_t SIGN = (uint64_t)1 << 63;

struct float_interval float_interval_any(void)
{
    return (struct float_interval){-INFINITY, INFINITY, true};
}

struct float_interval float_interval_none(void)
{
    return (struct float_interval){INFINITY, -INFINITY, false};
}

static bool has_numbers(struct float_interval a)
{
    return a.low <= a.high;
}

bool float_interval_is_empty(struct float_interval a)
{
    return !has_numbers(a) && !a.nan;
}

static bool has(struct float_interval a, double number)
{
    return a.low <= number && number <= a.high;
}

static bool has_infinity(struct float_interval a)
{
    return has(a, INFINITY) || has(a, -INFINITY);
}

static double from_bits(uint32_t bits, uint64_t pattern)
{
    if (bits == 32) {
        uint32_t narrow = (uint32_t)pattern;
        float f;
        memcpy(&f, &narrow, sizeof f);
        return (double)f;
    }
    double d;
    memcpy(&d, &pattern, sizeof d);
    return d;
}

uint64_t float_interval_bits(uint32_t bits, double number)
{
    uint64_t pattern;
    uint32_t narrow_pattern;
    float narrow = (float)number;
    memcpy(&narrow_pattern, &narrow, sizeof narrow_pattern);
    memcpy(&pattern, &number, sizeof pattern);
    return bits == 32 ? narrow_pattern : pattern;
}

// Patterns ascend from 0 to infinity, then come those that are no numbers.
static struct float_interval of_half(uint32_t bits, uint64_t least, uint64_t most)
{
    const uint64_t infinity = bits == 32 ? 0x7f800000u : (uint64_t)0x7ff << 52;
    struct float_interval out = float_interval_none();
    out.nan = most > infinity;
    if (least > infinity)
        return out;
    out.low = from_bits(bits, least);
    out.high = from_bits(bits, most > infinity ? infinity : most);
    return out;
}

struct float_interval float_interval_of_bits(uint32_t bits, uint64_t least, uint64_t most)
{
    assert(bits == 32 || bits == 64);
    const uint64_t sign = bits == 32 ? 0x80000000u : SIGN;
    struct float_interval out = float_interval_none();
    if (least > most)
        return out;
    if (least < sign)
        out = of_half(bits, least, most < sign ? most : sign - 1);
    if (most >= sign)
        out = float_interval_join(out, float_interval_negative(of_half(
                                           bits, least >= sign ? least - sign : 0, most - sign)));
    return out;
}

struct float_interval float_interval_meet(struct float_interval a, struct float_interval b)
{
    return (struct float_interval){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high,
                                   a.nan && b.nan};
}

struct float_interval float_interval_join(struct float_interval a, struct float_interval b)
{
    return (struct float_interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                                   a.nan || b.nan};
}

// Arithmetic of either width, each a function of its own: gcc 12 drops conversions to float where it puts two such
// choices side by side in vectors.
#define ALONE __attribute__((noinline)) static

ALONE double rounded(uint32_t bits, double number)
{
    return bits == 32 ? (double)(float)number : number;
}

ALONE double added(uint32_t bits, double a, double b)
{
    return bits == 32 ? (double)((float)a + (float)b) : a + b;
}

ALONE double multiplied(uint32_t bits, double a, double b)
{
    return bits == 32 ? (double)((float)a * (float)b) : a * b;
}

ALONE double divided(uint32_t bits, double a, double b)
{
    return bits == 32 ? (double)((float)a / (float)b) : a / b;
}

ALONE double from_signed(uint32_t bits, int64_t number)
{
    return bits == 32 ? (double)(float)number : (double)number;
}

ALONE double from_unsigned(uint32_t bits, uint64_t number)
{
    return bits == 32 ? (double)(float)number : (double)number;
}

ALONE double next(uint32_t bits, double number, double towards)
{
    return bits == 32 ? (double)nextafterf((float)number, (float)towards)
                      : nextafter(number, towards);
}

struct float_interval float_interval_sum(uint32_t bits, struct float_interval a,
                                         struct float_interval b)
{
    struct float_interval out = float_interval_none();
    out.nan = a.nan || b.nan;
    if (!has_numbers(a) || !has_numbers(b))
        return out;
    if ((has(a, INFINITY) && has(b, -INFINITY)) || (has(a, -INFINITY) && has(b, INFINITY)))
        return float_interval_any();
    out.low = added(bits, a.low, b.low);
    out.high = added(bits, a.high, b.high);
    return out;
}

struct float_interval float_interval_zero_difference(struct float_interval a)
{
    if (!has_numbers(a))
        return a;
    return (struct float_interval){0, 0, a.nan || has_infinity(a)};
}

struct float_interval float_interval_negative(struct float_interval a)
{
    return (struct float_interval){-a.high, -a.low, a.nan};
}

struct float_interval float_interval_magnitude(struct float_interval a)
{
    if (!has_numbers(a) || a.low >= 0)
        return a;
    if (a.high <= 0)
        return float_interval_negative(a);
    return (struct float_interval){0, a.high > -a.low ? a.high : -a.low, a.nan};
}

static struct float_interval of_corners(uint32_t bits,
                                        double (*operation)(uint32_t, double, double),
                                        struct float_interval a, struct float_interval b)
{
    struct float_interval out = float_interval_none();
    out.nan = a.nan || b.nan;
    for (unsigned corner = 0; corner < 4; corner++) {
        double x = operation(bits, corner & 1 ? a.high : a.low, corner & 2 ? b.high : b.low);
        assert(!isnan(x) && "these were looked for");
        out.low = x < out.low ? x : out.low;
        out.high = x > out.high ? x : out.high;
    }
    return out;
}

struct float_interval float_interval_product(uint32_t bits, struct float_interval a,
                                             struct float_interval b, bool same)
{
    if (!has_numbers(a) || !has_numbers(b))
        return (struct float_interval){INFINITY, -INFINITY, a.nan || b.nan};
    if (same)
        a = b = float_interval_magnitude(a);
    else if ((has(a, 0) && has_infinity(b)) || (has(b, 0) && has_infinity(a)))
        return float_interval_any();
    if (same) { // no product of zero and infinity
        return (struct float_interval){multiplied(bits, a.low, a.low),
                                       multiplied(bits, a.high, a.high), a.nan};
    }
    return of_corners(bits, multiplied, a, b);
}

struct float_interval float_interval_quotient(uint32_t bits, struct float_interval a,
                                              struct float_interval b)
{
    if (!has_numbers(a) || !has_numbers(b))
        return (struct float_interval){INFINITY, -INFINITY, a.nan || b.nan};
    if (has(b, 0) || (has_infinity(a) && has_infinity(b)))
        return float_interval_any();
    return of_corners(bits, divided, a, b);
}

struct float_interval float_interval_resized(uint32_t bits, struct float_interval a)
{
    return (struct float_interval){rounded(bits, a.low), rounded(bits, a.high), a.nan};
}

struct float_interval float_interval_from_signed(uint32_t bits, int64_t least, int64_t most)
{
    return (struct float_interval){from_signed(bits, least), from_signed(bits, most), false};
}

struct float_interval float_interval_from_unsigned(uint32_t bits, uint64_t least, uint64_t most)
{
    return (struct float_interval){from_unsigned(bits, least), from_unsigned(bits, most), false};
}

unsigned float_interval_orders(struct float_interval a, struct float_interval b, bool same)
{
    unsigned out = a.nan || b.nan ? UNORDERED : 0;
    if (!has_numbers(a) || !has_numbers(b))
        return out;
    if (same)
        return out | EQUAL;
    out |= a.low < b.high ? LESS : 0;
    out |= a.high > b.low ? GREATER : 0;
    return out | (a.low <= b.high && b.low <= a.high ? EQUAL : 0);
}

// What is at most (less than, where `strict`) some member of the other.
static void bound(uint32_t bits, struct float_interval *less, struct float_interval *more,
                  bool strict)
{
    double high = more->high, low = less->low;
    if (strict) { // nothing is less than the least, nor more than the greatest
        high = high == -INFINITY ? NAN : next(bits, high, -INFINITY);
        low = low == INFINITY ? NAN : next(bits, low, INFINITY);
    }
    if (isnan(high) || isnan(low)) {
        *less = *more = float_interval_none();
        return;
    }
    less->high = less->high < high ? less->high : high;
    more->low = more->low > low ? more->low : low;
}

void float_interval_order(uint32_t bits, unsigned orders, struct float_interval *a,
                          struct float_interval *b)
{
    if (!(orders & UNORDERED))
        a->nan = b->nan = false;
    if (a->nan || b->nan)
        return;
    if (!has_numbers(*a) || !has_numbers(*b)) {
        *a = *b = float_interval_none();
        return;
    }
    switch (orders & (EQUAL | GREATER | LESS)) {
    case 0:
        *a = *b = float_interval_none();
        break;
    case EQUAL:
        *a = *b = float_interval_meet(*a, *b);
        break;
    case LESS:
    case LESS | EQUAL:
        bound(bits, a, b, !(orders & EQUAL));
        break;
    case GREATER:
    case GREATER | EQUAL:
        bound(bits, b, a, !(orders & EQUAL));
        break;
    default:
        break;
    }
}

// Classes, as LLVM numbers them.
enum {
    NO_NUMBERS = 3,
    MINUS_INFINITY = 4,
    MINUS_NORMAL = 8,
    MINUS_SMALL = 16,
    ZEROS = 32 | 64,
    PLUS_SMALL = 128,
    PLUS_NORMAL = 256,
    PLUS_INFINITY = 512,
};

uint32_t float_interval_classes(uint32_t bits, struct float_interval a)
{
    const double least = bits == 32 ? (double)FLT_MIN : DBL_MIN;
    uint32_t out = a.nan ? NO_NUMBERS : 0;
    if (!has_numbers(a))
        return out;
    out |= has(a, -INFINITY) ? MINUS_INFINITY : 0;
    out |= a.low <= -least && a.high > -INFINITY ? MINUS_NORMAL : 0;
    out |= a.low < 0 && a.high > -least ? MINUS_SMALL : 0;
    out |= has(a, 0) ? ZEROS : 0;
    out |= a.high > 0 && a.low < least ? PLUS_SMALL : 0;
    out |= a.high >= least && a.low < INFINITY ? PLUS_NORMAL : 0;
    return out | (has(a, INFINITY) ? PLUS_INFINITY : 0);
}

static double greatest(uint32_t bits)
{
    return bits == 32 ? (double)FLT_MAX : DBL_MAX;
}

struct float_interval float_interval_of_classes(uint32_t bits, struct float_interval a,
                                                uint32_t classes)
{
    if (!(classes & NO_NUMBERS))
        a.nan = false;
    if (!(classes & (MINUS_INFINITY | MINUS_NORMAL | MINUS_SMALL)) && a.low < 0)
        a.low = 0;
    if (!(classes & (PLUS_INFINITY | PLUS_NORMAL | PLUS_SMALL)) && a.high > 0)
        a.high = 0;
    if (!(classes & ~(uint32_t)NO_NUMBERS & 0x3ff)) {
        a.low = INFINITY;
        a.high = -INFINITY;
    }
    if (!(classes & MINUS_INFINITY) && a.low == -INFINITY)
        a.low = -greatest(bits);
    if (!(classes & PLUS_INFINITY) && a.high == INFINITY)
        a.high = greatest(bits);
    return a;
}

// By order: patterns of floats as numbers that ascend.
static int64_t place_of(double number)
{
    int64_t pattern;
    number += 0.0; // one zero
    memcpy(&pattern, &number, sizeof pattern);
    return pattern >= 0 ? pattern : INT64_MIN - pattern;
}

static double at_place(int64_t place)
{
    double number;
    place = place >= 0 ? place : INT64_MIN - place;
    memcpy(&number, &place, sizeof number);
    return number;
}

bool float_interval_split(uint32_t bits, struct float_interval a, struct float_interval parts[2])
{
    parts[0] = parts[1] = a;
    if (a.nan && has_numbers(a)) {
        parts[0].nan = false;
        parts[1] = (struct float_interval){INFINITY, -INFINITY, true};
        return true;
    }
    if (!has_numbers(a) || a.low == a.high)
        return false;
    double middle = a.low / 2 + a.high / 2;
    if (isinf(a.low) || isinf(a.high)) {
        double low = isinf(a.low) ? -greatest(bits) : a.low;
        double high = isinf(a.high) ? greatest(bits) : a.high;
        middle = at_place(place_of(low) / 2 + place_of(high) / 2);
    }
    middle = rounded(bits, middle);
    if (!(middle >= a.low && middle < a.high))
        middle = a.low;
    parts[0].high = middle;
    parts[1].low = next(bits, middle, INFINITY);
    return true;
}
