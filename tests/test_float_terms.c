#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "languages/programs/half.h"
#include "languages/programs/x87.h"
#include "logic/terms/float_terms.h"
#include "logic/terms/value.h"
#include "tests/part.h"

// Floating-point arithmetic as terms, beside the machine's own, on special numbers and on random ones.

static uint64_t bits_of(const struct term *term)
{
    uint64_t out = 0;
    if (term->sort->kind == SORT_BOOL)
        return term_is_true(term);
    assert_int_equal(term->kind, TERM_BV); // operations on literals are computed
    struct value value = term_value(term);
    if (value_is_small(value))
        return (uint64_t)value_small_get(value);
    for (const char *c = term->u.text; *c >= '0' && *c <= '9'; c++)
        out = 10 * out + (uint64_t)(*c - '0');
    return out;
}

static const struct term *number(struct term_store *s, uint32_t width, uint64_t bits)
{
    return term_bv(s, width, bits);
}

static float as_float(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float f;
    memcpy(&f, &narrow, sizeof f);
    return f;
}

static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

// Near the places where something changes: exponents at both ends, few fraction bits or nearly all, ties.
static uint64_t some_float(struct random *random, uint32_t width)
{
    static const uint64_t narrow[] = {0x00000000, 0x80000000, 0x3f800000, 0x7f800000, 0xff800000,
                                      0x7fc00000, 0x7f800001, 0x00000001, 0x007fffff, 0x00800000,
                                      0x7f7fffff, 0x4b800000, 0x4f000000, 0xcf000000, 0x33800000};
    uint32_t fraction = width == 32 ? 23 : 52, exponents = width - 1 - fraction;
    uint64_t kind = random_below(random, 8);
    uint64_t bits = random_next(random);
    if (kind == 0 && width == 32)
        return narrow[random_below(random, sizeof narrow / sizeof narrow[0])];
    if (kind == 0)
        return double_bits(
            (double)as_float(narrow[random_below(random, sizeof narrow / sizeof narrow[0])]));
    uint64_t middle = ((uint64_t)1 << (exponents - 1)) - 1;
    uint64_t exponent = kind < 4   ? middle + random_below(random, 2 * fraction) - fraction
                        : kind < 5 ? random_below(random, 3)
                        : kind < 6 ? 2 * middle + random_below(random, 2)
                                   : bits >> 1;
    uint64_t mask = ((uint64_t)1 << fraction) - 1;
    uint64_t low = random_next(random) & mask;
    if (kind % 2 == 0)
        low = (low << random_below(random, fraction)) & mask;
    exponent &= ((uint64_t)1 << exponents) - 1;
    return (bits & 1) << (width - 1) | exponent << fraction | low;
}

// How terms and this machine round.
static enum float_rounding mode;

static void choose_rounding(unsigned n)
{
    static const struct {
        enum float_rounding mode;
        int here;
    } modes[] = {{FLOAT_NEAREST_EVEN, FE_TONEAREST},
                 {FLOAT_UPWARDS, FE_UPWARD},
                 {FLOAT_DOWNWARDS, FE_DOWNWARD},
                 {FLOAT_TO_ZERO, FE_TOWARDZERO}};
    mode = modes[n % 4].mode;
    assert_int_equal(fesetround(modes[n % 4].here), 0);
}

// Which of two that are no numbers comes out depends on how the compiler ordered a commutative operation.
static void check(uint64_t found, uint64_t expected, bool any_nan)
{
    if (!any_nan)
        assert_int_equal(found, expected);
}

static void one_float(struct term_store *s, uint64_t x, uint64_t y)
{
    volatile float a = as_float(x), b = as_float(y);
    const struct term *p = number(s, 32, x), *q = number(s, 32, y);
    bool both = isnan(a) && isnan(b);
    check(bits_of(float_binary(s, mode, FLOAT_ADD, p, q)), float_bits(a + b), both);
    check(bits_of(float_binary(s, mode, FLOAT_SUB, p, q)), float_bits(a - b), both);
    check(bits_of(float_binary(s, mode, FLOAT_MUL, p, q)), float_bits(a * b), both);
    check(bits_of(float_binary(s, mode, FLOAT_DIV, p, q)), float_bits(a / b), both);
    assert_int_equal(bits_of(float_resize(s, mode, p, 64)), double_bits((double)a));
    assert_int_equal(bits_of(float_negate(s, p)), x ^ 0x80000000u);
    for (unsigned predicate = 0; predicate < 16; predicate++) {
        unsigned relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
        assert_int_equal(bits_of(float_compare(s, predicate, p, q)), (predicate & relation) != 0);
    }
}

