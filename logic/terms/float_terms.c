#include "logic/terms/float_terms.h"

#include <assert.h>

#include "logic/terms/float_notes.h"

// A number is sign, exponent and significand; value = significand * 2^(exponent - (width of the significand - 1)), so the
// exponent is that of the significand's first bit, which may be 0 until the number is rounded.

struct parts {
    const struct term *sign;        // Boolean
    const struct term *field;       // the exponent's bits
    const struct term *significand; // with the hidden bit
    const struct term *exponent;    // signed, `room` bits
    const struct term *nan, *infinite, *zero;
};

// x87's format without the bit before its fraction.
#define PLAIN_X87 79

static struct float_format format_of(uint32_t bits)
{
    assert(bits == PLAIN_X87 || float_width_known(bits));
    return bits == 16   ? (struct float_format){5, 11}
           : bits == 32 ? (struct float_format){8, 24}
           : bits == 64 ? (struct float_format){11, 53}
                        : (struct float_format){15, 64};
}

static uint64_t bias_of(struct float_format f)
{
    return ((uint64_t)1 << (f.exponent - 1)) - 1;
}

static uint32_t bits_for(uint64_t number)
{
    uint32_t bits = 0;
    for (; number != 0; number >>= 1)
        bits++;
    return bits;
}

// Bits of exponents in computations: of products and of numbers below the normal ones, of which a significand of twice the
// width is normalized.
static uint32_t room(struct float_format f)
{
    uint32_t shifts = bits_for(2 * (uint64_t)f.significand + 8);
    return (f.exponent > shifts ? f.exponent : shifts) + 4;
}

// The same where an integer of that many bits comes or goes.
static uint32_t room_for(struct float_format f, uint32_t bits)
{
    uint32_t needed = bits_for(bits) + 2;
    return room(f) > needed ? room(f) : needed;
}

bool float_width_known(uint32_t bits)
{
    return bits == 16 || bits == 32 || bits == 64 || bits == 80;
}

#ifndef NDEBUG
static bool is_of(struct float_format f, const struct term *a)
{
    return f.exponent >= 2 && f.exponent <= FLOAT_MAX_EXPONENT && f.significand >= 2 &&
           a->sort->kind == SORT_BV && a->sort->width == f.exponent + f.significand;
}
#endif

static const struct term *literal(struct term_store *s, uint32_t width, uint64_t value)
{
    if (width <= 64)
        return term_bv(s, width, value);
    return term_bv_extend(s, TERM_BV_ZEXT, term_bv(s, 64, value), width);
}

static const struct term *negative(struct term_store *s, uint32_t width, uint64_t value)
{
    return term_bv_unary(s, TERM_BV_NEG, literal(s, width, value));
}

static const struct term *binary(struct term_store *s, enum term_kind kind, const struct term *a,
                                 const struct term *b)
{
    return term_bv_binary(s, kind, a, b);
}

static const struct term *subtract(struct term_store *s, const struct term *a, const struct term *b)
{
    return binary(s, TERM_BV_ADD, a, term_bv_unary(s, TERM_BV_NEG, b));
}

static const struct term *extend(struct term_store *s, const struct term *a, uint32_t width)
{
    return term_bv_extend(s, TERM_BV_ZEXT, a, width);
}

static const struct term *resize(struct term_store *s, const struct term *a, uint32_t width)
{
    return width < a->sort->width ? term_bv_extract(s, a, width - 1, 0) : extend(s, a, width);
}

static const struct term *is_zero(struct term_store *s, const struct term *a)
{
    return term_eq(s, a, literal(s, a->sort->width, 0));
}

static const struct term *is_all_ones(struct term_store *s, const struct term *a)
{
    return is_zero(s, term_bv_unary(s, TERM_BV_NOT, a));
}

static const struct term *bit(struct term_store *s, const struct term *a, uint32_t n)
{
    return term_eq(s, term_bv_extract(s, a, n, n), term_bv(s, 1, 1));
}

static const struct term *from_boolean(struct term_store *s, const struct term *a)
{
    return term_ite(s, a, term_bv(s, 1, 1), term_bv(s, 1, 0));
}

static const struct term *append_zeros(struct term_store *s, const struct term *a, uint32_t count)
{
    return count == 0 ? a : binary(s, TERM_BV_CONCAT, a, literal(s, count, 0));
}

// Terms of these formats are noted.
static bool is_plain(struct float_format f)
{
    return (f.exponent == 8 && f.significand == 24) || (f.exponent == 11 && f.significand == 53);
}

// Its bits may be looked at as those of such a format, whatever they were meant for: signs are in the same place.
static bool has_plain_width(const struct term *a)
{
    return a->sort->width == 32 || a->sort->width == 64;
}

static const struct term *noted(struct term_store *s, const struct term *term,
                                enum float_meaning meaning, uint64_t detail, const struct term *a,
                                const struct term *b)
{
    float_note_add(s, (struct float_note){term, meaning, (uint32_t)detail, a, b});
    return term;
}

