#ifndef REGATTA_MODEL_PROBE_H
#define REGATTA_MODEL_PROBE_H

#include "model/model.h"

// What a few milliseconds of running the model tell of it, beside the facts that counting gives: for guards of plans and
// for learning from records, never for a verdict. The same model has the same facts on every machine: work is counted, not
// timed. Any thread; several may probe one model.

#define PROBE_FACTS(X)                                                                             \
    X(steady)      /* variables that always have one value, by three-valued propagation */         \
    X(walk_steps)  /* of the longest of the random walks */                                        \
    X(walk_states) /* distinct ones that they met */                                               \
    X(walk_stuck)  /* walks that ended where no tried step was possible */                         \
    X(walk_errors) /* walks that met the error */

struct model_probe {
#define X(name) uint32_t name;
    PROBE_FACTS(X)
#undef X
};

// All 0 where the model is too large for the work that is allowed.
void model_probe(const struct model *model, struct model_probe *out);

#endif
