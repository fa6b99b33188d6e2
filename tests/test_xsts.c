#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "logic/terms/print.h"
#include "languages/registry/registry.h"
#include "languages/registry/task_definition.h"
#include "tests/oracle.h"

#define TASKS SOURCE_DIR "/../shared/tasks/xsts"

static struct model *read_with(const char *text, const char *property, enum property_at at,
                               struct messages *messages)
{
    struct language_request request = {.model_path = "m.xsts",
                                       .model_text = text,
                                       .model_bytes = strlen(text),
                                       .property_text = property,
                                       .property_inline = property != NULL,
                                       .property_at = at};
    return language_xsts.read(&request, messages);
}

// A model that has to be accepted.
static struct model *accept(const char *text, const char *property)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = read_with(text, property, PROPERTY_AT_ALL, &messages);
    if (model == NULL)
        messages_print(&messages, stderr);
    assert_non_null(model);
    assert_int_equal(messages.errors + messages.unsupported, 0);
    messages_finish(&messages);
    return model;
}

// The verdict and, when unsafe, the number of steps of the source to the violation.
static void expect_verdict(const char *text, const char *property, enum verdict verdict,
                           size_t steps)
{
    struct model *model = accept(text, property);
    struct oracle_answer answer = oracle_run(model, 200000, NULL);
    assert_int_equal(answer.verdict, verdict);
    if (verdict == VERDICT_UNSAFE)
        assert_int_equal(answer.depth, steps + 1); // and the edge to the error location
    oracle_answer_finish(&answer);
    model_destroy(model);
}

static size_t hidden_locations(const struct model *model)
{
    size_t count = 0;
    for (uint32_t i = 0; i < model->location_count; i++)
        count += !model->locations[i]->observable;
    return count;
}

// Vectors of the format's specification.

static void test_counter(void **state)
{
    (void)state;
    static const char *const model = "var x : integer = 0 var y : integer = 0\n"
                                     "trans { assume x < 4; x := x + 1; } or { x := x; }\n"
                                     "init { x := 1; y := 1; }\n"
                                     "env { assume y < 4; y := y + 1; }\n";
    expect_verdict(model, "x == y", VERDICT_UNSAFE, 2); // right after env
    expect_verdict(model, "y >= x", VERDICT_SAFE, 0);
}

static void test_violation_before_init(void **state)
{
    (void)state;
    static const char *const model =
        "var a: integer = 5\ntrans {} init { a := 0; } env {}\nprop { a == 0 }";
    expect_verdict(model, NULL, VERDICT_UNSAFE, 0);
    struct messages messages;
    messages_init(&messages);
    struct model *stable = read_with(model, NULL, PROPERTY_AT_STABLE, &messages);
    assert_non_null(stable);
    assert_int_equal(oracle_decide(stable, 1000), VERDICT_SAFE);
    model_destroy(stable);
    messages_finish(&messages);
}

static void test_chart(void **state)
{
    (void)state;
    static const char *const model =
        "type Main_region : { __Inactive__, Normal, Error }\n"
        "ctrl var region : Main_region = __Inactive__\n"
        "var alert_In : boolean = false\nvar out : boolean = false\n"
        "trans { assume region == Normal && alert_In; region := Error; out := true; }\n"
        "or { assume region == Error && alert_In; region := Normal; }\n"
        "or { assume !alert_In; }\n"
        "init { region := Main_region.Normal; }\n"
        "env { choice { alert_In := true; } or { alert_In := false; } out := false; }\n";
    expect_verdict(model, "region != Error", VERDICT_UNSAFE, 3);
    expect_verdict(model, "out => region == Error", VERDICT_SAFE, 0);
    expect_verdict(model, "region != __Inactive__", VERDICT_UNSAFE, 0);
}

// Shape of the model.

