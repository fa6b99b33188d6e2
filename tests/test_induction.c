#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "certify/certificate.h"
#include "tests/oracle.h"
#include "tests/part.h"

// Proofs by induction over several steps: what is one is accepted, what is none is not, whatever it says.

static const struct position NOWHERE = {0};

// x is 0, 1, 2, …, `turn` and then 0 again; y is an input, which nobody reads after a step. The error is where x is
// `bad` and the input 1.
struct counter {
    struct model *model;
    struct term_store *store;
    const struct term *x, *y;
    const struct term *formulas[2]; // of the loop, of the error
};

static struct statement *assume(struct model_builder *b, const struct term *condition)
{
    return model_assume(b, condition, NOWHERE);
}

static struct counter make(int64_t start, int64_t turn, int64_t bad)
{
    struct counter c = {0};
    struct model_builder *b = model_builder_create(&dialect_plain, "counter", NULL);
    struct term_store *s = model_builder_store(b);
    const struct variable *x = model_builder_variable(b, "x", sort_bv(s, 4), 0, NOWHERE);
    const struct variable *y = model_builder_variable(b, "y", sort_bv(s, 4), 0, NOWHERE);
    struct location *loop = model_builder_location(b, "loop", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    model_builder_initial(b, loop, model_assign(b, x, term_bv(s, 4, (uint64_t)start), NOWHERE));
    model_builder_error(b, error);
    const struct term *more = term_bv_binary(s, TERM_BV_ADD, x->term, term_bv(s, 4, 1));
    const struct term *at_turn = term_eq(s, x->term, term_bv(s, 4, (uint64_t)turn));
    struct statement *step[] = {
        model_assign(b, x, term_ite(s, at_turn, term_bv(s, 4, 0), more), NOWHERE),
        model_havoc(b, y, NOWHERE)};
    model_builder_edge(b, loop, loop, model_sequence(b, step, 2, NOWHERE), NULL, NOWHERE);
    struct statement *ends[] = {model_havoc(b, y, NOWHERE),
                                assume(b, term_eq(s, y->term, term_bv(s, 4, 1))),
                                assume(b, term_eq(s, x->term, term_bv(s, 4, (uint64_t)bad)))};
    model_builder_edge(b, loop, error, model_sequence(b, ends, 3, NOWHERE), NULL, NOWHERE);
    c.x = x->term;
    c.y = y->term;
    c.model = model_builder_finish(b);
    c.store = term_store_create(c.model->store);
    c.formulas[0] = term_true(c.store);
    c.formulas[1] = term_false(c.store);
    return c;
}

static void unmake(struct counter *c)
{
    term_store_destroy(c->store);
    model_destroy(c->model);
}

static enum certify_result judge(const struct model *model, struct term_store *store,
                                 const struct term *const *formulas, struct induction_rule rule,
                                 const char *reason)
{
    struct text why;
    text_init(&why);
    enum certify_result result =
        certify_invariant_owned(model, store, formulas, rule, "z3", NULL, NULL, &why);
    if (reason != NULL && strstr(text_string(&why), reason) == NULL)
        fail_msg("'%s' does not say '%s'", text_string(&why), reason);
    text_finish(&why);
    return result;
}

static void test_so_many_steps_are_needed(void **state)
{
    (void)state;
    struct counter c = make(0, 9, 12);
    for (uint32_t steps = 1; steps <= 5; steps++) {
        // 12 is preceded by 11, 10; nothing is before 10.
        enum certify_result wanted = steps < 4 ? CERTIFY_REFUSED : CERTIFY_ACCEPTED;
        struct induction_rule rule = {.steps = steps};
        assert_int_equal(judge(c.model, c.store, c.formulas, rule, NULL), wanted);
    }
    // An input that takes part in nothing makes no two states different.
    struct induction_rule rule = {.steps = 4, .distinct = true};
    assert_int_equal(judge(c.model, c.store, c.formulas, rule, NULL), CERTIFY_ACCEPTED);
    unmake(&c);
}

static void test_the_first_states_count(void **state)
{
    (void)state;
    // The error is two steps away from the start, and nothing leads back there: only the base finds it.
    struct counter c = make(10, 9, 12);
    struct induction_rule rule = {.steps = 4};
    assert_int_equal(judge(c.model, c.store, c.formulas, rule, "after 3 steps from the start"),
                     CERTIFY_REFUSED);
    rule.distinct = true;
    assert_int_equal(judge(c.model, c.store, c.formulas, rule, "from the start"), CERTIFY_REFUSED);
    // The error location itself must be false, whatever is said of it.
    c.formulas[1] = term_true(c.store);
    assert_int_equal(judge(c.model, c.store, c.formulas, rule, "error location"), CERTIFY_REFUSED);
    unmake(&c);
}

// Where x is 1 or 2 it may stay for ever, so no number of steps is enough, but one without repetition is.
static void test_distinct_states(void **state)
{
    (void)state;
    struct model_builder *b = model_builder_create(&dialect_plain, "waits", NULL);
    struct term_store *s = model_builder_store(b);
    const struct variable *x = model_builder_variable(b, "x", sort_int(s), 0, NOWHERE);
    const struct variable *y = model_builder_variable(b, "y", sort_int(s), 0, NOWHERE);
    struct location *loop = model_builder_location(b, "loop", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    model_builder_initial(b, loop, model_assign(b, x, term_int(s, 0), NOWHERE));
    model_builder_error(b, error);
    struct statement *wait[] = {assume(b, term_le(s, term_int(s, 1), x->term)),
                                assume(b, term_le(s, x->term, term_int(s, 2))),
                                model_havoc(b, y, NOWHERE)};
    model_builder_edge(b, loop, loop, model_sequence(b, wait, 3, NOWHERE), NULL, NOWHERE);
    struct statement *on[] = {assume(b, term_eq(s, x->term, term_int(s, 1))),
                              model_assign(b, x, term_int(s, 2), NOWHERE)};
    model_builder_edge(b, loop, loop, model_sequence(b, on, 2, NOWHERE), NULL, NOWHERE);
    struct statement *end[] = {model_havoc(b, y, NOWHERE), assume(b, term_eq(s, y->term, x->term)),
                               assume(b, term_eq(s, x->term, term_int(s, 2)))};
    model_builder_edge(b, loop, error, model_sequence(b, end, 3, NOWHERE), NULL, NOWHERE);
    struct model *model = model_builder_finish(b);
    struct term_store *store = term_store_create(model->store);
    const struct term *formulas[] = {term_true(store), term_false(store)};
    struct induction_rule rule = {.steps = 9};
    assert_int_equal(judge(model, store, formulas, rule, "from anywhere"), CERTIFY_REFUSED);
    rule = (struct induction_rule){.steps = 3, .distinct = true};
    assert_int_equal(judge(model, store, formulas, rule, NULL), CERTIFY_ACCEPTED);
    rule.steps = 2;
    assert_int_equal(judge(model, store, formulas, rule, "from anywhere"), CERTIFY_REFUSED);
    // What a formula speaks of may make states different; then there are always more.
    formulas[0] =
        term_or2(store, term_le(store, y->term, x->term), term_le(store, x->term, y->term));
    formulas[0] = term_and2(
        store, formulas[0],
        term_not(store, term_eq(store, term_add2(store, y->term, y->term), term_int(store, 7))));
    rule.steps = 3;
    assert_int_equal(judge(model, store, formulas, rule, NULL), CERTIFY_REFUSED);
    term_store_destroy(store);
    model_destroy(model);
}

static void test_runs_that_end(void **state)
{
    (void)state;
    struct model_builder *b = model_builder_create(&dialect_plain, "ends", NULL);
    struct term_store *s = model_builder_store(b);
    const struct variable *x = model_builder_variable(b, "x", sort_int(s), 0, NOWHERE);
    struct location *loop = model_builder_location(b, "loop", PHASE_NONE, true);
    struct location *aside = model_builder_location(b, "aside", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    model_builder_initial(b, loop, model_assign(b, x, term_int(s, 0), NOWHERE));
    model_builder_error(b, error);
    struct statement *on[] = {assume(b, term_le(s, x->term, term_int(s, 2))),
                              model_assign(b, x, term_add2(s, x->term, term_int(s, 1)), NOWHERE)};
    model_builder_edge(b, loop, loop, model_sequence(b, on, 2, NOWHERE), NULL, NOWHERE);
    model_builder_edge(b, loop, aside, model_skip(b, NOWHERE), NULL, NOWHERE);
    model_builder_edge(b, aside, aside, model_skip(b, NOWHERE), NULL, NOWHERE); // for ever
    model_builder_edge(b, loop, error, assume(b, term_eq(s, x->term, term_int(s, 7))), NULL,
                       NOWHERE);
    struct model *model = model_builder_finish(b);
    struct term_store *store = term_store_create(model->store);
    const struct term *yes = term_true(store);
    const struct term *formulas[] = {yes, yes, term_false(store)};
    struct induction_rule rule = {.steps = 3, .ends = true};
    assert_int_equal(judge(model, store, formulas, rule, "there is a run of 3 steps"),
                     CERTIFY_REFUSED);
    rule.steps = 4;
    assert_int_equal(judge(model, store, formulas, rule, NULL), CERTIFY_ACCEPTED);
    // Without the loop's formula nothing cuts the runs.
    formulas[0] = NULL;
    assert_int_equal(judge(model, store, formulas, rule, "on a cycle"), CERTIFY_REFUSED);
    term_store_destroy(store);
    model_destroy(model);
}

struct tally {
    unsigned accepted, refused, unsafe;
};

// Nothing that a rule says makes an unsafe model safe. Formulas: what is true, or sets of states of which some are left out.
static void judge_all_rules(const struct model *model, struct term_store *store,
                            const struct term *const *formulas, enum verdict expected,
                            uint64_t seed, struct tally *tally)
{
    static const uint32_t steps[] = {1, 2, 3, 6};
    for (unsigned i = 0; i < 16; i++) {
        struct induction_rule rule = {
            .steps = steps[i % 4], .distinct = (i & 4) != 0, .ends = (i & 8) != 0};
        enum certify_result result = judge(model, store, formulas, rule, NULL);
        if (result == CERTIFY_ACCEPTED && expected == VERDICT_UNSAFE)
            fail_msg("seed %llu: accepted by %u steps%s%s, but the oracle says unsafe",
                     (unsigned long long)seed, rule.steps, rule.distinct ? ", distinct" : "",
                     rule.ends ? ", ends" : "");
        tally->accepted += result == CERTIFY_ACCEPTED;
        tally->refused += result == CERTIFY_REFUSED;
    }
}

static void test_random_models(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (uint64_t seed = 1; seed <= part_models(30, 6); seed++) {
        struct model *model = oracle_random_model(seed);
        struct term_store *store = term_store_create(model->store);
        enum verdict expected = oracle_decide(model, 2000);
        if (expected != VERDICT_UNKNOWN) {
            const struct term **formulas =
                memory_zalloc((model->location_count + 1) * sizeof *formulas);
            for (uint32_t l = 0; l < model->location_count; l++)
                formulas[l] = term_bool(store, model->locations[l] != model->error);
            judge_all_rules(model, store, formulas, expected, seed, &tally);
            memory_free(formulas);
        }
        tally.unsafe += expected == VERDICT_UNSAFE;
        term_store_destroy(store);
        model_destroy(model);
    }
    print_message("# %u accepted, %u refused; %u models are unsafe\n", tally.accepted,
                  tally.refused, tally.unsafe);
    assert_true(tally.accepted > 0 && tally.refused > 0);
}

// As text and back.

static enum certify_result check_text(const struct model *model, const char *text,
                                      const char *wrong)
{
    struct messages messages;
    struct text why;
    messages_init(&messages);
    text_init(&why);
    struct certificate *certificate = certificate_read("proof", text, strlen(text), &messages);
    enum certify_result result = CERTIFY_UNDECIDED;
    if (certificate != NULL)
        result = certificate_check(certificate, model, "z3", NULL, NULL, &why);
    else if (wrong == NULL || strstr(messages.items[0].text, wrong) == NULL)
        fail_msg("%s", messages.items[0].text);
    certificate_destroy(certificate);
    messages_finish(&messages);
    text_finish(&why);
    return result;
}

static enum certify_result check_rule(const struct counter *c, const char *rule, const char *wrong)
{
    struct certificate_header header = {.safe = true,
                                        .model = "m",
                                        .model_digest = "1",
                                        .property_digest = "2",
                                        .producer = "test",
                                        .configuration = "any"};
    struct text text;
    text_init(&text);
    certificate_print_header(&text, &header);
    text_add(&text, rule);
    certificate_print_invariant(&text, c->model, c->formulas);
    enum certify_result result = check_text(c->model, text_string(&text), wrong);
    text_finish(&text);
    return result;
}

static void test_texts(void **state)
{
    (void)state;
    struct counter c = make(0, 9, 12);
    struct text rule;
    text_init(&rule);
    certificate_print_rule(&rule, (struct induction_rule){0});
    assert_int_equal(rule.length, 0);
    certificate_print_rule(&rule, (struct induction_rule){4, true, true});
    assert_string_equal(text_string(&rule), "(set-info :induction-steps 4)\n"
                                            "(set-info :distinct-states true)\n"
                                            "(set-info :runs-end true)\n");
    text_finish(&rule);
    assert_int_equal(check_rule(&c, "", NULL), CERTIFY_REFUSED);
    assert_int_equal(check_rule(&c, "(set-info :induction-steps 3)", NULL), CERTIFY_REFUSED);
    assert_int_equal(check_rule(&c, "(set-info :induction-steps 4)", NULL), CERTIFY_ACCEPTED);
    check_rule(&c, "(set-info :induction-steps 0)", "expected a number of steps");
    check_rule(&c, "(set-info :induction-steps 100001)", "expected a number of steps");
    check_rule(&c, "(set-info :induction-steps 99999999999999999999)", "expected a number");
    check_rule(&c, "(set-info :induction-steps \"4\")", "expected a number of steps");
    check_rule(&c, "(set-info :induction-steps 4)(set-info :induction-steps 5)", "said before");
    check_rule(&c, "(set-info :distinct-states yes)", "expected true");
    check_rule(&c, "(set-info :runs-end 1)", "expected true");
    unmake(&c);
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(test_so_many_steps_are_needed),
        cmocka_unit_test(test_the_first_states_count),
        cmocka_unit_test(test_distinct_states),
        cmocka_unit_test(test_runs_that_end),
        cmocka_unit_test(test_random_models),
        cmocka_unit_test(test_texts),
    };
    return part_run(count, arguments, tests);
}
