#include "model/elements.h"

#include <assert.h>

#define MOST_ELEMENTS 80 // that differ from the rest
#define DEEPEST 200      // writes inside one another

static size_t written_count(const struct term *array)
{
    size_t count = 0;
    for (; array->kind == TERM_STORE; array = array->child[0])
        count++;
    return count + (array->kind == TERM_ARRAY ? (array->child_count - 1) / 2 : 0);
}

// What is known but for the element at the key.
static const struct term *without(struct term_store *store, const struct term *variable,
                                  const struct term *known, const struct term *key)
{
    if (known == variable)
        return known;
    if (known->kind == TERM_ARRAY)
        return term_store_at(store, known, key, term_select(store, variable, key));
    assert(known->kind == TERM_STORE);
    const struct term *inner = without(store, variable, known->child[0], key);
    return known->child[1] == key ? inner
                                  : term_store_at(store, inner, known->child[1], known->child[2]);
}

// `variable` itself: nothing is known.
static const struct term *known_of(struct term_store *store, const struct term *variable,
                                   const struct term *value, rewrite_lookup lookup, void *context,
                                   unsigned depth)
{
    if (value->kind == TERM_ARRAY)
        return value;
    if (value->kind == TERM_VAR) {
        const struct term *known = lookup(context, value);
        return known == value ? variable : rewrite_replace(store, known, value, variable);
    }
    if (value->kind != TERM_STORE || depth == 0 || !term_is_literal(value->child[1]))
        return variable;
    const struct term *inner =
        known_of(store, variable, value->child[0], lookup, context, depth - 1);
    return term_is_literal(value->child[2])
               ? term_store_at(store, inner, value->child[1], value->child[2])
               : without(store, variable, inner, value->child[1]);
}

const struct term *elements_after(struct term_store *store, const struct term *variable,
                                  const struct term *value, rewrite_lookup lookup, void *context)
{
    assert(variable->kind == TERM_VAR && variable->sort->kind == SORT_ARRAY);
    const struct term *known = known_of(store, variable, value, lookup, context, DEEPEST);
    return known == variable || written_count(known) > MOST_ELEMENTS ? NULL : known;
}
