#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "certify/certificate.h"
#include "model/prepare.h"
#include "tests/oracle.h"
#include "tests/part.h"

// Certificates are written, read back and checked on the source model; what was changed is refused.

static struct prepare_options preparation(unsigned i)
{
    return (struct prepare_options){
        .encoding = i & 1 ? PREPARE_LARGE_BLOCK : PREPARE_SINGLE_BLOCK,
        .propagate_constants = (i & 2) != 0,
        .cone_of_influence = (i & 4) != 0,
        .split_choices = (i & 8) != 0,
        .split_limit = 16,
    };
}

static enum certify_result check_text(const struct model *model, const char *text, struct text *why)
{
    struct messages messages;
    messages_init(&messages);
    struct certificate *certificate = certificate_read("proof", text, strlen(text), &messages);
    if (certificate == NULL)
        fail_msg("%s: %s", messages.items[0].text, text);
    messages_finish(&messages);
    enum certify_result result = certificate_check(certificate, model, "z3", NULL, NULL, why);
    certificate_destroy(certificate);
    return result;
}

static void begin(struct text *out, bool safe)
{
    static const char *const solvers[] = {"z3", "smtlib:cvc5 --lang \"smt2\", x"};
    struct certificate_header header = {safe,      "m \"x\".cfa", "1",     "2",
                                        "regatta", "any",         solvers, 2};
    text_init(out);
    certificate_print_header(out, &header);
}

static void expect(const struct model *model, const char *text, enum certify_result wanted,
                   const char *reason)
{
    struct text why;
    text_init(&why);
    enum certify_result result = check_text(model, text, &why);
    if (result != wanted || (reason != NULL && strstr(text_string(&why), reason) == NULL))
        fail_msg("%d, not %d: '%s' for\n%s", result, wanted, text_string(&why), text);
    text_finish(&why);
}

static void check_lifted(const struct model *source, const struct model *prepared)
{
    struct term_store *store = term_store_create(prepared->store);
    struct oracle_answer answer = oracle_run(prepared, 2000, store);
    if (answer.verdict == VERDICT_SAFE && answer.states < 300) {
        const struct term **lifted = prepare_lift_invariant(prepared, store, answer.invariant);
        struct text text;
        begin(&text, true);
        certificate_print_invariant(&text, source, lifted);
        expect(source, text_string(&text), CERTIFY_ACCEPTED, NULL);
        text_finish(&text);
        memory_free(lifted);
    }
    oracle_answer_finish(&answer);
    term_store_destroy(store);
}

// What proves a prepared model safe proves its source safe, whatever preparation did.
static void test_invariants_of_prepared_models(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= part_models(60, 10); seed++) {
        struct model *source = oracle_random_model(seed);
        if (oracle_decide(source, 2000) == VERDICT_SAFE)
            for (unsigned i = 0; i < 16; i++) {
                struct prepare_options options = preparation(i);
                struct model *prepared = prepare_model(source, &options, NULL);
                check_lifted(source, prepared);
                model_destroy(prepared);
            }
        model_destroy(source);
    }
}

static void replace(struct text *text, const char *from, const char *to)
{
    char *all = text_steal(text);
    char *at = strstr(all, from);
    assert_non_null(at);
    text_add_bytes(text, all, (size_t)(at - all));
    text_add(text, to);
    text_add(text, at + strlen(from));
    memory_free(all);
}

static struct trace *shortest(const struct model *model)
{
    struct oracle_answer answer = oracle_run(model, 2000, NULL);
    struct trace *trace = answer.trace;
    answer.trace = NULL;
    oracle_answer_finish(&answer);
    struct text why;
    text_init(&why);
    if (trace != NULL && !certify_replay(trace, &why))
        fail_msg("%s", text_string(&why));
    text_finish(&why);
    return trace;
}

// Puts another integer where `(state` says that the n-th variable has one. False when it has none.
static bool change_state(struct text *text, size_t n)
{
    char *at = text->data;
    for (size_t i = 0; at != NULL && i <= n; i++) {
        at = strstr(at, "(state (");
        at = at != NULL ? strchr(at, ')') : NULL;
    }
    if (at == NULL || at[-1] < '0' || at[-1] > '9')
        return false;
    at[-1] = at[-1] == '9' ? '8' : (char)(at[-1] + 1);
    return true;
}

