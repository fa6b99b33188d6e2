#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "engines/registry/registry.h"
#include "model/precision_text.h"

// Precision handed from one attempt to the next, as text.

// x and a flag with an awkward name; two locations, one with a blank in its name. x starts arbitrary,
// is checked to be positive, counted up, and the error wants it not to be.
static struct model *make_model(void)
{
    struct model_builder *b = model_builder_create(&dialect_plain, "m.cfa", NULL);
    struct term_store *store = model_builder_store(b);
    struct position at = {0};
    const struct variable *x = model_builder_variable(b, "x", sort_int(store), 0, at);
    model_builder_variable(b, "a flag", sort_bool(store), 0, at);
    struct location *start = model_builder_location(b, "start", PHASE_NONE, true);
    struct location *head = model_builder_location(b, "loop head", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    const struct term *positive = term_lt(store, term_int(store, 0), x->term);
    model_builder_initial(b, start, model_havoc(b, x, at));
    model_builder_edge(b, start, head, model_assume(b, positive, at), "check", at);
    model_builder_edge(b, head, head,
                       model_assign(b, x, term_add2(store, x->term, term_int(store, 1)), at), "up",
                       at);
    model_builder_edge(b, head, error, model_assume(b, term_not(store, positive), at), "fail", at);
    model_builder_error(b, error);
    return model_builder_finish(b);
}

struct seen {
    struct precision_item items[8];
    size_t count;
};

static void see(void *context, const struct precision_item *item)
{
    struct seen *seen = context;
    assert_true(seen->count < 8);
    seen->items[seen->count++] = *item;
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    struct model *model = make_model();
    struct term_store *store = term_store_create(model->store);
    const struct variable *x = model_find_variable(model, "x");
    const struct variable *flag = model_find_variable(model, "a flag");
    const struct precision_item items[] = {
        {.variable = x},
        {.variable = flag, .location = model->locations[1]},
        {.predicate = term_le(store, x->term, term_int(store, -5))},
        {.predicate = term_or2(store, flag->term, term_eq(store, x->term, term_int(store, 3))),
         .location = model->locations[1]},
    };
    struct text text;
    text_init(&text);
    for (size_t i = 0; i < 4; i++)
        precision_text_add(&text, store, &items[i]);
    struct seen seen = {0};
    assert_int_equal(precision_text_read(text_string(&text), model, store, see, &seen), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_ptr_equal(seen.items[i].variable, items[i].variable);
        assert_ptr_equal(seen.items[i].predicate, items[i].predicate);
        assert_ptr_equal(seen.items[i].location, items[i].location);
        assert_false(seen.items[i].elsewhere);
    }
    text_finish(&text);
    term_store_destroy(store);
    model_destroy(model);
}

static void what_means_nothing_is_passed_over(void **state)
{
    (void)state;
    struct model *model = make_model();
    struct term_store *store = term_store_create(model->store);
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"", 0},
        {"(variable gone)(variable x)", 1},
        {"(predicate (< gone 1))(predicate (< x 1))", 1},
        {"(predicate x)", 0},      // no truth value
        {"(variable (+ x 1))", 0}, // no variable
        {"(variable true)", 0},
        {"(variable x nowhere)", 1}, // a location that was prepared away
        {"(variable x)(variable", 1},
        {"(variable x) stray (variable x)", 1},
        {"(variable x)(invariant x)(variable x)", 1},
        {"(variable x |loop head| more)", 0},
        {"(bound 12 #x00ff)(variable x)", 1}, // of runs, not an element
        {"(variable x)(bound 12)(variable x)", 1},
        {"(variable)", 0},
        {")", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen = {0};
        assert_int_equal(precision_text_read(cases[i].text, model, store, see, &seen),
                         cases[i].count);
        assert_int_equal(seen.count, cases[i].count);
        assert_true(i != 6 || seen.items[0].elsewhere);
    }
    term_store_destroy(store);
    model_destroy(model);
}

