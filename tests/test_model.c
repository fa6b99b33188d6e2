#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "model/probe.h"
#include "results/verdict.h"

static struct position at(unsigned line)
{
    return (struct position){.path = "made.cfa", .line = line, .column = 1};
}

struct fixture {
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *x, *y;
    struct location *a, *b, *error;
};

static struct fixture begin(void)
{
    struct fixture f = {.builder = model_builder_create(&dialect_plain, "made.cfa", NULL)};
    f.store = model_builder_store(f.builder);
    f.x = model_builder_variable(f.builder, "x", sort_int(f.store), 0, at(1));
    f.y = model_builder_variable(f.builder, "y", sort_bool(f.store), VARIABLE_CONTROL, at(2));
    f.a = model_builder_location(f.builder, "a", PHASE_NONE, true);
    f.b = model_builder_location(f.builder, "b", PHASE_NONE, true);
    f.error = model_builder_location(f.builder, "error", PHASE_NONE, true);
    model_builder_initial(f.builder, f.a, NULL);
    model_builder_error(f.builder, f.error);
    return f;
}

static void test_names_are_unique(void **state)
{
    (void)state;
    struct fixture f = begin();
    assert_null(model_builder_variable(f.builder, "x", sort_bool(f.store), 0, at(3)));
    assert_null(model_builder_location(f.builder, "a", PHASE_NONE, true));
    assert_ptr_equal(model_builder_find(f.builder, "x"), f.x);
    assert_null(model_builder_find(f.builder, "a"));
    const struct variable *fresh =
        model_builder_fresh(f.builder, "x", sort_int(f.store), VARIABLE_LOCAL, at(4));
    const struct variable *another =
        model_builder_fresh(f.builder, "x", sort_int(f.store), VARIABLE_LOCAL, at(4));
    assert_string_not_equal(fresh->name, another->name);
    assert_non_null(model_builder_location(f.builder, NULL, PHASE_NONE, false));
    assert_non_null(model_builder_location(f.builder, NULL, PHASE_NONE, false));
    model_builder_destroy(f.builder);
}

static void test_edges_are_linked_in_order(void **state)
{
    (void)state;
    struct fixture f = begin();
    struct edge *first =
        model_builder_edge(f.builder, f.a, f.b, model_skip(f.builder, at(5)), NULL, at(5));
    struct edge *second =
        model_builder_edge(f.builder, f.b, f.error, model_skip(f.builder, at(6)), "label", at(6));
    struct edge *third =
        model_builder_edge(f.builder, f.a, f.b, model_skip(f.builder, at(7)), NULL, at(7));
    struct model *model = model_builder_finish(f.builder);
    assert_int_equal(model->edge_count, 3);
    assert_int_equal(model->locations[0]->out_count, 2);
    assert_ptr_equal(model->locations[0]->out[0], first);
    assert_ptr_equal(model->locations[0]->out[1], third);
    assert_ptr_equal(model->error->in[0], second);
    assert_int_equal(model->error->out_count, 0);
    assert_string_equal(first->label, "a -> b");
    assert_string_equal(second->label, "label");
    assert_ptr_equal(first->origin[0], first);
    assert_int_equal(first->origin_count, 1);
    assert_string_equal(model->variables[0]->source.path, "made.cfa");
    model_destroy(model);
}

static void test_statement_ids_are_dense_in_preorder(void **state)
{
    (void)state;
    struct fixture f = begin();
    struct statement *unused = model_skip(f.builder, at(1));
    struct statement *parts[] = {model_havoc(f.builder, f.x, at(2)),
                                 model_assume(f.builder, f.y->term, at(3))};
    struct statement *sequence = model_sequence(f.builder, parts, 2, at(4));
    struct statement *initial = model_assign(f.builder, f.y, term_true(f.store), at(5));
    model_builder_initial(f.builder, f.a, initial);
    model_builder_edge(f.builder, f.a, f.error, sequence, NULL, at(6));
    struct model *model = model_builder_finish(f.builder);
    assert_int_equal(initial->id, 0);
    assert_int_equal(sequence->id, 1);
    assert_int_equal(sequence->child[0]->id, 2);
    assert_int_equal(sequence->child[1]->id, 3);
    assert_int_equal(model->statement_count, 4);
    assert_ptr_equal(sequence->child[0]->origin, sequence->child[0]);
    (void)unused;
    model_destroy(model);
}

