#include "engines/engine.h"

#include <string.h>

static const struct engine *const engines[] = {
    &engine_cegar, &engine_bmc, &engine_kinduction, &engine_imc, &engine_ic3, &engine_horn, NULL};

const struct engine *const *engine_all(void)
{
    return engines;
}

const struct engine *engine_find(const char *name)
{
    for (size_t i = 0; engines[i]; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}