static struct parts take_apart(struct term_store *s, struct float_format f, const struct term *a)
{
    struct parts p;
    uint32_t w = a->sort->width, fraction_bits = f.significand - 1;
    const struct term *fraction = term_bv_extract(s, a, fraction_bits - 1, 0);
    p.field = term_bv_extract(s, a, w - 2, fraction_bits);
    const struct term *small = is_zero(s, p.field), *large = is_all_ones(s, p.field);
    p.sign = bit(s, a, w - 1);
    p.zero = term_and2(s, small, is_zero(s, fraction));
    p.infinite = term_and2(s, large, is_zero(s, fraction));
    p.nan = term_and2(s, large, term_not(s, is_zero(s, fraction)));
    if (is_plain(f)) {
        noted(s, p.nan, FLOAT_MEANS_CLASS, FLOAT_CLASS_NAN, a, NULL);
        noted(s, p.infinite, FLOAT_MEANS_CLASS, FLOAT_CLASS_INFINITE, a, NULL);
    }
    p.significand = binary(s, TERM_BV_CONCAT, from_boolean(s, term_not(s, small)), fraction);
    const struct term *field =
        term_ite(s, small, literal(s, room(f), 1), extend(s, p.field, room(f)));
    p.exponent = binary(s, TERM_BV_ADD, field, negative(s, room(f), bias_of(f)));
    return p;
}

static const struct term *put_together(struct term_store *s, const struct term *sign,
                                       const struct term *rest)
{
    return binary(s, TERM_BV_CONCAT, from_boolean(s, sign), rest);
}

static const struct term *infinity(struct term_store *s, struct float_format f,
                                   const struct term *sign)
{
    const struct term *ones = term_bv(s, f.exponent, ~(uint64_t)0);
    return put_together(s, sign, append_zeros(s, ones, f.significand - 1));
}

static const struct term *no_number(struct term_store *s, struct float_format f)
{
    const struct term *ones = term_bv(s, f.exponent + 1, ~(uint64_t)0);
    return put_together(s, term_true(s), append_zeros(s, ones, f.significand - 2));
}

static const struct term *quiet(struct term_store *s, struct float_format f, const struct term *a)
{
    const struct term *first = append_zeros(s, term_bv(s, 1, 1), f.significand - 2);
    return binary(s, TERM_BV_OR, a, extend(s, first, a->sort->width));
}

static const struct term *zero(struct term_store *s, struct float_format f, const struct term *sign)
{
    return put_together(s, sign, literal(s, f.exponent + f.significand - 1, 0));
}

// x87 writes the significand's first bit out. A number whose first bit is missing is none for the processor; a first bit where
// none is expected means the least normal exponent (Intel's manual, volume 1, 8.2.2).
static const struct term *is_encoding(struct term_store *s, const struct term *a)
{
    return a->sort->width != 80
               ? term_true(s)
               : term_or2(s, is_zero(s, term_bv_extract(s, a, 78, 64)), bit(s, a, 63));
}

static const struct term *without_first_bit(struct term_store *s, const struct term *a)
{
    if (a->sort->width != 80)
        return a;
    struct float_format f = format_of(PLAIN_X87);
    const struct term *field = term_bv_extract(s, a, 78, 64), *small = is_zero(s, field);
    const struct term *first = bit(s, a, 63), *good = is_encoding(s, a);
    field = term_ite(s, term_and2(s, small, first), literal(s, f.exponent, 1), field);
    const struct term *plain = put_together(
        s, bit(s, a, 79), binary(s, TERM_BV_CONCAT, field, term_bv_extract(s, a, 62, 0)));
    return term_ite(s, good, plain, no_number(s, f));
}

static const struct term *with_first_bit(struct term_store *s, const struct term *a)
{
    if (a->sort->width != PLAIN_X87)
        return a;
    const struct term *head = term_bv_extract(s, a, 78, 63), *field = term_bv_extract(s, a, 77, 63);
    const struct term *first = from_boolean(s, term_not(s, is_zero(s, field)));
    return binary(s, TERM_BV_CONCAT, binary(s, TERM_BV_CONCAT, head, first),
                  term_bv_extract(s, a, 62, 0));
}

// What comes of operands that are no numbers, quieted: the first of them; of x87 the one with the larger significand, the
// positive one of two alike (volume 1, table 4-7).
static const struct term *pass_on(struct term_store *s, struct float_format f, const struct term *a,
                                  const struct term *b, const struct parts *x,
                                  const struct parts *y, const struct term *out)
{
    const struct term *first = x->nan;
    if (a->sort->width == PLAIN_X87) {
        const struct term *smaller = binary(s, TERM_BV_ULT, x->significand, y->significand);
        const struct term *same = term_eq(s, x->significand, y->significand);
        const struct term *other = term_or2(s, smaller, term_and2(s, same, x->sign));
        first = term_and2(s, first, term_not(s, term_and2(s, y->nan, other)));
    }
    out = term_ite(s, y->nan, quiet(s, f, b), out);
    return term_ite(s, first, quiet(s, f, a), out);
}

