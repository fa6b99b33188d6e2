#include <assert.h>
#include <ctype.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/solidity/translate.h"

// Numbers in the four arithmetics (docs/solidity.md). In int, mod and mod-overflow they are integers, in bv bit-vectors;
// Booleans are Booleans everywhere, strings and memory objects integers everywhere.

enum policy { POLICY_NONE, POLICY_WRAP, POLICY_FLAG, POLICY_REVERT };

bool sol_bits(const struct sol_translator *t)
{
    return t->options->arithmetic == SOL_ARITHMETIC_BV;
}

static enum policy policy_of(const struct sol_translator *t, const struct sol_type *type)
{
    if (t->options->arithmetic == SOL_ARITHMETIC_INT || type->kind == SOL_T_CONSTANT)
        return POLICY_NONE;
    if (t->tree->minor >= 8 && !t->in_annotation)
        return t->frame != NULL && t->frame->unchecked ? POLICY_WRAP : POLICY_REVERT;
    return t->options->arithmetic == SOL_ARITHMETIC_MOD_OVERFLOW ? POLICY_FLAG : POLICY_WRAP;
}

static unsigned bits_of(const struct sol_type *type)
{
    switch (type->kind) {
    case SOL_T_UINT:
    case SOL_T_INT:
    case SOL_T_BYTES_N:
        return type->bits;
    case SOL_T_ADDRESS:
    case SOL_T_CONTRACT:
        return 160;
    case SOL_T_ENUM: // versions before 0.8 allow more than 256 values
        return type->node->count > 256 ? 16 : 8;
    default:
        return 256;
    }
}

static bool is_signed(const struct sol_type *type)
{
    return type->kind == SOL_T_INT;
}

const struct sort *sol_sort(struct sol_translator *t, const struct sol_type *type)
{
    if (type->kind == SOL_T_BOOL)
        return sort_bool(t->store);
    if (sol_bits(t) && sol_type_is_value(type))
        return sort_bv(t->store, bits_of(type));
    return sort_int(t->store);
}

const struct sort *sol_index_sort(struct sol_translator *t)
{
    return sol_bits(t) ? sort_bv(t->store, 256) : sort_int(t->store);
}

static const struct term *from_mpz(struct sol_translator *t, const struct sort *sort,
                                   const mpz_t number)
{
    mpz_t n;
    mpz_init_set(n, number);
    if (sort->kind == SORT_BV)
        mpz_fdiv_r_2exp(n, n, sort->width);
    char *text = mpz_get_str(NULL, 10, n);
    const struct term *term = sort->kind == SORT_BV ? term_bv_text(t->store, sort->width, text)
                                                    : term_int_text(t->store, text);
    free(text);
    mpz_clear(n);
    return term;
}

const struct term *sol_literal(struct sol_translator *t, const struct sol_type *type,
                               const char *decimal)
{
    mpz_t n;
    ENSURE(mpz_init_set_str(n, decimal, 10) == 0);
    const struct term *term = from_mpz(t, sol_sort(t, type), n);
    mpz_clear(n);
    return term;
}

const struct term *sol_number(struct sol_translator *t, const struct sort *sort, int64_t value)
{
    mpz_t n;
    mpz_init_set_si(n, value);
    const struct term *term = from_mpz(t, sort, n);
    mpz_clear(n);
    return term;
}

const struct term *sol_default(struct sol_translator *t, const struct sol_type *type)
{
    return term_default(t->store, sol_sort(t, type));
}

static const struct term *power(struct sol_translator *t, const struct sort *sort, unsigned bits,
                                int less)
{
    mpz_t n;
    mpz_init(n);
    mpz_setbit(n, bits);
    mpz_sub_ui(n, n, (unsigned)less);
    const struct term *term = from_mpz(t, sort, n);
    mpz_clear(n);
    return term;
}

static const struct term *integer_power(struct sol_translator *t, unsigned bits, int less)
{
    assert(bits <= 4096);
    return power(t, sort_int(t->store), bits, less);
}

// The least and greatest value as integers.
static const struct term *least(struct sol_translator *t, const struct sol_type *type)
{
    return is_signed(type) ? term_neg(t->store, integer_power(t, bits_of(type) - 1, 0))
                           : term_int(t->store, 0);
}

static const struct term *greatest(struct sol_translator *t, const struct sol_type *type)
{
    if (type->kind == SOL_T_ENUM)
        return term_int(t->store, (int64_t)type->node->count - 1);
    return integer_power(t, is_signed(type) ? bits_of(type) - 1 : bits_of(type), 1);
}

const struct term *sol_in_range(struct sol_translator *t, const struct sol_type *type,
                                const struct term *value)
{
    if (type->kind == SOL_T_STRING)
        return term_le(t->store, term_int(t->store, 0), value);
    if (type->kind == SOL_T_ENUM && sol_bits(t))
        return term_bv_binary(t->store, TERM_BV_ULE, value,
                              sol_number(t, value->sort, (int64_t)type->node->count - 1));
    if (!sol_type_is_value(type) || type->kind == SOL_T_BOOL || sol_bits(t))
        return term_true(t->store);
    return term_and2(t->store, term_le(t->store, least(t, type), value),
                     term_le(t->store, value, greatest(t, type)));
}

