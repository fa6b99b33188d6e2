#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "logic/terms/print.h"
#include "languages/registry/registry.h"
#include "tests/oracle.h"

#define TASKS SOURCE_DIR "/../shared/tasks/cfa"

static struct model *read_with(const char *text, const char *error, struct messages *messages)
{
    struct language_request request = {.model_path = "m.cfa",
                                       .model_text = text,
                                       .model_bytes = strlen(text),
                                       .property_text = error,
                                       .property_inline = error != NULL};
    return language_cfa.read(&request, messages);
}

static struct model *accept(const char *text, const char *error)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = read_with(text, error, &messages);
    if (model == NULL)
        messages_print(&messages, stderr);
    assert_non_null(model);
    assert_false(messages_failed(&messages));
    messages_finish(&messages);
    return model;
}

static void expect_verdict(const char *text, const char *error, enum verdict verdict)
{
    struct model *model = accept(text, error);
    assert_int_equal(oracle_decide(model, 100000), verdict);
    model_destroy(model);
}

// Expressions: all of one sort, in one model, so that equal ones are one term.

static const char PRELUDE[] = "main process p(s : int, u : int) {\n"
                              "  var a : bool var b : bool var c : bool var d : bool\n"
                              "  var x : int var y : int var z : int var q : rat var r : rat\n"
                              "  var v : bv[4] var w : bv[4] var n : bv[8]\n"
                              "  var m : [int] -> int var mm : [int] -> [bool] -> rat\n"
                              "  var f : (int, bool) -> rat var I : int var RNE : int\n"
                              "  init loc A error loc E\n";

static struct model *expressions(const char *const *list, size_t count)
{
    struct text text;
    text_init(&text);
    text_add(&text, PRELUDE);
    for (size_t i = 0; i < count; i++)
        text_printf(&text, "A -> E { assume %s }\n", list[i]);
    text_add(&text, "}\n");
    struct model *model = accept(text_string(&text), NULL);
    text_finish(&text);
    return model;
}

static void expect_same(const char *one, const char *other)
{
    struct model *model = expressions((const char *const[]){one, other}, 2);
    if (model->edges[0]->action->expression != model->edges[1]->action->expression)
        fail_msg("`%s` is not `%s`", one, other);
    model_destroy(model);
}

static void expect_different(const char *one, const char *other)
{
    struct model *model = expressions((const char *const[]){one, other}, 2);
    if (model->edges[0]->action->expression == model->edges[1]->action->expression)
        fail_msg("`%s` is `%s`", one, other);
    model_destroy(model);
}

static void expect_true(const char *expression)
{
    struct model *model = expressions(&expression, 1);
    if (!term_is_true(model->edges[0]->action->expression))
        fail_msg("`%s` is not true", expression);
    model_destroy(model);
}

static void expect_refused(const char *expression, unsigned column)
{
    struct text text;
    struct messages messages;
    text_init(&text);
    messages_init(&messages);
    text_printf(&text, "%s\n%s }}", PRELUDE, expression);
    struct model *model = read_with(text_string(&text), NULL, &messages);
    if (model != NULL || messages.errors != 1 || messages.items[0].column != column) {
        messages_print(&messages, stderr);
        fail_msg("`%s` is not refused at column %u", expression, column);
    }
    messages_finish(&messages);
    text_finish(&text);
}

