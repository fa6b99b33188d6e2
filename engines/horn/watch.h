#ifndef REGATTA_ENGINES_HORN_WATCH_H
#define REGATTA_ENGINES_HORN_WATCH_H

#include "engines/domains/workspace.h"
#include "logic/smt/smt.h"

// What is told of a search for an interpretation while it runs.

struct horn_watch {
    uint64_t levels, lemmas; // so far
};

// From the solver's observer: publishes progress, tells of rounds and, now and then, of lemmas. False: the search has to end.
bool horn_watch(struct horn_watch *watch, struct workspace *workspace,
                const struct smt_horn_progress *progress);
// May the constraint hold? True where that was not found out, or the attempt has to end.
bool horn_can_run(struct workspace *workspace, const struct term *constraint);

#endif
