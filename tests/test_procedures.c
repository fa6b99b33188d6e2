#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "certify/certify.h"
#include "tests/engine_run.h"
#include "tests/oracle.h"
#include "tests/procedures_model.h"

// Summaries of procedures: what counts as a proof, and whether the engine finds one.

struct proof {
    struct model *model;
    const struct procedures *view;
    struct term_store *store;
    const struct term **formulas;
};

static const struct location *find(const struct model *model, const char *name)
{
    for (uint32_t l = 0; l < model->location_count; l++)
        if (strcmp(model->locations[l]->name, name) == 0)
            return model->locations[l];
    fail_msg("no location %s", name);
    return NULL;
}

static const struct term *same(const struct proof *p, const char *a, const char *b)
{
    return term_eq(p->store, model_find_variable(p->view->model, a)->term,
                   model_find_variable(p->view->model, b)->term);
}

static void give(struct proof *p, const char *location, const struct term *formula)
{
    p->formulas[find(p->view->model, location)->index] = formula;
}

// f(n) = 5.
static struct proof begin(enum procedures_kind kind)
{
    struct proof p = {.model = procedures_model(kind)};
    p.view = procedures_of(p.model);
    assert_non_null(p.view);
    p.store = term_store_create(p.view->model->store);
    p.formulas = memory_zalloc((p.view->model->location_count + 1) * sizeof(*p.formulas));
    give(&p, "entry", term_true(p.store));
    give(&p, "exit",
         term_eq(p.store, model_find_variable(p.view->model, "result")->term,
                 term_bv(p.store, 8, 5)));
    return p;
}

static enum certify_result judge(struct proof *p)
{
    struct text why;
    text_init(&why);
    enum certify_result result = CERTIFY_REFUSED;
    struct model *contracts = procedures_contracts(p->view, p->store, p->formulas, &why);
    if (contracts != NULL)
        result = certify_invariant(contracts, contracts->store, p->formulas, "z3", NULL, &why);
    assert_true((result == CERTIFY_ACCEPTED) == (why.length == 0));
    model_destroy(contracts);
    text_finish(&why);
    memory_free(p->formulas);
    term_store_destroy(p->store);
    model_destroy(p->model);
    return result;
}

static void a_summary_is_a_proof(void **state)
{
    (void)state;
    struct proof p = begin(PROCEDURES_SAFE);
    assert_int_equal(judge(&p), CERTIFY_ACCEPTED);
}

static void a_wrong_summary_is_none(void **state)
{
    (void)state;
    struct proof p = begin(PROCEDURES_UNSAFE);
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_SAFE);
    give(&p, "exit", term_true(p.store)); // too weak for main
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_UNSAFE);
    give(&p, "exit", term_false(p.store)); // the procedure does end
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_UNSAFE);
    give(&p, "entry", term_false(p.store)); // and is called
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
}

static void contracts_speak_of_inputs_and_outputs(void **state)
{
    (void)state;
    struct proof p = begin(PROCEDURES_SAFE);
    give(&p, "entry", same(&p, "n", "below"));
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_SAFE);
    give(&p, "entry", same(&p, "n", "result"));
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_SAFE);
    give(&p, "exit", same(&p, "result", "x"));
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_SAFE);
    give(&p, "exit", NULL);
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
}

static void a_view_that_breaks_its_word_proves_nothing(void **state)
{
    (void)state;
    struct proof p = begin(PROCEDURES_SAFE); // a call that is given what it changes
    p.view->calls[1].inputs[0] = p.view->calls[1].outputs[0]->term;
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_SAFE); // a result that goes where the call changes nothing
    p.view->calls[0].outputs[0] = model_find_variable(p.view->model, "x");
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
    p = begin(PROCEDURES_SAFE); // an input that the body changes
    p.view->procedures[0].inputs[0] = model_find_variable(p.view->model, "down");
    assert_int_equal(judge(&p), CERTIFY_REFUSED);
}

static enum verdict run(enum procedures_kind kind, const char *text)
{
    struct engine_run run;
    struct progress progress;
    struct model *model = procedures_model(kind);
    engine_run_prepare(&run, model, text, &progress);
    run.environment.step_limit = 1000;
    engine_run_start(&run);
    enum verdict verdict = run.result.verdict;
    if (verdict == VERDICT_SAFE) {
        struct text why;
        text_init(&why);
        const struct procedures *view = procedures_of(model);
        struct model *contracts =
            procedures_contracts(view, run.result.procedures_store, run.result.procedures, &why);
        assert_non_null(contracts);
        assert_int_equal(
            certify_invariant(contracts, contracts->store, run.result.procedures, "z3", NULL, &why),
            CERTIFY_ACCEPTED);
        model_destroy(contracts);
        text_finish(&why);
    }
    engine_run_finish(&run);
    model_destroy(model);
    return verdict;
}

static void the_engine_finds_no_wrong_proof(void **state)
{
    (void)state;
    assert_int_equal(run(PROCEDURES_UNSAFE, "engine=procedures"), VERDICT_UNKNOWN);
    assert_int_equal(run(PROCEDURES_UNSAFE, "engine=procedures,integers=false"), VERDICT_UNKNOWN);
}

static void the_engine_finds_a_proof(void **state)
{
    (void)state;
    assert_int_equal(run(PROCEDURES_SAFE, "engine=procedures"), VERDICT_SAFE);
    assert_int_equal(run(PROCEDURES_SAFE, "engine=procedures,integers=false"), VERDICT_SAFE);
    assert_int_equal(run(PROCEDURES_TWO, "engine=procedures"), VERDICT_SAFE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_summary_is_a_proof),
        cmocka_unit_test(a_wrong_summary_is_none),
        cmocka_unit_test(contracts_speak_of_inputs_and_outputs),
        cmocka_unit_test(a_view_that_breaks_its_word_proves_nothing),
        cmocka_unit_test(the_engine_finds_no_wrong_proof),
        cmocka_unit_test(the_engine_finds_a_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