void sol_assume_range(struct sol_translator *t, const struct sol_type *type,
                      const struct term *value, const struct sol_node *at)
{
    if (term_is_literal(value))
        return;
    sol_assume(t, sol_in_range(t, type, value), at);
}

// Integers.

static void raise_overflow(struct sol_translator *t, const struct term *fine,
                           const struct sol_node *at)
{
    const struct term *wrong = term_not(t->store, fine);
    if (term_is_false(wrong))
        return;
    if (t->in_annotation) {
        t->condition = t->condition != NULL ? term_and2(t->store, t->condition, fine) : fine;
        return;
    }
    ENSURE(t->overflow != NULL && t->options->arithmetic == SOL_ARITHMETIC_MOD_OVERFLOW);
    sol_assign(t, t->overflow, term_or2(t->store, t->overflow->term, wrong), at);
    t->overflow_pending = true;
}

static const struct term *fresh_integer(struct sol_translator *t, const char *stem,
                                        const struct sol_node *at)
{
    const struct variable *v = sol_fresh(t, stem, sort_int(t->store), at);
    sol_havoc(t, v, at);
    return v->term;
}

// What is congruent modulo 2^bits and in range, for any integer.
static const struct term *reduce(struct sol_translator *t, const struct sol_type *type,
                                 const struct term *x, bool linear, const struct sol_node *at)
{
    struct term_store *s = t->store;
    const struct term *modulus = integer_power(t, bits_of(type), 0), *rest;
    if (linear) {
        rest = term_mod(s, x, modulus);
    } else { // x = k * M + rest, so that the product stays a product for the solver
        const struct term *k = fresh_integer(t, "wraps", at);
        rest = fresh_integer(t, "rest", at);
        sol_assume(t, term_eq(s, x, term_add2(s, term_mul2(s, modulus, k), rest)), at);
        sol_assume(t, term_and2(s, term_le(s, term_int(s, 0), rest), term_lt(s, rest, modulus)),
                   at);
    }
    if (!is_signed(type))
        return rest;
    return term_ite(s, term_le(s, rest, greatest(t, type)), rest, term_sub(s, rest, modulus));
}

// One step beyond either end: the result of an addition, a subtraction or a quotient.
static const struct term *wrap_once(struct sol_translator *t, const struct sol_type *type,
                                    const struct term *x)
{
    struct term_store *s = t->store;
    const struct term *modulus = integer_power(t, bits_of(type), 0);
    return term_ite(s, term_lt(s, greatest(t, type), x), term_sub(s, x, modulus),
                    term_ite(s, term_lt(s, x, least(t, type)), term_add2(s, x, modulus), x));
}

enum reach { REACH_ONCE, REACH_LINEAR, REACH_ANY };

static const struct term *settle(struct sol_translator *t, const struct sol_type *type,
                                 const struct term *x, enum reach reach, const struct sol_node *at)
{
    enum policy policy = policy_of(t, type);
    ENSURE(x->sort->kind == SORT_INT);
    if (policy == POLICY_NONE)
        return x;
    const struct term *fine = sol_in_range(t, type, x);
    if (term_is_true(fine))
        return x;
    if (policy == POLICY_REVERT) {
        sol_assume(t, fine, at);
        return x;
    }
    if (policy == POLICY_FLAG)
        raise_overflow(t, fine, at);
    if (reach == REACH_ONCE)
        return wrap_once(t, type, x);
    // Most runs stay in range; where one does not is what the condition tells the solver.
    const struct term *wrapped = reduce(t, type, x, reach == REACH_LINEAR, at);
    return reach == REACH_LINEAR ? wrapped : term_ite(t->store, fine, x, wrapped);
}

static bool is_nonlinear(const struct term *a, const struct term *b)
{
    return !term_is_literal(a) && !term_is_literal(b);
}

// Truncates toward zero; the divisor is not zero (in annotations: anything then).
static const struct term *quotient(struct sol_translator *t, const struct sol_type *type,
                                   const struct term *a, const struct term *b,
                                   const struct sol_node *at)
{
    struct term_store *s = t->store;
    const struct term *zero = term_int(s, 0);
    bool natural = !is_signed(type) && type->kind != SOL_T_CONSTANT &&
                   t->options->arithmetic != SOL_ARITHMETIC_INT;
    if (term_is_literal(b) || !natural) {
        if (natural)
            return term_div(s, a, b);
        return term_ite(s, term_le(s, zero, a), term_div(s, a, b),
                        term_neg(s, term_div(s, term_neg(s, a), b)));
    }
    // What the solver would have to find out by itself about a product of two unknowns.
    const struct term *q = term_div(s, a, b), *r = term_sub(s, a, term_mul2(s, b, q));
    const struct term *known = term_and2(s, term_and2(s, term_le(s, zero, r), term_lt(s, r, b)),
                                         term_and2(s, term_le(s, zero, q), term_le(s, q, a)));
    sol_assume(
        t, t->in_annotation ? term_implies(s, term_not(s, term_eq(s, b, zero)), known) : known, at);
    return q;
}

