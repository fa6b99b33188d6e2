#include "logic/terms/number.h"

#include <assert.h>
#include <gmp.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/store.h"

static bool fits_small(int64_t n)
{
    return n >= VALUE_SMALL_MIN && n <= VALUE_SMALL_MAX;
}

static struct value literal_of_text(struct term_store *store, enum term_kind kind,
                                    const struct sort *sort, const char *text)
{
    struct term head = {.kind = (uint8_t)kind, .sort = sort, .u.text = text};
    return value_pointer(store_intern(store, &head, NULL, 0));
}

struct value number_int(struct term_store *store, int64_t n)
{
    if (fits_small(n))
        return value_small(n);
    // Copied to an aligned buffer: the lowest bit of the address marks small values.
    _Alignas(16) char text[32];
    snprintf(text, sizeof text, "%lld", (long long)n);
    return literal_of_text(store, TERM_INT, store->int_sort, text);
}

static void load_int(mpz_t out, struct value v)
{
    if (value_is_small(v))
        mpz_init_set_si(out, value_small_get(v));
    else
        mpz_init_set_str(out, value_pointer_get(v)->u.text, 10);
}

static struct value keep_int(struct term_store *store, const mpz_t n)
{
    if (mpz_fits_slong_p(n))
        return number_int(store, mpz_get_si(n));
    char *text = memory_alloc(mpz_sizeinbase(n, 10) + 2);
    mpz_get_str(text, 10, n);
    struct value v = literal_of_text(store, TERM_INT, store->int_sort, text);
    memory_free(text);
    return v;
}

static void load_rat(mpq_t out, struct value v)
{
    mpq_init(out);
    mpq_set_str(out, value_pointer_get(v)->u.text, 10);
}

static struct value keep_rat(struct term_store *store, const mpq_t q)
{
    size_t bytes = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 6;
    char *text = memory_alloc(bytes);
    mpz_get_str(text, 10, mpq_numref(q));
    strcat(text, "/");
    mpz_get_str(text + strlen(text), 10, mpq_denref(q));
    struct value v = literal_of_text(store, TERM_RAT, store->rat_sort, text);
    memory_free(text);
    return v;
}

typedef void (*int_operation)(mpz_t out, const mpz_t a, const mpz_t b);

static struct value int_slow(struct term_store *store, int_operation operation, struct value a,
                             struct value b)
{
    mpz_t x, y, z;
    load_int(x, a);
    load_int(y, b);
    mpz_init(z);
    operation(z, x, y);
    struct value result = keep_int(store, z);
    mpz_clears(x, y, z, NULL);
    return result;
}

typedef void (*rat_operation)(mpq_t out, const mpq_t a, const mpq_t b);

static struct value rat_binary(struct term_store *store, rat_operation operation, struct value a,
                               struct value b)
{
    mpq_t x, y, z;
    load_rat(x, a);
    load_rat(y, b);
    mpq_init(z);
    operation(z, x, y);
    struct value result = keep_rat(store, z);
    mpq_clears(x, y, z, NULL);
    return result;
}

static bool both_small(struct value a, struct value b)
{
    return value_is_small(a) && value_is_small(b);
}

struct value number_add(struct term_store *store, const struct sort *sort, struct value a,
                        struct value b)
{
    if (sort->kind == SORT_RAT)
        return rat_binary(store, mpq_add, a, b);
    if (both_small(a, b)) // below 2^61 each: the sum fits
        return number_int(store, value_small_get(a) + value_small_get(b));
    return int_slow(store, mpz_add, a, b);
}

struct value number_mul(struct term_store *store, const struct sort *sort, struct value a,
                        struct value b)
{
    int64_t product;
    if (sort->kind == SORT_RAT)
        return rat_binary(store, mpq_mul, a, b);
    if (both_small(a, b) &&
        !__builtin_mul_overflow(value_small_get(a), value_small_get(b), &product))
        return number_int(store, product);
    return int_slow(store, mpz_mul, a, b);
}

struct value number_neg(struct term_store *store, const struct sort *sort, struct value a)
{
    if (sort->kind == SORT_RAT)
        return rat_binary(store, mpq_sub, number_zero(store, sort), a);
    if (value_is_small(a))
        return value_small(-value_small_get(a));
    return int_slow(store, mpz_sub, value_small(0), a);
}

struct value number_one(struct term_store *store, const struct sort *sort)
{
    return sort->kind == SORT_INT ? value_small(1) : store->rat_one;
}

struct value number_zero(struct term_store *store, const struct sort *sort)
{
    return sort->kind == SORT_INT ? value_small(0) : store->rat_zero;
}

int number_sign(const struct sort *sort, struct value a)
{
    if (value_is_small(a)) {
        int64_t n = value_small_get(a);
        return (n > 0) - (n < 0);
    }
    const char *text = value_pointer_get(a)->u.text;
    if (text[0] == '-')
        return -1;
    return sort->kind == SORT_RAT && text[0] == '0' ? 0 : 1;
}

