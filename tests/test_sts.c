#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "logic/terms/eval.h"
#include "logic/terms/print.h"
#include "languages/registry/registry.h"
#include "tests/oracle.h"

#define TASKS SOURCE_DIR "/../shared/tasks/sts"

static struct model *read_with(const char *text, const char *property, struct messages *messages)
{
    struct language_request request = {.model_path = "m.system",
                                       .model_text = text,
                                       .model_bytes = strlen(text),
                                       .property_text = property,
                                       .property_inline = property != NULL};
    return language_sts.read(&request, messages);
}

static struct model *accept(const char *text, const char *property)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = read_with(text, property, &messages);
    if (model == NULL) {
        messages_print(&messages, stderr);
        fprintf(stderr, "%s\n", text);
    }
    assert_non_null(model);
    assert_false(messages_failed(&messages));
    messages_finish(&messages);
    return model;
}

static void expect_verdict(const char *text, const char *property, enum verdict verdict,
                           size_t steps)
{
    struct model *model = accept(text, property);
    struct oracle_answer answer = oracle_run(model, 100000, NULL);
    assert_int_equal(answer.verdict, verdict);
    if (verdict == VERDICT_UNSAFE)
        assert_int_equal(answer.depth, steps + 1); // and the edge to the error location
    oracle_answer_finish(&answer);
    model_destroy(model);
}

static size_t count_kind(const struct statement *statement, enum statement_kind kind)
{
    size_t count = statement->kind == kind;
    for (uint32_t i = 0; i < statement->child_count; i++)
        count += count_kind(statement->child[i], kind);
    return count;
}

static const struct statement *step_of(const struct model *model)
{
    assert_ptr_equal(model->edges[0]->source, model->edges[0]->target);
    return model->edges[0]->action;
}

static void test_shape(void **state)
{
    (void)state;
    struct model *model = accept("specification S { property safe : {\n"
                                 "var x : int var y : bool\n"
                                 "invariant x >= 0 initial y and x = 1 initial x < 5\n"
                                 "transition x' = x + 1 and y' = (x' > 3)\n"
                                 "} models G(x < 9 or not y) }",
                                 NULL);
    assert_string_equal(model->dialect->name, "sts");
    assert_int_equal(model->location_count, 2);
    assert_string_equal(model->initial->name, "state");
    assert_true(model->initial->observable);
    assert_string_equal(model->error->name, "error");
    assert_non_null(model->property);
    assert_int_equal(model->variable_count, 4);
    assert_int_equal(model_find_variable(model, "x")->flags, 0);
    assert_int_equal(model_find_variable(model, "x'")->flags, VARIABLE_LOCAL);
    // Values first, then the rest as written.
    const struct statement *initial = model->initial_action;
    assert_int_equal(initial->child_count, 4);
    assert_int_equal(initial->child[0]->source.column, 26);
    assert_int_equal(initial->child[1]->source.column, 32);
    assert_int_equal(initial->child[2]->source.column, 11);
    assert_int_equal(initial->child[3]->source.column, 46);
    const struct statement *step = step_of(model);
    assert_int_equal(count_kind(step, STATEMENT_HAVOC), 0);
    assert_int_equal(count_kind(step, STATEMENT_ASSIGN), 4);
    assert_int_equal(count_kind(step, STATEMENT_ASSUME), 1); // the invariant over x'
    model_destroy(model);
}

static void test_no_frame(void **state)
{
    (void)state;
    expect_verdict("specification S { property p : { var x : bool var y : bool\n"
                   "initial x and y transition x' = x } models G(x and y) }",
                   NULL, VERDICT_UNSAFE, 1);
    expect_verdict("specification S { property p : { var x : bool var y : bool\n"
                   "initial x and y transition x' = x } models G(x) }",
                   NULL, VERDICT_SAFE, 0);
}

