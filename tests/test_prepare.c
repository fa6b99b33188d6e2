#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "certify/certify.h"
#include "logic/terms/print.h"
#include "model/prepare.h"
#include "tests/oracle.h"
#include "tests/part.h"

#define STATE_LIMIT 200000

static const struct position NOWHERE = {0};

static const struct prepare_options EVERYTHING = {
    .encoding = PREPARE_LARGE_BLOCK,
    .propagate_constants = true,
    .cone_of_influence = true,
    .split_choices = true,
    .split_limit = 16,
};

static struct prepare_options combination(unsigned number)
{
    static const uint32_t LIMITS[] = {0, 3, 64};
    static const enum prepare_encoding ENCODINGS[] = {PREPARE_SINGLE_BLOCK, PREPARE_LARGE_BLOCK,
                                                      PREPARE_STATEMENTS, PREPARE_LOOP_BLOCKS};
    return (struct prepare_options){
        .encoding = ENCODINGS[number / 4 % 4],
        .propagate_constants = (number & 1) != 0,
        .cone_of_influence = (number & 2) != 0,
        .split_choices = number / 16 > 0,
        .split_limit = LIMITS[number / 16],
    };
}
#define COMBINATIONS 48

static void must_replay(struct trace *trace, uint64_t seed, unsigned number, const char *what)
{
    struct text why;
    text_init(&why);
    if (!certify_replay(trace, &why))
        fail_msg("seed %d, combination %u: the %s does not replay: %s", (int)seed, number, what,
                 text_string(&why));
    text_finish(&why);
}

// Maps the trace to the source and replays it there.
static void must_map(const struct trace *trace, uint64_t seed, unsigned number, const char *what)
{
    struct trace *mapped = prepare_map_trace(trace);
    assert_ptr_equal(mapped->model, trace->model->source);
    must_replay(mapped, seed, number, what);
    trace_destroy(mapped);
}

static void check(const struct model *source, enum verdict expected, uint64_t seed, unsigned number)
{
    struct prepare_options options = combination(number);
    static const _Atomic bool given_up = true;
    struct prepare_options unwanted = options;
    unwanted.given_up = &given_up;
    assert_null(prepare_model(source, &unwanted, NULL));
    struct model *prepared = prepare_model(source, &options, NULL);
    struct oracle_answer answer = oracle_run(prepared, STATE_LIMIT, NULL);
    if (answer.verdict != expected)
        fail_msg("seed %d, combination %u: %s, but the source is %s", (int)seed, number,
                 verdict_name(answer.verdict), verdict_name(expected));
    if (answer.trace != NULL) {
        must_map(answer.trace, seed, number, "trace mapped before it was replayed");
        must_replay(answer.trace, seed, number, "trace of the prepared model");
        must_map(answer.trace, seed, number, "trace mapped after it was replayed");
    }
    oracle_answer_finish(&answer);
    model_destroy(prepared);
}

static void test_random_models_keep_their_verdicts(void **state)
{
    (void)state;
    size_t safe = 0, unsafe = 0;
    unsigned count = part_models(500, 150);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct model *source = oracle_random_model(seed);
        struct oracle_answer answer = oracle_run(source, STATE_LIMIT, NULL);
        assert_int_not_equal(answer.verdict, VERDICT_UNKNOWN);
        safe += answer.verdict == VERDICT_SAFE;
        unsafe += answer.verdict == VERDICT_UNSAFE;
        if (answer.trace != NULL)
            must_replay(answer.trace, seed, 99, "trace of the source");
        for (unsigned number = 0; number < COMBINATIONS; number++)
            check(source, answer.verdict, seed, number);
        oracle_answer_finish(&answer);
        model_destroy(source);
    }
    // A generator that makes only one kind tests half.
    assert_true(safe > count / 5);
    assert_true(unsafe > count / 5);
}

static void test_preparing_twice_maps_twice(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= part_models(100, 30); seed++) {
        struct model *source = oracle_random_model(seed);
        struct prepare_options first = combination((unsigned)seed % COMBINATIONS);
        struct model *once = prepare_model(source, &first, NULL);
        struct model *twice = prepare_model(once, &EVERYTHING, NULL);
        assert_ptr_equal(model_root(twice), source);
        struct oracle_answer answer = oracle_run(twice, STATE_LIMIT, NULL);
        assert_int_equal(answer.verdict, oracle_decide(source, STATE_LIMIT));
        if (answer.trace != NULL) {
            struct trace *middle = prepare_map_trace(answer.trace);
            must_map(middle, seed, 0, "trace mapped twice");
            trace_destroy(middle);
        }
        oracle_answer_finish(&answer);
        model_destroy(twice);
        model_destroy(once);
        model_destroy(source);
    }
}

