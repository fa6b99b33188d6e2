#include "logic/terms/bits_wide.h"

#include <assert.h>
#include <gmp.h>

#include "base/memory.h"
#include "logic/terms/store.h"

static void load(mpz_t out, struct value v)
{
    if (value_is_small(v))
        mpz_init_set_si(out, value_small_get(v));
    else
        mpz_init_set_str(out, value_pointer_get(v)->u.text, 10);
}

static void load_signed(mpz_t out, uint32_t width, struct value v)
{
    load(out, v);
    if (mpz_tstbit(out, width - 1)) {
        mpz_t modulus;
        mpz_init(modulus);
        mpz_setbit(modulus, width);
        mpz_sub(out, out, modulus);
        mpz_clear(modulus);
    }
}

// Reduces modulo 2^width and interns.
static struct value keep(struct term_store *store, uint32_t width, mpz_t n)
{
    mpz_fdiv_r_2exp(n, n, width);
    if (width <= VALUE_BV_SMALL_WIDTH)
        return value_small(mpz_get_si(n));
    char *text = memory_alloc(mpz_sizeinbase(n, 10) + 2);
    mpz_get_str(text, 10, n);
    struct term head = {.kind = TERM_BV, .sort = sort_bv(store, width), .u.text = text};
    const struct term *literal = store_intern(store, &head, NULL, 0);
    memory_free(text);
    return value_pointer(literal);
}

struct value bits_wide_unary(struct term_store *store, enum term_kind kind, uint32_t width,
                             struct value a)
{
    mpz_t x;
    load(x, a);
    if (kind == TERM_BV_NOT)
        mpz_com(x, x);
    else
        mpz_neg(x, x);
    struct value result = keep(store, width, x);
    mpz_clear(x);
    return result;
}

static void divide_unsigned(mpz_t z, enum term_kind kind, const mpz_t x, const mpz_t y)
{
    if (mpz_sgn(y) != 0) {
        if (kind == TERM_BV_UDIV)
            mpz_tdiv_q(z, x, y);
        else
            mpz_tdiv_r(z, x, y);
    } else if (kind == TERM_BV_UDIV) {
        mpz_set_si(z, -1); // all ones
    } else {
        mpz_set(z, x);
    }
}

// x and y as signed numbers.
static void divide_signed(mpz_t z, enum term_kind kind, const mpz_t x, const mpz_t y)
{
    if (mpz_sgn(y) == 0) {
        if (kind == TERM_BV_SDIV)
            mpz_set_si(z, mpz_sgn(x) < 0 ? 1 : -1);
        else
            mpz_set(z, x);
    } else if (kind == TERM_BV_SDIV) {
        mpz_tdiv_q(z, x, y);
    } else if (kind == TERM_BV_SREM) {
        mpz_tdiv_r(z, x, y);
    } else {
        mpz_fdiv_r(z, x, y); // the sign of the divisor
    }
}

static void shift(mpz_t z, enum term_kind kind, uint32_t width, const mpz_t x, const mpz_t y)
{
    unsigned long by = mpz_cmp_ui(y, width) >= 0 ? width : mpz_get_ui(y);
    if (kind == TERM_BV_SHL)
        mpz_mul_2exp(z, x, by);
    else
        mpz_fdiv_q_2exp(z, x, by);
}

static void rotate(mpz_t z, enum term_kind kind, uint32_t width, const mpz_t x, const mpz_t y)
{
    unsigned long by = mpz_fdiv_ui(y, width);
    if (kind == TERM_BV_ROR)
        by = (width - by) % width;
    mpz_t high;
    mpz_init(high);
    mpz_fdiv_q_2exp(high, x, width - by);
    mpz_mul_2exp(z, x, by);
    mpz_ior(z, z, high);
    mpz_clear(high);
}

