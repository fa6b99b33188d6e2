#include "engines/registry/registry.h"

#include <string.h>

#define LIST(name) &engine_##name,

static const struct engine *const engines[] = {ENGINES(LIST) NULL};

const struct engine *const *engine_all(void)
{
    return engines;
}

const struct engine *engine_find(const char *name)
{
    for (size_t i = 0; engines[i] != NULL; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}
