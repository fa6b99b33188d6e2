#ifndef REGATTA_TESTS_RANDOM_GRAPHS_H
#define REGATTA_TESTS_RANDOM_GRAPHS_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/vector.h"
#include "engines/ctl/check.h"

// Random graphs and formulas, and textbook labelling (Clarke, Emerson, Sistla 1986) of the whole graph: an oracle for
// CTL on the fly.

#define GRAPH_STATES 12
#define GRAPH_ATOMS 4 // the last one looks at outgoing steps: it is known in expanded states only

struct random_graph {
    uint32_t count;
    bool edge[GRAPH_STATES][GRAPH_STATES];
    bool atom[GRAPH_STATES][GRAPH_ATOMS];
    uint32_t number[GRAPH_STATES], named[GRAPH_STATES], met; // numbers in the order of meeting
};

static inline void random_graph_make(struct random_graph *g, struct random *random, bool deadlocks)
{
    memset(g, 0, sizeof *g);
    g->count = 1 + (uint32_t)random_below(random, GRAPH_STATES);
    for (uint32_t s = 0; s < g->count; s++) {
        uint64_t out = random_below(random, 4) + (deadlocks ? 0 : 1);
        for (uint64_t i = 0; i < out; i++)
            g->edge[s][random_below(random, g->count)] = true;
        for (int a = 0; a < GRAPH_ATOMS; a++)
            g->atom[s][a] = random_below(random, 3) == 0;
    }
    memset(g->number, 0xff, sizeof g->number);
}

static inline uint32_t random_graph_name(struct random_graph *g, uint32_t s)
{
    if (g->number[s] == UINT32_MAX) {
        g->number[s] = g->met;
        g->named[g->met++] = s;
    }
    return g->number[s];
}

static inline bool random_graph_expand(void *self, uint32_t state, struct ctl_states *out)
{
    struct random_graph *g = self;
    uint32_t s = g->named[state];
    for (uint32_t t = 0; t < g->count; t++)
        if (g->edge[s][t])
            VECTOR_PUSH(out, random_graph_name(g, t));
    return true;
}

static inline enum ctl_truth random_graph_atom(void *self, uint32_t state, uint32_t atom,
                                               bool expanded)
{
    const struct random_graph *g = self;
    if (atom == GRAPH_ATOMS - 1 && !expanded)
        return CTL_UNKNOWN;
    return g->atom[g->named[state]][atom] ? CTL_TRUE : CTL_FALSE;
}

static inline uint32_t random_formula(struct ctl_formulas *f, struct random *random, int depth)
{
    if (depth == 0)
        return ctl_atom(f, (uint32_t)random_below(random, GRAPH_ATOMS));
    uint32_t a = random_formula(f, random, depth - 1), b = a;
    uint64_t kind = random_below(random, 12);
    if (kind <= 3)
        b = random_formula(f, random, depth - 1);
    switch (kind) {
    case 0:
        return ctl_eu(f, a, b);
    case 1:
        return ctl_au(f, a, b);
    case 2:
        return ctl_and(f, a, b);
    case 3:
        return ctl_or(f, a, b);
    case 4:
        return ctl_ex(f, a);
    case 5:
        return ctl_ax(f, a);
    case 6:
        return ctl_ef(f, a);
    case 7:
        return ctl_af(f, a);
    case 8:
        return ctl_eg(f, a);
    case 9:
        return ctl_ag(f, a);
    case 10:
        return ctl_not(f, a);
    default:
        return a;
    }
}

// sat[n][s]: the whole graph is labelled, subformula by subformula, each by its plain fixpoint.
static inline void textbook_label(const struct random_graph *g, const struct ctl_formulas *f,
                                  bool (*sat)[GRAPH_STATES])
{
    for (uint32_t n = 0; n < f->count; n++) {
        const struct ctl_node *node = &f->data[n];
        const bool *a = sat[node->left], *b = sat[node->right];
        bool now[GRAPH_STATES] = {0}, changed = true;
        for (int round = 0; changed; round++) {
            changed = false;
            for (uint32_t s = 0; s < g->count; s++) {
                bool some = false, all = true, any = false;
                bool of_next = node->kind == CTL_EX;
                for (uint32_t t = 0; t < g->count; t++) {
                    if (!g->edge[s][t])
                        continue;
                    bool there = of_next ? a[t] : now[t];
                    any = true;
                    some |= there;
                    all &= there;
                }
                bool value = false;
                switch (node->kind) {
                case CTL_CONSTANT:
                    value = node->left != 0;
                    break;
                case CTL_ATOM:
                    value = g->atom[s][node->left];
                    break;
                case CTL_NOT:
                    value = !a[s];
                    break;
                case CTL_AND:
                    value = a[s] && b[s];
                    break;
                case CTL_OR:
                    value = a[s] || b[s];
                    break;
                case CTL_EX:
                    value = some;
                    break;
                case CTL_EU:
                    value = b[s] || (a[s] && some);
                    break;
                case CTL_AF:
                    value = a[s] || (any && all);
                    break;
                }
                changed |= value != now[s];
                now[s] = value;
            }
        }
        memcpy(sat[n], now, sizeof now);
    }
}

#endif
