#ifndef REGATTA_ENGINES_DOMAINS_STATE_TABLE_H
#define REGATTA_ENGINES_DOMAINS_STATE_TABLE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vector.h"

// Interned sequences of machine words: abstract states. Equal sequences have equal ids; ids count up
// from 0 in order of first sight. Finding a known sequence allocates nothing.

#define STATE_NONE UINT32_MAX

struct state_entry {
    const uint64_t *words;
    uint32_t count;
    uint64_t hash;
};

struct state_table {
    struct arena arena;
    VECTOR(struct state_entry) entries;
    struct hash_index index;
};

void state_table_init(struct state_table *table);
void state_table_finish(struct state_table *table);
// hash: of the content, the same for equal content (values that are pointers must be hashed by what
// they point to, so that the table's behaviour is the same on every run).
uint32_t state_table_intern(struct state_table *table, const uint64_t *words, uint32_t count,
                            uint64_t hash);
uint32_t state_table_find(const struct state_table *table, const uint64_t *words, uint32_t count,
                          uint64_t hash); // STATE_NONE when it is not there
size_t state_table_bytes(const struct state_table *table);

static inline const struct state_entry *state_table_get(const struct state_table *table,
                                                        uint32_t id)
{
    assert(id < table->entries.count);
    return &table->entries.data[id];
}

#endif
