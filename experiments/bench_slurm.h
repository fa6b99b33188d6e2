#ifndef REGATTA_EXPERIMENTS_BENCH_SLURM_H
#define REGATTA_EXPERIMENTS_BENCH_SLURM_H

#include "experiments/bench_run.h"

// Runs the jobs of a bench as job arrays of Slurm and collects their records (bench_spool.h). A call that was
// ended, in whatever way, leaves the arrays to Slurm; the next one waits for them before it hands out what is
// missing. `extra`: words for sbatch, separated by blanks; NULL = none. The exit code: 0 when all is done.
int bench_slurm(struct bench *bench, unsigned most_at_once, const char *extra);

#endif
