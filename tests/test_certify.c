#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/clock.h"
#include "certify/panel.h"
#include "tests/oracle.h"

static const struct position NOWHERE = {0};

struct small {
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *x, *y;
    struct location *start, *end, *error;
};

static struct small begin(void)
{
    struct small s = {.builder = model_builder_create(&dialect_plain, "small", NULL)};
    s.store = model_builder_store(s.builder);
    s.x = model_builder_variable(s.builder, "x", sort_int(s.store), 0, NOWHERE);
    s.y = model_builder_variable(s.builder, "y", sort_int(s.store), 0, NOWHERE);
    s.start = model_builder_location(s.builder, "start", PHASE_NONE, true);
    s.end = model_builder_location(s.builder, "end", PHASE_NONE, true);
    s.error = model_builder_location(s.builder, "error", PHASE_NONE, true);
    model_builder_initial(s.builder, s.start, NULL);
    model_builder_error(s.builder, s.error);
    return s;
}

static bool refuses(const struct trace *trace, struct text *why)
{
    (void)trace;
    text_add(why, "the language knows better");
    return false;
}

static const struct term *number(struct small *s, int64_t n)
{
    return term_int(s->store, n);
}

static struct statement *set(struct small *s, const struct variable *v, int64_t n)
{
    return model_assign(s->builder, v, number(s, n), NOWHERE);
}

static struct statement *assume_is(struct small *s, const struct term *a, int64_t n)
{
    return model_assume(s->builder, term_eq(s->store, a, number(s, n)), NOWHERE);
}

static struct edge *edge(struct small *s, struct location *from, struct location *to,
                         struct statement *action)
{
    return model_builder_edge(s->builder, from, to, action, NULL, NOWHERE);
}

static void must_replay(struct trace *trace)
{
    struct text why;
    text_init(&why);
    if (!certify_replay(trace, &why))
        fail_msg("%s", text_string(&why));
    text_finish(&why);
}

static void must_fail(struct trace *trace, const char *expected)
{
    struct text why;
    text_init(&why);
    assert_false(certify_replay(trace, &why));
    assert_string_equal(text_string(&why), expected);
    assert_null(trace->initial.state);
    text_finish(&why);
}

static void test_states_and_events_are_filled(void **state)
{
    (void)state;
    struct small s = begin();
    struct edge *first = edge(&s, s.start, s.end, set(&s, s.x, 3));
    struct edge *last = edge(&s, s.end, s.error, assume_is(&s, s.x->term, 3));
    struct model *model = model_builder_finish(s.builder);
    struct trace *trace = trace_create(model);
    trace->start[1] = value_small(8);
    trace_add_step(trace, first);
    trace_add_step(trace, last);
    must_replay(trace);
    must_replay(trace); // a second time is fine
    assert_int_equal(value_small_get(trace->initial.state[0]), 0);
    assert_int_equal(value_small_get(trace->steps[0].state[0]), 3);
    assert_int_equal(value_small_get(trace->steps[1].state[1]), 8);
    assert_int_equal(trace->steps[0].event_count, 1);
    assert_ptr_equal(trace->steps[0].events[0].statement, first->action);
    trace_destroy(trace);
    model_destroy(model);
}

static void test_wrong_traces_are_refused(void **state)
{
    (void)state;
    struct small s = begin();
    struct edge *first = edge(&s, s.start, s.end, set(&s, s.x, 3));
    struct edge *last = edge(&s, s.end, s.error,
                             model_assume(s.builder, term_eq(s.store, s.x->term, number(&s, 4)),
                                          (struct position){.line = 12}));
    struct model *model = model_builder_finish(s.builder);
    struct trace *trace = trace_create(model);
    must_fail(trace, "the run ends in start, not in the error location");
    trace_add_step(trace, first);
    must_fail(trace, "the run ends in end, not in the error location");
    trace_add_step(trace, first);
    must_fail(trace, "step 2: its edge starts in start, but the run is in end");
    trace->steps[1].edge = last;
    must_fail(trace, "step 2 (end -> error), line 12: the assumption does not hold: x = 4");
    struct edge stranger = *last;
    trace->steps[1].edge = &stranger;
    must_fail(trace, "step 2: its edge is not of this model");
    trace->steps[1].edge = last;
    trace->start[0] = term_value(term_rat(trace->store, 1, 2));
    must_fail(trace, "the start value of x is not of its sort");
    trace_destroy(trace);
    model_destroy(model);
}

