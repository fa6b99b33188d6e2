#include "logic/smt/products.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/odd.h"
#include "logic/smt/bottom_up.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"

#define LEAST_WIDTH 8     // of words whose products are hard
#define FEW_DIGITS 3      // binary, of a number that an extended word is multiplied by
#define MOST_CASES 64     // that choices are split into
#define MOST_ROUNDS 400   // of all cases together
#define MOST_QUOTIENTS 40 // of one case
#define MOST_SHIFT 16     // bits that are cut off
#define MOST_NODES 60000  // of a formula, looked at as a tree
#define COPY 0x40000001u  // no variable of a formula has so many copies

enum division {
    DIVISION_UNSIGNED,
    DIVISION_SIGNED, // towards zero
    DIVISION_FLOOR,  // by a power of two, downwards
};

// divided = divisor * quotient + rest.
struct quotient {
    enum division division;
    uint64_t divisor;
    const struct term *divided, *quotient, *rest;
};

struct question_case {
    const struct term *formula;
    VECTOR(struct quotient) quotients;
    bool told;                           // products are variables by now, …
    struct term_vector products, bounds; // … these, in these bounds
};

struct products {
    struct term_store *store;
    struct question_case *now;
    struct term_vector cases; // that may be satisfied
    unsigned begun, rounds;
    uint32_t fresh;
    int64_t *work;
    bool failed;
};

static const struct term *number(struct products *p, const struct term *like, uint64_t value)
{
    return term_bv(p->store, like->sort->width, value);
}

static const struct term *binary(struct products *p, enum term_kind kind, const struct term *a,
                                 const struct term *b)
{
    return term_bv_binary(p->store, kind, a, b);
}

static bool is_word(const struct term *t)
{
    return t->sort->kind == SORT_BV && t->sort->width <= 64;
}

static bool power_of(uint64_t number, uint32_t *exponent)
{
    if (number == 0 || (number & (number - 1)) != 0)
        return false;
    *exponent = (uint32_t)__builtin_ctzll(number);
    return true;
}

// Quotients and remainders.

// A term that cuts a word: which part it is.
struct cut {
    enum division division;
    uint64_t divisor;
    bool rest;
    const struct term *word;
};

static bool cut_by_operation(const struct term *t, const struct term *word, const struct term *by,
                             struct cut *cut)
{
    if (by->kind != TERM_BV || !is_word(word))
        return false;
    uint64_t value = term_bv_number(by);
    *cut = (struct cut){DIVISION_UNSIGNED, value, false, word};
    switch (t->kind) {
    case TERM_BV_UREM:
        cut->rest = true;
        break;
    case TERM_BV_UDIV:
        break;
    case TERM_BV_SREM:
        cut->rest = true;
        cut->division = DIVISION_SIGNED;
        break;
    case TERM_BV_SDIV:
        cut->division = DIVISION_SIGNED;
        break;
    case TERM_BV_AND:
        cut->rest = true;
        cut->divisor = value + 1;
        return value > 0 && (value & (value + 1)) == 0 && value < UINT64_C(1) << MOST_SHIFT;
    case TERM_BV_ASHR:
        cut->division = DIVISION_FLOOR;
        // falls through
    case TERM_BV_LSHR:
        cut->divisor = UINT64_C(1) << (value < 64 ? value : 63);
        return value > 0 && value < MOST_SHIFT && value < word->sort->width;
    default:
        return false;
    }
    uint32_t exponent;
    if (cut->division == DIVISION_SIGNED)
        return value > 1 && value < UINT64_C(1) << (word->sort->width - 1);
    return value > 1 && (!power_of(value, &exponent) || exponent < word->sort->width);
}

// children: of t, as they are by now.
static bool read_cut(const struct term *t, const struct term *const *children, struct cut *cut)
{
    if (t->kind == TERM_BV_EXTRACT) {
        const uint32_t low = t->u.extract.low, high = t->u.extract.high;
        const uint32_t width = children[0]->sort->width;
        const bool rest = low == 0;
        const uint32_t bits = rest ? high + 1 : low;
        *cut = (struct cut){DIVISION_UNSIGNED, UINT64_C(1) << (bits < 64 ? bits : 63), rest,
                            children[0]};
        return is_word(children[0]) && bits < MOST_SHIFT && bits < width &&
               (rest || high + 1 == width);
    }
    return t->child_count == 2 && t->sort->kind == SORT_BV &&
           cut_by_operation(t, children[0], children[1], cut);
}

