#ifndef REGATTA_EXPERIMENTS_BENCH_WORK_H
#define REGATTA_EXPERIMENTS_BENCH_WORK_H

#include <stdio.h>

#include "runs/settings.h"

// One run of a bench, in the process that was started for it (bench_job.h): reads the task, runs it, adds the record to the store.

struct bench_work {
    const char *path; // of the task
    const struct plan *plan;
    const struct run_settings *settings; // started
    const char *db;
    FILE *notes; // what went wrong with the store
};

// The process keeps to these hardware threads; NULL: to none. `cluster`: where more cores are to be seen than were given,
// nothing is bound. False with the reason appended.
bool bench_work_keep_to(struct run_settings *settings, const char *cpus, bool cluster,
                        struct text *why);
// The exit code: 0 with a record, whatever it says. *left: threads still run, or reading was broken off; leave by
// signals_leave.
int bench_work(const struct bench_work *work, bool *left);

#endif