static void test_hints_decide(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *two[] = {set(&s, s.x, 1), set(&s, s.x, 2)};
    struct statement *parts[] = {model_choice(s.builder, two, 2, NOWHERE),
                                 model_havoc(s.builder, s.y, NOWHERE)};
    const struct statement *choice = parts[0], *havoc = parts[1];
    struct edge *first = edge(&s, s.start, s.end, model_sequence(s.builder, parts, 2, NOWHERE));
    struct statement *tests[] = {assume_is(&s, s.x->term, 2), assume_is(&s, s.y->term, 5)};
    struct edge *last = edge(&s, s.end, s.error, model_sequence(s.builder, tests, 2, NOWHERE));
    struct model *model = model_builder_finish(s.builder);
    struct trace *trace = trace_create(model);
    trace_add_step(trace, first);
    trace_add_step(trace, last);
    must_fail(trace, "step 2 (end -> error): the assumption does not hold: y = 5");
    trace_add_hint(trace, &trace->steps[0], havoc, s.y->sort, value_small(5));
    must_replay(trace); // the choice is searched, over the end of its step
    assert_int_equal(value_small_get(trace->steps[0].events[0].value), 1);
    trace_add_hint(trace, &trace->steps[0], choice, NULL, value_small(0));
    must_fail(trace, "step 2 (end -> error): the assumption does not hold: x = 2");
    trace->steps[0].hints[1].value = value_small(2);
    must_fail(trace, "step 1: hint 1 has no value of its statement");
    trace_destroy(trace);
    model_destroy(model);
}

// Ten choices in a row, each of which must take its last branch.
static void test_search_goes_back_far_enough(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *parts[11];
    for (int i = 0; i < 10; i++) {
        const struct term *more = term_add2(s.store, s.x->term, number(&s, 1));
        struct statement *two[] = {model_skip(s.builder, NOWHERE),
                                   model_assign(s.builder, s.x, more, NOWHERE)};
        parts[i] = model_choice(s.builder, two, 2, NOWHERE);
    }
    parts[10] = assume_is(&s, s.x->term, 10);
    struct edge *only = edge(&s, s.start, s.error, model_sequence(s.builder, parts, 11, NOWHERE));
    struct model *model = model_builder_finish(s.builder);
    struct trace *trace = trace_create(model);
    trace_add_step(trace, only);
    must_replay(trace);
    assert_int_equal(value_small_get(trace->steps[0].state[0]), 10);
    trace_destroy(trace);
    model_destroy(model);
}