static void test_equations_in_order(void **state)
{
    (void)state;
    // Each needs the one after it; the last two form a circle.
    struct model *model = accept("specification S { property p : {\n"
                                 "var a : int var b : int var c : int var d : int var e : int\n"
                                 "transition a' = b' + 1 transition b' = c' * 2\n"
                                 "transition 7 = c' transition d' = e' + 1 and e' = d' - 1\n"
                                 "} models G(a /= 0) }",
                                 NULL);
    const struct statement *step = step_of(model);
    assert_int_equal(count_kind(step, STATEMENT_HAVOC), 1);
    assert_int_equal(count_kind(step, STATEMENT_ASSUME), 1);
    assert_int_equal(count_kind(step, STATEMENT_ASSIGN), 4 + 5);
    model_destroy(model);
}

static void test_branches(void **state)
{
    (void)state;
    struct model *model =
        accept("specification S { property p : { var x : int var y : int\n"
               "transition (x > 0 and x' = x - 1 and y' = y) or (x' = x and y' = 0)\n"
               "} models G(x < 5) }",
               NULL);
    assert_int_equal(count_kind(step_of(model), STATEMENT_CHOICE), 1);
    assert_int_equal(count_kind(step_of(model), STATEMENT_HAVOC), 0);
    model_destroy(model);
    // Implications as in `case x of`: each branch sets what it can, the last one is open.
    model = accept("specification S { property p : { var x : int var y : int\n"
                   "transition x = 0 imply (x' = 1 and y' = y)\n"
                   "transition x = 1 imply (x' = 2 and y' = 0)\n"
                   "transition not (x = 0 or x = 1) imply (x' = x and y' = y + 1)\n"
                   "} models G(x < 5) }",
                   NULL);
    assert_int_equal(count_kind(step_of(model), STATEMENT_IF), 3);
    assert_int_equal(count_kind(step_of(model), STATEMENT_HAVOC), 2);
    model_destroy(model);
}

static void test_many_implications(void **state)
{
    (void)state;
    struct text text;
    text_init(&text);
    text_add(&text, "specification S { property p : { var x : int var y : int\n");
    for (int i = 0; i < 300; i++)
        text_printf(&text, "transition x = %d imply x' = %d\ntransition y > %d or y' = x'\n", i,
                    i + 1, i);
    text_add(&text, "} models G(x < 5) }");
    struct model *model = accept(text_string(&text), NULL);
    assert_true(model->statement_count < 50000);
    model_destroy(model);
    text_finish(&text);
}

static void test_definitions(void **state)
{
    (void)state;
    static const char text[] =
        "specification S {\n"
        "  const limit : int := 3\n"
        "  var shared : int := 0\n"
        "  system Counter(start : int, top : int) := {\n"
        "    var x : int\n"
        "    initial x = start\n"
        "    transition if x < top then x' = x + 1 else x' = x\n"
        "    transition shared' = x'\n"
        "  }\n"
        "  system Small := Counter(limit - 3, limit)\n"
        "  property small : Small models G(x <= limit)\n"
        "  property shared_lags : Small() models G(shared <= limit and x = shared)\n"
        "  property large : Counter(1, limit + 1) models G(x <= limit)\n"
        "}";
    expect_verdict(text, "small", VERDICT_SAFE, 0);
    expect_verdict(text, " shared_lags\n", VERDICT_SAFE, 0);
    expect_verdict(text, "large", VERDICT_UNSAFE, 3);
}

// A primed parameter is its argument after the step.
static void test_primed_parameter(void **state)
{
    (void)state;
    expect_verdict("specification S { var x : int := 0\n"
                   "system T(p : int, q : int) := { transition p' = q + 1 and x <= 3 }\n"
                   "property p : T(x, x) models G(x < 3) }",
                   NULL, VERDICT_UNSAFE, 3);
    expect_verdict("specification S { var x : int := 0\n"
                   "system T(p : int) := { transition p' = 2 and x <= 3 }\n"
                   "property p : T(x + 1) models G(x < 2) }",
                   NULL, VERDICT_SAFE, 0);
}

