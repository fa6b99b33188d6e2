#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/heap.h"
#include "base/random.h"

// Random pushes, takes and raises, against the least of all elements that are in.

enum { ELEMENTS = 40, ROUNDS = 20000, OUT = -1 };

struct owner {
    VECTOR(uint32_t) heap;
    uint64_t keys[ELEMENTS];
    int places[ELEMENTS]; // OUT = not in the heap
};

static bool before(const struct owner *o, uint32_t a, uint32_t b)
{
    return o->keys[a] < o->keys[b];
}

static void put(struct owner *o, size_t position, uint32_t element)
{
    o->heap.data[position] = element;
    o->places[element] = (int)position;
}

static void check(const struct owner *o)
{
    size_t in = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        if (o->places[i] == OUT)
            continue;
        in++;
        assert_int_equal(o->heap.data[o->places[i]], i);
        assert_false(before(o, i, o->heap.data[0]));
    }
    assert_int_equal(in, o->heap.count);
}

static void test_heap(void **state)
{
    (void)state;
    struct random random;
    struct owner o = {0};
    size_t taken = 0, raised = 0;
    random_init(&random, 3);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        o.places[i] = OUT;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t some = (uint32_t)random_below(&random, ELEMENTS), top;
        if (o.places[some] == OUT) {
            o.keys[some] = random_below(&random, 1000);
            HEAP_PUSH(&o.heap, some, before, put, &o);
        } else if (random_below(&random, 2) == 0) {
            o.keys[some] -= random_below(&random, o.keys[some] + 1);
            HEAP_UP(&o.heap, (size_t)o.places[some], before, put, &o);
            raised++;
        } else {
            uint32_t first = o.heap.data[0];
            HEAP_TAKE(&o.heap, &top, before, put, &o);
            assert_int_equal(top, first);
            o.places[top] = OUT;
            taken++;
        }
        check(&o);
    }
    assert_true(taken > 0 && raised > 0);
    VECTOR_FINISH(&o.heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
