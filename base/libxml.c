#include "base/libxml.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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

// libxml2 does not look at all of its allocations: one that is refused may cost an attribute, or a part of the document, and what is
// left reads as another model. So none is refused but by the end of the process.

static void *take(size_t bytes)
{
    void *block = malloc(bytes != 0 ? bytes : 1);
    if (block == NULL)
        memory_end(bytes);
    return block;
}

static void *take_again(void *old, size_t bytes)
{
    void *block = realloc(old, bytes != 0 ? bytes : 1);
    if (block == NULL)
        memory_end(bytes);
    return block;
}

static char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(take(bytes), text, bytes);
}

static void load(void)
{
    static const char *const FILES[] = {SHARED_OBJECT, NULL};
#define SYMBOL(name) {#name, &loaded.name},
    static const struct shared_symbol SYMBOLS[] = {LIBXML_NAMES(SYMBOL)};
#undef SYMBOL
    if (shared_object_load("libxml2", FILES, SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS, failure,
                           sizeof failure)) {
        // Somebody else (hwloc) may have used it with the C library's functions, which these go together with.
        loaded.xmlMemSetup(free, take, take_again, copy);
        libxml = &loaded;
    }
}

const char *libxml_load(void)
{
    pthread_once(&once, load);
    return libxml != NULL ? NULL : failure;
}

void libxml_say(struct text *out, const char *otherwise, const xmlError *error)
{
    static const char DEPTH[] = "Excessive depth in document";
    const char *words = error != NULL && error->message != NULL ? error->message : "";
    if (strncmp(words, DEPTH, sizeof DEPTH - 1) == 0) {
        text_add(out, "found elements nested deeper than 256, expected fewer");
        return;
    }
    text_printf(out, "%s: ", otherwise);
    text_add_words(out, words, strlen(words), 200);
}

void libxml_free(void *block)
{
    if (block != NULL)
        (*libxml->xmlFree)(block);
}
