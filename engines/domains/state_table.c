#include "engines/domains/state_table.h"

#include <assert.h>
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
    hash_index_finish(&table->index);
}

static bool matches(const struct state_entry *entry, const uint64_t *words, uint32_t count,
                    uint64_t hash)
{
    return entry->hash == hash && entry->count == count &&
           (count == 0 || memcmp(entry->words, words, count * sizeof *words) == 0);
}

uint32_t state_table_find(const struct state_table *table, const uint64_t *words, uint32_t count,
                          uint64_t hash)
{
    struct hash_probe probe = hash_index_probe(&table->index, hash);
    for (uint32_t id; hash_index_next(&table->index, &probe, &id);)
        if (matches(&table->entries.data[id], words, count, hash))
            return id;
    return STATE_NONE;
}

uint32_t state_table_intern(struct state_table *table, const uint64_t *words, uint32_t count,
                            uint64_t hash)
{
    uint32_t id = state_table_find(table, words, count, hash);
    if (id != STATE_NONE)
        return id;
    uint64_t *copy = arena_alloc(&table->arena, count ? count * sizeof *copy : 1);
    if (count)
        memcpy(copy, words, count * sizeof *copy);
    id = (uint32_t)table->entries.count;
    assert(id == table->index.count && id != STATE_NONE && "ids count up");
    VECTOR_PUSH(&table->entries, ((struct state_entry){copy, count, hash}));
    hash_index_add(&table->index, hash, id);
    return id;
}

size_t state_table_bytes(const struct state_table *table)
{
    return table->arena.bytes + table->entries.capacity * sizeof *table->entries.data +
           hash_index_bytes(&table->index);
}
