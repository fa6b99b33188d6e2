#ifndef REGATTA_EXPERIMENTS_BENCH_OPEN_H
#define REGATTA_EXPERIMENTS_BENCH_OPEN_H

#include "experiments/bench_run.h"

// What a bench is made of: its plans and its tasks; and its end.

// As `--plan`, `--config` and `--space` take them, each ended by NULL; NULL: none. They stay with the caller.
struct bench_sources {
    char **plans, **configurations, **spaces;
    bool elsewhere; // runs are made on other machines: the solvers are not looked for on this one
};

// Each with its digest under the bench's settings; where none is named, those of the tasks' languages. False after messages, also when a
// solver of a named plan or configuration is not there.
bool bench_load_plans(struct bench *bench, const struct bench_sources *sources,
                      const struct task_list *tasks);
// Parses what says the tasks' questions: a task with several is one task for each of them. Ended by a signal.
void bench_open_tasks(struct bench *bench, const struct task_list *tasks);
// The cores and the memory of each of the runs that are made side by side, where the options do not say. `elsewhere`: on other
// machines. False with the reason appended, in words of the options.
bool bench_share_out(struct bench *bench, bool elsewhere, struct text *why);
// Of a bench that ended with `code`: also 0 is something else after a wrong verdict, or when no task could be read.
int bench_exit_code(const struct bench *bench, int code);
// Releases all, also of a bench that was never opened.
void bench_finish(struct bench *bench);

#endif