// The first bit of the significand becomes 1, if any is.
static void normalize(struct term_store *s, const struct term **significand,
                      const struct term **exponent)
{
    uint32_t w = (*significand)->sort->width, step = 1;
    while (2 * step < w)
        step *= 2;
    for (; step > 0; step /= 2) {
        const struct term *none = is_zero(s, term_bv_extract(s, *significand, w - 1, w - step));
        const struct term *moved =
            append_zeros(s, term_bv_extract(s, *significand, w - 1 - step, 0), step);
        *significand = term_ite(s, none, moved, *significand);
        *exponent = term_ite(
            s, none, binary(s, TERM_BV_ADD, *exponent, negative(s, (*exponent)->sort->width, step)),
            *exponent);
    }
}

// To the right; the last bit of the result says whether it or anything behind it was 1.
static const struct term *shift_right(struct term_store *s, const struct term *a,
                                      const struct term *by)
{
    uint32_t w = a->sort->width, step = 1;
    const struct term *far = term_false(s);
    for (uint32_t k = 0; k < by->sort->width; k++, step *= 2) {
        const struct term *on = bit(s, by, k);
        if (step >= w) {
            far = term_or2(s, far, on);
            step = w; // all further bits alike
            continue;
        }
        const struct term *lost = term_bv_extract(s, a, step - 1, 0);
        const struct term *kept = extend(s, term_bv_extract(s, a, w - 1, step), w);
        const struct term *some = extend(s, from_boolean(s, term_not(s, is_zero(s, lost))), w);
        a = term_ite(s, on, binary(s, TERM_BV_OR, kept, some), a);
    }
    const struct term *all = extend(s, from_boolean(s, term_not(s, is_zero(s, a))), w);
    return term_ite(s, far, all, a);
}

// Does the magnitude go up, by its last bit, the one behind it, and whether any further one is 1?
static const struct term *goes_up(struct term_store *s, enum float_rounding mode,
                                  const struct term *sign, const struct term *last,
                                  const struct term *guard, const struct term *rest)
{
    const struct term *some = term_or2(s, guard, rest);
    switch (mode) {
    case FLOAT_NEAREST_EVEN:
        return term_and2(s, guard, term_or2(s, rest, last));
    case FLOAT_NEAREST_AWAY:
        return guard;
    case FLOAT_UPWARDS:
        return term_and2(s, some, term_not(s, sign));
    case FLOAT_DOWNWARDS:
        return term_and2(s, some, sign);
    case FLOAT_TO_ZERO:
        break;
    }
    return term_false(s);
}

// What is beyond all numbers: infinity, or the largest number where rounding does not lead away from 0.
static const struct term *overflow(struct term_store *s, struct float_format f,
                                   enum float_rounding mode, const struct term *sign)
{
    const struct term *ones = term_bv(s, f.exponent - 1, ~(uint64_t)0);
    const struct term *field = binary(s, TERM_BV_CONCAT, ones, term_bv(s, 1, 0));
    const struct term *fraction = term_bv_unary(s, TERM_BV_NOT, literal(s, f.significand - 1, 0));
    const struct term *largest = put_together(s, sign, binary(s, TERM_BV_CONCAT, field, fraction));
    const struct term *to_zero = mode == FLOAT_UPWARDS     ? sign
                                 : mode == FLOAT_DOWNWARDS ? term_not(s, sign)
                                 : mode == FLOAT_TO_ZERO   ? term_true(s)
                                                           : term_false(s);
    return term_ite(s, to_zero, largest, infinity(s, f, sign));
}

// The float of a number that is not 0, rounded. The significand has at least two bits more than the format's.
static const struct term *rounded(struct term_store *s, struct float_format f,
                                  enum float_rounding mode, const struct term *sign,
                                  const struct term *exponent, const struct term *significand)
{
    uint32_t w = significand->sort->width, e = exponent->sort->width;
    normalize(s, &significand, &exponent);
    // Below the normal numbers the first bits are zeros.
    const struct term *least = negative(s, e, bias_of(f) - 1);
    const struct term *below = binary(s, TERM_BV_SLT, exponent, least);
    const struct term *by = term_ite(s, below, subtract(s, least, exponent), literal(s, e, 0));
    significand = shift_right(s, significand, by);
    const struct term *field =
        term_ite(s, below, literal(s, e, 0),
                 binary(s, TERM_BV_ADD, exponent, literal(s, e, bias_of(f) - 1)));
    const struct term *top = term_bv_extract(s, significand, w - 1, w - f.significand);
    const struct term *guard = bit(s, significand, w - f.significand - 1);
    const struct term *rest =
        term_not(s, is_zero(s, term_bv_extract(s, significand, w - f.significand - 2, 0)));
    const struct term *up = goes_up(s, mode, sign, bit(s, top, 0), guard, rest);
    // The hidden bit, and a carry out of the significand, count into the exponent's field.
    uint32_t all = e + f.significand - 1;
    const struct term *sum = append_zeros(s, field, f.significand - 1);
    sum = binary(s, TERM_BV_ADD, sum, extend(s, top, all));
    sum = binary(s, TERM_BV_ADD, sum, extend(s, from_boolean(s, up), all));
    const struct term *most =
        append_zeros(s, literal(s, e, ((uint64_t)1 << f.exponent) - 1), f.significand - 1);
    const struct term *large = binary(s, TERM_BV_ULE, most, sum);
    const struct term *packed = term_bv_extract(s, sum, f.exponent + f.significand - 2, 0);
    return term_ite(s, large, overflow(s, f, mode, sign), put_together(s, sign, packed));
}