static void test_precedence(void **state)
{
    (void)state;
    expect_same("a or b and c", "a or (b and c)");
    expect_same("a or b xor c", "a or (b xor c)");
    expect_same("a xor b and c", "a xor (b and c)");
    expect_same("a imply b or c", "a imply (b or c)");
    expect_same("a imply b imply c", "a imply (b imply c)");
    expect_different("a imply b imply c", "(a imply b) imply c");
    expect_same("a iff b imply c", "a iff (b imply c)");
    expect_different("a iff b imply c", "(a iff b) imply c");
    expect_same("not a and b", "(not a) and b");
    expect_same("not x = y", "not (x = y)");
    expect_same("not a = b", "not (a = b)");
    expect_same("not not a", "a");
    expect_same("a = x < y", "a = (x < y)");
    expect_same("x + y * z < x - y - z", "(x + (y * z)) < ((x - y) - z)");
    expect_same("x - y - z = 0", "x - (y + z) = 0");
    expect_same("x / y * z = 0", "(x / y) * z = 0");
    expect_different("x / y * z = 0", "x / (y * z) = 0");
    expect_same("x mod y rem z = 0", "(x mod y) rem z = 0");
    expect_same("-x * y = 0", "(-x) * y = 0");
    expect_same("if a then b else c or d", "if a then b else (c or d)");
    expect_same("forall (i : int) i = x or a", "forall (i : int) (i = x or a)");
    expect_same("forall (i : int) i = x imply a", "(forall (i : int) i = x) imply a");
    expect_same("a imply exists (i : int) i * i = x", "a imply (exists (i : int) i * i = x)");
    expect_same("v bvor w bvxor v bvand w bvshl v = w",
                "(v bvor (w bvxor (v bvand (w bvshl v)))) = w");
    expect_same("v bvadd w bvmul v bvult w", "(v bvadd (w bvmul v)) bvult w");
    expect_same("v bvmul 2'b01 ++ 2'b10 = w", "(v bvmul (2'b01 ++ 2'b10)) = w");
    expect_same("v ++ w bv_zero_extend bv[8] = n ++ v", "v ++ (w bv_zero_extend bv[8]) = n ++ v");
    expect_same("bvneg v bvadd bvnot w[4:0] = v", "(bvneg v) bvadd (bvnot (w[4:0])) = v");
    expect_same("m[x] + f(x, a) < q", "((m[x]) + (f(x, a))) < q");
    expect_same("x<-1", "x < (-1)");
    expect_same("m[x <- 1][x]<-1 or a", "((m[x <- 1])[x] < (-1)) or a");
}

static void test_integers(void **state)
{
    (void)state;
    expect_true("5 / 3 = 1 and 5 mod 3 = 2 and 5 rem 3 = 2");
    expect_true("5 / -3 = -1 and 5 mod -3 = 2 and 5 rem -3 = -2");
    expect_true("-5 / 3 = -2 and -5 mod 3 = 1 and -5 rem 3 = 1");
    expect_true("-5 / -3 = 2 and -5 mod -3 = 1 and -5 rem -3 = -1");
    expect_true("123456789012345678901234567890 - 123456789012345678901234567889 = 1");
    expect_true("+3 = - -3 and 3 /= 4 and 3 >= 3 and 4 > 3");
}

static void test_rationals(void **state)
{
    (void)state;
    expect_true("1%2 + 1%3 = 5%6 and 2%4 = 1%2 and 1%2 < 1 and 1 /= 1%2");
    expect_true("1 / 2%1 = 1%2 and 1 / 2 = 0 and 3%1 = 3");
    expect_same("q = x", "q = (if true then x else 1%2)");
    expect_same("(if a then x else q) = r", "(if a then (x + 0%1) else q) = r");
    expect_same("q + x - r > 0", "q + (x + 0%1) - r > 0%1");
    expect_same("f(x, a) = mm[x][a]", "mm[x, a] = f(x, a)");
}

static void test_bit_vectors(void **state)
{
    (void)state;
    expect_true("4'b0001 bvror 4'd1 = 4'b1000");
    expect_true("4'b1001 bvrol 4'd1 = 4'b0011");
    expect_true("2'b10 ++ 2'b01 ++ 1'b1 = 5'b10011");
    expect_true("(2'b10 bv_sign_extend bv[4]) = 4'b1110");
    expect_true("(2'b10 bv_zero_extend bv[4]) = 4'b0010");
    expect_true("5'b10011[5:3] = 2'b10 and 5'b10011[1:0] = 1'b1");
    expect_true("8'xfE = 8'd254 and 8'd-2 = 8'xFE and 4'd+7 = 4'b111");
    expect_true("4'd3 bvsub 4'd5 = bvneg 4'd2 and bvpos 4'd3 = 4'd3 and bvnot 4'd0 = 4'd15");
    expect_true("4'd7 bvudiv 4'd2 = 4'd3 and 4'd-7 bvsdiv 4'd2 = 4'd-3");
    expect_true(
        "4'd-7 bvsrem 4'd2 = 4'd-1 and 4'd-7 bvsmod 4'd2 = 4'd1 and 4'd7 bvurem 4'd4 = 4'd3");
    expect_true("4'd-1 bvslt 4'd0 and 4'd-1 bvugt 4'd0 and 4'd1 bvsge 4'd-8 and 4'd1 bvule 4'd1");
    expect_true("4'b1000 bvashr 4'd1 = 4'b1100 and 4'b1000 bvlshr 4'd1 = 4'b0100");
    expect_true("70'd0 bvsub 70'd1 = 70'd1180591620717411303423");
}

