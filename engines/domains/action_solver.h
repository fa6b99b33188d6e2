#ifndef REGATTA_ENGINES_DOMAINS_ACTION_SOLVER_H
#define REGATTA_ENGINES_DOMAINS_ACTION_SOLVER_H

#include "engines/domains/variable_bits.h"
#include "engines/domains/workspace.h"

// What a domain keeps for each action of the model, numbered by slots: the id of the edge, and the number
// of edges for the initial action. The parts of a product share one set.

struct action_solver {
    struct smt *smt; // the action's formula is asserted at the base level; NULL until needed
    struct encoded_step step;
    uint8_t *defined; // per predicate: 1 = its Boolean before, 2 = after the action
    uint32_t defined_count;
};

// The variables that an action reads, changes, either. Frozen once computed.
struct footprint {
    variable_bits *read, *written, *touched;
};

struct action_solvers {
    struct workspace *workspace;
    struct arena arena;
    uint32_t count;
    struct action_solver *items;
    struct footprint *footprints;
};

void action_solvers_init(struct action_solvers *solvers, struct workspace *workspace);
void action_solvers_finish(struct action_solvers *solvers);
// NULL when the attempt has to end. Whoever pushes levels pops them before returning.
struct action_solver *action_solvers_get(struct action_solvers *solvers,
                                         const struct statement *action, uint32_t slot);
const struct footprint *action_solvers_footprint(struct action_solvers *solvers,
                                                 const struct statement *action, uint32_t slot);

// Adds the model's variables that occur in a term.
void variable_bits_add_term(variable_bits *bits, const struct model *model,
                            const struct term *term);

#endif
