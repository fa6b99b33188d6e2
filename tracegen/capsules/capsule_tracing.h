#ifndef REGATTA_TRACEGEN_CAPSULES_CAPSULE_TRACING_H
#define REGATTA_TRACEGEN_CAPSULES_CAPSULE_TRACING_H

#include "base/text.h"
#include "languages/umlrt/capsules_view.h"
#include "tracegen/capsules/capsule_cover.h"

// What `regatta trace` does with capsules.

struct capsule_tracing {
    const char *name; // of the input, for people
    const struct capsules_view *view;
    unsigned what;                      // CAPSULE_COVER_…
    struct capsule_cover_limits limits; // numbers, queues: filled from the model
    const char *folder;                 // for the files: new or empty; NULL: only the summary
    unsigned forms;                     // TRACE_FILE_READABLE, TRACE_FILE_SEQUENCE
};

// A summary on standard output, the files: a run each, suite.txt, capsules.dot, capsules.svg where Graphviz is there, index.html.
// False with words in *why when one cannot be written. *complete: all locations and transitions are on some run.
bool capsule_tracing_run(const struct capsule_tracing *tracing, bool *complete, struct text *why);

#endif