static void test_locations_and_edges(void **state)
{
    (void)state;
    struct model *model = accept("var x : integer = 2\nvar y : integer\n"
                                 "trans { x := 1; } or { havoc x; }\ninit {}\nenv {}\n"
                                 "prop { x > 0 }",
                                 NULL);
    assert_int_equal(model->location_count, 4);
    assert_string_equal(model->initial->name, "start");
    assert_int_equal(model->initial->phase, PHASE_START);
    assert_int_equal(model->edge_count, 3 + 4);
    const char *const labels[] = {"init 1", "env 1", "trans 1", "trans 2"};
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(model->edges[3 + i]->label, labels[i]);
    assert_int_equal(model->edges[6]->position.line, 3);
    assert_int_equal(model->edges[6]->position.column, 22);
    assert_int_equal(model->initial_action->child_count, 1); // y stays arbitrary
    assert_non_null(model->property);
    model_destroy(model);
}

// Whether two expressions mean the same term.
static bool same(const char *a, const char *b)
{
    static const char *const declarations =
        "type T : { A, B }\nvar a : boolean var b : boolean var c : boolean\n"
        "var x : integer var y : integer var z : integer var t : T\n"
        "var m : [integer] -> integer\ntrans {} init {} env {}\n";
    struct text text[2];
    const char *expressions[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct model *model = accept(declarations, expressions[i]);
        text_init(&text[i]);
        print_term(&text[i], model->property, PRINT_SMTLIB);
        model_destroy(model);
    }
    bool equal = strcmp(text_string(&text[0]), text_string(&text[1])) == 0;
    text_finish(&text[0]);
    text_finish(&text[1]);
    return equal;
}

static void test_precedence(void **state)
{
    (void)state;
    assert_true(same("a || b && c", "a || (b && c)"));
    assert_false(same("a || b && c", "(a || b) && c"));
    assert_true(same("a || b xor c", "a || (b xor c)"));
    assert_true(same("a xor b && c", "a xor (b && c)"));
    assert_true(same("a => b => c", "a => (b => c)"));
    assert_false(same("a => b => c", "(a => b) => c"));
    assert_true(same("a iff b => c", "a iff (b => c)"));
    assert_true(same("a => b || c", "a => (b || c)"));
    assert_true(same("!a == b", "!(a == b)"));
    assert_true(same("!x == y", "x != y"));
    assert_true(same("!!a", "a"));
    assert_true(same("!a && b", "(!a) && b"));
    assert_true(same("x < y == b", "(x < y) == b"));
    assert_true(same("x - y - z == 0", "(x - y) - z == 0"));
    assert_false(same("x - y - z == 0", "x - (y - z) == 0"));
    assert_true(same("x + y * z == 0", "x + (y * z) == 0"));
    assert_true(same("x / y % z == 0", "(x / y) % z == 0"));
    assert_true(same("-x * y == 0", "(-x) * y == 0"));
    assert_true(same("- - x == +x", "x == x"));
    assert_true(same("x<-1", "x < -1"));
    assert_true(same("x<-y*2", "x < ((-y)*2)"));
    assert_true(same("m[(x)] == 0 && (x<-1)", "m[x] == 0 && x < -1"));
    assert_true(same("m[0 <- 1][0] == 1", "true"));
    assert_true(same("if a then b else c && a", "if a then b else (c && a)"));
    assert_true(same("t == A || A == t", "t == T.A"));
    assert_true(same("(if a then A else t) == B", "(if a then T.A else t) == T.B"));
    assert_true(same("[1 <- 2, default <- 0] == m", "m == [<integer> default <- 0][1 <- 2]"));
    assert_true(same("7 % -3 == 1 && -7 / 2 == -4 && 7 rem -3 == -1", "true"));
    assert_true(
        same("123456789012345678901234567890 - 123456789012345678901234567889 == 1", "true"));
}

