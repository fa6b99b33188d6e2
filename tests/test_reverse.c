#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/memory.h"
#include "certify/certify.h"
#include "model/prepare.h"
#include "tests/oracle.h"

// Models backwards: what they look like, and that runs and proofs of theirs are runs and proofs of the model. (Engines
// on them: test_engines.c.)

#define STATE_LIMIT 20000

static const struct position NOWHERE = {0};

static struct model *reversed(const struct model *source, enum prepare_encoding encoding)
{
    struct prepare_options options = {.encoding = encoding, .reverse = true};
    return prepare_model(source, &options, NULL);
}

// On the model that was read, two links away.
static struct trace *must_replay(const struct trace *trace, const char *what)
{
    struct text why;
    text_init(&why);
    struct trace *middle = prepare_map_trace(trace), *mapped = prepare_map_trace(middle);
    assert_null(mapped->model->source);
    if (!certify_replay(mapped, &why))
        fail_msg("%s: the trace does not replay: %s", what, text_string(&why));
    trace_destroy(middle);
    text_finish(&why);
    return mapped;
}

// The oracle tries few integers only, so that backwards it may miss a run, but what it finds is one.
static void random_runs_are_runs_of_the_model(void **state)
{
    (void)state;
    unsigned found = 0, missed = 0;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        struct model *source = oracle_random_model(seed);
        enum verdict expected = oracle_decide(source, STATE_LIMIT);
        for (enum prepare_encoding encoding = PREPARE_SINGLE_BLOCK; encoding <= PREPARE_LARGE_BLOCK;
             encoding++) {
            struct model *model = reversed(source, encoding);
            struct oracle_answer answer = oracle_run(model, STATE_LIMIT, NULL);
            if (answer.verdict == VERDICT_UNSAFE) {
                struct text why;
                text_init(&why);
                assert_int_equal(expected, VERDICT_UNSAFE);
                trace_destroy(must_replay(answer.trace, "as it was found"));
                assert_true(certify_replay(answer.trace, &why));
                trace_destroy(must_replay(answer.trace, "after a replay"));
                text_finish(&why);
                found++;
            }
            missed += expected == VERDICT_UNSAFE && answer.verdict != VERDICT_UNSAFE;
            oracle_answer_finish(&answer);
            model_destroy(model);
        }
        model_destroy(source);
    }
    print_message("# %u runs found, %u missed\n", found, missed);
    assert_true(found > 3 * missed);
}

// Hand-made models.

struct small {
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *a, *b, *n;
    struct location *start, *middle, *error;
};

static struct small begin(void)
{
    struct small s = {.builder = model_builder_create(&dialect_plain, "small", NULL)};
    s.store = model_builder_store(s.builder);
    s.a = model_builder_variable(s.builder, "a", sort_bool(s.store), 0, NOWHERE);
    s.b = model_builder_variable(s.builder, "b", sort_bool(s.store), 0, NOWHERE);
    s.n = model_builder_variable(s.builder, "n", sort_int(s.store), 0, NOWHERE);
    s.start = model_builder_location(s.builder, "start", PHASE_NONE, true);
    s.middle = model_builder_location(s.builder, "middle", PHASE_NONE, true);
    s.error = model_builder_location(s.builder, "error", PHASE_NONE, true);
    model_builder_initial(s.builder, s.start, NULL);
    model_builder_error(s.builder, s.error);
    return s;
}

static struct statement *set(struct small *s, const struct variable *v, const struct term *e)
{
    return model_assign(s->builder, v, e, NOWHERE);
}

static struct statement *number(struct small *s, int64_t n)
{
    return set(s, s->n, term_int(s->store, n));
}

static struct statement *assume(struct small *s, const struct term *condition)
{
    return model_assume(s->builder, condition, NOWHERE);
}

static const struct term *is(struct small *s, int64_t n)
{
    return term_eq(s->store, s->n->term, term_int(s->store, n));
}

static struct statement *all(struct small *s, struct statement *first, struct statement *second)
{
    struct statement *both[] = {first, second};
    return model_sequence(s->builder, both, 2, NOWHERE);
}

static void edge(struct small *s, struct location *from, struct location *to,
                 struct statement *action)
{
    model_builder_edge(s->builder, from, to, action, NULL, NOWHERE);
}

static int64_t value_of(const struct trace *trace, size_t step, const char *name)
{
    const struct variable *v = model_find_variable(trace->model, name);
    return value_small_get(trace_step_at(trace, step)->state[v->index]);
}

