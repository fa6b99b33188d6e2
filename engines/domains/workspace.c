#include "engines/domains/workspace.h"

#include <stddef.h>

void workspace_init(struct workspace *workspace, const struct engine_environment *environment)
{
    *workspace = (struct workspace){
        .environment = environment,
        .model = environment->model,
        .configuration = environment->configuration,
        .store = environment->store,
        .encoder = encoder_create(environment->model, environment->store),
        .progress = environment->progress,
    };
}

void workspace_finish(struct workspace *workspace)
{
    if (workspace->solver) {
        if (workspace->environment->publish_solver)
            workspace->environment->publish_solver(workspace->environment->observer, NULL);
        smt_context_destroy(workspace->solver);
    }
    encoder_destroy(workspace->encoder);
}

struct smt_context *workspace_solver(struct workspace *workspace)
{
    if (workspace->solver || workspace->reason != END_NONE)
        return workspace->solver;
    struct smt_options options = {
        .seed = workspace->environment->seed,
        .stop = workspace->environment->stop,
    };
    const char *error = NULL;
    workspace->solver = smt_context_create("z3", workspace->store, &options, &error);
    if (!workspace->solver)
        workspace_end(workspace, END_SOLVER, error);
    else if (workspace->environment->publish_solver)
        workspace->environment->publish_solver(workspace->environment->observer, workspace->solver);
    return workspace->solver;
}

void workspace_end(struct workspace *workspace, enum end_reason reason, const char *why)
{
    if (workspace->reason != END_NONE)
        return;
    workspace->reason = reason;
    workspace->why = why;
}

bool workspace_step(struct workspace *workspace, uint64_t steps)
{
    const struct engine_environment *environment = workspace->environment;
    workspace->steps += steps;
    atomic_store_explicit(&workspace->progress->steps, workspace->steps, memory_order_relaxed);
    int stop = environment->stop ? atomic_load_explicit(environment->stop, memory_order_relaxed)
                                 : END_NONE;
    if (stop != END_NONE)
        workspace_end(workspace, (enum end_reason)stop, NULL);
    if (environment->step_limit && workspace->steps > environment->step_limit)
        workspace_end(workspace, END_STEPS, NULL);
    return workspace->reason == END_NONE;
}

bool workspace_tolerate(struct workspace *workspace, const struct smt *smt)
{
    switch (smt_reason(smt)) {
    case SMT_REASON_MEMORY:
        workspace_end(workspace, END_MEMORY, "the solver ran out of memory");
        break;
    case SMT_REASON_ERROR:
        workspace_end(workspace, END_SOLVER, "the solver raised an error");
        break;
    case SMT_REASON_INTERRUPTED:
        if (!workspace_step(workspace, 0))
            break;
        workspace_end(workspace, END_SOLVER, "the solver was interrupted without a request");
        break;
    case SMT_REASON_NONE:
    case SMT_REASON_INCOMPLETE:
    case SMT_REASON_LIMIT:
        break;
    }
    return workspace_step(workspace, 0);
}

void workspace_publish_solver_statistics(struct workspace *workspace)
{
    if (!workspace->solver)
        return;
    struct smt_statistics s = smt_statistics(workspace->solver);
    atomic_store_explicit(&workspace->progress->solver_checks, s.checks, memory_order_relaxed);
    atomic_store_explicit(&workspace->progress->solver_ns, s.check_ns, memory_order_relaxed);
}
