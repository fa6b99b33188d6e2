#ifndef REGATTA_ANALYSIS_TUNER_H
#define REGATTA_ANALYSIS_TUNER_H

#include "analysis/slices.h"
#include "analysis/tune_facts.h"

// Makes a plan from records: how many steps a lane has, and into how many kinds tasks are parted by facts of their models,
// is decided by cross-validation (the plans of the folds are greedy); the plan itself is then searched for on all
// that is known, exactly where the size allows. Of two choices that differ by less than the noise (the standard error of the
// paired differences, twice that for guards, which are many), the simpler is taken. Seeded, the same each time.
//
// The kinds are the leaves of a tree (as Hydra and ISAC part tasks, here with the cost of schedules themselves as the measure):
// of all leaves, the one whose parting in two by a fact against one of its octiles makes the schedules cheapest is parted.

struct tuner_fold_sum {
    size_t steps_most;
    double mean_seconds;  // PAR-2 of a task that was left out
    double above_seconds; // mean distance to the best of these
    double error_seconds; // standard error of that
};

#define TUNER_STEP_CHOICES 5

// Of a leaf: `fact` <= or > threshold.
struct tuned_guard {
    const char *fact; // of the facts
    long long threshold;
    bool above;
};

#define TUNED_MOST_LEAVES 8
#define TUNER_LEAF_CHOICES 4

// Tasks for which all guards hold, and what is run on them.
struct tuned_leaf {
    struct tuned_guard guards[TUNED_MOST_LEAVES - 1];
    size_t guard_count;
    size_t tasks; // that it was made from
    struct slices slices;
    bool exact; // the best of its size on them, proved
};

struct tuner_leaf_sum {
    size_t leaves_most;
    double mean_seconds;                // PAR-2 of a task that was left out
    double gain_seconds, error_seconds; // a task, against no guard; standard error
};

struct tuned {
    size_t steps_most;
    struct tuner_fold_sum choices[TUNER_STEP_CHOICES];
    // How many leaves tasks are parted into; leaf_choice_count = 0: there was no fact to try.
    struct tuner_leaf_sum leaf_choices[TUNER_LEAF_CHOICES];
    size_t leaf_choice_count;
    struct tuned_leaf leaves[TUNED_MOST_LEAVES]; // each task is in one
    size_t leaf_count;
};

// `facts` and `part` outlive `out`. part->count >= folds.
void tuner_make(const struct tune_table *table, const struct tune_facts *facts,
                const struct tune_part *part, size_t lanes, size_t folds, uint64_t seed,
                struct tuned *out);
// The leaf that a task is in.
size_t tuned_leaf_of(const struct tune_facts *facts, const struct tuned *tuned, size_t task);
struct tune_run tuned_play(const struct tune_table *table, const struct tune_facts *facts,
                           const struct tuned *tuned, size_t task);
struct tune_sum tuned_sum(const struct tune_table *table, const struct tune_facts *facts,
                          const struct tuned *tuned, const struct tune_part *part);

#endif
