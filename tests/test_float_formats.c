#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "logic/terms/float_terms.h"
#include "logic/terms/value.h"
#include "tests/part.h"

// Floats of small formats in all rounding modes, against a definition of rounding by the list of all numbers that the format has:
// the exact result lies between two of them. All numbers here are exact as doubles, so where the result of an operation
// lies is computed exactly: by the sign of what is left after subtracting a candidate. Larger formats against the machine.

static const enum float_rounding modes[] = {FLOAT_NEAREST_EVEN, FLOAT_NEAREST_AWAY, FLOAT_UPWARDS,
                                            FLOAT_DOWNWARDS, FLOAT_TO_ZERO};
enum { MODES = sizeof modes / sizeof *modes };

static uint64_t bits_of(const struct term *term)
{
    if (term->sort->kind == SORT_BOOL)
        return term_is_true(term);
    assert_int_equal(term->kind, TERM_BV); // operations on literals are computed
    struct value value = term_value(term);
    uint64_t out = 0;
    if (value_is_small(value))
        return (uint64_t)value_small_get(value);
    for (const char *c = term->u.text; *c >= '0' && *c <= '9'; c++)
        out = 10 * out + (uint64_t)(*c - '0');
    return out;
}

static double number_of(struct float_format f, uint64_t bits)
{
    uint32_t fraction_bits = f.significand - 1;
    uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    int64_t largest = ((int64_t)1 << f.exponent) - 1, bias = largest >> 1;
    int64_t field = (int64_t)(bits >> fraction_bits) & largest;
    double magnitude =
        field == largest ? (fraction != 0 ? NAN : INFINITY)
                         : ldexp((double)fraction + (field != 0 ? ldexp(1, (int)fraction_bits) : 0),
                                 (int)((field != 0 ? field : 1) - bias - (int64_t)fraction_bits));
    return bits >> (f.exponent + fraction_bits) & 1 ? -magnitude : magnitude;
}

static uint64_t sign_of(struct float_format f)
{
    return (uint64_t)1 << (f.exponent + f.significand - 1);
}

// Where the exact result lies: -1 below the candidate, 0 there, 1 above.
struct exact {
    enum { SUM, DIFFERENCE, PRODUCT, QUOTIENT, ROOT, ITSELF } kind;
    double x, y;
};

static int side(const struct exact *e, double candidate)
{
    double d = 0;
    switch (e->kind) {
    case SUM:
        d = e->x + e->y - candidate;
        break;
    case DIFFERENCE:
        d = e->x - e->y - candidate;
        break;
    case PRODUCT:
        d = e->x * e->y - candidate;
        break;
    case QUOTIENT:
        d = (e->x - candidate * e->y) * (e->y < 0 ? -1 : 1);
        break;
    case ROOT:
        d = candidate < 0 ? 1 : e->x - candidate * candidate;
        break;
    case ITSELF:
        d = e->x - candidate;
    }
    return (d > 0) - (d < 0);
}

// The magnitude's bits are in the order of the magnitudes. The result is not 0; `negative` is its sign.
static uint64_t round_by_list(struct float_format f, enum float_rounding mode,
                              const struct exact *e, bool negative)
{
    uint64_t endless = (((uint64_t)1 << f.exponent) - 1) << (f.significand - 1);
    double direction = negative ? -1 : 1;
    uint64_t low = 0; // the largest magnitude that is not beyond the result's
    while (low + 1 < endless &&
           side(e, direction * number_of(f, low + 1)) * (negative ? -1 : 1) >= 0)
        low++;
    uint64_t sign = negative ? sign_of(f) : 0;
    double at = number_of(f, low);
    if (side(e, direction * at) == 0)
        return low | sign;
    // Beyond the largest number the next would be the next power of two.
    double next = low + 1 < endless ? number_of(f, low + 1) : 2 * at - number_of(f, low - 1);
    int half = side(e, direction * (at + next) / 2) * (negative ? -1 : 1);
    bool up = false;
    switch (mode) {
    case FLOAT_NEAREST_EVEN:
        up = half > 0 || (half == 0 && (low & 1) != 0);
        break;
    case FLOAT_NEAREST_AWAY:
        up = half >= 0;
        break;
    case FLOAT_UPWARDS:
        up = !negative;
        break;
    case FLOAT_DOWNWARDS:
        up = negative;
        break;
    case FLOAT_TO_ZERO:
        break;
    }
    return (up ? low + 1 : low) | sign; // low + 1 may be infinity
}

static void expect(struct float_format f, const struct term *found, double special, bool finite,
                   uint64_t rounded)
{
    uint64_t bits = bits_of(found);
    if (!finite && isnan(special)) {
        assert_true(isnan(number_of(f, bits)));
    } else if (!finite) {
        double number = number_of(f, bits);
        assert_true(number == special && signbit(number) == signbit(special));
    } else {
        assert_int_equal(bits, rounded);
    }
}