static void test_traces(void **state)
{
    (void)state;
    size_t traces = 0, changed = 0;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        struct model *model = oracle_random_model(seed);
        struct trace *trace = oracle_decide(model, 2000) == VERDICT_UNSAFE ? shortest(model) : NULL;
        struct text text;
        begin(&text, false);
        if (trace != NULL) {
            certificate_print_trace(&text, trace);
            expect(model, text_string(&text), CERTIFY_ACCEPTED, NULL);
            traces++;
            if (change_state(&text, trace->step_count / 2)) {
                expect(model, text_string(&text), CERTIFY_REFUSED, "the certificate says");
                changed++;
            }
        }
        text_finish(&text);
        trace_destroy(trace);
        model_destroy(model);
    }
    assert_true(traces > 20);
    assert_true(changed > 5);
}

// One location with x := 0; x := x + 2 in a loop, error when x = 7, and a red or green light.
static struct model *small_model(void)
{
    static const char *const colours[] = {"red", "green"};
    const struct position nowhere = {0};
    struct model_builder *b = model_builder_create(&dialect_plain, "small", NULL);
    struct term_store *store = model_builder_store(b);
    const struct variable *x = model_builder_variable(b, "x", sort_int(store), 0, nowhere);
    const struct variable *light =
        model_builder_variable(b, "light", sort_enum(store, "Colour", colours, 2), 0, nowhere);
    const struct variable *a = model_builder_variable(
        b, "a", sort_array(store, sort_int(store), sort_bv(store, 8)), 0, nowhere);
    struct location *start = model_builder_location(b, "a start", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    struct statement *init[] = {
        model_assign(b, x, term_int(store, 0), nowhere),
        model_assign(b, light, term_enum(store, light->sort, 1), nowhere),
        model_assign(b, a, term_default(store, a->sort), nowhere),
    };
    struct statement *two[] = {
        model_havoc(b, light, nowhere),
        model_assign(b, x, term_add2(store, x->term, term_int(store, 2)), nowhere),
    };
    model_builder_initial(b, start, model_sequence(b, init, 3, nowhere));
    model_builder_error(b, error);
    model_builder_edge(b, start, start, model_sequence(b, two, 2, nowhere), "more", nowhere);
    model_builder_edge(b, start, error,
                       model_assume(b, term_eq(store, x->term, term_int(store, 7)), nowhere),
                       "seven", nowhere);
    return model_builder_finish(b);
}

static void test_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum certify_result result;
        const char *reason;
    } cases[] = {
        {"(define-fun |inv.a start| ((x Int)) Bool (= (mod x 2) 0))", CERTIFY_ACCEPTED, NULL},
        {"(define-fun |inv.a start| ((x Int) (light |Colour|)) Bool (let ((e (= (mod x 2) 0)))"
         " (and e (or (= light |Colour.red|) (= light |Colour.green|)))))\n"
         "(define-fun inv.error () Bool false)",
         CERTIFY_ACCEPTED, NULL},
        {"(define-fun |inv.a start| ((x Int) (a (Array Int (_ BitVec 8)))) Bool"
         " (and (= (select a x) #x00) (= a ((as const (Array Int (_ BitVec 8))) (_ bv0 8)))"
         " (exists ((k Int)) (and (= x k) (= (mod k 2) 0)))))",
         CERTIFY_ACCEPTED, NULL},
        {"(define-fun |inv.a start| ((x Int)) Bool (= (mod x 2) 1))", CERTIFY_REFUSED,
         "by the initial action"},
        {"(define-fun |inv.a start| ((x Int)) Bool (<= 0 x 6))", CERTIFY_REFUSED,
         "preserved by edge: more"},
        {"(define-fun |inv.a start| () Bool true)", CERTIFY_REFUSED, "preserved by edge: seven"},
        {"(define-fun |inv.a start| () Bool true)(define-fun inv.error () Bool true)",
         CERTIFY_REFUSED, "error location"},
        {"", CERTIFY_REFUSED, "cycle through location a start"},
        {"(define-fun inv.b () Bool true)", CERTIFY_REFUSED, "inv.b names no location"},
        {"(define-fun inv.error () Bool false)(define-fun inv.error () Bool false)",
         CERTIFY_REFUSED, "a second formula"},
        {"(define-fun inv.error ((y Int)) Bool false)", CERTIFY_REFUSED, "y is no variable"},
        {"(define-fun inv.error ((x Bool)) Bool false)", CERTIFY_REFUSED, "another sort"},
        {"(define-fun inv.error () Bool 5)", CERTIFY_REFUSED, "expected a term of sort Bool"},
        {"(define-fun inv.error () Bool (and x 5))", CERTIFY_REFUSED, "expected an operator"},
        {"(define-fun inv.error () Bool (z))", CERTIFY_REFUSED, "expected an operator"},
        {"(define-fun inv.error () Bool (let x))", CERTIFY_REFUSED, "found let"},
    };
    struct model *model = small_model();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text;
        begin(&text, true);
        text_add(&text, cases[i].text);
        expect(model, text_string(&text), cases[i].result, cases[i].reason);
        text_finish(&text);
    }
    model_destroy(model);
}

