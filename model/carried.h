#ifndef REGATTA_MODEL_CARRIED_H
#define REGATTA_MODEL_CARRIED_H

#include "model/model.h"

// Sets the flag of every variable (by index) whose value before the action may matter: some way through it reads
// the variable before writing it. Other flags stay as they are.
void carried_into_action(const struct model *model, const struct statement *action, bool *carried);
// The same for all edges: the variables that matter between steps. Any other lives inside one step.
void carried_between_steps(const struct model *model, bool *carried);

#endif
