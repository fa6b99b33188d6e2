#include "languages/programs/dominators.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"

uint32_t *flat_block_order(const struct flat *f, size_t *count)
{
    uint32_t *order = memory_alloc((f->block_count + 1) * sizeof *order);
    bool *seen = memory_zalloc(f->block_count + 1);
    VECTOR(uint32_t) path = {0};
    VECTOR(size_t) next = {0};
    *count = 0;
    VECTOR_PUSH(&path, 0);
    VECTOR_PUSH(&next, 0);
    seen[0] = true;
    while (path.count > 0) {
        const struct block *b = &f->blocks[VECTOR_LAST(&path)];
        size_t n = VECTOR_LAST(&next);
        if (n == flat_successors(b, NULL, 0)) {
            order[(*count)++] = VECTOR_LAST(&path);
            path.count--;
            next.count--;
            continue;
        }
        VECTOR_LAST(&next)++;
        uint32_t to = (uint32_t)b->instructions[b->count - 1].numbers[n];
        if (!seen[to]) {
            seen[to] = true;
            VECTOR_PUSH(&path, to);
            VECTOR_PUSH(&next, 0);
        }
    }
    assert(*count > 0 && *count <= f->block_count && order[*count - 1] == 0);
    for (size_t i = 0; i < *count / 2; i++) {
        uint32_t swap = order[i];
        order[i] = order[*count - 1 - i];
        order[*count - 1 - i] = swap;
    }
    VECTOR_FINISH(&path);
    VECTOR_FINISH(&next);
    memory_free(seen);
    return order;
}

static uint32_t common(const struct dominators *d, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (d->order[a] > d->order[b])
            a = d->nearest[a];
        while (d->order[b] > d->order[a])
            b = d->nearest[b];
    }
    return a;
}

void dominators_find(struct dominators *d, const struct flat *f)
{
    size_t count;
    uint32_t *blocks = flat_block_order(f, &count);
    d->nearest = memory_alloc((f->block_count + 1) * sizeof *d->nearest);
    d->order = memory_zalloc((f->block_count + 1) * sizeof *d->order);
    for (size_t i = 0; i < f->block_count; i++)
        d->nearest[i] = UINT32_MAX;
    for (size_t i = 0; i < count; i++)
        d->order[blocks[i]] = (uint32_t)i;
    d->nearest[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            const struct block *b = &f->blocks[blocks[i]];
            if (d->nearest[blocks[i]] == UINT32_MAX)
                continue;
            size_t successors = flat_successors(b, NULL, 0);
            for (size_t n = 0; n < successors; n++) {
                uint32_t to = (uint32_t)b->instructions[b->count - 1].numbers[n];
                uint32_t before = d->nearest[to];
                uint32_t now = before == UINT32_MAX ? blocks[i] : common(d, before, blocks[i]);
                if (to != 0 && now != before) {
                    d->nearest[to] = now;
                    changed = true;
                }
            }
        }
    }
    memory_free(blocks);
}

void dominators_finish(struct dominators *d)
{
    memory_free(d->nearest);
    memory_free(d->order);
}

bool dominators_has(const struct dominators *d, uint32_t a, uint32_t b)
{
    assert(d->nearest[0] == 0); // they were found
    if (d->nearest[a] == UINT32_MAX || d->nearest[b] == UINT32_MAX)
        return false;
    while (d->order[b] > d->order[a])
        b = d->nearest[b];
    return a == b;
}