static void test_literals_by_expected_type(void **state)
{
    (void)state;
    // Both types have the literal A; what is around each use tells which is meant.
    struct model *model = accept("type T : { A, B }\ntype U : { A, C }\n"
                                 "var t : T = A\nvar u : U = A\n"
                                 "var m : [T] -> U = [A <- A, default <- C]\n"
                                 "trans { u := A; t := if u == A then A else B; m[A] := A;\n"
                                 "  assume A != t; m := m[A <- C]; u := m[A];\n"
                                 "  assume (if t == B then A else C) == u; }\n"
                                 "init {} env {} prop { m[A] == A }",
                                 NULL);
    model_destroy(model);
}

static void test_locals(void **state)
{
    (void)state;
    // The initial value of a local sees the outer variable; the local hides it to the block's end.
    expect_verdict("var a : integer = 1\n"
                   "trans { local var a : integer = a + 1; a := a + 1; } init {} env {}",
                   "a == 1", VERDICT_SAFE, 0);
    expect_verdict("var a : integer = 1 var b : integer = 0\n"
                   "trans { { local var a : integer = a + 1; b := a; } assume a == 1; }\n"
                   "init {} env {}",
                   "b == 0", VERDICT_UNSAFE, 3);
    // Without an initial value it is arbitrary each time.
    expect_verdict("var a : boolean = true\n"
                   "trans { local var l : boolean; a := l; } init {} env {}",
                   "a", VERDICT_UNSAFE, 3);
    expect_verdict("var n : integer = 0\n"
                   "trans { local var l : boolean; assume l; l := false; n := 1; } init {} env {}",
                   "n == 0", VERDICT_UNSAFE, 3);
}

static void test_binding_of_else_and_or(void **state)
{
    (void)state;
    // The `else` belongs to the inner `if`: nothing happens when the outer condition is false.
    expect_verdict("var x : integer = 0\n"
                   "trans if (x > 0) if (x > 1) x := 2; else x := 3; init {} env {}",
                   "x == 0", VERDICT_SAFE, 0);
    // One branch with a choice of two.
    struct model *model = accept("var x : integer = 0\n"
                                 "trans choice x := 1; or x := 2; init {} env {} prop { x >= 0 }",
                                 NULL);
    assert_int_equal(model->edge_count, 3 + 3);
    model_destroy(model);
}

static void test_branches_are_atomic(void **state)
{
    (void)state;
    // The choice that cannot run to its end does not count.
    expect_verdict("var x : integer = 0\n"
                   "trans { choice { x := 1; } or { x := 2; } assume x == 2; } init {} env {}",
                   "x != 1", VERDICT_SAFE, 0);
}

// Loops.

static void test_constant_loops_are_unrolled(void **state)
{
    (void)state;
    static const char *const MODELS[] = {
        "trans { for i from 0 to 3 do x := x + i; } init {} env {}",
        // bounds known only inside the branch
        "trans { choice { x := 1; } or { x := 1; } local var n : integer = x + 2;\n"
        "  local var y : integer; for i from x to n do { y := 3 + i - i; } } init {} env {}",
        "trans { for i from 0 to 3 do for j from i to 3 do x := i + j; } init {} env {}",
        // a variable that never changes
        "trans { for i from 0 to k do { if (i < k) x := i; } } init {} env {}",
        // the bound after a loop that was unrolled
        "trans { local var n : integer = 0; for i from 0 to 3 do n := n + 1;\n"
        "  for i from 0 to n do x := x + 1; } init {} env {}",
        // the branch that cannot run says nothing about x
        "trans { x := 1; if (x > 1) x := 2; else x := 3; for i from 0 to x do k2 := 1; }\n"
        "init {} env {}",
    };
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        struct text text;
        text_init(&text);
        text_add(&text, "ctrl var k : integer = 2 + 1\nvar x : integer = 0 var k2 : integer\n");
        text_add(&text, MODELS[i]);
        struct model *model = accept(text_string(&text), "x < 100");
        assert_int_equal(hidden_locations(model), 0);
        model_destroy(model);
        text_finish(&text);
    }
}