static const struct term *add(struct term_store *s, struct float_format f, enum float_rounding mode,
                              const struct term *a, const struct term *b, bool minus)
{
    const struct parts x = take_apart(s, f, a);
    struct parts y = take_apart(s, f, b);
    if (minus)
        y.sign = term_not(s, y.sign);
    uint32_t w = a->sort->width, e = room(f), n = f.significand + 4;
    // The larger one first.
    const struct term *swap =
        binary(s, TERM_BV_ULT, term_bv_extract(s, a, w - 2, 0), term_bv_extract(s, b, w - 2, 0));
    const struct term *high = term_ite(s, swap, y.exponent, x.exponent);
    const struct term *low = term_ite(s, swap, x.exponent, y.exponent);
    const struct term *large = term_ite(s, swap, y.significand, x.significand);
    const struct term *small = term_ite(s, swap, x.significand, y.significand);
    const struct term *sign = term_ite(s, swap, y.sign, x.sign);
    large = extend(s, append_zeros(s, large, 3), n);
    small = extend(s, append_zeros(s, small, 3), n);
    small = shift_right(s, small, subtract(s, high, low));
    const struct term *differ = term_xor(s, x.sign, y.sign);
    const struct term *sum =
        term_ite(s, differ, subtract(s, large, small), binary(s, TERM_BV_ADD, large, small));
    const struct term *exponent = binary(s, TERM_BV_ADD, high, literal(s, e, 1));
    const struct term *out = rounded(s, f, mode, sign, exponent, sum);
    const struct term *below =
        mode == FLOAT_DOWNWARDS ? term_or2(s, x.sign, y.sign) : term_and2(s, x.sign, y.sign);
    out = term_ite(s, is_zero(s, sum), zero(s, f, below), out);
    out = term_ite(s, y.infinite, infinity(s, f, y.sign), out);
    out = term_ite(
        s, x.infinite,
        term_ite(s, term_and2(s, y.infinite, differ), no_number(s, f), infinity(s, f, x.sign)),
        out);
    return pass_on(s, f, a, b, &x, &y, out);
}

static const struct term *multiply(struct term_store *s, struct float_format f,
                                   enum float_rounding mode, const struct term *a,
                                   const struct term *b)
{
    const struct parts x = take_apart(s, f, a), y = take_apart(s, f, b);
    uint32_t n = 2 * f.significand, e = room(f);
    const struct term *product =
        binary(s, TERM_BV_MUL, extend(s, x.significand, n), extend(s, y.significand, n));
    const struct term *exponent = binary(s, TERM_BV_ADD, x.exponent, y.exponent);
    exponent = binary(s, TERM_BV_ADD, exponent, literal(s, e, 1));
    const struct term *sign = term_xor(s, x.sign, y.sign);
    const struct term *none = term_or2(s, x.zero, y.zero);
    const struct term *endless = term_or2(s, x.infinite, y.infinite);
    const struct term *out = rounded(s, f, mode, sign, exponent, product);
    out = term_ite(s, none, zero(s, f, sign), out);
    out = term_ite(s, endless, term_ite(s, none, no_number(s, f), infinity(s, f, sign)), out);
    return pass_on(s, f, a, b, &x, &y, out);
}

static const struct term *divide(struct term_store *s, struct float_format f,
                                 enum float_rounding mode, const struct term *a,
                                 const struct term *b)
{
    struct parts x = take_apart(s, f, a), y = take_apart(s, f, b);
    uint32_t n = 2 * f.significand + 3;
    normalize(s, &x.significand, &x.exponent);
    normalize(s, &y.significand, &y.exponent);
    const struct term *dividend = extend(s, append_zeros(s, x.significand, f.significand + 2), n);
    const struct term *divisor = extend(s, y.significand, n);
    const struct term *quotient = binary(s, TERM_BV_UDIV, dividend, divisor);
    const struct term *rest = binary(s, TERM_BV_UREM, dividend, divisor);
    const struct term *significand =
        binary(s, TERM_BV_CONCAT, term_bv_extract(s, quotient, f.significand + 2, 0),
               from_boolean(s, term_not(s, is_zero(s, rest))));
    const struct term *sign = term_xor(s, x.sign, y.sign);
    const struct term *out =
        rounded(s, f, mode, sign, subtract(s, x.exponent, y.exponent), significand);
    const struct term *endless = term_or2(s, x.infinite, y.zero);
    const struct term *invalid =
        term_or2(s, term_and2(s, x.zero, y.zero), term_and2(s, x.infinite, y.infinite));
    out = term_ite(s, term_or2(s, x.zero, y.infinite), zero(s, f, sign), out);
    out = term_ite(s, endless, infinity(s, f, sign), out);
    out = term_ite(s, invalid, no_number(s, f), out);
    return pass_on(s, f, a, b, &x, &y, out);
}