static void test_variables_are_found_by_any_copy(void **state)
{
    (void)state;
    struct fixture f = begin();
    for (int i = 0; i < 100; i++)
        model_builder_fresh(f.builder, "v", sort_int(f.store), 0, at(1));
    const struct term *stranger = term_var(f.store, "stranger", sort_int(f.store));
    model_builder_edge(f.builder, f.a, f.error, model_skip(f.builder, at(2)), NULL, at(2));
    struct model *model = model_builder_finish(f.builder);
    struct term_store *child = term_store_create(model->store);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const struct variable *v = model->variables[i];
        assert_ptr_equal(model_variable_of(model, v->term), v);
        assert_ptr_equal(model_variable_of(model, term_var_copy(child, v->term, 7)), v);
        assert_ptr_equal(model_find_variable(model, v->name), v);
    }
    assert_null(model_variable_of(model, stranger));
    assert_null(model_variable_of(model, term_var_copy(child, stranger, 3)));
    assert_null(model_variable_of(model, term_var(child, "new", sort_bool(child))));
    // The same name with another sort is another variable.
    const struct term *other = term_var(child, "x", sort_bool(child));
    assert_null(model_variable_of(model, other));
    assert_null(model_variable_of(model, term_var_copy(child, other, 2)));
    assert_null(model_find_variable(model, "new"));
    term_store_destroy(child);
    model_destroy(model);
}

static void test_features(void **state)
{
    (void)state;
    struct fixture f = begin();
    const struct term *twice = term_mul2(f.store, term_int(f.store, 2), f.x->term);
    model_builder_edge(f.builder, f.a, f.b, model_assign(f.builder, f.x, twice, at(1)), NULL,
                       at(1));
    model_builder_edge(f.builder, f.b, f.a, model_havoc(f.builder, f.x, at(2)), NULL, at(2));
    model_builder_edge(f.builder, f.b, f.b,
                       model_if(f.builder, f.y->term, model_skip(f.builder, at(3)),
                                model_assume(f.builder, f.y->term, at(3)), at(3)),
                       NULL, at(3));
    model_builder_edge(f.builder, f.b, f.error, model_assume(f.builder, f.y->term, at(4)), NULL,
                       at(4));
    struct model *model = model_builder_finish(f.builder);
    const struct model_features *features = &model->features;
    assert_int_equal(features->locations, 3);
    assert_int_equal(features->edges, 4);
    assert_int_equal(features->variables, 2);
    assert_int_equal(features->control_variables, 1);
    assert_int_equal(features->booleans, 1);
    assert_int_equal(features->integers, 1);
    assert_int_equal(features->havocs, 1);
    assert_int_equal(features->assumptions, 2);
    assert_int_equal(features->choices, 1);
    assert_int_equal(features->loops, 2);
    assert_int_equal(features->cyclomatic, 3);
    assert_false(features->nonlinear);
    assert_int_equal(features->bits, 1);
    assert_true(features->terms >= features->literals + features->equations);
    assert_true(features->depth >= 2);
    assert_true(features->cone >= features->cone_first);
    assert_true(features->cone <= features->variables);
    model_destroy(model);
}

// x is counted up from 0, y is true and stays so; with `guard`, the way to the error, once x has that value.
static void probe_counter(const char *guard, int64_t value, struct model_probe *out)
{
    struct fixture f = begin();
    const struct term *zero = term_int(f.store, 0), *one = term_int(f.store, 1);
    struct statement *both[] = {
        model_assign(f.builder, f.x, zero, at(1)),
        model_assign(f.builder, f.y, term_true(f.store), at(1)),
    };
    model_builder_initial(f.builder, f.a, model_sequence(f.builder, both, 2, at(1)));
    if (guard[0] != '!')
        model_builder_edge(f.builder, f.a, f.a,
                           model_assign(f.builder, f.x, term_add2(f.store, f.x->term, one), at(2)),
                           NULL, at(2));
    const struct term *there = term_eq(f.store, f.x->term, term_int(f.store, value));
    model_builder_edge(f.builder, f.a, f.error,
                       model_assume(f.builder, term_and2(f.store, f.y->term, there), at(3)), NULL,
                       at(3));
    struct model *model = model_builder_finish(f.builder);
    model_probe(model, out);
    model_destroy(model);
}