static void test_unrolled_loop_counts(void **state)
{
    (void)state;
    static const char *const model = "var x : integer = 0 var y : integer = 0\n"
                                     "trans { assume x == 0; for i from 1 to 4 do\n"
                                     "  { x := x + i; if (i == 2) y := x; } } init {} env {}";
    expect_verdict(model, "x == 0 || x == 6", VERDICT_SAFE, 0);
    expect_verdict(model, "x == 0", VERDICT_UNSAFE, 3);
    expect_verdict(model, "y == 0 || y == 3", VERDICT_SAFE, 0);
}

// The sum of 0 .. n-1 for an n that the environment chooses.
static const char *const SUM = "var n : integer = 0 var s : integer = 0\n"
                               "trans { s := 0; for i from 0 to n do { s := s + i; } }\n"
                               "init {} env { havoc n; assume n >= 0 && n <= 3; s := 0; }";

static void test_kept_loop(void **state)
{
    (void)state;
    struct model *model = accept(SUM, "s <= 3");
    assert_int_equal(hidden_locations(model), 4);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        bool source = strchr(model->variables[i]->name, '!') == NULL;
        assert_int_equal((model->variables[i]->flags & VARIABLE_LOCAL) == 0, source);
    }
    assert_int_equal(oracle_decide(model, 200000), VERDICT_SAFE);
    model_destroy(model);
    model = accept(SUM, "s != 3");
    assert_int_equal(oracle_decide(model, 200000), VERDICT_UNSAFE);
    model_destroy(model);
    // Inside a loop the sum is 1 for a while, but nobody sees that.
    model = accept(SUM, "s == 0 || n != 3 || s == 3");
    assert_int_equal(oracle_decide(model, 200000), VERDICT_SAFE);
    model_destroy(model);
}

// Each `trans` stands after the declarations and before the rest, see below. Few loops a model: the
// oracle looks at every value of the hidden variables.
static const struct {
    const char *trans, *property;
    enum verdict verdict;
} KEPT[] = {
    {"if (n > 0) { for i from 0 to n do s := s + 1; } else s := -1;", "s == 0 || s == n || n <= 0",
     VERDICT_SAFE},
    {"if (n > 0) { for i from 0 to n do s := s + 1; } else s := -1;", "s >= 0", VERDICT_UNSAFE},
    {"if (n > 0) { for i from 0 to n do s := s + 1; } else s := -1;", "n == 2 => s == 0",
     VERDICT_UNSAFE},
    {"if (n < 2) for i from n to 2 do s := s - 1;", "s == 0 || s == n - 2", VERDICT_SAFE},
    {"if (n < 2) for i from n to 2 do s := s - 1;", "n == 2 || s == 0", VERDICT_UNSAFE},
    // the branch of the choice in which the loop cannot run to its end does not count
    {"choice for i from 0 to n do { s := 7; assume i < 1; } or s := 9;", "n < 2 || s != 7",
     VERDICT_SAFE},
    {"choice for i from 0 to n do { s := 7; assume i < 1; } or s := 9;", "s != 7", VERDICT_UNSAFE},
    {"choice for i from 0 to n do { s := 7; assume i < 1; } or s := 9;", "s != 9", VERDICT_UNSAFE},
    // statements before and after, a bound that is a local
    {"local var m : integer = n - 1; s := 5; for i from m to n do s := s + i - n; s := s * 2;",
     "s == 0 || s == 8", VERDICT_SAFE},
    // a kept loop in an unrolled one
    {"for i from 0 to 2 do for j from 0 to n do s := s + 1;", "s == 0 || s == 2 * n", VERDICT_SAFE},
    {"for i from 0 to 2 do for j from 0 to n do s := s + 1;", "s < 4", VERDICT_UNSAFE},
    // an unrolled loop in a kept one
    {"for j from 0 to n do for i from 0 to 3 do s := s + i;", "s == 0 || s == 3 * n", VERDICT_SAFE},
    // the bounds are taken once: the loop variable of the outer loop is a bound of the inner one
    {"for i from 0 to n do for j from i to n do s := s + 1;", "n == 2 => s == 0 || s == 3",
     VERDICT_SAFE},
    {"for i from 0 to n do for j from i to n do s := s + 1;", "n == 2 => s == 0", VERDICT_UNSAFE},
};

