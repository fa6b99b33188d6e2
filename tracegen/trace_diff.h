#ifndef REGATTA_TRACEGEN_TRACE_DIFF_H
#define REGATTA_TRACEGEN_TRACE_DIFF_H

#include "tracegen/trace_files.h"
#include "tracegen/tracegen.h"

// `regatta trace diff`: traces of each model that the other cannot follow.

struct trace_diff_options {
    const char *paths[2];
    const char *property;
    const char *variables; // to compare; NULL = all that both have
    const struct tracegen_request *limits;
    const struct budget *budget; // for reading both
    double seconds;              // for the rest
    const char *output;          // folder for the traces that cannot be followed; NULL
    unsigned forms;
    bool quiet;
};

int trace_diff(const struct trace_diff_options *options); // the exit code

#endif
