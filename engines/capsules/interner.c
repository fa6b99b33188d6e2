#include "engines/capsules/interner.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

void interner_finish(struct interner *interner)
{
    VECTOR_FINISH(&interner->words);
    VECTOR_FINISH(&interner->begin);
    memory_free(interner->table);
    memset(interner, 0, sizeof *interner);
}

static uint64_t hash_words(const uint32_t *words, size_t count)
{
    uint64_t h = count + 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; i++)
        h = (h ^ words[i]) * 0xff51afd7ed558ccdu + (h >> 29);
    return hash_mix(h);
}

static void grow_table(struct interner *interner)
{
    uint32_t size = interner->table_size == 0 ? 256 : 2 * interner->table_size;
    memory_free(interner->table);
    interner->table = memory_zalloc(size * sizeof *interner->table);
    interner->table_size = size;
    for (uint32_t i = 0; i < interner->count; i++) {
        size_t count;
        const uint32_t *words = interner_get(interner, i, &count);
        uint32_t at = (uint32_t)hash_words(words, count) & (size - 1);
        while (interner->table[at] != 0)
            at = (at + 1) & (size - 1);
        interner->table[at] = i + 1;
    }
}

uint32_t interner_add(struct interner *interner, const uint32_t *words, size_t count)
{
    if (interner->begin.count == 0)
        VECTOR_PUSH(&interner->begin, 0);
    if (4 * (interner->count + 1) > 3 * interner->table_size)
        grow_table(interner);
    assert(interner->count < interner->table_size && "a probe needs a free slot");
    uint32_t at = (uint32_t)hash_words(words, count) & (interner->table_size - 1);
    for (; interner->table[at] != 0; at = (at + 1) & (interner->table_size - 1)) {
        size_t other;
        const uint32_t *found = interner_get(interner, interner->table[at] - 1, &other);
        if (other == count && (count == 0 || memcmp(found, words, count * sizeof *words) == 0))
            return interner->table[at] - 1;
    }
    interner->table[at] = ++interner->count;
    VECTOR_RESERVE(&interner->words, interner->words.count + count);
    if (count > 0)
        memcpy(interner->words.data + interner->words.count, words, count * sizeof *words);
    interner->words.count += count;
    VECTOR_PUSH(&interner->begin, interner->words.count);
    assert(interner->begin.count == (size_t)interner->count + 1);
    return interner->count - 1;
}

size_t interner_bytes(const struct interner *interner)
{
    return interner->words.capacity * sizeof(uint32_t) +
           interner->begin.capacity * sizeof(uint64_t) +
           (size_t)interner->table_size * sizeof(uint32_t);
}
