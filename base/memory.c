#include "base/memory.h"

#include <assert.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/lost.h"

// A block may be released by another thread than the one that obtained it, so a balance can go
// below zero; it is kept signed and shown as zero then.
static _Thread_local struct {
    int64_t balance;
    int64_t limit;       // 0 = none
    uint64_t fail_after; // 0 = never
    struct memory_trap *trap;
} mine;

// The C library reserves heaps of 64 MiB for threads, one after another.
#define PIECE_BYTES (64 << 20)
// Blocks from this size on have pages of their own, which go back to the system when they are released.
#define OWN_PAGES_BYTES (4 << 20)
// Of x86-64 and, mostly, of AArch64.
#define LARGE_PAGE_BYTES ((uintptr_t)2 << 20)

void memory_take_large_pieces(void)
{
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, PIECE_BYTES);
    mallopt(M_TRIM_THRESHOLD, 2 * PIECE_BYTES);
    mallopt(M_MMAP_THRESHOLD, OWN_PAGES_BYTES);
#endif
}

void memory_trap_push(struct memory_trap *trap)
{
    trap->outer = mine.trap;
    mine.trap = trap;
}

void memory_trap_pop(struct memory_trap *trap)
{
    assert(mine.trap == trap && "traps are nested");
    mine.trap = trap->outer;
}

uint64_t memory_thread_bytes(void)
{
    return mine.balance > 0 ? (uint64_t)mine.balance : 0;
}

void memory_thread_limit(uint64_t bytes)
{
    mine.limit = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

void memory_thread_fail_at(uint64_t n)
{
    mine.fail_after = n;
}

static atomic_bool was_lost;

bool memory_was_lost(void)
{
    return atomic_load_explicit(&was_lost, memory_order_relaxed);
}

void memory_trap_take(void)
{
    struct memory_trap *trap = mine.trap;
    assert(trap != NULL && "somebody has to be there");
    atomic_store_explicit(&was_lost, true, memory_order_relaxed);
    mine.trap = trap->outer;
    longjmp(trap->jump, 1);
}

void memory_end(size_t bytes)
{
    // Nothing is left to report through: the one place in library code that ends the process.
    fprintf(stderr, "regatta: out of memory (%zu bytes wanted)\n", bytes);
    fflush(NULL);
    _exit(3);
}

static _Noreturn void fail(size_t bytes)
{
    if (mine.trap != NULL)
        memory_trap_take();
    memory_end(bytes);
}

static bool refused(size_t bytes)
{
    budget_look();
    if (mine.fail_after != 0 && --mine.fail_after == 0)
        return true;
    if (bytes > PTRDIFF_MAX)
        return true;
    return mine.limit != 0 && mine.balance + (int64_t)bytes > mine.limit;
}

// A large block is mostly filled as soon as it is there (markings, terms, states of a run), and to have its pages
// from the system one by one would take longer than to fill them. What it is worth: docs/experiments/petri.md.
static void ask_for_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)block + LARGE_PAGE_BYTES - 1) & ~(LARGE_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)block + bytes) & ~(LARGE_PAGE_BYTES - 1);
    if (first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE); // a system without does as before
#else
    (void)block, (void)bytes;
#endif
}

static void *account(void *block, size_t bytes)
{
    if (block == NULL)
        fail(bytes);
    size_t usable = malloc_usable_size(block);
    if (usable >= OWN_PAGES_BYTES)
        ask_for_large_pages(block, usable);
    mine.balance += (int64_t)usable;
    return block;
}

void *memory_alloc(size_t bytes)
{
    if (refused(bytes))
        fail(bytes);
    return account(malloc(bytes != 0 ? bytes : 1), bytes);
}

void *memory_zalloc(size_t bytes)
{
    if (refused(bytes))
        fail(bytes);
    return account(calloc(1, bytes != 0 ? bytes : 1), bytes);
}

void *memory_realloc(void *old, size_t bytes)
{
    size_t before = old != NULL ? malloc_usable_size(old) : 0;
    if (refused(bytes > before ? bytes - before : 0) || bytes > PTRDIFF_MAX)
        fail(bytes);
    void *block = account(realloc(old, bytes != 0 ? bytes : 1), bytes);
    mine.balance -= (int64_t)before;
    return block;
}

void memory_free(void *block)
{
    if (block == NULL)
        return;
    mine.balance -= (int64_t)malloc_usable_size(block);
    free(block);
}

char *memory_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(memory_alloc(bytes), text, bytes);
}
