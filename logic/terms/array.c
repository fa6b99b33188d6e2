#include <assert.h>
#include <stdlib.h>

#include "logic/terms/store.h"

// Literal arrays: child 0 is the default, then keys and elements. See term.h for the form.

static uint32_t entry_count(const struct term *array)
{
    return (array->child_count - 1) / 2;
}

// Index of the first entry whose key is not below `key`.
static uint32_t lower_bound(const struct term *array, const struct term *key)
{
    uint32_t low = 0, high = entry_count(array);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (term_compare_values(array->child[1 + 2 * middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct term *array_literal_select(const struct term *array, const struct term *key)
{
    uint32_t i = lower_bound(array, key);
    if (i < entry_count(array) && array->child[1 + 2 * i] == key)
        return array->child[2 + 2 * i];
    return array->child[0];
}

// The index-th value of a finite sort.
static const struct term *nth_value(struct term_store *store, const struct sort *sort,
                                    uint64_t index)
{
    if (sort->kind != SORT_ARRAY)
        return sort->kind == SORT_BV ? term_bv(store, sort->width, index)
                                     : term_of_value(store, sort, value_small((int64_t)index));
    uint64_t elements = sort_value_count(sort->element, UINT64_MAX);
    uint64_t keys = elements > 1 ? sort_value_count(sort->key, 63) : 0;
    const struct term *array =
        array_literal_constant(store, sort, nth_value(store, sort->element, 0));
    for (uint64_t k = 0; k < keys; k++) {
        array = array_literal_store(store, array, nth_value(store, sort->key, k),
                                    nth_value(store, sort->element, index % elements));
        index /= elements;
    }
    return array;
}

struct entry {
    const struct term *key, *element;
    size_t position; // of the source, to let later ones win
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = term_compare_values(a->key, b->key);
    return order != 0 ? order : a->position < b->position ? -1 : 1;
}

// Sorts, keeps the last entry of each key. The new count.
static size_t normalise_entries(struct entry *entries, size_t count)
{
    qsort(entries, count, sizeof *entries, compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && entries[i + 1].key == entries[i].key)
            continue;
        entries[kept++] = entries[i];
    }
    return kept;
}

static int compare_elements(const void *left, const void *right)
{
    return term_compare_values(*(const struct term *const *)left,
                               *(const struct term *const *)right);
}

// Over a finite key sort the default could be any element if each key is written down. To have one
// form for one map it is the most frequent element of all keys, the least one among equals.
static const struct term *majority(const struct term **elements, size_t count)
{
    qsort(elements, count, sizeof *elements, compare_elements);
    const struct term *best = NULL;
    size_t most = 0;
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i; j < count && elements[j] == elements[i]; j++)
            ;
        if (j - i > most) {
            most = j - i;
            best = elements[i];
        }
    }
    return best;
}

static const struct term *make_literal(struct term_store *store, const struct sort *sort,
                                       const struct term *default_element,
                                       const struct entry *entries, size_t count)
{
    const struct term **children = memory_alloc((1 + 2 * count) * sizeof *children);
    size_t n = 0;
    children[n++] = default_element;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].element == default_element)
            continue;
        children[n++] = entries[i].key;
        children[n++] = entries[i].element;
    }
    const struct term *result = store_make(store, TERM_ARRAY, sort, children, n);
    memory_free(children);
    return result;
}

// All `keys` keys written down: choose the default anew.
static const struct term *make_total(struct term_store *store, const struct sort *sort,
                                     const struct term *default_element,
                                     const struct entry *entries, size_t count, size_t keys)
{
    struct entry *all = memory_alloc(keys * sizeof *all);
    const struct term **elements = memory_alloc(keys * sizeof *elements);
    for (size_t i = 0; i < keys; i++)
        all[i] = (struct entry){nth_value(store, sort->key, i), default_element, i};
    qsort(all, keys, sizeof *all, compare_entries);
    for (size_t i = 0, j = 0; i < keys && j < count; i++)
        if (all[i].key == entries[j].key)
            all[i].element = entries[j++].element;
    for (size_t i = 0; i < keys; i++)
        elements[i] = all[i].element;
    const struct term *best = majority(elements, keys);
    const struct term *result = make_literal(store, sort, best, all, keys);
    memory_free(elements);
    memory_free(all);
    return result;
}

// Entries sorted, one per key.
static const struct term *canonical(struct term_store *store, const struct sort *sort,
                                    const struct term *default_element, const struct entry *entries,
                                    size_t count)
{
    size_t written = 0;
    for (size_t i = 0; i < count; i++)
        written += entries[i].element != default_element;
    // With more than twice as many keys the default is the most frequent element anyway.
    uint64_t keys = sort_value_count(sort->key, 2 * written);
    if (keys != 0)
        return make_total(store, sort, default_element, entries, count, keys);
    return make_literal(store, sort, default_element, entries, count);
}

