#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <strings.h>

#include "configs/options.h"
#include "engines/registry/registry.h"

static void every_option_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_description *d = option_describe(i);
        assert_int_equal(option_find(d->name), i);
        assert_true(d->help[0] != '\0');
    }
    assert_int_equal(option_find("DOMAIN"), OPTION_DOMAIN);
    assert_int_equal(option_find("domains"), -1);
    assert_int_equal(option_find(""), -1);
}

static void defaults_are_legal_values(void **state)
{
    (void)state;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_description *d = option_describe(i);
        assert_true(d->standard >= d->least && d->standard <= d->greatest);
        if (d->type == OPTION_TYPE_ENUM)
            assert_int_equal(option_value_option((enum option_value)d->standard), i);
    }
}

static void every_value_is_found_by_its_name_in_its_own_option_only(void **state)
{
    (void)state;
    for (int v = 0; v < OPTION_VALUE_COUNT; v++) {
        enum option owner = option_value_option(v);
        const char *name = option_value_name(v);
        assert_int_equal(option_describe(owner)->type, OPTION_TYPE_ENUM);
        assert_int_equal(option_value_find(owner, name), v);
        assert_true(option_value_help(v)[0] != '\0');
        for (int i = 0; i < OPTION_COUNT; i++)
            assert_int_not_equal(option_value_find(i, name), i == (int)owner ? -1 : v);
    }
    assert_int_equal(option_value_find(OPTION_DOMAIN, "pred_cart"), DOMAIN_PRED_CART);
    assert_int_equal(option_value_find(OPTION_DOMAIN, "BFS"), -1);
    assert_int_equal(option_value_find(OPTION_SEARCH, "BFS"), SEARCH_BFS);
}

static void engine_names_are_those_of_the_engines(void **state)
{
    (void)state;
    size_t count = 0;
    for (int v = 0; v < OPTION_VALUE_COUNT; v++)
        if (option_value_option((enum option_value)v) == OPTION_ENGINE) {
            assert_non_null(engine_all()[count]);
            assert_string_equal(option_value_name((enum option_value)v),
                                engine_all()[count++]->name);
        }
    assert_null(engine_all()[count]);
}

static void solvers_that_count_steps_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool limit;
    } cases[] = {
        {"z3", true},
        {"cvc5", true},
        {"smtlib:z3 -in", true},
        {"smtlib: /usr/bin/cvc5 --lang /a/b", true},
        {"smtlib:/z3/yices", false},
        {"smtlib:z33", false},
        {"smtlib:z3/", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(solver_name_has_limit(cases[i].name), cases[i].limit);
}

static void solvers_are_compared_by_their_program(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
        bool same;
    } cases[] = {
        {"z3", "z3", true},
        {"z3", "cvc5", false},
        {"z3", "smtlib:z3 -in", true},
        {"z3", "smtlib: /usr/bin/z3 -in", true},
        {"smtlib:z3 -in", "smtlib:/opt/z3-4.13.0 -in -smt2", true},
        {"z3", "smtlib:timeout 10 /opt/bin/z3 -in", true},
        {"cvc5", "cvc5-lib", true},
        {"cvc5", "smtlib:cvc5 --lang smt2", true},
        {"z3", "smtlib:z3str", false},
        {"z3", "smtlib:/z3/yices", false},
        {"smtlib:yices-smt2 --incremental", "smtlib:/usr/bin/yices-smt2", true},
        {"smtlib:yices-smt2", "smtlib:mathsat", false},
        {"z3", "", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(solver_name_same_program(cases[i].one, cases[i].other), cases[i].same);
        assert_int_equal(solver_name_same_program(cases[i].other, cases[i].one), cases[i].same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_found_by_its_name),
        cmocka_unit_test(defaults_are_legal_values),
        cmocka_unit_test(every_value_is_found_by_its_name_in_its_own_option_only),
        cmocka_unit_test(solvers_that_count_steps_are_known),
        cmocka_unit_test(solvers_are_compared_by_their_program),
        cmocka_unit_test(engine_names_are_those_of_the_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