static void the_language_has_the_last_word(void **state)
{
    (void)state;
    static const struct dialect stubborn = {
        .name = "stubborn", .terms = PRINT_CFA, .replay = refuses};
    struct model_builder *b = model_builder_create(&stubborn, "made", NULL);
    struct location *start = model_builder_location(b, "start", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    model_builder_initial(b, start, NULL);
    model_builder_error(b, error);
    struct edge *only = model_builder_edge(b, start, error, model_skip(b, NOWHERE), NULL, NOWHERE);
    struct model *model = model_builder_finish(b);
    struct trace *trace = trace_create(model);
    trace_add_step(trace, only);
    must_fail(trace, "the language knows better");
    trace_destroy(trace);
    model_destroy(model);
}

static struct model *make_division(struct edge **only)
{
    struct small s = begin();
    const struct term *half = term_div(s.store, number(&s, 7), s.y->term);
    struct statement *parts[] = {assume_is(&s, s.y->term, 0), assume_is(&s, half, 42),
                                 model_assign(s.builder, s.x, half, NOWHERE),
                                 assume_is(&s, s.x->term, 42)};
    *only = edge(&s, s.start, s.error, model_sequence(s.builder, parts, 4, NOWHERE));
    return model_builder_finish(s.builder);
}

static void test_division_by_zero_is_one_function(void **state)
{
    (void)state;
    struct edge *only;
    struct model *model = make_division(&only);
    struct trace *trace = trace_create(model);
    trace_add_step(trace, only);
    struct text why;
    text_init(&why);
    assert_false(certify_replay(trace, &why)); // 0 when nobody says otherwise
    text_finish(&why);
    trace_destroy(trace);
    trace = trace_create(model);
    trace_add_step(trace, only);
    trace_add_division(trace, TERM_DIV, model->variables[0]->sort, value_small(7), value_small(42));
    must_replay(trace);
    trace_destroy(trace);
    model_destroy(model);
}

static void test_quantifiers_are_decided(void **state)
{
    (void)state;
    for (int wanted = 0; wanted < 2; wanted++) {
        struct small s = begin();
        // x is seven times something: true for 49, false for 50
        const struct term *i = term_var(s.store, "i", sort_int(s.store));
        const struct term *range = term_and2(s.store, term_le(s.store, number(&s, 0), i),
                                             term_le(s.store, i, number(&s, 9)));
        const struct term *seven = term_eq(
            s.store, term_add2(s.store, i, term_mul2(s.store, number(&s, 6), i)), s.x->term);
        const struct term *some =
            term_quantifier(s.store, TERM_EXISTS, &i, 1, term_and2(s.store, range, seven));
        model_builder_initial(s.builder, s.start, set(&s, s.x, wanted ? 49 : 50));
        struct edge *only = edge(&s, s.start, s.error, model_assume(s.builder, some, NOWHERE));
        struct model *model = model_builder_finish(s.builder);
        struct trace *trace = trace_create(model);
        trace_add_step(trace, only);
        struct text why;
        text_init(&why);
        assert_int_equal(certify_replay(trace, &why), wanted);
        if (!wanted)
            assert_non_null(strstr(text_string(&why), "does not hold"));
        text_finish(&why);
        trace_destroy(trace);
        model_destroy(model);
    }
}

// Invariants.

static enum certify_result judge(const struct model *model, struct term_store *store,
                                 const struct term **invariant, const char *reason)
{
    struct text why;
    text_init(&why);
    enum certify_result result = certify_invariant(model, store, invariant, "z3", NULL, &why);
    if (reason != NULL && strstr(text_string(&why), reason) == NULL)
        fail_msg("'%s' does not say '%s'", text_string(&why), reason);
    if (result == CERTIFY_ACCEPTED)
        assert_int_equal(why.length, 0);
    text_finish(&why);
    return result;
}

static void test_inductive_invariants(void **state)
{
    (void)state;
    struct small s = begin();
    struct statement *start[] = {set(&s, s.x, 0), model_havoc(s.builder, s.y, NOWHERE)};
    model_builder_initial(s.builder, s.start, model_sequence(s.builder, start, 2, NOWHERE));
    const struct term *more = term_add2(s.store, s.x->term, number(&s, 2));
    struct statement *two[] = {model_assign(s.builder, s.x, more, NOWHERE),
                               model_havoc(s.builder, s.y, NOWHERE)};
    edge(&s, s.start, s.start,
         model_if(s.builder, term_lt(s.store, s.y->term, number(&s, 5)),
                  model_choice(s.builder, two, 2, NOWHERE), model_skip(s.builder, NOWHERE),
                  NOWHERE));
    edge(&s, s.start, s.error, assume_is(&s, s.x->term, -1));
    struct model *model = model_builder_finish(s.builder);
    struct term_store *store = term_store_create(model->store);
    const struct term *x = s.x->term, *yes = term_true(store), *no = term_false(store);
    const struct term *positive = term_le(store, term_int(store, 0), x);
    const struct term *even =
        term_eq(store, term_mod(store, x, term_int(store, 2)), term_int(store, 0));
    assert_int_equal(judge(model, store, (const struct term *[]){positive, yes, no}, NULL),
                     CERTIFY_ACCEPTED);
    assert_int_equal(judge(model, store, (const struct term *[]){even, yes, no}, NULL),
                     CERTIFY_ACCEPTED);
    assert_int_equal(
        judge(model, store, (const struct term *[]){yes, yes, no}, "preserved by edge"),
        CERTIFY_REFUSED);
    assert_int_equal(judge(model, store, (const struct term *[]){no, yes, no}, "initial action"),
                     CERTIFY_REFUSED);
    assert_int_equal(judge(model, store, (const struct term *[]){yes, yes, yes}, "error location"),
                     CERTIFY_REFUSED);
    assert_int_equal(judge(model, store, (const struct term *[]){NULL, yes, no}, "on a cycle"),
                     CERTIFY_REFUSED);
    const struct term *small = term_le(store, x, term_int(store, 7));
    assert_int_equal(judge(model, store,
                           (const struct term *[]){term_and2(store, small, positive), yes, no},
                           "preserved by edge: start -> start"),
                     CERTIFY_REFUSED);
    const struct term *stranger = term_var(store, "stranger", sort_bool(store));
    assert_int_equal(judge(model, store, (const struct term *[]){stranger, yes, no}, "stranger"),
                     CERTIFY_REFUSED);
    const struct term *copy = term_eq(store, term_var_copy(store, x, 1), term_int(store, 0));
    assert_int_equal(judge(model, store, (const struct term *[]){copy, yes, no}, "no variable"),
                     CERTIFY_REFUSED);
    struct text why;
    text_init(&why);
    const struct term *proof[] = {positive, yes, no};
    assert_int_equal(certify_invariant(model, store, proof, "no such solver", NULL, &why),
                     CERTIFY_UNDECIDED);
    text_finish(&why);
    term_store_destroy(store);
    model_destroy(model);
}

// x goes round from 0 to 11, y is 0 or 1 anew each time: the states but for `missing`, and beside them that x is `fixed`,
// or, where that is negative, less than `below`.
static enum certify_result judge_states(int missing, int64_t fixed, int64_t below,
                                        const char *reason)
{
    struct small s = begin();
    struct statement *start[] = {set(&s, s.x, 0), set(&s, s.y, 0)};
    model_builder_initial(s.builder, s.start, model_sequence(s.builder, start, 2, NOWHERE));
    const struct term *more = term_add2(s.store, s.x->term, number(&s, 1));
    struct statement *step[] = {
        model_if(s.builder, term_lt(s.store, s.x->term, number(&s, 11)),
                 model_assign(s.builder, s.x, more, NOWHERE), set(&s, s.x, 0), NOWHERE),
        model_havoc(s.builder, s.y, NOWHERE),
        model_assume(s.builder, term_le(s.store, number(&s, 0), s.y->term), NOWHERE),
        model_assume(s.builder, term_le(s.store, s.y->term, number(&s, 1)), NOWHERE)};
    edge(&s, s.start, s.start, model_sequence(s.builder, step, 4, NOWHERE));
    edge(&s, s.start, s.error, assume_is(&s, s.x->term, 12));
    struct model *model = model_builder_finish(s.builder);
    struct term_store *store = term_store_create(model->store);
    const struct term *states[24];
    uint32_t count = 0;
    for (int i = 0; i < 24; i++)
        if (i != missing)
            states[count++] = term_and2(store, term_eq(store, s.x->term, term_int(store, i / 2)),
                                        term_eq(store, s.y->term, term_int(store, i % 2)));
    const struct term *all = term_or(store, states, count);
    all = term_and2(store, all,
                    fixed >= 0 ? term_eq(store, s.x->term, term_int(store, fixed))
                               : term_lt(store, s.x->term, term_int(store, below)));
    assert_int_equal(all->kind, TERM_AND);
    enum certify_result result = judge(
        model, store, (const struct term *[]){all, term_true(store), term_false(store)}, reason);
    term_store_destroy(store);
    model_destroy(model);
    return result;
}

static void test_states_beside_what_all_share(void **state)
{
    (void)state;
    assert_int_equal(judge_states(-1, -1, 12, NULL), CERTIFY_ACCEPTED);
    assert_int_equal(judge_states(-1, -1, 11, "preserved"), CERTIFY_REFUSED);
    assert_int_equal(judge_states(0, -1, 12, "initial action"), CERTIFY_REFUSED);
    for (int missing = 1; missing < 24; missing++)
        assert_int_equal(judge_states(missing, -1, 12, "preserved"), CERTIFY_REFUSED);
    assert_int_equal(judge_states(-1, 0, 0, "preserved"), CERTIFY_REFUSED);
    assert_int_equal(judge_states(-1, 3, 0, "initial action"), CERTIFY_REFUSED);
}

// The reachable states are inductive; without one of them they are not.
static void test_sets_of_states_of_random_models(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1);
    size_t accepted = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct model *model = oracle_random_model(seed);
        struct term_store *store = term_store_create(model->store);
        struct oracle_answer answer = oracle_run(model, 2000, store);
        if (answer.verdict == VERDICT_SAFE && answer.states < 200) {
            assert_int_equal(judge(model, store, answer.invariant, NULL), CERTIFY_ACCEPTED);
            accepted++;
            uint32_t l = (uint32_t)random_below(&random, model->location_count);
            bool reached = !term_is_false(answer.invariant[l]);
            answer.invariant[l] = term_false(store);
            assert_int_equal(judge(model, store, answer.invariant, NULL),
                             reached ? CERTIFY_REFUSED : CERTIFY_ACCEPTED);
        }
        oracle_answer_finish(&answer);
        term_store_destroy(store);
        model_destroy(model);
    }
    assert_true(accepted > 10);
}

