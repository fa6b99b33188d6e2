#ifndef REGATTA_CONFIGS_PLAN_H
#define REGATTA_CONFIGS_PLAN_H

#include "configs/configuration.h"

// What a portfolio run does: lanes run in parallel, each a list of steps. libconfig:
//
//   name = "default";  description = "…";  include = "configurations.cfg";
//   variants = (
//     { cores = 1; lanes = ( { steps = ( { configuration = "expl-bfs"; budget = "20%"; }, … ); } );
//     }, { cores = 2; lanes = ( …, … ); },
//   );
//
// The variant with the largest `cores` not above the cores given is used. A step's budget is a
// share
// ("20%") of what is left of the run's time when the step begins, or a time ("5s"), or engine steps
// ("20000 steps"), or absent (all that is left). A step that ends without a verdict, for whatever
// reason, hands over to the next step of its lane; a lane ends after its last step. `isolation =
// "thread"` or "process" says where it runs (standard: as the run says), `memory = "500MB"` limits it.

enum budget_kind { BUDGET_REST, BUDGET_SHARE, BUDGET_SECONDS, BUDGET_STEPS };

// Where an attempt runs. A process survives nothing, and nothing survives it: it may crash, hang or
// eat memory, and its memory limit is enforced by the system.
enum isolation { ISOLATION_AUTO, ISOLATION_THREAD, ISOLATION_PROCESS };

struct plan_step {
    const struct configuration *configuration; // in plan.configurations
    enum budget_kind budget;
    double amount; // share in (0, 1], seconds > 0, or steps >= 1
    enum isolation isolation;
    uint64_t memory_bytes; // 0 = the run's limit, shared out
    struct position source;
};

struct plan_lane {
    struct plan_step *steps;
    size_t step_count;
};

struct plan_variant {
    unsigned cores; // at least this many
    struct plan_lane *lanes;
    size_t lane_count;
};

struct plan {
    char *name;
    char *description;
    struct configuration_set configurations;
    struct plan_variant *variants; // ascending cores
    size_t variant_count;
    char *path;
};

// name_or_path: "default" is looked up in the configuration folders, anything with a slash or
// ending in .cfg is a path. NULL with errors.
struct plan *plan_load(const char *name_or_path, struct messages *messages);
// A plan of one lane and one step: a configuration by name, or options "domain=EXPL,maxenum=5".
struct plan *plan_single(const char *configuration, struct messages *messages);
void plan_destroy(struct plan *plan);
const struct plan_variant *plan_variant_for(const struct plan *plan, unsigned cores);

// The folders searched for names, in order: $REGATTA_CONFIGS, the one beside the program, the
// installed one, the source tree's (only in an uninstalled build). Writes a path; false if none.
bool configs_locate(const char *file, struct text *path);
// All plans found there (path list for `list plans`); caller frees strings and array by
// memory_free.
size_t configs_list_plans(char ***paths);

#endif