static const struct term *divide(struct sol_translator *t, const struct sol_type *type,
                                 const struct term *a, const struct term *b, bool rest,
                                 const struct sol_node *at)
{
    struct term_store *s = t->store;
    if (!t->in_annotation)
        sol_assume(t, term_not(s, term_eq(s, b, term_int(s, 0))), at); // it reverts
    const struct term *q = quotient(t, type, a, b, at);
    if (rest)
        return term_sub(s, a, term_mul2(s, b, q));
    return is_signed(type) ? settle(t, type, q, REACH_ONCE, at) : q;
}

// Any value in range: what has no exact counterpart here.
static const struct term *unknown(struct sol_translator *t, const struct sol_type *type,
                                  const struct sol_node *at)
{
    const struct variable *v = sol_fresh(t, "unknown", sol_sort(t, type), at);
    sol_havoc(t, v, at);
    sol_assume_range(t, type, v->term, at);
    return v->term;
}

static bool literal_number(const struct term *term, mpz_t out)
{
    if (!term_is_literal(term) || (term->kind != TERM_INT && term->kind != TERM_BV))
        return false;
    struct value v = term_value(term);
    if (value_is_small(v))
        mpz_set_si(out, value_small_get(v));
    else
        mpz_set_str(out, term->u.text, 10);
    return true;
}

// A literal exponent or shift of at most 4096; -1 when it is none.
static long literal_small(const struct term *term)
{
    mpz_t n;
    mpz_init(n);
    long small =
        literal_number(term, n) && mpz_sgn(n) >= 0 && mpz_cmp_si(n, 4096) <= 0 ? mpz_get_si(n) : -1;
    mpz_clear(n);
    return small;
}

static const struct term *bit_run(struct sol_translator *t, const struct term *a, unsigned low,
                                  unsigned high)
{
    struct term_store *s = t->store;
    assert(low < high);
    const struct term *part = low > 0 ? term_div(s, a, integer_power(t, low, 0)) : a;
    part = term_mod(s, part, integer_power(t, high - low, 0));
    return low > 0 ? term_mul2(s, part, integer_power(t, low, 0)) : part;
}

// a & mask by the mask's runs of ones; NULL when there are very many.
static const struct term *and_mask(struct sol_translator *t, const struct term *a, const mpz_t mask)
{
    const struct term *sum = term_int(t->store, 0);
    mp_bitcnt_t low = mpz_scan1(mask, 0);
    for (unsigned runs = 0; mpz_sgn(mask) > 0 && low < mpz_sizeinbase(mask, 2); runs++) {
        mp_bitcnt_t high = mpz_scan0(mask, low);
        if (runs == 16)
            return NULL;
        sum = term_add2(t->store, sum, bit_run(t, a, (unsigned)low, (unsigned)high));
        low = mpz_scan1(mask, high);
    }
    return sum;
}

static const struct term *odd_at(struct sol_translator *t, const struct term *a, unsigned bit)
{
    struct term_store *s = t->store;
    const struct term *shifted = bit > 0 ? term_div(s, a, integer_power(t, bit, 0)) : a;
    return term_eq(s, term_mod(s, shifted, term_int(s, 2)), term_int(s, 1));
}

static const struct term *and_bit_by_bit(struct sol_translator *t, const struct term *a,
                                         const struct term *b, unsigned bits)
{
    struct term_store *s = t->store;
    const struct term *sum = term_int(s, 0);
    for (unsigned i = 0; i < bits; i++)
        sum = term_add2(s, sum,
                        term_ite(s, term_and2(s, odd_at(t, a, i), odd_at(t, b, i)),
                                 integer_power(t, i, 0), term_int(s, 0)));
    return sum;
}

#define MOST_SINGLE_BITS 16

// a & b of numbers that are not negative.
static const struct term *and_exactly(struct sol_translator *t, const struct term *a,
                                      const struct term *b, unsigned bits)
{
    mpz_t mask;
    mpz_init(mask);
    const struct term *result = NULL;
    if (literal_number(b, mask))
        result = and_mask(t, a, mask);
    else if (literal_number(a, mask))
        result = and_mask(t, b, mask);
    mpz_clear(mask);
    return result != NULL || bits > MOST_SINGLE_BITS ? result : and_bit_by_bit(t, a, b, bits);
}

static const struct term *and_roughly(struct sol_translator *t, const struct sol_type *type,
                                      const struct term *a, const struct term *b,
                                      const struct sol_node *at)
{
    struct term_store *s = t->store;
    const struct sol_type *plain = sol_type_of(t->types, "uint256");
    const struct term *r = unknown(t, is_signed(type) ? plain : type, at);
    sol_assume(t, term_and2(s, term_le(s, r, a), term_le(s, r, b)), at);
    t->inexact = true;
    return r;
}