// The word less what the quotient is of is a number that only changes the rest. True: *by is that number.
static bool differs_in_rest(struct products *p, const struct quotient *q, const struct term *word,
                            uint64_t *by)
{
    struct polynomial difference;
    *by = 0;
    if (q->divided->sort != word->sort)
        return false;
    bool good =
        q->divided == word ||
        (polynomial_of_difference(p->store, word, q->divided, &difference) &&
         (difference.count == 0 || (difference.count == 1 && difference.data[0].degree == 0)));
    if (q->divided == word)
        return true;
    if (good && difference.count == 1)
        *by = difference.data[0].factor;
    polynomial_finish(&difference);
    if (!good || *by == 0)
        return good;
    if (q->rest->kind != TERM_BV)
        return false;
    // Towards zero, and not beyond the rest, nothing wraps and the quotient is the same. A power of two has all its rests.
    uint32_t exponent;
    const uint64_t mask = ones_of(word->sort->width);
    const uint64_t rest = term_bv_number(q->rest), sum = (rest + *by) & mask;
    if (q->division != DIVISION_SIGNED && power_of(q->divisor, &exponent))
        return sum < q->divisor;
    return rest < q->divisor && sum <= rest;
}

static const struct term *part_of(struct products *p, const struct term *t, const struct cut *cut,
                                  const struct quotient *q, uint64_t by)
{
    const struct term *part =
        cut->rest ? binary(p, TERM_BV_ADD, q->rest, number(p, q->rest, by)) : q->quotient;
    if (t->kind != TERM_BV_EXTRACT)
        return part;
    return term_bv_extract(p->store, part, t->sort->width - 1, 0);
}

// What the quotients say the term is. NULL: nothing.
static const struct term *known_part(struct products *p, const struct term *t,
                                     const struct cut *cut)
{
    for (size_t i = 0; i < p->now->quotients.count; i++) {
        const struct quotient *q = &p->now->quotients.data[i];
        uint64_t by;
        if (q->division == cut->division && q->divisor == cut->divisor &&
            differs_in_rest(p, q, cut->word, &by))
            return part_of(p, t, cut, q, by);
    }
    return NULL;
}

// Normal forms.

static const struct term *product_variable(struct products *p, const struct monomial_of_words *m)
{
    char name[48 + 12 * POLYNOMIAL_DEGREE];
    int at = snprintf(name, sizeof name, "!product.%llu", (unsigned long long)m->factor);
    for (uint32_t i = 0; i < m->degree; i++)
        at += snprintf(name + at, sizeof name - (size_t)at, ".%u", m->part[i]->id);
    return term_var_copy(p->store, term_var(p->store, name, m->part[0]->sort), COPY);
}

static bool is_product_variable(const struct term *t)
{
    return t->u.var.index == COPY && strncmp(t->u.var.name, "!product", 8) == 0;
}

static bool is_own_variable(const struct term *t)
{
    return t->u.var.index == COPY;
}

// Bounds.

struct range {
    __int128 low, high;
};

static __int128 signed_number(const struct term *literal)
{
    const uint32_t width = literal->sort->width;
    uint64_t value = term_bv_number(literal);
    if (width < 64 && (value >> (width - 1) & 1) != 0)
        value |= UINT64_MAX << width;
    return (int64_t)value;
}

static void narrow(struct range *range, __int128 low, __int128 high)
{
    range->low = range->low < low ? low : range->low;
    range->high = range->high > high ? high : range->high;
}

// What a condition says of a word as a number with sign.
static void narrow_by(const struct term *fact, const struct term *word, struct range *range)
{
    const bool holds = fact->kind != TERM_NOT;
    const struct term *order = holds ? fact : fact->child[0];
    if (order->kind != TERM_BV_SLE && order->kind != TERM_BV_ULE)
        return;
    const struct term *a = order->child[0], *b = order->child[1];
    const bool with_sign = order->kind == TERM_BV_SLE;
    if (a == word && b->kind == TERM_BV) {
        __int128 c = signed_number(b);
        if (holds && (with_sign || c >= 0))
            narrow(range, with_sign ? range->low : 0, c);
        else if (!holds && with_sign)
            narrow(range, c + 1, range->high);
    } else if (b == word && a->kind == TERM_BV) {
        __int128 c = signed_number(a);
        if (holds && with_sign)
            narrow(range, c, range->high);
        else if (!holds && (with_sign || c > 0))
            narrow(range, with_sign ? range->low : 0, c - 1);
    }
}