static void test_kept_loops_inside_structure(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
        struct text text;
        text_init(&text);
        text_printf(&text,
                    "var n : integer = 0 var s : integer = 0\n"
                    "trans { assume s == 0; %s } init {}\n"
                    "env { assume s == 0; havoc n; assume n >= 0 && n <= 2; }",
                    KEPT[i].trans);
        struct model *model = accept(text_string(&text), KEPT[i].property);
        assert_true(hidden_locations(model) > 0);
        enum verdict verdict = oracle_decide(model, 500000);
        if (verdict != KEPT[i].verdict)
            print_error("%s: %s\n", KEPT[i].trans, KEPT[i].property);
        assert_int_equal(verdict, KEPT[i].verdict);
        model_destroy(model);
        text_finish(&text);
    }
}

static void test_large_loops_are_kept(void **state)
{
    (void)state;
    struct model *model = accept("var x : integer = 0\n"
                                 "trans for i from 0 to 1000000000000000000000 do x := x + 1;\n"
                                 "init {} env {} prop { x >= 0 }",
                                 NULL);
    assert_true(hidden_locations(model) > 0);
    model_destroy(model);
    // The inner loop is unrolled, the outer one is not.
    model = accept("var x : integer = 0\n"
                   "trans for i from 0 to 1000 do for j from 0 to 100 do x := x + 1;\n"
                   "init {} env {} prop { x >= 0 }",
                   NULL);
    assert_true(hidden_locations(model) > 0);
    assert_true(model->statement_count < 5000);
    model_destroy(model);
}

static void test_many_nested_loops(void **state)
{
    (void)state;
    // Must neither take for ever nor run out of memory.
    struct text text;
    text_init(&text);
    text_add(&text, "var x : integer = 0\ntrans\n");
    for (int i = 0; i < 300; i++)
        text_printf(&text, "for i%d from 0 to 3 do\n", i);
    text_add(&text, "x := x + 1;\ninit {} env {} prop { x >= 0 }");
    model_destroy(accept(text_string(&text), NULL));
    text_finish(&text);
}

static void test_numbers_do_not_explode(void **state)
{
    (void)state;
    model_destroy(accept("var x : integer = 3\n"
                         "trans { x := 3; for i from 0 to 1000 do x := x * x; }\n"
                         "init {} env {} prop { x >= 0 }",
                         NULL));
}

// Properties.

static void test_property_given_wins(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct model *model = read_with("var x : integer = 0\ntrans {} init {} env {}\nprop { x == 1 }",
                                    "x == 0", PROPERTY_AT_ALL, &messages);
    assert_non_null(model);
    assert_int_equal(messages.count, 1);
    assert_int_equal(messages.items[0].kind, MESSAGE_NOTE);
    assert_int_equal(oracle_decide(model, 100), VERDICT_SAFE);
    model_destroy(model);
    messages_finish(&messages);
}

static void test_initial_values(void **state)
{
    (void)state;
    expect_verdict("var x : boolean\nvar y : boolean = !x\ntrans {} init {} env {}", "x != y",
                   VERDICT_SAFE, 0);
    expect_verdict("var x : boolean\nvar y : boolean = !x\ntrans {} init {} env {}", "x",
                   VERDICT_UNSAFE, 0);
}

// Any bytes: a model or a message, never both, never neither, never a crash.