// The bits of a number of two's complement as a number that is not negative, and back.
static const struct term *to_bits(struct sol_translator *t, const struct sol_type *type,
                                  const struct term *a)
{
    if (!is_signed(type))
        return a;
    return term_mod(t->store, a, integer_power(t, bits_of(type), 0));
}

static const struct term *from_bits(struct sol_translator *t, const struct sol_type *type,
                                    const struct term *a)
{
    if (!is_signed(type))
        return a;
    return term_ite(t->store, term_le(t->store, a, greatest(t, type)), a,
                    term_sub(t->store, a, integer_power(t, bits_of(type), 0)));
}

// a | b = a + b - (a & b), a ^ b = a + b - 2 (a & b)
static const struct term *bitwise(struct sol_translator *t, const char *operator,
                                  const struct sol_type * type, const struct term *a,
                                  const struct term *b, const struct sol_node *at)
{
    struct term_store *s = t->store;
    a = sol_keep(t, "bits", to_bits(t, type, a), at);
    b = sol_keep(t, "bits", to_bits(t, type, b), at);
    const struct term *both = and_exactly(t, a, b, bits_of(type));
    both = sol_keep(t, "both", both != NULL ? both : and_roughly(t, type, a, b, at), at);
    if (*operator== '&')
        return from_bits(t, type, both);
    const struct term *sum = term_sub(s, term_add2(s, a, b), both);
    return from_bits(t, type, *operator== '|' ? sum : term_sub(s, sum, both));
}

// Before 0.5 a shift to the right was a division, which rounds toward zero.
static bool rounds_to_zero(const struct sol_translator *t, const struct sol_type *type)
{
    return is_signed(type) && t->tree->minor < 5;
}

static const struct term *shift_by(struct sol_translator *t, bool left, const struct sol_type *type,
                                   const struct term *a, unsigned distance)
{
    const struct term *factor = integer_power(t, distance, 0);
    if (!left && rounds_to_zero(t, type))
        return term_ite(t->store, term_le(t->store, term_int(t->store, 0), a),
                        term_div(t->store, a, factor),
                        term_neg(t->store, term_div(t->store, term_neg(t->store, a), factor)));
    if (!left)
        return term_div(t->store, a, factor);
    const struct term *product = term_mul2(t->store, a, factor);
    return policy_of(t, type) == POLICY_NONE
               ? product
               : reduce(t, type, product, true, NULL); // never an overflow
}

#define MOST_SHIFTED_BITS 32

static const struct term *shift(struct sol_translator *t, bool left, const struct sol_type *type,
                                const struct term *a, const struct term *b,
                                const struct sol_node *at)
{
    struct term_store *s = t->store;
    long distance = literal_small(b);
    unsigned bits = bits_of(type);
    if (distance >= 0)
        return shift_by(t, left, type, a, (unsigned)distance);
    if ((!term_is_literal(a) && bits > MOST_SHIFTED_BITS) || policy_of(t, type) == POLICY_NONE) {
        const struct term *r = unknown(t, type, at);
        if (!left && !is_signed(type))
            sol_assume(t, term_le(s, r, a), at);
        t->inexact = true;
        return r;
    }
    b = sol_keep(t, "distance", b, at);
    const struct term *result = left ? term_int(s, 0) : shift_by(t, false, type, a, bits);
    for (unsigned i = bits; i-- > 0;)
        result = term_ite(s, term_eq(s, b, term_int(s, i)), shift_by(t, left, type, a, i), result);
    return result;
}

static const struct term *is_exponent(struct sol_translator *t, const struct term *b, unsigned i)
{
    ENSURE(b->sort->kind == SORT_INT || b->sort->width > 8 || i < 1U << b->sort->width);
    return term_eq(t->store, b, sol_number(t, b->sort, i));
}

// Of the literal's type: a bit-vector of a signed one may be a negative number.
static void literal_base(const struct sol_type *type, const struct term *a, mpz_t base)
{
    literal_number(a, base);
    if (a->sort->kind != SORT_BV || !is_signed(type) || !mpz_tstbit(base, a->sort->width - 1))
        return;
    mpz_t modulus;
    mpz_init(modulus);
    mpz_setbit(modulus, a->sort->width);
    mpz_sub(base, base, modulus);
    mpz_clear(modulus);
}

