#ifndef REGATTA_BASE_COMPONENTS_H
#define REGATTA_BASE_COMPONENTS_H

#include <stdint.h>

// Strongly connected components of a directed graph (Tarjan 1972), in linear time and without recursion.

struct components {
    uint32_t count;
    uint32_t *
        of; // by node: 1 … count; what a component leads to has smaller numbers. 0: the node was left out
    uint32_t *members; // component c has members[begin[c - 1]] … members[begin[c] - 1]
    uint32_t *begin;
};

// Edges of node n: target[first[n]] … target[first[n + 1] - 1]. in: nodes that count, and edges among them (others may be given,
// and do not); NULL: all. Release with components_finish.
void components_find(struct components *out, uint32_t nodes, const uint32_t *first,
                     const uint32_t *target, const uint8_t *in);
void components_finish(struct components *components);

#endif
