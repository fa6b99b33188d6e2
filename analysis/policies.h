#ifndef REGATTA_ANALYSIS_POLICIES_H
#define REGATTA_ANALYSIS_POLICIES_H

#include "analysis/chooser.h"
#include "analysis/improver.h"
#include "analysis/tuner.h"

// Ways of using configurations, learned from some tasks and played on others in virtual time. What chooses for each task is
// played on one core, which is charged with all that is run; schedules have as many lanes as there are cores.

enum policy {
    POLICY_SINGLE, // the configuration that is best on what is known
    POLICY_SLICES, // one schedule for all tasks (slices_greedy)
    POLICY_TUNED, // what `tuner_make` makes of what is known, with its own cross-validation within that
    POLICY_CHOSEN, // chosen anew for each task and after each slice (chooser.h), by the facts of models
    POLICY_NAMED, // likewise, by what tasks are called: no way of choosing for a new task, but a warning
                  // of how much names give away
    POLICY_AGAINST,  // a plan that was there before
    POLICY_IMPROVED, // that plan, made better on what is known (improver.h)
    POLICY_BEST,     // virtual best: the yardstick
    POLICY_COUNT
};
const char *policy_name(enum policy policy);

// A plan that what is learned is compared with. runs == NULL: none.
struct tune_against {
    const char *name;
    const struct tune_run *runs;      // what it comes to on each task of the table
    const struct improver_plan *plan; // what can be made better of it; NULL: nothing is
};

struct policy_world {
    const struct tune_table *table;
    const struct tune_facts *facts; // for POLICY_TUNED
    const struct kinship *kinship,
        *names; // what is akin by facts and by names; NULL: these are left out
    struct tune_against against;
    size_t lanes; // with more than one what chooses for each task is left out
    size_t folds; // of cross-validation
    uint64_t seed;
};

struct policy_sums {
    struct tune_sum sums[POLICY_COUNT];
};

// Learns from `known`, plays on `asked`, adds to `out`. The runs of `asked` are looked at by the playing alone.
void policies_play(const struct policy_world *world, const struct tune_part *known,
                   const struct tune_part *asked, struct policy_sums *out);
// Over all folds of `part`: learned from the others each time.
void policies_validate(const struct policy_world *world, const struct tune_part *part,
                       struct policy_sums *out);
// The share of the way from `from` to the virtual best, by PAR-2; NAN where these are one, or `from` was not played.
double policy_gap_closed(const struct policy_sums *sums, enum policy from, enum policy policy);
// As a table of all policies that were played, `what` above it.
void policy_sums_print(struct text *out, const char *what, const struct policy_sums *sums);

#endif