static struct range range_of(const struct term_vector *facts, const struct term *word)
{
    const struct term *inner = word;
    if (word->kind == TERM_BV_SEXT || word->kind == TERM_BV_ZEXT)
        inner = word->child[0];
    const uint32_t width = inner->sort->width;
    const __int128 half = (__int128)1 << (width - 1);
    struct range range = {-half, half - 1};
    for (size_t i = 0; i < facts->count; i++)
        narrow_by(facts->data[i], inner, &range);
    if (word->kind == TERM_BV_ZEXT && range.low < 0)
        return (struct range){0, 2 * half - 1};
    if (word != inner)
        for (size_t i = 0; i < facts->count; i++)
            narrow_by(facts->data[i], word, &range);
    return range;
}

static bool multiply(struct range *range, struct range by, __int128 half)
{
    const __int128 ends[] = {range->low * by.low, range->low * by.high, range->high * by.low,
                             range->high * by.high};
    *range = (struct range){ends[0], ends[0]};
    for (int i = 1; i < 4; i++) {
        range->low = range->low > ends[i] ? ends[i] : range->low;
        range->high = range->high < ends[i] ? ends[i] : range->high;
    }
    return range->low >= -half && range->high < half;
}

// The variable lies where the product does, as far as bounds of its parts tell; without them true.
static const struct term *product_range(struct products *p, const struct monomial_of_words *m,
                                        const struct term *variable)
{
    const __int128 half = (__int128)1 << (variable->sort->width - 1);
    struct range range = {(__int128)m->factor, (__int128)m->factor};
    struct term_vector facts = {0};
    bool good = range.low < half;
    rewrite_conjuncts(p->now->formula, &facts);
    for (uint32_t i = 0; i < m->degree && good; i++)
        good = multiply(&range, range_of(&facts, m->part[i]), half);
    VECTOR_FINISH(&facts);
    if (!good)
        return term_true(p->store);
    const struct term *low = number(p, variable, (uint64_t)range.low),
                      *high = number(p, variable, (uint64_t)range.high);
    return term_and2(p->store, binary(p, TERM_BV_SLE, low, variable),
                     binary(p, TERM_BV_SLE, variable, high));
}

// A product of words, or of an extended word and a number of many digits, …
static bool is_hard(const struct monomial_of_words *m)
{
    return m->degree > 1 ||
           (m->degree == 1 && m->part[0]->kind == TERM_BV_SEXT && m->part[0]->sort->width == 64 &&
            __builtin_popcountll(m->factor) >= FEW_DIGITS &&
            __builtin_popcountll(0 - m->factor) >= FEW_DIGITS);
}

// … becomes a variable; the number's sign stays.
static void tell_products(struct products *p, struct polynomial *polynomial)
{
    for (size_t i = 0; p->now->told && i < polynomial->count; i++) {
        struct monomial_of_words *m = &polynomial->data[i];
        if (!is_hard(m))
            continue;
        const bool minus = m->degree == 1 && m->factor > 0 - m->factor;
        struct monomial_of_words told = *m;
        told.factor = m->degree > 1 ? 1 : minus ? 0 - m->factor : m->factor;
        const struct term *variable = product_variable(p, &told);
        if (!term_vector_contains(&p->now->products, variable)) {
            VECTOR_PUSH(&p->now->products, variable);
            VECTOR_PUSH(&p->now->bounds, product_range(p, &told, variable));
        }
        if (m->degree == 1)
            m->factor = minus ? UINT64_MAX : 1;
        m->part[0] = variable;
        m->degree = 1;
    }
}

// A term that is multiplied out is looked at as a tree.
static void charge(struct products *p, const struct term *t)
{
    *p->work -= t->tree_size < 300 ? t->tree_size : 300;
}

static const struct term *expand(struct products *p, const struct term *t)
{
    struct polynomial polynomial;
    const struct term *out = t;
    if (!polynomial_is_operation(t) || !is_word(t))
        return t;
    charge(p, t);
    if (polynomial_of(p->store, t, t->sort->width, &polynomial)) {
        tell_products(p, &polynomial);
        out = polynomial_term(p->store, &polynomial);
    }
    polynomial_finish(&polynomial);
    return out;
}

