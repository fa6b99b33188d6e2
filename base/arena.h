#ifndef REGATTA_BASE_ARENA_H
#define REGATTA_BASE_ARENA_H

#include <stddef.h>

// A bump allocator: many small objects, released together. Not thread-safe; one owner.

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; // newest first
    char *next;
    char *end;
    size_t bytes; // obtained from the system so far
};

void arena_init(struct arena *arena);
void arena_finish(struct arena *arena);                // releases everything
void *arena_alloc(struct arena *arena, size_t bytes);  // 16-byte aligned, uninitialised
void *arena_zalloc(struct arena *arena, size_t bytes); // zeroed
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);

#endif
