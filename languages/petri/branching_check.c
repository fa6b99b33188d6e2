#include "languages/petri/branching_check.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

struct labels {
    const struct net *net;
    const struct branching *branching;
    const struct marking_list *markings;
    VECTOR(uint32_t) successors;
    size_t *first;  // by marking: where its successors begin; one more at the end
    uint8_t *open;  // by marking: it has a successor outside
    uint8_t *truth; // by node and marking
    int64_t *now, *after;
    bool (*go_on)(void *context, uint64_t steps);
    void *context;
    bool stopped;
};

static bool goes_on(struct labels *l, uint64_t steps)
{
    l->stopped = l->stopped || (l->go_on != NULL && !l->go_on(l->context, steps));
    return !l->stopped;
}

static void find_successors(struct labels *l, struct member_index *index, uint32_t marking)
{
    l->markings->get(l->markings->context, marking, l->now);
    assert(marking == 0 || l->first[marking] == l->successors.count);
    l->first[marking] = l->successors.count;
    for (uint32_t t = 0; t < l->net->transition_count; t++) {
        if (!net_is_enabled(&l->net->transitions[t], l->now))
            continue;
        memcpy(l->after, l->now, l->net->place_count * sizeof *l->now);
        net_fire(&l->net->transitions[t], l->after);
        uint32_t next = member_index_find(index, l->after);
        if (next == MEMBER_NONE)
            l->open[marking] = 1;
        else
            VECTOR_PUSH(&l->successors, next);
    }
    l->first[marking + 1] = l->successors.count;
}

static uint8_t *truths(const struct labels *l, uint32_t node)
{
    assert(node < l->branching->nodes.count);
    return l->truth + (size_t)node * l->markings->count;
}

static bool some_successor(const struct labels *l, uint32_t marking, const uint8_t *truth,
                           uint8_t wanted)
{
    for (size_t i = l->first[marking]; i < l->first[marking + 1]; i++)
        if (truth[l->successors.data[i]] == wanted)
            return true;
    return false;
}

// All successors are known, and have this truth.
static bool all_successors(const struct labels *l, uint32_t marking, const uint8_t *truth,
                           uint8_t wanted)
{
    for (size_t i = l->first[marking]; i < l->first[marking + 1]; i++)
        if (truth[l->successors.data[i]] != wanted)
            return false;
    return !l->open[marking];
}

static bool is_dead(const struct labels *l, uint32_t marking)
{
    return !l->open[marking] && l->first[marking] == l->first[marking + 1];
}

static uint8_t negated(uint8_t truth)
{
    return truth == BRANCHING_TRUE    ? BRANCHING_FALSE
           : truth == BRANCHING_FALSE ? BRANCHING_TRUE
                                      : BRANCHING_UNKNOWN;
}

static uint8_t joined(uint8_t a, uint8_t b, uint8_t strong)
{
    if (a == strong || b == strong)
        return strong;
    return a == b ? a : BRANCHING_UNKNOWN;
}

// A label that needs nothing of its own node: one look is enough.
static uint8_t look(const struct labels *l, const struct ctl_node *n, uint32_t marking)
{
    const uint8_t *left = truths(l, n->left), *right = truths(l, n->right);
    switch (n->kind) {
    case CTL_CONSTANT:
        return n->left ? BRANCHING_TRUE : BRANCHING_FALSE;
    case CTL_ATOM:
        l->markings->get(l->markings->context, marking, l->now);
        return formula_holds(l->branching->atoms[n->left], l->now) ? BRANCHING_TRUE
                                                                   : BRANCHING_FALSE;
    case CTL_NOT:
        return negated(left[marking]);
    case CTL_AND:
        return joined(left[marking], right[marking], BRANCHING_FALSE);
    case CTL_OR:
        return joined(left[marking], right[marking], BRANCHING_TRUE);
    case CTL_EX:
        return some_successor(l, marking, left, BRANCHING_TRUE)    ? BRANCHING_TRUE
               : all_successors(l, marking, left, BRANCHING_FALSE) ? BRANCHING_FALSE
                                                                   : BRANCHING_UNKNOWN;
    case CTL_EU:
    case CTL_AF:
        break;
    }
    return BRANCHING_UNKNOWN;
}

// Is the marking surely one of E[left U right] or AF left, as far as `mark` is?
static bool is_surely(const struct labels *l, const struct ctl_node *n, uint32_t marking,
                      const uint8_t *mark)
{
    const uint8_t *left = truths(l, n->left), *right = truths(l, n->right);
    if (n->kind == CTL_EU)
        return right[marking] == BRANCHING_TRUE ||
               (left[marking] == BRANCHING_TRUE && some_successor(l, marking, mark, 1));
    return left[marking] == BRANCHING_TRUE ||
           (!is_dead(l, marking) && all_successors(l, marking, mark, 1));
}