// A literal to the power of anything.
static const struct term *powers_of(struct sol_translator *t, const struct sol_type *type,
                                    const struct term *a, const struct term *b,
                                    const struct sol_node *at)
{
    struct term_store *s = t->store;
    mpz_t base, n, most;
    mpz_init(base);
    mpz_init_set_ui(n, 1);
    mpz_init(most);
    literal_base(type, a, base);
    mpz_setbit(most, is_signed(type) ? bits_of(type) - 1 : bits_of(type));
    const struct term *result = NULL, *exact = NULL;
    unsigned count = 0;
    const struct term *zero = sol_number(t, a->sort, 0), *one = sol_number(t, a->sort, 1);
    const struct term *values[257];
    if (mpz_cmp_ui(base, 1) <= 0) {
        result = mpz_sgn(base) == 0         ? term_ite(s, is_exponent(t, b, 0), one, zero)
                 : mpz_cmp_ui(base, 1) == 0 ? one
                                            : NULL;
    } else {
        for (; mpz_cmp(n, most) < 0 && count < 257; count++) {
            values[count] = from_mpz(t, a->sort, n);
            mpz_mul(n, n, base);
        }
        const struct term *last = sol_number(t, b->sort, count - 1);
        assert(count >= 1 && count <= 256);
        exact = b->sort->kind == SORT_BV ? term_bv_binary(s, TERM_BV_ULE, b, last)
                                         : term_le(s, b, last);
        enum policy policy = policy_of(t, type);
        bool even_power = mpz_popcount(base) == 1 && !is_signed(type); // wraps around to zero
        if (policy == POLICY_REVERT)
            sol_assume(t, exact, at);
        else if (policy == POLICY_FLAG)
            raise_overflow(t, exact, at);
        if (policy != POLICY_REVERT && !even_power)
            t->inexact = true;
        result = policy == POLICY_REVERT || even_power ? zero : unknown(t, type, at);
        for (unsigned i = count; i-- > 0;)
            result = term_ite(s, is_exponent(t, b, i), values[i], result);
    }
    mpz_clear(base);
    mpz_clear(n);
    mpz_clear(most);
    return result;
}

#define MOST_UNKNOWN_POWER 4

// Anything to a small power: what is larger is any value.
static const struct term *small_powers(struct sol_translator *t, const struct sol_type *type,
                                       const struct term *a, const struct term *b,
                                       const struct sol_node *at)
{
    struct term_store *s = t->store;
    const struct term *powers[MOST_UNKNOWN_POWER + 1] = {sol_number(t, a->sort, 1)};
    if (policy_of(t, type) == POLICY_FLAG) {
        const struct variable *v = sol_fresh(t, "overflows", sort_bool(s), at);
        sol_havoc(t, v, at);
        raise_overflow(t, term_or2(s, v->term, term_le(s, b, term_int(s, 1))), at);
    }
    t->inexact = true;
    const struct term *result = unknown(t, type, at);
    if (policy_of(t, type) != POLICY_REVERT || sol_bits(t)) { // products of any size wrap around
        for (unsigned i = 2; i-- > 0;)
            result = term_ite(s, is_exponent(t, b, i), i == 0 ? powers[0] : a, result);
        return result;
    }
    for (unsigned i = 1; i <= MOST_UNKNOWN_POWER; i++)
        powers[i] = i == 1 ? a : term_mul2(s, powers[i - 1], a);
    for (unsigned i = MOST_UNKNOWN_POWER + 1; i-- > 0;)
        result = term_ite(s, is_exponent(t, b, i), powers[i], result);
    result = sol_keep(t, "power", result, at);
    sol_assume(t, sol_in_range(t, type, result), at);
    return result;
}

static const struct term *exponentiate(struct sol_translator *t, const struct sol_type *type,
                                       const struct term *a, const struct term *b,
                                       const struct sol_node *at)
{
    long exponent = literal_small(b);
    if (exponent < 0 || exponent > 16) {
        b = sol_keep(t, "exponent", b, at);
        const struct term *result = NULL;
        // A compiler's numbers have eight bits or more; those of no other could count the powers.
        bool wide = bits_of(type) >= 8 && (b->sort->kind != SORT_BV || b->sort->width >= 8);
        if (term_is_literal(a) && policy_of(t, type) != POLICY_NONE && wide)
            result = powers_of(t, type, a, b, at);
        return result != NULL ? result : small_powers(t, type, a, b, at);
    }
    const struct term *result = sol_number(t, a->sort, 1);
    for (long i = 0; i < exponent; i++)
        result = sol_arithmetic(t, "*", type, result, a, at);
    return result;
}

static const struct term *integers(struct sol_translator *t, const char *operator,
                                   const struct sol_type * type, const struct term *a,
                                   const struct term *b, const struct sol_node *at)
{
    struct term_store *s = t->store;
    if (strcmp(operator, "**") == 0)
        return exponentiate(t, type, a, b, at);
    switch (*operator) {
    case '+':
        return settle(t, type, term_add2(s, a, b), REACH_ONCE, at);
    case '-':
        return settle(t, type, term_sub(s, a, b), REACH_ONCE, at);
    case '*':
        return settle(t, type, term_mul2(s, a, b), is_nonlinear(a, b) ? REACH_ANY : REACH_LINEAR,
                      at);
    case '/':
    case '%':
        return divide(t, type, a, b, *operator== '%', at);
    case '<':
    case '>':
        return shift(t, *operator== '<', type, a, b, at);
    default:
        return bitwise(t, operator, type, a, b, at);
    }
}

// Bit-vectors.

