#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "languages/charts/bits.h"
#include "languages/charts/gamma.h"
#include "languages/charts/interpret.h"
#include "languages/charts/property.h"
#include "languages/charts/told.h"
#include "tests/decide.h"

// Small charts whose codes, runs and refinements are known (Czipo et al. 2017, with corrections).

#define HEAD                                                                                       \
    "package p interface I { out event a out event b } @TransitionPriority = order-based "         \
    "statechart S [ port p : requires I ] { "

// The example of the encoding: A has two regions, one of them with a composite; B has one.
static const char EXAMPLE[] = HEAD
    "var x : integer := 0 "
    "region top { initial i0 "
    "  state A { region A1 { initial i1 state A1a state A1b state A1c } "
    "            region A2 { initial i2 state A2a "
    "                        state A2b { region A2bs { initial i3 state A2b1 state A2b2 } } } } "
    "  state B { region Bs { initial i4 state B1 "
    "                        state B2 { region B2s { initial i5 state B2a state B2b state B2c } } "
    "} } } "
    "transition from i0 to A transition from i1 to A1a transition from i2 to A2a "
    "transition from i3 to A2b1 transition from i4 to B1 transition from i5 to B2a "
    "transition from A1a to A1b when p.b "
    "transition from A2a to A2b when p.a [x = 0] / x := 1; "
    "transition from A2b1 to B when p.a [x = 1] }";

// Composites side by side.
static const char PARALLEL[] =
    HEAD "region top { initial i0 state A { "
         "  region R { initial i1 state P { region Ps { initial i2 state P1 state P2 } } } "
         "  region T { initial i3 state Q { region Qs { initial i4 state Q1 state Q2 } } } } } "
         "transition from i0 to A transition from i1 to P transition from i2 to P1 "
         "transition from i3 to Q transition from i4 to Q1 "
         "transition from P1 to P2 when p.a transition from Q1 to Q2 when p.b }";

static struct chart *read(const char *text)
{
    struct messages messages;
    messages_init(&messages);
    struct chart *chart = gamma_read("vector.gcd", text, strlen(text), NULL, &messages);
    if (chart == NULL)
        messages_print(&messages, stderr);
    assert_non_null(chart);
    messages_finish(&messages);
    return chart;
}

// ---- codes -------------------------------------------------------------------------------------

struct layout {
    const struct chart *chart;
    struct chart_code codes[16];
    uint32_t count;
};

static struct layout layout_of(const struct chart *chart)
{
    struct layout layout = {.chart = chart};
    assert_true(chart->region_count <= 16);
    layout.count = chart_bits_layout(chart, layout.codes);
    return layout;
}

