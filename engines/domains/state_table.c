#include "engines/domains/state_table.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

void state_table_init(struct state_table *table)
{
    *table = (struct state_table){0};
    arena_init(&table->arena);
}

void state_table_finish(struct state_table *table)
{
    arena_finish(&table->arena);
    VECTOR_FINISH(&table->entries);
    memory_free(table->slots);
}

static bool matches(const struct state_entry *entry, const uint64_t *words, uint32_t count,
                    uint64_t hash)
{
    return entry->hash == hash && entry->count == count &&
           (count == 0 || memcmp(entry->words, words, count * sizeof *words) == 0);
}

// The slot that holds the sequence, or the free one where it belongs.
static size_t probe(const struct state_table *table, const uint64_t *words, uint32_t count,
                    uint64_t hash)
{
    size_t mask = table->slot_count - 1;
    size_t slot = hash & mask;
    while (table->slots[slot] &&
           !matches(&table->entries.data[table->slots[slot] - 1], words, count, hash))
        slot = (slot + 1) & mask;
    return slot;
}

static void grow(struct state_table *table)
{
    size_t size = table->slot_count ? 2 * table->slot_count : 256;
    uint32_t *slots = memory_zalloc(size * sizeof *slots);
    for (size_t i = 0; i < table->entries.count; i++) {
        size_t slot = table->entries.data[i].hash & (size - 1);
        while (slots[slot])
            slot = (slot + 1) & (size - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    memory_free(table->slots);
    table->slots = slots;
    table->slot_count = size;
}

uint32_t state_table_find(const struct state_table *table, const uint64_t *words, uint32_t count,
                          uint64_t hash)
{
    if (!table->slot_count)
        return STATE_NONE;
    return table->slots[probe(table, words, count, hash)] - 1; // 0 - 1 = STATE_NONE
}

uint32_t state_table_intern(struct state_table *table, const uint64_t *words, uint32_t count,
                            uint64_t hash)
{
    if (2 * (table->entries.count + 1) > table->slot_count)
        grow(table);
    size_t slot = probe(table, words, count, hash);
    if (!table->slots[slot]) {
        uint64_t *copy = arena_alloc(&table->arena, count ? count * sizeof *copy : 1);
        if (count)
            memcpy(copy, words, count * sizeof *copy);
        VECTOR_PUSH(&table->entries, ((struct state_entry){copy, count, hash}));
        table->slots[slot] = (uint32_t)table->entries.count;
    }
    return table->slots[slot] - 1;
}

size_t state_table_bytes(const struct state_table *table)
{
    return table->arena.bytes + table->entries.capacity * sizeof *table->entries.data +
           table->slot_count * sizeof *table->slots;
}
