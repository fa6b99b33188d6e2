#ifndef REGATTA_EXPERIMENTS_BENCH_TASKS_H
#define REGATTA_EXPERIMENTS_BENCH_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// The task definitions that `regatta bench` runs.

struct task_list {
    char **paths; // sorted within each argument
    size_t count, capacity;
    bool in_set;    // private
    size_t foreign; // task definitions left out: their model's language is not read here
};

// A file is taken as it is (also a model without a task definition); of a folder all .yml below it
// but those in folders named ltl, parse-ok, parse-error or target-marking (unless the argument
// itself is one) and those whose model has no front end; where there is no definition in all of it,
// the models whose language has questions of its own. Of a .set file (as BenchExec's) each line
// is a path or a pattern, relative to the file; # begins a comment. A path that is not there and has
// one of *?[ is a pattern (glob(7)). False with the reason in `why`.
bool task_list_add(struct task_list *list, const char *argument, struct text *why);
void task_list_finish(struct task_list *list);

#endif