static void try_bytes(const char *text, size_t bytes)
{
    char *copy = memory_alloc(bytes + 1); // of the exact size, so that overruns are seen
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    struct messages messages;
    messages_init(&messages);
    struct language_request request = {
        .model_path = "m.xsts", .model_text = copy, .model_bytes = bytes};
    struct model *model = language_xsts.read(&request, &messages);
    assert_int_equal(model == NULL, messages_failed(&messages));
    model_destroy(model);
    messages_finish(&messages);
    memory_free(copy);
}

static const char *const EVERYTHING =
    "type T : { A, B }\nvar t : T = A\nvar m : [integer] -> boolean = [0 <- true, default <- "
    "false]\n"
    "ctrl var x : integer = -3 /* c */\n"
    "trans { local var l : integer = x; for i from 0 to x do { l := l + i; } m[l] := t == B; }\n"
    "or { choice { havoc x; } or { assume !m[x] && x<-1; } if (x > 0) t := B; else t := A; }\n"
    "init { x := if m[0] then 1 else x % 2; } env {} // e\nprop { t == A => m[x <- true][0] }\n";

static void test_prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i <= strlen(EVERYTHING); i++)
        try_bytes(EVERYTHING, i);
}

static void test_changed_bytes(void **state)
{
    (void)state;
    static const char REPLACEMENTS[] = {'\0', '}', ';', '(', '<', 'x', '\xff', '"'};
    size_t length = strlen(EVERYTHING);
    char *copy = memory_strdup(EVERYTHING);
    for (size_t i = 0; i < length; i++) {
        copy[i] = REPLACEMENTS[i % sizeof REPLACEMENTS];
        try_bytes(copy, length);
        copy[i] = EVERYTHING[i];
    }
    memory_free(copy);
}

static void try_nested(const char *before, const char *open, const char *middle, const char *close,
                       const char *after)
{
    struct text text;
    text_init(&text);
    text_add(&text, before);
    for (int i = 0; i < 50000; i++)
        text_add(&text, open);
    text_add(&text, middle);
    for (int i = 0; i < 50000; i++)
        text_add(&text, close);
    text_add(&text, after);
    try_bytes(text_string(&text), text.length);
    text_finish(&text);
}

static void test_deep_nesting(void **state)
{
    (void)state;
    static const char *const head = "var x : integer = 0 trans ";
    static const char *const end = " init {} env {} prop { x > 0 }";
    try_nested(head, "{", "", "}", end);
    try_nested(head, "if (x > 0) ", "x := 1;", "", end);
    try_nested(head, "choice ", "x := 1;", "", end);
    try_nested("var x : integer = ", "(", "1", ")", " trans {} init {} env {} prop { x > 0 }");
    try_nested("var x : integer = ", "-", "1", "", " trans {} init {} env {} prop { x > 0 }");
    try_nested("var x : integer = ", "1 + ", "1", "", " trans {} init {} env {} prop { x > 0 }");
    try_nested("var x : integer = ", "9", "1", "", " trans {} init {} env {} prop { x > 0 }");
    try_nested("var x : boolean = ", "!", "true", "", " trans {} init {} env {} prop { x }");
    try_nested("var x : boolean = ", "true => ", "true", "", " trans {} init {} env {} prop { x }");
    try_nested("var x : integer = ", "if true then 1 else ", "1", "",
               " trans {} init {} env {} prop { x > 0 }");
    try_nested("var x : ", "[integer] -> ", "integer", "", " trans {} init {} env {}");
    try_nested("var x : ", "[", "integer", "] -> integer", " trans {} init {} env {}");
    try_nested("var x : integer = x", "[0]", "", "", " trans {} init {} env {}");
    try_nested("var x : integer = ", "[", "", "", "");
}

// The shared tasks.

static bool have_tasks(void)
{
    struct stat status;
    if (stat(TASKS, &status) == 0)
        return true;
    print_message("no shared tasks at %s\n", TASKS);
    return false;
}

