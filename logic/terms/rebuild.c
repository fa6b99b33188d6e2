#include <assert.h>
#include <string.h>

#include "logic/terms/rewrite.h"
#include "logic/terms/store.h"

static const struct term *quantifier_over(struct term_store *store, enum term_kind kind,
                                          const struct term *const *variables, size_t count,
                                          const struct term *body)
{
    size_t begin = store->stack.count;
    for (size_t i = 0; i < count; i++) {
        assert(variables[i]->kind == TERM_VAR);
        bool repeated = false;
        for (size_t j = begin; j < store->stack.count; j++)
            repeated |= store->stack.data[j] == variables[i];
        if (!repeated && rewrite_contains(body, variables[i]))
            VECTOR_PUSH(&store->stack, variables[i]);
    }
    const struct term *result = body;
    if (store->stack.count > begin) {
        // Two of one kind become one; the inner variables are not among the outer ones, for those
        // are free in the body.
        if (body->kind == kind) {
            for (uint32_t i = 0; i + 1 < body->child_count; i++)
                VECTOR_PUSH(&store->stack, body->child[i]);
            body = body->child[body->child_count - 1];
        }
        VECTOR_PUSH(&store->stack, body);
        result = store_make(store, kind, store->bool_sort, store->stack.data + begin,
                            store->stack.count - begin);
    }
    store->stack.count = begin;
    return result;
}

const struct term *term_quantifier(struct term_store *store, enum term_kind kind,
                                   const struct term *const *variables, size_t count,
                                   const struct term *body)
{
    assert((kind == TERM_FORALL || kind == TERM_EXISTS) && body->sort->kind == SORT_BOOL);
    return quantifier_over(store, kind, variables, count, body);
}

static const struct term *rebuild_arithmetic(struct term_store *store, const struct term *term,
                                             const struct term *const *c)
{
    switch (term->kind) {
    case TERM_LE:
        return term_le(store, c[0], c[1]);
    case TERM_LT:
        return term_lt(store, c[0], c[1]);
    case TERM_ADD:
        return term_add(store, c, term->child_count);
    case TERM_MUL:
        return term_mul(store, c, term->child_count);
    case TERM_DIV:
        return term_div(store, c[0], c[1]);
    case TERM_MOD:
        return term_mod(store, c[0], c[1]);
    case TERM_REM:
        return term_rem(store, c[0], c[1]);
    default:
        assert(term->kind == TERM_TO_RAT);
        return term_to_rat(store, c[0]);
    }
}

static const struct term *rebuild_bits(struct term_store *store, const struct term *term,
                                       const struct term *const *c)
{
    switch (term->kind) {
    case TERM_BV_NOT:
    case TERM_BV_NEG:
        return term_bv_unary(store, term->kind, c[0]);
    case TERM_BV_EXTRACT:
        return term_bv_extract(store, c[0], term->u.extract.high, term->u.extract.low);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return term_bv_extend(store, term->kind, c[0], term->sort->width);
    default:
        return term_bv_binary(store, term->kind, c[0], c[1]);
    }
}

const struct term *term_rebuild(struct term_store *store, const struct term *term,
                                const struct term *const *c)
{
    if (term->child_count == 0 || memcmp(term->child, c, term->child_count * sizeof *c) == 0)
        return term;
    switch (term->kind) {
    case TERM_ARRAY:
        return term_array(store, term->sort, c[0], c + 1, (term->child_count - 1) / 2);
    case TERM_NOT:
        return term_not(store, c[0]);
    case TERM_AND:
        return term_and(store, c, term->child_count);
    case TERM_OR:
        return term_or(store, c, term->child_count);
    case TERM_EQ:
        return term_eq(store, c[0], c[1]);
    case TERM_ITE:
        return term_ite(store, c[0], c[1], c[2]);
    case TERM_FORALL:
    case TERM_EXISTS:
        return term_quantifier(store, term->kind, c, term->child_count - 1,
                               c[term->child_count - 1]);
    case TERM_SELECT:
        return term_select(store, c[0], c[1]);
    case TERM_STORE:
        return term_store_at(store, c[0], c[1], c[2]);
    case TERM_CONST_ARRAY:
        return term_array(store, term->sort, c[0], NULL, 0);
    default:
        return term->kind >= TERM_BV_NOT ? rebuild_bits(store, term, c)
                                         : rebuild_arithmetic(store, term, c);
    }
}
