#ifndef REGATTA_CLI_BENCH_JOB_H
#define REGATTA_CLI_BENCH_JOB_H

#include "base/vector.h"
#include "cli/bench_run.h"

// `regatta job …`: one run of a bench in a process of its own, which adds the record to the store. For the
// program itself, which makes its command line here.

struct job_arguments {
    VECTOR(char *) words; // NULL-terminated; [0] is the program
};

// db: the store that the record goes to. parent: dies with it; 0 = does not.
void job_arguments_make(struct job_arguments *arguments, const struct bench *bench,
                        const struct bench_job *job, unsigned place, const char *db, int parent);
void job_arguments_finish(struct job_arguments *arguments);

// arguments[0] is "job". The exit code: 0 when the record is in the store.
int job_main(int count, const char **arguments);

#endif