static void runs_begin_where_the_error_is_entered(void **state)
{
    (void)state;
    struct small s = begin();
    edge(&s, s.start, s.middle, number(&s, 1));
    edge(&s, s.middle, s.error, assume(&s, is(&s, 1)));
    edge(&s, s.middle, s.error, assume(&s, s.a->term));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = reversed(source, PREPARE_SINGLE_BLOCK);
    assert_string_equal(model->initial->name, "middle");
    assert_int_equal(model->initial_action->child[0]->kind, STATEMENT_CHOICE);
    assert_int_equal(model->initial_action->child[0]->child_count, 2);
    assert_null(model->initial_action->origin);
    assert_int_equal(model->location_count, 3); // the error location has no counterpart
    assert_int_equal(model->edge_count, 2);
    assert_string_equal(model->edges[0]->source->name, "middle");
    assert_string_equal(model->edges[0]->target->name, "start");
    assert_string_equal(model->edges[1]->source->name, "start");
    assert_ptr_equal(model->edges[1]->target, model->error);
    // A variable that an edge sets is guessed, and no other.
    assert_int_equal(model->variable_count, 4);
    model_destroy(model);
    model_destroy(source);
}

static void several_entries_need_a_location(void **state)
{
    (void)state;
    struct small s = begin();
    edge(&s, s.start, s.middle, number(&s, 1));
    edge(&s, s.start, s.error, assume(&s, is(&s, 7)));
    edge(&s, s.middle, s.error, assume(&s, is(&s, 2)));
    edge(&s, s.error, s.start, number(&s, 3)); // behind the error: no matter
    model_builder_initial(s.builder, s.start, number(&s, 5));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = reversed(source, PREPARE_SINGLE_BLOCK);
    assert_string_equal(model->initial->name, "error");
    assert_int_equal(model->edge_count, 4);
    assert_int_equal(oracle_decide(model, STATE_LIMIT), VERDICT_SAFE);
    model_destroy(model);
    model_destroy(source);
}

// Every kind of decision: a value that lasts, one that is overwritten, a branch, a value that only the action sees,
// and the entry taken.
static void decisions_come_back_exactly(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *steps[] = {
        model_havoc(s.builder, s.a, NOWHERE), // lasts
        model_havoc(s.builder, s.b, NOWHERE),
        model_if(s.builder, s.b->term, number(&s, 3),
                 set(&s, s.n, term_add2(s.store, s.n->term, term_int(s.store, 1))), NOWHERE),
        set(&s, s.b, term_not(s.store, s.b->term)),
    };
    struct statement *branches[] = {assume(&s, term_false(s.store)),
                                    model_sequence(s.builder, steps, 4, NOWHERE)};
    edge(&s, s.start, s.start, model_choice(s.builder, branches, 2, NOWHERE));
    // Taken twice: from 2 over 3 (b was true, is false now) to 4 (b was false, is true now).
    const struct term *wanted[] = {s.a->term, s.b->term, is(&s, 4)};
    edge(&s, s.start, s.error, assume(&s, is(&s, 9)));
    edge(&s, s.start, s.error, assume(&s, term_and(s.store, wanted, 3)));
    model_builder_initial(s.builder, s.start, number(&s, 2));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = reversed(source, PREPARE_SINGLE_BLOCK);
    struct oracle_answer answer = oracle_run(model, STATE_LIMIT, NULL);
    assert_int_equal(answer.verdict, VERDICT_UNSAFE);
    struct trace *trace = must_replay(answer.trace, "by hand");
    assert_int_equal(trace->step_count, 3);
    assert_ptr_equal(trace->steps[2].edge, source->edges[2]);
    assert_int_equal(value_of(trace, 0, "n"), 2);
    assert_int_equal(value_of(trace, 1, "n"), 3);
    assert_int_equal(value_of(trace, 2, "n"), 4);
    assert_true(value_of(trace, 2, "a"));
    assert_true(value_of(trace, 2, "b"));
    // The values of the inner havoc, that nothing keeps.
    const struct statement *inner = branches[1]->child[1];
    int64_t seen = -1;
    for (size_t i = 0; i < trace->steps[1].hint_count; i++)
        if (trace->steps[1].hints[i].statement == inner)
            seen = value_small_get(trace->steps[1].hints[i].value);
    assert_int_equal(seen, 0);
    trace_destroy(trace);
    oracle_answer_finish(&answer);
    model_destroy(model);
    model_destroy(source);
}

