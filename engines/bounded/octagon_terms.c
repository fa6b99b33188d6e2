#include "engines/bounded/octagon_terms.h"

#include <assert.h>

#define MOST_FACTOR (1 << 16)

static octagon_bound power(uint32_t exponent)
{
    return (octagon_bound)1 << exponent;
}

static octagon_bound least_of(uint32_t width, bool is_signed)
{
    assert(width >= 1 && width <= OCTAGON_MOST_WIDTH);
    return is_signed ? -power(width - 1) : 0;
}

static octagon_bound greatest_of(uint32_t width, bool is_signed)
{
    return least_of(width, is_signed) + power(width) - 1;
}

octagon_bound octagon_least(const struct octagon_words *w, uint32_t number)
{
    return least_of(w->number[number]->sort->width, w->is_signed[number]);
}

octagon_bound octagon_greatest(const struct octagon_words *w, uint32_t number)
{
    return greatest_of(w->number[number]->sort->width, w->is_signed[number]);
}

octagon_bound octagon_literal(const struct term *literal, bool is_signed)
{
    assert(literal->kind == TERM_BV && literal->sort->width <= OCTAGON_MOST_WIDTH);
    octagon_bound value = term_bv_number(literal);
    if (is_signed && value > greatest_of(literal->sort->width, true))
        value -= power(literal->sort->width);
    return value;
}

octagon_bound octagon_divide_down(octagon_bound a, octagon_bound by)
{
    assert(by > 0);
    return a >= 0 ? a / by : -((-a + by - 1) / by);
}

// Forms.

uint32_t octagon_form_side(const struct octagon_form *f, uint32_t part)
{
    return 2 * f->number[part] + (f->factor[part] < 0);
}

int64_t octagon_form_times(const struct octagon_form *f, uint32_t part)
{
    return f->factor[part] < 0 ? -f->factor[part] : f->factor[part];
}

// What the parts that are not used yet are at most: one by one, or two together.
static octagon_bound most_of_parts(const struct octagon *o, const struct octagon_form *f,
                                   unsigned used)
{
    uint32_t i = 0;
    while (i < f->count && (used >> i & 1))
        i++;
    if (i == f->count)
        return 0;
    octagon_bound best = OCTAGON_NONE;
    for (uint32_t j = i; j < f->count; j++) {
        octagon_bound here = o->bound[octagon_form_side(f, i)][octagon_form_side(f, j)];
        if ((used >> j & 1) || octagon_form_times(f, i) != octagon_form_times(f, j) ||
            here == OCTAGON_NONE)
            continue;
        octagon_bound rest = most_of_parts(o, f, used | 1U << i | 1U << j);
        here = i == j ? here / 2 * octagon_form_times(f, i) : here * octagon_form_times(f, i);
        if (rest != OCTAGON_NONE && here + rest < best)
            best = here + rest;
    }
    return best;
}

octagon_bound octagon_form_most(const struct octagon *o, const struct octagon_form *f)
{
    octagon_bound parts = most_of_parts(o, f, 0);
    return parts == OCTAGON_NONE ? OCTAGON_NONE : parts + f->high;
}

void octagon_form_negate(struct octagon_form *f)
{
    octagon_bound low = f->low;
    for (uint32_t i = 0; i < f->count; i++)
        f->factor[i] = -f->factor[i];
    f->low = -f->high;
    f->high = -low;
}

// OCTAGON_NONE: there is no least.
octagon_bound octagon_form_least(const struct octagon *o, const struct octagon_form *f)
{
    struct octagon_form other = *f;
    octagon_form_negate(&other);
    octagon_bound most = octagon_form_most(o, &other);
    return most == OCTAGON_NONE ? OCTAGON_NONE : -most;
}

// False: too many parts.
bool octagon_form_add_part(struct octagon_form *f, uint32_t number, int64_t factor)
{
    uint32_t i = 0;
    while (i < f->count && f->number[i] != number)
        i++;
    if (i == OCTAGON_PARTS)
        return false;
    if (i == f->count) {
        f->number[f->count] = number;
        f->factor[f->count++] = 0;
    }
    f->factor[i] += factor;
    if (f->factor[i] == 0) {
        f->count--;
        f->number[i] = f->number[f->count];
        f->factor[i] = f->factor[f->count];
    }
    return i >= f->count || octagon_form_times(f, i) <= MOST_FACTOR;
}

bool octagon_form_add(struct octagon_form *f, const struct octagon_form *other)
{
    f->low += other->low;
    f->high += other->high;
    for (uint32_t i = 0; i < other->count; i++)
        if (!octagon_form_add_part(f, other->number[i], other->factor[i]))
            return false;
    return true;
}

static bool form_multiply(struct octagon_form *f, octagon_bound by)
{
    if (by < 0) {
        octagon_form_negate(f);
        by = -by;
    }
    if (by == 0)
        f->count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        if (by > MOST_FACTOR || octagon_form_times(f, i) * by > MOST_FACTOR)
            return false;
        f->factor[i] *= (int64_t)by;
    }
    f->low *= by;
    f->high *= by;
    return by <= MOST_FACTOR;
}

