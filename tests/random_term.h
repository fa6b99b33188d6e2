#ifndef REGATTA_TESTS_RANDOM_TERM_H
#define REGATTA_TESTS_RANDOM_TERM_H

#include <assert.h>
#include <inttypes.h>

#include "base/random.h"
#include "base/text.h"
#include "logic/terms/term.h"

// Random expressions in three forms at once: the term the makers gave (simplified), the values that
// plain C computes for the same expression under some assignments, and its SMT-LIB text as written.

enum {
    SAMPLES = 6,
    VARIABLES = 3, // of each sort
    BITS = 4,
    BIT_MASK = (1 << BITS) - 1,
};

enum random_sort { RANDOM_BOOL, RANDOM_INT, RANDOM_BV, RANDOM_ARRAY, RANDOM_SORTS };

// An array has the keys 0 … ARRAY_KEYS-1 of interest; keys are ints in the terms, other keys read
// as `rest`.
enum { ARRAY_KEYS = 5 };
struct random_array {
    int64_t at[ARRAY_KEYS], rest;
};

struct random_value {
    int64_t number[SAMPLES]; // bool, int, bv (unsigned)
    struct random_array array[SAMPLES];
};

struct random_term {
    const struct term *term;
    struct random_value value;
    char *smt; // arena
};

struct random_terms {
    struct term_store *store;
    struct random *random;
    struct arena arena;
    const struct sort *sort[RANDOM_SORTS];
    struct random_term variable[RANDOM_SORTS][VARIABLES];
};

// The unknown function of a division by zero, here: kind and dividend decide.
static inline int64_t random_zero_division(enum term_kind kind, int64_t dividend)
{
    return 3 * dividend + (int64_t)kind;
}

static inline int64_t random_small(struct random_terms *r)
{
    return (int64_t)random_below(r->random, 9) - 4;
}

