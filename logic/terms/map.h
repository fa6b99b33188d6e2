#ifndef REGATTA_LOGIC_TERMS_MAP_H
#define REGATTA_LOGIC_TERMS_MAP_H

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "logic/terms/term.h"

// A map from terms to terms for one traversal. Small ones live in the struct itself. For the files
// of this folder only.

enum { TERM_MAP_INLINE = 32 };

struct term_map_slot {
    const struct term *key, *value;
};

struct term_map {
    struct term_map_slot *slots;
    size_t count, capacity; // a power of two
    struct term_map_slot inside[TERM_MAP_INLINE];
};

static inline void term_map_init(struct term_map *map)
{
    map->slots = map->inside;
    map->count = 0;
    map->capacity = TERM_MAP_INLINE;
    memset(map->inside, 0, sizeof map->inside);
}

static inline void term_map_finish(struct term_map *map)
{
    if (map->slots != map->inside)
        memory_free(map->slots);
}

static inline struct term_map_slot *term_map_find(struct term_map_slot *slots, size_t capacity,
                                                  const struct term *key)
{
    size_t i = hash_mix(key->id) & (capacity - 1);
    while (slots[i].key != NULL && slots[i].key != key)
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

// NULL when there is none.
static inline const struct term *term_map_get(const struct term_map *map, const struct term *key)
{
    return term_map_find(map->slots, map->capacity, key)->value;
}

static inline void term_map_put(struct term_map *map, const struct term *key,
                                const struct term *value)
{
    if (2 * (map->count + 1) > map->capacity) {
        size_t capacity = 4 * map->capacity;
        struct term_map_slot *slots = memory_zalloc(capacity * sizeof *slots);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->slots[i].key != NULL)
                *term_map_find(slots, capacity, map->slots[i].key) = map->slots[i];
        term_map_finish(map);
        map->slots = slots;
        map->capacity = capacity;
    }
    struct term_map_slot *slot = term_map_find(map->slots, map->capacity, key);
    map->count += slot->key == NULL;
    *slot = (struct term_map_slot){key, value};
}

// True when the term was not in the set yet.
static inline bool term_map_insert(struct term_map *map, const struct term *key)
{
    if (term_map_get(map, key) != NULL)
        return false;
    term_map_put(map, key, key);
    return true;
}

#endif
