#ifndef REGATTA_RUNS_RUNNER_H
#define REGATTA_RUNS_RUNNER_H

#include "languages/registry/task.h"
#include "portfolio/race.h"
#include "runs/settings.h"
#include "view/live.h"

// Runs one task and makes its record.

#define RUN_MOST_WIDER 2

struct run {
    struct run_record record;  // complete; has the attempts
    struct trace *trace;       // owned by `result`
    struct race_result result; // its records have moved into `record`
    int winner;                // into record.attempts; -1 = none
    int signal;                // the user ended it; 0 = no
    char *bound;               // what the first race ran into, when there was a second; NULL = none
    struct task *bounded;      // the model of a second race, where `trace` is from; NULL = none
    struct task *wider[RUN_MOST_WIDER]; // of those before that, each of which may have a proof
    size_t wider_count;
};

// Whose model the last race had: the trace is one of its runs, the proof is about it.
const struct task *run_decided(const struct run *run, const struct task *task);

// The task's model must be loaded. `live` may be NULL.
void run_task(struct run *run, const struct task *task, const struct plan *plan,
              const struct run_settings *settings, struct live *live);
// A task that could not be read: the record says so.
void run_failed(struct run *run, const struct task *task, const struct plan *plan,
                const struct run_settings *settings, const struct messages *messages);
// A run whose process did not live to make its record.
void run_lost(struct run *run, const struct task *task, const struct plan *plan,
              const struct run_settings *settings, enum end_reason reason, double wall_seconds);
// A task that was being read when a limit or a signal ended that.
void run_unread(struct run *run, const struct task *task, const struct plan *plan,
                const struct run_settings *settings, enum budget_end end, double wall_seconds);
// Before the model and the plan go.
void run_finish(struct run *run);

// "unsafe (expl-seq in 0.12 s, trace of 7 steps)", "safe, checked (kind in 0.3 s)", "safe, not checked (…)". The trace
// of an unsafe verdict was replayed in any case.
void run_summary(struct text *out, const struct run_record *record);
// A line for each attempt: how it ended and what it did.
void run_print_attempts(struct text *out, const struct run_record *record);

#endif
