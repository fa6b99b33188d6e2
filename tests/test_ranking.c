#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engines/bounded/ranking.h"
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

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {cmocka_unit_test(no_loop_that_returns_is_ranked)};
    return part_run(count, arguments, tests);
}
