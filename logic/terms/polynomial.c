#include "logic/terms/polynomial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/odd.h"

#define MOST_MONOMIALS 100
#define LEAST_CUT 16    // bits: fewer are a remainder
#define MOST_VISITS 500 // of operations, for one polynomial

struct reading {
    struct term_store *store;
    uint32_t width;
    uint32_t visits; // that are left
};

bool polynomial_is_operation(const struct term *t)
{
    switch (t->kind) {
    case TERM_BV_ADD:
    case TERM_BV_MUL:
    case TERM_BV_NEG:
    case TERM_BV_NOT:
        return true;
    case TERM_BV_SHL:
        return t->child[1]->kind == TERM_BV && t->sort->width <= 64;
    case TERM_BV_EXTRACT:
        return t->u.extract.low == 0 && t->sort->width >= LEAST_CUT &&
               t->child[0]->sort->width <= 64 && polynomial_is_operation(t->child[0]);
    default:
        return false;
    }
}

static int compare_parts(const void *a, const void *b)
{
    uint32_t left = (*(const struct term *const *)a)->id,
             right = (*(const struct term *const *)b)->id;
    return left < right ? -1 : left > right;
}

static int compare_monomials(const void *a, const void *b)
{
    const struct monomial_of_words *left = a, *right = b;
    if (left->degree != right->degree)
        return left->degree < right->degree ? -1 : 1;
    for (uint32_t i = 0; i < left->degree; i++)
        if (left->part[i] != right->part[i])
            return left->part[i]->id < right->part[i]->id ? -1 : 1;
    return 0;
}

// Sorts, joins those of the same parts, drops zeros.
static bool tidy(struct polynomial *p)
{
    const uint64_t mask = ones_of(p->width);
    size_t kept = 0;
    if (p->count > 1)
        qsort(p->data, p->count, sizeof *p->data, compare_monomials);
    for (size_t i = 0; i < p->count;) {
        struct monomial_of_words all = p->data[i];
        for (i++; i < p->count && compare_monomials(&all, &p->data[i]) == 0; i++)
            all.factor += p->data[i].factor;
        all.factor &= mask;
        if (all.factor != 0)
            p->data[kept++] = all;
    }
    p->count = kept;
    return kept <= MOST_MONOMIALS;
}

static void add_number(struct polynomial *p, uint64_t number)
{
    VECTOR_PUSH(p, ((struct monomial_of_words){.factor = number}));
}

static bool multiply(const struct polynomial *a, const struct polynomial *b, uint64_t factor,
                     struct polynomial *out)
{
    if (a->count * b->count > (size_t)MOST_MONOMIALS * MOST_MONOMIALS / 4)
        return false;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            struct monomial_of_words m = a->data[i];
            const struct monomial_of_words *other = &b->data[k];
            if (m.degree + other->degree > POLYNOMIAL_DEGREE)
                return false;
            m.factor *= other->factor * factor;
            for (uint32_t j = 0; j < other->degree; j++)
                m.part[m.degree++] = other->part[j];
            if (m.degree > 1)
                qsort(m.part, m.degree, sizeof *m.part, compare_parts);
            VECTOR_PUSH(out, m);
        }
    return tidy(out);
}

static bool add(struct reading *r, const struct term *t, uint64_t factor, struct polynomial *out);

static bool add_product(struct reading *r, const struct term *t, uint64_t factor,
                        struct polynomial *out)
{
    struct polynomial a = {.width = r->width}, b = a;
    bool good = add(r, t->child[0], 1, &a) && add(r, t->child[1], 1, &b) && tidy(&a) && tidy(&b) &&
                multiply(&a, &b, factor, out);
    polynomial_finish(&a);
    polynomial_finish(&b);
    return good;
}

