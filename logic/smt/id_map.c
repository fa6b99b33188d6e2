#include "logic/smt/id_map.h"

#include <assert.h>

#include "base/hash.h"
#include "base/memory.h"

void id_map_finish(struct id_map *map)
{
    memory_free(map->entries);
    *map = (struct id_map){0};
}

void id_map_clear(struct id_map *map)
{
    map->count = 0;
    if (++map->generation != 0)
        return;
    for (size_t i = 0; i < map->capacity; i++) // the generations wrapped around
        map->entries[i] = (struct id_map_entry){.generation = UINT32_MAX};
}

// The entry of the key, or the free one where it would go.
static struct id_map_entry *find(const struct id_map *map, uint32_t key)
{
    assert(map->capacity > 0 && (map->capacity & (map->capacity - 1)) == 0);
    size_t mask = map->capacity - 1;
    size_t i = (size_t)hash_mix(key) & mask;
    while (map->entries[i].generation == map->generation && map->entries[i].value != NULL &&
           map->entries[i].key != key)
        i = (i + 1) & mask;
    return &map->entries[i];
}

static void grow(struct id_map *map)
{
    struct id_map bigger = {.capacity = map->capacity ? 2 * map->capacity : 64,
                            .count = map->count,
                            .generation = map->generation};
    bigger.entries = memory_zalloc(bigger.capacity * sizeof *bigger.entries);
    for (size_t i = 0; i < map->capacity; i++) {
        const struct id_map_entry *entry = &map->entries[i];
        if (entry->generation == map->generation && entry->value != NULL)
            *find(&bigger, entry->key) = *entry;
    }
    memory_free(map->entries);
    *map = bigger;
}

void id_map_put(struct id_map *map, uint32_t key, const void *value)
{
    assert(value != NULL);
    if (4 * (map->count + 1) > 3 * map->capacity)
        grow(map);
    struct id_map_entry *entry = find(map, key);
    if (entry->generation != map->generation || entry->value == NULL)
        map->count++;
    *entry = (struct id_map_entry){key, map->generation, value};
    assert(map->count < map->capacity && "a free entry ends every search");
}

const void *id_map_get(const struct id_map *map, uint32_t key)
{
    if (map->count == 0)
        return NULL;
    const struct id_map_entry *entry = find(map, key);
    return entry->generation == map->generation ? entry->value : NULL;
}
