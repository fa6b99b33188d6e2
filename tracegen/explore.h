#ifndef REGATTA_TRACEGEN_EXPLORE_H
#define REGATTA_TRACEGEN_EXPLORE_H

#include "engines/cegar/graph.h"
#include "engines/domains/variable_bits.h"
#include "tracegen/tracegen.h"

// The reachability graph of a model at a fixed precision, breadth first and without looking for errors.

struct exploration {
    const struct tracegen_request *request;
    struct progress progress;
    struct engine_environment environment;
    struct configuration configuration;
    struct workspace workspace;
    const struct domain_operations *operations;
    struct domain *domain;
    struct graph graph;
    struct state_list successors;
    VECTOR(const struct variable *) tracked; // at locations that users see
    enum end_reason ended;                   // END_NONE: the graph is complete
    const char *why;
};

void exploration_init(struct exploration *exploration, const struct tracegen_request *request);
void exploration_run(struct exploration *exploration);
void exploration_finish(struct exploration *exploration);

// Only tests the property, so no step of the model.
bool exploration_skips(const struct model *model, const struct edge *edge);
const struct term *exploration_formula(struct exploration *exploration, uint32_t node);

// The variables that only the environment of a transition system writes, and its output events: Booleans
// that the environment clears and the system sets. Bits by variable index, `words` of them each.
void exploration_find_events(const struct model *model, variable_bits *inputs,
                             variable_bits *outputs);
// The values that a conjunction fixes, per variable; the others are unknown. `rest` (may be NULL)
// receives the conjuncts that fix none.
void state_values(const struct model *model, struct term_store *store, const struct term *formula,
                  struct value *values, struct term_vector *rest);

#endif
