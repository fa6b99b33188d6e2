#include "engines/bounded/bounded.h"
#include "engines/bounded/seek.h"

// Bounded model checking (Biere et al. 1999): runs of length 0, 1, 2, … to the error, until there are
// none of that length at all.

static struct engine_result run(const struct engine_environment *environment)
{
    struct bounded b;
    if (bounded_init(&b, environment, false)) {
        b.base.simple = workspace_option(&b.workspace, OPTION_SIMPLE_PATH);
        while (bounded_round(&b) && bounded_check_base(&b) && bounded_extend_base(&b))
            continue;
    }
    struct engine_result result = bounded_finish(&b);
    seek_invariant(environment, NULL, &result);
    return result;
}

const struct engine engine_bmc = {
    .name = "bmc",
    .description = "bounded model checking: longer and longer runs from the start",
    .preparation = bounded_preparation,
    .run = run,
};
