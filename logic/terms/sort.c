#include "logic/terms/sort.h"

#include <assert.h>
#include <string.h>

#include "logic/terms/store.h"

static struct hash128 sort_hash(const struct sort *sort)
{
    struct hash128 h = hash128_add(hash128_seed(0x50f7), sort->kind);
    switch (sort->kind) {
    case SORT_BV:
        return hash128_add(h, sort->width);
    case SORT_ENUM:
        h = hash128_add_text(h, sort->name);
        for (uint32_t i = 0; i < sort->literal_count; i++)
            h = hash128_add_text(h, sort->literals[i]);
        return h;
    case SORT_ARRAY:
        return hash128_add_hash(hash128_add_hash(h, sort->key->hash), sort->element->hash);
    default:
        return h;
    }
}

static bool sort_equal(const struct sort *a, const struct sort *b)
{
    if (!hash128_equal(a->hash, b->hash) || a->kind != b->kind || a->width != b->width ||
        a->key != b->key || a->element != b->element || a->literal_count != b->literal_count)
        return false;
    if (a->kind != SORT_ENUM)
        return true;
    for (uint32_t i = 0; i < a->literal_count; i++)
        if (strcmp(a->literals[i], b->literals[i]) != 0)
            return false;
    return strcmp(a->name, b->name) == 0;
}

static const struct sort *find_sort(const struct term_store *store, const struct sort *wanted)
{
    for (; store != NULL; store = store->parent)
        for (size_t i = 0; i < store->sorts.count; i++)
            if (sort_equal(store->sorts.data[i], wanted))
                return store->sorts.data[i];
    return NULL;
}

static void copy_names(struct term_store *store, struct sort *sort)
{
    const char **literals = arena_alloc(&store->arena, sort->literal_count * sizeof *literals);
    for (uint32_t i = 0; i < sort->literal_count; i++)
        literals[i] = arena_strdup(&store->arena, sort->literals[i]);
    sort->literals = literals;
    sort->name = arena_strdup(&store->arena, sort->name);
}

static const struct sort *intern_sort(struct term_store *store, struct sort *wanted)
{
    wanted->hash = sort_hash(wanted);
    const struct sort *known = find_sort(store, wanted);
    if (known != NULL)
        return known;
    assert(atomic_load_explicit(&store->layers, memory_order_relaxed) == 0 &&
           "the store is frozen: a child lives");
    struct sort *sort = arena_alloc(&store->arena, sizeof *sort);
    *sort = *wanted;
    sort->id = store->first_sort_id + (uint32_t)store->sorts.count;
    if (sort->kind == SORT_ENUM)
        copy_names(store, sort);
    VECTOR_PUSH(&store->sorts, sort);
    return sort;
}

const struct sort *sort_bool(struct term_store *store)
{
    if (store->bool_sort != NULL)
        return store->bool_sort;
    return intern_sort(store, &(struct sort){.kind = SORT_BOOL});
}

const struct sort *sort_int(struct term_store *store)
{
    if (store->int_sort != NULL)
        return store->int_sort;
    return intern_sort(store, &(struct sort){.kind = SORT_INT});
}

const struct sort *sort_rat(struct term_store *store)
{
    if (store->rat_sort != NULL)
        return store->rat_sort;
    return intern_sort(store, &(struct sort){.kind = SORT_RAT});
}

const struct sort *sort_bv(struct term_store *store, uint32_t width)
{
    assert(width >= 1);
    return intern_sort(store, &(struct sort){.kind = SORT_BV, .width = width});
}

const struct sort *sort_array(struct term_store *store, const struct sort *key,
                              const struct sort *element)
{
    return intern_sort(store, &(struct sort){.kind = SORT_ARRAY, .key = key, .element = element});
}

const struct sort *sort_enum(struct term_store *store, const char *name,
                             const char *const *literals, uint32_t literal_count)
{
    assert(literal_count >= 1);
    return intern_sort(store, &(struct sort){.kind = SORT_ENUM,
                                             .name = name,
                                             .literals = literals,
                                             .literal_count = literal_count});
}

static uint64_t array_value_count(const struct sort *sort, uint64_t limit)
{
    uint64_t elements = sort_value_count(sort->element, limit);
    if (elements <= 1)
        return elements;
    // Two elements and 64 keys are too many already.
    uint64_t keys = sort_value_count(sort->key, 63);
    if (keys == 0)
        return 0;
    uint64_t count = 1;
    for (uint64_t i = 0; i < keys; i++)
        if (__builtin_mul_overflow(count, elements, &count) || count > limit)
            return 0;
    return count;
}

uint64_t sort_value_count(const struct sort *sort, uint64_t limit)
{
    uint64_t count = 0;
    switch (sort->kind) {
    case SORT_BOOL:
        count = 2;
        break;
    case SORT_INT:
    case SORT_RAT:
        return 0;
    case SORT_BV:
        count = sort->width < 64 ? (uint64_t)1 << sort->width : 0;
        break;
    case SORT_ENUM:
        count = sort->literal_count;
        break;
    case SORT_ARRAY:
        return array_value_count(sort, limit);
    }
    return count <= limit ? count : 0;
}
