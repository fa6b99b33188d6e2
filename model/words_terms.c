#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "model/words_inside.h"

// Terms over words as terms over integers (docs/definitions/words.md).

#define MOST_INEXACT 64 // more than these: the bits will do better
#define MOST_RUNS 4     // of ones in a constant
#define MOST_AMOUNTS 16 // a shift by so many different amounts is a case each
#define BIGGEST ((words_wide)1 << 120)

struct words_memo {
    uint32_t stamp;
    struct words_number number; // or a term alone
};

static words_wide power(uint32_t exponent)
{
    assert(exponent <= 120);
    return (words_wide)1 << exponent;
}

struct words_range words_range(uint32_t width, bool with_sign)
{
    assert(width >= 1 && width <= WORDS_WIDEST);
    words_wide low = with_sign ? -power(width - 1) : 0;
    return (struct words_range){low, low + power(width) - 1};
}

const struct term *words_constant(struct term_store *store, words_wide value)
{
    if (value >= INT64_MIN && value <= INT64_MAX)
        return term_int(store, (int64_t)value);
    char digits[48];
    size_t at = sizeof digits - 1;
    bool negative = value < 0;
    unsigned __int128 rest = negative ? -(unsigned __int128)value : (unsigned __int128)value;
    digits[at] = '\0';
    for (; rest != 0; rest /= 10)
        digits[--at] = (char)('0' + (int)(rest % 10));
    if (negative)
        digits[--at] = '-';
    return term_int_text(store, digits + at);
}

const struct term *words_between(struct term_store *store, const struct term *term,
                                 struct words_range range)
{
    return term_and2(store, term_le(store, words_constant(store, range.low), term),
                     term_le(store, term, words_constant(store, range.high)));
}

const struct sort *words_sort(struct term_store *store, const struct sort *sort)
{
    if (sort->kind == SORT_BV)
        return sort->width <= WORDS_WIDEST ? sort_int(store) : NULL;
    if (sort->kind != SORT_ARRAY)
        return sort;
    const struct sort *key = words_sort(store, sort->key);
    const struct sort *element = words_sort(store, sort->element);
    return key != NULL && element != NULL ? sort_array(store, key, element) : NULL;
}

void words_terms_init(struct words_terms *w, const struct model *source,
                      struct model_builder *builder, const bool *with_sign)
{
    *w = (struct words_terms){
        .source = source,
        .builder = builder,
        .store = model_builder_store(builder),
        .with_sign = with_sign,
        .stamp = 1,
    };
    w->variable = memory_zalloc((source->variable_count + 1) * sizeof(*w->variable));
    w->memo = memory_zalloc((term_store_next_id(source->store) + (size_t)1) * sizeof *w->memo);
}

void words_terms_finish(struct words_terms *w)
{
    memory_free(w->variable);
    memory_free(w->memo);
    VECTOR_FINISH(&w->fresh);
    VECTOR_FINISH(&w->facts);
    VECTOR_FINISH(&w->duties);
}

void words_terms_next(struct words_terms *w)
{
    VECTOR_CLEAR(&w->fresh);
    VECTOR_CLEAR(&w->facts);
    VECTOR_CLEAR(&w->duties);
    w->stamp++;
}

// Numbers.

static struct words_number known(struct words_terms *w, words_wide value)
{
    uint32_t zeros = 0;
    while (zeros < WORDS_WIDEST && value % power(zeros + 1) == 0)
        zeros++;
    return (struct words_number){words_constant(w->store, value), value, value, zeros};
}

static bool is_known(struct words_number n)
{
    return n.low == n.high;
}

