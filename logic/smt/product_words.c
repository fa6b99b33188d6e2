#include "logic/smt/product_words.h"

#include <stdio.h>

#include "base/memory.h"
#include "logic/smt/bottom_up.h"
#include "logic/smt/products.h"
#include "logic/terms/polynomial.h"

#define LEAST_WIDTH 8 // of words whose products are hard
#define MOST_PRODUCTS 60
#define MOST_NODES 500 // of a sum
#define MOST_DEFINITIONS 100
#define COPY 0x40000002u // no variable of a formula has so many copies

// is = left * right: variables and terms without products.
struct product {
    const struct term *left, *right, *is;
};

// An equation that holds.
struct definition {
    const struct term *variable, *is;
};

struct product_words {
    struct term_store *store;
    VECTOR(struct definition) definitions; // in no circle
    VECTOR(struct product) products;
    bool many;
};

struct product_words *product_words_create(struct term_store *store)
{
    struct product_words *w = memory_zalloc(sizeof *w);
    w->store = store;
    return w;
}

void product_words_destroy(struct product_words *w)
{
    if (w == NULL)
        return;
    VECTOR_FINISH(&w->products);
    VECTOR_FINISH(&w->definitions);
    memory_free(w);
}

static bool is_long(const struct term *t)
{
    return t->sort->kind == SORT_BV && t->sort->width >= LEAST_WIDTH && t->sort->width <= 64;
}

static const struct term *defined(const struct product_words *w, const struct term *variable)
{
    for (size_t i = 0; i < w->definitions.count; i++)
        if (w->definitions.data[i].variable == variable)
            return w->definitions.data[i].is;
    return NULL;
}

// With all variables that are defined as what they are.
static const struct term *by_definitions(struct product_words *w, const struct term *t)
{
    for (size_t i = 0; i < w->definitions.count; i++)
        t = rewrite_replace(w->store, t, w->definitions.data[i].variable,
                            w->definitions.data[i].is);
    return t;
}

// Later ones only speak of what is not defined, so none of them comes back to itself.
static void define(struct product_words *w, const struct term *variable, const struct term *is)
{
    if (variable->kind != TERM_VAR || w->definitions.count >= MOST_DEFINITIONS ||
        is->tree_size > MOST_NODES || defined(w, variable) != NULL)
        return;
    is = by_definitions(w, is);
    if (is->tree_size > MOST_NODES || rewrite_contains(is, variable))
        return;
    for (size_t i = 0; i < w->definitions.count; i++) {
        struct definition *d = &w->definitions.data[i];
        d->is = rewrite_replace(w->store, d->is, variable, is);
    }
    VECTOR_PUSH(&w->definitions, ((struct definition){variable, is}));
}

void product_words_heed(struct product_words *w, const struct term *holds)
{
    struct term_vector parts = {0};
    rewrite_conjuncts(holds, &parts);
    for (size_t i = 0; i < parts.count; i++) {
        const struct term *e = parts.data[i];
        if (e->kind != TERM_EQ || !is_long(e->child[0]))
            continue;
        const bool later = e->child[0]->kind == TERM_VAR && e->child[1]->kind == TERM_VAR &&
                           e->child[0]->u.var.index < e->child[1]->u.var.index;
        define(w, e->child[later], e->child[!later]);
        define(w, e->child[!later], e->child[later]);
    }
    VECTOR_FINISH(&parts);
}

static const struct term *product_of(struct product_words *w, const struct term *left,
                                     const struct term *right)
{
    char name[48];
    for (size_t i = 0; i < w->products.count; i++)
        if (w->products.data[i].left == left && w->products.data[i].right == right)
            return w->products.data[i].is;
    w->many = w->many || w->products.count >= MOST_PRODUCTS;
    snprintf(name, sizeof name, "!times.%u.%u", left->id, right->id);
    const struct term *is = term_var_copy(w->store, term_var(w->store, name, left->sort), COPY);
    VECTOR_PUSH(&w->products, ((struct product){left, right, is}));
    return is;
}

// Products become variables, two words at a time.
static void tell(struct product_words *w, struct polynomial *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct monomial_of_words *m = &p->data[i];
        for (uint32_t k = 1; k < m->degree; k++)
            m->part[0] = product_of(w, m->part[0], m->part[k]);
        m->degree = m->degree > 1 ? 1 : m->degree;
    }
}

// A word in a product that is defined. NULL: there is none.
static const struct term *find_defined(const struct product_words *w, const struct polynomial *p)
{
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->data[i].degree && p->data[i].degree > 1; k++)
            if (defined(w, p->data[i].part[k]) != NULL)
                return p->data[i].part[k];
    return NULL;
}