static const struct term *equation(struct products *p, const struct term *a, const struct term *b)
{
    struct polynomial difference;
    const struct term *out = NULL;
    charge(p, a);
    charge(p, b);
    if (polynomial_of_difference(p->store, a, b, &difference)) {
        tell_products(p, &difference);
        out = polynomial_is_zero(p->store, &difference);
    }
    polynomial_finish(&difference);
    return out;
}

// Sums stay what they are until something looks at them: then they are multiplied out.
static const struct term *normal(void *context, const struct term *t,
                                 const struct term *const *children)
{
    struct products *p = context;
    const struct term *made = NULL, *own[3];
    struct cut cut;
    if (--*p->work < 0)
        return NULL;
    if (polynomial_is_operation(t) || t->child_count == 0 || t->child_count > 3)
        return term_rebuild(p->store, t, children);
    if (t->kind == TERM_EQ && is_word(children[0]))
        made = equation(p, children[0], children[1]);
    if (made != NULL)
        return made;
    for (uint32_t i = 0; i < t->child_count; i++)
        own[i] = children[i]->sort->kind == SORT_BV ? expand(p, children[i]) : children[i];
    if (t->sort->kind == SORT_BV && read_cut(t, own, &cut))
        made = known_part(p, t, &cut);
    return made != NULL ? made : term_rebuild(p->store, t, own);
}

static const struct term *normalise(struct products *p, const struct term *t)
{
    const struct term *made = p->failed ? NULL : bottom_up(t, NULL, normal, p);
    if (made == NULL) {
        p->failed = true;
        return t;
    }
    return made->sort->kind == SORT_BV ? expand(p, made) : made;
}

// Equations that say a variable.

struct replacement {
    const struct term *variable, *value;
};

static const struct term *replaced(void *context, const struct term *variable)
{
    const struct replacement *r = context;
    return variable == r->variable ? r->value : variable;
}

static bool occurs_elsewhere(const struct polynomial *p, size_t at, const struct term *variable)
{
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->data[i].degree; k++)
            if (i != at && rewrite_contains(p->data[i].part[k], variable))
                return true;
    return false;
}

// Products first, then what variables hold later; quotients last, which others are told by.
static int rank(const struct term *variable)
{
    if (is_own_variable(variable))
        return is_product_variable(variable) ? 3 : 0;
    return variable->u.var.index > 0 ? 2 : 1;
}

// The variable that the equation is best solved for. False: there is none.
static bool solve(struct products *p, const struct term *fact, struct replacement *out)
{
    struct polynomial difference;
    size_t best = SIZE_MAX;
    if (fact->kind != TERM_EQ || !is_word(fact->child[0]))
        return false;
    charge(p, fact);
    if (!polynomial_of_difference(p->store, fact->child[0], fact->child[1], &difference))
        difference.count = 0;
    for (size_t i = 0; i < difference.count; i++) {
        const struct monomial_of_words *m = &difference.data[i];
        if (m->degree != 1 || m->factor % 2 == 0 || m->part[0]->kind != TERM_VAR ||
            (best != SIZE_MAX && rank(m->part[0]) <= rank(difference.data[best].part[0])) ||
            occurs_elsewhere(&difference, i, m->part[0]))
            continue;
        best = i;
    }
    if (best != SIZE_MAX) {
        struct monomial_of_words m = difference.data[best];
        out->variable = m.part[0];
        difference.data[best].factor = 0;
        polynomial_scale(&difference, 0 - odd_inverse(m.factor));
        out->value = polynomial_term(p->store, &difference);
    }
    polynomial_finish(&difference);
    return best != SIZE_MAX;
}

static const struct term *put(struct products *p, const struct term *t, struct replacement *r)
{
    return normalise(p, rewrite_substitute(p->store, t, replaced, r));
}

static void put_everywhere(struct products *p, struct replacement *r)
{
    for (size_t i = 0; i < p->now->quotients.count; i++) {
        struct quotient *q = &p->now->quotients.data[i];
        q->divided = put(p, q->divided, r);
        q->quotient = put(p, q->quotient, r);
        q->rest = put(p, q->rest, r);
    }
    p->now->formula = put(p, p->now->formula, r);
}

// The first equation that says a variable is made use of. False: there is none.
static bool use_equation(struct products *p)
{
    struct term_vector facts = {0};
    struct replacement best = {0};
    size_t at = 0;
    rewrite_conjuncts(p->now->formula, &facts);
    for (size_t i = 0; i < facts.count; i++) {
        struct replacement r;
        if (!solve(p, facts.data[i], &r) ||
            (best.variable != NULL && rank(r.variable) <= rank(best.variable)))
            continue;
        best = r;
        at = i;
    }
    if (best.variable != NULL) {
        facts.data[at] = term_true(p->store);
        p->now->formula = term_and(p->store, facts.data, facts.count);
        put_everywhere(p, &best);
    }
    VECTOR_FINISH(&facts);
    return best.variable != NULL;
}

