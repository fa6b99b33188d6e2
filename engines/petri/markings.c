#include "engines/petri/markings.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define CHUNK_BITS 12
#define CHUNK ((uint32_t)1 << CHUNK_BITS)

static void set_width(struct markings *m, unsigned bits)
{
    assert(bits <= 64 && (bits & (bits - 1)) == 0);
    m->bits = bits;
    m->words = (uint32_t)(((uint64_t)m->places * bits + 63) / 64);
    m->words = m->words ? m->words : 1;
}

void markings_init(struct markings *m, uint32_t places)
{
    *m = (struct markings){.places = places, .slot_count = 1024};
    m->slots = memory_zalloc(m->slot_count * sizeof *m->slots);
    set_width(m, 1);
}

static void free_chunks(struct markings *m)
{
    for (uint32_t i = 0; i < m->chunk_count; i++)
        memory_free(m->chunks[i]);
    memory_free(m->chunks);
    m->chunks = NULL;
    m->chunk_count = 0;
}

void markings_finish(struct markings *m)
{
    free_chunks(m);
    memory_free(m->slots);
    *m = (struct markings){0};
}

uint64_t markings_bytes(const struct markings *m)
{
    return (uint64_t)m->chunk_count * CHUNK * m->words * sizeof(uint64_t) +
           m->slot_count * sizeof *m->slots;
}

static uint64_t *at(const struct markings *m, uint32_t number)
{
    assert(number >> CHUNK_BITS < m->chunk_count);
    return m->chunks[number >> CHUNK_BITS] + (size_t)(number & (CHUNK - 1)) * m->words;
}

static bool fits(const struct markings *m, const int64_t *marking)
{
    if (m->bits == 64)
        return true;
    uint64_t all = 0;
    for (uint32_t p = 0; p < m->places; p++)
        all |= (uint64_t)marking[p];
    return all >> m->bits == 0;
}

static void pack(const struct markings *m, const int64_t *marking, uint64_t *out)
{
    uint32_t word = 0, shift = 0;
    memset(out, 0, m->words * sizeof *out);
    for (uint32_t p = 0; p < m->places; p++) {
        out[word] |= (uint64_t)marking[p] << shift;
        shift += m->bits;
        word += shift / 64;
        shift %= 64;
    }
}

static void unpack(const struct markings *m, const uint64_t *words, int64_t *out)
{
    uint64_t mask = m->bits == 64 ? UINT64_MAX : ((uint64_t)1 << m->bits) - 1;
    uint32_t word = 0, shift = 0;
    for (uint32_t p = 0; p < m->places; p++) {
        out[p] = (int64_t)(words[word] >> shift & mask);
        shift += m->bits;
        word += shift / 64;
        shift %= 64;
    }
}

void markings_get(const struct markings *m, uint32_t number, int64_t *out)
{
    assert(number < m->count);
    unpack(m, at(m, number), out);
}

static uint32_t hash_words(const struct markings *m, const uint64_t *words)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < m->words; i++)
        h = hash_mix(h + words[i]) * 0x9e3779b97f4a7c15u + i;
    return (uint32_t)(h >> 32);
}

static uint32_t find_slot(const struct markings *m, const uint64_t *words)
{
    uint32_t i = hash_words(m, words) & (m->slot_count - 1);
    while (m->slots[i] && memcmp(at(m, m->slots[i] - 1), words, m->words * sizeof *words) != 0)
        i = (i + 1) & (m->slot_count - 1);
    return i;
}

static void rehash(struct markings *m, uint32_t slot_count)
{
    assert((slot_count & (slot_count - 1)) == 0 && m->count < slot_count);
    memory_free(m->slots);
    m->slot_count = slot_count;
    m->slots = memory_zalloc(slot_count * sizeof *m->slots);
    for (uint32_t n = 0; n < m->count; n++)
        m->slots[find_slot(m, at(m, n))] = n + 1;
}

static void add_chunk(struct markings *m)
{
    m->chunks = memory_realloc(m->chunks, (m->chunk_count + 1) * sizeof *m->chunks);
    m->chunks[m->chunk_count] = memory_alloc((size_t)CHUNK * m->words * sizeof(uint64_t));
    m->chunk_count++;
}

static void widen(struct markings *m, unsigned bits)
{
    struct markings wide = *m;
    int64_t *marking = memory_alloc((m->places + 1) * sizeof *marking);
    assert(bits > m->bits);
    wide.chunks = NULL;
    wide.chunk_count = 0;
    set_width(&wide, bits);
    for (uint32_t n = 0; n < m->count; n++) {
        if (n >> CHUNK_BITS == wide.chunk_count)
            add_chunk(&wide);
        markings_get(m, n, marking);
        pack(&wide, marking, at(&wide, n));
    }
    memory_free(marking);
    free_chunks(m);
    *m = wide;
    rehash(m, m->slot_count);
}

uint32_t markings_add(struct markings *m, const int64_t *marking, bool *is_new)
{
    assert(m->count < m->slot_count && "a probe needs a free slot");
    while (!fits(m, marking))
        widen(m, 2 * m->bits);
    if (m->count >> CHUNK_BITS == m->chunk_count)
        add_chunk(m);
    uint64_t *words = at(m, m->count); // the next free place, taken when it is new
    pack(m, marking, words);
    uint32_t slot = find_slot(m, words);
    *is_new = m->slots[slot] == 0;
    if (!*is_new)
        return m->slots[slot] - 1;
    if (m->count == UINT32_MAX / 2)
        return MARKING_NONE;
    m->slots[slot] = ++m->count;
    if (m->count > m->slot_count / 4 * 3)
        rehash(m, 2 * m->slot_count);
    return m->count - 1;
}
