#ifndef REGATTA_RUNS_JSON_H
#define REGATTA_RUNS_JSON_H

#include "runs/runner.h"

// The result of a run as one JSON object (no line end): version, task, verdict, winner, costs,
// attempts and, when unsafe, the trace.
void json_run(struct text *out, const struct run *run);

#endif
