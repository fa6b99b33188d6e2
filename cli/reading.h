#ifndef REGATTA_CLI_READING_H
#define REGATTA_CLI_READING_H

#include "base/budget.h"
#include "cli/command.h"
#include "configs/plan.h"

// What commands besides verify and bench may use to read a model: their --time, --memory and the first signal.

#define MEMORY_OPTION(field)                                                                       \
    {"memory",                                                                                     \
     'm',                                                                                          \
     POPT_ARG_STRING,                                                                              \
     &(field),                                                                                     \
     0,                                                                                            \
     "memory for reading the model, with its unit: 512MB, 2GB (half of what there is)",            \
     "SIZE"},

// From now on. `memory`: of --memory, may be NULL; `seconds`: 0 = no limit. False after a usage error.
bool reading_budget(const struct command *command, const char *memory, double seconds,
                    struct budget *out);

// A plan by name or path. NULL after messages.
struct plan *reading_plan(const char *name);

#endif
