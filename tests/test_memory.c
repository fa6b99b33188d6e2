#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/vector.h"

static void balance_returns_to_where_it_was(void **state)
{
    (void)state;
    uint64_t before = memory_thread_bytes();
    char *a = memory_alloc(1000);
    char *b = memory_zalloc(500);
    for (int i = 0; i < 500; i++)
        assert_int_equal(b[i], 0);
    assert_true(memory_thread_bytes() >= before + 1500);
    a = memory_realloc(a, 100000);
    assert_true(memory_thread_bytes() >= before + 100500);
    char *c = memory_strdup("regatta");
    assert_string_equal(c, "regatta");
    memory_free(a);
    memory_free(b);
    memory_free(c);
    memory_free(NULL);
    memory_free(memory_alloc(0));
    assert_int_equal(memory_thread_bytes(), before);
}

static void the_limit_takes_the_innermost_trap(void **state)
{
    (void)state;
    struct memory_trap outer, inner;
    volatile int taken = 0;
    if (setjmp(outer.jump) == 0) {
        memory_trap_push(&outer);
        if (setjmp(inner.jump) == 0) {
            memory_trap_push(&inner);
            memory_thread_limit(memory_thread_bytes() + 10000);
            memory_free(memory_alloc(5000));
            memory_free(memory_alloc(20000));
            fail_msg("the limit was not kept");
        } else {
            taken = taken + 1;
            memory_thread_limit(0);
            memory_free(memory_alloc(20000));
        }
        memory_thread_fail_at(1);
        (void)memory_alloc(1);
        fail_msg("the fault was not injected");
    } else {
        taken = taken + 10;
    }
    assert_int_equal(taken, 11);
}

static void a_refused_realloc_keeps_the_block(void **state)
{
    (void)state;
    struct memory_trap trap;
    char *volatile block = memory_alloc(10);
    strcpy(block, "kept");
    if (setjmp(trap.jump) == 0) {
        memory_trap_push(&trap);
        memory_thread_fail_at(1);
        block = memory_realloc(block, 1 << 20);
        fail_msg("the fault was not injected");
    }
    assert_string_equal(block, "kept");
    memory_free(block);
}

static void faults_hit_the_counted_allocation(void **state)
{
    (void)state;
    struct memory_trap trap;
    volatile int done = 0;
    void *volatile blocks[3] = {NULL, NULL, NULL};
    if (setjmp(trap.jump) == 0) {
        memory_trap_push(&trap);
        memory_thread_fail_at(3);
        for (; done < 3; done = done + 1)
            blocks[done] = memory_alloc(8);
    }
    assert_int_equal(done, 2);
    for (int i = 0; i < 3; i++)
        memory_free(blocks[i]);
}

static void sizes_without_sense_are_refused(void **state)
{
    (void)state;
    struct memory_trap trap;
    volatile bool taken = false;
    if (setjmp(trap.jump) == 0) {
        memory_trap_push(&trap);
        // Kept from the compiler, which warns about it.
        volatile size_t huge = SIZE_MAX - 64;
        (void)memory_alloc(huge);
        fail_msg("this cannot be had");
    } else {
        taken = true;
    }
    assert_true(taken);
}

static void arenas_align_and_keep_what_they_gave(void **state)
{
    (void)state;
    uint64_t before = memory_thread_bytes();
    struct arena arena;
    arena_init(&arena);
    unsigned char *blocks[2000];
    for (size_t i = 0; i < 2000; i++) {
        size_t bytes = i % 97 == 0 ? 50000 : i % 60;
        blocks[i] = arena_alloc(&arena, bytes);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)(i & 255), bytes);
    }
    for (size_t i = 0; i < 2000; i++) {
        size_t bytes = i % 97 == 0 ? 50000 : i % 60;
        for (size_t j = 0; j < bytes; j++)
            assert_int_equal(blocks[i][j], i & 255);
    }
    const char *zeros = arena_zalloc(&arena, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(zeros[i], 0);
    assert_string_equal(arena_strdup(&arena, "whole"), "whole");
    assert_string_equal(arena_strndup(&arena, "whole", 3), "who");
    assert_true(arena.bytes > 21 * 50000);
    arena_finish(&arena);
    assert_int_equal(memory_thread_bytes(), before);
}

