#ifndef REGATTA_ENGINES_PETRI_REDUCE_H
#define REGATTA_ENGINES_PETRI_REDUCE_H

#include "engines/petri/problem.h"

// A smaller net in which the goal is reachable exactly when it is in the given one (docs/petri.md has the rules and why they
// are right). Each transition of the small net stands for a sequence of the given one's, so a firing sequence of the one
// is one of the other.

// What each rule took away. R(field, words)
#define REDUCTION_RULES(R)                                                                         \
    R(unneeded_transitions, "transitions that the goal does not need")                             \
    R(unneeded_places, "places that the goal does not need")                                       \
    R(dead, "dead transitions")                                                                    \
    R(idle, "transitions without effect")                                                          \
    R(dominated, "dominated transitions")                                                          \
    R(constant, "constant places")                                                                 \
    R(redundant, "redundant places")                                                               \
    R(post_fused, "places fused with what empties them")                                           \
    R(pre_fused, "places fused with what fills them")

struct reduction_counts {
#define R(field, words) uint32_t field;
    REDUCTION_RULES(R)
#undef R
};

// Which rules may be used.
struct reduction_choice {
    bool cone;   // leave out what cannot matter for the goal
    bool local;  // dead, idle, dominated, constant, redundant
    bool fusion; // of places
};

struct expansion; // private: the sequence of a fused transition

struct reduction {
    struct net *net;
    const struct formula *goal;
    struct reduction_counts counts;
    struct arena arena;                 // of the goal
    uint32_t *begins;                   // by transition of `net`: its expansion
    const struct expansion *expansions; // private
    uint32_t given_transitions;
};

// The goal is that no transition is enabled.
bool reduction_is_deadlock(const struct net *net, const struct formula *goal);
// False when nothing was taken away: then there is nothing to finish.
bool reduction_make(const struct petri_problem *problem, struct reduction_choice choice,
                    struct reduction *out);
void reduction_finish(struct reduction *reduction);
// A sequence of the small net as one of the given net. Appends to `out`.
void reduction_expand(const struct reduction *reduction, const struct petri_sequence *sequence,
                      struct petri_sequence *out);

#endif