// Hand-made models.

struct small {
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *x, *y, *z;
    struct location *start, *middle, *end, *error;
};

static struct small begin(void)
{
    struct small s = {.builder = model_builder_create(&dialect_plain, "small", NULL)};
    s.store = model_builder_store(s.builder);
    s.x = model_builder_variable(s.builder, "x", sort_int(s.store), 0, NOWHERE);
    s.y = model_builder_variable(s.builder, "y", sort_int(s.store), VARIABLE_CONTROL, NOWHERE);
    s.z = model_builder_variable(s.builder, "z", sort_int(s.store), 0, NOWHERE);
    s.start = model_builder_location(s.builder, "start", PHASE_NONE, true);
    s.middle = model_builder_location(s.builder, "middle", PHASE_NONE, true);
    s.end = model_builder_location(s.builder, "end", PHASE_NONE, true);
    s.error = model_builder_location(s.builder, "error", PHASE_NONE, true);
    model_builder_initial(s.builder, s.start, NULL);
    model_builder_error(s.builder, s.error);
    return s;
}

static const struct term *number(struct small *s, int64_t n)
{
    return term_int(s->store, n);
}

static struct statement *set(struct small *s, const struct variable *v, const struct term *e)
{
    return model_assign(s->builder, v, e, NOWHERE);
}

static struct statement *assume(struct small *s, const struct term *condition)
{
    return model_assume(s->builder, condition, NOWHERE);
}

static void edge(struct small *s, struct location *from, struct location *to,
                 struct statement *action)
{
    model_builder_edge(s->builder, from, to, action, NULL, NOWHERE);
}

static struct model *prepare(const struct model *source, struct prepare_options options,
                             struct prepare_statistics *statistics)
{
    return prepare_model(source, &options, statistics);
}

static void test_constants_are_replaced(void **state)
{
    (void)state;
    struct small s = begin();
    model_builder_initial(s.builder, s.start, set(&s, s.x, number(&s, 3)));
    edge(&s, s.start, s.end, set(&s, s.y, term_add2(s.store, s.x->term, s.z->term)));
    edge(&s, s.end, s.error, assume(&s, term_lt(s.store, s.y->term, s.x->term)));
    edge(&s, s.end, s.error, assume(&s, term_lt(s.store, s.x->term, number(&s, 2))));
    struct model *source = model_builder_finish(s.builder);
    struct prepare_statistics statistics;
    struct model *model =
        prepare(source, (struct prepare_options){.propagate_constants = true}, &statistics);
    assert_null(model_find_variable(model, "x"));
    assert_non_null(model_find_variable(model, "y"));
    assert_int_equal(model_find_variable(model, "y")->flags, VARIABLE_CONTROL);
    assert_int_equal(model->edge_count, 2);
    assert_int_equal(statistics.variables_before, 3);
    assert_int_equal(statistics.variables_after, 2);
    assert_int_equal(statistics.edges_after, 2);
    assert_int_equal(statistics.locations_after, 3);
    struct text text;
    text_init(&text);
    print_term(&text, model->edges[1]->action->expression, PRINT_PREFIX);
    assert_string_equal(text_string(&text), "(<= y 2)");
    text_finish(&text);
    model_destroy(model);
    model_destroy(source);
}

static void test_values_differ_by_location(void **state)
{
    (void)state;
    // x is 1 in the middle and 2 at the end: no constant, but known in each.
    struct small s = begin();
    edge(&s, s.start, s.middle, set(&s, s.x, number(&s, 1)));
    edge(&s, s.middle, s.end, set(&s, s.x, term_add2(s.store, s.x->term, number(&s, 1))));
    edge(&s, s.end, s.error, assume(&s, term_eq(s.store, s.x->term, number(&s, 1))));
    struct model *source = model_builder_finish(s.builder);
    struct model *model =
        prepare(source, (struct prepare_options){.propagate_constants = true}, NULL);
    assert_int_equal(model->edge_count, 0);
    assert_int_equal(model->location_count, 2); // start and error stay in any case
    model_destroy(model);
    model_destroy(source);
}

