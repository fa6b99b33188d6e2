#ifndef REGATTA_ENGINES_CAPSULES_TOLD_H
#define REGATTA_ENGINES_CAPSULES_TOLD_H

#include "languages/umlrt/capsules_view.h"
#include "model/trace.h"

// The run of the capsules as one of the model that was made of them, up to its error location. NULL when the model has no such steps. The caller destroys it.
struct trace *capsule_trace(const struct model *root, const struct capsules_view *view,
                            const struct capsule_run *run);

#endif
