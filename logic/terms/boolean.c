#include <assert.h>
#include <stdlib.h>

#include "logic/terms/store.h"

const struct term *term_not(struct term_store *store, const struct term *a)
{
    assert(a->sort->kind == SORT_BOOL);
    if (a->kind == TERM_BOOL)
        return term_bool(store, term_is_false(a));
    if (a->kind == TERM_NOT)
        return a->child[0];
    return store_make1(store, TERM_NOT, store->bool_sort, a);
}

// AND and OR are one function: `dual` is the other of the two, the absorbing literal of AND is
// false, that of OR is true.

static void push_flat(struct term_store *store, enum term_kind kind, const struct term *a)
{
    enum term_kind dual = kind == TERM_AND ? TERM_OR : TERM_AND;
    assert(a->sort->kind == SORT_BOOL);
    if (a->kind == kind) {
        for (uint32_t i = 0; i < a->child_count; i++)
            VECTOR_PUSH(&store->stack, a->child[i]);
    } else if (a->kind == TERM_NOT && a->child[0]->kind == dual) {
        const struct term *inner = a->child[0];
        for (uint32_t i = 0; i < inner->child_count; i++) {
            // May be a NOT of the dual again: !(a or (b and c)) under AND.
            const struct term *part = term_not(store, inner->child[i]);
            push_flat(store, kind, part);
        }
    } else {
        VECTOR_PUSH(&store->stack, a);
    }
}

static const struct term *without_not(const struct term *a)
{
    return a->kind == TERM_NOT ? a->child[0] : a;
}

// By the atom's hash, so that an atom and its negation are neighbours.
static int compare_literals(const void *left, const void *right)
{
    const struct term *a = *(const struct term *const *)left;
    const struct term *b = *(const struct term *const *)right;
    int order = store_compare(without_not(a), without_not(b));
    return order != 0 ? order : (a->kind == TERM_NOT) - (b->kind == TERM_NOT);
}

// Moves data[i] to its place among those before it, which are sorted.
static void insert_literal(const struct term **data, size_t i)
{
    const struct term *a = data[i];
    for (; i > 0 && compare_literals(&data[i - 1], &a) > 0; i--)
        data[i] = data[i - 1];
    data[i] = a;
}

static void sort_literals(const struct term **data, size_t count)
{
    // A long conjunction that grows by a few: most of it is sorted.
    size_t sorted = 1;
    while (sorted < count && compare_literals(&data[sorted - 1], &data[sorted]) <= 0)
        sorted++;
    if (count > 16 && sorted + 4 < count) {
        qsort(data, count, sizeof *data, compare_literals);
        return;
    }
    for (size_t i = sorted; i < count; i++)
        insert_literal(data, i);
}

// Sorts, removes neutral elements and duplicates. False when the whole is the absorbing literal.
static bool reduce(struct term_store *store, size_t begin, const struct term *absorbing)
{
    const struct term **data = store->stack.data + begin;
    size_t count = store->stack.count - begin, kept = 0;
    sort_literals(data, count);
    for (size_t i = 0; i < count; i++) {
        if (data[i] == absorbing)
            return false;
        if (data[i]->kind == TERM_BOOL || (kept > 0 && data[i] == data[kept - 1]))
            continue;
        if (kept > 0 && without_not(data[i]) == without_not(data[kept - 1]))
            return false;
        data[kept++] = data[i];
    }
    store->stack.count = begin + kept;
    return true;
}

enum { ABSORB_MOST = 32 }; // longer ones are not searched: building them would be quadratic

// x and (x or y) is x: drops the parts of the dual kind that have one of the others among theirs.
static void absorb(struct term_store *store, enum term_kind kind, size_t begin)
{
    enum term_kind dual = kind == TERM_AND ? TERM_OR : TERM_AND;
    const struct term **data = store->stack.data + begin;
    size_t count = store->stack.count - begin, kept = 0;
    if (count < 2 || count > ABSORB_MOST)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct term *part = data[i];
        bool absorbed = false;
        if (part->kind == dual && part->child_count <= ABSORB_MOST)
            for (uint32_t j = 0; j < part->child_count && !absorbed; j++)
                for (size_t k = 0; k < count && !absorbed; k++)
                    absorbed = data[k] == part->child[j];
        if (!absorbed)
            data[kept++] = part;
    }
    store->stack.count = begin + kept;
}

static const struct term *junction(struct term_store *store, enum term_kind kind,
                                   const struct term *const *args, size_t count)
{
    const struct term *absorbing = store->truth[kind == TERM_OR];
    const struct term *neutral = store->truth[kind == TERM_AND];
    size_t begin = store->stack.count;
    for (size_t i = 0; i < count; i++)
        push_flat(store, kind, args[i]);
    const struct term *result = absorbing;
    if (reduce(store, begin, absorbing)) {
        absorb(store, kind, begin);
        size_t left = store->stack.count - begin;
        const struct term *const *data = store->stack.data + begin;
        result = left == 0   ? neutral
                 : left == 1 ? data[0]
                             : store_make(store, kind, store->bool_sort, data, left);
    }
    store->stack.count = begin;
    return result;
}

const struct term *term_and(struct term_store *store, const struct term *const *args, size_t count)
{
    return junction(store, TERM_AND, args, count);
}

