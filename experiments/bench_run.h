#ifndef REGATTA_EXPERIMENTS_BENCH_RUN_H
#define REGATTA_EXPERIMENTS_BENCH_RUN_H

#include <stdio.h>

#include "base/vector.h"
#include "experiments/bench_tasks.h"
#include "languages/registry/task.h"
#include "results/store.h"
#include "runs/settings.h"

// What `regatta bench` does, and how far it is. A job is one run: a task, a plan, a repetition. Each is a
// process of its own (bench_job.h), which adds its record to the store itself.

struct bench_plan {
    struct plan *plan;
    const char *argument; // as `--plan` or `--config` takes it; not owned
    bool configuration;
    char digest[33];
    double spent_seconds; // in jobs of this call, of the whole process
    size_t made;
};

struct bench_job {
    size_t task, plan;
    unsigned repetition;
};

struct bench {
    const struct run_options *options; // as written, for the jobs' command lines
    struct run_settings settings;      // of the first repetition
    const char *db;
    struct task *tasks; // opened, not loaded
    size_t task_count;
    VECTOR(struct bench_plan) plans;
    VECTOR(struct bench_job) jobs; // in the order in which they are started
    bool by_language;              // a task only with the plan of its language
    unsigned repeat, places;       // places: jobs side by side
    bool cluster;                  // jobs share machines with others (bench_slurm.h)
    char **cpus;                   // of each place; NULL = not kept apart
    struct bench_lock *lock;       // of `db`
    struct store *store;
    struct run_limits *lower; // bench_raise.h; NULL = not raised
    size_t lower_count;
    FILE *events; // JSON lines; NULL = none
    bool quiet;
    struct bench_view *view; // NULL when quiet
    int64_t begin_ns;
    size_t done, made, wrong, unknown; // done: in the store, made: of these, in this call
    size_t unread;                     // of `made`: the task could not be read, or is not supported
    size_t spared; // of `done`: lower limits were enough, as seen between those made
    size_t shared; // of `done`: copied in this call from a task that asks the same question
};

// Repetitions one after another; within each, task by task; the plans of a task side by side in time, a different
// one first each time: what drifts in the machine (heat, other load) hits all plans alike. Tasks that ask what an
// earlier one asks come last: the answer is there by then.
void bench_order(struct bench *bench);
// Settings of a job.
struct run_settings bench_settings_of(const struct bench *bench, const struct bench_job *job,
                                      unsigned place);
// After a job: reads its record, counts and shows it. `seconds`: of its whole process; negative = not known.
// False when the record is not there.
bool bench_conclude(struct bench *bench, const struct bench_job *job, double seconds);

// How a process ended that left no record; times and memory are of all of it, 0 = not known.
struct bench_loss {
    enum end_reason reason;
    double wall_seconds, cpu_seconds;
    uint64_t peak_bytes;
};

// A run whose process left no record gets one.
bool bench_record_lost(struct bench *bench, const struct bench_job *job, unsigned place,
                       const struct bench_loss *loss);
// The memory at which a job is ended, 0 = none; and the seconds.
uint64_t bench_job_memory(const struct bench *bench);
double bench_job_seconds(const struct bench *bench);

// Runs what is not in the store yet, `places` jobs at a time. The exit code: 0 when all is done.
int bench_run(struct bench *bench);

// Progress (bench_show.c): bench_view.h unless quiet, and the events.
double bench_seconds_left(const struct bench *bench);
void bench_show_begin(struct bench *bench);
void bench_show_start(const struct bench *bench, const struct bench_job *job, unsigned place);
void bench_show_end(const struct bench *bench, const struct bench_job *job,
                    const struct run_record *record);
void bench_show_known(const struct run_record *record); // of before: says so when it is wrong now
// `code`: how the bench ended.
void bench_show_over(struct bench *bench, int code);

#endif
