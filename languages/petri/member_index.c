#include "languages/petri/member_index.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

// A sum, so that the processor need not wait for one place before it takes the next: checking a set of millions of markings is
// mostly this.
static uint64_t hash_marking(const struct member_index *m, const int64_t *marking)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < m->places; p++)
        sum += (uint64_t)marking[p] * m->factors[p];
    return hash_mix(sum);
}

// Its slot, or the free one where it would be.
static uint64_t find(struct member_index *m, const int64_t *marking)
{
    uint64_t i = hash_marking(m, marking) & (m->slot_count - 1);
    for (; m->slots[i]; i = (i + 1) & (m->slot_count - 1)) {
        m->list->get(m->list->context, m->slots[i] - 1, m->other);
        if (memcmp(m->other, marking, m->places * sizeof *marking) == 0)
            break;
    }
    return i;
}

void member_index_init(struct member_index *m, const struct marking_list *list, uint32_t places)
{
    *m = (struct member_index){.list = list, .places = places, .slot_count = 16};
    int64_t *now = memory_alloc(((size_t)places + 1) * sizeof *now);
    m->other = memory_alloc(((size_t)places + 1) * sizeof *m->other);
    m->factors = memory_alloc(((size_t)places + 1) * sizeof *m->factors);
    for (uint32_t p = 0; p < places; p++)
        m->factors[p] = hash_mix(p + 1) | 1;
    while (m->slot_count < 2 * (uint64_t)list->count)
        m->slot_count *= 2;
    m->slots = memory_zalloc(m->slot_count * sizeof *m->slots);
    assert(m->slot_count > list->count && "a probe needs a free slot");
    for (uint32_t n = 0; n < list->count; n++) {
        list->get(list->context, n, now);
        m->slots[find(m, now)] = n + 1;
    }
    memory_free(now);
}

void member_index_finish(struct member_index *m)
{
    memory_free(m->slots);
    memory_free(m->other);
    memory_free(m->factors);
    *m = (struct member_index){0};
}

uint32_t member_index_find(struct member_index *m, const int64_t *marking)
{
    uint32_t found = m->slots[find(m, marking)];
    return found ? found - 1 : MEMBER_NONE;
}