const struct term *term_or(struct term_store *store, const struct term *const *args, size_t count)
{
    return junction(store, TERM_OR, args, count);
}

static const struct term *junction2(struct term_store *store, enum term_kind kind,
                                    const struct term *a, const struct term *b)
{
    if (a == b)
        return a;
    return junction(store, kind, (const struct term *[]){a, b}, 2);
}

const struct term *term_and2(struct term_store *store, const struct term *a, const struct term *b)
{
    return junction2(store, TERM_AND, a, b);
}

const struct term *term_or2(struct term_store *store, const struct term *a, const struct term *b)
{
    return junction2(store, TERM_OR, a, b);
}

const struct term *term_implies(struct term_store *store, const struct term *a,
                                const struct term *b)
{
    return term_or2(store, term_not(store, a), b);
}

const struct term *term_iff(struct term_store *store, const struct term *a, const struct term *b)
{
    assert(a->sort->kind == SORT_BOOL);
    return term_eq(store, a, b);
}

const struct term *term_xor(struct term_store *store, const struct term *a, const struct term *b)
{
    return term_not(store, term_iff(store, a, b));
}

// Equality of booleans: literals vanish, negations move outside.
static const struct term *boolean_eq(struct term_store *store, const struct term *a,
                                     const struct term *b)
{
    if (a->kind == TERM_BOOL || b->kind == TERM_BOOL) {
        const struct term *literal = a->kind == TERM_BOOL ? a : b;
        const struct term *other = literal == a ? b : a;
        return term_is_true(literal) ? other : term_not(store, other);
    }
    bool negated = (a->kind == TERM_NOT) != (b->kind == TERM_NOT);
    a = without_not(a);
    b = without_not(b);
    const struct term *result;
    if (a == b)
        result = store->truth[1];
    else if (store_compare(a, b) < 0)
        result = store_make2(store, TERM_EQ, store->bool_sort, a, b);
    else
        result = store_make2(store, TERM_EQ, store->bool_sort, b, a);
    return negated ? term_not(store, result) : result;
}

// (if c then x else y) = literal, when x or y is a literal too. NULL when neither is.
static const struct term *ite_eq_literal(struct term_store *store, const struct term *ite,
                                         const struct term *literal)
{
    const struct term *then = ite->child[1], *otherwise = ite->child[2];
    if (!term_is_literal(then) && !term_is_literal(otherwise))
        return NULL;
    return term_ite(store, ite->child[0], term_eq(store, then, literal),
                    term_eq(store, otherwise, literal));
}

const struct term *term_eq(struct term_store *store, const struct term *a, const struct term *b)
{
    assert(a->sort == b->sort);
    if (a == b)
        return store->truth[1];
    if (term_is_literal(a) && term_is_literal(b))
        return store->truth[0]; // literals are canonical
    if (a->sort->kind == SORT_BOOL)
        return boolean_eq(store, a, b);
    if (term_is_literal(a) || (!term_is_literal(b) && store_compare(b, a) < 0)) {
        const struct term *swap = a;
        a = b;
        b = swap;
    }
    const struct term *simpler = NULL;
    if (a->kind == TERM_ITE && term_is_literal(b))
        simpler = ite_eq_literal(store, a, b);
    else if (a->sort->kind == SORT_INT || a->sort->kind == SORT_RAT)
        return linear_eq(store, a, b);
    else if (a->sort->kind == SORT_BV && term_is_literal(b))
        simpler = bits_eq_literal(store, a, b);
    return simpler != NULL ? simpler : store_make2(store, TERM_EQ, store->bool_sort, a, b);
}

static const struct term *boolean_ite(struct term_store *store, const struct term *c,
                                      const struct term *a, const struct term *b)
{
    if (term_is_true(a) || a == c)
        return term_or2(store, c, b);
    if (term_is_false(a))
        return term_and2(store, term_not(store, c), b);
    if (term_is_true(b))
        return term_or2(store, term_not(store, c), a);
    if (term_is_false(b) || b == c)
        return term_and2(store, c, a);
    if (without_not(a) == without_not(b)) // not equal, so opposite
        return term_eq(store, c, a);
    return NULL;
}

const struct term *term_ite(struct term_store *store, const struct term *condition,
                            const struct term *then, const struct term *otherwise)
{
    assert(condition->sort->kind == SORT_BOOL && then->sort == otherwise->sort);
    if (condition->kind == TERM_BOOL)
        return term_is_true(condition) ? then : otherwise;
    if (condition->kind == TERM_NOT)
        return term_ite(store, condition->child[0], otherwise, then);
    // A branch that asks the same condition again.
    if (then->kind == TERM_ITE && then->child[0] == condition)
        then = then->child[1];
    if (otherwise->kind == TERM_ITE && otherwise->child[0] == condition)
        otherwise = otherwise->child[2];
    if (then == otherwise)
        return then;
    if (then->sort->kind == SORT_BOOL) {
        const struct term *simpler = boolean_ite(store, condition, then, otherwise);
        if (simpler != NULL)
            return simpler;
    }
    return store_make(store, TERM_ITE, then->sort,
                      (const struct term *[]){condition, then, otherwise}, 3);
}
