#ifndef REGATTA_RUNS_VALIDATE_H
#define REGATTA_RUNS_VALIDATE_H

#include "languages/programs/witness_read.h"
#include "runs/runner.h"

// A witness about a C program is judged by races: a violation by whether a run follows it, a proof by whether its invariants
// hold, and the property where they do.

struct validate_request {
    const char *program, *path; // of the witness
    const struct witness *witness;
    const char *property; // as the user says it; NULL = as the task or the witness does
    const struct plan *plan;
    struct run_settings *settings; // isolation and time change in a second start (runs/retry.h)
    FILE *out, *notes;
    bool quiet;
};

// Tells the answer. The exit code. *left: threads still run, leave by signals_leave.
int validate_witness(const struct validate_request *request, bool *left);

#endif
