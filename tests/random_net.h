#ifndef REGATTA_TESTS_RANDOM_NET_H
#define REGATTA_TESTS_RANDOM_NET_H

#include <stdbool.h>

#include "base/random.h"
#include "base/text.h"

// Random Petri nets with weights, inhibitor and read arcs and a goal, as tables: to be printed in the text form, and to be
// searched by somebody who shares nothing with reader, translation and engine.

#define NET_PLACES_MAX 5
#define NET_TRANSITIONS_MAX 6

struct net_draft {
    unsigned places, transitions;
    int start[NET_PLACES_MAX];
    int takes[NET_TRANSITIONS_MAX][NET_PLACES_MAX], gives[NET_TRANSITIONS_MAX][NET_PLACES_MAX];
    int forbids[NET_TRANSITIONS_MAX][NET_PLACES_MAX]; // 0 = not
    // Two comparisons, joined by "and" or "or": left - right >= number.
    unsigned left[2], right[2];
    int number[2];
    bool both, deadlock;
};

static inline struct net_draft net_draft_draw(struct random *random)
{
    struct net_draft d = {0};
    d.places = 2 + (unsigned)random_below(random, NET_PLACES_MAX - 1);
    d.transitions = 1 + (unsigned)random_below(random, NET_TRANSITIONS_MAX);
    for (unsigned p = 0; p < d.places; p++)
        d.start[p] = (int)random_below(random, 3);
    // Thin nets have places that are only passed through, and parts that the goal does not need.
    bool thin = random_below(random, 2);
    for (unsigned p = 0; thin && p < d.places; p++)
        d.start[p] = p == 0 ? 2 : 0;
    for (unsigned t = 0; t < d.transitions; t++)
        for (unsigned arcs = 0; arcs < (thin ? 2 : 4); arcs++) {
            unsigned p = (unsigned)random_below(random, d.places);
            int weight = random_below(random, 4) == 0 ? 2 : 1;
            switch (random_below(random, 8)) {
            case 0:
                d.forbids[t][p] = weight;
                break;
            case 1:
                d.takes[t][p] += weight; // a read arc
                d.gives[t][p] += weight;
                break;
            case 2:
            case 3:
            case 4:
                d.gives[t][p] += weight;
                break;
            default:
                d.takes[t][p] += weight;
            }
        }
    for (unsigned i = 0; i < 2; i++) {
        d.left[i] = (unsigned)random_below(random, d.places);
        d.right[i] = (unsigned)random_below(random, d.places);
        d.number[i] = (int)random_below(random, 4) - (d.left[i] == d.right[i]);
    }
    d.both = random_below(random, 2);
    d.deadlock = random_below(random, 4) == 0;
    return d;
}

// Places in two groups, each with one token (seldom two) that transitions move about: weights prove what they hold at most.
static inline struct net_draft net_draft_draw_tame(struct random *random)
{
    struct net_draft d = net_draft_draw(random);
    unsigned split = 1 + (unsigned)random_below(random, d.places - 1);
    for (unsigned p = 0; p < d.places; p++)
        d.start[p] = p == 0 || p == split ? 1 + (random_below(random, 8) == 0) : 0;
    for (unsigned t = 0; t < d.transitions; t++) {
        for (unsigned p = 0; p < d.places; p++)
            d.takes[t][p] = d.gives[t][p] = d.forbids[t][p] = 0;
        for (unsigned group = 0; group < 2; group++) {
            unsigned first = group == 0 ? 0 : split;
            unsigned size = group == 0 ? split : d.places - split;
            unsigned kind = (unsigned)random_below(random, 8);
            if (kind < 5) {
                d.takes[t][first + random_below(random, size)]++;
                d.gives[t][first + random_below(random, size)]++;
            }
            if (kind == 5) // it may go for good
                d.takes[t][first + random_below(random, size)]++;
            if (kind == 6)
                d.forbids[t][first + random_below(random, size)] = 1;
        }
    }
    return d;
}

static inline void net_draft_print(struct text *out, const struct net_draft *d)
{
    text_add(out, "net drawn\n");
    for (unsigned p = 0; p < d->places; p++)
        text_printf(out, "pl p%u (%d)\n", p, d->start[p]);
    for (unsigned t = 0; t < d->transitions; t++) {
        text_printf(out, "tr t%u", t);
        for (unsigned p = 0; p < d->places; p++) {
            if (d->takes[t][p])
                text_printf(out, " p%u*%d", p, d->takes[t][p]);
            if (d->forbids[t][p])
                text_printf(out, " p%u?-%d", p, d->forbids[t][p]);
        }
        text_add(out, " ->");
        for (unsigned p = 0; p < d->places; p++)
            if (d->gives[t][p])
                text_printf(out, " p%u*%d", p, d->gives[t][p]);
        text_add_char(out, '\n');
    }
}

static inline void net_draft_print_goal(struct text *out, const struct net_draft *d)
{
    text_add(out, "EF ");
    if (d->deadlock)
        text_add(out, "deadlock");
    else
        text_printf(out, "p%u - p%u >= %d %s p%u >= %d + p%u", d->left[0], d->right[0],
                    d->number[0] < 0 ? 0 : d->number[0], d->both ? "and" : "or", d->left[1],
                    d->number[1] < 0 ? 0 : d->number[1], d->right[1]);
}

static inline bool net_draft_can_fire(const struct net_draft *d, unsigned t, const int *m)
{
    for (unsigned p = 0; p < d->places; p++)
        if (m[p] < d->takes[t][p] || (d->forbids[t][p] && m[p] >= d->forbids[t][p]))
            return false;
    return true;
}

static inline void net_draft_fire(const struct net_draft *d, unsigned t, const int *m, int *next)
{
    for (unsigned p = 0; p < NET_PLACES_MAX; p++)
        next[p] = p < d->places ? m[p] - d->takes[t][p] + d->gives[t][p] : 0;
}

static inline bool net_draft_is_goal(const struct net_draft *d, const int *m)
{
    bool one[2], live = false;
    for (unsigned t = 0; t < d->transitions; t++)
        live = live || net_draft_can_fire(d, t, m);
    if (d->deadlock)
        return !live;
    for (unsigned i = 0; i < 2; i++)
        one[i] = m[d->left[i]] - m[d->right[i]] >= (d->number[i] < 0 ? 0 : d->number[i]);
    return d->both ? one[0] && one[1] : one[0] || one[1];
}

#endif