static void test_arrays(void **state)
{
    (void)state;
    expect_true("[1 <- 2, 3 <- 4, default <- 0][3] = 4");
    expect_true("[<int> default <- true][7]");
    expect_true("[1 <- 2, <int> default <- 0][1 <- 5][1] = 5");
    expect_true("[<rat> default <- 1%2][3] = 1%2 and [1%2 <- 1, default <- 0][1%2] = 1");
    expect_true("((i : int) -> 4)(x) = 4");
    expect_same("mm[x, a <- 1][x, a] = q", "mm[x <- mm[x][a <- 1]][x][a] = q");
    expect_same("m[I] = RNE", "(m[I]) = RNE");
    expect_same("m[x <- y][x] = y", "true");
}

static void test_names(void **state)
{
    (void)state;
    expect_same("s + u = I + RNE", "(I + RNE) = (u + s)");
    // A bound name hides a variable, and may have another type.
    expect_same("exists (x : bool) true", "true");
    static const char *const hiding = "(exists (x : bool) x and a) and x > 0";
    model_destroy(expressions(&hiding, 1));
    expect_different("exists (x : int) x * x = y", "exists (k : int) k * x = y");
}

static void test_positions(void **state)
{
    (void)state;
    expect_refused("A -> E { assume a = not b", 21);
    expect_refused("A -> E { assume a + 1 > 0", 17);
    expect_refused("A -> E { assume x < y < z", 23);
    expect_refused("A -> E { assume (x < y", 24);
    expect_refused("A -> E { assume x' = 1", 18);
    expect_refused("A -> E { assume x / 0 = 1", 21);
    expect_refused("A -> E { x := true", 15);
    expect_refused("A -> F { x := 1", 6);
}

// Automata.

static void test_edges(void **state)
{
    (void)state;
    struct model *model = accept("var g : int main process p(a : bool) { var x : int\n"
                                 "init loc L0 loc L1 final loc F error loc E\n"
                                 "L0 -> L1 { x := 1 havoc g\n assume x < g }\n"
                                 "L1 -> L1  L1 -> L1 { }  L1 -> E { assume a } L1 -> F }",
                                 NULL);
    assert_string_equal(model->dialect->name, "cfa");
    assert_int_equal(model->location_count, 4);
    assert_int_equal(model->edge_count, 5);
    assert_int_equal(model->variable_count, 3);
    assert_string_equal(model->initial->name, "L0");
    assert_string_equal(model->error->name, "E");
    assert_int_equal(model->initial_action->kind, STATEMENT_SKIP);
    assert_string_equal(model->edges[0]->label, "L0 -> L1");
    const struct statement *action = model->edges[0]->action;
    assert_int_equal(action->kind, STATEMENT_SEQUENCE);
    assert_int_equal(action->child_count, 3);
    assert_int_equal(action->child[0]->kind, STATEMENT_ASSIGN);
    assert_int_equal(action->child[1]->kind, STATEMENT_HAVOC);
    assert_int_equal(action->child[2]->kind, STATEMENT_ASSUME);
    assert_int_equal(action->child[2]->source.line, 4);
    assert_int_equal(action->child[2]->source.column, 2);
    assert_int_equal(model->edges[2]->action->kind, STATEMENT_SKIP);
    assert_int_equal(model->edges[3]->action->kind, STATEMENT_ASSUME);
    for (uint32_t i = 0; i < model->location_count; i++)
        assert_true(model->locations[i]->observable);
    model_destroy(model);
}

static void test_hidden_global(void **state)
{
    (void)state;
    struct model *model =
        accept("var x : int main process p { var x : bool init loc A error loc E\n"
               "A -> E { assume x } }",
               NULL);
    assert_int_equal(model->variable_count, 2);
    assert_non_null(model_find_variable(model, "x"));
    const struct variable *local = model_find_variable(model, "p.x");
    assert_non_null(local);
    assert_ptr_equal(model->edges[0]->action->expression, local->term);
    model_destroy(model);
}

static void test_error_location(void **state)
{
    (void)state;
    static const char two[] = "main process p { var x : int init loc A error loc E loc B\n"
                              "A -> B { x := 1 } B -> E { assume x /= 1 } }";
    expect_verdict(two, NULL, VERDICT_SAFE);
    expect_verdict(two, "B", VERDICT_UNSAFE);
    expect_verdict(two, " B\n", VERDICT_UNSAFE);
    struct messages messages;
    messages_init(&messages);
    assert_null(read_with(two, "C", &messages));
    assert_null(read_with(two, "x > 1", &messages));
    assert_int_equal(messages.errors, 2);
    messages_finish(&messages);
    expect_verdict("main process p { init loc A }", "A", VERDICT_UNSAFE);
}

