#include <assert.h>
#include <string.h>

#include "logic/terms/bits.h"
#include "logic/terms/number.h"
#include "logic/terms/store.h"

const struct term *term_true(struct term_store *store)
{
    return store->truth[1];
}

const struct term *term_false(struct term_store *store)
{
    return store->truth[0];
}

const struct term *term_bool(struct term_store *store, bool value)
{
    return store->truth[value];
}

const struct term *term_enum(struct term_store *store, const struct sort *sort, uint32_t literal)
{
    assert(sort->kind == SORT_ENUM && literal < sort->literal_count);
    return term_of_value(store, sort, value_small(literal));
}

const struct term *term_of_value(struct term_store *store, const struct sort *sort,
                                 struct value value)
{
    static const uint8_t kinds[] = {
        [SORT_BOOL] = TERM_BOOL, [SORT_INT] = TERM_INT,   [SORT_RAT] = TERM_RAT,
        [SORT_BV] = TERM_BV,     [SORT_ENUM] = TERM_ENUM, [SORT_ARRAY] = TERM_ARRAY};
    assert(value_known(value));
    if (!value_is_small(value)) {
        assert(value_pointer_get(value)->sort == sort);
        return value_pointer_get(value);
    }
    if (sort->kind == SORT_BOOL)
        return store->truth[value_is_true(value)];
    assert(sort->kind != SORT_RAT && sort->kind != SORT_ARRAY);
    struct term head = {.kind = kinds[sort->kind], .sort = sort, .u.value = value};
    return store_intern(store, &head, NULL, 0);
}

struct value term_value(const struct term *literal)
{
    assert(term_is_literal(literal));
    if (literal->kind == TERM_RAT || literal->kind == TERM_ARRAY ||
        !value_is_small(literal->u.value))
        return value_pointer(literal);
    return literal->u.value;
}

const struct term *term_default(struct term_store *store, const struct sort *sort)
{
    switch (sort->kind) {
    case SORT_RAT:
        return term_rat(store, 0, 1);
    case SORT_ARRAY:
        return term_array(store, sort, term_default(store, sort->element), NULL, 0);
    case SORT_BV:
        return term_bv(store, sort->width, 0);
    default:
        return term_of_value(store, sort, value_small(0));
    }
}

static int compare_arrays(const struct term *a, const struct term *b)
{
    if (a->child_count != b->child_count)
        return a->child_count < b->child_count ? -1 : 1;
    for (uint32_t i = 0; i < a->child_count; i++) {
        int order = term_compare_values(a->child[i], b->child[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

int term_compare_values(const struct term *a, const struct term *b)
{
    if (a == b)
        return 0;
    assert(a->sort == b->sort);
    switch (a->sort->kind) {
    case SORT_INT:
    case SORT_RAT:
        return number_compare(a->sort, term_value(a), term_value(b));
    case SORT_BV:
        return bits_compare(term_value(a), term_value(b));
    case SORT_ARRAY:
        return compare_arrays(a, b);
    default:
        return value_small_get(a->u.value) < value_small_get(b->u.value) ? -1 : 1;
    }
}