// May it be one, as far as `mark` may be and all that is outside?
static bool may_be(const struct labels *l, const struct ctl_node *n, uint32_t marking,
                   const uint8_t *mark)
{
    const uint8_t *left = truths(l, n->left), *right = truths(l, n->right);
    bool some = l->open[marking] || some_successor(l, marking, mark, 1);
    if (n->kind == CTL_EU)
        return right[marking] != BRANCHING_FALSE || (left[marking] != BRANCHING_FALSE && some);
    // AF fails where a run avoids `left`: the run stays among known markings that may not have it.
    bool every = !is_dead(l, marking) && !some_successor(l, marking, mark, 0);
    return left[marking] != BRANCHING_FALSE || every;
}

// The least set that is closed under the rule: from nothing, until nothing changes.
static void grow(struct labels *l, const struct ctl_node *n, uint8_t *mark,
                 bool (*rule)(const struct labels *, const struct ctl_node *, uint32_t,
                              const uint8_t *))
{
    uint32_t count = l->markings->count;
    bool changed = true;
    memset(mark, 0, count);
    for (bool down = true; changed && goes_on(l, count); down = !down) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t marking = down ? count - 1 - i : i;
            if (mark[marking] || !rule(l, n, marking, mark))
                continue;
            mark[marking] = 1;
            changed = true;
        }
    }
}

static void label_fixpoint(struct labels *l, const struct ctl_node *n, uint8_t *out)
{
    uint32_t count = l->markings->count;
    uint8_t *surely = memory_alloc((size_t)count + 1), *may = memory_alloc((size_t)count + 1);
    grow(l, n, surely, is_surely);
    grow(l, n, may, may_be);
    for (uint32_t i = 0; i < count; i++)
        out[i] = surely[i] ? BRANCHING_TRUE : !may[i] ? BRANCHING_FALSE : BRANCHING_UNKNOWN;
    memory_free(surely);
    memory_free(may);
}

static void label(struct labels *l)
{
    for (uint32_t node = 0; node <= l->branching->formula && !l->stopped; node++) {
        const struct ctl_node *n = &l->branching->nodes.data[node];
        assert(n->kind == CTL_CONSTANT || n->kind == CTL_ATOM || n->left < node);
        uint8_t *out = truths(l, node);
        if (n->kind == CTL_EU || n->kind == CTL_AF) {
            label_fixpoint(l, n, out);
            continue;
        }
        for (uint32_t i = 0; i < l->markings->count; i++)
            out[i] = look(l, n, i);
        goes_on(l, l->markings->count);
    }
}

static enum branching_truth decide(struct labels *l, struct member_index *index)
{
    for (uint32_t i = 0; i < l->markings->count && !l->stopped; i++) {
        find_successors(l, index, i);
        if ((i & 63) == 63)
            goes_on(l, 64);
    }
    for (uint32_t p = 0; p < l->net->place_count; p++)
        l->now[p] = l->net->places[p].marking;
    uint32_t start = member_index_find(index, l->now);
    if (l->stopped || start == MEMBER_NONE)
        return BRANCHING_UNKNOWN;
    label(l);
    return l->stopped ? BRANCHING_UNKNOWN
                      : (enum branching_truth)truths(l, l->branching->formula)[start];
}

enum branching_truth branching_check(const struct net *net, const struct branching *branching,
                                     const struct marking_list *markings,
                                     bool (*go_on)(void *context, uint64_t steps), void *context)
{
    struct labels l = {.net = net,
                       .branching = branching,
                       .markings = markings,
                       .go_on = go_on,
                       .context = context};
    assert(branching->formula < branching->nodes.count);
    struct member_index index;
    size_t bytes = ((size_t)net->place_count + 1) * sizeof *l.now, count = markings->count;
    member_index_init(&index, markings, net->place_count);
    l.first = memory_zalloc((count + 1) * sizeof *l.first);
    l.open = memory_zalloc(count + 1);
    l.truth = memory_zalloc(count * branching->nodes.count + 1);
    l.now = memory_alloc(bytes);
    l.after = memory_alloc(bytes);
    enum branching_truth truth = decide(&l, &index);
    VECTOR_FINISH(&l.successors);
    memory_free(l.first);
    memory_free(l.open);
    memory_free(l.truth);
    memory_free(l.now);
    memory_free(l.after);
    member_index_finish(&index);
    return truth;
}
