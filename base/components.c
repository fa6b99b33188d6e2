#include "base/components.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"

struct visit {
    uint32_t node, edge;
};

struct search {
    struct components *out;
    const uint32_t *first, *target;
    const uint8_t *in;     // NULL: all
    uint32_t *order, *low; // from 1; order 0: not met yet
    uint32_t last;
    VECTOR(uint32_t) open; // met, and in no component yet
    VECTOR(struct visit) path;
    uint32_t done; // nodes in components
};

static void enter(struct search *s, uint32_t node)
{
    s->order[node] = s->low[node] = ++s->last;
    VECTOR_PUSH(&s->open, node);
    VECTOR_PUSH(&s->path, ((struct visit){node, s->first[node]}));
}

// The open nodes from this one on are a component.
static void close(struct search *s, uint32_t node)
{
    struct components *out = s->out;
    size_t from = s->open.count;
    while (s->open.data[--from] != node)
        continue;
    out->count++;
    for (size_t i = from; i < s->open.count; i++) {
        out->of[s->open.data[i]] = out->count;
        out->members[s->done++] = s->open.data[i];
    }
    out->begin[out->count] = s->done;
    s->open.count = from;
}

static void leave(struct search *s)
{
    uint32_t node = VECTOR_POP(&s->path).node;
    if (s->path.count > 0 && s->low[node] < s->low[VECTOR_LAST(&s->path).node])
        s->low[VECTOR_LAST(&s->path).node] = s->low[node];
    if (s->low[node] == s->order[node])
        close(s, node);
}

static void search_from(struct search *s, uint32_t root)
{
    enter(s, root);
    while (s->path.count > 0) {
        struct visit *top = &VECTOR_LAST(&s->path);
        if (top->edge == s->first[top->node + 1]) {
            leave(s);
            continue;
        }
        uint32_t from = top->node, to = s->target[top->edge++];
        if (s->in != NULL && !s->in[to])
            continue;
        if (s->order[to] == 0)
            enter(s, to);
        else if (s->out->of[to] == 0 && s->order[to] < s->low[from])
            s->low[from] = s->order[to];
    }
}

void components_find(struct components *out, uint32_t nodes, const uint32_t *first,
                     const uint32_t *target, const uint8_t *in)
{
    size_t count = (size_t)nodes + 1;
    *out = (struct components){.of = memory_zalloc(count * sizeof *out->of),
                               .members = memory_alloc(count * sizeof *out->members),
                               .begin = memory_alloc(count * sizeof *out->begin)};
    struct search s = {.out = out,
                       .first = first,
                       .target = target,
                       .in = in,
                       .order = memory_zalloc(count * sizeof *s.order),
                       .low = memory_zalloc(count * sizeof *s.low)};
    out->begin[0] = 0;
    for (uint32_t n = 0; n < nodes; n++)
        if ((in == NULL || in[n]) && s.order[n] == 0)
            search_from(&s, n);
    assert(s.open.count == 0);
    VECTOR_FINISH(&s.open);
    VECTOR_FINISH(&s.path);
    memory_free(s.order);
    memory_free(s.low);
}

void components_finish(struct components *components)
{
    memory_free(components->of);
    memory_free(components->members);
    memory_free(components->begin);
}
