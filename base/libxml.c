#include "base/libxml.h"

#include <pthread.h>

#include "base/shared_object.h"

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

static void load(void)
{
    static const char *const FILES[] = {SHARED_OBJECT, NULL};
#define SYMBOL(name) {#name, &loaded.name},
    static const struct shared_symbol SYMBOLS[] = {LIBXML_NAMES(SYMBOL)};
#undef SYMBOL
    if (shared_object_load("libxml2", FILES, SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS, failure,
                           sizeof failure))
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