static void binary(mpz_t z, enum term_kind kind, uint32_t width, const mpz_t x, const mpz_t y)
{
    switch (kind) {
    case TERM_BV_AND:
        mpz_and(z, x, y);
        break;
    case TERM_BV_OR:
        mpz_ior(z, x, y);
        break;
    case TERM_BV_XOR:
        mpz_xor(z, x, y);
        break;
    case TERM_BV_ADD:
        mpz_add(z, x, y);
        break;
    case TERM_BV_MUL:
        mpz_mul(z, x, y);
        break;
    case TERM_BV_UDIV:
    case TERM_BV_UREM:
        divide_unsigned(z, kind, x, y);
        break;
    case TERM_BV_SDIV:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
        divide_signed(z, kind, x, y);
        break;
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
        shift(z, kind, width, x, y);
        break;
    default:
        assert(kind == TERM_BV_ROL || kind == TERM_BV_ROR);
        rotate(z, kind, width, x, y);
    }
}

struct value bits_wide_binary(struct term_store *store, enum term_kind kind, uint32_t width,
                              struct value a, struct value b)
{
    bool is_signed = kind == TERM_BV_SDIV || kind == TERM_BV_SREM || kind == TERM_BV_SMOD;
    mpz_t x, y, z;
    if (is_signed || kind == TERM_BV_ASHR)
        load_signed(x, width, a);
    else
        load(x, a);
    if (is_signed)
        load_signed(y, width, b);
    else
        load(y, b);
    mpz_init(z);
    binary(z, kind, width, x, y);
    struct value result = keep(store, width, z);
    mpz_clears(x, y, z, NULL);
    return result;
}

bool bits_wide_holds(enum term_kind kind, uint32_t width, struct value a, struct value b)
{
    mpz_t x, y;
    if (kind == TERM_BV_SLT || kind == TERM_BV_SLE) {
        load_signed(x, width, a);
        load_signed(y, width, b);
    } else {
        load(x, a);
        load(y, b);
    }
    int order = mpz_cmp(x, y);
    mpz_clears(x, y, NULL);
    return kind == TERM_BV_ULT || kind == TERM_BV_SLT ? order < 0 : order <= 0;
}

struct value bits_wide_concat(struct term_store *store, uint32_t high_width, struct value high,
                              uint32_t low_width, struct value low)
{
    mpz_t x, y;
    load(x, high);
    load(y, low);
    mpz_mul_2exp(x, x, low_width);
    mpz_ior(x, x, y);
    struct value result = keep(store, high_width + low_width, x);
    mpz_clears(x, y, NULL);
    return result;
}

struct value bits_wide_extract(struct term_store *store, struct value a, uint32_t high,
                               uint32_t low)
{
    mpz_t x;
    load(x, a);
    mpz_fdiv_q_2exp(x, x, low);
    struct value result = keep(store, high - low + 1, x);
    mpz_clear(x);
    return result;
}

struct value bits_wide_extend(struct term_store *store, enum term_kind kind, uint32_t old_width,
                              struct value a, uint32_t width)
{
    mpz_t x;
    if (kind == TERM_BV_SEXT)
        load_signed(x, old_width, a);
    else
        load(x, a);
    struct value result = keep(store, width, x);
    mpz_clear(x);
    return result;
}

bool bits_wide_is_ones(uint32_t width, struct value a)
{
    mpz_t x;
    load(x, a);
    bool ones = mpz_popcount(x) == width;
    mpz_clear(x);
    return ones;
}

const struct term *term_bv(struct term_store *store, uint32_t width, uint64_t value)
{
    if (width <= VALUE_BV_SMALL_WIDTH) {
        uint64_t mask = ((uint64_t)1 << width) - 1;
        return term_of_value(store, sort_bv(store, width), value_small((int64_t)(value & mask)));
    }
    mpz_t n;
    mpz_init_set_ui(n, value);
    struct value v = keep(store, width, n);
    mpz_clear(n);
    return value_pointer_get(v);
}

const struct term *term_bv_text(struct term_store *store, uint32_t width, const char *decimal)
{
    mpz_t n;
    if (mpz_init_set_str(n, decimal, 10) != 0)
        assert(!"a decimal number");
    struct value v = keep(store, width, n);
    mpz_clear(n);
    return term_of_value(store, sort_bv(store, width), v);
}
