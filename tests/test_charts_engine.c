#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "languages/charts/build.h"
#include "languages/charts/told.h"
#include "tests/decide.h"
#include "tests/oracle.h"
#include "tests/random_chart.h"

// The engine of charts: every way of looking and every abstraction has the answer that looking at every state has.

static struct model *translate(enum chart_semantics semantics, uint64_t seed)
{
    struct chart *chart = random_chart(semantics, seed);
    // Some state is never active, or not together with a flag.
    struct chart_expression *in =
        chart_make(chart, CHART_ACTIVE, &CHART_TYPE_BOOL, (struct position){"", 0, 0});
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[(seed + i) % chart->state_count];
        if (chart_can_be_active(state) && in->state == NULL)
            in->state = state;
    }
    const struct chart_expression *error =
        seed % 2 == 0 ? in : chart_both(chart, in, chart_read(chart, chart->variables[2]));
    const struct chart_expression *property = chart_unary(chart, CHART_NOT, error);
    struct chart_view *view = chart_view_create(chart, property);
    return chart_translate(chart, property, &view->map, &view->head);
}

static void compare(enum chart_semantics semantics, uint64_t first, uint64_t count)
{
    static const char *const CONFIGURATIONS[] = {
        "engine=charts",
        "engine=charts,checker=MON,open=VARIABLES",
        "engine=charts,checker=MOP,chartabstraction=STT",
        "engine=charts,chartabstraction=STT,open=BOTH",
        "engine=charts,chartabstraction=NONE",
    };
    int safe = 0, unsafe = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct model *model = translate(semantics, seed);
        enum verdict expected = oracle_decide(model, 20000);
        for (size_t i = 0; i < sizeof CONFIGURATIONS / sizeof CONFIGURATIONS[0]; i++) {
            enum verdict verdict = decide_run_as(model, CONFIGURATIONS[i], seed);
            if (verdict != VERDICT_UNKNOWN && expected != VERDICT_UNKNOWN && verdict != expected)
                fail_msg("seed %llu: %s answers %s", (unsigned long long)seed, CONFIGURATIONS[i],
                         verdict_name(verdict));
            safe += verdict == VERDICT_SAFE;
            unsafe += verdict == VERDICT_UNSAFE;
        }
        model_destroy(model);
    }
    print_message("%d safe, %d unsafe of %llu\n", safe, unsafe, (unsigned long long)(5 * count));
    assert_true(safe > 0 && unsafe > 0);
    assert_true((uint64_t)(safe + unsafe) > 4 * count);
}

static void interleaving(void **state)
{
    (void)state;
    compare(CHART_INTERLEAVING, 1, 12);
}

static void scxml(void **state)
{
    (void)state;
    compare(CHART_SCXML, 1, 6);
}

static void gamma_charts(void **state)
{
    (void)state;
    compare(CHART_GAMMA, 1, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleaving),
        cmocka_unit_test(scxml),
        cmocka_unit_test(gamma_charts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
