#include <assert.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "logic/terms/print.h"
#include "logic/terms/value.h"

// The number, where a double has it.
static void print_decimal(struct text *out, uint32_t significand_bits, uint32_t exponent_bits,
                          bool negative, const mpz_t exponent, const mpz_t fraction)
{
    if (exponent_bits > 11 || significand_bits > 53)
        return;
    long field = mpz_get_si(exponent), largest = (1l << exponent_bits) - 1;
    long bias = largest >> 1;
    const char *sign = negative ? "-" : "";
    if (field == largest) {
        text_printf(out, " (%s)", mpz_sgn(fraction) != 0 ? "NaN" : negative ? "-oo" : "oo");
        return;
    }
    double significand = mpz_get_d(fraction);
    if (field != 0)
        significand += ldexp(1, (int)significand_bits - 1);
    long unit = (field != 0 ? field : 1) - bias - ((long)significand_bits - 1);
    double number = ldexp(significand, (int)unit);
    char digits[32];
    for (int precision = 1; precision <= 17; precision++) { // as few as give the number back
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    text_printf(out, " (%s%s)", sign, digits);
}

void print_float(struct text *out, const struct sort *sort, uint32_t exponent_bits,
                 struct value value)
{
    assert(sort->kind == SORT_BV && exponent_bits + 1 < sort->width);
    uint32_t fraction_bits = sort->width - 1 - exponent_bits;
    mpz_t bits, part;
    mpz_inits(bits, part, NULL);
    if (value_is_small(value))
        mpz_set_si(bits, value_small_get(value));
    else
        mpz_set_str(bits, value_pointer_get(value)->u.text, 10);
    bool negative = mpz_tstbit(bits, sort->width - 1) != 0;
    mpz_tdiv_q_2exp(part, bits, fraction_bits);
    mpz_tdiv_r_2exp(part, part, exponent_bits);
    mpz_tdiv_r_2exp(bits, bits, fraction_bits);
    text_printf(out, "%s%u'b", negative ? "-" : "", exponent_bits);
    for (uint32_t i = exponent_bits; i-- > 0;)
        text_add_char(out, mpz_tstbit(part, i) != 0 ? '1' : '0');
    char *fraction = mpz_get_str(NULL, 10, bits);
    text_printf(out, ".%u'd%s", fraction_bits, fraction);
    free(fraction); // GMP's own allocation
    print_decimal(out, fraction_bits + 1, exponent_bits, negative, part, bits);
    mpz_clears(bits, part, NULL);
}
