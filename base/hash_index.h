#ifndef REGATTA_BASE_HASH_INDEX_H
#define REGATTA_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Finds the numbers of things by a hash of what they are. The things stay where their owner keeps
// them (mostly a vector, numbered from 0); the index compares hashes, the owner compares things:
//
//   struct hash_probe probe = hash_index_probe(&index, hash);
//   for (uint32_t i; hash_index_next(&index, &probe, &i);)
//       if (same(&things.data[i], wanted))
//           return i;
//   hash_index_add(&index, hash, (uint32_t)things.count);
//
// Open addressing, linear probing, no removal; all zero is the empty index. Looking up allocates
// nothing. Hashes have to be mixed well in their low 32 bits (base/hash.h). One thread at a time.

struct hash_slot {
    uint32_t hash;
    uint32_t number; // + 1; 0 = free
};

struct hash_index {
    struct hash_slot *slots;
    size_t count, capacity; // capacity: 0 or a power of two
};

struct hash_probe {
    size_t at;
    uint32_t hash;
};

void hash_index_finish(struct hash_index *index);
void hash_index_clear(struct hash_index *index); // keeps its memory
// Numbers below UINT32_MAX; the same one, and equal hashes, may be there more than once.
void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number);
size_t hash_index_bytes(const struct hash_index *index);

static inline struct hash_probe hash_index_probe(const struct hash_index *index, uint64_t hash)
{
    return (struct hash_probe){index->capacity ? hash & (index->capacity - 1) : 0, (uint32_t)hash};
}

// The next number that was added with the probe's hash, in the order of adding; false: no more.
static inline bool hash_index_next(const struct hash_index *index, struct hash_probe *probe,
                                   uint32_t *number)
{
    if (index->capacity == 0)
        return false;
    for (;;) {
        const struct hash_slot *slot = &index->slots[probe->at];
        if (slot->number == 0)
            return false;
        probe->at = (probe->at + 1) & (index->capacity - 1);
        if (slot->hash == probe->hash) {
            *number = slot->number - 1;
            return true;
        }
    }
}

#endif
