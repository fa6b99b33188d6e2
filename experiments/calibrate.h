#ifndef REGATTA_EXPERIMENTS_CALIBRATE_H
#define REGATTA_EXPERIMENTS_CALIBRATE_H

#include <stdio.h>

#include "experiments/bench_tasks.h"
#include "runs/settings.h"

// `regatta bench --calibrate-monitors`: runs each configuration on each task to its limit with all
// monitors looking on, and says what each would have done.
//
// Standard output, fields between tabs. A line for each attempt:
//   attempt  TASK  CONFIGURATION  VERDICT  REASON  CPU-SECONDS  ROUNDS
// behind it one for each monitor that would have ended it (right: it was not solved):
//   sighting  TASK  CONFIGURATION  MONITOR  right|wrong  CPU-SECONDS  ROUND  WHY
// and at the end one for each monitor, with how many attempts it would have ended within 1, 3, 10 s
// of CPU time, or later; saved: CPU seconds of attempts rightly ended, from the sighting on:
//   monitor  NAME  right N  wrong N  missed N  precision P  recall P  saved S  within N N N N
//
// To `events`, unless it is NULL: what the engines told, a JSON object a line (cli/engine_events.h);
// each attempt begins with {"event":"attempt","task":…,"configuration":…}.
//
// One attempt at a time. Returns an exit code.
int calibrate(const struct task_list *tasks, const struct plan *const *plans, size_t plan_count,
              const struct run_settings *settings, FILE *events);

#endif