static void one_pair(struct term_store *s, struct float_format f, uint64_t x, uint64_t y)
{
    static const enum float_operation operations[] = {FLOAT_ADD, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV};
    uint32_t width = f.exponent + f.significand;
    const struct term *p = term_bv(s, width, x), *q = term_bv(s, width, y);
    double a = number_of(f, x), b = number_of(f, y);
    for (unsigned k = 0; k < 4; k++) {
        struct exact e = {SUM + k, a, b};
        // Zeros, infinities and what is no number are the machine's; the exact sum of numbers that cancel out is told apart below.
        double special = k == 0 ? a + b : k == 1 ? a - b : k == 2 ? a * b : a / b;
        bool finite = isfinite(a) && isfinite(b) && !(k == 3 && b == 0) && special != 0;
        for (unsigned m = 0; m < MODES; m++) {
            double zero = special;
            if (k < 2 && special == 0 && modes[m] == FLOAT_DOWNWARDS &&
                signbit(a) != (k == 0 ? signbit(b) : !signbit(b)))
                zero = -0.0;
            expect(f, float_format_binary(s, f, modes[m], operations[k], p, q), zero, finite,
                   finite ? round_by_list(f, modes[m], &e, special < 0) : 0);
        }
    }
    double rest = remainder(a, b);
    struct exact e = {ITSELF, rest, 0};
    expect(f, float_format_remainder(s, f, p, q), rest, isfinite(rest) && rest != 0,
           isfinite(rest) && rest != 0 ? round_by_list(f, FLOAT_TO_ZERO, &e, rest < 0) : 0);
    for (unsigned predicate = 0; predicate < 16; predicate++) {
        unsigned relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
        assert_int_equal(bits_of(float_format_compare(s, f, predicate, p, q)),
                         (predicate & relation) != 0);
    }
}

static double integral(enum float_rounding mode, double x)
{
    switch (mode) {
    case FLOAT_NEAREST_EVEN:
        return nearbyint(x);
    case FLOAT_NEAREST_AWAY:
        return round(x);
    case FLOAT_UPWARDS:
        return ceil(x);
    case FLOAT_DOWNWARDS:
        return floor(x);
    case FLOAT_TO_ZERO:
        break;
    }
    return trunc(x);
}

static void one_number(struct term_store *s, struct float_format f, struct float_format to,
                       uint64_t x)
{
    uint32_t width = f.exponent + f.significand;
    const struct term *p = term_bv(s, width, x);
    double a = number_of(f, x);
    struct exact root = {ROOT, a, 0}, same = {ITSELF, a, 0};
    bool plain = isfinite(a) && a != 0;
    assert_int_equal(bits_of(float_format_is_nan(s, f, p)), isnan(a));
    for (unsigned m = 0; m < MODES; m++) {
        bool positive = plain && a > 0;
        expect(f, float_format_root(s, f, modes[m], p), sqrt(a), positive,
               positive ? round_by_list(f, modes[m], &root, false) : 0);
        expect(to, float_format_convert(s, f, to, modes[m], p), a, plain,
               plain ? round_by_list(to, modes[m], &same, a < 0) : 0);
        double whole = integral(modes[m], a);
        // In formats with few exponents the next whole number may be beyond all others.
        double most = number_of(f, ((((uint64_t)1 << f.exponent) - 1) << (f.significand - 1)) - 1);
        double next = fabs(whole) > most ? copysign(INFINITY, whole) : whole;
        expect(f, float_format_integral(s, f, modes[m], p), isinf(a) ? a : next, false, 0);
        for (uint32_t bits = 1; bits < 6; bits++) {
            const struct term *fits;
            const struct term *n = float_format_to_integer(s, f, modes[m], p, false, bits, &fits);
            bool inside = whole >= 0 && whole < ldexp(1, (int)bits);
            assert_int_equal(bits_of(fits), inside);
            if (inside)
                assert_int_equal(bits_of(n), (uint64_t)whole);
            n = float_format_to_integer(s, f, modes[m], p, true, bits, &fits);
            inside = whole >= -ldexp(1, (int)bits - 1) && whole < ldexp(1, (int)bits - 1);
            assert_int_equal(bits_of(fits), inside);
            if (inside)
                assert_int_equal(bits_of(n), (uint64_t)(int64_t)whole & ((1u << bits) - 1));
        }
    }
}

static void one_integer(struct term_store *s, struct float_format f, uint32_t width, uint64_t n)
{
    for (unsigned m = 0; m < 2 * MODES; m++) {
        bool sign = m >= MODES;
        double number = (double)n;
        if (sign && n >> (width - 1) & 1)
            number -= ldexp(1, (int)width);
        struct exact e = {ITSELF, number, 0};
        const struct term *found =
            float_format_from_integer(s, f, modes[m % MODES], term_bv(s, width, n), sign);
        expect(f, found, number, number != 0,
               number != 0 ? round_by_list(f, modes[m % MODES], &e, number < 0) : 0);
    }
}

