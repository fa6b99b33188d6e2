#include "base/libxml.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Named after the interface that the headers describe, which changed in 2.14.
#if LIBXML_VERSION >= 21400
#define SHARED_OBJECT "libxml2.so.16"
#else
#define SHARED_OBJECT "libxml2.so.2"
#endif

const struct libxml *libxml;

static struct libxml loaded;
static char failure[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *slot, size_t bytes)
{
    void *address = dlsym(library, name);
    memcpy(slot, &address, bytes); // a pointer to a function, which C has no cast for
    if (address == NULL)
        snprintf(failure, sizeof failure, "libxml2 could not be loaded: %s has no %s",
                 SHARED_OBJECT, name);
    return address != NULL;
}

static void load(void)
{
    void *library = dlopen(SHARED_OBJECT, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(failure, sizeof failure, "libxml2 could not be loaded: %s",
                 why != NULL ? why : SHARED_OBJECT);
        return;
    }
    bool complete = true;
#define LIBXML_FIND(name)                                                                          \
    complete = complete && find(library, #name, &loaded.name, sizeof loaded.name);
    LIBXML_NAMES(LIBXML_FIND)
#undef LIBXML_FIND
    if (complete)
        libxml = &loaded;
}

const char *libxml_load(void)
{
    pthread_once(&once, load);
    return libxml != NULL ? NULL : failure;
}

void libxml_free(void *block)
{
    if (block != NULL)
        (*libxml->xmlFree)(block);
}