static int compare_ints(struct value a, struct value b)
{
    mpz_t x, y;
    load_int(x, a);
    load_int(y, b);
    int order = mpz_cmp(x, y);
    mpz_clears(x, y, NULL);
    return (order > 0) - (order < 0);
}

static int compare_rats(struct value a, struct value b)
{
    mpq_t x, y;
    load_rat(x, a);
    load_rat(y, b);
    int order = mpq_cmp(x, y);
    mpq_clears(x, y, NULL);
    return (order > 0) - (order < 0);
}

int number_compare(const struct sort *sort, struct value a, struct value b)
{
    if (value_equal(a, b))
        return 0;
    if (sort->kind == SORT_RAT)
        return compare_rats(a, b);
    if (both_small(a, b))
        return value_small_get(a) < value_small_get(b) ? -1 : 1;
    return compare_ints(a, b);
}

// mpz_mod is the remainder >= 0; the quotient follows from it.
static void euclid_div(mpz_t out, const mpz_t a, const mpz_t b)
{
    if (mpz_sgn(b) > 0)
        mpz_fdiv_q(out, a, b);
    else
        mpz_cdiv_q(out, a, b);
}

struct value number_int_div(struct term_store *store, struct value a, struct value b)
{
    if (!both_small(a, b))
        return int_slow(store, euclid_div, a, b);
    int64_t n = value_small_get(a), d = value_small_get(b);
    assert(d != 0);
    int64_t quotient = n / d;
    if (n % d < 0)
        quotient += d > 0 ? -1 : 1;
    return value_small(quotient);
}

struct value number_int_mod(struct term_store *store, struct value a, struct value b)
{
    if (!both_small(a, b))
        return int_slow(store, mpz_mod, a, b);
    int64_t n = value_small_get(a), d = value_small_get(b);
    assert(d != 0);
    int64_t remainder = n % d;
    if (remainder < 0)
        remainder += d > 0 ? d : -d;
    return value_small(remainder);
}

struct value number_int_rem(struct term_store *store, struct value a, struct value b)
{
    struct value m = number_int_mod(store, a, b);
    return number_sign(store->int_sort, b) > 0 ? m : number_neg(store, store->int_sort, m);
}

struct value number_int_gcd(struct term_store *store, struct value a, struct value b)
{
    if (!both_small(a, b))
        return int_slow(store, mpz_gcd, a, b);
    int64_t x = value_small_get(a), y = value_small_get(b);
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return value_small(x < 0 ? -x : x);
}

struct value number_rat_of_int(struct term_store *store, struct value a)
{
    mpq_t q;
    mpz_t n;
    load_int(n, a);
    mpq_init(q);
    mpq_set_z(q, n);
    struct value result = keep_rat(store, q);
    mpz_clear(n);
    mpq_clear(q);
    return result;
}

struct value number_rat_div(struct term_store *store, struct value a, struct value b)
{
    assert(number_sign(store->rat_sort, b) != 0);
    return rat_binary(store, mpq_div, a, b);
}

struct value number_rat_numerator(struct term_store *store, struct value a)
{
    mpq_t q;
    load_rat(q, a);
    struct value result = keep_int(store, mpq_numref(q));
    mpq_clear(q);
    return result;
}

struct value number_rat_denominator(struct term_store *store, struct value a)
{
    mpq_t q;
    load_rat(q, a);
    struct value result = keep_int(store, mpq_denref(q));
    mpq_clear(q);
    return result;
}

const struct term *term_int(struct term_store *store, int64_t value)
{
    return term_of_value(store, store->int_sort, number_int(store, value));
}

const struct term *term_int_text(struct term_store *store, const char *decimal)
{
    mpz_t n;
    if (mpz_init_set_str(n, decimal, 10) != 0)
        assert(!"a decimal number");
    struct value v = keep_int(store, n);
    mpz_clear(n);
    return term_of_value(store, store->int_sort, v);
}

const struct term *term_rat(struct term_store *store, int64_t numerator, int64_t denominator)
{
    char p[32], q[32];
    snprintf(p, sizeof p, "%lld", (long long)numerator);
    snprintf(q, sizeof q, "%lld", (long long)denominator);
    return term_rat_text(store, p, q);
}

const struct term *term_rat_text(struct term_store *store, const char *numerator,
                                 const char *denominator)
{
    mpq_t q;
    mpq_init(q);
    if (mpz_set_str(mpq_numref(q), numerator, 10) != 0 ||
        mpz_set_str(mpq_denref(q), denominator, 10) != 0 || mpz_sgn(mpq_denref(q)) == 0)
        assert(!"two decimal numbers, the second not zero");
    mpq_canonicalize(q);
    struct value v = keep_rat(store, q);
    mpq_clear(q);
    return value_pointer_get(v);
}
