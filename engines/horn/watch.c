#include "engines/horn/watch.h"

#include <assert.h>

bool horn_watch(struct horn_watch *watch, struct workspace *workspace,
                const struct smt_horn_progress *progress)
{
    struct progress *out = workspace->progress;
    bool round = progress->levels != watch->levels;
    atomic_store_explicit(&out->iterations, progress->levels, memory_order_relaxed);
    atomic_store_explicit(&out->precision, progress->lemmas, memory_order_relaxed);
    atomic_store_explicit(&out->nodes_created, progress->predecessors, memory_order_relaxed);
    *watch = (struct horn_watch){progress->levels, progress->lemmas};
    if (round || progress->lemmas % 64 == 0) {
        struct engine_event event = {.kind = round ? EVENT_ROUND : EVENT_SAMPLE,
                                     .iteration = progress->levels,
                                     .precision_size = progress->lemmas,
                                     .created = progress->predecessors};
        workspace_tell(workspace, &event);
    }
    return workspace_step(workspace, 1);
}

bool horn_can_run(struct workspace *workspace, const struct term *constraint)
{
    assert(constraint->sort->kind == SORT_BOOL);
    struct smt *smt = smt_create(workspace->solver);
    smt_assert(smt, constraint);
    bool cannot = smt_check(smt) == SMT_UNSAT;
    smt_destroy(smt);
    return !workspace_step(workspace, 1) || !cannot;
}
