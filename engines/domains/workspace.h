#ifndef REGATTA_ENGINES_DOMAINS_WORKSPACE_H
#define REGATTA_ENGINES_DOMAINS_WORKSPACE_H

#include "engines/engine.h"
#include "engines/model/encode.h"

// What the parts of one attempt share: the model, the term store, the encoder, a solver context made
// when it is first needed, and the reason to end. One thread.

struct workspace {
    const struct engine_environment *environment;
    const struct model *model;
    const struct configuration *configuration;
    struct term_store *store;
    struct encoder *encoder;
    struct progress *progress;
    struct smt_context *solver; // use workspace_solver
    enum end_reason reason;     // END_NONE while the attempt may go on; first reason wins
    const char *why;            // static text
    uint64_t steps;             // engine steps so far
};

void workspace_init(struct workspace *workspace, const struct engine_environment *environment);
void workspace_finish(struct workspace *workspace);

// NULL when it cannot be had; the reason is then set.
struct smt_context *workspace_solver(struct workspace *workspace);
void workspace_end(struct workspace *workspace, enum end_reason reason, const char *why);
// Counts engine steps and looks at the stop flag and the step limit. False: end now. Cheap.
bool workspace_step(struct workspace *workspace, uint64_t steps);
// Translates a solver's "unknown": ends the attempt when it was stopped or out of memory; else true,
// and the caller treats the answer as "may be".
bool workspace_tolerate(struct workspace *workspace, const struct smt *smt);
void workspace_publish_solver_statistics(struct workspace *workspace);

static inline int64_t workspace_option(const struct workspace *workspace, enum option option)
{
    return workspace->configuration->values[option];
}

#endif
