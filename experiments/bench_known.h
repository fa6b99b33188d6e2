#ifndef REGATTA_EXPERIMENTS_BENCH_KNOWN_H
#define REGATTA_EXPERIMENTS_BENCH_KNOWN_H

#include "experiments/bench_run.h"

// What the store already says about a job, and what of it is brought up to date before the job counts as done.

struct run_key bench_key(const struct bench *bench, const struct bench_job *job);
// Its record is there, under its own name; or that of another task that asks the same question, of which it gets a copy.
// An expected verdict that has changed since is written into the records, and a verdict that is wrong by it is said and
// counted. False when the job has to be run. *failed: the store could not be written; that has been said.
bool bench_recall(struct bench *bench, const struct bench_job *job, bool *failed);

#endif
