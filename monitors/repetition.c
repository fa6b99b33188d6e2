#include "monitors/monitor.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// Counterexample repetition (Ádám 2023, Algorithm 6.1, mode CHECK, with the corrections of
// monitors.md 3 and 6): a counterexample that was refined before and comes back. The hash finds the
// candidate, the structure decides. Under full pruning the abstraction is a function of the precision,
// which only grows, so a known counterexample proves that the run repeats itself. Under lazy pruning the
// graph also depends on what was pruned: the precision joins the key. When a round found several
// counterexamples, it repeats itself only if none of them is new.

// Items kept at the most (4 bytes each). Beyond it the oldest counterexamples are dropped: detection
// then may come later, never wrongly.
#define ITEM_LIMIT ((size_t)16 << 20)

struct known {
    uint32_t *items;
    size_t count;
    struct hash128 hash;
    uint32_t precision_id;
};

struct repetition {
    bool precision_in_key;
    VECTOR(struct known) known; // oldest first
    size_t oldest;              // those before it were dropped
    size_t item_count;
    uint32_t *table;            // open addressing: index + 1 into known, 0 = free
    size_t table_size;          // a power of two
    bool news;                  // one of this round's counterexamples so far was new
};

static void *repetition_create(const struct configuration *configuration)
{
    if (configuration->values[OPTION_MONITOR] != MONITOR_CHECK)
        return NULL;
    struct repetition *r = memory_zalloc(sizeof *r);
    r->precision_in_key = configuration->values[OPTION_PRUNE] != PRUNE_FULL;
    return r;
}

static void repetition_destroy(void *state)
{
    struct repetition *r = state;
    for (size_t i = r->oldest; i < r->known.count; i++)
        memory_free(r->known.data[i].items);
    VECTOR_FINISH(&r->known);
    memory_free(r->table);
    memory_free(r);
}

static bool same(const struct repetition *r, const struct known *k, const struct counterexample *c)
{
    return hash128_equal(k->hash, c->hash) && k->count == c->count &&
           (!r->precision_in_key || k->precision_id == c->precision_id) &&
           memcmp(k->items, c->items, c->count * sizeof *c->items) == 0;
}

static bool find(const struct repetition *r, const struct counterexample *c)
{
    if (!r->table)
        return false;
    size_t mask = r->table_size - 1;
    for (size_t slot = c->hash.low & mask; r->table[slot]; slot = (slot + 1) & mask) {
        size_t index = r->table[slot] - 1;
        if (index >= r->oldest && same(r, &r->known.data[index], c))
            return true;
    }
    return false;
}

static void rebuild_table(struct repetition *r, size_t size)
{
    memory_free(r->table);
    r->table = memory_zalloc(size * sizeof *r->table);
    r->table_size = size;
    for (size_t i = r->oldest; i < r->known.count; i++) {
        size_t slot = r->known.data[i].hash.low & (size - 1);
        while (r->table[slot])
            slot = (slot + 1) & (size - 1);
        r->table[slot] = (uint32_t)i + 1;
    }
}

static void remember(struct repetition *r, const struct counterexample *c)
{
    while (r->oldest < r->known.count && r->item_count + c->count > ITEM_LIMIT) {
        struct known *k = &r->known.data[r->oldest++];
        r->item_count -= k->count;
        memory_free(k->items);
        k->items = NULL;
    }
    if (c->count > ITEM_LIMIT)
        return;
    struct known k = {
        .items = memory_alloc(c->count * sizeof *k.items),
        .count = c->count,
        .hash = c->hash,
        .precision_id = c->precision_id,
    };
    memcpy(k.items, c->items, c->count * sizeof *k.items);
    VECTOR_PUSH(&r->known, k);
    r->item_count += c->count;
    if (2 * r->known.count > r->table_size) {
        rebuild_table(r, r->table_size ? 2 * r->table_size : 64);
        return;
    }
    size_t slot = c->hash.low & (r->table_size - 1);
    while (r->table[slot])
        slot = (slot + 1) & (r->table_size - 1);
    r->table[slot] = (uint32_t)r->known.count;
}

static struct advice repetition_judge(void *state, const struct engine_event *event)
{
    struct repetition *r = state;
    if (event->kind != EVENT_COUNTEREXAMPLE)
        return (struct advice){.kind = ADVICE_GO_ON};
    if (event->index == 0)
        r->news = false;
    if (!find(r, event->counterexample)) {
        remember(r, event->counterexample);
        r->news = true;
    }
    if (r->news || event->index + 1 < event->count)
        return (struct advice){.kind = ADVICE_GO_ON};
    return (struct advice){
        .kind = ADVICE_STOP,
        .reason = END_STALLED,
        .why = "the same spurious counterexample came back",
    };
}

const struct monitor monitor_repetition = {
    .name = "repetition",
    .description = "a spurious counterexample that was refined before comes back",
    .create = repetition_create,
    .destroy = repetition_destroy,
    .judge = repetition_judge,
};
