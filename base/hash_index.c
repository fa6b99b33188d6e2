#include "base/hash_index.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

enum { CAPACITY_LEAST = 16 };

static void put(struct hash_slot *slots, size_t capacity, struct hash_slot slot)
{
    assert((capacity & (capacity - 1)) == 0 && slot.number != 0);
    size_t at = slot.hash & (capacity - 1);
    while (slots[at].number != 0)
        at = (at + 1) & (capacity - 1);
    slots[at] = slot;
}

static void grow(struct hash_index *index)
{
    assert(index->count <= index->capacity / 2 && "a free slot ends every search");
    size_t capacity = index->capacity ? 2 * index->capacity : CAPACITY_LEAST;
    assert(capacity <= UINT32_MAX);
    struct hash_slot *slots = memory_zalloc(capacity * sizeof *slots);
    // From behind a free slot on, so that what has one hash keeps its order.
    size_t first = 0;
    while (first < index->capacity && index->slots[first].number != 0)
        first++;
    for (size_t i = 0; i < index->capacity; i++) {
        const struct hash_slot *slot = &index->slots[(first + i) & (index->capacity - 1)];
        if (slot->number != 0)
            put(slots, capacity, *slot);
    }
    memory_free(index->slots);
    index->slots = slots;
    index->capacity = capacity;
}

void hash_index_finish(struct hash_index *index)
{
    memory_free(index->slots);
    *index = (struct hash_index){0};
}

void hash_index_clear(struct hash_index *index)
{
    if (index->count > 0)
        memset(index->slots, 0, index->capacity * sizeof *index->slots);
    index->count = 0;
}

void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number)
{
    assert(number < UINT32_MAX);
    if (2 * (index->count + 1) > index->capacity)
        grow(index);
    put(index->slots, index->capacity, (struct hash_slot){(uint32_t)hash, number + 1});
    index->count++;
}

size_t hash_index_bytes(const struct hash_index *index)
{
    return index->capacity * sizeof *index->slots;
}