// Adds factor times the lowest bits of the term.
static bool add(struct reading *r, const struct term *t, uint64_t factor, struct polynomial *out)
{
    assert(t->sort->kind == SORT_BV && t->sort->width >= r->width);
    if (r->visits == 0 || out->count > (size_t)4 * MOST_MONOMIALS)
        return false;
    r->visits--;
    switch (t->kind) {
    case TERM_BV_ADD:
        return add(r, t->child[0], factor, out) && add(r, t->child[1], factor, out);
    case TERM_BV_NEG:
        return add(r, t->child[0], 0 - factor, out);
    case TERM_BV_NOT:
        add_number(out, 0 - factor);
        return add(r, t->child[0], 0 - factor, out);
    case TERM_BV_MUL:
        return add_product(r, t, factor, out);
    case TERM_BV_SHL:
        if (t->child[1]->kind != TERM_BV || t->sort->width > 64)
            break;
        return term_bv_number(t->child[1]) >= r->width ||
               add(r, t->child[0], factor << term_bv_number(t->child[1]), out);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        if (t->child[0]->sort->width < r->width)
            break;
        return add(r, t->child[0], factor, out);
    case TERM_BV_EXTRACT:
        if (t->u.extract.low > 0 || t->child[0]->sort->width > 64)
            break;
        return add(r, t->child[0], factor, out);
    default:
        break;
    }
    const struct term *part = term_bv_extract(r->store, t, r->width - 1, 0);
    if (part->kind == TERM_BV)
        add_number(out, factor * term_bv_number(part));
    else
        VECTOR_PUSH(out, ((struct monomial_of_words){factor, 1, {part}}));
    return true;
}

bool polynomial_of(struct term_store *store, const struct term *term, uint32_t width,
                   struct polynomial *out)
{
    struct reading r = {store, width, MOST_VISITS};
    *out = (struct polynomial){.width = width};
    return add(&r, term, 1, out) && tidy(out);
}

bool polynomial_of_difference(struct term_store *store, const struct term *a, const struct term *b,
                              struct polynomial *out)
{
    assert(a->sort == b->sort);
    struct reading r = {store, a->sort->width, MOST_VISITS};
    *out = (struct polynomial){.width = a->sort->width};
    return add(&r, a, 1, out) && add(&r, b, UINT64_MAX, out) && tidy(out);
}

void polynomial_finish(struct polynomial *p)
{
    VECTOR_FINISH(p);
}

void polynomial_scale(struct polynomial *p, uint64_t factor)
{
    for (size_t i = 0; i < p->count; i++)
        p->data[i].factor *= factor;
    tidy(p);
}

bool polynomial_divide(struct polynomial *p, uint64_t divisor)
{
    const uint64_t mask = ones_of(p->width), sign = UINT64_C(1) << (p->width - 1);
    const int64_t by = (int64_t)divisor;
    if (by <= 0)
        return false;
    for (size_t i = 0; i < p->count; i++)
        if ((int64_t)((p->data[i].factor ^ sign) - sign) % by != 0)
            return false;
    for (size_t i = 0; i < p->count; i++)
        p->data[i].factor = (uint64_t)((int64_t)((p->data[i].factor ^ sign) - sign) / by) & mask;
    return true;
}

// Appends the monomial with that factor to the sum.
static const struct term *plus(struct term_store *store, const struct term *sum,
                               const struct monomial_of_words *m, uint64_t factor, uint32_t width)
{
    const struct term *product = term_bv(store, width, factor);
    if (m->degree > 0) {
        const struct term *parts = m->part[0];
        for (uint32_t i = 1; i < m->degree; i++)
            parts = term_bv_binary(store, TERM_BV_MUL, parts, m->part[i]);
        product = term_bv_binary(store, TERM_BV_MUL, parts, product);
    }
    return term_bv_binary(store, TERM_BV_ADD, sum, product);
}

const struct term *polynomial_term(struct term_store *store, const struct polynomial *p)
{
    const struct term *sum = term_bv(store, p->width, 0);
    for (size_t i = 0; i < p->count; i++)
        sum = plus(store, sum, &p->data[i], p->data[i].factor, p->width);
    return sum;
}

const struct term *polynomial_is_zero(struct term_store *store, struct polynomial *p)
{
    size_t first = 0;
    while (first < p->count && (p->data[first].degree == 0 || p->data[first].factor % 2 == 0))
        first++;
    if (first < p->count)
        polynomial_scale(p, odd_inverse(p->data[first].factor));
    const struct term *left = term_bv(store, p->width, 0), *right = left;
    for (size_t i = 0; i < p->count; i++) {
        const struct monomial_of_words *m = &p->data[i];
        bool small = m->factor <= UINT64_C(1) << (p->width - 1);
        if (small && m->degree > 0)
            left = plus(store, left, m, m->factor, p->width);
        else
            right = plus(store, right, m, 0 - m->factor, p->width);
    }
    return term_eq(store, left, right);
}
