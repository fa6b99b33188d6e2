#include "logic/smt/z3/z3_library.h"

#include <pthread.h>
#include <z3_version.h>

#include "base/shared_object.h"

// Named after the interface that the headers describe; systems differ in how much of it is in the name.
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
static const char *const FILES[] = {
    "libz3.so." TEXT(Z3_MAJOR_VERSION),
    "libz3.so." TEXT(Z3_MAJOR_VERSION) "." TEXT(Z3_MINOR_VERSION),
    "libz3.so",
    NULL,
};

struct z3_library z3_library;

static char failure[300];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
#define SYMBOL(name) {"Z3_" #name, &z3_library.name},
    static const struct shared_symbol SYMBOLS[] = {Z3_LIBRARY_NAMES(SYMBOL)};
#undef SYMBOL
    shared_object_load("Z3", FILES, SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS, failure,
                       sizeof failure);
}

const char *z3_library_load(void)
{
    pthread_once(&once, load);
    return failure[0] == '\0' ? NULL : failure;
}
