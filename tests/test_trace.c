#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "certify/certify.h"
#include "logic/terms/print.h"
#include "model/trace.h"

static struct position at(unsigned line)
{
    return (struct position){.path = "made", .line = line, .column = 1};
}

static void must_print(const struct trace *trace, enum trace_format format, const char *expected)
{
    struct text out;
    text_init(&out);
    trace_print(&out, trace, format);
    assert_string_equal(text_string(&out), expected);
    text_finish(&out);
}

static void must_replay(struct trace *trace)
{
    struct text why;
    text_init(&why);
    if (!certify_replay(trace, &why))
        fail_msg("%s", text_string(&why));
    text_finish(&why);
}

// The first example of docs/definitions/formats.md 8.1: an XSTS of three variables, one step.

struct xsts {
    struct model *model;
    struct trace *trace;
};

static const struct dialect xsts_words = {
    .name = "xsts", .terms = PRINT_XSTS, .phases = true, .print_sexpr = trace_print_xsts};
static const struct dialect sts_words = {
    .name = "sts", .terms = PRINT_CFA, .print_sexpr = trace_print_sts};

static struct xsts make_xsts(void)
{
    static const char *const COLORS[] = {"RED", "GREEN"};
    struct model_builder *b = model_builder_create(&xsts_words, "made", NULL);
    struct term_store *s = model_builder_store(b);
    const struct sort *integer = sort_int(s), *array = sort_array(s, integer, integer);
    const struct sort *color = sort_enum(s, "Color", COLORS, 2);
    const struct variable *x = model_builder_variable(b, "x", integer, 0, at(1));
    const struct variable *a = model_builder_variable(b, "a", array, 0, at(2));
    const struct variable *c = model_builder_variable(b, "c", color, 0, at(3));
    const struct variable *t = model_builder_fresh(b, "t", integer, VARIABLE_LOCAL, at(3));
    struct location *start = model_builder_location(b, "start", PHASE_START, true);
    struct location *hidden = model_builder_location(b, NULL, PHASE_NONE, false);
    struct location *stable = model_builder_location(b, "stable", PHASE_STABLE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    const struct term *zero = term_int(s, 0), *one = term_int(s, 1);
    const struct term *entries[] = {zero, one};
    struct statement *first[] = {model_assign(b, x, zero, at(1)),
                                 model_assign(b, a, term_array(s, array, zero, entries, 1), at(2)),
                                 model_assign(b, c, term_enum(s, color, 0), at(3))};
    model_builder_initial(b, start, model_sequence(b, first, 3, at(1)));
    model_builder_error(b, error);
    struct statement *init[] = {
        model_assign(b, t, term_add2(s, x->term, one), at(4)), model_assign(b, x, t->term, at(5)),
        model_assign(b, a, term_store_at(s, a->term, term_int(s, 3), term_int(s, 4)), at(6))};
    struct edge *e1 =
        model_builder_edge(b, start, hidden, model_sequence(b, init, 3, at(4)), "init 0", at(4));
    struct edge *e2 = model_builder_edge(
        b, hidden, stable, model_assign(b, c, term_enum(s, color, 1), at(7)), "init 0 end", at(7));
    const struct term *bad = term_eq(s, x->term, one);
    struct edge *e3 = model_builder_edge(b, stable, error, model_assume(b, bad, at(8)),
                                         "property violated", at(8));
    model_builder_property(b, term_not(s, bad));
    struct xsts made = {.model = model_builder_finish(b)};
    made.trace = trace_create(made.model);
    trace_add_step(made.trace, e1);
    trace_add_step(made.trace, e2);
    trace_add_step(made.trace, e3);
    must_replay(made.trace);
    return made;
}

static void finish_xsts(struct xsts *made)
{
    trace_destroy(made->trace);
    model_destroy(made->model);
}

static void test_length_counts_what_users_see(void **state)
{
    (void)state;
    struct xsts made = make_xsts();
    assert_int_equal(made.trace->step_count, 3);
    assert_int_equal(trace_length(made.trace), 1);
    finish_xsts(&made);
}

static void test_xsts_layout(void **state)
{
    (void)state;
    struct xsts made = make_xsts();
    must_print(made.trace, TRACE_SEXPR,
               "(XstsStateSequence\n"
               "  (XstsState pre_init last_env\n"
               "    (ExplState\n"
               "      (x 0)\n"
               "      (a (array (0 1) (default 0)))\n"
               "      (c RED)))\n"
               "  (XstsState post_init last_internal\n"
               "    (ExplState\n"
               "      (x 1)\n"
               "      (a (array (0 1) (3 4) (default 0)))\n"
               "      (c GREEN))))\n");
    finish_xsts(&made);
}

static void test_readable(void **state)
{
    (void)state;
    struct xsts made = make_xsts();
    must_print(made.trace, TRACE_READABLE,
               "    x := 0   // line 1\n"
               "    a := [0 <- 1, default <- 0]   // line 2\n"
               "    c := Color.RED   // line 3\n"
               "state 0 at start\n"
               "  x = 0\n"
               "  a = (array (0 1) (default 0))\n"
               "  c = RED\n"
               "step 1: init 0\n"
               "    x := t!0   // line 5\n"
               "    a := a[3 <- 4]   // line 6\n"
               "step 1: init 0 end\n"
               "    c := Color.GREEN   // line 7\n"
               "state 1 at stable\n"
               "  x = 1\n"
               "  a = (array (0 1) (3 4) (default 0))\n"
               "  c = GREEN\n"
               "error: property violated\n"
               "    assume x == 1   // line 8\n");
    finish_xsts(&made);
}

static void test_json(void **state)
{
    (void)state;
    struct xsts made = make_xsts();
    must_print(made.trace, TRACE_JSON,
               "{\n"
               "\t\"formalism\":\t\"xsts\",\n"
               "\t\"length\":\t1,\n"
               "\t\"steps\":\t[{\n"
               "\t\t\t\"location\":\t\"start\",\n"
               "\t\t\t\"action\":\tnull,\n"
               "\t\t\t\"state\":\t{\n"
               "\t\t\t\t\"x\":\t0,\n"
               "\t\t\t\t\"a\":\t\"(array (0 1) (default 0))\",\n"
               "\t\t\t\t\"c\":\t\"RED\"\n"
               "\t\t\t}\n"
               "\t\t}, {\n"
               "\t\t\t\"location\":\t\"stable\",\n"
               "\t\t\t\"action\":\t\"init 0; init 0 end\",\n"
               "\t\t\t\"state\":\t{\n"
               "\t\t\t\t\"x\":\t1,\n"
               "\t\t\t\t\"a\":\t\"(array (0 1) (3 4) (default 0))\",\n"
               "\t\t\t\t\"c\":\t\"GREEN\"\n"
               "\t\t\t}\n"
               "\t\t}]\n"
               "}\n");
    finish_xsts(&made);
}

static void test_cfa_is_expanded_to_single_statements(void **state)
{
    (void)state;
    struct model_builder *b = model_builder_create(&dialect_plain, "made", NULL);
    struct term_store *s = model_builder_store(b);
    const struct variable *x = model_builder_variable(b, "x", sort_int(s), 0, at(1));
    const struct variable *y = model_builder_variable(b, "y", sort_int(s), 0, at(2));
    const struct variable *z = model_builder_variable(b, "z", sort_int(s), 0, at(2));
    struct location *start = model_builder_location(b, "A", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "E", PHASE_NONE, true);
    model_builder_initial(b, start, NULL);
    model_builder_error(b, error);
    struct edge *loop =
        model_builder_edge(b, start, start, model_sequence(b, NULL, 0, at(3)), NULL, at(3));
    struct statement *parts[] = {model_assign(b, x, z->term, at(4)), model_havoc(b, y, at(5)),
                                 model_assume(b, term_eq(s, y->term, term_int(s, -3)), at(6))};
    struct edge *edge =
        model_builder_edge(b, start, error, model_sequence(b, parts, 3, at(4)), NULL, at(4));
    struct model *model = model_builder_finish(b);
    struct trace *trace = trace_create(model);
    trace->start[z->index] = value_small(4);
    trace_add_step(trace, loop);
    trace_add_hint(trace, trace_add_step(trace, edge), parts[1], y->sort, value_small(-3));
    must_replay(trace);
    assert_int_equal(trace_length(trace), 2);
    must_print(trace, TRACE_SEXPR,
               "(Trace\n"
               "  (CfaState A\n"
               "    (ExplState (z 4)))\n"
               "  (CfaAction\n"
               "    skip)\n"
               "  (CfaState A\n"
               "    (ExplState (z 4)))\n"
               "  (CfaAction\n"
               "    (assign x z))\n"
               "  (CfaState __0\n"
               "    (ExplState (x 4) (z 4)))\n"
               "  (CfaAction\n"
               "    (havoc y))\n"
               "  (CfaState __1\n"
               "    (ExplState (x 4) (y -3) (z 4)))\n"
               "  (CfaAction\n"
               "    (assume (= y -3)))\n"
               "  (CfaState E\n"
               "    (ExplState (x 4) (y -3) (z 4))))\n");
    trace_destroy(trace);
    model_destroy(model);
}

static void test_sts_is_one_line_a_state(void **state)
{
    (void)state;
    struct model_builder *b = model_builder_create(&sts_words, "made", NULL);
    struct term_store *s = model_builder_store(b);
    const struct variable *x = model_builder_variable(b, "x", sort_int(s), 0, at(1));
    const struct variable *q = model_builder_variable(b, "q", sort_bool(s), 0, at(1));
    struct location *start = model_builder_location(b, "state", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    model_builder_initial(b, start, model_assume(b, term_eq(s, x->term, term_int(s, 0)), at(2)));
    model_builder_error(b, error);
    const struct term *bad = term_lt(s, term_int(s, 0), x->term);
    model_builder_property(b, term_not(s, bad));
    const struct term *more = term_add2(s, x->term, term_int(s, 1));
    struct edge *step =
        model_builder_edge(b, start, start, model_assign(b, x, more, at(3)), "step", at(3));
    struct edge *test = model_builder_edge(b, start, error, model_assume(b, bad, at(4)),
                                           "property violated", at(4));
    struct model *model = model_builder_finish(b);
    struct trace *trace = trace_create(model);
    trace->start[q->index] = value_bool(true);
    trace_add_step(trace, step);
    trace_add_step(trace, test);
    must_replay(trace);
    must_print(trace, TRACE_SEXPR, "(val (x 0) (q true))\n(val (x 1) (q true))\n");
    trace_destroy(trace);
    model_destroy(model);
}

static void test_values_are_taken_over(void **state)
{
    (void)state;
    struct xsts made = make_xsts();
    struct term_store *other = term_store_create(made.model->store);
    const struct sort *integer = sort_int(other), *rational = sort_rat(other);
    const struct sort *bits = sort_bv(other, 80);
    const struct sort *array = made.model->variables[1]->sort;
    const struct term *entries[] = {term_int_text(other, "-99999999999999999999"),
                                    term_int(other, 2)};
    const struct term *literals[] = {
        term_int(other, 5), term_int_text(other, "123456789012345678901234567890"),
        term_rat(other, -7, 3), term_bv_text(other, 80, "1208925819614629174706175"),
        term_array(other, array, term_int(other, 1), entries, 1)};
    const struct sort *sorts[] = {integer, integer, rational, bits, array};
    struct value owned[5];
    for (int i = 0; i < 5; i++)
        owned[i] = trace_own(made.trace, sorts[i], term_value(literals[i]));
    // A wide sort lives in the other store, so what was made of it is not looked at below.
    term_store_destroy(other);
    struct text out;
    text_init(&out);
    for (int i = 0; i < 2; i++)
        text_printf(&out, "%d", value_is_small(owned[i]));
    print_value(&out, array, owned[4]);
    assert_string_equal(text_string(&out), "10(array (-99999999999999999999 2) (default 1))");
    text_finish(&out);
    assert_true(value_equal(trace_own(made.trace, array, owned[4]), owned[4]));
    finish_xsts(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_length_counts_what_users_see),
        cmocka_unit_test(test_xsts_layout),
        cmocka_unit_test(test_readable),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_cfa_is_expanded_to_single_statements),
        cmocka_unit_test(test_sts_is_one_line_a_state),
        cmocka_unit_test(test_values_are_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
