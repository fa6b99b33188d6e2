#ifndef REGATTA_RUNS_ENGINE_EVENTS_H
#define REGATTA_RUNS_ENGINE_EVENTS_H

#include <stdio.h>

#include "engines/engine.h"

// What an engine tells while it runs, as JSON objects, one a line: what monitors judge by, kept so that
// they can be judged themselves.
//
//   {"event":"round"|"counterexample"|"refined"|"sample", …}
//
// The other members have the names that they have in `struct engine_event`; those that are 0 or false
// are left out. A counterexample has "items", "precision_id" and "graph", a digest of the graph it
// was found in.

void engine_event_write(FILE *file, const struct engine_event *event);

#endif