static void what_is_too_large_is_left_out(void **state)
{
    (void)state;
    struct model *model = make_model();
    struct term_store *store = term_store_create(model->store);
    const struct term *x = model_find_variable(model, "x")->term, *sum = x;
    for (int i = 0; i < 12; i++)
        sum = term_mul2(store, term_add2(store, sum, x), term_add2(store, sum, x));
    struct text text;
    text_init(&text);
    precision_text_add(&text, store, &(struct precision_item){.predicate = term_le(store, sum, x)});
    assert_int_equal(text.length, 0);
    text_finish(&text);
    term_store_destroy(store);
    model_destroy(model);
}

// Runs a configuration on the model, with a precision to begin with; leaves its own in `out`.
static struct engine_result run(const struct model *model, const char *options, const char *in,
                                struct text *out, uint64_t *rounds)
{
    struct configuration configuration;
    struct messages messages;
    messages_init(&messages);
    configuration_init(&configuration, "test");
    assert_true(configuration_parse(&configuration, options, &messages));
    messages_finish(&messages);
    struct term_store *store = term_store_create(model->store);
    struct progress progress = {0};
    struct engine_environment environment = {
        .helpers = engine_all(),
        .model = model,
        .configuration = &configuration,
        .progress = &progress,
        .store = store,
        .step_limit = 500,
        .precision_in = in,
        .precision_out = out,
    };
    struct engine_result result = engine_cegar.run(&environment);
    *rounds = atomic_load(&progress.iterations);
    memory_free(result.invariant);
    result.invariant = NULL;
    configuration_finish(&configuration);
    term_store_destroy(store);
    return result;
}

// What refinement would have to find is there from the beginning, in every domain.
static void each_domain_begins_with_it(void **state)
{
    (void)state;
    static const struct {
        const char *options, *in;
        uint64_t rounds; // at most
    } cases[] = {
        {"domain=PRED_CART", NULL, 9},
        {"domain=PRED_CART", "(predicate (< 0 x))", 1},
        {"domain=PRED_BOOL", "(predicate (<= x 0))", 1},
        {"domain=PRED_SPLIT", "(predicate (< 0 x))", 1},
        {"domain=PRED_CART,precgranularity=LOCAL", "(predicate (< 0 x) |loop head|)", 1},
        {"domain=PRED_CART", "(predicate (< 0 x) |not here|)", 1},
        // What the model compares a tracked value with.
        {"domain=PRED_CART", "(variable x)", 1},
        {"domain=PRED_CART,precgranularity=LOCAL", "(variable x)", 1},
        {"domain=PRED_CART", "nonsense", 9},
    };
    struct model *model = make_model();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t rounds;
        struct engine_result result = run(model, cases[i].options, cases[i].in, NULL, &rounds);
        assert_int_equal(result.verdict, VERDICT_SAFE);
        if (cases[i].rounds == 1) {
            assert_int_equal(rounds, 1);
            assert_non_null(strstr(result.notes, "it began with a precision of "));
        } else {
            assert_true(rounds > 1);
            assert_null(strstr(result.notes, "it began with"));
        }
    }
    model_destroy(model);
}

static void an_attempt_without_an_answer_leaves_it(void **state)
{
    (void)state;
    static const struct {
        const char *options, *in, *part;
    } cases[] = {
        {"domain=EXPL,maxenum=1", NULL, "(variable x)\n"},
        {"domain=EXPL,maxenum=1,precgranularity=LOCAL", "(variable x |loop head|)",
         "(variable x |loop head|)\n"},
        {"domain=EXPL,maxenum=1", "(predicate (< x 7))", "(variable x)\n"},
    };
    struct model *model = make_model();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out;
        uint64_t rounds;
        text_init(&out);
        struct engine_result result = run(model, cases[i].options, cases[i].in, &out, &rounds);
        assert_int_equal(result.verdict, VERDICT_UNKNOWN);
        assert_non_null(strstr(text_string(&out), cases[i].part));
        text_finish(&out);
    }
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_means_nothing_is_passed_over),
        cmocka_unit_test(what_is_too_large_is_left_out),
        cmocka_unit_test(each_domain_begins_with_it),
        cmocka_unit_test(an_attempt_without_an_answer_leaves_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