static size_t for_each_file(const char *folder, const char *extension, void (*visit)(const char *))
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    size_t seen = 0;
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char path[2000];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (dot != NULL && strcmp(dot, extension) == 0) {
            visit(path);
            seen++;
        }
        free(entries[i]);
    }
    free(entries);
    return seen;
}

static void visit_task(const char *path)
{
    struct messages messages;
    struct task_definition task;
    messages_init(&messages);
    assert_true(task_definition_read(path, &task, &messages));
    assert_int_not_equal(task.expected, EXPECTED_NONE);
    struct model *model =
        language_load(task.model_path, task.property_path, PROPERTY_AT_ALL, NULL, &messages);
    if (model == NULL)
        messages_print(&messages, stderr);
    assert_non_null(model);
    assert_false(messages_failed(&messages));
    // Small ones that the oracle can decide exactly.
    if (model->features.arrays == 0 && model->features.havocs == 0) {
        enum verdict verdict = oracle_decide(model, 3000);
        if (verdict != VERDICT_UNKNOWN)
            assert_int_equal(verdict == VERDICT_SAFE, task.expected == EXPECTED_SAFE);
    }
    model_destroy(model);
    task_definition_finish(&task);
    messages_finish(&messages);
}

static void test_shared_tasks(void **state)
{
    (void)state;
    if (!have_tasks())
        skip();
    assert_int_equal(for_each_file(TASKS, ".yml", visit_task), 49);
}

static void visit_accepted(const char *path)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = language_load(path, NULL, PROPERTY_AT_ALL, NULL, &messages);
    assert_non_null(model);
    assert_false(messages_failed(&messages));
    model_destroy(model);
    messages_finish(&messages);
}

static void visit_refused(const char *path)
{
    struct messages messages;
    messages_init(&messages);
    assert_null(language_load(path, NULL, PROPERTY_AT_ALL, NULL, &messages));
    assert_true(messages.errors > 0);
    for (size_t i = 0; i < messages.count; i++)
        assert_true(messages.items[i].line > 0 && messages.items[i].column > 0);
    messages_finish(&messages);
}

static void test_shared_syntax(void **state)
{
    (void)state;
    if (!have_tasks())
        skip();
    assert_true(for_each_file(TASKS "/parse-ok", ".xsts", visit_accepted) > 0);
    assert_true(for_each_file(TASKS "/parse-error", ".xsts", visit_refused) > 0);
}

static void test_files(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    assert_null(language_load("/nowhere/m.xsts", NULL, PROPERTY_AT_ALL, NULL, &messages));
    assert_null(language_load("/nowhere/m.unknown", NULL, PROPERTY_AT_ALL, NULL, &messages));
    assert_null(language_load("/", NULL, PROPERTY_AT_ALL, NULL, &messages));
    assert_int_equal(messages.errors, 3);
    assert_ptr_equal(language_for_path("a/b.xsts"), &language_xsts);
    assert_null(language_for_path("xsts"));
    messages_finish(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_violation_before_init),
        cmocka_unit_test(test_chart),
        cmocka_unit_test(test_locations_and_edges),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_literals_by_expected_type),
        cmocka_unit_test(test_locals),
        cmocka_unit_test(test_binding_of_else_and_or),
        cmocka_unit_test(test_branches_are_atomic),
        cmocka_unit_test(test_constant_loops_are_unrolled),
        cmocka_unit_test(test_unrolled_loop_counts),
        cmocka_unit_test(test_kept_loop),
        cmocka_unit_test(test_kept_loops_inside_structure),
        cmocka_unit_test(test_large_loops_are_kept),
        cmocka_unit_test(test_many_nested_loops),
        cmocka_unit_test(test_numbers_do_not_explode),
        cmocka_unit_test(test_property_given_wins),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_shared_tasks),
        cmocka_unit_test(test_shared_syntax),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
