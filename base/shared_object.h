#ifndef REGATTA_BASE_SHARED_OBJECT_H
#define REGATTA_BASE_SHARED_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

// Libraries that are loaded when first needed.

struct shared_symbol {
    const char *name;
    void *slot; // where the pointer to the function goes
};

// Loads the first of the files, the last of which is NULL, that is there, and finds all symbols; what was loaded with the program
// before it (LD_PRELOAD) comes first. False with the reason, which names `library`.
bool shared_object_load(const char *library, const char *const *files,
                        const struct shared_symbol *symbols, size_t count, char *why, size_t size);

#endif
