#ifndef REGATTA_EXPERIMENTS_TUNE_RACE_H
#define REGATTA_EXPERIMENTS_TUNE_RACE_H

#include <stdint.h>
#include <stddef.h>

#include "base/text.h"

// `regatta tune --space`: races the configurations of a space on tasks, in blocks of tasks that `regatta bench` runs; after
// each block those clearly worse are dropped (analysis/elimination.h). What the store already has is not run
// again and decides as it did, so that the same command goes on where it was ended.

struct tune_race {
    const char *space;     // NAME[:SAMPLE]
    const char *db, *time; // as `bench` takes it
    double time_seconds;
    unsigned cores;
    double budget_seconds; // of all runs together, of their wall time; 0 = all tasks
    uint64_t seed;         // of the order of the tasks
};

// The exit code: 30 after a wrong verdict. 0 and the reason in `why` when something failed before a run.
int tune_race(const struct tune_race *race, const char *const *tasks, size_t count,
              struct text *why);

#endif