static bool is_next(struct products *p, const struct term *a, const struct term *b)
{
    struct polynomial difference;
    bool good = a->sort == b->sort && polynomial_of_difference(p->store, b, a, &difference);
    if (a->sort == b->sort) {
        good = good && difference.count == 1 && difference.data[0].degree == 0 &&
               difference.data[0].factor == 1;
        polynomial_finish(&difference);
    }
    return good;
}

// Is it x, in wider words that extend it as the order of x does?
static bool widens(const struct term *t, const struct term *x, enum term_kind order)
{
    return t->kind == (order == TERM_BV_SLE ? TERM_BV_SEXT : TERM_BV_ZEXT) && t->child[0] == x;
}

// The fact says that x - y <= 1, of wider words, which cannot wrap there.
static bool is_next_at_most(struct products *p, const struct term *fact, const struct term *x,
                            const struct term *y, enum term_kind order)
{
    if (fact->kind != TERM_BV_SLE || !is_word(fact->child[0]) || fact->child[1]->kind != TERM_BV ||
        fact->child[0]->sort->width < x->sort->width + 2 || signed_number(fact->child[1]) != 1)
        return false;
    const uint32_t width = fact->child[0]->sort->width;
    const uint64_t minus_one = UINT64_MAX >> (64 - width);
    struct polynomial sum;
    bool good = polynomial_of(p->store, fact->child[0], width, &sum) && sum.count == 2;
    for (size_t i = 0; i < sum.count && good; i++) {
        const struct monomial_of_words *m = &sum.data[i];
        good = m->degree == 1 && ((m->factor == 1 && widens(m->part[0], x, order)) ||
                                  (m->factor == minus_one && widens(m->part[0], y, order)));
    }
    good = good && sum.data[0].factor != sum.data[1].factor;
    polynomial_finish(&sum);
    return good;
}

// x <= y and y <= x, or x > y and x <= y + 1, make x equal to a term. NULL: they do not.
static const struct term *equal_by_orders(struct products *p, const struct term *one,
                                          const struct term *other)
{
    const struct term *order = one->kind == TERM_NOT ? one->child[0] : one;
    if ((order->kind != TERM_BV_ULE && order->kind != TERM_BV_SLE) || !is_word(order->child[0]))
        return NULL;
    if (one != order && is_next_at_most(p, other, order->child[0], order->child[1], order->kind))
        return term_eq(p->store, order->child[0],
                       binary(p, TERM_BV_ADD, order->child[1], number(p, order->child[1], 1)));
    if (other->kind != order->kind)
        return NULL;
    const struct term *x = other->child[0], *y = other->child[1];
    bool equal = one == order ? order->child[0] == y && order->child[1] == x
                              : order->child[0] == x && is_next(p, order->child[1], y);
    return equal ? term_eq(p->store, x, y) : NULL;
}

// Two orders that make words equal are put as an equation. False: there are none.
static bool use_orders(struct products *p)
{
    struct term_vector facts = {0};
    const struct term *made = NULL;
    rewrite_conjuncts(p->now->formula, &facts);
    for (size_t i = 0; i < facts.count && made == NULL; i++)
        for (size_t k = 0; k < facts.count && made == NULL; k++) {
            made = i != k ? equal_by_orders(p, facts.data[i], facts.data[k]) : NULL;
            if (made != NULL)
                facts.data[i] = facts.data[k] = made;
        }
    if (made != NULL)
        p->now->formula = normalise(p, term_and(p->store, facts.data, facts.count));
    VECTOR_FINISH(&facts);
    return made != NULL;
}

// Words that are divided.

struct looking {
    struct term_vector todo;
    uint8_t *seen;
};

// Each distinct subterm once, in some order. NULL: that was the last one.
static const struct term *next_subterm(struct looking *l)
{
    while (l->todo.count > 0) {
        const struct term *t = VECTOR_POP(&l->todo);
        if (l->seen[t->id])
            continue;
        l->seen[t->id] = 1;
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&l->todo, t->child[i]);
        return t;
    }
    return NULL;
}

