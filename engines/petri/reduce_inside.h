#ifndef REGATTA_ENGINES_PETRI_REDUCE_INSIDE_H
#define REGATTA_ENGINES_PETRI_REDUCE_INSIDE_H

#include "base/vector.h"
#include "engines/petri/reduce.h"

// Private to the reduction: the net while it is being made smaller.

struct arc_list {
    struct net_arc *data; // ascending places
    size_t count, capacity;
};

// The sequences of two others, one after the other. Numbers below the number of given transitions are those.
struct expansion {
    uint32_t first, second;
};

struct small_transition {
    bool alive;
    struct arc_list pre, post, inhibit;
    uint32_t expansion;
    uint32_t length; // of the expansion
};

struct small_place {
    bool alive, visible; // visible: the goal speaks of it
    bool inhibits;       // some transition has it in `inhibit`, or had
    int64_t marking;
    VECTOR(uint32_t)
    users; // transitions with an arc here, perhaps others: alive ones are to be looked at
};

struct small_net {
    const struct net *given;
    const struct formula *goal;
    bool deadlock; // the goal is that nothing can fire
    struct small_place *places;
    VECTOR(struct small_transition) transitions;
    VECTOR(struct expansion) expansions;
    struct reduction_counts counts;
    bool changed;
    bool (*go_on)(void *context, uint64_t steps);
    void *context;
};

int64_t small_weight(const struct arc_list *arcs, uint32_t place); // 0 = no arc
void small_set(struct arc_list *arcs, uint32_t place, int64_t weight);
void small_remove_transition(struct small_net *s, uint32_t t);
void small_remove_place(struct small_net *s, uint32_t place);
// What firing t adds to the place.
int64_t small_effect(const struct small_transition *t, uint32_t place);

// The rules. Each may change the net wherever it holds.
void reduce_to_cone(struct small_net *s);
void reduce_locally(struct small_net *s);
void reduce_by_fusion(struct small_net *s);

#endif