const struct term *float_format_binary(struct term_store *s, struct float_format f,
                                       enum float_rounding mode, enum float_operation operation,
                                       const struct term *a, const struct term *b)
{
    assert(is_of(f, a) && is_of(f, b));
    switch (operation) {
    case FLOAT_ADD:
    case FLOAT_SUB:
        return add(s, f, mode, a, b, operation == FLOAT_SUB);
    case FLOAT_MUL:
        return multiply(s, f, mode, a, b);
    case FLOAT_DIV:
        break;
    }
    return divide(s, f, mode, a, b);
}

const struct term *float_binary(struct term_store *s, enum float_rounding mode,
                                enum float_operation operation, const struct term *a,
                                const struct term *b)
{
    const struct term *good = term_and2(s, is_encoding(s, a), is_encoding(s, b));
    a = without_first_bit(s, a);
    b = without_first_bit(s, b);
    struct float_format f = format_of(a->sort->width);
    const struct term *out = float_format_binary(s, f, mode, operation, a, b);
    if (is_plain(f) && mode == FLOAT_NEAREST_EVEN)
        noted(s, out, FLOAT_MEANS_SUM + operation, 0, a, b);
    return with_first_bit(s, term_ite(s, good, out, no_number(s, f)));
}

static const struct term *sign_bit(struct term_store *s, uint32_t width)
{
    return append_zeros(s, term_bv(s, 1, 1), width - 1);
}

const struct term *float_negate(struct term_store *s, const struct term *a)
{
    const struct term *out = binary(s, TERM_BV_XOR, a, sign_bit(s, a->sort->width));
    return has_plain_width(a) ? noted(s, out, FLOAT_MEANS_NEGATIVE, 0, a, NULL) : out;
}

const struct term *float_absolute(struct term_store *s, const struct term *a)
{
    const struct term *out = float_copy_sign(s, a, literal(s, a->sort->width, 0));
    return has_plain_width(a) ? noted(s, out, FLOAT_MEANS_MAGNITUDE, 0, a, NULL) : out;
}

const struct term *float_copy_sign(struct term_store *s, const struct term *a,
                                   const struct term *sign)
{
    uint32_t w = a->sort->width;
    return binary(s, TERM_BV_CONCAT, term_bv_extract(s, sign, w - 1, w - 1),
                  term_bv_extract(s, a, w - 2, 0));
}

const struct term *float_compare(struct term_store *s, uint64_t predicate, const struct term *a,
                                 const struct term *b)
{
    a = without_first_bit(s, a);
    b = without_first_bit(s, b);
    return float_format_compare(s, format_of(a->sort->width), predicate, a, b);
}

const struct term *float_format_compare(struct term_store *s, struct float_format f,
                                        uint64_t predicate, const struct term *a,
                                        const struct term *b)
{
    assert(is_of(f, a) && is_of(f, b));
    const struct parts x = take_apart(s, f, a), y = take_apart(s, f, b);
    const struct term *unordered = term_or2(s, x.nan, y.nan);
    const struct term *zeros = term_and2(s, x.zero, y.zero);
    const struct term *equal = term_or2(s, zeros, term_eq(s, a, b));
    // As numbers with a sign and a magnitude.
    const struct term *less =
        term_ite(s, x.sign, term_ite(s, y.sign, binary(s, TERM_BV_ULT, b, a), term_not(s, zeros)),
                 term_ite(s, y.sign, term_false(s), binary(s, TERM_BV_ULT, a, b)));
    if (is_plain(f)) { // of conjunctions and disjunctions no more than the parts may be left
        noted(s, equal, FLOAT_MEANS_ORDER, 1, a, b);
        noted(s, less, FLOAT_MEANS_ORDER, 4, a, b);
    }
    const struct term *out = term_false(s);
    if (predicate & 1)
        out = term_or2(s, out, equal);
    if (predicate & 4)
        out = term_or2(s, out, less);
    if (predicate & 2)
        out = term_or2(s, out, term_not(s, term_or2(s, equal, less)));
    if (is_plain(f))
        noted(s, out, FLOAT_MEANS_ORDER, predicate, a, b);
    out = term_and2(s, out, term_not(s, unordered));
    out = predicate & 8 ? term_or2(s, out, unordered) : out;
    return is_plain(f) ? noted(s, out, FLOAT_MEANS_COMPARISON, predicate, a, b) : out;
}

