#include "engines/engine.h"

#include <stdarg.h>
#include <stdio.h>
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

void engine_note(char *notes, size_t bytes, const char *format, ...)
{
    size_t used = strlen(notes);
    if (used)
        snprintf(notes + used, bytes - used, "; ");
    used = strlen(notes);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(notes + used, bytes - used, format, arguments);
    va_end(arguments);
}
