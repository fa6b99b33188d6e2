#ifndef REGATTA_ENGINES_CTL_INSIDE_H
#define REGATTA_ENGINES_CTL_INSIDE_H

#include "base/random.h"
#include "base/vector.h"
#include "engines/ctl/check.h"

// What the files of this folder share.

#define CTL_NO_EDGE UINT32_MAX

struct ctl_edge {
    uint32_t target, source;
    uint32_t next_in; // the next edge to the same target
};

struct ctl_state {
    uint32_t out, out_count; // edges, once expanded
    uint32_t in;             // the first edge to it
    bool expanded;
};

struct ctl_news {
    uint32_t node, state;
};

struct ctl_label {
    struct ctl_states parents;
    uint8_t *truth;    // by state: enum ctl_truth
    uint32_t *waiting; // by state, temporal nodes only: see count_waiting
    struct ctl_states
        unknown; // temporal nodes only: all states that were unknown at the last pass, and later ones
};

struct ctl_checker {
    struct ctl_kernel kernel;
    const struct ctl_formulas *formulas;
    uint32_t node_count;
    struct ctl_label *nodes;
    struct ctl_state *states;
    uint32_t known, capacity, expanded;
    VECTOR(struct ctl_edge) edges;
    struct ctl_states frontier; // from `first`
    size_t first;
    struct ctl_states starts, successors;
    VECTOR(struct ctl_news) news; // settled, not yet told to others
    uint32_t next_pass;
    uint64_t passes;
    struct random random;
};

// Settles what follows from cycles, operands first.
void ctl_fixpoints(struct ctl_checker *checker,
                   void (*settle)(struct ctl_checker *, uint32_t, uint32_t, bool),
                   void (*drain)(struct ctl_checker *));

#endif
