#include "logic/smt/sat/blast_arith.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

static uint32_t *vector(uint32_t width)
{
    return memory_zalloc((width + 1) * sizeof(uint32_t)); // all false
}

void blast_choose(struct gates *g, uint32_t condition, uint32_t width, const uint32_t *then,
                  const uint32_t *otherwise, uint32_t *out)
{
    for (uint32_t i = 0; i < width; i++)
        out[i] = gates_mux(g, condition, then[i], otherwise[i]);
}

uint32_t blast_equal(struct gates *g, uint32_t width, const uint32_t *a, const uint32_t *b)
{
    uint32_t all = GATES_TRUE;
    for (uint32_t i = 0; i < width; i++)
        all = gates_and(g, all, gates_iff(g, a[i], b[i]));
    return all;
}

void blast_add(struct gates *g, uint32_t width, const uint32_t *a, const uint32_t *b,
               uint32_t carry, uint32_t *out)
{
    for (uint32_t i = 0; i < width; i++) {
        uint32_t differ = gates_xor(g, a[i], b[i]);
        out[i] = gates_xor(g, differ, carry);
        if (i + 1 < width)
            carry = gates_mux(g, differ, carry, a[i]);
    }
}

void blast_negate(struct gates *g, uint32_t width, const uint32_t *a, uint32_t *out)
{
    uint32_t carry = GATES_TRUE;
    for (uint32_t i = 0; i < width; i++) {
        out[i] = gates_xor(g, gates_not(a[i]), carry);
        carry = gates_and(g, carry, gates_not(a[i]));
    }
}

// The width that tells the number: above it the bits repeat its sign.
static uint32_t own_width(uint32_t width, const uint32_t *a)
{
    while (width > 1 && a[width - 1] == a[width - 2])
        width--;
    return width;
}

// Literals to add up, by weight, and a constant.
struct column {
    VECTOR(uint32_t) bits;
    int64_t constant;
};

static void add_product(struct gates *g, struct column *column, uint32_t x, uint32_t y,
                        bool negative)
{
    uint32_t product = gates_and(g, x, y);
    column->constant -= negative; // -p is not p, less one
    product ^= (uint32_t)negative;
    if (product <= GATES_TRUE)
        column->constant += product;
    else
        VECTOR_PUSH(&column->bits, product);
}

// The constants of all columns as one number: a bit in each.
static void spread_constant(struct column *columns, uint32_t width)
{
    int64_t carry = 0;
    for (uint32_t i = 0; i < width; i++) {
        int64_t all = columns[i].constant + carry, bit = all & 1;
        if (bit)
            VECTOR_PUSH(&columns[i].bits, (uint32_t)GATES_TRUE);
        carry = (all - bit) / 2;
    }
}

static uint32_t take(struct column *column)
{
    return column->bits.count > 0 ? column->bits.data[--column->bits.count] : GATES_FALSE;
}

// Adds up a column, three at a time, with carries to the next one (NULL: none).
static uint32_t add_up(struct gates *g, struct column *column, struct column *next)
{
    while (column->bits.count > 1) {
        uint32_t x = take(column), y = take(column), z = take(column);
        uint32_t differ = gates_xor(g, x, y), carry = gates_mux(g, differ, z, x);
        VECTOR_PUSH(&column->bits, gates_xor(g, differ, z));
        if (next != NULL && carry != GATES_FALSE)
            VECTOR_PUSH(&next->bits, carry);
    }
    return take(column);
}

