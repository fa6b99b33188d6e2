#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "languages/charts/build.h"
#include "languages/charts/told.h"
#include "tests/decide.h"
#include "tests/oracle.h"
#include "tests/random_chart.h"

// The engine of charts: every way of looking and every abstraction has the answer that looking at every state has. So have the
// engines for everything with precisions that follow the hierarchy.

// NULL: with `all`, when the chart has no such encoding.
static struct model *translate(enum chart_semantics semantics, uint64_t seed, bool bits, bool all)
{
    struct chart *chart = random_chart(semantics, seed);
    chart->bits = bits && chart_bits_suffice(chart);
    if (all && bits && !chart->bits) { // the same model again
        chart_destroy(chart);
        return NULL;
    }
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

// Bounded runs have a bound, and may then have no answer: without one they need not end.
static const char *const CONFIGURATIONS[] = {
    "engine=charts",
    "engine=charts,checker=BMC,open=CORE,bound=12",
    "engine=charts,checker=MON,open=VARIABLES",
    "engine=charts,checker=MOP,chartabstraction=STT",
    "engine=charts,checker=MON,open=CORE",
    "engine=charts,checker=BMC,chartabstraction=STT,bound=12",
    "engine=charts,chartabstraction=STT,open=BOTH",
    "engine=charts,chartabstraction=NONE",
    "domain=EXPL,initprec=TOP",
    "domain=PRED_SPLIT,initprec=TOP,predsplit=REGIONS",
    "domain=PRED_CART,predsplit=REGIONS,search=ERR",
    "domain=EXPL_PRED_BOOL,initprec=TOP,predsplit=REGIONS",
    "engine=bmc,abstraction=PREDICATES,initprec=TOP,predsplit=REGIONS,bound=12",
};
// Charts with a counter have no end when it is visible.
enum { STEP_LIMIT = 300 };
enum { CONFIGURATION_COUNT = sizeof CONFIGURATIONS / sizeof CONFIGURATIONS[0] };

struct tally {
    uint64_t runs, safe, unsafe;
};

static void try(const struct model *model, const char *configuration, uint64_t seed,
                enum verdict expected, struct tally *tally)
{
    enum verdict verdict = decide_run_within(model, configuration, seed, STEP_LIMIT);
    if (verdict != VERDICT_UNKNOWN && expected != VERDICT_UNKNOWN && verdict != expected)
        fail_msg("seed %llu: %s answers %s", (unsigned long long)seed, configuration,
                 verdict_name(verdict));
    tally->runs++;
    tally->safe += verdict == VERDICT_SAFE;
    tally->unsafe += verdict == VERDICT_UNSAFE;
}

// Two configurations a chart, all of them with REGATTA_CHARTS=COUNT (scripts/test-charts).
static void compare(enum chart_semantics semantics, uint64_t first, uint64_t count)
{
    const char *wanted = getenv("REGATTA_CHARTS"), *begin = getenv("REGATTA_CHARTS_FIRST");
    bool all = wanted != NULL;
    struct tally tally = {0};
    count = all ? strtoull(wanted, NULL, 10) : count;
    first = begin != NULL ? strtoull(begin, NULL, 10) : first;
    for (uint64_t seed = first; seed < first + count; seed++) {
        for (int bits = 0; bits < (all ? 2 : 1); bits++) {
            struct model *model = translate(semantics, seed, all ? bits == 1 : seed % 2 == 0, all);
            if (model == NULL)
                continue;
            enum verdict expected = oracle_decide(model, 20000);
            for (uint64_t i = 0; i < (all ? CONFIGURATION_COUNT : 2); i++)
                try(model, CONFIGURATIONS[(2 * seed + i) % CONFIGURATION_COUNT], seed, expected,
                    &tally);
            model_destroy(model);
        }
    }
    print_message("%llu safe, %llu unsafe of %llu\n", (unsigned long long)tally.safe,
                  (unsigned long long)tally.unsafe, (unsigned long long)tally.runs);
    assert_true(tally.safe > 0 && tally.unsafe > 0);
    assert_true(10 * (tally.safe + tally.unsafe) > 7 * tally.runs);
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

// Regions of composite states, and only these, say that they are: what lies around has a variable of its own.
static void hierarchy_is_marked(void **state)
{
    (void)state;
    uint32_t tops = 0, inner = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct model *model = translate(CHART_INTERLEAVING, seed, false, false);
        const struct chart_view *view = (const struct chart_view *)model->view;
        for (uint32_t i = 0; i < view->chart->region_count; i++) {
            uint32_t flags = view->map.region[i]->flags;
            bool top = view->chart->regions[i]->parent == NULL;
            assert_int_equal(flags & (VARIABLE_CONTROL | VARIABLE_INNER),
                             top ? VARIABLE_CONTROL : VARIABLE_CONTROL | VARIABLE_INNER);
            tops += top;
            inner += !top;
        }
        model_destroy(model);
    }
    assert_true(tops > 0 && inner > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleaving),
        cmocka_unit_test(scxml),
        cmocka_unit_test(gamma_charts),
        cmocka_unit_test(hierarchy_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