static void test_constants(void **state)
{
    (void)state;
    // A constant without a value is arbitrary but stays.
    expect_verdict("specification S(n : bool) { const k : bool property p : { var x : bool\n"
                   "initial x = k and n = k transition x' iff x } models G(x equal k) }",
                   NULL, VERDICT_SAFE, 0);
    expect_verdict("specification S { const k : bool property p : { var x : bool\n"
                   "initial true } models G(k) }",
                   NULL, VERDICT_UNSAFE, 0);
    struct model *model = accept("specification S { const k : int const c : rat := 2\n"
                                 "property p : { var x : rat initial x = c const c : rat := 1 / 2\n"
                                 "transition x' = c } models G(x <= 2) }",
                                 NULL);
    assert_int_equal(model->variable_count, 3);
    model_destroy(model);
}

static void test_hidden_name(void **state)
{
    (void)state;
    struct model *model = accept("specification S { var x : int property p : { var x : bool\n"
                                 "initial x transition x' iff not x } models G(x) }",
                                 NULL);
    assert_non_null(model_find_variable(model, "p.x"));
    assert_non_null(model_find_variable(model, "p.x'"));
    assert_non_null(model_find_variable(model, "x'"));
    model_destroy(model);
}

static void test_words(void **state)
{
    (void)state;
    // Words of automata and bit-vectors are names here, and so is G.
    expect_verdict("specification S { property G : { var G : bool var loc : bool var bv : bool\n"
                   "initial G and (loc iff bv) transition G' equal G\n"
                   "transition loc' iff bv' } models G(G and (loc equal bv)) }",
                   "G", VERDICT_SAFE, 0);
}

static void test_sorts(void **state)
{
    (void)state;
    struct model *model = accept("specification S { const f : (int, bool) -> int property p : {\n"
                                 "var a : [int] -> [int] -> rat var i : int\n"
                                 "initial a = [<int> default <- [0 <- 1%2, default <- 1%3]]\n"
                                 "transition a' = a[i, f(i, true) <- 1] and i' = i mod 3\n"
                                 "transition a'[0, 1] >= a[0][1] } models G(a[i, 0] <= 1) }",
                                 NULL);
    assert_int_equal(count_kind(step_of(model), STATEMENT_HAVOC), 0);
    model_destroy(model);
}

// Random formulas over three booleans and their primed copies: the action reaches exactly what the
// formulas say.

enum { COUNT = 3 };

struct node {
    enum { VARIABLE, NOT, AND, OR, IMPLY, IFF, EQUAL, XOR, IF, CONSTANT } kind;
    unsigned variable; // COUNT and more: primed
    const struct node *child[3];
};

static const struct node *grow(struct arena *arena, struct random *random, unsigned depth,
                               bool primes)
{
    struct node *node = arena_zalloc(arena, sizeof *node);
    node->variable = (unsigned)random_below(random, primes ? 2 * COUNT : COUNT);
    node->kind = VARIABLE;
    if (depth == 0)
        return node;
    static const int KINDS[] = {VARIABLE, NOT,   AND,   AND,   AND, OR, OR, IMPLY,
                                IFF,      EQUAL, EQUAL, EQUAL, XOR, IF, IF, CONSTANT};
    node->kind = KINDS[random_below(random, sizeof KINDS / sizeof *KINDS)];
    for (int i = 0; i < 3; i++)
        node->child[i] = grow(arena, random, depth - 1, primes && (node->kind != IF || i > 0));
    return node;
}

static void write_node(struct text *text, const struct node *node)
{
    static const char *const WORD[] = {"", "", "and", "or", "imply", "iff", "=", "xor"};
    switch (node->kind) {
    case VARIABLE:
        text_printf(text, "x%u%s", node->variable % COUNT, node->variable < COUNT ? "" : "'");
        return;
    case CONSTANT:
        text_add(text, node->variable % 2 ? "true" : "false");
        return;
    case NOT:
        text_add(text, "(not (");
        write_node(text, node->child[0]);
        text_add(text, "))");
        return;
    case IF:
        text_add(text, "(if ");
        write_node(text, node->child[0]);
        text_add(text, " then ");
        write_node(text, node->child[1]);
        text_add(text, " else ");
        write_node(text, node->child[2]);
        text_add(text, ")");
        return;
    default:
        text_add(text, "((");
        write_node(text, node->child[0]);
        text_printf(text, ") %s (", WORD[node->kind]);
        write_node(text, node->child[1]);
        text_add(text, "))");
    }
}

