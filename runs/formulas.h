#ifndef REGATTA_RUNS_FORMULAS_H
#define REGATTA_RUNS_FORMULAS_H

#include "base/text.h"
#include "runs/runner.h"

// Answers the properties of a Petri net's property file (Model Checking Contest) one after another, each by a race of its
// own. The greatest number of tokens in places (UpperBounds) is found by asking for ever more and halving.

enum formulas_format { FORMULAS_PLAIN, FORMULAS_MCC };

struct formulas_request {
    const char *path, *property;
    enum formulas_format format;
    const struct plan *plan;
    const struct run_settings *settings;
    struct store *store; // records go there; NULL = nowhere
};

struct formulas_counts {
    size_t asked, safe, unsafe, unknown;
    enum verdict verdict; // safe when all are, unsafe when any is; bounds count as safe when known
    bool left;            // a thread may still run: leave by signals_leave
};

// Is it a net with a file of properties, none of them named? Then this module answers them.
bool formulas_reads(const char *path, const char *property, enum formulas_format format);
// `tell`: each answer, a line without its end. False with messages when a file cannot be read.
bool formulas_run(const struct formulas_request *request,
                  void (*tell)(void *context, const char *line), void *context,
                  struct formulas_counts *counts, struct messages *messages);

#endif
