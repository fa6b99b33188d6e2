#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engines/cegar/graph.h"

// The reachability graph by its own calls, over states that cover nothing but themselves.

struct domain {
    struct domain_head head;
};

static bool covers(struct domain *domain, uint32_t larger, uint32_t smaller)
{
    (void)domain;
    return larger == smaller;
}

static uint32_t class_of(struct domain *domain, uint32_t state)
{
    (void)domain;
    (void)state;
    return 0;
}

static uint32_t coverer_in_class(struct domain *domain, uint32_t state, uint32_t class)
{
    (void)domain;
    (void)class;
    return state;
}

static const struct domain_operations equality = {
    .covers = covers, .class_of = class_of, .coverer_in_class = coverer_in_class};

struct fixture {
    struct model *model;
    const struct location *loop, *error;
    const struct edge *step, *fail;
    struct domain domain;
    struct configuration configuration;
    struct graph graph;
};

static const struct position here = {"graph", 1, 1};

static int set_up(void **state)
{
    static struct fixture f;
    struct model_builder *b = model_builder_create(&dialect_plain, "graph", NULL);
    struct location *loop = model_builder_location(b, "loop", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    f.step = model_builder_edge(b, loop, loop, model_skip(b, here), "step", here);
    f.fail = model_builder_edge(b, loop, error, model_skip(b, here), "fail", here);
    model_builder_initial(b, loop, model_skip(b, here));
    model_builder_error(b, error);
    f.loop = loop;
    f.error = error;
    f.model = model_builder_finish(b);
    f.domain.head.operations = &equality;
    configuration_init(&f.configuration, "graph");
    graph_init(&f.graph, &f.domain, f.model, &f.configuration);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    graph_finish(&f->graph);
    configuration_finish(&f->configuration);
    model_destroy(f->model);
    return 0;
}

static uint32_t add(struct fixture *f, uint32_t parent, uint32_t state)
{
    return graph_add(&f->graph, parent, parent == NODE_NONE ? NULL : f->step, f->loop, state);
}

// A node of a path to an error is pruned in part, waits, and is covered; the error below it stays, and its path is left then.
// The node left those that may cover when it was covered, and another of the same state has come since: that one stays.
static void test_covered_on_a_barred_path(void **state)
{
    struct fixture *f = *state;
    struct graph *g = &f->graph;
    uint32_t root = add(f, NODE_NONE, 1), coverer = add(f, root, 2), middle = add(f, root, 2);
    graph_expanded(g, root);
    uint32_t error = graph_add(g, middle, f->fail, f->error, 3), pruned = add(f, middle, 4);
    graph_expanded(g, middle);
    graph_prune(g, pruned);
    assert_int_equal(graph_node(g, middle)->status, NODE_WAITING);
    assert_int_equal(graph_find_coverer(g, middle), coverer);
    graph_cover(g, middle, coverer);
    uint32_t late = add(f, root, 2);
    graph_bar_path(g, error);
    assert_true(graph_node(g, middle)->barred && graph_node(g, root)->barred);
    // Each of the two is found for the other, and nobody else is there.
    assert_int_equal(graph_find_coverer(g, coverer), late);
    assert_int_equal(graph_find_coverer(g, late), coverer);
    graph_prune(g, late);
    assert_int_equal(graph_find_coverer(g, coverer), NODE_NONE);
    graph_prune(g, root);
    assert_int_equal(g->live_count, 0);
    assert_int_equal(g->covered_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_covered_on_a_barred_path, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