const struct term *float_is_class(struct term_store *s, uint64_t classes, const struct term *a)
{
    a = without_first_bit(s, a);
    struct float_format f = format_of(a->sort->width);
    const struct parts x = take_apart(s, f, a);
    const struct term *quieted = bit(s, a, f.significand - 2), *plus = term_not(s, x.sign);
    const struct term *small = term_and2(s, is_zero(s, x.field), term_not(s, x.zero));
    const struct term *special = term_or2(s, is_zero(s, x.field), is_all_ones(s, x.field));
    const struct term *normal = term_not(s, special);
    const struct term *const members[] = {term_and2(s, x.nan, term_not(s, quieted)),
                                          term_and2(s, x.nan, quieted),
                                          term_and2(s, x.infinite, x.sign),
                                          term_and2(s, normal, x.sign),
                                          term_and2(s, small, x.sign),
                                          term_and2(s, x.zero, x.sign),
                                          term_and2(s, x.zero, plus),
                                          term_and2(s, small, plus),
                                          term_and2(s, normal, plus),
                                          term_and2(s, x.infinite, plus)};
    const struct term *out = term_false(s);
    for (size_t k = 0; k < sizeof members / sizeof members[0]; k++) {
        if (classes >> k & 1)
            out = term_or2(s, out, members[k]);
    }
    return is_plain(f) ? noted(s, out, FLOAT_MEANS_CLASS, classes, a, NULL) : out;
}

// What is not a number keeps the first bits of what it carries.
static const struct term *resize_nan(struct term_store *s, struct float_format from,
                                     struct float_format to, const struct term *a)
{
    const struct term *fraction = term_bv_extract(s, a, from.significand - 2, 0);
    uint32_t w = from.significand - 1, next = to.significand - 1;
    fraction = next < w ? term_bv_extract(s, fraction, w - 1, w - next)
                        : append_zeros(s, fraction, next - w);
    const struct term *ones = term_bv(s, to.exponent, ~(uint64_t)0);
    const struct term *rest = binary(s, TERM_BV_CONCAT, ones, fraction);
    return quiet(s, to, put_together(s, bit(s, a, a->sort->width - 1), rest));
}

const struct term *float_resize(struct term_store *s, enum float_rounding mode,
                                const struct term *a, uint32_t bits)
{
    if (a->sort->width == bits)
        return a;
    a = without_first_bit(s, a);
    return with_first_bit(
        s, float_format_convert(s, format_of(a->sort->width), format_of(bits), mode, a));
}

const struct term *float_format_convert(struct term_store *s, struct float_format from,
                                        struct float_format to, enum float_rounding mode,
                                        const struct term *a)
{
    assert(is_of(from, a));
    if (from.exponent == to.exponent && from.significand == to.significand)
        return a;
    const struct parts x = take_apart(s, from, a);
    uint32_t e = room(from) > room(to) ? room(from) : room(to);
    uint32_t n = from.significand > to.significand + 2 ? from.significand : to.significand + 2;
    const struct term *significand = append_zeros(s, x.significand, n - from.significand);
    const struct term *exponent = term_bv_extend(s, TERM_BV_SEXT, x.exponent, e);
    const struct term *out = rounded(s, to, mode, x.sign, exponent, significand);
    out = term_ite(s, x.zero, zero(s, to, x.sign), out);
    out = term_ite(s, x.infinite, infinity(s, to, x.sign), out);
    out = term_ite(s, x.nan, resize_nan(s, from, to, a), out);
    return is_plain(from) && is_plain(to) && mode == FLOAT_NEAREST_EVEN
               ? noted(s, out, FLOAT_MEANS_RESIZED, 0, a, NULL)
               : out;
}

const struct term *float_from_integer(struct term_store *s, enum float_rounding mode,
                                      const struct term *a, bool sign, uint32_t bits)
{
    return with_first_bit(s, float_format_from_integer(s, format_of(bits), mode, a, sign));
}

const struct term *float_format_from_integer(struct term_store *s, struct float_format f,
                                             enum float_rounding mode, const struct term *a,
                                             bool sign)
{
    uint32_t w = a->sort->width, n = w > f.significand + 2 ? w : f.significand + 2;
    const struct term *below = sign ? bit(s, a, w - 1) : term_false(s);
    const struct term *magnitude = term_ite(s, below, term_bv_unary(s, TERM_BV_NEG, a), a);
    const struct term *out = rounded(s, f, mode, below, literal(s, room_for(f, w), w - 1),
                                     append_zeros(s, magnitude, n - w));
    out = term_ite(s, is_zero(s, a), zero(s, f, term_false(s)), out);
    if (!is_plain(f) || mode != FLOAT_NEAREST_EVEN)
        return out;
    return noted(s, out, sign ? FLOAT_MEANS_FROM_SIGNED : FLOAT_MEANS_FROM_UNSIGNED, 0, a, NULL);
}

