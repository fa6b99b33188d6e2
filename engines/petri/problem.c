#include "engines/petri/problem.h"

#include <assert.h>

#include "base/hash.h"
#include "base/hash_index.h"
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
    uint64_t *change;        // by transition
    uint64_t *sums;          // after so many kept transitions
    struct hash_index index; // of `sums`, some of them out of date
    int64_t *tokens;         // by place, all 0
};

static void begin_way(struct way *w, const struct net *net, struct petri_sequence *sequence)
{
    *w = (struct way){.net = net, .sequence = sequence->data};
    w->change = memory_zalloc(((size_t)net->transition_count + 1) * sizeof *w->change);
    w->sums = memory_zalloc((sequence->count + 1) * sizeof *w->sums);
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
    hash_index_finish(&w->index);
    memory_free(w->tokens);
}

// Firing these and then `last` leads back to where it began.
static bool leads_back(struct way *w, size_t from, uint32_t last)
{
    assert(from <= w->kept);
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

// The marking with this sum is on the way already, after *at transitions.
static bool find_back(struct way *w, uint64_t sum, uint32_t last, uint32_t *at)
{
    struct hash_probe probe = hash_index_probe(&w->index, hash_mix(sum));
    while (hash_index_next(&w->index, &probe, at))
        if (*at <= w->kept && w->sums[*at] == sum && leads_back(w, *at, last))
            return true;
    return false;
}

void petri_shorten(const struct net *net, struct petri_sequence *sequence)
{
    struct way w;
    begin_way(&w, net, sequence);
    hash_index_add(&w.index, hash_mix(0), 0);
    for (size_t i = 0; i < sequence->count; i++) {
        uint32_t t = sequence->data[i], at;
        uint64_t sum = w.sums[w.kept] + w.change[t];
        if (find_back(&w, sum, t, &at)) {
            w.kept = at; // markings between are as if they had not been met
            continue;
        }
        w.sequence[w.kept++] = t;
        w.sums[w.kept] = sum;
        hash_index_add(&w.index, hash_mix(sum), (uint32_t)w.kept);
    }
    assert(w.kept <= sequence->count);
    sequence->count = w.kept;
    finish_way(&w);
}
