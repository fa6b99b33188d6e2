#ifndef REGATTA_EXPERIMENTS_BENCH_VIEW_H
#define REGATTA_EXPERIMENTS_BENCH_VIEW_H

#include "experiments/bench_run.h"

// How far a bench is, on standard error. On a terminal a picture redrawn in place: runs made, time spent and
// estimated, and what runs now; runs without an answer leave a line above it. Otherwise a line a run.
// From the thread that runs the bench.

struct bench_view;

struct bench_view *bench_view_create(const struct bench *bench); // NULL when it is to be quiet
void bench_view_start(struct bench_view *view, const struct bench_job *job, unsigned place);
void bench_view_end(struct bench_view *view, const struct bench_job *job,
                    const struct run_record *record);
void bench_view_tick(
    struct bench_view *view); // draws again, once a second; call as often as you like
// Leaves the last picture. NULL is fine, here and above.
void bench_view_destroy(struct bench_view *view);

double bench_view_seconds(const struct bench_view *view); // since it was created

#endif