static void test_probes(void **state)
{
    (void)state;
    struct model_probe probe, again;
    probe_counter("", 1000, &probe); // counts on
    assert_int_equal(probe.steady, 1);
    assert_int_equal(probe.walk_steps, 50);
    assert_int_equal(probe.walk_states, 51);
    assert_int_equal(probe.walk_stuck + probe.walk_errors, 0);
    probe_counter("", 3, &probe); // some walks leave at 3
    assert_true(probe.walk_errors > 0 && probe.walk_errors < 8);
    probe_counter("", 3, &again);
    assert_memory_equal(&probe, &again, sizeof probe);
    probe_counter("!", 0, &probe); // at once
    assert_int_equal(probe.steady, 2);
    assert_int_equal(probe.walk_errors, 8);
    assert_int_equal(probe.walk_steps, 1);
    probe_counter("!", 1, &probe); // never
    assert_int_equal(probe.walk_stuck, 8);
    assert_int_equal(probe.walk_states, 1);
}

static bool is_nonlinear(struct fixture f, const struct term *value)
{
    model_builder_edge(f.builder, f.a, f.error, model_assign(f.builder, f.x, value, at(1)), NULL,
                       at(1));
    struct model *model = model_builder_finish(f.builder);
    bool nonlinear = model->features.nonlinear;
    model_destroy(model);
    return nonlinear;
}

static void test_nonlinear(void **state)
{
    (void)state;
    struct fixture f = begin();
    assert_true(is_nonlinear(f, term_mul2(f.store, f.x->term, f.x->term)));
    f = begin();
    assert_true(is_nonlinear(f, term_mod(f.store, term_int(f.store, 7), f.x->term)));
    f = begin();
    assert_false(is_nonlinear(f, term_mod(f.store, f.x->term, term_int(f.store, 7))));
}

static void test_features_of_deep_terms(void **state)
{
    (void)state;
    enum { DEPTH = 400000 };
    struct fixture f = begin();
    const struct sort *byte = sort_bv(f.store, 8);
    const struct variable *b = model_builder_variable(f.builder, "b", byte, 0, at(3));
    const struct term *value = b->term;
    for (int i = 0; i < DEPTH; i++)
        value = term_bv_binary(f.store, i % 2 ? TERM_BV_XOR : TERM_BV_ADD, value,
                               term_bv(f.store, 8, 3));
    model_builder_edge(f.builder, f.a, f.b, model_assign(f.builder, b, value, at(4)), NULL, at(4));
    model_builder_edge(
        f.builder, f.b, f.error,
        model_assume(f.builder, term_eq(f.store, b->term, term_bv(f.store, 8, 1)), at(5)), NULL,
        at(5));
    struct model *model = model_builder_finish(f.builder);
    assert_true(model->features.depth > DEPTH);
    assert_int_equal(model->features.cone, 1);
    model_destroy(model);
}

static void test_verdict_names(void **state)
{
    (void)state;
    assert_string_equal(verdict_name(VERDICT_UNSAFE), "unsafe");
    assert_int_equal(verdict_exit_code(VERDICT_UNSAFE), 10);
    assert_int_equal(verdict_exit_code(VERDICT_SAFE), 0);
    assert_int_equal(verdict_exit_code(VERDICT_UNKNOWN), 20);
    assert_int_equal(verdict_parse("safe"), VERDICT_SAFE);
    assert_int_equal(verdict_parse("Safe"), -1);
    assert_int_equal(end_reason_parse("stalled"), END_STALLED);
    assert_int_equal(end_reason_parse(""), -1);
    assert_string_equal(end_reason_name(END_SOLVER), "solver_error");
    assert_string_equal(end_reason_meaning(END_LOST), "another attempt answered first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_edges_are_linked_in_order),
        cmocka_unit_test(test_statement_ids_are_dense_in_preorder),
        cmocka_unit_test(test_variables_are_found_by_any_copy),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_nonlinear),
        cmocka_unit_test(test_features_of_deep_terms),
        cmocka_unit_test(test_verdict_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