static inline char *random_text(struct random_terms *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline char *random_text(struct random_terms *r, const char *format, ...)
{
    struct text text;
    text_init(&text);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char *copy = arena_strdup(&r->arena, text_string(&text));
    text_finish(&text);
    return copy;
}

static inline void random_terms_init(struct random_terms *r, struct term_store *store,
                                     struct random *random)
{
    static const char letters[] = "pxba";
    *r = (struct random_terms){.store = store, .random = random};
    arena_init(&r->arena);
    r->sort[RANDOM_BOOL] = sort_bool(store);
    r->sort[RANDOM_INT] = sort_int(store);
    r->sort[RANDOM_BV] = sort_bv(store, BITS);
    r->sort[RANDOM_ARRAY] = sort_array(store, sort_int(store), sort_int(store));
    for (int s = 0; s < RANDOM_SORTS; s++) {
        for (int i = 0; i < VARIABLES; i++) {
            struct random_term *v = &r->variable[s][i];
            v->smt = random_text(r, "%c%d", letters[s], i);
            v->term = term_var(store, v->smt, r->sort[s]);
            for (int k = 0; k < SAMPLES; k++) {
                v->value.number[k] = s == RANDOM_BOOL ? (int64_t)random_below(random, 2)
                                     : s == RANDOM_BV ? (int64_t)random_below(random, 1 << BITS)
                                                      : random_small(r);
                for (int j = 0; j < ARRAY_KEYS; j++)
                    v->value.array[k].at[j] = random_small(r);
                v->value.array[k].rest = random_small(r);
            }
        }
    }
}

static inline void random_terms_finish(struct random_terms *r)
{
    arena_finish(&r->arena);
}

static inline int64_t reference_signed(int64_t x)
{
    return x >= 1 << (BITS - 1) ? x - (1 << BITS) : x;
}

static inline int64_t reference_mod(int64_t a, int64_t b)
{
    if (b == 0)
        return random_zero_division(TERM_MOD, a);
    int64_t m = b < 0 ? -b : b;
    return ((a % m) + m) % m;
}

static inline int64_t reference_div(int64_t a, int64_t b)
{
    if (b == 0)
        return random_zero_division(TERM_DIV, a);
    return (a - reference_mod(a, b)) / b;
}

static inline int64_t reference_rem(int64_t a, int64_t b)
{
    if (b == 0)
        return random_zero_division(TERM_REM, a);
    return b > 0 ? reference_mod(a, b) : -reference_mod(a, b);
}

// Written from the definitions of SMT-LIB, on four bits.
static inline int64_t reference_bits(enum term_kind kind, int64_t x, int64_t y)
{
    int64_t a = reference_signed(x), b = reference_signed(y);
    int64_t ua = a < 0 ? -a : a, ub = b < 0 ? -b : b;
    int64_t result = 0;
    switch (kind) {
    case TERM_BV_AND:
        return x & y;
    case TERM_BV_OR:
        return x | y;
    case TERM_BV_XOR:
        return x ^ y;
    case TERM_BV_ADD:
        return (x + y) & BIT_MASK;
    case TERM_BV_MUL:
        return (x * y) & BIT_MASK;
    case TERM_BV_UDIV:
        return y == 0 ? BIT_MASK : x / y;
    case TERM_BV_UREM:
        return y == 0 ? x : x % y;
    case TERM_BV_SDIV:
        result = ub == 0 ? BIT_MASK : ua / ub;
        return ((a < 0) != (b < 0) ? -result : result) & BIT_MASK;
    case TERM_BV_SREM:
        result = ub == 0 ? ua : ua % ub;
        return (a < 0 ? -result : result) & BIT_MASK;
    case TERM_BV_SMOD:
        result = ub == 0 ? ua : ua % ub;
        if (result == 0)
            return 0;
        return (a >= 0 && b >= 0  ? result
                : a < 0 && b >= 0 ? b - result
                : a >= 0          ? result + b
                                  : -result) &
               BIT_MASK;
    case TERM_BV_SHL:
        return y >= BITS ? 0 : (x << y) & BIT_MASK;
    case TERM_BV_LSHR:
        return y >= BITS ? 0 : x >> y;
    case TERM_BV_ASHR:
        for (int64_t i = 0; i < y; i++)
            x = x >> 1 | (x & 1 << (BITS - 1));
        return x;
    case TERM_BV_ROL:
        for (int64_t i = 0; i < y; i++)
            x = (x << 1 | x >> (BITS - 1)) & BIT_MASK;
        return x;
    case TERM_BV_ROR:
        for (int64_t i = 0; i < y; i++)
            x = x >> 1 | (x & 1) << (BITS - 1);
        return x;
    case TERM_BV_ULT:
        return x < y;
    case TERM_BV_ULE:
        return x <= y;
    case TERM_BV_SLT:
        return a < b;
    default:
        return a <= b;
    }
}

static inline struct random_term random_term(struct random_terms *r, enum random_sort sort,
                                             int depth);

static inline struct random_term random_literal(struct random_terms *r, enum random_sort sort)
{
    struct random_term t = {0};
    int64_t n = sort == RANDOM_BOOL ? (int64_t)random_below(r->random, 2)
                : sort == RANDOM_BV ? (int64_t)random_below(r->random, 1 << BITS)
                                    : random_small(r);
    for (int k = 0; k < SAMPLES; k++) {
        t.value.number[k] = n;
        t.value.array[k].rest = n;
        for (int j = 0; j < ARRAY_KEYS; j++)
            t.value.array[k].at[j] = n;
    }
    if (sort == RANDOM_BOOL) {
        t.term = term_bool(r->store, n != 0);
        t.smt = random_text(r, "%s", n != 0 ? "true" : "false");
    } else if (sort == RANDOM_BV) {
        t.term = term_bv(r->store, BITS, (uint64_t)n);
        t.smt = random_text(r, "(_ bv%" PRId64 " %d)", n, BITS);
    } else {
        t.term = term_int(r->store, n);
        t.smt = random_text(r, n < 0 ? "(- %" PRId64 ")" : "%" PRId64, n < 0 ? -n : n);
    }
    if (sort == RANDOM_ARRAY) {
        t.term = term_array(r->store, r->sort[RANDOM_ARRAY], t.term, NULL, 0);
        t.smt = random_text(r, "((as const (Array Int Int)) %s)", t.smt);
    }
    return t;
}

static inline struct random_term random_ite(struct random_terms *r, enum random_sort sort,
                                            int depth)
{
    struct random_term c = random_term(r, RANDOM_BOOL, depth);
    struct random_term a = random_term(r, sort, depth), b = random_term(r, sort, depth);
    struct random_term t = b;
    for (int k = 0; k < SAMPLES; k++) {
        t.value.number[k] = (c.value.number[k] ? a : b).value.number[k];
        t.value.array[k] = (c.value.number[k] ? a : b).value.array[k];
    }
    t.term = term_ite(r->store, c.term, a.term, b.term);
    t.smt = random_text(r, "(ite %s %s %s)", c.smt, a.smt, b.smt);
    return t;
}

// A comparison of two terms of one sort; equality of arrays is left out (keys beyond those of
// interest).
static inline struct random_term random_comparison(struct random_terms *r, int depth)
{
    static const char *const ints[] = {"=", "<", "<="};
    static const char *const bits[] = {"bvult", "bvule", "bvslt", "bvsle"};
    enum random_sort sort = random_below(r->random, 3) == 0   ? RANDOM_BV
                            : random_below(r->random, 3) == 0 ? RANDOM_BOOL
                                                              : RANDOM_INT;
    struct random_term a = random_term(r, sort, depth), b = random_term(r, sort, depth), t;
    unsigned op =
        sort == RANDOM_BOOL ? 0 : (unsigned)random_below(r->random, sort == RANDOM_INT ? 3 : 5);
    if (op == 0)
        t.term = term_eq(r->store, a.term, b.term);
    else if (sort == RANDOM_BV)
        t.term = term_bv_binary(r->store, TERM_BV_ULT + op - 1, a.term, b.term);
    else
        t.term = op == 1 ? term_lt(r->store, a.term, b.term) : term_le(r->store, a.term, b.term);
    for (int k = 0; k < SAMPLES; k++) {
        int64_t x = a.value.number[k], y = b.value.number[k];
        t.value.number[k] = op == 0             ? x == y
                            : sort == RANDOM_BV ? reference_bits(TERM_BV_ULT + op - 1, x, y)
                            : op == 1           ? x < y
                                                : x <= y;
    }
    t.smt = random_text(r, "(%s %s %s)", sort == RANDOM_BV && op > 0 ? bits[op - 1] : ints[op],
                        a.smt, b.smt);
    return t;
}

static inline struct random_term random_bool(struct random_terms *r, int depth)
{
    static const char *const names[] = {"and", "or", "=>", "xor", "not"};
    unsigned op = (unsigned)random_below(r->random, 8);
    if (op >= 5)
        return random_comparison(r, depth);
    struct random_term a = random_term(r, RANDOM_BOOL, depth);
    struct random_term b = random_term(r, RANDOM_BOOL, depth), t;
    struct term_store *s = r->store;
    t.term = op == 0   ? term_and2(s, a.term, b.term)
             : op == 1 ? term_or2(s, a.term, b.term)
             : op == 2 ? term_implies(s, a.term, b.term)
             : op == 3 ? term_xor(s, a.term, b.term)
                       : term_not(s, a.term);
    for (int k = 0; k < SAMPLES; k++) {
        int64_t x = a.value.number[k], y = b.value.number[k];
        t.value.number[k] = op == 0   ? x && y
                            : op == 1 ? x || y
                            : op == 2 ? !x || y
                            : op == 3 ? x != y
                                      : !x;
    }
    t.smt = op == 4 ? random_text(r, "(not %s)", a.smt)
                    : random_text(r, "(%s %s %s)", names[op], a.smt, b.smt);
    return t;
}

static inline struct random_term random_select(struct random_terms *r, int depth)
{
    struct random_term a = random_term(r, RANDOM_ARRAY, depth);
    struct random_term i = random_term(r, RANDOM_INT, depth > 0 ? 1 : 0), t;
    t.term = term_select(r->store, a.term, i.term);
    for (int k = 0; k < SAMPLES; k++) {
        int64_t key = i.value.number[k];
        t.value.number[k] =
            key >= 0 && key < ARRAY_KEYS ? a.value.array[k].at[key] : a.value.array[k].rest;
    }
    t.smt = random_text(r, "(select %s %s)", a.smt, i.smt);
    return t;
}

static inline struct random_term random_int(struct random_terms *r, int depth)
{
    static const char *const names[] = {"+", "-", "*", "div", "mod", "rem"};
    unsigned op = (unsigned)random_below(r->random, 8);
    if (op == 7)
        return random_select(r, depth);
    if (op == 6)
        op = 0;
    struct random_term a = random_term(r, RANDOM_INT, depth);
    struct random_term b = random_term(r, RANDOM_INT, depth), t;
    struct term_store *s = r->store;
    t.term = op == 0   ? term_add2(s, a.term, b.term)
             : op == 1 ? term_sub(s, a.term, b.term)
             : op == 2 ? term_mul2(s, a.term, b.term)
             : op == 3 ? term_div(s, a.term, b.term)
             : op == 4 ? term_mod(s, a.term, b.term)
                       : term_rem(s, a.term, b.term);
    for (int k = 0; k < SAMPLES; k++) {
        int64_t x = a.value.number[k], y = b.value.number[k];
        t.value.number[k] = op == 0   ? x + y
                            : op == 1 ? x - y
                            : op == 2 ? x * y
                            : op == 3 ? reference_div(x, y)
                            : op == 4 ? reference_mod(x, y)
                                      : reference_rem(x, y);
    }
    t.smt = random_text(r, "(%s %s %s)", names[op], a.smt, b.smt);
    return t;
}

static inline struct random_term random_bits_part(struct random_terms *r, int depth)
{
    // The high half of one beside the low half of the other, or an extended half.
    struct random_term a = random_term(r, RANDOM_BV, depth), b = random_term(r, RANDOM_BV, depth);
    struct random_term t;
    unsigned op = (unsigned)random_below(r->random, 3);
    const struct term *high = term_bv_extract(r->store, a.term, 3, 2);
    const struct term *low = term_bv_extract(r->store, b.term, 1, 0);
    t.term = op == 0   ? term_bv_binary(r->store, TERM_BV_CONCAT, high, low)
             : op == 1 ? term_bv_extend(r->store, TERM_BV_ZEXT, high, BITS)
                       : term_bv_extend(r->store, TERM_BV_SEXT, low, BITS);
    for (int k = 0; k < SAMPLES; k++) {
        int64_t x = a.value.number[k] >> 2, y = b.value.number[k] & 3;
        t.value.number[k] = op == 0 ? x << 2 | y : op == 1 ? x : (y & 2 ? y | 12 : y);
    }
    if (op == 0)
        t.smt = random_text(r, "(concat ((_ extract 3 2) %s) ((_ extract 1 0) %s))", a.smt, b.smt);
    else if (op == 1)
        t.smt = random_text(r, "((_ zero_extend 2) ((_ extract 3 2) %s))", a.smt);
    else
        t.smt = random_text(r, "((_ sign_extend 2) ((_ extract 1 0) %s))", b.smt);
    return t;
}

static inline struct random_term random_bits(struct random_terms *r, int depth)
{
    static const char *const names[] = {
        "bvand",  "bvor",   "bvxor",  "bvadd",           "bvmul",
        "bvudiv", "bvsdiv", "bvurem", "bvsrem",          "bvsmod",
        "bvshl",  "bvlshr", "bvashr", "ext_rotate_left", "ext_rotate_right"};
    unsigned op = (unsigned)random_below(r->random, 19);
    if (op >= 17)
        return random_bits_part(r, depth);
    struct random_term a = random_term(r, RANDOM_BV, depth), t;
    if (op >= 15) {
        enum term_kind kind = op == 15 ? TERM_BV_NOT : TERM_BV_NEG;
        t.term = term_bv_unary(r->store, kind, a.term);
        for (int k = 0; k < SAMPLES; k++)
            t.value.number[k] = (op == 15 ? ~a.value.number[k] : -a.value.number[k]) & BIT_MASK;
        t.smt = random_text(r, "(%s %s)", op == 15 ? "bvnot" : "bvneg", a.smt);
        return t;
    }
    struct random_term b = random_term(r, RANDOM_BV, depth);
    enum term_kind kind = (enum term_kind)(TERM_BV_AND + op);
    t.term = term_bv_binary(r->store, kind, a.term, b.term);
    for (int k = 0; k < SAMPLES; k++)
        t.value.number[k] = reference_bits(kind, a.value.number[k], b.value.number[k]);
    t.smt = random_text(r, "(%s %s %s)", names[op], a.smt, b.smt);
    return t;
}

static inline struct random_term random_array_term(struct random_terms *r, int depth)
{
    struct random_term a = random_term(r, RANDOM_ARRAY, depth);
    struct random_term v = random_term(r, RANDOM_INT, 1), t = a;
    // Keys within the range of interest, sometimes by way of a term.
    int64_t n = (int64_t)random_below(r->random, ARRAY_KEYS);
    struct random_term *p = &r->variable[RANDOM_BOOL][random_below(r->random, VARIABLES)];
    bool literal = random_below(r->random, 2) == 0;
    int64_t m = literal ? n : (n + 1) % ARRAY_KEYS;
    const struct term *key =
        term_ite(r->store, p->term, term_int(r->store, n), term_int(r->store, m));
    t.term = term_store_at(r->store, a.term, key, v.term);
    for (int k = 0; k < SAMPLES; k++)
        t.value.array[k].at[p->value.number[k] ? n : m] = v.value.number[k];
    t.smt = random_text(r, "(store %s (ite %s %" PRId64 " %" PRId64 ") %s)", a.smt, p->smt, n, m,
                        v.smt);
    return t;
}

static inline struct random_term random_term(struct random_terms *r, enum random_sort sort,
                                             int depth)
{
    if (depth == 0)
        return random_below(r->random, 3) == 0
                   ? random_literal(r, sort)
                   : r->variable[sort][random_below(r->random, VARIABLES)];
    if (random_below(r->random, 7) == 0)
        return random_ite(r, sort, depth - 1);
    switch (sort) {
    case RANDOM_BOOL:
        return random_bool(r, depth - 1);
    case RANDOM_INT:
        return random_int(r, depth - 1);
    case RANDOM_BV:
        return random_bits(r, depth - 1);
    default:
        return random_array_term(r, depth - 1);
    }
}

// The literal of a variable or an expression in sample k.
static inline const struct term *random_literal_of(struct random_terms *r, enum random_sort sort,
                                                   const struct random_value *value, int k)
{
    if (sort == RANDOM_BOOL)
        return term_bool(r->store, value->number[k] != 0);
    if (sort == RANDOM_BV)
        return term_bv(r->store, BITS, (uint64_t)value->number[k]);
    if (sort == RANDOM_INT)
        return term_int(r->store, value->number[k]);
    const struct term *entries[2 * ARRAY_KEYS];
    for (int j = 0; j < ARRAY_KEYS; j++) {
        entries[2 * j] = term_int(r->store, j);
        entries[2 * j + 1] = term_int(r->store, value->array[k].at[j]);
    }
    return term_array(r->store, r->sort[RANDOM_ARRAY], term_int(r->store, value->array[k].rest),
                      entries, ARRAY_KEYS);
}

#endif
