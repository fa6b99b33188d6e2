#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/components.h"
#include "base/memory.h"
#include "base/random.h"

enum { MOST = 12 };

struct graph {
    uint32_t nodes, first[MOST + 1], target[MOST * MOST];
    uint8_t in[MOST];
    bool reaches[MOST][MOST]; // in some steps or none, among the nodes that are in
};

static void make(struct random *random, struct graph *g)
{
    *g = (struct graph){.nodes = 1 + (uint32_t)random_below(random, MOST)};
    uint64_t density = 1 + random_below(random, 8);
    for (uint32_t n = 0; n < g->nodes; n++) {
        g->in[n] = random_below(random, 6) != 0;
        g->reaches[n][n] = true;
    }
    uint32_t count = 0;
    for (uint32_t a = 0; a < g->nodes; a++) {
        g->first[a] = count;
        for (uint32_t b = 0; b < g->nodes; b++)
            if (random_below(random, 10) < density) {
                g->target[count++] = b;
                g->reaches[a][b] = g->in[a] && g->in[b];
            }
    }
    g->first[g->nodes] = count;
    for (uint32_t k = 0; k < g->nodes; k++)
        for (uint32_t a = 0; a < g->nodes; a++)
            for (uint32_t b = 0; b < g->nodes; b++)
                g->reaches[a][b] |= g->reaches[a][k] && g->reaches[k][b];
}

static void check(const struct graph *g, const struct components *c)
{
    for (uint32_t a = 0; a < g->nodes; a++) {
        assert_int_equal(c->of[a] != 0, g->in[a]);
        for (uint32_t b = 0; b < g->nodes && g->in[a]; b++) {
            if (!g->in[b])
                continue;
            assert_int_equal(c->of[a] == c->of[b], g->reaches[a][b] && g->reaches[b][a]);
            if (g->reaches[a][b])
                assert_true(c->of[b] <= c->of[a]);
        }
    }
    for (uint32_t k = 1; k <= c->count; k++)
        for (uint32_t i = c->begin[k - 1]; i < c->begin[k]; i++)
            assert_int_equal(c->of[c->members[i]], k);
}

// Against reachability, on random graphs.
static void test_random(void **state)
{
    (void)state;
    struct random random;
    struct graph graph;
    struct components components;
    random_init(&random, 1);
    for (int i = 0; i < 2000; i++) {
        make(&random, &graph);
        components_find(&components, graph.nodes, graph.first, graph.target, graph.in);
        check(&graph, &components);
        components_finish(&components);
    }
}

// A way through all nodes, and back from the last: deeper than a stack of calls would be.
static void test_deep(void **state)
{
    (void)state;
    enum { NODES = 1000000 };
    uint32_t *first = memory_alloc((NODES + 1) * sizeof *first);
    uint32_t *target = memory_alloc(NODES * sizeof *target);
    struct components components;
    for (uint32_t n = 0; n < NODES; n++) {
        first[n] = n;
        target[n] = (n + 1) % NODES;
    }
    first[NODES] = NODES;
    components_find(&components, NODES, first, target, NULL);
    assert_int_equal(components.count, 1);
    assert_int_equal(components.begin[1], NODES);
    components_finish(&components);
    memory_free(first);
    memory_free(target);
}

static void test_nothing(void **state)
{
    (void)state;
    struct components components;
    const uint32_t first[] = {0};
    components_find(&components, 0, first, NULL, NULL);
    assert_int_equal(components.count, 0);
    components_finish(&components);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
