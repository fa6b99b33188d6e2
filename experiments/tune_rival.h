#ifndef REGATTA_EXPERIMENTS_TUNE_RIVAL_H
#define REGATTA_EXPERIMENTS_TUNE_RIVAL_H

#include "analysis/tune_facts.h"
#include "configs/plan.h"
#include "experiments/tune_plan.h"

// A plan that is there already, played on the records: its schedule decides in virtual time what runs, the record of
// that configuration alone says what comes of it. So what was learned can be compared with it on the same tasks, without
// a run of the plan.

struct tune_rival {
    struct tune_run *runs; // one a task of the table
    struct text missing;   // configurations that began and have no records: they run in vain
    size_t tasks_with_missing;
    size_t tasks_without_facts; // there all guards saw 0
};

#define TUNE_NO_RECORDS SIZE_MAX
// The column of the table with the records of a configuration, found by its options, or by name where the records do not tell
// those; or TUNE_NO_RECORDS.
size_t tune_column_of(const struct tune_table *table, const struct tuned_configurations *known,
                      const struct configuration *configuration);
// What guards see of a task. False when no fact of it is known: all are 0 then.
bool tune_plan_facts(const struct tune_facts *facts, size_t task, struct plan_facts *out);

// Plays the variant for so many cores, for the time of the table.
void tune_rival_play(struct tune_rival *rival, const struct tune_table *table,
                     const struct tune_facts *facts,
                     const struct tuned_configurations *configurations, const struct plan *plan,
                     unsigned cores);
void tune_rival_finish(struct tune_rival *rival);

#endif
