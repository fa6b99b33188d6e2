#include "logic/smt/sat/blast_arith.h"

#include <string.h>

#include "base/memory.h"

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

static uint32_t constants(uint32_t width, const uint32_t *a)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < width; i++)
        count += a[i] <= GATES_TRUE;
    return count;
}

void blast_multiply(struct gates *g, uint32_t width, const uint32_t *a, const uint32_t *b,
                    uint32_t *out)
{
    if (constants(width, a) > constants(width, b)) { // rows vanish where b is constant
        const uint32_t *swap = a;
        a = b;
        b = swap;
    }
    uint32_t *sum = vector(width), *row = vector(width);
    for (uint32_t i = 0; i < width; i++) {
        if (b[i] == GATES_FALSE)
            continue;
        for (uint32_t k = i; k < width; k++)
            row[k] = gates_and(g, a[k - i], b[i]);
        memcpy(out, sum, width * sizeof *out);
        blast_add(g, width - i, out + i, row + i, GATES_FALSE, sum + i);
    }
    memcpy(out, sum, width * sizeof *out);
    memory_free(sum);
    memory_free(row);
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
    uint32_t top = width - 1;
    uint32_t equal = kind == TERM_BV_ULE || kind == TERM_BV_SLE ? GATES_TRUE : GATES_FALSE;
    if (kind == TERM_BV_ULT || kind == TERM_BV_ULE)
        return below(g, width, a, b, equal);
    return gates_mux(g, gates_xor(g, a[top], b[top]), a[top], below(g, top, a, b, equal));
}

// Restoring division. A divisor of zero gives what SMT-LIB asks for: all ones, and the dividend.
static void divide(struct gates *g, uint32_t width, const uint32_t *a, const uint32_t *b,
                   uint32_t *quotient, uint32_t *remainder)
{
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