static struct words_number bounded(const struct term *term, struct words_range range)
{
    return (struct words_number){term, range.low, range.high, 0};
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

words_wide words_quotient(words_wide a, words_wide b)
{
    assert(b > 0);
    return a / b - (a % b < 0);
}

bool words_product(struct words_range a, struct words_range b, struct words_range *out)
{
    words_wide corner[4];
    bool over = __builtin_mul_overflow(a.low, b.low, &corner[0]);
    over |= __builtin_mul_overflow(a.low, b.high, &corner[1]);
    over |= __builtin_mul_overflow(a.high, b.low, &corner[2]);
    over |= __builtin_mul_overflow(a.high, b.high, &corner[3]);
    *out = (struct words_range){corner[0], corner[0]};
    for (int i = 1; i < 4; i++) {
        out->low = corner[i] < out->low ? corner[i] : out->low;
        out->high = corner[i] > out->high ? corner[i] : out->high;
    }
    return !over;
}

static struct words_number modulo_power(struct words_terms *w, struct words_number n, uint32_t bits)
{
    words_wide modulus = power(bits);
    words_wide down = words_quotient(n.low, modulus);
    if (down == words_quotient(n.high, modulus)) {
        const struct term *less = words_constant(w->store, -down * modulus);
        return (struct words_number){term_add2(w->store, n.term, less), n.low - down * modulus,
                                     n.high - down * modulus, smaller(n.zeros, bits)};
    }
    const struct term *term = term_mod(w->store, n.term, words_constant(w->store, modulus));
    return (struct words_number){term, 0, modulus - 1, smaller(n.zeros, bits)};
}

static struct words_number divide_power(struct words_terms *w, struct words_number n, uint32_t bits)
{
    if (bits == 0)
        return n;
    const struct term *divisor = words_constant(w->store, power(bits));
    return (struct words_number){
        term_div(w->store, n.term, divisor), words_quotient(n.low, power(bits)),
        words_quotient(n.high, power(bits)), n.zeros > bits ? n.zeros - bits : 0};
}

static struct words_number shifted(struct words_terms *w, struct words_number n, words_wide by)
{
    return (struct words_number){term_add2(w->store, n.term, words_constant(w->store, by)),
                                 n.low + by, n.high + by, 0};
}

// The value of the word that the number equals modulo 2^width.
static struct words_number in_range(struct words_terms *w, struct words_number n, uint32_t width,
                                    bool with_sign)
{
    struct words_range r = words_range(width, with_sign);
    words_wide modulus = power(width);
    if (n.low >= r.low && n.high <= r.high)
        return n;
    if (w->checked && n.computed) {
        VECTOR_PUSH(&w->duties, words_between(w->store, n.term, r));
        return (struct words_number){n.term, n.low > r.low ? n.low : r.low,
                                     n.high < r.high ? n.high : r.high, n.zeros, false};
    }
    if (n.low < r.low - modulus || n.high > r.high + modulus) {
        struct words_number inside =
            shifted(w, modulo_power(w, shifted(w, n, -r.low), width), r.low);
        inside.zeros = smaller(n.zeros, with_sign ? width - 1 : width);
        return inside;
    }
    const struct term *term = n.term;
    const struct term *step = words_constant(w->store, modulus);
    if (n.high > r.high)
        term = term_ite(w->store, term_lt(w->store, words_constant(w->store, r.high), n.term),
                        term_sub(w->store, n.term, step), term);
    if (n.low < r.low)
        term = term_ite(w->store, term_lt(w->store, n.term, words_constant(w->store, r.low)),
                        term_add2(w->store, n.term, step), term);
    return (struct words_number){term, r.low, r.high, smaller(n.zeros, width)};
}

static bool is_big(struct words_number n)
{
    return n.low < -BIGGEST / 4 || n.high > BIGGEST / 4;
}

static struct words_number add(struct words_terms *w, struct words_number a, struct words_number b)
{
    return (struct words_number){term_add2(w->store, a.term, b.term), a.low + b.low,
                                 a.high + b.high, smaller(a.zeros, b.zeros)};
}

static struct words_number negate(struct words_terms *w, struct words_number a)
{
    return (struct words_number){term_neg(w->store, a.term), -a.high, -a.low, a.zeros};
}

static bool product_fits(struct words_number a, struct words_number b, struct words_range *out)
{
    return words_product((struct words_range){a.low, a.high}, (struct words_range){b.low, b.high},
                         out) &&
           out->low > -BIGGEST && out->high < BIGGEST;
}

static struct words_number multiply(struct words_terms *w, struct words_number a,
                                    struct words_number b, uint32_t width)
{
    struct words_range range;
    if (!product_fits(a, b, &range)) {
        a = in_range(w, a, width, true);
        b = in_range(w, b, width, true);
    }
    if (!product_fits(a, b, &range)) { // of more than 60 bits each
        w->failed = true;
        return a;
    }
    struct words_number out = bounded(term_mul2(w->store, a.term, b.term), range);
    out.zeros = smaller(a.zeros + b.zeros, width);
    return out;
}

static struct words_number either(struct words_terms *w, const struct term *condition,
                                  struct words_number a, struct words_number b)
{
    return (struct words_number){term_ite(w->store, condition, a.term, b.term),
                                 a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                                 smaller(a.zeros, b.zeros)};
}

// Some number in the range; what else is known of it goes to the facts.
static struct words_number fresh(struct words_terms *w, struct words_range range)
{
    const struct variable *v =
        model_builder_fresh(w->builder, "some", sort_int(w->store), VARIABLE_LOCAL,
                            (struct position){w->source->path, 0, 0});
    VECTOR_PUSH(&w->fresh, v);
    VECTOR_PUSH(&w->facts, words_between(w->store, v->term, range));
    w->failed |= ++w->inexact > MOST_INEXACT;
    return bounded(v->term, range);
}

// Words.

static struct words_number number(struct words_terms *w, const struct term *word);

static struct words_number ranged(struct words_terms *w, const struct term *word, bool with_sign)
{
    return in_range(w, number(w, word), word->sort->width, with_sign);
}

static struct words_number literal(struct words_terms *w, const struct term *term)
{
    uint64_t bits = term_bv_number(term);
    struct words_range r = words_range(term->sort->width, true);
    return known(w, (words_wide)bits > r.high ? (words_wide)bits - power(term->sort->width)
                                              : (words_wide)bits);
}

// The bits of a constant as runs of ones; false: too many.
static bool and_constant(struct words_terms *w, struct words_number n, uint64_t mask,
                         uint32_t width, struct words_number *out)
{
    unsigned runs = 0;
    *out = known(w, 0);
    for (uint32_t low = 0; low < width;) {
        if (!(mask >> low & 1)) {
            low++;
            continue;
        }
        uint32_t end = low;
        while (end < width && mask >> end & 1)
            end++;
        if (++runs > MOST_RUNS)
            return false;
        struct words_number part = divide_power(w, n, low);
        if (end < width)
            part = modulo_power(w, part, end - low);
        *out = add(w, *out, multiply(w, part, known(w, power(low)), width));
        low = end;
    }
    return true;
}

static uint64_t bits_of(struct words_number n, uint32_t width)
{
    assert(is_known(n));
    uint64_t bits = (uint64_t)n.low;
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static bool is_bit(struct words_number n)
{
    return n.low >= 0 && n.high <= 1;
}

static struct words_number both_bits(struct words_terms *w, struct words_number a,
                                     struct words_number b)
{
    return either(w, term_eq(w->store, a.term, term_int(w->store, 1)), b, known(w, 0));
}

// The conjunction of bits: exact for constants, single bits, and where no bit is in both.
static struct words_number conjunction(struct words_terms *w, const struct term *x,
                                       const struct term *y)
{
    uint32_t width = x->sort->width;
    struct words_number a = number(w, x), b = number(w, y), out;
    if (is_known(a) && and_constant(w, b, bits_of(a, width), width, &out))
        return out;
    if (is_known(b) && and_constant(w, a, bits_of(b, width), width, &out))
        return out;
    a = in_range(w, a, width, false);
    b = in_range(w, b, width, false);
    if (is_bit(a) && is_bit(b))
        return both_bits(w, a, b);
    if (a.high < power(b.zeros) || b.high < power(a.zeros))
        return known(w, 0);
    out = fresh(w, (struct words_range){0, a.high < b.high ? a.high : b.high});
    VECTOR_PUSH(&w->facts, term_le(w->store, out.term, a.term));
    VECTOR_PUSH(&w->facts, term_le(w->store, out.term, b.term));
    return out;
}

// a | b = a + b - (a & b), a ^ b = a + b - 2 (a & b).
static struct words_number bitwise(struct words_terms *w, const struct term *term)
{
    struct words_number common = conjunction(w, term->child[0], term->child[1]);
    if (term->kind == TERM_BV_AND)
        return common;
    uint32_t width = term->sort->width;
    struct words_number a = ranged(w, term->child[0], false), b = ranged(w, term->child[1], false);
    struct words_number sum = add(w, a, b);
    if (is_known(common) && common.low == 0)
        return sum;
    words_wide times = term->kind == TERM_BV_OR ? 1 : 2;
    struct words_number out = add(w, sum, negate(w, multiply(w, common, known(w, times), width)));
    // Of both it is at least the greater one (or), and no more than all their bits.
    words_wide most = 1;
    while (most <= a.high || most <= b.high)
        most *= 2;
    if (out.high > most - 1 && !is_known(common)) {
        VECTOR_PUSH(&w->facts, term_le(w->store, out.term, words_constant(w->store, most - 1)));
        out.high = most - 1;
    }
    if (out.low < 0 && !is_known(common)) {
        VECTOR_PUSH(&w->facts, term_le(w->store, term_int(w->store, 0), out.term));
        out.low = 0;
    }
    assert(is_known(common) || out.high <= words_range(width, false).high);
    return out;
}

static struct words_number shift_left(struct words_terms *w, struct words_number n, uint32_t by,
                                      uint32_t width)
{
    return by >= width ? known(w, 0) : multiply(w, n, known(w, power(by)), width);
}

// To the right, rounded down; n is the word's value.
static struct words_number shift_right(struct words_terms *w, struct words_number n, uint32_t by,
                                       uint32_t width)
{
    return divide_power(w, n, by < width ? by : width);
}

static struct words_number shift_by(struct words_terms *w, const struct term *term,
                                    struct words_number n, uint32_t by)
{
    uint32_t width = term->sort->width;
    return term->kind == TERM_BV_SHL ? shift_left(w, n, by, width) : shift_right(w, n, by, width);
}

static struct words_number shift(struct words_terms *w, const struct term *term)
{
    uint32_t width = term->sort->width;
    struct words_number amount = ranged(w, term->child[1], false);
    struct words_number n = term->kind == TERM_BV_SHL
                                ? number(w, term->child[0])
                                : ranged(w, term->child[0], term->kind == TERM_BV_ASHR);
    if (is_known(amount))
        return shift_by(w, term, n, amount.low < width ? (uint32_t)amount.low : width);
    words_wide last = amount.high < width ? amount.high : width; // from there on all are alike
    if (last - amount.low <= MOST_AMOUNTS) {
        struct words_number out = shift_by(w, term, n, (uint32_t)last);
        for (words_wide k = last; k-- > amount.low;)
            out = either(w, term_eq(w->store, amount.term, words_constant(w->store, k)),
                         shift_by(w, term, n, (uint32_t)k), out);
        return out;
    }
    if (term->kind == TERM_BV_SHL)
        return fresh(w, words_range(width, false));
    struct words_number out =
        fresh(w, (struct words_range){n.low < 0 ? n.low : 0, n.high < 0 ? -1 : n.high});
    if (n.low >= 0)
        VECTOR_PUSH(&w->facts, term_le(w->store, out.term, n.term));
    return out;
}

// Division without sign, both not negative; of zero: all bits, and the dividend.
static struct words_number divide(struct words_terms *w, struct words_number a,
                                  struct words_number b, bool rest, words_wide by_zero)
{
    struct words_number out =
        rest ? (struct words_number){term_mod(w->store, a.term, b.term), 0, b.high - 1, 0}
             : (struct words_number){term_div(w->store, a.term, b.term), 0, a.high, 0};
    if (rest && a.high < out.high)
        out.high = a.high;
    if (out.high < 0)
        out.high = 0;
    if (b.low > 0)
        return out;
    const struct term *none = term_eq(w->store, b.term, term_int(w->store, 0));
    return either(w, none, rest ? a : known(w, by_zero), out);
}

static struct words_number absolute(struct words_terms *w, struct words_number n)
{
    if (n.low >= 0)
        return n;
    struct words_number other = negate(w, n);
    if (n.high <= 0)
        return other;
    struct words_number out = either(w, term_le(w->store, term_int(w->store, 0), n.term), n, other);
    out.low = 0;
    return out;
}

static const struct term *is_negative(struct words_terms *w, struct words_number n)
{
    return term_lt(w->store, n.term, term_int(w->store, 0));
}

// Rounded towards zero; a rest has the dividend's sign (SREM) or the divisor's (SMOD).
static struct words_number divide_with_sign(struct words_terms *w, const struct term *term)
{
    struct words_number a = ranged(w, term->child[0], true), b = ranged(w, term->child[1], true);
    bool rest = term->kind != TERM_BV_SDIV;
    struct words_number out = divide(w, absolute(w, a), absolute(w, b), rest, -1);
    if (!rest) {
        // By zero: -1, or 1 for a negative dividend.
        const struct term *turn = term_xor(w->store, is_negative(w, a), is_negative(w, b));
        return either(w, turn, negate(w, out), out);
    }
    out = either(w, is_negative(w, a), negate(w, out), out);
    if (term->kind == TERM_BV_SREM)
        return out;
    const struct term *turn =
        term_and2(w->store, term_xor(w->store, is_negative(w, a), is_negative(w, b)),
                  term_not(w->store, term_eq(w->store, out.term, term_int(w->store, 0))));
    struct words_number sum = add(w, out, b);
    const struct term *none = term_eq(w->store, b.term, term_int(w->store, 0));
    return either(w, none, a, either(w, turn, sum, out));
}

static struct words_number element(struct words_terms *w, const struct term *term)
{
    const struct term *array = words_translate(w, term->child[0]);
    const struct term *key = words_translate(w, term->child[1]);
    if (w->failed)
        return known(w, 0);
    const struct term *read = term_select(w->store, array, key);
    struct words_range range = words_range(term->sort->width, words_element_has_sign(term->sort));
    VECTOR_PUSH(&w->facts, words_between(w->store, read, range));
    return bounded(read, range);
}

static struct words_number conditional(struct words_terms *w, const struct term *term)
{
    const struct term *condition = words_translate(w, term->child[0]);
    struct words_number a = number(w, term->child[1]), b = number(w, term->child[2]);
    struct words_number out = w->failed ? a : either(w, condition, a, b);
    out.computed = a.computed || b.computed;
    return out;
}

static struct words_number make_number(struct words_terms *w, const struct term *term)
{
    uint32_t width = term->sort->width;
    const struct variable *variable;
    struct words_number a, b;
    switch (term->kind) {
    case TERM_BV:
        return literal(w, term);
    case TERM_VAR:
        variable = model_variable_of(w->source, term);
        if (variable == NULL)
            break; // bound by a quantifier
        return bounded(w->variable[variable->index]->term,
                       words_range(width, w->with_sign[variable->index]));
    case TERM_ITE:
        return conditional(w, term);
    case TERM_SELECT:
        return element(w, term);
    case TERM_BV_NOT:
        return shifted(w, negate(w, number(w, term->child[0])), -1);
    case TERM_BV_NEG:
        return negate(w, number(w, term->child[0]));
    case TERM_BV_ADD:
        a = number(w, term->child[0]);
        b = number(w, term->child[1]);
        return add(w, a, b);
    case TERM_BV_MUL:
        a = number(w, term->child[0]);
        b = number(w, term->child[1]);
        return multiply(w, a, b, width);
    case TERM_BV_AND:
    case TERM_BV_OR:
    case TERM_BV_XOR:
        return bitwise(w, term);
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
        return shift(w, term);
    case TERM_BV_UDIV:
    case TERM_BV_UREM:
        a = ranged(w, term->child[0], false);
        b = ranged(w, term->child[1], false);
        return divide(w, a, b, term->kind == TERM_BV_UREM, -1);
    case TERM_BV_SDIV:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
        return divide_with_sign(w, term);
    case TERM_BV_CONCAT:
        a = number(w, term->child[0]);
        b = ranged(w, term->child[1], false);
        return add(w, multiply(w, a, known(w, power(term->child[1]->sort->width)), width), b);
    case TERM_BV_EXTRACT:
        return divide_power(w, number(w, term->child[0]), term->u.extract.low);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return ranged(w, term->child[0], term->kind == TERM_BV_SEXT);
    case TERM_BV_ROL:
    case TERM_BV_ROR:
        return fresh(w, words_range(width, false));
    default:
        break;
    }
    w->failed = true;
    return known(w, 0);
}

static bool computes(enum term_kind kind)
{
    return kind == TERM_BV_ADD || kind == TERM_BV_MUL || kind == TERM_BV_NEG || kind == TERM_BV_SHL;
}

static struct words_memo *memo_of(struct words_terms *w, const struct term *term)
{
    assert(term->id < term_store_next_id(w->source->store) && "a term of the source");
    return &w->memo[term->id];
}

static struct words_number number(struct words_terms *w, const struct term *word)
{
    if (word->sort->kind != SORT_BV || word->sort->width > WORDS_WIDEST)
        w->failed = true;
    if (w->failed)
        return known(w, 0);
    struct words_memo *memo = memo_of(w, word);
    if (memo->stamp != w->stamp) {
        struct words_number made = make_number(w, word);
        made.computed |= computes(word->kind) && !is_known(made);
        if (is_big(made))
            made = in_range(w, made, word->sort->width, true);
        *memo = (struct words_memo){w->stamp, made};
    }
    return memo->number;
}

static const struct term *value_in_range(struct words_terms *w, const struct term *word,
                                         bool with_sign)
{
    return ranged(w, word, with_sign).term;
}

// Other terms.

static bool fits(struct words_number n, struct words_range r)
{
    return n.low >= r.low && n.high <= r.high;
}

static const struct term *equal_words(struct words_terms *w, const struct term *x,
                                      const struct term *y)
{
    uint32_t width = x->sort->width;
    struct words_number a = number(w, x), b = number(w, y);
    struct words_range without = words_range(width, false);
    // With the sign that spares the most.
    bool with_sign = !(fits(a, without) && fits(b, without)) &&
                     !(is_known(b) && fits(a, without)) && !(is_known(a) && fits(b, without));
    return term_eq(w->store, in_range(w, a, width, with_sign).term,
                   in_range(w, b, width, with_sign).term);
}

static const struct term *compare(struct words_terms *w, const struct term *term)
{
    bool with_sign = term->kind == TERM_BV_SLT || term->kind == TERM_BV_SLE;
    const struct term *a = value_in_range(w, term->child[0], with_sign);
    const struct term *b = value_in_range(w, term->child[1], with_sign);
    return term->kind == TERM_BV_ULT || term->kind == TERM_BV_SLT ? term_lt(w->store, a, b)
                                                                  : term_le(w->store, a, b);
}

// Keys of arrays have no sign.
static const struct term *value_of(struct words_terms *w, const struct term *term, bool with_sign)
{
    return term->sort->kind == SORT_BV ? value_in_range(w, term, with_sign)
                                       : words_translate(w, term);
}

static const struct term *element_of(struct words_terms *w, const struct term *term)
{
    return value_of(w, term, words_element_has_sign(term->sort));
}

static const struct term *array_literal(struct words_terms *w, const struct term *term)
{
    const struct sort *sort = words_sort(w->store, term->sort);
    if (sort == NULL) {
        w->failed = true;
        return term;
    }
    struct term_vector entries = {0};
    for (uint32_t i = 1; i < term->child_count; i++)
        VECTOR_PUSH(&entries, i % 2 == 1 ? value_of(w, term->child[i], false)
                                         : element_of(w, term->child[i]));
    const struct term *standard = element_of(w, term->child[0]);
    const struct term *made =
        w->failed ? term : term_array(w->store, sort, standard, entries.data, entries.count / 2);
    VECTOR_FINISH(&entries);
    return made;
}

static const struct term *store_at(struct words_terms *w, const struct term *term)
{
    const struct term *array = words_translate(w, term->child[0]);
    const struct term *key = value_of(w, term->child[1], false);
    const struct term *stored = element_of(w, term->child[2]);
    return w->failed ? term : term_store_at(w->store, array, key, stored);
}

// The same operator over children that keep their sorts.
static const struct term *rebuild(struct words_terms *w, const struct term *term)
{
    struct term_vector children = {0};
    for (uint32_t i = 0; i < term->child_count; i++)
        VECTOR_PUSH(&children, words_translate(w, term->child[i]));
    const struct term *made = w->failed ? term : term_rebuild(w->store, term, children.data);
    VECTOR_FINISH(&children);
    return made;
}

static const struct term *make_term(struct words_terms *w, const struct term *term)
{
    const struct variable *variable;
    bool words = term->child_count > 0 && term->child[0]->sort->kind == SORT_BV;
    switch (term->kind) {
    case TERM_VAR:
        variable = model_variable_of(w->source, term);
        if (variable != NULL)
            return w->variable[variable->index]->term;
        break;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        return compare(w, term);
    case TERM_EQ:
        if (words)
            return equal_words(w, term->child[0], term->child[1]);
        const struct term *a = words_translate(w, term->child[0]);
        const struct term *b = words_translate(w, term->child[1]);
        return w->failed ? term : term_eq(w->store, a, b);
    case TERM_ITE: {
        const struct term *condition = words_translate(w, term->child[0]);
        const struct term *then = words_translate(w, term->child[1]);
        const struct term *otherwise = words_translate(w, term->child[2]);
        return w->failed ? term : term_ite(w->store, condition, then, otherwise);
    }
    case TERM_SELECT: {
        const struct term *array = words_translate(w, term->child[0]);
        const struct term *key = value_of(w, term->child[1], false);
        return w->failed ? term : term_select(w->store, array, key);
    }
    case TERM_STORE:
        return store_at(w, term);
    case TERM_ARRAY:
    case TERM_CONST_ARRAY:
        return array_literal(w, term);
    case TERM_FORALL:
    case TERM_EXISTS:
        break;
    default:
        return term->child_count == 0 ? term : rebuild(w, term);
    }
    w->failed = true;
    return term;
}

const struct term *words_translate(struct words_terms *w, const struct term *term)
{
    if (term->sort->kind == SORT_BV)
        return value_in_range(w, term, false); // a key
    if (w->failed)
        return term;
    struct words_memo *memo = memo_of(w, term);
    if (memo->stamp != w->stamp) {
        const struct term *made = make_term(w, term);
        *memo = (struct words_memo){w->stamp, {.term = made}};
    }
    return memo->number.term;
}

const struct term *words_value_for(struct words_terms *w, const struct variable *variable,
                                   const struct term *value)
{
    return value_of(w, value, w->with_sign[variable->index]);
}