static struct looking look_into(struct term_store *store, const struct term *t)
{
    struct looking l = {.seen = memory_zalloc(term_store_next_id(store) + 1)};
    VECTOR_PUSH(&l.todo, t);
    return l;
}

static void stop_looking(struct looking *l)
{
    VECTOR_FINISH(&l->todo);
    memory_free(l->seen);
}

static const struct term *new_variable(struct products *p, const char *name,
                                       const struct term *like)
{
    char text[48];
    snprintf(text, sizeof text, "!%s.%u", name, p->fresh);
    return term_var_copy(p->store, term_var(p->store, text, like->sort), COPY);
}

static const struct term *between(struct products *p, enum term_kind le, const struct term *low,
                                  const struct term *t, const struct term *high)
{
    return term_and2(p->store, binary(p, le, low, t), binary(p, le, t, high));
}

// What is known of quotient and rest beside their equation.
static const struct term *ranges(struct products *p, const struct quotient *q)
{
    const struct term *x = q->divided, *zero = number(p, x, 0);
    const uint32_t width = x->sort->width;
    const uint64_t c = q->divisor, ones = ones_of(width);
    const struct term *most = number(p, x, c - 1);
    if (q->division == DIVISION_UNSIGNED)
        return term_and2(p->store, between(p, TERM_BV_ULE, zero, q->rest, most),
                         binary(p, TERM_BV_ULE, q->quotient, number(p, x, ones / c)));
    const struct term *high = number(p, x, (ones >> 1) / c);
    const struct term *low = number(p, x, 0 - ((ones >> 1) / c + 1));
    const struct term *fits = between(p, TERM_BV_SLE, low, q->quotient, high);
    if (q->division == DIVISION_FLOOR)
        return term_and2(p->store, fits, between(p, TERM_BV_ULE, zero, q->rest, most));
    const struct term *above = binary(p, TERM_BV_SLE, zero, x);
    const struct term *up = term_and2(p->store, between(p, TERM_BV_SLE, zero, q->rest, most),
                                      binary(p, TERM_BV_SLE, zero, q->quotient));
    const struct term *down =
        term_and2(p->store, between(p, TERM_BV_SLE, number(p, x, 1 - c), q->rest, zero),
                  binary(p, TERM_BV_SLE, q->quotient, zero));
    return term_and2(
        p->store, fits,
        term_and2(p->store, term_implies(p->store, above, up), term_or2(p->store, above, down)));
}

static void divide(struct products *p, const struct cut *cut)
{
    struct quotient q = {.division = cut->division, .divisor = cut->divisor, .divided = cut->word};
    p->fresh++;
    q.quotient = new_variable(p, "quotient", cut->word);
    q.rest = new_variable(p, "rest", cut->word);
    const struct term *sum = binary(p, TERM_BV_MUL, q.quotient, number(p, cut->word, q.divisor));
    sum = binary(p, TERM_BV_ADD, sum, q.rest);
    const struct term *facts[] = {p->now->formula, term_eq(p->store, q.divided, sum),
                                  ranges(p, &q)};
    VECTOR_PUSH(&p->now->quotients, q);
    p->now->formula = normalise(p, term_and(p->store, facts, 3));
}

// A word that is divided gets a quotient: a variable, or a sum. False: there is none.
static bool use_quotient(struct products *p, bool of_variable)
{
    struct looking l = look_into(p->store, p->now->formula);
    struct cut cut;
    bool found = false;
    if (!p->now->told && p->now->quotients.count < MOST_QUOTIENTS)
        for (const struct term *t; !found && (t = next_subterm(&l)) != NULL;)
            found = t->sort->kind == SORT_BV && read_cut(t, t->child, &cut) &&
                    (cut.word->kind == TERM_VAR) == of_variable;
    stop_looking(&l);
    if (found)
        divide(p, &cut);
    return found;
}

// Words of more bits.

