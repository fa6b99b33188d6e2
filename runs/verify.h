#ifndef REGATTA_RUNS_VERIFY_H
#define REGATTA_RUNS_VERIFY_H

#include "results/store.h"
#include "runs/contracts.h"
#include "runs/outputs.h"
#include "runs/telling.h"

// One input with all that it asks: its questions are read, raced one after another, kept, told, and what the user wants of
// each is written. Contracts (runs/contracts.h) are asked further after an answer.

struct verify_request {
    const char *path, *property; // property: NULL = what the input says
    const struct plan *plan;
    struct run_settings *settings;
    struct store *store; // records go there; NULL = nowhere
    struct outputs outputs;
    struct telling telling;
    bool quiet; // no live view, notes or warnings
};

// How contracts are asked.
struct contracts_how {
    enum sol_arithmetic arithmetic;
    unsigned reentrancy;
    bool alone;
};

// The exit code. *left: a thread was given up, or reading broken off; nothing that it uses may be freed: close what was opened
// and leave by signals_leave.
enum {
    VERIFY_UNASKED = -1
}; // no exit code: the contest's words were wanted, but the input has no questions of its
int verify_input(const struct verify_request *request, bool *left);
int verify_contracts(const struct verify_request *request, const struct contracts_how *how,
                     bool *left);

#endif
