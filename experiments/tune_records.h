#ifndef REGATTA_EXPERIMENTS_TUNE_RECORDS_H
#define REGATTA_EXPERIMENTS_TUNE_RECORDS_H

#include "experiments/tune_plan.h"

// The records that a plan is learned from: those of all files together.

struct tune_records {
    struct score score;
    struct tuned_configurations configurations;
};

// Finish it also when this fails; the reason is in `why` then.
bool tune_records_read(struct tune_records *records, const char *const *paths, size_t count,
                       struct text *why);
// The facts of the tasks in `tuning`, from the same files.
bool tune_records_read_facts(struct tune_facts *facts, const struct tune_table *tuning,
                             const char *const *paths, size_t count, struct text *why);
void tune_records_finish(struct tune_records *records);

#endif
