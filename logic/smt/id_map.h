#ifndef REGATTA_LOGIC_SMT_ID_MAP_H
#define REGATTA_LOGIC_SMT_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

// A map from 32-bit numbers to pointers: open addressing, no removal, emptied in constant time.
// All zero is the empty map.

struct id_map_entry {
    uint32_t key;
    uint32_t generation; // entries of another generation than the map's are free
    const void *value;
};

struct id_map {
    struct id_map_entry *entries;
    size_t count, capacity; // capacity is 0 or a power of two
    uint32_t generation;
};

void id_map_finish(struct id_map *map);
void id_map_clear(struct id_map *map);
void id_map_put(struct id_map *map, uint32_t key, const void *value); // replaces
const void *id_map_get(const struct id_map *map, uint32_t key);       // NULL when absent

#endif