// Of numbers whose sign repeats only the bits that tell them are multiplied, the sign's with the opposite weight (Baugh and
// Wooley 1973): an exact product of twice the width, as checks of overflow want it, is no dearer than that of the width.
void blast_multiply(struct gates *g, uint32_t width, const uint32_t *a, const uint32_t *b,
                    uint32_t *out)
{
    uint32_t m = own_width(width, a), n = own_width(width, b);
    struct column *columns = memory_zalloc(width * sizeof *columns);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t k = 0; k < n && i + k < width; k++)
            add_product(g, &columns[i + k], a[i], b[k],
                        (m < width && i + 1 == m) != (n < width && k + 1 == n));
    spread_constant(columns, width);
    for (uint32_t i = 0; i < width; i++) {
        out[i] = add_up(g, &columns[i], i + 1 < width ? &columns[i + 1] : NULL);
        VECTOR_FINISH(&columns[i].bits);
    }
    memory_free(columns);
}

static uint32_t below(struct gates *g, uint32_t width, const uint32_t *a, const uint32_t *b,
                      uint32_t when_equal)
{
    uint32_t less = when_equal;
    for (uint32_t i = 0; i < width; i++)
        less = gates_mux(g, gates_xor(g, a[i], b[i]), b[i], less);
    return less;
}

uint32_t blast_compare(struct gates *g, enum term_kind kind, uint32_t width, const uint32_t *a,
                       const uint32_t *b)
{
    assert(width > 0);
    uint32_t top = width - 1;
    uint32_t equal = kind == TERM_BV_ULE || kind == TERM_BV_SLE ? GATES_TRUE : GATES_FALSE;
    if (kind == TERM_BV_ULT || kind == TERM_BV_ULE)
        return below(g, width, a, b, equal);
    return gates_mux(g, gates_xor(g, a[top], b[top]), a[top], below(g, top, a, b, equal));
}

// The divisor is known to be 1 << *shift.
static bool is_power(uint32_t width, const uint32_t *b, uint32_t *shift)
{
    uint32_t ones = 0;
    for (uint32_t i = 0; i < width; i++) {
        if (b[i] != GATES_TRUE && b[i] != GATES_FALSE)
            return false;
        if (b[i] == GATES_TRUE)
            *shift = i;
        ones += b[i] == GATES_TRUE;
    }
    return ones == 1;
}

// Restoring division. A divisor of zero gives what SMT-LIB asks for: all ones, and the dividend.
static void divide(struct gates *g, uint32_t width, const uint32_t *a, const uint32_t *b,
                   uint32_t *quotient, uint32_t *remainder)
{
    assert(width > 0);
    uint32_t shift = 0;
    if (is_power(width, b, &shift)) {
        for (uint32_t i = 0; i < width; i++) {
            quotient[i] = i < width - shift ? a[i + shift] : GATES_FALSE;
            remainder[i] = i < shift ? a[i] : GATES_FALSE;
        }
        return;
    }
    uint32_t *rest = vector(width + 1), *less = vector(width + 1), *divisor = vector(width + 1);
    uint32_t *inverse = vector(width + 1);
    memcpy(divisor, b, width * sizeof *b);
    for (uint32_t i = 0; i <= width; i++)
        inverse[i] = gates_not(divisor[i]);
    for (uint32_t i = width; i-- > 0;) {
        memmove(rest + 1, rest, width * sizeof *rest);
        rest[0] = a[i];
        quotient[i] = gates_not(below(g, width + 1, rest, divisor, GATES_FALSE));
        blast_add(g, width + 1, rest, inverse, GATES_TRUE, less);
        for (uint32_t k = 0; k <= width; k++)
            rest[k] = gates_mux(g, quotient[i], less[k], rest[k]);
    }
    memcpy(remainder, rest, width * sizeof *rest);
    memory_free(rest);
    memory_free(less);
    memory_free(divisor);
    memory_free(inverse);
}

// a, or -a when `negative`.
static void with_sign(struct gates *g, uint32_t width, uint32_t negative, const uint32_t *a,
                      uint32_t *out)
{
    uint32_t *opposite = vector(width);
    blast_negate(g, width, a, opposite);
    blast_choose(g, negative, width, opposite, a, out);
    memory_free(opposite);
}