// Towards zero.
static const struct term *to_integer(struct term_store *s, struct float_format f,
                                     const struct term *a, bool sign, uint32_t bits,
                                     const struct term **fits)
{
    struct parts x = take_apart(s, f, a);
    uint32_t e = room_for(f, bits), n = bits + f.significand;
    x.exponent = term_bv_extend(s, TERM_BV_SEXT, x.exponent, e);
    const struct term *below = binary(s, TERM_BV_SLT, x.exponent, literal(s, e, 0));
    const struct term *high = binary(s, TERM_BV_SLT, literal(s, e, bits - 1), x.exponent);
    const struct term *by = resize(s, x.exponent, n);
    const struct term *shifted = binary(s, TERM_BV_SHL, extend(s, x.significand, n), by);
    const struct term *magnitude =
        term_bv_extract(s, shifted, bits + f.significand - 2, f.significand - 1);
    magnitude = term_ite(s, below, literal(s, bits, 0), magnitude);
    const struct term *none = is_zero(s, magnitude), *top = bit(s, magnitude, bits - 1);
    const struct term *least = term_eq(
        s, magnitude, term_bv_unary(s, TERM_BV_NEG, magnitude)); // 0, or the first bit alone
    const struct term *inside = sign ? term_or2(s, term_not(s, top), term_and2(s, x.sign, least))
                                     : term_or2(s, term_not(s, x.sign), none);
    *fits = term_and2(s, term_not(s, term_or2(s, x.nan, x.infinite)),
                      term_and2(s, term_not(s, high), inside));
    return term_ite(s, x.sign, term_bv_unary(s, TERM_BV_NEG, magnitude), magnitude);
}

const struct term *float_to_integer(struct term_store *s, const struct term *a, bool sign,
                                    uint32_t bits, const struct term **fits)
{
    a = without_first_bit(s, a);
    const struct float_format f = format_of(a->sort->width);
    const struct term *out = to_integer(s, f, a, sign, bits, fits);
    if (!is_plain(f))
        return out;
    return noted(s, out, sign ? FLOAT_MEANS_TO_SIGNED : FLOAT_MEANS_TO_UNSIGNED, 0, a, NULL);
}

const struct term *float_format_is_nan(struct term_store *s, struct float_format f,
                                       const struct term *a)
{
    assert(is_of(f, a));
    return take_apart(s, f, a).nan;
}

// Where bits of the significand are behind the point (*inside): its whole part, rounded, with one bit more.
static const struct term *whole_part(struct term_store *s, struct float_format f,
                                     enum float_rounding mode, const struct parts *x,
                                     const struct term **inside)
{
    uint32_t e = x->exponent->sort->width, n = f.significand;
    const struct term *point = literal(s, e, n - 1); // with this exponent none is
    *inside = binary(s, TERM_BV_SLT, x->exponent, point);
    const struct term *by = subtract(s, point, x->exponent);
    const struct term *shifted = shift_right(s, append_zeros(s, x->significand, 2), by);
    const struct term *kept = term_bv_extract(s, shifted, n + 1, 2);
    const struct term *up =
        goes_up(s, mode, x->sign, bit(s, kept, 0), bit(s, shifted, 1), bit(s, shifted, 0));
    return binary(s, TERM_BV_ADD, extend(s, kept, n + 1), extend(s, from_boolean(s, up), n + 1));
}

const struct term *float_format_integral(struct term_store *s, struct float_format f,
                                         enum float_rounding mode, const struct term *a)
{
    assert(is_of(f, a));
    const struct parts x = take_apart(s, f, a);
    const struct term *inside, *whole = whole_part(s, f, mode, &x, &inside);
    const struct term *out =
        rounded(s, f, FLOAT_NEAREST_EVEN, x.sign, literal(s, room(f), f.significand),
                append_zeros(s, whole, 2)); // exact, or beyond all numbers
    out = term_ite(s, is_zero(s, whole), zero(s, f, x.sign), out);
    return term_ite(s, x.nan, quiet(s, f, a), term_ite(s, inside, out, a));
}

const struct term *float_format_to_integer(struct term_store *s, struct float_format f,
                                           enum float_rounding mode, const struct term *a,
                                           bool sign, uint32_t bits, const struct term **fits)
{
    assert(is_of(f, a));
    struct parts x = take_apart(s, f, a);
    uint32_t e = room_for(f, bits), n = f.significand;
    uint32_t w = (bits > n + 1 ? bits : n + 1) + 1;
    x.exponent = term_bv_extend(s, TERM_BV_SEXT, x.exponent, e);
    const struct term *inside, *whole = whole_part(s, f, mode, &x, &inside);
    const struct term *by = subtract(s, x.exponent, literal(s, e, n - 1));
    const struct term *large =
        binary(s, TERM_BV_SHL, extend(s, x.significand, w), resize(s, by, w));
    const struct term *magnitude = term_ite(s, inside, extend(s, whole, w), large);
    const struct term *bound = append_zeros(s, literal(s, w - bits + 1, 1), bits - 1);
    if (!sign)
        bound = append_zeros(s, literal(s, w - bits, 1), bits);
    const struct term *below = binary(s, TERM_BV_ULT, magnitude, bound);
    const struct term *least = sign ? term_eq(s, magnitude, bound) : term_false(s);
    const struct term *small = sign ? term_true(s) : is_zero(s, magnitude);
    *fits = term_ite(s, x.sign, term_and2(s, small, term_or2(s, below, least)), below);
    const struct term *high = binary(s, TERM_BV_SLT, literal(s, e, bits), x.exponent);
    *fits = term_and2(s, *fits, term_not(s, term_or2(s, high, term_or2(s, x.nan, x.infinite))));
    magnitude = term_bv_extract(s, magnitude, bits - 1, 0);
    return term_ite(s, x.sign, term_bv_unary(s, TERM_BV_NEG, magnitude), magnitude);
}

