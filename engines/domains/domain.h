#ifndef REGATTA_ENGINES_DOMAINS_DOMAIN_H
#define REGATTA_ENGINES_DOMAINS_DOMAIN_H

#include "engines/domains/state_table.h"
#include "engines/domains/workspace.h"
#include "model/precision_text.h"

// An abstract domain: what an abstract state is, their order, the abstract post, and the precision.
// States are ids in the domain's own table; equal ids = equal states. One instance serves one attempt.

struct domain; // each domain defines its own; first member is struct domain_head

struct domain_head {
    const struct domain_operations *operations;
    struct workspace *workspace;
    uint32_t precision_id; // changes exactly when the precision does; precisions only grow
};

struct state_list {
    uint32_t *data;
    size_t count, capacity;
};

struct domain_operations {
    const char *name;
    struct domain *(*create)(struct workspace *workspace);
    void (*destroy)(struct domain *domain);

    // Appends the abstract states after the initial action / after the edge, at the precision of its
    // target. Over-approximates: every concrete successor is covered. False when the attempt has to end
    // (workspace->reason); the list is then useless.
    bool (*initial)(struct domain *domain, struct state_list *out);
    bool (*successors)(struct domain *domain, uint32_t state, const struct edge *edge,
                       struct state_list *out);

    // Does `larger` cover `smaller`? May answer false for lack of effort, never true wrongly.
    bool (*covers)(struct domain *domain, uint32_t larger, uint32_t smaller);
    // Every state belongs to a class (a small number). Within one class at most one state can cover a
    // given state: it, if it exists at all, or STATE_NONE. So candidates for covering are found
    // by one look-up per class that is present at a location.
    uint32_t (*class_of)(struct domain *domain, uint32_t state);
    uint32_t (*coverer_in_class)(struct domain *domain, uint32_t state, uint32_t class);

    // The state as a formula over plain variables, in the attempt's store.
    const struct term *(*formula)(struct domain *domain, uint32_t state);

    // "It is one of these states", shorter than the disjunction of their formulas. NULL: the domain has nothing shorter.
    const struct term *(*any_of)(struct domain *domain, const uint32_t *states, size_t count);

    // Adds what is new in an element of a refutation at a location: an interpolant (may be NULL) and
    // variables. True when the precision changed.
    bool (*refine)(struct domain *domain, const struct location *location,
                   const struct term *interpolant, const struct term *const *variables,
                   size_t variable_count);
    uint64_t (*precision_size)(const struct domain *domain);
    // Calls for each element of the precision.
    void (*each_element)(const struct domain *domain,
                         void (*take)(void *context, const struct precision_item *item),
                         void *context);
    size_t (*bytes)(const struct domain *domain);
};

extern const struct domain_operations domain_explicit;
extern const struct domain_operations domain_predicates; // Cartesian
extern const struct domain_operations domain_predicates_boolean;
extern const struct domain_operations domain_predicates_split;
extern const struct domain_operations domain_product_cartesian;
extern const struct domain_operations domain_product_boolean;
extern const struct domain_operations domain_product_split;
extern const struct domain_operations domain_product_combined;

static inline struct domain_head *domain_head(struct domain *domain)
{
    return (struct domain_head *)domain;
}

#endif