// The same as a sum of extended words, where bounds say that the sum does not wrap. NULL: they do not.
static const struct term *extended_sum(struct products *p, const struct term *t,
                                       const struct term_vector *facts)
{
    const struct term *inner = t->child[0];
    const __int128 half = (__int128)1 << (inner->sort->width - 1);
    struct range all = {0, 0};
    struct polynomial sum;
    bool good = polynomial_of(p->store, inner, inner->sort->width, &sum);
    const struct term *out = number(p, t, 0);
    for (size_t i = 0; i < sum.count && good; i++) {
        const struct monomial_of_words *m = &sum.data[i];
        const __int128 factor = signed_number(term_bv(p->store, inner->sort->width, m->factor));
        struct range part = {factor, factor};
        good = m->degree == 0 ||
               (m->degree == 1 && multiply(&part, range_of(facts, m->part[0]), half));
        const struct term *extended = number(p, t, 1);
        if (good && m->degree == 1)
            extended = term_bv_extend(p->store, t->kind, m->part[0], t->sort->width);
        extended = binary(p, TERM_BV_MUL, extended, number(p, t, (uint64_t)factor));
        out = binary(p, TERM_BV_ADD, out, extended);
        all = (struct range){all.low + part.low, all.high + part.high};
    }
    polynomial_finish(&sum);
    good = good && all.low >= (t->kind == TERM_BV_ZEXT ? 0 : -half) && all.high < half;
    return good ? out : NULL;
}

static bool is_extended_sum(const struct term *t)
{
    return (t->kind == TERM_BV_SEXT || t->kind == TERM_BV_ZEXT) && is_word(t) &&
           polynomial_is_operation(t->child[0]);
}

// False: no sum that is extended is known not to wrap.
static bool use_extension(struct products *p)
{
    struct term_vector facts = {0};
    struct looking l = look_into(p->store, p->now->formula);
    const struct term *from = NULL, *to = NULL;
    rewrite_conjuncts(p->now->formula, &facts);
    while (to == NULL && (from = next_subterm(&l)) != NULL)
        to = is_extended_sum(from) ? extended_sum(p, from, &facts) : NULL;
    stop_looking(&l);
    VECTOR_FINISH(&facts);
    if (to != NULL)
        p->now->formula = normalise(p, rewrite_replace(p->store, p->now->formula, from, to));
    return to != NULL;
}

// Choices.

static bool says_variable(struct products *p, const struct term *choice)
{
    struct replacement r;
    bool some = solve(p, choice, &r);
    for (uint32_t i = 0; choice->kind == TERM_AND && i < choice->child_count && !some; i++)
        some = solve(p, choice->child[i], &r);
    return some;
}

// A conjunct that is a choice of equations. NULL: there is none.
static const struct term *find_choice(struct products *p)
{
    struct term_vector facts = {0};
    const struct term *found = NULL;
    rewrite_conjuncts(p->now->formula, &facts);
    for (size_t i = 0; i < facts.count && found == NULL; i++)
        for (uint32_t k = 0; facts.data[i]->kind == TERM_OR && k < facts.data[i]->child_count; k++)
            if (says_variable(p, facts.data[i]->child[k]))
                found = facts.data[i];
    VECTOR_FINISH(&facts);
    return found;
}

// The condition of a word that is one or the other. NULL: there is none.
static const struct term *find_condition(struct products *p)
{
    struct looking l = look_into(p->store, p->now->formula);
    const struct term *found = NULL;
    for (const struct term *t; found == NULL && (t = next_subterm(&l)) != NULL;)
        if (t->kind == TERM_ITE && is_word(t))
            found = t->child[0];
    stop_looking(&l);
    return found;
}

static void answer(struct products *p, struct question_case *with);

static void finish_case(struct question_case *c)
{
    VECTOR_FINISH(&c->quotients);
    VECTOR_FINISH(&c->products);
    VECTOR_FINISH(&c->bounds);
}

static void answer_with(struct products *p, const struct term *formula)
{
    struct question_case branch = {.formula = formula, .told = false};
    for (size_t i = 0; i < p->now->quotients.count; i++)
        VECTOR_PUSH(&branch.quotients, p->now->quotients.data[i]);
    struct question_case *now = p->now;
    answer(p, &branch);
    p->now = now;
    finish_case(&branch);
}

static void answer_choice(struct products *p, const struct term *choice)
{
    struct term_vector facts = {0};
    rewrite_conjuncts(p->now->formula, &facts);
    for (uint32_t k = 0; k < choice->child_count && !p->failed; k++) {
        struct term_vector with = {0};
        for (size_t i = 0; i < facts.count; i++)
            VECTOR_PUSH(&with, facts.data[i] == choice ? choice->child[k] : facts.data[i]);
        answer_with(p, term_and(p->store, with.data, with.count));
        VECTOR_FINISH(&with);
    }
    VECTOR_FINISH(&facts);
}

