#ifndef REGATTA_ENGINES_DOMAINS_ACTION_SOLVER_H
#define REGATTA_ENGINES_DOMAINS_ACTION_SOLVER_H

#include "engines/domains/special_action.h"
#include "engines/domains/variable_bits.h"
#include "engines/domains/workspace.h"

// What a domain keeps for each action of the model, numbered by slots: the id of the edge, and the number
// of edges for the initial action. The parts of a product share one set.

struct action_solver {
    struct smt *smt; // NULL until needed
    struct encoded_step step;
    bool complete;    // the action, or a specialised form of it, is at the base level
    uint8_t *defined; // per predicate: 1 = its Boolean before, 2 = after the action
    uint32_t defined_count;
};

// The variables that an action reads, changes, either. Frozen once computed.
struct footprint {
    variable_bits *read, *written, *touched;
};

// Specialised actions with a solver of their own: the last so many that were asked about more than once.
#define SPECIAL_SOLVERS 128

struct action_solvers {
    struct workspace *workspace;
    struct arena arena;
    uint32_t count;
    struct action_solver *items;    // with the action's formula at the base level
    struct action_solver *specials; // without it, for specialised forms; NULL without optimizestmts
    struct action_solver own[SPECIAL_SOLVERS]; // each with one specialised form,
    struct special_action *owner[SPECIAL_SOLVERS];
    uint32_t next;  // to be given to another
    bool is_inside; // the solver is no process, of which there are few at a time and none is free
    struct special_actions special_actions;
    struct footprint *footprints;
};

void action_solvers_init(struct action_solvers *solvers, struct workspace *workspace);
void action_solvers_finish(struct action_solvers *solvers);
// The solver for questions about the action from states with the values of the row (NULL: none is known); NULL
// when the attempt has to end. *special: the specialised action to ask about, to be asserted in a level of the
// question's own unless the solver is complete; NULL when it is the action itself. Whoever pushes levels pops
// them before the next call.
struct action_solver *action_solvers_get(struct action_solvers *solvers,
                                         const struct statement *action, uint32_t slot,
                                         const struct value *row,
                                         const struct special_action **special);
const struct footprint *action_solvers_footprint(struct action_solvers *solvers,
                                                 const struct statement *action, uint32_t slot);

size_t action_solvers_bytes(const struct action_solvers *solvers);

// Adds the model's variables that occur in a term.
void variable_bits_add_term(variable_bits *bits, const struct model *model,
                            const struct term *term);

#endif
