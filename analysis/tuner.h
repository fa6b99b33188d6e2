#ifndef REGATTA_ANALYSIS_TUNER_H
#define REGATTA_ANALYSIS_TUNER_H

#include "analysis/slices.h"
#include "analysis/tune_facts.h"

// Makes a plan from records: how many steps a lane has, and whether tasks are parted by a fact of their models, is
// decided by cross-validation (the plans of the folds are greedy); the plan itself is then searched for on all
// that is known, exactly where the size allows. Of two choices that differ by less than the noise (the standard error of the
// paired differences, twice that for guards, which are many), the simpler is taken. Seeded, the same each time.

struct tuner_fold_sum {
    size_t steps_most;
    double mean_seconds;  // PAR-2 of a task that was left out
    double above_seconds; // mean distance to the best of these
    double error_seconds; // standard error of that
};

#define TUNER_STEP_CHOICES 5

struct tuned {
    size_t steps_most;
    struct tuner_fold_sum choices[TUNER_STEP_CHOICES];
    // The guard that was best in cross-validation; NULL: there was none to try.
    const char *fact; // of the facts
    long long threshold;
    double gain_seconds, gain_error_seconds; // a task, against no guard
    bool guarded;                            // it is taken
    // Without a guard `low` is for all tasks.
    struct slices low, high; // fact <= threshold, fact > threshold
    bool low_exact, high_exact;
};

// `facts` and `part` outlive `out`. part->count >= folds.
void tuner_make(const struct tune_table *table, const struct tune_facts *facts,
                const struct tune_part *part, size_t lanes, size_t folds, uint64_t seed,
                struct tuned *out);
struct tune_run tuned_play(const struct tune_table *table, const struct tune_facts *facts,
                           const struct tuned *tuned, size_t task);
struct tune_sum tuned_sum(const struct tune_table *table, const struct tune_facts *facts,
                          const struct tuned *tuned, const struct tune_part *part);

#endif