static void test_texts_that_are_no_certificates(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "does not say (set-info :regatta-certificate"},
        {"(set-info :regatta-certificate \"1\")", "does not say (set-info :verdict"},
        {"(set-info :regatta-certificate \"2\")", "another version"},
        {"(set-info :verdict \"maybe\")", "unknown verdict"},
        {"(set-info :verdict \"safe\"", "no end of the list"},
        {"(assert false)", "expected set-info"},
        {")", "found ')'"},
        {"|a", "no closing |"},
        {"(set-info :model 1x)", "a number or a name"},
        {"#", "a number after it"},
        {"\x01", "found byte 1"},
        {"(set-info :step 5)(set-info :regatta-certificate \"1\")(set-info :verdict \"unsafe\")",
         "expected a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct messages messages;
        messages_init(&messages);
        assert_null(certificate_read("proof", cases[i][0], strlen(cases[i][0]), &messages));
        assert_true(messages.errors > 0);
        if (strstr(messages.items[0].text, cases[i][1]) == NULL)
            fail_msg("'%s' does not say '%s'", messages.items[0].text, cases[i][1]);
        messages_finish(&messages);
    }
}

// A proof for one model says nothing about another.
static void test_other_models_are_refused(void **state)
{
    (void)state;
    struct model *small = small_model();
    struct text text;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct model *model = oracle_random_model(seed);
        struct trace *trace = oracle_decide(model, 2000) == VERDICT_UNSAFE ? shortest(model) : NULL;
        begin(&text, false);
        if (trace != NULL) {
            certificate_print_trace(&text, trace);
            expect(small, text_string(&text), CERTIFY_REFUSED, NULL);
        }
        text_finish(&text);
        begin(&text, true);
        text_add(&text, "(define-fun |inv.a start| ((x Int)) Bool (= (mod x 2) 0))");
        expect(model, text_string(&text), CERTIFY_REFUSED, "inv.a start");
        text_finish(&text);
        trace_destroy(trace);
        model_destroy(model);
    }
    model_destroy(small);
}

static void test_header_is_read_back(void **state)
{
    (void)state;
    struct text text;
    struct messages messages;
    begin(&text, true);
    messages_init(&messages);
    struct certificate *certificate = certificate_read("proof", text.data, text.length, &messages);
    assert_non_null(certificate);
    const struct certificate_header *header = certificate_header(certificate);
    assert_true(header->safe);
    assert_string_equal(header->model, "m \"x\".cfa");
    assert_string_equal(header->model_digest, "1");
    assert_string_equal(header->property_digest, "2");
    assert_int_equal(header->solver_count, 2);
    assert_string_equal(header->solvers[0], "z3");
    assert_string_equal(header->solvers[1], "smtlib:cvc5 --lang \"smt2\", x");
    certificate_destroy(certificate);
    replace(&text, "\"safe\"", "\"unsafe\"");
    certificate = certificate_read("proof", text.data, text.length, &messages);
    assert_false(certificate_header(certificate)->safe);
    certificate_destroy(certificate);
    messages_finish(&messages);
    text_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invariants_of_prepared_models),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_texts_that_are_no_certificates),
        cmocka_unit_test(test_other_models_are_refused),
        cmocka_unit_test(test_header_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