// Nothing proves an unsafe model safe.
static void test_unsafe_models_have_no_invariant(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct model *model = oracle_random_model(seed);
        if (oracle_decide(model, 10000) == VERDICT_UNSAFE) {
            const struct term **invariant =
                memory_alloc(model->location_count * sizeof(*invariant));
            for (uint32_t l = 0; l < model->location_count; l++)
                invariant[l] = model->locations[l] == model->error ? term_false(model->store)
                                                                   : term_true(model->store);
            assert_int_equal(judge(model, model->store, invariant, NULL), CERTIFY_REFUSED);
            memory_free(invariant);
        }
        model_destroy(model);
    }
}

// Several checkers.

static bool is_set(void *context)
{
    return *(bool *)context;
}

// Programs stand for solvers: one that never answers, one that ends at once.
#define SILENT "smtlib:sleep 1000"
#define BROKEN "smtlib:false"

static void test_a_panel_takes_whoever_decides(void **state)
{
    (void)state;
    static const struct {
        const char *checkers[4];
        bool holds; // is the invariant one?
        double seconds;
        bool unwanted;
        enum certify_result result;
        const char *by, *why;
    } cases[] = {
        {{"z3"}, true, 600, false, CERTIFY_ACCEPTED, "z3", ""},
        {{"z3"}, false, 600, false, CERTIFY_REFUSED, "z3", "not preserved"},
        {{SILENT, "z3"}, true, 600, false, CERTIFY_ACCEPTED, "z3", ""},
        {{BROKEN, "z3"}, true, 600, false, CERTIFY_ACCEPTED, "z3", ""},
        {{BROKEN, SILENT, "z3"}, false, 600, false, CERTIFY_REFUSED, "z3", "not preserved"},
        {{"cadical"}, true, 600, false, CERTIFY_UNDECIDED, NULL, "cadical: "}, // integers
        {{BROKEN}, true, 600, false, CERTIFY_UNDECIDED, NULL, BROKEN},
        {{SILENT}, true, 0.02, false, CERTIFY_UNDECIDED, NULL, "the time for it was up"},
        {{SILENT, SILENT}, true, 600, true, CERTIFY_UNDECIDED, NULL, "asked to stop"},
    };
    struct small s = begin();
    model_builder_initial(s.builder, s.start, set(&s, s.x, 0));
    edge(&s, s.start, s.start,
         model_assign(s.builder, s.x, term_add2(s.store, s.x->term, number(&s, 1)), NOWHERE));
    edge(&s, s.start, s.error, assume_is(&s, s.x->term, -1));
    struct model *model = model_builder_finish(s.builder);
    const struct term *good[] = {term_le(s.store, number(&s, 0), s.x->term), term_true(s.store),
                                 NULL};
    const struct term *bad[] = {term_le(s.store, s.x->term, number(&s, 3)), term_true(s.store),
                                NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct term_store *store = term_store_create(model->store);
        bool unwanted = cases[i].unwanted;
        _Atomic int64_t cpu_ns = 0;
        const struct panel panel = {
            .model = model,
            .store = store,
            .invariant = cases[i].holds ? good : bad,
            .checkers = cases[i].checkers,
            .until_ns = clock_wall_ns() + (int64_t)(cases[i].seconds * 1e9),
            .patience_ns = 1000000,
            .unwanted = is_set,
            .context = &unwanted,
            .cpu_account = &cpu_ns,
        };
        struct panel_answer answer;
        panel_ask(&panel, &answer);
        assert_int_equal(answer.result, cases[i].result);
        if (cases[i].by != NULL)
            assert_string_equal(answer.checker, cases[i].by);
        else
            assert_null(answer.checker);
        if (strstr(text_string(&answer.why), cases[i].why) == NULL)
            fail_msg("'%s' does not say '%s'", text_string(&answer.why), cases[i].why);
        if (answer.result == CERTIFY_ACCEPTED)
            assert_int_equal(answer.why.length, 0);
        assert_false(answer.left);
        assert_true(cases[i].unwanted || cpu_ns > 0);
        panel_answer_finish(&answer);
        term_store_destroy(store);
    }
    smt_end_programs();
    model_destroy(model);
}