static void test_loop_keeps_variables_apart_from_constants(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *start[] = {set(&s, s.x, number(&s, 0)), set(&s, s.y, number(&s, 1))};
    model_builder_initial(s.builder, s.start, model_sequence(s.builder, start, 2, NOWHERE));
    edge(&s, s.start, s.start, set(&s, s.x, term_add2(s.store, s.x->term, s.y->term)));
    edge(&s, s.start, s.start, set(&s, s.y, number(&s, 1)));
    edge(&s, s.start, s.error, assume(&s, term_lt(s.store, number(&s, 9), s.x->term)));
    struct model *source = model_builder_finish(s.builder);
    struct model *model =
        prepare(source, (struct prepare_options){.propagate_constants = true}, NULL);
    assert_non_null(model_find_variable(model, "x"));
    assert_null(model_find_variable(model, "y"));
    assert_int_equal(model->edge_count, 2); // the one that sets y to 1 again does nothing
    model_destroy(model);
    model_destroy(source);
}

static void test_cone_of_influence(void **state)
{
    (void)state;
    // x is tested, y flows into x, z and the division only flow into z.
    struct small s = begin();
    edge(&s, s.start, s.end, set(&s, s.z, term_div(s.store, s.y->term, s.z->term)));
    edge(&s, s.end, s.end, set(&s, s.x, s.y->term));
    edge(&s, s.end, s.error, assume(&s, term_lt(s.store, number(&s, 9), s.x->term)));
    struct model *source = model_builder_finish(s.builder);
    struct model *model =
        prepare(source, (struct prepare_options){.cone_of_influence = true}, NULL);
    assert_int_equal(model->variable_count, 2);
    assert_string_equal(model->variables[0]->name, "x");
    assert_string_equal(model->variables[1]->name, "y");
    assert_int_equal(model->edges[0]->action->kind, STATEMENT_SKIP);
    model_destroy(model);
    model_destroy(source);
}

static void test_large_blocks_stop_at_loops(void **state)
{
    (void)state;
    // start -> middle -> end -> start is a cycle of locations with one way in and out but for start.
    struct small s = begin();
    edge(&s, s.start, s.middle, set(&s, s.x, number(&s, 1)));
    edge(&s, s.middle, s.end, set(&s, s.y, number(&s, 2)));
    edge(&s, s.end, s.start, set(&s, s.z, number(&s, 3)));
    edge(&s, s.start, s.error, assume(&s, term_eq(s.store, s.x->term, s.z->term)));
    struct model *source = model_builder_finish(s.builder);
    struct model *model =
        prepare(source, (struct prepare_options){.encoding = PREPARE_LARGE_BLOCK}, NULL);
    assert_int_equal(model->location_count, 2);
    assert_int_equal(model->edge_count, 2);
    const struct edge *loop = model->edges[0];
    assert_ptr_equal(loop->source, loop->target);
    assert_int_equal(loop->action->child_count, 3);
    assert_int_equal(loop->origin_count, 3);
    assert_ptr_equal(loop->origin[2], source->edges[2]);
    assert_ptr_equal(loop->action->child[1]->origin, source->edges[1]->action);
    model_destroy(model);
    model_destroy(source);
}

static void test_blocks_end_where_paths_meet(void **state)
{
    (void)state;
    struct small s = begin();
    edge(&s, s.start, s.middle, set(&s, s.x, number(&s, 1)));
    edge(&s, s.start, s.middle, set(&s, s.y, number(&s, 2)));
    edge(&s, s.middle, s.end, set(&s, s.z, number(&s, 3)));
    edge(&s, s.end, s.error, assume(&s, term_eq(s.store, s.x->term, s.z->term)));
    struct model *source = model_builder_finish(s.builder);
    struct model *model =
        prepare(source, (struct prepare_options){.encoding = PREPARE_LARGE_BLOCK}, NULL);
    assert_int_equal(model->location_count, 3);
    assert_int_equal(model->edge_count, 3);
    assert_string_equal(model->edges[2]->label, "middle -> end; end -> error");
    assert_int_equal(model->locations[1]->in_count, 2);
    model_destroy(model);
    model_destroy(source);
}