// The exact result in a width that holds it, for checked arithmetic.
static const struct term *exact_fits(struct sol_translator *t, char operator,
                                     const struct sol_type * type, const struct term *a,
                                     const struct term *b)
{
    struct term_store *s = t->store;
    unsigned width = bits_of(type), wide = operator== '*' ? 2 * width : width + 2;
    enum term_kind extend = is_signed(type) ? TERM_BV_SEXT : TERM_BV_ZEXT;
    ENSURE(a->sort == b->sort && a->sort->kind == SORT_BV && a->sort->width == width);
    const struct term *x = term_bv_extend(s, extend, a, wide),
                      *y = term_bv_extend(s, extend, b, wide);
    if (operator== '-')
        y = term_bv_unary(s, TERM_BV_NEG, y);
    const struct term *exact = term_bv_binary(s, operator== '*' ? TERM_BV_MUL : TERM_BV_ADD, x, y);
    const struct term *back =
        term_bv_extend(s, extend, term_bv_extract(s, exact, width - 1, 0), wide);
    return term_eq(s, exact, back);
}

static enum term_kind bits_operator(const char *operator, bool sign)
{
    switch (*operator) {
    case '+':
    case '-':
        return TERM_BV_ADD;
    case '*':
        return TERM_BV_MUL;
    case '/':
        return sign ? TERM_BV_SDIV : TERM_BV_UDIV;
    case '%':
        return sign ? TERM_BV_SREM : TERM_BV_UREM;
    case '&':
        return TERM_BV_AND;
    case '|':
        return TERM_BV_OR;
    case '^':
        return TERM_BV_XOR;
    case '<':
        return TERM_BV_SHL;
    default:
        return sign ? TERM_BV_ASHR : TERM_BV_LSHR;
    }
}

static const struct term *bit_vectors(struct sol_translator *t, const char *operator,
                                      const struct sol_type * type, const struct term *a,
                                      const struct term *b, const struct sol_node *at)
{
    struct term_store *s = t->store;
    if (strcmp(operator, "**") == 0)
        return exponentiate(t, type, a, b, at);
    if ((*operator== '<' || * operator== '>') && b->sort != a->sort) {
        const struct term *most = term_bv(s, b->sort->width, bits_of(type));
        unsigned width = a->sort->width;
        const struct term *far =
            b->sort->width > width ? term_bv_binary(s, TERM_BV_ULE, most, b) : term_false(s);
        const struct term *near = b->sort->width > width
                                      ? term_bv_extract(s, b, width - 1, 0)
                                      : term_bv_extend(s, TERM_BV_ZEXT, b, width);
        b = term_ite(s, far, power(t, a->sort, width, 1), near);
    }
    if ((*operator== '/' || * operator== '%') && !t->in_annotation)
        sol_assume(t, term_not(s, term_eq(s, b, term_default(s, b->sort))), at);
    if (policy_of(t, type) == POLICY_REVERT && strchr("+-*", *operator) != NULL)
        sol_assume(t, exact_fits(t, *operator, type, a, b), at);
    if (*operator== '>' && rounds_to_zero(t, type)) {
        const struct term *zero = term_default(s, a->sort),
                          *back = term_bv_unary(s, TERM_BV_NEG, a);
        back = term_bv_unary(s, TERM_BV_NEG, term_bv_binary(s, TERM_BV_LSHR, back, b));
        return term_ite(s, term_bv_binary(s, TERM_BV_SLT, a, zero), back,
                        term_bv_binary(s, TERM_BV_LSHR, a, b));
    }
    if (*operator== '-')
        b = term_bv_unary(s, TERM_BV_NEG, b);
    return term_bv_binary(s, bits_operator(operator, is_signed(type)), a, b);
}

// Both.

const struct term *sol_arithmetic(struct sol_translator *t, const char *operator,
                                  const struct sol_type * type, const struct term *a,
                                  const struct term *b, const struct sol_node *at)
{
    bool shifts = strcmp(operator, "**") == 0 || strlen(operator) == 2;
    if (!sol_is_sort(t, a, sol_sort(t, type), at) || a->sort->kind == SORT_BOOL || b == NULL ||
        (b->sort != a->sort && !(shifts && b->sort->kind == a->sort->kind))) {
        sol_not_supported(t, at, "the operator `%s` between these", operator);
        return sol_default(t, type);
    }
    if (a->sort->kind == SORT_BV)
        return bit_vectors(t, operator, type, a, b, at);
    return integers(t, operator, type, a, b, at);
}

const struct term *sol_negate(struct sol_translator *t, const struct sol_type *type,
                              const struct term *a, const struct sol_node *at)
{
    struct term_store *s = t->store;
    if (!sol_is_sort(t, a, sol_sort(t, type), at) || a->sort->kind == SORT_BOOL) {
        sol_not_supported(t, at, "the negative of this");
        return sol_default(t, type);
    }
    if (a->sort->kind == SORT_BV) {
        if (policy_of(t, type) == POLICY_REVERT)
            sol_assume(t, term_not(s, term_eq(s, a, power(t, a->sort, bits_of(type) - 1, 0))), at);
        return term_bv_unary(s, TERM_BV_NEG, a);
    }
    return settle(t, type, term_neg(s, a), REACH_ONCE, at);
}

