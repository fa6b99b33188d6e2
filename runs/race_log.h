#ifndef REGATTA_RUNS_RACE_LOG_H
#define REGATTA_RUNS_RACE_LOG_H

#include <stdio.h>

#include "portfolio/race.h"
#include "view/live.h"

// What a race leaves in files while it runs: the decisions of its schedule (--log) and its events as
// JSON lines (--events). docs/plans.md has both formats.

struct race_log {
    const char *log_path, *events_path; // NULL = none
    FILE *log, *events;
    const struct plan_variant *variant;
    const char *plan; // as given on the command line
    bool single;      // it is a configuration
    struct live *live;
    struct race_picture picture; // what the events tell of
    int64_t next_sample_ns;
};

// Opens the files; false after a message on standard error.
bool race_log_open(struct race_log *log, const char *log_path, const char *events_path);
// False when something could not be written; says so.
bool race_log_close(struct race_log *log);

// Puts itself between the race and the live view (may be NULL) in the options, whose plan, cores,
// limits and seed are set, and writes the heads.
void race_log_attach(struct race_log *log, struct race_options *options, const struct model *model,
                     struct live *live);

#endif
