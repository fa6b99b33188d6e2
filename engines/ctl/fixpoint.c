#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/ctl/inside.h"

// Forgets those that were settled since the last pass.
static void compact(struct ctl_checker *c, uint32_t n)
{
    struct ctl_states *unknown = &c->nodes[n].unknown;
    size_t kept = 0;
    for (size_t i = 0; i < unknown->count; i++)
        if (c->nodes[n].truth[unknown->data[i]] == CTL_UNKNOWN)
            unknown->data[kept++] = unknown->data[i];
    unknown->count = kept;
}

static bool has_true_successor(const struct ctl_checker *c, uint32_t n, uint32_t s)
{
    const struct ctl_state *state = &c->states[s];
    for (uint32_t i = 0; i < state->out_count; i++)
        if (c->nodes[n].truth[c->edges.data[state->out + i].target] == CTL_TRUE)
            return true;
    return false;
}

// hi of E[a U b] among the unknown: from where a path through what may be a leads to what may be b, or out of what is
// expanded. Marks those.
static void mark_until(const struct ctl_checker *c, uint32_t n, uint8_t *marked,
                       struct ctl_states *work)
{
    const struct ctl_node *node = &c->formulas->data[n];
    const uint8_t *a = c->nodes[node->left].truth, *b = c->nodes[node->right].truth;
    const struct ctl_states *unknown = &c->nodes[n].unknown;
    for (size_t i = 0; i < unknown->count; i++) {
        uint32_t s = unknown->data[i];
        if (b[s] != CTL_FALSE ||
            (a[s] != CTL_FALSE && (!c->states[s].expanded || has_true_successor(c, n, s)))) {
            marked[s] = 1;
            VECTOR_PUSH(work, s);
        }
    }
    while (work->count > 0) {
        uint32_t s = VECTOR_POP(work);
        for (uint32_t e = c->states[s].in; e != CTL_NO_EDGE; e = c->edges.data[e].next_in) {
            uint32_t p = c->edges.data[e].source;
            if (c->nodes[n].truth[p] != CTL_UNKNOWN || marked[p] || a[p] == CTL_FALSE)
                continue;
            marked[p] = 1;
            VECTOR_PUSH(work, p);
        }
    }
}

// Outside hi of AF g among the unknown: g is false, and a successor is outside too; the greatest such set. Marks all
// others. (Deadlocks and states with a successor known to be outside were settled before.)
static void mark_finally(const struct ctl_checker *c, uint32_t n, uint8_t *marked,
                         struct ctl_states *work)
{
    const uint8_t *g = c->nodes[c->formulas->data[n].left].truth;
    const struct ctl_states *unknown = &c->nodes[n].unknown;
    uint32_t *inside = memory_zalloc((c->known + 1) * sizeof *inside);
    for (size_t i = 0; i < unknown->count; i++) {
        uint32_t s = unknown->data[i];
        marked[s] = g[s] != CTL_FALSE || !c->states[s].expanded;
    }
    for (size_t i = 0; i < unknown->count; i++) {
        uint32_t s = unknown->data[i];
        const struct ctl_state *state = &c->states[s];
        for (uint32_t j = 0; !marked[s] && j < state->out_count; j++) {
            uint32_t t = c->edges.data[state->out + j].target;
            inside[s] += c->nodes[n].truth[t] == CTL_UNKNOWN && !marked[t];
        }
    }
    for (size_t i = 0; i < unknown->count; i++) {
        uint32_t s = unknown->data[i];
        if (!marked[s] && inside[s] == 0) {
            marked[s] = 1;
            VECTOR_PUSH(work, s);
        }
    }
    while (work->count > 0) {
        uint32_t s = VECTOR_POP(work);
        for (uint32_t e = c->states[s].in; e != CTL_NO_EDGE; e = c->edges.data[e].next_in) {
            uint32_t p = c->edges.data[e].source;
            assert(c->nodes[n].truth[p] != CTL_UNKNOWN || marked[p] || inside[p] > 0);
            if (c->nodes[n].truth[p] != CTL_UNKNOWN || marked[p] || --inside[p] > 0)
                continue;
            marked[p] = 1;
            VECTOR_PUSH(work, p);
        }
    }
    memory_free(inside);
}

void ctl_fixpoints(struct ctl_checker *c,
                   void (*settle)(struct ctl_checker *, uint32_t, uint32_t, bool),
                   void (*drain)(struct ctl_checker *))
{
    struct ctl_states work = {0};
    uint8_t *marked = memory_alloc(c->known + 1);
    for (uint32_t n = 0; n < c->node_count; n++) {
        enum ctl_kind kind = c->formulas->data[n].kind;
        if (kind != CTL_EU && kind != CTL_AF)
            continue;
        compact(c, n);
        assert(c->formulas->data[n].left < n && "operands first");
        memset(marked, 0, c->known);
        if (kind == CTL_EU)
            mark_until(c, n, marked, &work);
        else
            mark_finally(c, n, marked, &work);
        const struct ctl_states *unknown = &c->nodes[n].unknown;
        for (size_t i = 0; i < unknown->count; i++)
            if (!marked[unknown->data[i]])
                settle(c, n, unknown->data[i], false);
        drain(c);
    }
    memory_free(marked);
    VECTOR_FINISH(&work);
}