static bool holds(const struct node *node, unsigned values)
{
    if (node->kind == VARIABLE)
        return values >> node->variable & 1;
    if (node->kind == CONSTANT)
        return node->variable % 2;
    bool a = holds(node->child[0], values), b = holds(node->child[1], values);
    switch (node->kind) {
    case NOT:
        return !a;
    case AND:
        return a && b;
    case OR:
        return a || b;
    case IMPLY:
        return !a || b;
    case XOR:
        return a != b;
    case IF:
        return a ? b : holds(node->child[2], values);
    default:
        return a == b;
    }
}

// A set of valuations of the six variables as one word: bit v = valuation v.
struct machine {
    const struct model *model;
    struct evaluator *evaluator;
};

struct valuation {
    const struct model *model;
    unsigned values;
};

static struct value look_up(void *context, const struct term *variable)
{
    const struct valuation *valuation = context;
    uint32_t index = model_variable_of(valuation->model, variable)->index;
    return value_bool(valuation->values >> index & 1);
}

static bool evaluate(const struct machine *machine, const struct term *term, unsigned values)
{
    struct valuation valuation = {machine->model, values};
    struct value value = evaluator_run(machine->evaluator, term, look_up, &valuation);
    assert_true(value_known(value));
    return value_is_true(value);
}

static uint64_t execute(const struct machine *machine, const struct statement *statement,
                        uint64_t before);

// One valuation through a statement that is not made of others.
static uint64_t execute_one(const struct machine *machine, const struct statement *statement,
                            unsigned values)
{
    uint64_t same = (uint64_t)1 << values;
    unsigned bit = statement->variable != NULL ? 1u << statement->variable->index : 0;
    uint64_t set = (uint64_t)1 << (values | bit), clear = (uint64_t)1 << (values & ~bit);
    switch (statement->kind) {
    case STATEMENT_ASSUME:
        return evaluate(machine, statement->expression, values) ? same : 0;
    case STATEMENT_ASSIGN:
        return evaluate(machine, statement->expression, values) ? set : clear;
    case STATEMENT_HAVOC:
        return set | clear;
    case STATEMENT_IF:
        return execute(machine, statement->child[!evaluate(machine, statement->expression, values)],
                       same);
    default:
        return same;
    }
}

static uint64_t execute(const struct machine *machine, const struct statement *statement,
                        uint64_t before)
{
    uint64_t after = 0;
    if (statement->kind == STATEMENT_SEQUENCE) {
        for (uint32_t i = 0; i < statement->child_count; i++)
            before = execute(machine, statement->child[i], before);
        return before;
    }
    if (statement->kind == STATEMENT_CHOICE) {
        for (uint32_t i = 0; i < statement->child_count; i++)
            after |= execute(machine, statement->child[i], before);
        return after;
    }
    for (unsigned values = 0; values < 64; values++) {
        if (before >> values & 1)
            after |= execute_one(machine, statement, values);
    }
    return after;
}

static void check_relation(const struct model *model, const struct node *const *transitions,
                           size_t count, const struct node *invariant, const char *text)
{
    struct term_store *store = term_store_create(model->store);
    struct machine machine = {model, evaluator_create(store)};
    for (unsigned x = 0; x < 1u << COUNT; x++) {
        uint64_t before = 0;
        unsigned expected = 0, found = 0;
        for (unsigned next = 0; next < 1u << COUNT; next++) {
            unsigned values = x | next << COUNT;
            bool related = holds(invariant, next);
            before |= (uint64_t)1 << values; // the locals start with anything
            for (size_t i = 0; i < count; i++)
                related = related && holds(transitions[i], values);
            expected |= (unsigned)related << next;
        }
        uint64_t after = execute(&machine, step_of(model), before);
        for (unsigned values = 0; values < 64; values++) {
            if (after >> values & 1)
                found |= 1u << values % (1u << COUNT);
        }
        if (found != expected)
            fail_msg("from %u: %x, expected %x\n%s", x, found, expected, text);
    }
    evaluator_destroy(machine.evaluator);
    term_store_destroy(store);
}