static void test_small_formats(void **state)
{
    (void)state;
    static const struct float_format formats[] = {{2, 2}, {2, 3}, {3, 3}, {3, 5},
                                                  {4, 4}, {5, 2}, {2, 8}, {5, 11}};
    enum { FORMATS = sizeof formats / sizeof *formats };
    struct random random;
    random_init(&random, 754);
    for (unsigned i = 0; i < part_models(1600, 160); i += 20) {
        struct term_store *s = term_store_create(NULL);
        for (unsigned k = 0; k < 20; k++) {
            // Of fp[5,11] few: its list is long.
            struct float_format f = formats[random_below(&random, k == 0 ? FORMATS : FORMATS - 1)];
            uint64_t codes = 2 * sign_of(f);
            one_pair(s, f, random_below(&random, codes), random_below(&random, codes));
            one_number(s, f, formats[random_below(&random, FORMATS - 1)],
                       random_below(&random, codes));
            uint32_t width = 1 + (uint32_t)random_below(&random, 9);
            one_integer(s, f, width, random_below(&random, (uint64_t)1 << width));
        }
        term_store_destroy(s);
    }
}

// All numbers of the smallest formats.
static void test_all_pairs(void **state)
{
    (void)state;
    struct float_format f = {2, 3};
    for (uint64_t x = 0; x < 32; x++) {
        struct term_store *s = term_store_create(NULL);
        for (uint64_t y = 0; y < 32; y += part_models(1, 5))
            one_pair(s, f, x, y);
        one_number(s, f, (struct float_format){3, 2}, x);
        term_store_destroy(s);
    }
}

// Bounds that a format's width makes large: its least numbers, a wide integer, a short exponent with a long significand.
static void test_wide(void **state)
{
    (void)state;
    struct term_store *s = term_store_create(NULL);
    struct float_format narrow = {2, 40}, f = {11, 53};
    // A quotient of the least numbers: normalized, their exponents are far below the format's own.
    const struct term *least = term_bv(s, 42, 1), *fits;
    for (unsigned m = 0; m < MODES; m++) {
        const struct term *third =
            float_format_binary(s, narrow, modes[m], FLOAT_DIV, least, term_bv(s, 42, 3));
        // A third of 2^39 units is 183251937962.67 of them.
        bool down = modes[m] == FLOAT_DOWNWARDS || modes[m] == FLOAT_TO_ZERO;
        assert_int_equal(bits_of(third), down ? 183251937962 : 183251937963);
    }
    const struct term *wide = term_bv_extend(s, TERM_BV_ZEXT, term_bv(s, 64, 5), 3000);
    const struct term *five = float_format_from_integer(s, f, FLOAT_NEAREST_EVEN, wide, true);
    assert_int_equal(bits_of(five), 0x4014000000000000);
    assert_ptr_equal(float_format_to_integer(s, f, FLOAT_TO_ZERO, five, false, 3000, &fits), wide);
    assert_true(term_is_true(fits));
    term_store_destroy(s);
}

static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

// Doubles in the machine's rounding modes.
static void test_directed(void **state)
{
    (void)state;
    static const int machine[] = {FE_TONEAREST, 0, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    struct float_format f = {11, 53};
    struct random random;
    random_init(&random, 4);
    struct term_store *s = term_store_create(NULL);
    for (unsigned i = 0; i < part_models(300, 40); i++) {
        uint64_t exponent = 1013 + random_below(&random, 20);
        uint64_t x = random_next(&random) >> 12 | exponent << 52 | random_below(&random, 2) << 63;
        uint64_t y = random_next(&random) >> 12 | (uint64_t)1023 << 52 | (uint64_t)(i % 2) << 63;
        if (i % 8 == 0)
            x = (x & ~((uint64_t)2047 << 52)) | (uint64_t)(i % 16 == 0 ? 0 : 2046) << 52;
        for (unsigned m = 0; m < MODES; m++) {
            if (modes[m] == FLOAT_NEAREST_AWAY)
                continue; // no mode of the machine
            volatile double a = as_double(x), b = as_double(y), out[5];
            fesetround(machine[m]);
            out[0] = a + b;
            out[1] = a - b;
            out[2] = a * b;
            out[3] = a / b;
            out[4] = sqrt(fabs(a));
            fesetround(FE_TONEAREST);
            const struct term *p = term_bv(s, 64, x), *q = term_bv(s, 64, y);
            for (unsigned k = 0; k < 4; k++)
                assert_int_equal(bits_of(float_format_binary(s, f, modes[m], FLOAT_ADD + k, p, q)),
                                 double_bits(out[k]));
            assert_int_equal(bits_of(float_format_root(s, f, modes[m], float_absolute(s, p))),
                             double_bits(out[4]));
        }
    }
    term_store_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_formats),
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_directed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