const struct term *array_literal_constant(struct term_store *store, const struct sort *sort,
                                          const struct term *element)
{
    return store_make1(store, TERM_ARRAY, sort, element);
}

const struct term *array_literal_store(struct term_store *store, const struct term *array,
                                       const struct term *key, const struct term *element)
{
    if (array_literal_select(array, key) == element)
        return array;
    size_t count = entry_count(array), n = 0;
    struct entry *entries = memory_alloc((count + 1) * sizeof *entries);
    size_t place = lower_bound(array, key);
    for (size_t i = 0; i < count; i++) {
        if (i == place)
            entries[n++] = (struct entry){key, element, 0};
        if (array->child[1 + 2 * i] != key)
            entries[n++] = (struct entry){array->child[1 + 2 * i], array->child[2 + 2 * i], 0};
    }
    if (place == count)
        entries[n++] = (struct entry){key, element, 0};
    const struct term *result = canonical(store, array->sort, array->child[0], entries, n);
    memory_free(entries);
    return result;
}

static bool all_literals(const struct term *const *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!term_is_literal(terms[i]))
            return false;
    return true;
}

static const struct term *constant_array(struct term_store *store, const struct sort *sort,
                                         const struct term *element)
{
    if (term_is_literal(element))
        return array_literal_constant(store, sort, element);
    return store_make1(store, TERM_CONST_ARRAY, sort, element);
}

const struct term *term_array(struct term_store *store, const struct sort *sort,
                              const struct term *default_element, const struct term *const *entries,
                              size_t entry_count_)
{
    assert(sort->kind == SORT_ARRAY && default_element->sort == sort->element);
    if (term_is_literal(default_element) && all_literals(entries, 2 * entry_count_)) {
        struct entry *list = memory_alloc(entry_count_ * sizeof *list);
        for (size_t i = 0; i < entry_count_; i++) {
            assert(entries[2 * i]->sort == sort->key && entries[2 * i + 1]->sort == sort->element);
            list[i] = (struct entry){entries[2 * i], entries[2 * i + 1], i};
        }
        size_t count = normalise_entries(list, entry_count_);
        const struct term *result = canonical(store, sort, default_element, list, count);
        memory_free(list);
        return result;
    }
    const struct term *array = constant_array(store, sort, default_element);
    for (size_t i = 0; i < entry_count_; i++)
        array = term_store_at(store, array, entries[2 * i], entries[2 * i + 1]);
    return array;
}

const struct term *term_select(struct term_store *store, const struct term *array,
                               const struct term *key)
{
    assert(array->sort->kind == SORT_ARRAY && array->sort->key == key->sort);
    while (array->kind == TERM_STORE) {
        if (array->child[1] == key)
            return array->child[2];
        if (!term_is_literal(key) || !term_is_literal(array->child[1]))
            break;
        array = array->child[0];
    }
    if (array->kind == TERM_CONST_ARRAY)
        return array->child[0];
    if (array->kind == TERM_ARRAY) {
        if (array->child_count == 1)
            return array->child[0];
        if (term_is_literal(key))
            return array_literal_select(array, key);
    }
    return store_make2(store, TERM_SELECT, array->sort->element, array, key);
}

// Writes at literal keys stand in ascending order of keys, the least one innermost; one that was
// overwritten is gone.
static const struct term *store_ordered(struct term_store *store, const struct term *array,
                                        const struct term *key, const struct term *element)
{
    if (array->kind == TERM_ARRAY && term_is_literal(element))
        return array_literal_store(store, array, key, element);
    if (array->kind == TERM_STORE && term_is_literal(array->child[1])) {
        int order = term_compare_values(array->child[1], key);
        if (order == 0)
            return store_ordered(store, array->child[0], key, element);
        if (order > 0) {
            const struct term *inner = store_ordered(store, array->child[0], key, element);
            return term_store_at(store, inner, array->child[1], array->child[2]);
        }
    }
    return store_make(store, TERM_STORE, array->sort, (const struct term *[]){array, key, element},
                      3);
}

const struct term *term_store_at(struct term_store *store, const struct term *array,
                                 const struct term *key, const struct term *element)
{
    assert(array->sort->kind == SORT_ARRAY && array->sort->key == key->sort &&
           array->sort->element == element->sort);
    if (term_select(store, array, key) == element)
        return array;
    if (term_is_literal(key))
        return store_ordered(store, array, key, element);
    if (array->kind == TERM_STORE && array->child[1] == key)
        return term_store_at(store, array->child[0], key, element);
    return store_make(store, TERM_STORE, array->sort, (const struct term *[]){array, key, element},
                      3);
}