static void test_other_processes(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct model *model = read_with("process a { loc X X -> Y { z := 1 } }\n"
                                    "main process b { init loc A error loc E }\n"
                                    "process c (i : int) { }",
                                    NULL, &messages);
    assert_non_null(model);
    assert_int_equal(messages.count, 2);
    assert_int_equal(messages.items[0].kind, MESSAGE_NOTE);
    assert_int_equal(messages.items[1].line, 3);
    messages_finish(&messages);
    model_destroy(model);
}

static void test_arbitrary_start(void **state)
{
    (void)state;
    expect_verdict("main process p(k : bool) { init loc A error loc E A -> E { assume k } }", NULL,
                   VERDICT_UNSAFE);
}

// The shared tasks.

static bool have_tasks(void)
{
    struct stat status;
    if (stat(TASKS, &status) == 0)
        return true;
    print_message("no shared tasks, skipped\n");
    return false;
}

static struct model *load(const char *path, const char *error)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = language_load(path, error, PROPERTY_AT_ALL, NULL, &messages);
    if (model == NULL)
        messages_print(&messages, stderr);
    assert_non_null(model);
    messages_finish(&messages);
    return model;
}

static void test_tasks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum verdict verdict;
    } tasks[] = {
        {"arithmetic-bool01", VERDICT_UNSAFE},
        {"arithmetic-bool10", VERDICT_UNSAFE},
        {"arithmetic-int", VERDICT_UNSAFE},
        {"arrayinit", VERDICT_UNSAFE},
        {"arrays", VERDICT_UNSAFE},
        {"counter-bv-true", VERDICT_SAFE},
        {"counter5-true", VERDICT_SAFE},
        {"ifelse", VERDICT_UNSAFE},
        {"locking", VERDICT_SAFE},
        {"plc-array-assignment", VERDICT_SAFE},
        {"plc-scl-goto-statement", VERDICT_SAFE},
        {"plc-scl-return-statement", VERDICT_SAFE},
        {"plc-simple-code", VERDICT_SAFE},
        {"plc-simple-counterexample", VERDICT_UNSAFE},
        {"plc-stl-jumps", VERDICT_SAFE},
    };
    if (!have_tasks())
        skip();
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s.cfa", TASKS, tasks[i].name);
        struct model *model = load(path, TASKS "/unreach.prp");
        enum verdict found = oracle_decide(model, 20000);
        if (found != VERDICT_UNKNOWN && found != tasks[i].verdict)
            fail_msg("%s: another verdict", tasks[i].name);
        model_destroy(model);
    }
}

static void test_parse_ok(void **state)
{
    (void)state;
    if (!have_tasks())
        skip();
    static const struct {
        const char *name, *error;
        enum verdict verdict;
    } inputs[] = {
        {"block-encoding", "L7", VERDICT_UNSAFE},
        {"bv2", NULL, VERDICT_SAFE},
        {"bv3", NULL, VERDICT_SAFE},
        {"bv4", NULL, VERDICT_SAFE},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/parse-ok/%s.cfa", TASKS, inputs[i].name);
        struct model *model = load(path, inputs[i].error);
        if (oracle_decide(model, 20000) != inputs[i].verdict)
            fail_msg("%s: another verdict", inputs[i].name);
        model_destroy(model);
    }
}

// Any cut of a good file is answered without a crash: with a model or with an error.
static void test_cuts(void **state)
{
    (void)state;
    static const char text[] =
        "var g : [int] -> rat main process p(a : int, f : (int, bool) -> rat) { var b : bv[8]\n"
        "init loc A final loc F error loc E A -> E { assume f(1, true) < g[a] and not (a = 2)\n"
        "b := (b[4:0] ++ 4'xF) bvadd 8'd-3 g := g[1 <- 1%2] havoc a\n"
        "f := (x : int, y : bool) -> 1%3 g := [1 <- 2%3, <int> default <- 0%1]\n"
        "assume (if a < 3 then 1%2 else a) /= g[2] imply forall (i : int) i = a } A -> F }";
    for (size_t length = 0; length <= strlen(text); length++) {
        char *cut = memory_strdup(text);
        cut[length] = '\0';
        struct messages messages;
        messages_init(&messages);
        struct model *model = read_with(cut, NULL, &messages);
        assert_int_equal(model == NULL, messages_failed(&messages));
        model_destroy(model);
        messages_finish(&messages);
        memory_free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_rationals),
        cmocka_unit_test(test_bit_vectors),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_hidden_global),
        cmocka_unit_test(test_error_location),
        cmocka_unit_test(test_other_processes),
        cmocka_unit_test(test_arbitrary_start),
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_parse_ok),
        cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
