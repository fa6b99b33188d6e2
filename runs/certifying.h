#ifndef REGATTA_RUNS_CERTIFYING_H
#define REGATTA_RUNS_CERTIFYING_H

#include <stdio.h>

#include "base/budget.h"
#include "languages/language.h"

// A certificate in a file is checked against a task, from the task alone: by solvers that had no part in the proof first, which
// is known from names of configurations; certify itself knows none.

struct certify_request {
    const char *model, *property; // as the user names them; property: NULL = what the model says
    enum property_at property_at;
    const char *path;     // of the certificate
    const char *solver;   // NULL: all that there are, one after another until one decides
    double seconds;       // 0 = no limit
    struct budget budget; // for reading; begun, its deadline is that of `seconds`
    bool quiet;
    FILE *out, *notes;
};

// Tells the answer. The exit code. *left: reading was broken off; leave by signals_leave.
int certify_task(const struct certify_request *request, bool *left);

#endif