static void answer_condition(struct products *p, const struct term *condition)
{
    const struct term *formula = p->now->formula;
    for (int k = 0; k < 2 && !p->failed; k++) {
        const struct term *side = term_bool(p->store, k == 0);
        const struct term *with = rewrite_replace(p->store, formula, condition, side);
        const struct term *holds = k == 0 ? condition : term_not(p->store, condition);
        answer_with(p, term_and2(p->store, holds, with));
    }
}

// The rest of a division by two that is not known yet. NULL: there is none.
static const struct term *find_parity(const struct products *p)
{
    for (size_t i = 0; i < p->now->quotients.count; i++) {
        const struct quotient *q = &p->now->quotients.data[i];
        if (q->divisor == 2 && q->division != DIVISION_SIGNED && q->rest->kind == TERM_VAR)
            return q->rest;
    }
    return NULL;
}

static void answer_parity(struct products *p, const struct term *rest)
{
    const struct term *formula = p->now->formula;
    for (uint64_t k = 0; k < 2 && !p->failed; k++)
        answer_with(p, term_and2(p->store, formula, term_eq(p->store, rest, number(p, rest, k))));
}

// True: it was done.
static bool answer_choices(struct products *p)
{
    const struct term *choice = find_choice(p);
    const struct term *condition = choice == NULL ? find_condition(p) : NULL;
    if (choice != NULL)
        answer_choice(p, choice);
    else if (condition != NULL)
        answer_condition(p, condition);
    return choice != NULL || condition != NULL;
}

static bool answer_parities(struct products *p)
{
    const struct term *rest = find_parity(p);
    if (rest != NULL)
        answer_parity(p, rest);
    return rest != NULL;
}

// What is left of a case joins the others. Consumes a part of the rounds.
static void answer(struct products *p, struct question_case *with)
{
    p->now = with;
    p->begun++;
    with->formula = normalise(p, with->formula);
    while (!p->failed && !term_is_false(with->formula)) {
        p->failed = p->rounds-- == 0 || with->formula->tree_size > MOST_NODES;
        if (p->failed || use_equation(p) || use_orders(p))
            continue;
        bool splits = !with->told && p->begun < MOST_CASES;
        if (splits && answer_choices(p))
            return;
        if (use_quotient(p, true))
            continue;
        if (!with->told && use_extension(p))
            continue;
        if (splits && answer_parities(p))
            return;
        if (use_quotient(p, false))
            continue;
        if (with->told) {
            VECTOR_PUSH(&p->cases, with->formula);
            return;
        }
        with->told = true;
        const struct term *told = normalise(p, with->formula);
        const struct term *bounds = term_and(p->store, with->bounds.data, with->bounds.count);
        with->formula = term_and2(p->store, told, bounds);
    }
}

// Of few bits, and more for room: solvers of bits do well with these.
static bool is_short(const struct term *t)
{
    return (t->kind == TERM_BV_ZEXT || t->kind == TERM_BV_SEXT) &&
           t->child[0]->sort->width <= LEAST_WIDTH;
}

bool products_is_one(const struct term *t)
{
    if (t->kind != TERM_BV_MUL || t->sort->width < LEAST_WIDTH || !is_word(t))
        return false;
    if (t->child[1]->kind != TERM_BV)
        return !is_short(t->child[0]) || !is_short(t->child[1]);
    return t->child[0]->kind == TERM_BV_SEXT && t->sort->width == 64 &&
           __builtin_popcountll(term_bv_number(t->child[1])) >= FEW_DIGITS &&
           __builtin_popcountll(0 - term_bv_number(t->child[1])) >= FEW_DIGITS;
}

bool products_occur(struct term_store *store, const struct term *formula)
{
    struct looking l = look_into(store, formula);
    bool found = false;
    for (const struct term *t; !found && (t = next_subterm(&l)) != NULL;)
        found = products_is_one(t);
    stop_looking(&l);
    return found;
}

const struct term *products_question(struct term_store *store, const struct term *formula,
                                     int64_t *work)
{
    if ((formula->flags & TERM_HAS_QUANTIFIER) != 0 || formula->tree_size > MOST_NODES ||
        !products_occur(store, formula))
        return NULL;
    struct products p = {.store = store, .rounds = MOST_ROUNDS, .work = work};
    struct question_case all = {.formula = formula};
    answer(&p, &all);
    const struct term *out = p.failed ? NULL : term_or(store, p.cases.data, p.cases.count);
    finish_case(&all);
    VECTOR_FINISH(&p.cases);
    return out;
}
