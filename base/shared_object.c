#include "base/shared_object.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *open_first(const char *const *files)
{
    void *handle = NULL;
    assert(files[0] != NULL);
    for (size_t i = 0; files[i] != NULL && handle == NULL; i++)
        handle = dlopen(files[i], RTLD_LAZY | RTLD_GLOBAL);
    return handle;
}

bool shared_object_load(const char *library, const char *const *files,
                        const struct shared_symbol *symbols, size_t count, char *why, size_t size)
{
    if (open_first(files) == NULL) {
        const char *error = dlerror();
        snprintf(why, size, "%s could not be loaded: %s", library,
                 error != NULL ? error : files[0]);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(RTLD_DEFAULT, symbols[i].name);
        if (address == NULL) {
            snprintf(why, size, "%s could not be loaded: %s has no %s", library, files[0],
                     symbols[i].name);
            return false;
        }
        // A pointer to a function, which C has no cast for.
        memcpy(symbols[i].slot, &address, sizeof address);
    }
    return true;
}