// Both operands' lower half.
static void one_half(struct term_store *s, uint64_t x, uint64_t y)
{
    x = (x ^ x >> 16) & 0xffff;
    y = (y ^ y >> 16) & 0xffff;
    volatile double a = (double)half_number((uint16_t)x), b = (double)half_number((uint16_t)y);
    const struct term *p = number(s, 16, x), *q = number(s, 16, y);
    bool both = isnan(a) && isnan(b);
    check(bits_of(float_binary(s, mode, FLOAT_ADD, p, q)), half_bits(a + b), both);
    check(bits_of(float_binary(s, mode, FLOAT_SUB, p, q)), half_bits(a - b), both);
    check(bits_of(float_binary(s, mode, FLOAT_MUL, p, q)), half_bits(a * b), both);
    check(bits_of(float_binary(s, mode, FLOAT_DIV, p, q)), half_bits(a / b), both);
    assert_int_equal(bits_of(float_resize(s, mode, p, 64)), double_bits(a));
    assert_int_equal(bits_of(float_resize(s, mode, number(s, 64, double_bits(a * b)), 16)),
                     half_bits(a * b));
    assert_int_equal(bits_of(float_from_integer(s, mode, number(s, 16, x), true, 16)),
                     half_bits((int16_t)x));
}

static void one_double(struct term_store *s, uint64_t x, uint64_t y)
{
    volatile double a = as_double(x), b = as_double(y);
    const struct term *p = number(s, 64, x), *q = number(s, 64, y);
    bool both = isnan(a) && isnan(b);
    check(bits_of(float_binary(s, mode, FLOAT_ADD, p, q)), double_bits(a + b), both);
    check(bits_of(float_binary(s, mode, FLOAT_SUB, p, q)), double_bits(a - b), both);
    check(bits_of(float_binary(s, mode, FLOAT_MUL, p, q)), double_bits(a * b), both);
    check(bits_of(float_binary(s, mode, FLOAT_DIV, p, q)), double_bits(a / b), both);
    assert_int_equal(bits_of(float_resize(s, mode, p, 32)), float_bits((float)a));
}

static void one_cast(struct term_store *s, uint64_t x, uint64_t n)
{
    volatile double a = as_double(x);
    const struct term *p = number(s, 64, x), *fits, *out;
    out = float_to_integer(s, p, true, 32, &fits);
    bool inside = a > -2147483649.0 && a < 2147483648.0;
    assert_int_equal(bits_of(fits), inside);
    if (inside)
        assert_int_equal(bits_of(out), (uint32_t)(int32_t)a);
    out = float_to_integer(s, p, false, 64, &fits);
    inside = a > -1.0 && a < 18446744073709551616.0;
    assert_int_equal(bits_of(fits), inside);
    if (inside)
        assert_int_equal(bits_of(out), (uint64_t)a);
    out = float_to_integer(s, p, true, 64, &fits);
    inside = a >= -9223372036854775808.0 && a < 9223372036854775808.0;
    assert_int_equal(bits_of(fits), inside);
    if (inside)
        assert_int_equal(bits_of(out), (uint64_t)(int64_t)a);
    const struct term *whole = number(s, 64, n), *part = number(s, 32, n);
    assert_int_equal(bits_of(float_from_integer(s, mode, whole, true, 64)),
                     double_bits((double)(int64_t)n));
    assert_int_equal(bits_of(float_from_integer(s, mode, whole, false, 64)),
                     double_bits((double)n));
    assert_int_equal(bits_of(float_from_integer(s, mode, whole, false, 32)), float_bits((float)n));
    assert_int_equal(bits_of(float_from_integer(s, mode, whole, true, 32)),
                     float_bits((float)(int64_t)n));
    assert_int_equal(bits_of(float_from_integer(s, mode, part, true, 32)),
                     float_bits((float)(int32_t)n));
    assert_int_equal(bits_of(float_from_integer(s, mode, part, true, 64)), double_bits((int32_t)n));
}

static void run_some(void (*one)(struct term_store *, uint64_t, uint64_t), uint32_t width,
                     bool integer, unsigned count)
{
    struct random random;
    random_init(&random, 1754);
    struct term_store *s = term_store_create(NULL);
    for (unsigned i = 0; i < count; i++) {
        uint64_t x = some_float(&random, width), y = some_float(&random, width);
        if (integer)
            y = random_next(&random) >> random_below(&random, 64);
        if (integer && i % 3 == 0)
            y = -y;
        choose_rounding(i % 8);
        one(s, x, i % 16 == 15 && !integer ? x : y);
        choose_rounding(0);
        if (i % 200 == 199) {
            term_store_destroy(s);
            s = term_store_create(NULL);
        }
    }
    term_store_destroy(s);
}

static void test_floats(void **state)
{
    (void)state;
    run_some(one_float, 32, false, part_models(3000, 300));
}

static void test_halves(void **state)
{
    (void)state;
    run_some(one_half, 32, false, part_models(3000, 300));
}

