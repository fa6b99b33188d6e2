#ifndef REGATTA_EXPERIMENTS_BENCH_JOB_H
#define REGATTA_EXPERIMENTS_BENCH_JOB_H

#include "base/vector.h"
#include "experiments/bench_run.h"

// The command line of `regatta job …` (cli/job.c): one run of a bench in a process of its own, which adds the record
// to the store.

struct job_arguments {
    struct word_list words; // NULL-terminated; [0] is the program
};

// db: the store that the record goes to. parent: dies with it; 0 = does not.
void job_arguments_make(struct job_arguments *arguments, const struct bench *bench,
                        const struct bench_job *job, unsigned place, const char *db, int parent);
void job_arguments_finish(struct job_arguments *arguments);

#endif
