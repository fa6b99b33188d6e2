#include <stdlib.h>
#include <string.h>

// Loaded before Z3: whoever wants a context of it crashes, or ends the whole program as Z3 does at
// its own unreachable places.
void *Z3_mk_context_rc(void *configuration);
void *Z3_mk_context_rc(void *configuration)
{
    (void)configuration;
    const char *how = getenv("BROKEN_Z3");
    if (how != NULL && strcmp(how, "exit") == 0)
        exit(114);
    volatile int *volatile nowhere = NULL;
    *nowhere = 0;
    return NULL;
}