static void test_doubles(void **state)
{
    (void)state;
    run_some(one_double, 64, false, part_models(2000, 200));
}

static void test_casts(void **state)
{
    (void)state;
    run_some(one_cast, 64, true, part_models(2000, 200));
}

// Numbers of x87, all encodings: those without the bit before their fraction, too.

static const struct term *x87_term(struct term_store *s, program_word bits)
{
    return term_bv_binary(s, TERM_BV_CONCAT, term_bv(s, 16, (uint64_t)(bits >> 64)),
                          term_bv(s, 64, (uint64_t)bits));
}

static void check_x87(const struct term *found, long double expected)
{
    assert_int_equal(found->kind, TERM_BV);
    program_word bits = 0;
    for (const char *c = found->u.text; *c >= '0' && *c <= '9'; c++)
        bits = 10 * bits + (program_word)(*c - '0');
    assert_true(bits == x87_bits(expected));
}

static long double some_x87(struct random *random)
{
    uint64_t from = some_float(random, 64), bits = random_next(random);
    program_word word = x87_bits(as_double(from));
    if (bits % 4 != 0) // bits that a double does not have
        word ^= bits >> 40;
    if (bits % 16 == 1)
        word ^= (program_word)1 << 63;
    if (bits % 16 == 2)
        word ^= (program_word)(bits >> 50) << 64;
    if (bits % 16 == 3)
        word &= (((program_word)3 << 78) | UINT64_MAX); // the smallest, and their neighbours
    return x87_number(word);
}

static void one_x87(struct term_store *s, volatile long double a, volatile long double b,
                    uint64_t n)
{
    const struct term *p = x87_term(s, x87_bits(a)), *q = x87_term(s, x87_bits(b)), *fits, *out;
    check_x87(float_binary(s, mode, FLOAT_ADD, p, q), a + b);
    check_x87(float_binary(s, mode, FLOAT_SUB, p, q), a - b);
    check_x87(float_binary(s, mode, FLOAT_MUL, p, q), a * b);
    check_x87(float_binary(s, mode, FLOAT_DIV, p, q), a / b);
    check_x87(float_negate(s, p), -a);
    assert_int_equal(bits_of(float_resize(s, mode, p, 64)), double_bits((double)a));
    assert_int_equal(bits_of(float_resize(s, mode, p, 32)), float_bits((float)a));
    check_x87(float_resize(s, mode, number(s, 64, n), 80), as_double(n));
    check_x87(float_resize(s, mode, number(s, 32, n), 80), as_float(n));
    check_x87(float_from_integer(s, mode, number(s, 64, n), true, 80), (int64_t)n);
    check_x87(float_from_integer(s, mode, number(s, 64, n), false, 80), n);
    for (unsigned predicate = 0; predicate < 16; predicate++) {
        unsigned relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
        assert_int_equal(bits_of(float_compare(s, predicate, p, q)), (predicate & relation) != 0);
    }
    out = float_to_integer(s, p, true, 64, &fits);
    bool inside = a >= -0x1p63L && a < 0x1p63L;
    assert_int_equal(bits_of(fits), inside);
    if (inside)
        assert_int_equal(bits_of(out), (uint64_t)(int64_t)a);
}

static void test_x87(void **state)
{
    (void)state;
    if (!X87_HERE)
        skip();
    struct random random;
    random_init(&random, 1980);
    for (unsigned i = 0; i < part_models(2000, 150); i += 50) {
        struct term_store *s = term_store_create(NULL);
        for (unsigned k = 0; k < 50; k++) {
            long double x = some_x87(&random), y = some_x87(&random);
            uint64_t n = some_float(&random, 64);
            choose_rounding(k % 8);
            one_x87(s, x, k % 16 == 15 ? x : y, n);
            choose_rounding(0);
        }
        term_store_destroy(s);
    }
}

static void test_classes(void **state)
{
    (void)state;
    struct term_store *s = term_store_create(NULL);
    static const uint64_t numbers[] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
                                       0x80000000, 0x00000000, 0x00000001, 0x3f800000, 0x7f800000};
    for (unsigned k = 0; k < 10; k++) {
        for (unsigned c = 0; c < 10; c++)
            assert_int_equal(
                bits_of(float_is_class(s, (uint64_t)1 << c, number(s, 32, numbers[k]))), c == k);
    }
    assert_int_equal(bits_of(float_absolute(s, number(s, 32, 0xbf800000))), 0x3f800000);
    assert_int_equal(
        bits_of(float_copy_sign(s, number(s, 32, 0x3f800000), number(s, 32, 0x80000000))),
        0xbf800000);
    term_store_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),  cmocka_unit_test(test_floats),
        cmocka_unit_test(test_doubles), cmocka_unit_test(test_casts),
        cmocka_unit_test(test_x87),     cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