static void modulo(struct gates *g, uint32_t width, uint32_t a_negative, uint32_t b_negative,
                   const uint32_t *rest, const uint32_t *b, uint32_t *out)
{
    uint32_t *signed_rest = vector(width), *moved = vector(width), *zero = vector(width);
    with_sign(g, width, a_negative, rest, signed_rest);
    blast_add(g, width, signed_rest, b, GATES_FALSE, moved);
    uint32_t keep =
        gates_or(g, blast_equal(g, width, rest, zero), gates_iff(g, a_negative, b_negative));
    blast_choose(g, keep, width, signed_rest, moved, out);
    memory_free(signed_rest);
    memory_free(moved);
    memory_free(zero);
}

void blast_divide(struct gates *g, enum term_kind kind, uint32_t width, const uint32_t *a,
                  const uint32_t *b, uint32_t *out)
{
    bool with_signs = kind != TERM_BV_UDIV && kind != TERM_BV_UREM;
    uint32_t a_negative = with_signs ? a[width - 1] : GATES_FALSE;
    uint32_t b_negative = with_signs ? b[width - 1] : GATES_FALSE;
    uint32_t *left = vector(width), *right = vector(width);
    uint32_t *quotient = vector(width), *rest = vector(width);
    with_sign(g, width, a_negative, a, left);
    with_sign(g, width, b_negative, b, right);
    divide(g, width, left, right, quotient, rest);
    switch (kind) {
    case TERM_BV_UDIV:
    case TERM_BV_SDIV:
        with_sign(g, width, gates_xor(g, a_negative, b_negative), quotient, out);
        break;
    case TERM_BV_SMOD:
        modulo(g, width, a_negative, b_negative, rest, b, out);
        break;
    default:
        with_sign(g, width, a_negative, rest, out);
    }
    memory_free(left);
    memory_free(right);
    memory_free(quotient);
    memory_free(rest);
}

// The bit that comes to place i when a moves by `distance`.
static uint32_t moved_bit(enum term_kind kind, uint32_t width, const uint32_t *a, uint32_t i,
                          uint32_t distance, uint32_t fill)
{
    assert(i < width);
    uint32_t turn = distance % width;
    switch (kind) {
    case TERM_BV_SHL:
        return i >= distance ? a[i - distance] : fill;
    case TERM_BV_ROL:
        return a[(i + width - turn) % width];
    case TERM_BV_ROR:
        return a[(i + turn) % width];
    default:
        return distance < width - i ? a[i + distance] : fill;
    }
}

void blast_shift(struct gates *g, enum term_kind kind, uint32_t width, const uint32_t *a,
                 const uint32_t *b, uint32_t *out)
{
    bool turns = kind == TERM_BV_ROL || kind == TERM_BV_ROR;
    uint32_t fill = kind == TERM_BV_ASHR ? a[width - 1] : GATES_FALSE;
    uint32_t *amount = vector(width), *from = vector(width), *unused = vector(width);
    uint32_t stages = 0;
    while (stages < width && (uint32_t)1 << stages < width)
        stages++;
    memcpy(amount, b, width * sizeof *b);
    if (turns && width & (width - 1)) { // the amount modulo the width
        for (uint32_t i = 0; i < width; i++)
            from[i] = i < 32 && width >> i & 1;
        divide(g, width, b, from, unused, amount);
    }
    memcpy(out, a, width * sizeof *a);
    for (uint32_t s = 0; s < stages; s++) {
        memcpy(from, out, width * sizeof *out);
        for (uint32_t i = 0; i < width; i++)
            out[i] = gates_mux(g, amount[s],
                               moved_bit(kind, width, from, i, (uint32_t)1 << s, fill), from[i]);
    }
    for (uint32_t s = stages; s < width && !turns; s++)
        for (uint32_t i = 0; i < width; i++)
            out[i] = gates_mux(g, amount[s], fill, out[i]);
    memory_free(amount);
    memory_free(from);
    memory_free(unused);
}