static void test_loop_blocks_join_what_branches(void **state)
{
    (void)state;
    // A loop of two ways from start over end back to start, and a way out of its middle to the error.
    struct small s = begin();
    edge(&s, s.start, s.middle, set(&s, s.x, number(&s, 1)));
    edge(&s, s.start, s.middle, set(&s, s.x, number(&s, 2)));
    edge(&s, s.middle, s.end, set(&s, s.y, s.x->term));
    edge(&s, s.end, s.start, set(&s, s.z, s.y->term));
    edge(&s, s.middle, s.error, assume(&s, term_eq(s.store, s.x->term, number(&s, 2))));
    struct model *source = model_builder_finish(s.builder);
    struct model *model =
        prepare(source, (struct prepare_options){.encoding = PREPARE_LOOP_BLOCKS}, NULL);
    assert_int_equal(model->location_count, 2);
    assert_int_equal(model->edge_count, 2);
    const struct edge *out =
        model->edges[0]->target == model->error ? model->edges[0] : model->edges[1];
    const struct statement *choice = out->action->child[0];
    assert_int_equal(choice->kind, STATEMENT_CHOICE);
    assert_int_equal(choice->child_count, 2);
    // The second branch leads to the error: two steps of the source.
    struct trace *trace = trace_create(model);
    for (uint32_t v = 0; v < model->variable_count; v++)
        trace->start[v] = value_small(0);
    struct trace_step *step = trace_add_step(trace, out);
    trace_add_hint(trace, step, choice, NULL, value_small(1));
    struct trace *mapped = prepare_map_trace(trace);
    assert_int_equal(mapped->step_count, 2);
    assert_ptr_equal(mapped->steps[0].edge, source->edges[1]);
    assert_ptr_equal(mapped->steps[1].edge, source->edges[4]);
    must_replay(mapped, 0, 0, "mapped trace");
    trace_destroy(mapped);
    trace_destroy(trace);
    model_destroy(model);
    model_destroy(source);
}

static void test_choices_become_parallel_edges(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *two[] = {set(&s, s.x, number(&s, 1)), set(&s, s.x, number(&s, 2))};
    struct statement *parts[] = {model_choice(s.builder, two, 2, NOWHERE),
                                 model_if(s.builder, term_lt(s.store, s.y->term, s.x->term),
                                          set(&s, s.z, number(&s, 0)),
                                          model_skip(s.builder, NOWHERE), NOWHERE)};
    edge(&s, s.start, s.end, model_sequence(s.builder, parts, 2, NOWHERE));
    edge(&s, s.end, s.error, assume(&s, term_eq(s.store, s.x->term, s.z->term)));
    struct model *source = model_builder_finish(s.builder);
    struct prepare_options options = {.split_choices = true, .split_limit = 4};
    struct model *four = prepare(source, options, NULL);
    assert_int_equal(four->edge_count, 5);
    options.split_limit = 3; // room for one of the two halves only
    struct model *three = prepare(source, options, NULL);
    assert_int_equal(three->edge_count, 4);
    options.split_limit = 1;
    struct model *one = prepare(source, options, NULL);
    assert_int_equal(one->edge_count, 2);
    model_destroy(one);
    model_destroy(three);
    model_destroy(four);
    model_destroy(source);
}

static void test_impossible_start_leaves_nothing(void **state)
{
    (void)state;
    struct small s = begin();
    model_builder_initial(s.builder, s.start, assume(&s, term_false(s.store)));
    edge(&s, s.start, s.error, model_skip(s.builder, NOWHERE));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = prepare(source, EVERYTHING, NULL);
    assert_int_equal(oracle_decide(model, 10), VERDICT_SAFE);
    model_destroy(model);
    model_destroy(source);
}

static void test_property_is_rewritten(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *start[] = {set(&s, s.x, number(&s, 7)), set(&s, s.y, number(&s, 0))};
    model_builder_initial(s.builder, s.start, model_sequence(s.builder, start, 2, NOWHERE));
    const struct term *property = term_le(s.store, s.y->term, s.x->term);
    model_builder_property(s.builder, property);
    edge(&s, s.start, s.start, set(&s, s.y, term_add2(s.store, s.y->term, number(&s, 1))));
    edge(&s, s.start, s.error, assume(&s, term_not(s.store, property)));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = prepare(source, EVERYTHING, NULL);
    assert_int_equal(model->variable_count, 1);
    struct text text;
    text_init(&text);
    print_term(&text, model->property, PRINT_PREFIX);
    assert_string_equal(text_string(&text), "(<= y 7)");
    text_finish(&text);
    model_destroy(model);
    model_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants_are_replaced),
        cmocka_unit_test(test_values_differ_by_location),
        cmocka_unit_test(test_loop_keeps_variables_apart_from_constants),
        cmocka_unit_test(test_cone_of_influence),
        cmocka_unit_test(test_large_blocks_stop_at_loops),
        cmocka_unit_test(test_blocks_end_where_paths_meet),
        cmocka_unit_test(test_loop_blocks_join_what_branches),
        cmocka_unit_test(test_choices_become_parallel_edges),
        cmocka_unit_test(test_impossible_start_leaves_nothing),
        cmocka_unit_test(test_property_is_rewritten),
        cmocka_unit_test(test_random_models_keep_their_verdicts),
        cmocka_unit_test(test_preparing_twice_maps_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
