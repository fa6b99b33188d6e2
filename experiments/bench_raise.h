#ifndef REGATTA_EXPERIMENTS_BENCH_RAISE_H
#define REGATTA_EXPERIMENTS_BENCH_RAISE_H

#include "experiments/bench_run.h"

// Raised limits (`bench --raise`): what a configuration decided within a lower limit it decides within a higher one, so
// only the runs that ran into theirs are made again. Nothing is copied: the record stays the one it is, with its own
// limits.

// Finds the limits that runs in the store had and that are lower than the bench's. False with the reason
// appended: a plan of several steps may do other things when it has more time.
bool bench_raise_begin(struct bench *bench, struct text *why);
void bench_raise_end(struct bench *bench);
// Was the job decided within lower limits?
bool bench_raise_knows(const struct bench *bench, const struct bench_job *job);

#endif
