#include "engines/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct engine *engine_helper(const struct engine_environment *environment, const char *name)
{
    for (size_t i = 0; environment->helpers != NULL && environment->helpers[i] != NULL; i++)
        if (strcmp(environment->helpers[i]->name, name) == 0)
            return environment->helpers[i];
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

struct recode_options engine_recode(const struct configuration *configuration)
{
    const int64_t *v = configuration->values;
    struct recode_options out = {
        .environment = v[OPTION_NET_LOOP] == NET_LOOP_ENVIRONMENT,
    };
    out.words = v[OPTION_WORDS] == WORDS_WRAPPING  ? RECODE_WRAPPING
                : v[OPTION_WORDS] == WORDS_CHECKED ? RECODE_CHECKED
                                                   : RECODE_BITS;
    out.places = v[OPTION_NET_PLACES] == NET_PLACES_BOUNDED    ? RECODE_BOUNDED
                 : v[OPTION_NET_PLACES] == NET_PLACES_BOOLEANS ? RECODE_BOOLEANS
                                                               : RECODE_PLAIN;
    return out;
}
