#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20, ALIGNMENT = 16 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t bytes; // of the whole chunk
    char data[] __attribute__((aligned(ALIGNMENT)));
};

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_finish(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks, *older; chunk != NULL; chunk = older) {
        older = chunk->older;
        memory_free(chunk);
    }
    arena_init(arena);
}

static struct arena_chunk *new_chunk(struct arena *arena, size_t bytes)
{
    struct arena_chunk *chunk = memory_alloc(sizeof *chunk + bytes);
    chunk->bytes = sizeof *chunk + bytes;
    arena->bytes += chunk->bytes;
    return chunk;
}

static void *alloc_slow(struct arena *arena, size_t bytes)
{
    // Chunks double, so that small arenas stay small and large ones have few chunks.
    size_t size = FIRST_CHUNK;
    if (arena->chunks != NULL)
        size = 2 * arena->chunks->bytes;
    if (size > LARGEST_CHUNK)
        size = LARGEST_CHUNK;
    if (bytes > size / 4 && arena->chunks != NULL) {
        // A large object gets a chunk of its own behind the current one, whose rest stays usable.
        struct arena_chunk *own = new_chunk(arena, bytes);
        own->older = arena->chunks->older;
        arena->chunks->older = own;
        return own->data;
    }
    if (size < bytes)
        size = bytes;
    struct arena_chunk *chunk = new_chunk(arena, size);
    chunk->older = arena->chunks;
    arena->chunks = chunk;
    arena->next = chunk->data + bytes;
    arena->end = chunk->data + size;
    assert(arena->next <= arena->end);
    return chunk->data;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return memory_alloc(bytes); // refused there
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > (size_t)(arena->end - arena->next) || arena->next == NULL)
        return alloc_slow(arena, bytes);
    void *block = arena->next;
    assert((uintptr_t)block % ALIGNMENT == 0);
    arena->next += bytes;
    return block;
}

void *arena_zalloc(struct arena *arena, size_t bytes)
{
    return memset(arena_alloc(arena, bytes), 0, bytes);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}