const struct term *sol_compare(struct sol_translator *t, const char *operator,
                               const struct sol_type * type, const struct term *a,
                               const struct term *b, const struct sol_node *at)
{
    struct term_store *s = t->store;
    bool equality = operator[0] == '=' || operator[0] == '!';
    if (!sol_is_sort(t, b, a->sort, at) || (!equality && a->sort->kind == SORT_BOOL)) {
        sol_not_supported(t, at, "the comparison `%s` between these", operator);
        return term_false(s);
    }
    if (strcmp(operator, "==") == 0)
        return term_eq(s, a, b);
    if (strcmp(operator, "!=") == 0)
        return term_not(s, term_eq(s, a, b));
    if (*operator== '>') {
        const struct term *swap = a;
        a = b;
        b = swap;
    }
    bool strict = operator[1] != '=';
    if (a->sort->kind != SORT_BV)
        return strict ? term_lt(s, a, b) : term_le(s, a, b);
    return term_bv_binary(s,
                          is_signed(type) ? (strict ? TERM_BV_SLT : TERM_BV_SLE)
                                          : (strict ? TERM_BV_ULT : TERM_BV_ULE),
                          a, b);
}

static const struct term *convert_bits(struct sol_translator *t, const struct sol_type *from,
                                       const struct sol_type *to, const struct term *value)
{
    unsigned width = bits_of(to), old = value->sort->width;
    struct term_store *s = t->store;
    if (from->kind == SOL_T_BYTES_N && to->kind == SOL_T_BYTES_N) { // the left bytes stay
        if (width <= old)
            return term_bv_extract(s, value, old - 1, old - width);
        return term_bv_binary(s, TERM_BV_CONCAT, value, term_bv(s, width - old, 0));
    }
    assert(width >= 1 && old >= 1);
    if (width < old)
        return term_bv_extract(s, value, width - 1, 0);
    return width == old
               ? value
               : term_bv_extend(s, is_signed(from) ? TERM_BV_SEXT : TERM_BV_ZEXT, value, width);
}

static const struct term *convert_integers(struct sol_translator *t, const struct sol_type *from,
                                           const struct sol_type *to, const struct term *value,
                                           const struct sol_node *at)
{
    struct term_store *s = t->store;
    unsigned a = bits_of(from), b = bits_of(to);
    if (from->kind == SOL_T_BYTES_N && to->kind == SOL_T_BYTES_N)
        return a == b  ? value
               : a < b ? term_mul2(s, value, integer_power(t, b - a, 0))
                       : term_div(s, value, integer_power(t, a - b, 0));
    if (to->kind == SOL_T_CONSTANT ||
        (t->options->arithmetic == SOL_ARITHMETIC_INT && sol_type_is_number(to)))
        return value;
    if (to->kind == SOL_T_ENUM) {
        sol_assume(t, sol_in_range(t, to, value), at);
        return value;
    }
    bool fits = is_signed(from) == is_signed(to) ? a <= b : is_signed(to) && a < b;
    if (from->kind == SOL_T_ENUM && from->node->count <= 128)
        fits = true;
    return fits && from->kind != SOL_T_CONSTANT ? value : reduce(t, to, value, true, at);
}

const struct term *sol_convert(struct sol_translator *t, const struct sol_type *from,
                               const struct sol_type *to, const struct term *value,
                               const struct sol_node *at)
{
    if (from == to || !sol_type_is_value(to))
        return value;
    if ((from->kind == SOL_T_BOOL) != (to->kind == SOL_T_BOOL) ||
        (sol_type_is_value(from) && value->sort != sol_sort(t, from))) {
        sol_not_supported(t, at, "a conversion from `%s` to `%s`", from->text, to->text);
        return sol_default(t, to);
    }
    if (value->sort->kind == SORT_BOOL)
        return value;
    if (value->sort->kind == SORT_BV && to->kind == SOL_T_ENUM && from->kind != SOL_T_ENUM)
        sol_assume(t,
                   term_bv_binary(t->store, TERM_BV_ULE, value,
                                  sol_number(t, value->sort, (int64_t)to->node->count - 1)),
                   at);
    if (value->sort->kind == SORT_BV)
        return convert_bits(t, from, to, value);
    return convert_integers(t, from, to, value, at);
}

// Constant expressions, exact.

