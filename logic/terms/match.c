// What a variable has to be for one term to be another, by their shapes.

#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"

#define MOST_NODES 100 // of a pattern

static const struct term *match(struct term_store *store, const struct term *pattern,
                                const struct term *variable, const struct term *term);

// In one part of a sum, that the whole be the term.
static const struct term *match_sum(struct term_store *store, const struct term *sum,
                                    const struct term *variable, const struct term *term)
{
    const struct term *part = NULL;
    for (uint32_t i = 0; i < sum->child_count; i++) {
        if (!rewrite_contains(sum->child[i], variable))
            term = term_bv_binary(store, TERM_BV_ADD, term,
                                  term_bv_unary(store, TERM_BV_NEG, sum->child[i]));
        else if (part == NULL)
            part = sum->child[i];
        else
            return NULL;
    }
    return part != NULL ? match(store, part, variable, term) : NULL;
}

// Each factor of a polynomial is a multiple of the literal: what it is a multiple of, or NULL.
static const struct term *quotient_of(struct term_store *store, const struct term *term,
                                      const struct term *literal)
{
    struct polynomial p;
    const struct term *out = NULL;
    if (term->sort->width <= 64 && polynomial_of(store, term, term->sort->width, &p)) {
        if (polynomial_divide(&p, term_bv_number(literal)))
            out = polynomial_term(store, &p);
        polynomial_finish(&p);
    }
    return out;
}

// One of its factors is a literal, as the term is, or that divides the term.
static const struct term *match_product(struct term_store *store, const struct term *product,
                                        const struct term *variable, const struct term *term)
{
    if (product->child_count != 2)
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const struct term *factor = product->child[i], *other = product->child[1 - i];
        if (factor->kind != TERM_BV)
            continue;
        if (term->kind != TERM_BV) {
            const struct term *quotient = quotient_of(store, term, factor);
            return quotient != NULL ? match(store, other, variable, quotient) : NULL;
        }
        const struct term *quotient = term_bv_binary(store, TERM_BV_UDIV, term, factor);
        if (term_bv_binary(store, TERM_BV_MUL, quotient, factor) == term)
            return match(store, other, variable, quotient);
    }
    return NULL;
}

static const struct term *match_inverse(struct term_store *store, const struct term *pattern,
                                        const struct term *variable, const struct term *term)
{
    switch (pattern->kind) {
    case TERM_BV_ADD:
        return match_sum(store, pattern, variable, term);
    case TERM_BV_MUL:
        return match_product(store, pattern, variable, term);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT: {
        if (term->kind != TERM_BV)
            return NULL;
        const uint32_t width = pattern->child[0]->sort->width;
        const struct term *part = term_bv_extract(store, term, width - 1, 0);
        return match(store, pattern->child[0], variable, part);
    }
    case TERM_BV_CONCAT: {
        const uint32_t border = pattern->child[1]->sort->width, width = pattern->sort->width;
        if (term->kind == TERM_BV_CONCAT)
            return NULL;
        return rewrite_contains(pattern->child[0], variable)
                   ? match(store, pattern->child[0], variable,
                           term_bv_extract(store, term, width - 1, border))
                   : match(store, pattern->child[1], variable,
                           term_bv_extract(store, term, border - 1, 0));
    }
    default:
        return NULL;
    }
}

static const struct term *match(struct term_store *store, const struct term *pattern,
                                const struct term *variable, const struct term *term)
{
    if (pattern == variable)
        return term->sort == variable->sort ? term : NULL;
    if (pattern->sort != term->sort)
        return NULL;
    const struct term *found = match_inverse(store, pattern, variable, term);
    if (pattern->kind != term->kind || pattern->child_count != term->child_count)
        return found;
    for (uint32_t i = 0; i < pattern->child_count && found == NULL; i++)
        for (uint32_t k = 0; k < term->child_count && found == NULL; k++)
            if (rewrite_contains(pattern->child[i], variable))
                found = match(store, pattern->child[i], variable, term->child[k]);
    return found;
}

const struct term *rewrite_match(struct term_store *store, const struct term *pattern,
                                 const struct term *variable, const struct term *term)
{
    return pattern->tree_size <= MOST_NODES ? match(store, pattern, variable, term) : NULL;
}