static void test_random_relations(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 2024);
    for (int round = 0; round < 1500; round++) {
        struct arena arena;
        struct text text;
        arena_init(&arena);
        text_init(&text);
        const struct node *transitions[4];
        size_t count = 1 + random_below(&random, 4);
        const struct node *invariant =
            grow(&arena, &random, (unsigned)random_below(&random, 3), false);
        text_add(&text, "specification S { property p : {\nvar x0 : bool var x1 : bool "
                        "var x2 : bool\ninvariant ");
        write_node(&text, invariant);
        for (size_t i = 0; i < count; i++) {
            transitions[i] = grow(&arena, &random, 1 + (unsigned)random_below(&random, 4), true);
            text_add(&text, "\ntransition ");
            write_node(&text, transitions[i]);
        }
        text_add(&text, "\n} models G(x0) }\n");
        struct model *model = accept(text_string(&text), NULL);
        check_relation(model, transitions, count, invariant, text_string(&text));
        model_destroy(model);
        text_finish(&text);
        arena_finish(&arena);
    }
}

// The shared tasks.

static void test_tasks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum verdict verdict;
        size_t havocs, choices, ifs;
    } tasks[] = {
        {"boolean2", VERDICT_UNSAFE, 3, 0, 0},
        {"counter-bad", VERDICT_UNSAFE, 0, 1, 1},
        {"loop", VERDICT_SAFE, 0, 0, 0},
        {"loop-bad", VERDICT_UNSAFE, 0, 0, 0},
        {"simple1", VERDICT_UNSAFE, 1, 0, 0},
        {"simple3", VERDICT_UNSAFE, 0, 0, 0},
        {"readerswriters", VERDICT_SAFE, 0, 1, 0},
        // Starts outside what the oracle draws from.
        {"counter-parametric", VERDICT_UNKNOWN, 0, 1, 1},
    };
    struct stat status;
    if (stat(TASKS, &status) != 0) {
        print_message("no shared tasks, skipped\n");
        skip();
    }
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        char path[1000];
        struct messages messages;
        messages_init(&messages);
        snprintf(path, sizeof path, "%s/%s.system", TASKS, tasks[i].name);
        struct model *model =
            language_load(path, TASKS "/unreach.prp", PROPERTY_AT_ALL, NULL, &messages);
        if (model == NULL)
            messages_print(&messages, stderr);
        assert_non_null(model);
        assert_int_equal(count_kind(step_of(model), STATEMENT_HAVOC), tasks[i].havocs);
        assert_int_equal(count_kind(step_of(model), STATEMENT_CHOICE), tasks[i].choices);
        assert_int_equal(count_kind(step_of(model), STATEMENT_IF), tasks[i].ifs);
        if (tasks[i].verdict != VERDICT_UNKNOWN && oracle_decide(model, 100000) != tasks[i].verdict)
            fail_msg("%s: another verdict", tasks[i].name);
        model_destroy(model);
        messages_finish(&messages);
    }
}

// Any cut of a good file is answered without a crash: with a model or with an error.
static void test_cuts(void **state)
{
    (void)state;
    static const char text[] =
        "specification S(n : int) { const c : int := n + 3 var g : int := c\n"
        "system T(p : int, b : bool) := { var x : int const r : rat := 1%2\n"
        "initial x = p and b transition x' = p' or (x' = x + 1 and g' = g)\n"
        "transition b imply g' = c transition if x < 3 then x' = g' else not x' = 2\n"
        "invariant x < 100 or (exists (i : int) i = x) }\n"
        "property a : T(g + 1, n < 3) models G(x < 10) }";
    for (size_t length = 0; length <= strlen(text); length++) {
        char *cut = memory_strdup(text);
        cut[length] = '\0';
        struct messages messages;
        messages_init(&messages);
        struct model *model = read_with(cut, NULL, &messages);
        assert_int_equal(model == NULL, messages_failed(&messages));
        if (length < strlen(text))
            assert_null(model);
        model_destroy(model);
        messages_finish(&messages);
        memory_free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_no_frame),
        cmocka_unit_test(test_equations_in_order),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_many_implications),
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_primed_parameter),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_hidden_name),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_random_relations),
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
