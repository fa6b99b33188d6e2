#ifndef REGATTA_CONFIGS_PLAN_INSIDE_H
#define REGATTA_CONFIGS_PLAN_INSIDE_H

#include "configs/config_file.h"
#include "configs/plan.h"

// Private to configs: the parts of reading a plan.

// "arrays == 0 && havocs > 5"; NULL with errors at that position.
struct plan_guard *plan_guard_read(const char *string, struct position at,
                                   struct messages *messages);
void plan_guard_destroy(struct plan_guard *guard); // NULL is fine
// True when it asks about no fact.
bool plan_guard_constant(const struct plan_guard *guard);

bool plan_expect_group(const config_setting_t *setting, const char *what, const char *path,
                       struct messages *messages);
void plan_read_step(const struct plan *plan, const config_setting_t *group, struct plan_step *step,
                    struct messages *messages);
// After all steps of the lane are read: labels and reactions. Retries become steps of their own.
void plan_read_reactions(struct plan *plan, const config_setting_t *steps, struct plan_lane *lane,
                         struct messages *messages);
void plan_step_finish(struct plan_step *step);
// Unreachable steps, budgets that cannot fit.
void plan_check_variant(const struct plan_variant *variant, struct messages *messages);

#endif
