#ifndef REGATTA_ENGINES_REGISTRY_REGISTRY_H
#define REGATTA_ENGINES_REGISTRY_REGISTRY_H

#include "engines/engine.h"

// All engines: one more is a folder under engines/ and a line here.

// One line an engine, in the order of lists: engine_NAME is its `struct engine`.
#define ENGINES(X)                                                                                 \
    X(cegar)                                                                                       \
    X(bmc)                                                                                         \
    X(kinduction)                                                                                  \
    X(imc)                                                                                         \
    X(ic3)                                                                                         \
    X(horn)                                                                                        \
    X(procedures)                                                                                  \
    X(petri)                                                                                       \
    X(netctl)                                                                                      \
    X(charts)                                                                                      \
    X(capsules)

#define DECLARE_ENGINE(name) extern const struct engine engine_##name;
ENGINES(DECLARE_ENGINE)
#undef DECLARE_ENGINE

const struct engine *const *engine_all(void);       // NULL-terminated
const struct engine *engine_find(const char *name); // NULL if none

#endif
