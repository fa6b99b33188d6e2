#ifndef REGATTA_ANALYSIS_POLICIES_H
#define REGATTA_ANALYSIS_POLICIES_H

#include "analysis/chooser.h"
#include "analysis/slices.h"

// Ways of using configurations, learned from some tasks and played on others in virtual time, on one core, which is
// charged with all that is run.

enum policy {
    POLICY_SINGLE, // the configuration that is best on what is known
    POLICY_SLICES, // one schedule for all tasks (slices_greedy)
    POLICY_CHOSEN, // chosen anew for each task and after each slice (chooser.h), by the facts of models
    POLICY_NAMED, // likewise, by what tasks are called: no way of choosing for a new task, but a warning
                  // of how much names give away
    POLICY_BEST, // virtual best: the yardstick
    POLICY_COUNT
};
const char *policy_name(enum policy policy);

struct policy_sums {
    struct tune_sum sums[POLICY_COUNT];
};

// Learns from `known`, plays on `asked`, adds to `out`. The runs of `asked` are looked at by the playing alone.
// `kinship` tells what is akin by facts, `names` by names; NULL: that policy is left out.
void policies_play(const struct tune_table *table, const struct kinship *kinship,
                   const struct kinship *names, const struct tune_part *known,
                   const struct tune_part *asked, struct policy_sums *out);
// Over all folds of `part`: learned from the others each time.
void policies_validate(const struct tune_table *table, const struct kinship *kinship,
                       const struct kinship *names, const struct tune_part *part, size_t folds,
                       uint64_t seed, struct policy_sums *out);
// The share of the way from the single best to the virtual best, by PAR-2; NAN where these are one.
double policy_gap_closed(const struct policy_sums *sums, enum policy policy);

#endif
