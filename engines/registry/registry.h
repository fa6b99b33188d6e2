#ifndef REGATTA_ENGINES_REGISTRY_REGISTRY_H
#define REGATTA_ENGINES_REGISTRY_REGISTRY_H

#include "configs/options.h"
#include "engines/engine.h"

// All engines, in the order of lists: one more is a folder under engines/ and a line in OPTION_ENGINES.

// X(NAME): engine_NAME is its `struct engine`.
#define ENGINES(X) OPTION_ENGINES(ENGINE_SYMBOL, X)
#define ENGINE_SYMBOL(X, constant, symbol, name, help) X(symbol)

#define DECLARE_ENGINE(name) extern const struct engine engine_##name;
ENGINES(DECLARE_ENGINE)
#undef DECLARE_ENGINE

const struct engine *const *engine_all(void);       // NULL-terminated
const struct engine *engine_find(const char *name); // NULL if none

#endif
