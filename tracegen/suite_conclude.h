#ifndef REGATTA_TRACEGEN_SUITE_CONCLUDE_H
#define REGATTA_TRACEGEN_SUITE_CONCLUDE_H

#include <stdio.h>

#include "tracegen/suite_select.h"
#include "tracegen/trace_files.h"

// The end of making runs: few of them are chosen where that is wanted, what they cover is told, the folder is finished.

struct suite_conclusion {
    const char *model; // its path, for the summary
    bool minimal;      // choose, as `selection` says
    struct suite_selection selection;
};

// Prints the summary. files: NULL = there is no folder; what was not chosen before is written. False when that fails.
// *covered: every state is on a trace that is shown.
bool suite_conclude(const struct suite *suite, const struct suite_conclusion *how, FILE *stream,
                    struct trace_files *files, bool *covered);

#endif