// The difference of the two, or one alone, with its products as variables. False: it has too many.
static bool multiply_out(struct product_words *w, const struct term *a, const struct term *b,
                         struct polynomial *p)
{
    const struct term *variable = NULL;
    do {
        const bool good = b != NULL ? polynomial_of_difference(w->store, a, b, p)
                                    : polynomial_of(w->store, a, a->sort->width, p);
        if (!good)
            return false;
        variable = find_defined(w, p);
        if (variable != NULL) {
            polynomial_finish(p);
            a = rewrite_replace(w->store, a, variable, defined(w, variable));
            b = b == NULL ? NULL : rewrite_replace(w->store, b, variable, defined(w, variable));
        }
    } while (variable != NULL);
    tell(w, p);
    return true;
}

// A sum with products of words.
static bool multiplies(const struct term *t)
{
    if (!polynomial_is_operation(t) || t->tree_size > MOST_NODES)
        return false;
    bool some = t->child_count == 2 && t->child[1]->kind != TERM_BV && products_is_one(t);
    for (uint32_t i = 0; i < t->child_count && !some; i++)
        some = multiplies(t->child[i]);
    return some;
}

static const struct term *expand(struct product_words *w, const struct term *t)
{
    struct polynomial p;
    const struct term *out = t;
    if (!is_long(t) || !multiplies(t))
        return t;
    if (multiply_out(w, t, NULL, &p))
        out = polynomial_term(w->store, &p);
    polynomial_finish(&p);
    return out;
}

static const struct term *equation(struct product_words *w, const struct term *a,
                                   const struct term *b)
{
    struct polynomial p;
    const struct term *out = NULL;
    if (!multiplies(a) && !multiplies(b))
        return NULL;
    if (multiply_out(w, a, b, &p))
        out = polynomial_is_zero(w->store, &p);
    polynomial_finish(&p);
    return out;
}

// Sums stay what they are until something looks at them.
static const struct term *without_products(void *context, const struct term *t,
                                           const struct term *const *children)
{
    struct product_words *w = context;
    const struct term *own[3], *made = NULL;
    if (w->many)
        return NULL;
    if (polynomial_is_operation(t) || t->child_count == 0 || t->child_count > 3)
        return term_rebuild(w->store, t, children);
    if (t->kind == TERM_EQ && is_long(children[0]))
        made = equation(w, children[0], children[1]);
    if (made != NULL)
        return made;
    for (uint32_t i = 0; i < t->child_count; i++)
        own[i] = expand(w, children[i]);
    return term_rebuild(w->store, t, own);
}

const struct term *product_words_of(struct product_words *w, const struct term *formula)
{
    if ((formula->flags & TERM_HAS_QUANTIFIER) != 0)
        return NULL;
    const struct term *out = bottom_up(formula, NULL, without_products, w);
    return w->many ? NULL : out;
}

// Where the pairs are the same so are the products.
static const struct term *same(struct product_words *w, const struct product *a,
                               const struct product *b)
{
    struct term_store *store = w->store;
    const struct term *straight =
        term_and2(store, term_eq(store, a->left, b->left), term_eq(store, a->right, b->right));
    const struct term *across =
        term_and2(store, term_eq(store, a->left, b->right), term_eq(store, a->right, b->left));
    return term_implies(store, term_or2(store, straight, across), term_eq(store, a->is, b->is));
}

// Of nothing, and of one.
static void add_simple(struct product_words *w, const struct product *p, struct term_vector *facts)
{
    const struct term *factor[2] = {p->left, p->right};
    for (int i = 0; i < 2; i++) {
        const struct term *zero = term_bv(w->store, p->is->sort->width, 0);
        const struct term *one = term_bv(w->store, p->is->sort->width, 1);
        VECTOR_PUSH(facts, term_implies(w->store, term_eq(w->store, factor[i], zero),
                                        term_eq(w->store, p->is, zero)));
        VECTOR_PUSH(facts, term_implies(w->store, term_eq(w->store, factor[i], one),
                                        term_eq(w->store, p->is, factor[1 - i])));
    }
}

const struct term *product_words_facts(struct product_words *w)
{
    struct term_vector facts = {0};
    for (size_t i = 0; i < w->products.count; i++) {
        add_simple(w, &w->products.data[i], &facts);
        for (size_t k = 0; k < i; k++)
            if (w->products.data[i].is->sort == w->products.data[k].is->sort)
                VECTOR_PUSH(&facts, same(w, &w->products.data[i], &w->products.data[k]));
    }
    const struct term *out = term_and(w->store, facts.data, facts.count);
    VECTOR_FINISH(&facts);
    return out;
}

size_t product_words_count(const struct product_words *w)
{
    return w->products.count;
}