static bool literal_value(const struct sol_node *node, mpq_t out)
{
    static const struct {
        const char *unit;
        unsigned long factor;
    } units[] = {{"wei", 1},
                 {"gwei", 1000000000},
                 {"szabo", 1000000000000},
                 {"finney", 1000000000000000},
                 {"ether", 1000000000000000000},
                 {"seconds", 1},
                 {"minutes", 60},
                 {"hours", 3600},
                 {"days", 86400},
                 {"weeks", 604800},
                 {"years", 31536000}};
    char digits[400];
    size_t count = 0;
    long scale = 0;
    const char *at = node->name;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        for (at += 2; *at && count < sizeof digits - 1; at++)
            if (*at != '_')
                digits[count++] = *at;
        digits[count] = '\0';
        if (count == 0 || mpz_set_str(mpq_numref(out), digits, 16) != 0)
            return false;
        mpz_set_ui(mpq_denref(out), 1);
    } else {
        bool fraction = false;
        for (;
             (isdigit((unsigned char)*at) || *at == '_' || *at == '.') && count < sizeof digits - 1;
             at++) {
            if (*at == '.')
                fraction = true;
            else if (*at != '_') {
                digits[count++] = *at;
                scale -= fraction;
            }
        }
        digits[count] = '\0';
        if (*at == 'e' || *at == 'E')
            scale += sol_exponent(at + 1);
        else if (*at != '\0')
            return false;
        if (count == 0 || scale > 4000 || scale < -4000 ||
            mpz_set_str(mpq_numref(out), digits, 10) != 0)
            return false;
        mpz_ui_pow_ui(mpq_denref(out), 10, scale < 0 ? (unsigned long)-scale : 0);
        mpz_t up;
        mpz_init(up);
        mpz_ui_pow_ui(up, 10, scale > 0 ? (unsigned long)scale : 0);
        mpz_mul(mpq_numref(out), mpq_numref(out), up);
        mpz_clear(up);
        mpq_canonicalize(out);
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].unit, node->unit) == 0) {
            mpq_t factor;
            mpq_init(factor);
            mpq_set_ui(factor, units[i].factor, 1);
            mpq_mul(out, out, factor);
            mpq_clear(factor);
        }
    return true;
}

static bool whole(const mpq_t a)
{
    return mpz_cmp_ui(mpq_denref(a), 1) == 0;
}

// `old`: of a compiler before 0.5, whose shifts to the right round toward zero.
static bool apply(const char *operator, mpq_t a, const mpq_t b, bool old)
{
    mpz_ptr n = mpq_numref(a);
    mpz_srcptr m = mpq_numref(b);
    if (strcmp(operator, "**") == 0) {
        if (!whole(b) || !mpz_fits_slong_p(m) || labs(mpz_get_si(m)) > 4096 ||
            mpz_sizeinbase(n, 2) * (size_t)labs(mpz_get_si(m)) > 20000)
            return false;
        long exponent = mpz_get_si(m);
        if (exponent < 0) {
            if (mpq_sgn(a) == 0)
                return false;
            mpq_inv(a, a);
            exponent = -exponent;
        }
        mpz_pow_ui(mpq_numref(a), mpq_numref(a), (unsigned long)exponent);
        mpz_pow_ui(mpq_denref(a), mpq_denref(a), (unsigned long)exponent);
        return true;
    }
    switch (*operator) {
    case '+':
        mpq_add(a, a, b);
        return true;
    case '-':
        mpq_sub(a, a, b);
        return true;
    case '*':
        mpq_mul(a, a, b);
        return mpz_sizeinbase(n, 2) < 40000;
    case '/':
        if (mpq_sgn(b) == 0)
            return false;
        mpq_div(a, a, b);
        return true;
    }
    if (!whole(a) || !whole(b))
        return false;
    if (*operator== '%' && mpz_sgn(m) != 0)
        mpz_tdiv_r(n, n, m);
    else if (*operator== '&')
        mpz_and(n, n, m);
    else if (*operator== '|')
        mpz_ior(n, n, m);
    else if (*operator== '^')
        mpz_xor(n, n, m);
    else if (strcmp(operator, "<<") == 0 && mpz_fits_ulong_p(m) && mpz_get_ui(m) <= 4096)
        mpz_mul_2exp(n, n, mpz_get_ui(m));
    else if (strcmp(operator, ">>") == 0 && mpz_fits_ulong_p(m) && mpz_get_ui(m) <= 4096)
        (old ? mpz_tdiv_q_2exp : mpz_fdiv_q_2exp)(n, n, mpz_get_ui(m));
    else
        return false;
    return true;
}

static bool evaluate(const struct sol_node *node, mpq_t out, int depth, bool old)
{
    if (node == NULL || depth > 500)
        return false;
    if (node->kind == SOL_LITERAL)
        return strcmp(node->word, "number") == 0 && literal_value(node, out);
    if (node->kind == SOL_TUPLE && node->count == 1)
        return evaluate(node->list[0], out, depth + 1, old);
    if (node->kind == SOL_UNARY && strcmp(node->name, "-") == 0) {
        if (!evaluate(node->part[0], out, depth + 1, old))
            return false;
        mpq_neg(out, out);
        return true;
    }
    if (node->kind != SOL_BINARY || !evaluate(node->part[0], out, depth + 1, old))
        return false;
    mpq_t right;
    mpq_init(right);
    bool good =
        evaluate(node->part[1], right, depth + 1, old) && apply(node->name, out, right, old);
    mpq_clear(right);
    return good;
}

const char *sol_constant(struct sol_translator *t, const struct sol_node *node)
{
    mpq_t value;
    mpq_init(value);
    const char *result = NULL;
    if (evaluate(node, value, 0, t->tree->minor < 5) && whole(value)) {
        char *text = mpz_get_str(NULL, 10, mpq_numref(value));
        result = arena_strdup(&t->arena, text);
        free(text);
    }
    mpq_clear(value);
    return result;
}