static void vectors_grow_and_pop(void **state)
{
    (void)state;
    VECTOR(int) v = {0};
    for (int i = 0; i < 1000; i++)
        VECTOR_PUSH(&v, i);
    assert_int_equal(v.count, 1000);
    assert_int_equal(VECTOR_LAST(&v), 999);
    for (int i = 999; i >= 500; i--)
        assert_int_equal(VECTOR_POP(&v), i);
    assert_int_equal(v.count, 500);
    VECTOR_FINISH(&v);
    assert_null(v.data);
}

struct work {
    uint64_t allocations; // each of 100 bytes; 0 = looks only, for ever
    struct arena arena;   // what is left behind is found again
};

static void work(void *context)
{
    struct work *w = context;
    for (uint64_t i = 0; w->allocations == 0 || i < w->allocations; i++)
        if (w->allocations == 0)
            budget_look();
        else
            arena_alloc(&w->arena, 100);
}

static enum budget_end spend(const struct budget *budget, uint64_t allocations)
{
    struct work w = {.allocations = allocations};
    arena_init(&w.arena);
    enum budget_end end = budget_run(budget, work, &w);
    arena_finish(&w.arena);
    return end;
}

static void a_budget_ends_work_that_looks(void **state)
{
    (void)state;
    const _Atomic int raised = 2;
    assert_int_equal(spend(&(struct budget){0}, 1000), BUDGET_DONE);
    assert_int_equal(spend(&(struct budget){.deadline_ns = clock_wall_ns() + 20000000}, 0),
                     BUDGET_TIME);
    assert_int_equal(spend(&(struct budget){.stop = &raised}, 0), BUDGET_STOPPED);
    assert_int_equal(spend(&(struct budget){.stop = &raised}, 1000000000), BUDGET_STOPPED);
    // And does not outlive it: neither as a limit of memory nor as a clock.
    assert_int_equal(spend(&(struct budget){.bytes = 100000}, 1000000000), BUDGET_MEMORY);
    assert_int_equal(spend(&(struct budget){.bytes = 10000000}, 1000), BUDGET_DONE);
    memory_free(memory_alloc(200000000));
    for (int i = 0; i < 100000; i++)
        budget_look();
}

// Does the kernel know that pages around this address may be large? False also when it does not say.
static bool may_have_large_pages(const char *address)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[1024];
    bool here = false, found = false;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t first, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
            here = first <= (uintptr_t)address && (uintptr_t)address < end;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, " hg") != NULL;
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}

static void large_blocks_have_large_pages(void **state)
{
    (void)state;
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        skip(); // no such pages here
    size_t size = 16 << 20;
    char *block = memory_zalloc(size);
    assert_true(may_have_large_pages(block + size / 2));
    block = memory_realloc(block, 3 * size);
    assert_true(may_have_large_pages(block + 5 * size / 2));
    for (size_t i = 0; i < size; i += 4096)
        assert_int_equal(block[i], 0);
    memory_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balance_returns_to_where_it_was),
        cmocka_unit_test(the_limit_takes_the_innermost_trap),
        cmocka_unit_test(a_refused_realloc_keeps_the_block),
        cmocka_unit_test(faults_hit_the_counted_allocation),
        cmocka_unit_test(sizes_without_sense_are_refused),
        cmocka_unit_test(arenas_align_and_keep_what_they_gave),
        cmocka_unit_test(vectors_grow_and_pop),
        cmocka_unit_test(a_budget_ends_work_that_looks),
        cmocka_unit_test(large_blocks_have_large_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