// What an initial action reads, nothing has written: it comes back as a start value.
static void start_values_come_back(void **state)
{
    (void)state;
    struct small s = begin();
    model_builder_initial(s.builder, s.start,
                          all(&s, assume(&s, is(&s, 4)),
                              set(&s, s.n, term_add2(s.store, s.n->term, term_int(s.store, 1)))));
    edge(&s, s.start, s.middle, number(&s, 0));
    edge(&s, s.middle, s.error, assume(&s, is(&s, 0)));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = reversed(source, PREPARE_SINGLE_BLOCK);
    struct oracle_answer answer = oracle_run(model, STATE_LIMIT, NULL);
    assert_int_equal(answer.verdict, VERDICT_UNSAFE);
    struct trace *trace = must_replay(answer.trace, "start values");
    assert_int_equal(value_small_get(trace->start[s.n->index]), 4);
    assert_int_equal(value_of(trace, 0, "n"), 5);
    trace_destroy(trace);
    oracle_answer_finish(&answer);
    model_destroy(model);
    model_destroy(source);
}

static void a_model_may_start_in_its_error(void **state)
{
    (void)state;
    for (int possible = 0; possible < 2; possible++) {
        struct small s = begin();
        edge(&s, s.start, s.error, number(&s, 1));
        model_builder_initial(s.builder, s.error, assume(&s, term_bool(s.store, possible)));
        struct model *source = model_builder_finish(s.builder);
        struct model *model = reversed(source, PREPARE_SINGLE_BLOCK);
        struct oracle_answer answer = oracle_run(model, STATE_LIMIT, NULL);
        assert_int_equal(answer.verdict, possible ? VERDICT_UNSAFE : VERDICT_SAFE);
        if (answer.trace != NULL) {
            struct trace *trace = must_replay(answer.trace, "start in the error");
            assert_int_equal(trace->step_count, 0);
            trace_destroy(trace);
        }
        oracle_answer_finish(&answer);
        model_destroy(model);
        model_destroy(source);
    }
}

static void without_an_error_edge_nothing_begins(void **state)
{
    (void)state;
    struct small s = begin();
    edge(&s, s.start, s.middle, number(&s, 1));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = reversed(source, PREPARE_LARGE_BLOCK);
    assert_int_equal(oracle_decide(model, STATE_LIMIT), VERDICT_SAFE);
    model_destroy(model);
    model_destroy(source);
}

// a and b are swapped for ever, so they differ for ever: backwards, equal ones stay equal.
static void a_closed_set_without_start_is_a_proof(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *swap[] = {
        set(&s, s.n, term_ite(s.store, s.a->term, term_int(s.store, 1), term_int(s.store, 0))),
        set(&s, s.a, s.b->term), set(&s, s.b, is(&s, 1))};
    edge(&s, s.start, s.start, model_sequence(s.builder, swap, 3, NOWHERE));
    edge(&s, s.start, s.error, assume(&s, term_iff(s.store, s.a->term, s.b->term)));
    model_builder_initial(
        s.builder, s.start,
        all(&s, set(&s, s.a, term_true(s.store)), set(&s, s.b, term_false(s.store))));
    struct model *source = model_builder_finish(s.builder);
    struct model *model = reversed(source, PREPARE_SINGLE_BLOCK);
    struct term_store *store = term_store_create(model->store);
    struct oracle_answer answer = oracle_run(model, STATE_LIMIT, store);
    assert_int_equal(answer.verdict, VERDICT_SAFE);
    const struct term **middle = prepare_lift_invariant(model, store, answer.invariant);
    const struct term **lifted = prepare_lift_invariant(model->source, store, middle);
    struct text why;
    text_init(&why);
    assert_int_equal(certify_invariant(source, store, lifted, "z3", NULL, &why), CERTIFY_ACCEPTED);
    // The set itself, not its complement, is none: the check can fail.
    lifted[s.start->index] = term_not(store, lifted[s.start->index]);
    assert_int_equal(certify_invariant(source, store, lifted, "z3", NULL, &why), CERTIFY_REFUSED);
    text_finish(&why);
    memory_free(middle);
    memory_free(lifted);
    oracle_answer_finish(&answer);
    term_store_destroy(store);
    model_destroy(model);
    model_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_runs_are_runs_of_the_model),
        cmocka_unit_test(runs_begin_where_the_error_is_entered),
        cmocka_unit_test(several_entries_need_a_location),
        cmocka_unit_test(decisions_come_back_exactly),
        cmocka_unit_test(start_values_come_back),
        cmocka_unit_test(a_model_may_start_in_its_error),
        cmocka_unit_test(without_an_error_edge_nothing_begins),
        cmocka_unit_test(a_closed_set_without_start_is_a_proof),
    };
    return cmocka_run_group_tests_name("reverse", tests, NULL, NULL);
}
