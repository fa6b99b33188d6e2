#ifndef REGATTA_ENGINES_DOMAINS_SPECIAL_ACTION_H
#define REGATTA_ENGINES_DOMAINS_SPECIAL_ACTION_H

#include "engines/domains/state_table.h"
#include "engines/domains/variable_bits.h"
#include "engines/domains/workspace.h"
#include "logic/terms/value.h"

// Actions specialised to the values that a state knows, for the solver (option optimizestmts; docs/definitions/cegar.md 2, "partial
// evaluation"): known values are substituted statement by statement, assigned and assumed constants go forward to later
// statements, branches whose condition is false vanish. Kept by action and by the known values that the action reads.

struct special_action {
    // Together with the known values equivalent to the action's formula, over the same copies of the variables before
    // and after it; those in between are its own.
    const struct term *formula;
    bool total; // it can run from every state with these values
    // Per variable: its value after the action, a literal or a copy. A copy of index 0 is the value before.
    const struct term **after;
    variable_bits *written; // those whose value may be another than before
    uint32_t solver; // of action_solver.c: place of the solver that has it alone, + 1; 0 = none has
    bool asked;      // the solver was asked about it before
};

struct special_actions {
    struct workspace *workspace;
    struct arena arena;
    struct state_table keys; // slot, then a value for each variable that the action reads
    VECTOR(struct special_action *) items;
    VECTOR(uint64_t) words; // scratch
};

void special_actions_init(struct special_actions *actions, struct workspace *workspace);
void special_actions_finish(struct special_actions *actions);
size_t special_actions_bytes(const struct special_actions *actions);

// The action of `step` where the variables have the values of the row, of which only those in `read` are looked at.
// NULL when none of them is known, or when it would be one too many to keep.
struct special_action *special_actions_get(struct special_actions *actions,
                                           const struct encoded_step *step, uint32_t slot,
                                           const variable_bits *read, const struct value *row);

// A formula over plain variables as it is after the action, from a state with the values of the row: a literal where
// these decide it.
const struct term *special_action_apply(struct special_actions *actions,
                                        const struct special_action *action,
                                        const struct value *row, const struct term *formula);

#endif