// The bits of the configuration whose innermost active states these are, as a number.
static uint64_t code_of(const struct layout *layout, const char *const *names, size_t count)
{
    int64_t places[16];
    bool bits[16] = {false}, several;
    for (uint32_t i = 0; i < layout->chart->region_count; i++)
        places[i] = -1;
    for (size_t i = 0; i < count; i++) {
        const struct chart_state *s = chart_find_state(layout->chart, names[i], &several);
        assert_non_null(s);
        for (; s != NULL; s = chart_parent(s))
            places[s->parent->index] = s->place;
    }
    chart_bits_of(layout->chart, layout->codes, places, bits);
    uint64_t code = 0;
    for (uint32_t b = 0; b < layout->count; b++)
        code |= (uint64_t)bits[b] << b;
    return code;
}
#define CODE(layout, ...)                                                                          \
    code_of(layout, (const char *const[]){__VA_ARGS__},                                            \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void codes_of_the_example(void **state)
{
    (void)state;
    struct chart *chart = read(EXAMPLE);
    struct layout layout = layout_of(chart);
    // One bit for {A, B}; then A's three states, two states and what is inside, beside one another; B's five states share them.
    assert_int_equal(layout.count, 5);
    uint64_t codes[] = {
        CODE(&layout, "A1a", "A2a"),  CODE(&layout, "A1b", "A2a"),  CODE(&layout, "A1c", "A2a"),
        CODE(&layout, "A1a", "A2b1"), CODE(&layout, "A1b", "A2b1"), CODE(&layout, "A1c", "A2b1"),
        CODE(&layout, "A1a", "A2b2"), CODE(&layout, "A1b", "A2b2"), CODE(&layout, "A1c", "A2b2"),
        CODE(&layout, "B1"),          CODE(&layout, "B2a"),         CODE(&layout, "B2b"),
        CODE(&layout, "B2c")};
    enum { CODES = sizeof codes / sizeof codes[0] };
    for (size_t i = 0; i < CODES; i++) {
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(codes[i], codes[k]);
    }
    assert_int_equal(codes[0], 0); // initial states have the number 0
    // A1c is the third of three: 2 in two bits; A2b and A2b2 are 1 in one bit each; A is 0.
    assert_int_equal(codes[8], 0 | 2 << 1 | 1 << 3 | 1 << 4);
    chart_destroy(chart);
}

static void composites_side_by_side_have_bits_of_their_own(void **state)
{
    (void)state;
    struct chart *chart = read(PARALLEL);
    struct layout layout = layout_of(chart);
    assert_int_equal(layout.count, 2);
    assert_int_not_equal(CODE(&layout, "P2", "Q1"), CODE(&layout, "P1", "Q2"));
    chart_destroy(chart);
}

// ---- runs --------------------------------------------------------------------------------------

// Steps in which this event comes and no other.
static int64_t give(void *context, const struct chart_variable *variable)
{
    return strcmp(variable->text, context) == 0;
}

static void step(const struct chart *chart, int64_t *cells, const char *event)
{
    struct interpreter *it = interpreter_create(chart);
    struct interpreter_choices choices = {0};
    struct interpreter_observer observer = {.context = (void *)(uintptr_t)event, .havoc = give};
    assert_int_equal(interpreter_step(it, cells, NULL, &choices, &observer, cells),
                     INTERPRETER_DONE);
    interpreter_choices_finish(&choices);
    interpreter_destroy(it);
}

static bool active(const struct chart *chart, const int64_t *cells, const char *name)
{
    bool several;
    return interpreter_is_active(chart, cells, chart_find_state(chart, name, &several));
}

static int64_t *start(const struct chart *chart)
{
    struct interpreter *it = interpreter_create(chart);
    struct interpreter_choices choices = {0};
    int64_t *cells = memory_zalloc((interpreter_cell_count(chart) + 1) * sizeof *cells);
    assert_int_equal(interpreter_start(it, &choices, NULL, cells), INTERPRETER_DONE);
    interpreter_choices_finish(&choices);
    interpreter_destroy(it);
    return cells;
}

static void the_path_of_the_example(void **state)
{
    (void)state;
    struct chart *chart = read(EXAMPLE);
    int64_t *cells = start(chart);
    assert_true(active(chart, cells, "A1a") && active(chart, cells, "A2a"));
    step(chart, cells, "p.a");
    assert_true(active(chart, cells, "A1a") && active(chart, cells, "A2b1"));
    step(chart, cells, "p.a");
    assert_true(active(chart, cells, "B1"));
    assert_false(active(chart, cells, "A") || active(chart, cells, "A1a") ||
                 active(chart, cells, "A2b") || active(chart, cells, "A2b1"));
    memory_free(cells);
    chart_destroy(chart);
}

static void a_step_of_one_region_leaves_the_other(void **state)
{
    (void)state;
    struct chart *chart = read(EXAMPLE);
    int64_t *cells = start(chart);
    step(chart, cells, "p.a"); // A2b
    step(chart, cells, "p.b"); // A1a to A1b
    assert_true(active(chart, cells, "A1b") && active(chart, cells, "A2b1"));
    memory_free(cells);
    chart_destroy(chart);
}

// ---- refinement --------------------------------------------------------------------------------

static void decide_all(const char *text, const char *question, enum verdict expected)
{
    static const char *const CONFIGURATIONS[] = {
        "engine=charts",
        "engine=charts,checker=MON",
        "engine=charts,checker=MOP,open=VARIABLES",
        "engine=charts,checker=BMC",
        "engine=charts,checker=BMC,open=CORE",
        "engine=charts,open=CORE",
        "engine=charts,open=BOTH,chartabstraction=STT",
        "engine=charts,chartabstraction=NONE",
    };
    for (size_t i = 0; i < 2 * sizeof CONFIGURATIONS / sizeof CONFIGURATIONS[0]; i++) {
        struct messages messages;
        messages_init(&messages);
        struct chart *chart = read(text);
        chart->bits = i % 2 == 1 && chart_bits_suffice(chart);
        const struct chart_expression *property =
            chart_property_read(chart, NULL, question, strlen(question), &messages);
        assert_non_null(property);
        struct chart_view *view = chart_view_create(chart, property);
        struct model *model = chart_translate(chart, property, &view->map, &view->head);
        assert_int_equal(decide_run_as(model, CONFIGURATIONS[i / 2], 1), expected);
        model_destroy(model);
        messages_finish(&messages);
    }
}

static void a_hidden_composite_is_opened(void **state)
{
    (void)state;
    decide_all(HEAD
               "region top { initial i0 state s1 { region r { initial i1 state s1a state s1b } } "
               "state s2 } transition from i0 to s1 transition from i1 to s1a "
               "transition from s1a to s1a when p.b transition from s1b to s2 when p.a }",
               "never In(s2)", VERDICT_SAFE);
}

static void a_hidden_variable_is_shown(void **state)
{
    (void)state;
    decide_all(HEAD "var x : integer := 0 region top { initial i0 state s0 state s1 state s2 } "
                    "transition from i0 to s0 transition from s0 to s1 when p.a / x := 1; "
                    "transition from s1 to s2 when p.a [x = 0] }",
               "never In(s2)", VERDICT_SAFE);
}

// A shown variable gets its value from a hidden one: that one has to be shown, too.
static void a_hidden_source_is_shown(void **state)
{
    (void)state;
    static const char SOURCE[] = HEAD
        "var u : integer := 1 var v : integer := 1 "
        "region top { initial i0 state s0 state s1 state s2 } transition from i0 to s0 "
        "transition from s0 to s1 when p.a / v := u; transition from s1 to s2 when p.a [v = 0] }";
    decide_all(SOURCE, "never In(s2) and v = 0", VERDICT_SAFE);
    decide_all(SOURCE, "never In(s1) and v = 1", VERDICT_UNSAFE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_the_example),
        cmocka_unit_test(composites_side_by_side_have_bits_of_their_own),
        cmocka_unit_test(the_path_of_the_example),
        cmocka_unit_test(a_step_of_one_region_leaves_the_other),
        cmocka_unit_test(a_hidden_composite_is_opened),
        cmocka_unit_test(a_hidden_variable_is_shown),
        cmocka_unit_test(a_hidden_source_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
