#include "engines/petri/problem.h"

#include "base/hash.h"
#include "base/memory.h"

static int64_t *first_marking(const struct net *net)
{
    int64_t *m = memory_alloc(((size_t)net->place_count + 1) * sizeof *m);
    for (uint32_t p = 0; p < net->place_count; p++)
        m[p] = net->places[p].marking;
    return m;
}

bool petri_replay(const struct petri_problem *problem, const struct petri_sequence *sequence)
{
    const struct net *net = problem->net;
    int64_t *m = first_marking(net);
    bool good = true;
    for (size_t i = 0; i < sequence->count && good; i++) {
        const struct net_transition *t = &net->transitions[sequence->data[i]];
        good = sequence->data[i] < net->transition_count && net_is_enabled(t, m);
        if (good)
            net_fire(t, m);
    }
    good = good && formula_holds(problem->goal, m);
    memory_free(m);
    return good;
}

// Markings on the way, each known by a sum of numbers of its tokens, which firing changes by the transition's own sum. Equal
// sums are looked at exactly: what lies between must change nothing.
struct way {
    const struct net *net;
    uint32_t *sequence;
    size_t kept;
    uint64_t *change; // by transition
    uint64_t *sums;   // after so many kept transitions
    uint32_t *slots;  // places in `sums` + 1, some of them out of date; 0 = free
    size_t slot_mask;
    int64_t *tokens; // by place, all 0
};

static void begin_way(struct way *w, const struct net *net, struct petri_sequence *sequence)
{
    size_t slots = 16;
    while (slots < 2 * (sequence->count + 2))
        slots *= 2;
    *w = (struct way){.net = net, .sequence = sequence->data, .slot_mask = slots - 1};
    w->change = memory_zalloc(((size_t)net->transition_count + 1) * sizeof *w->change);
    w->sums = memory_zalloc((sequence->count + 1) * sizeof *w->sums);
    w->slots = memory_zalloc(slots * sizeof *w->slots);
    w->tokens = memory_zalloc(((size_t)net->place_count + 1) * sizeof *w->tokens);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        for (uint32_t i = 0; i < effect->count; i++)
            w->change[t] += hash_mix(effect->data[i].place + 1) * (uint64_t)effect->data[i].weight;
    }
}

static void finish_way(struct way *w)
{
    memory_free(w->change);
    memory_free(w->sums);
    memory_free(w->slots);
    memory_free(w->tokens);
}

// Firing these and then `last` leads back to where it began.
static bool leads_back(struct way *w, size_t from, uint32_t last)
{
    bool back = true;
    for (int round = 0; round < 2; round++)
        for (size_t i = from; i <= w->kept; i++) {
            uint32_t t = i < w->kept ? w->sequence[i] : last;
            const struct net_arcs *effect = &w->net->transitions[t].effect;
            for (uint32_t k = 0; k < effect->count; k++) {
                int64_t *tokens = &w->tokens[effect->data[k].place];
                if (round == 0) {
                    *tokens += effect->data[k].weight;
                } else {
                    back = back && *tokens == 0;
                    *tokens = 0;
                }
            }
        }
    return back;
}

// The slot of the marking with this sum: one on the way (*at: how many transitions before it), or a free one.
static uint32_t *find_slot(struct way *w, uint64_t sum, uint32_t last, bool *found, size_t *at)
{
    size_t i = hash_mix(sum) & w->slot_mask;
    *found = false;
    for (; w->slots[i]; i = (i + 1) & w->slot_mask) {
        *at = w->slots[i] - 1;
        if (*at <= w->kept && w->sums[*at] == sum && leads_back(w, *at, last)) {
            *found = true;
            break;
        }
    }
    return &w->slots[i];
}

void petri_shorten(const struct net *net, struct petri_sequence *sequence)
{
    struct way w;
    begin_way(&w, net, sequence);
    w.slots[hash_mix(0) & w.slot_mask] = 1;
    for (size_t i = 0; i < sequence->count; i++) {
        uint32_t t = sequence->data[i];
        uint64_t sum = w.sums[w.kept] + w.change[t];
        bool found;
        size_t at;
        uint32_t *slot = find_slot(&w, sum, t, &found, &at);
        if (found) {
            w.kept = at; // markings between are as if they had not been met
            continue;
        }
        w.sequence[w.kept++] = t;
        w.sums[w.kept] = sum;
        *slot = (uint32_t)w.kept + 1;
    }
    sequence->count = w.kept;
    finish_way(&w);
}
