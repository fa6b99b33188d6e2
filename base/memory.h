#ifndef REGATTA_BASE_MEMORY_H
#define REGATTA_BASE_MEMORY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Allocation that never returns NULL.
//
// When the system or the thread's byte limit refuses, control goes to the innermost `memory_trap`
// of the calling thread (an attempt sets one and reports the outcome "memory"); without a trap the
// process ends with a message and exit code 3. What was allocated between the trap and the failure
// is lost unless it sits in an arena or structure that the owner of the trap can reach.

struct memory_trap {
    jmp_buf jump;
    struct memory_trap *outer;
};

// Usage: `if (setjmp(trap.jump) == 0) { memory_trap_push(&trap); … memory_trap_pop(&trap); }
// else { the trap was taken and is already popped }`. Per thread, properly nested.
void memory_trap_push(struct memory_trap *trap);
void memory_trap_pop(struct memory_trap *trap);

// Goes to the innermost trap as a refused allocation does: for other limits of work that allocates (budget.h).
_Noreturn void memory_trap_take(void);

// Ends the process as a refused allocation does where there is no trap: for who allocates for a library that cannot be left by one.
_Noreturn void memory_end(size_t bytes);

// The calling thread's balance: bytes it obtained minus bytes it released through this module.
uint64_t memory_thread_bytes(void);
// Refuse allocations of the calling thread that take its balance above `bytes`; 0 = no limit.
void memory_thread_limit(uint64_t bytes);
// Fault injection for tests: the n-th allocation of this thread from now fails; 0 = none.
void memory_thread_fail_at(uint64_t n);

// Of the whole process, once, before it makes threads: the C library takes memory from the system in large pieces.
// By itself it makes a thread's heap larger by 4 KiB at a time, each time with a system call that stops page faults in
// all other threads: 12 to 25 % of the CPU time of runs of 60 to 100 ms.
void memory_take_large_pieces(void);

void *memory_alloc(size_t bytes);              // uninitialised; bytes may be 0
void *memory_zalloc(size_t bytes);             // zeroed
void *memory_realloc(void *old, size_t bytes); // old may be NULL
void memory_free(void *block);                 // NULL is fine
char *memory_strdup(const char *text);

#endif