static struct octagon_form anything(octagon_bound low, octagon_bound high)
{
    return (struct octagon_form){.low = low, .high = high};
}

static struct octagon_form top(uint32_t width, bool is_signed)
{
    return anything(least_of(width, is_signed), greatest_of(width, is_signed));
}

// The word of that width that the sum becomes.
static struct octagon_form wrap(const struct octagon *o, struct octagon_form f, uint32_t width,
                                bool is_signed)
{
    octagon_bound low = octagon_form_least(o, &f), high = octagon_form_most(o, &f);
    if (low == OCTAGON_NONE || high == OCTAGON_NONE)
        return top(width, is_signed);
    octagon_bound away =
        octagon_divide_down(low - least_of(width, is_signed), power(width)) * power(width);
    if (high - away > greatest_of(width, is_signed))
        return top(width, is_signed);
    f.low -= away;
    f.high -= away;
    return f;
}

// Terms.

bool octagon_is_narrow(const struct term *t)
{
    return t->sort->kind == SORT_BV && t->sort->width <= OCTAGON_MOST_WIDTH;
}

// The bit of a Boolean; 0: it is none.
uint32_t octagon_bit_of(const struct octagon_words *w, const struct term *t)
{
    const struct variable *v = t->kind == TERM_VAR ? model_variable_of(w->model, t) : NULL;
    uint32_t boolean = v != NULL ? w->boolean_of[v->index] : OCTAGON_BOOLEANS;
    return boolean != OCTAGON_BOOLEANS ? UINT32_C(1) << boolean : 0;
}

// The branch that is taken; NULL: not decided.
static const struct term *branch_of(const struct octagon_words *w, const struct term *conditional)
{
    uint32_t bit = octagon_bit_of(w, conditional->child[0]);
    if (w->known & bit)
        return conditional->child[w->values & bit ? 1 : 2];
    for (size_t i = 0; i < w->decided.count; i++)
        if (w->decided.data[i].condition == conditional->child[0])
            return conditional->child[w->decided.data[i].holds ? 1 : 2];
    return NULL;
}

static bool evaluate_conditional(struct octagon_words *w, const struct octagon *o,
                                 const struct term *t, bool is_signed, struct octagon_form *out)
{
    const struct term *branch = branch_of(w, t);
    *out = octagon_evaluate(w, o, branch != NULL ? branch : t->child[1], is_signed);
    if (branch != NULL)
        return true;
    struct octagon_form other = octagon_evaluate(w, o, t->child[2], is_signed);
    octagon_bound low = octagon_form_least(o, out), high = octagon_form_most(o, out);
    octagon_bound other_low = octagon_form_least(o, &other),
                  other_high = octagon_form_most(o, &other);
    if (low == OCTAGON_NONE || high == OCTAGON_NONE || other_low == OCTAGON_NONE ||
        other_high == OCTAGON_NONE)
        return false;
    *out = anything(low < other_low ? low : other_low, high > other_high ? high : other_high);
    return true;
}

// Of operations with a literal on the right, without sign: what is known of the result, if anything is.
static bool evaluate_with_literal(struct octagon_words *w, const struct octagon *o,
                                  const struct term *t, struct octagon_form *out)
{
    const bool any = t->kind == TERM_BV_AND || t->kind == TERM_BV_UREM || t->kind == TERM_BV_UDIV ||
                     t->kind == TERM_BV_LSHR;
    if (!any || t->child_count != 2)
        return false; // of a select the first child is no number
    bool first = t->kind == TERM_BV_AND && t->child[0]->kind == TERM_BV;
    const struct term *right = t->child[!first];
    if (right->kind != TERM_BV)
        return false;
    octagon_bound by = octagon_literal(right, false);
    *out = octagon_evaluate(w, o, t->child[first], false);
    octagon_bound low = octagon_form_least(o, out), high = octagon_form_most(o, out);
    if (low == OCTAGON_NONE || high == OCTAGON_NONE)
        return false;
    switch (t->kind) {
    case TERM_BV_AND:
        *out = anything(0, by < high ? by : high);
        return true;
    case TERM_BV_UREM:
        if (by != 0 && high >= by)
            *out = anything(0, by - 1);
        return by != 0;
    case TERM_BV_UDIV:
        if (by != 0)
            *out = anything(low / by, high / by);
        return by != 0;
    case TERM_BV_LSHR:
        if (by < t->sort->width)
            *out = anything(low >> by, high >> by);
        return by < t->sort->width;
    default:
        return false;
    }
}