// What a checker of the next test looks at, long after the panel has gone on.
struct hearing {
    _Atomic bool released, gone;
};

// "deaf" hears nothing until it is released; the other accepts.
static enum certify_result judge_deaf(const char *checker, const _Atomic int *stop, void *context)
{
    (void)stop;
    struct hearing *hearing = context;
    if (strcmp(checker, "deaf") != 0)
        return CERTIFY_ACCEPTED;
    while (!atomic_load(&hearing->released))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_store(&hearing->gone, true);
    return CERTIFY_REFUSED; // too late to count
}

static void test_a_deaf_checker_is_left_behind(void **state)
{
    (void)state;
    static struct hearing hearings[2];
    static const char *const checkers[2][3] = {{"deaf", "other", NULL}, {"deaf", NULL, NULL}};
    struct small s = begin();
    edge(&s, s.start, s.end, set(&s, s.x, 3));
    struct model *model = model_builder_finish(s.builder);
    const struct term **proof = memory_zalloc(model->location_count * sizeof(*proof));
    for (int alone = 0; alone < 2; alone++) {
        const struct panel panel = {
            .model = model,
            .store = model->store,
            .invariant = proof,
            .checkers = checkers[alone],
            .until_ns = clock_wall_ns() + (alone ? 1000000 : INT64_C(600000000000)),
            .patience_ns = 1,
            .judge = judge_deaf,
            .context = &hearings[alone],
        };
        struct panel_answer answer;
        panel_ask(&panel, &answer);
        assert_true(answer.left);
        assert_int_equal(answer.result, alone ? CERTIFY_UNDECIDED : CERTIFY_ACCEPTED);
        if (alone)
            assert_non_null(strstr(text_string(&answer.why), "the time for it was up"));
        else
            assert_string_equal(answer.checker, "other");
        assert_false(atomic_load(&hearings[alone].gone));
        panel_answer_finish(&answer);
        atomic_store(&hearings[alone].released, true);
        while (!atomic_load(&hearings[alone].gone))
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    memory_free(proof);
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_has_the_last_word),
        cmocka_unit_test(test_states_and_events_are_filled),
        cmocka_unit_test(test_wrong_traces_are_refused),
        cmocka_unit_test(test_hints_decide),
        cmocka_unit_test(test_search_goes_back_far_enough),
        cmocka_unit_test(test_division_by_zero_is_one_function),
        cmocka_unit_test(test_quantifiers_are_decided),
        cmocka_unit_test(test_inductive_invariants),
        cmocka_unit_test(test_states_beside_what_all_share),
        cmocka_unit_test(test_sets_of_states_of_random_models),
        cmocka_unit_test(test_unsafe_models_have_no_invariant),
        cmocka_unit_test(test_a_panel_takes_whoever_decides),
        cmocka_unit_test(test_a_deaf_checker_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
