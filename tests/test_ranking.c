#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/bounded/ranking.h"
#include "logic/smt/quotients.h"
#include "tests/engine_run.h"
#include "tests/part.h"
#include "tests/returning_model.h"

// Ranking functions against all states of small loops that wrap.

static struct progress progress;

// Every round has its ranking function.
static bool is_ranked(const struct model *model)
{
    struct engine_run run;
    struct workspace workspace;
    struct monolith monolith;
    size_t proved;
    bool safe;
    engine_run_prepare(&run, model, "engine=kind,encoding=LOOPS", &progress);
    workspace_init(&workspace, &run.environment);
    monolith_init(&monolith, &workspace);
    workspace.finite = FINITE_HARD;
    memory_free(ranking_prove(&monolith, NULL, &proved, &safe));
    monolith_finish(&monolith);
    workspace_finish(&workspace);
    configuration_finish(&run.configuration);
    engine_run_finish(&run);
    return safe;
}

// None where a state comes back, and often enough one where none does.
static void no_loop_that_returns_is_ranked(void **state)
{
    (void)state;
    unsigned ranked = 0, ends = 0, count = part_models(200, 20);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct returning_loop loop = returning_random(seed);
        struct model *model = returning_model(&loop);
        bool returns = returning_returns(&loop), found = is_ranked(model);
        if (found && returns)
            fail_msg("seed %u returns and is ranked", (unsigned)seed);
        ends += !returns;
        ranked += found;
        model_destroy(model);
    }
    print_message("# %u of %u loops end, %u are ranked\n", ends, count, ranked);
    assert_true(ranked > 0);
}

struct operands {
    const struct term *variable[2], *value[2], *quotient[2];
};

static const struct term *operand(void *context, const struct term *variable)
{
    const struct operands *o = context;
    return o->value[variable == o->variable[1]];
}

static void check_quotients(struct term_store *store, enum term_kind kind, uint32_t width)
{
    struct operands o = {.variable = {term_var(store, "a", sort_bv(store, width)),
                                      term_var(store, "b", sort_bv(store, width))}};
    const struct term *facts =
        quotients_facts(store, term_eq(store, o.variable[0],
                                       term_bv_binary(store, kind, o.variable[0], o.variable[1])));
    for (uint64_t a = 0; a < (uint64_t)1 << width; a++)
        for (uint64_t b = 0; b < (uint64_t)1 << width; b++) {
            o.value[0] = term_bv(store, width, a);
            o.value[1] = term_bv(store, width, b);
            assert_true(term_is_true(rewrite_substitute(store, facts, operand, &o)));
        }
}

// All numbers of a few bits.
static void facts_of_quotients_are_true(void **state)
{
    (void)state;
    const enum term_kind kinds[] = {TERM_BV_UDIV, TERM_BV_UREM, TERM_BV_SDIV, TERM_BV_SREM};
    struct term_store *store = term_store_create(NULL);
    for (uint32_t width = 1; width <= 4; width++)
        for (size_t k = 0; k < 4; k++)
            check_quotients(store, kinds[k], width);
    term_store_destroy(store);
}

static const struct term *quotient_operand(void *context, const struct term *variable)
{
    const struct operands *o = context;
    const bool quotient = variable != o->variable[0] && variable != o->variable[1];
    return quotient ? o->quotient[strncmp(variable->u.var.name, "!quotient.1", 11) == 0]
                    : operand(context, variable);
}

static void check_forgotten(struct term_store *store, enum term_kind kind, uint32_t width)
{
    struct operands o = {.variable = {term_var(store, "a", sort_bv(store, width)),
                                      term_var(store, "b", sort_bv(store, width))}};
    const struct term *a = o.variable[0], *b = o.variable[1];
    const struct term *once = term_bv_binary(store, kind, a, b),
                      *twice = term_bv_binary(store, TERM_BV_UREM, once, b);
    const struct term *formula = term_and2(store, term_bv_binary(store, TERM_BV_ULE, twice, a),
                                           term_not(store, term_eq(store, once, twice)));
    const struct term *weaker = quotients_forget(store, formula);
    assert_ptr_not_equal(weaker, formula);
    for (uint64_t x = 0; x < (uint64_t)1 << width; x++)
        for (uint64_t y = 0; y < (uint64_t)1 << width; y++) {
            o.value[0] = term_bv(store, width, x);
            o.value[1] = term_bv(store, width, y);
            o.quotient[0] = rewrite_substitute(store, once, operand, &o);
            o.quotient[1] = rewrite_substitute(store, twice, operand, &o);
            if (term_is_true(rewrite_substitute(store, formula, operand, &o)))
                assert_true(term_is_true(rewrite_substitute(store, weaker, quotient_operand, &o)));
        }
}

// What is left when quotients are forgotten holds wherever the formula does; divisions by literals stay.
static void what_forgets_quotients_is_weaker(void **state)
{
    (void)state;
    const enum term_kind kinds[] = {TERM_BV_UDIV, TERM_BV_UREM, TERM_BV_SDIV, TERM_BV_SREM};
    struct term_store *store = term_store_create(NULL);
    for (uint32_t width = 2; width <= 4; width++)
        for (size_t k = 0; k < 4; k++)
            check_forgotten(store, kinds[k], width);
    const struct term *x = term_var(store, "x", sort_bv(store, 8));
    const struct term *tenth = term_bv_binary(store, TERM_BV_UDIV, x, term_bv(store, 8, 10));
    assert_ptr_equal(quotients_forget(store, term_eq(store, x, tenth)), term_eq(store, x, tenth));
    term_store_destroy(store);
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {cmocka_unit_test(no_loop_that_returns_is_ranked),
                                 cmocka_unit_test(facts_of_quotients_are_true),
                                 cmocka_unit_test(what_forgets_quotients_is_weaker)};
    return part_run(count, arguments, tests);
}