// Digit by digit: the greatest number whose square is at most that of `digits` pairs of bits, with a last bit that says
// whether something is left.
static const struct term *root_of(struct term_store *s, const struct term *a, uint32_t digits)
{
    uint32_t w = digits + 3;
    const struct term *left = literal(s, w, 0), *root = literal(s, w, 0);
    for (uint32_t i = digits; i-- > 0;) {
        const struct term *pair = term_bv_extract(s, a, 2 * i + 1, 2 * i);
        left = binary(s, TERM_BV_CONCAT, term_bv_extract(s, left, w - 3, 0), pair);
        const struct term *trial =
            binary(s, TERM_BV_CONCAT, term_bv_extract(s, root, w - 3, 0), term_bv(s, 2, 1));
        const struct term *fits = binary(s, TERM_BV_ULE, trial, left);
        left = term_ite(s, fits, subtract(s, left, trial), left);
        root = binary(s, TERM_BV_CONCAT, term_bv_extract(s, root, w - 2, 0), from_boolean(s, fits));
    }
    return binary(s, TERM_BV_CONCAT, term_bv_extract(s, root, digits - 1, 0),
                  from_boolean(s, term_not(s, is_zero(s, left))));
}

const struct term *float_format_root(struct term_store *s, struct float_format f,
                                     enum float_rounding mode, const struct term *a)
{
    assert(is_of(f, a));
    struct parts x = take_apart(s, f, a);
    normalize(s, &x.significand, &x.exponent);
    // An even exponent, and a significand between 1 and 4 with twice as many bits as the root gets.
    uint32_t n = f.significand, e = room(f), digits = n + 2;
    const struct term *odd = bit(s, x.exponent, 0);
    const struct term *significand = extend(s, append_zeros(s, x.significand, n + 3), 2 * digits);
    significand =
        term_ite(s, odd, append_zeros(s, term_bv_extract(s, significand, 2 * digits - 2, 0), 1),
                 significand);
    const struct term *half = term_bv_extract(s, x.exponent, e - 1, 1); // towards the lesser one
    const struct term *out =
        rounded(s, f, mode, term_false(s), term_bv_extend(s, TERM_BV_SEXT, half, e),
                root_of(s, significand, digits));
    out = term_ite(s, x.infinite, a, out);
    out = term_ite(s, x.sign, no_number(s, f), out);
    out = term_ite(s, x.zero, a, out);
    return term_ite(s, x.nan, quiet(s, f, a), out);
}

// The magnitude as a whole number of the format's least unit.
static const struct term *in_units(struct term_store *s, const struct parts *x, uint32_t width)
{
    const struct term *field = extend(s, x->field, width);
    const struct term *by =
        term_ite(s, is_zero(s, x->field), field, subtract(s, field, literal(s, width, 1)));
    return binary(s, TERM_BV_SHL, extend(s, x->significand, width), by);
}

const struct term *float_format_remainder(struct term_store *s, struct float_format f,
                                          const struct term *a, const struct term *b)
{
    assert(is_of(f, a) && is_of(f, b) && f.exponent <= FLOAT_REMAINDER_EXPONENT);
    const struct parts x = take_apart(s, f, a), y = take_apart(s, f, b);
    uint32_t w = f.significand + ((uint32_t)1 << f.exponent), e = room_for(f, w);
    const struct term *dividend = in_units(s, &x, w), *divisor = in_units(s, &y, w);
    const struct term *quotient = binary(s, TERM_BV_UDIV, dividend, divisor);
    const struct term *left = binary(s, TERM_BV_UREM, dividend, divisor);
    // The nearest quotient, of two the even one.
    const struct term *other = subtract(s, divisor, left);
    const struct term *nearer =
        term_or2(s, binary(s, TERM_BV_ULT, other, left),
                 term_and2(s, term_eq(s, other, left), bit(s, quotient, 0)));
    const struct term *sign = term_xor(s, x.sign, nearer);
    left = term_ite(s, nearer, other, left);
    const struct term *exponent =
        subtract(s, literal(s, e, w - f.significand + 1), literal(s, e, bias_of(f)));
    const struct term *out = rounded(s, f, FLOAT_NEAREST_EVEN, sign, exponent, left); // exact
    out = term_ite(s, is_zero(s, left), zero(s, f, x.sign), out);
    out = term_ite(s, y.infinite, a, out);
    out = term_ite(s, term_or2(s, x.infinite, y.zero), no_number(s, f), out);
    return pass_on(s, f, a, b, &x, &y, out);
}