// The remainder by a positive literal has the sign of what is divided.
static bool evaluate_signed_division(struct octagon_words *w, const struct octagon *o,
                                     const struct term *t, struct octagon_form *out)
{
    if (t->child[1]->kind != TERM_BV)
        return false;
    octagon_bound by = octagon_literal(t->child[1], true);
    *out = octagon_evaluate(w, o, t->child[0], true);
    octagon_bound low = octagon_form_least(o, out), high = octagon_form_most(o, out);
    if (by <= 0 || low == OCTAGON_NONE || high == OCTAGON_NONE)
        return false;
    if (t->kind == TERM_BV_SDIV)
        *out = anything(low / by, high / by);
    else if (low <= -by || high >= by)
        *out = anything(low >= 0 ? 0 : 1 - by, high <= 0 ? 0 : by - 1);
    return true;
}

static bool evaluate_product(struct octagon_words *w, const struct octagon *o, const struct term *t,
                             bool is_signed, struct octagon_form *out)
{
    uint32_t literal = t->child[1]->kind == TERM_BV;
    if (t->child[literal]->kind != TERM_BV)
        return false;
    octagon_bound by = octagon_literal(t->child[literal], t->kind == TERM_BV_MUL);
    if (t->kind == TERM_BV_SHL) {
        if (literal == 0 || by >= t->sort->width)
            return false;
        by = power((uint32_t)by);
    }
    *out = octagon_evaluate(w, o, t->child[1 - literal], is_signed);
    return form_multiply(out, by);
}

// False: nothing is known of it. The result may lie outside of what the word has.
static bool evaluate_kind(struct octagon_words *w, const struct octagon *o, const struct term *t,
                          bool is_signed, struct octagon_form *out)
{
    struct octagon_form other;
    uint32_t number;
    switch (t->kind) {
    case TERM_BV:
        *out = anything(octagon_literal(t, is_signed), octagon_literal(t, is_signed));
        return true;
    case TERM_VAR:
        if (model_variable_of(w->model, t) == NULL)
            return false;
        number = w->number_of[model_variable_of(w->model, t)->index];
        *out = (struct octagon_form){.count = 1, .number = {number}, .factor = {1}};
        return number < OCTAGON_NUMBERS;
    case TERM_BV_NEG:
    case TERM_BV_NOT:
        *out = octagon_evaluate(w, o, t->child[0], is_signed);
        octagon_form_negate(out);
        out->low -= t->kind == TERM_BV_NOT;
        out->high -= t->kind == TERM_BV_NOT;
        return true;
    case TERM_BV_ADD:
        *out = octagon_evaluate(w, o, t->child[0], is_signed);
        other = octagon_evaluate(w, o, t->child[1], is_signed);
        return octagon_form_add(out, &other);
    case TERM_BV_MUL:
    case TERM_BV_SHL:
        return evaluate_product(w, o, t, is_signed, out);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        *out = octagon_evaluate(w, o, t->child[0], t->kind == TERM_BV_SEXT);
        return true;
    case TERM_BV_EXTRACT:
        if (t->u.extract.low != 0 || !octagon_is_narrow(t->child[0]))
            return false;
        *out = octagon_evaluate(w, o, t->child[0], is_signed);
        return true;
    case TERM_BV_CONCAT:
        if (t->child[0]->kind != TERM_BV || octagon_literal(t->child[0], false) != 0)
            return false;
        *out = octagon_evaluate(w, o, t->child[1], false);
        return true;
    case TERM_ITE:
        return evaluate_conditional(w, o, t, is_signed, out);
    case TERM_BV_SDIV:
    case TERM_BV_SREM:
        return evaluate_signed_division(w, o, t, out);
    default:
        return evaluate_with_literal(w, o, t, out);
    }
}

struct octagon_form octagon_evaluate(struct octagon_words *w, const struct octagon *o,
                                     const struct term *t, bool is_signed)
{
    struct octagon_form f;
    assert(octagon_is_narrow(t));
    w->work--;
    if (w->work <= 0 || !evaluate_kind(w, o, t, is_signed, &f))
        return top(t->sort->width, is_signed);
    return wrap(o, f, t->sort->width, is_signed);
}

// A conditional that is not decided where the term is a sum.
const struct term *octagon_find_conditional(const struct octagon_words *w, const struct term *t,
                                            unsigned *most)
{
    const struct term *found = NULL;
    if (*most == 0)
        return NULL;
    --*most;
    switch (t->kind) {
    case TERM_ITE:
        if (t->sort->kind != SORT_BV)
            return NULL;
        if (branch_of(w, t) == NULL)
            return t;
        return octagon_find_conditional(w, branch_of(w, t), most);
    case TERM_BV_NEG:
    case TERM_BV_NOT:
    case TERM_BV_ADD:
    case TERM_BV_MUL:
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
    case TERM_BV_EXTRACT:
    case TERM_BV_CONCAT:
    case TERM_EQ:
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        for (uint32_t i = 0; i < t->child_count && found == NULL; i++)
            found = octagon_find_conditional(w, t->child[i], most);
        return found;
    default:
        return NULL;
    }
}
