#include "portfolio/plan_solvers.h"

#include "base/vector.h"
#include "configs/solver_name.h"
#include "logic/smt/smt.h"

static bool has_solvers_of(const struct configuration *configuration, struct text *why)
{
    static const enum option roles[] = {OPTION_ABSTRACTION_SOLVER, OPTION_REFINEMENT_SOLVER};
    bool good = true;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0] && good; i++) {
        const char *name = configuration_solver(configuration, roles[i]), *error = NULL;
        if (!solver_name_is_program(name))
            continue;
        struct smt_options none = {0};
        struct smt_context *context = smt_context_create(name, NULL, &none, &error);
        good = context != NULL;
        if (!good)
            text_printf(why, "%s: %s", name, error);
        smt_context_destroy(context);
    }
    return good;
}

bool plan_has_solvers(const struct plan *plan, struct text *why)
{
    VECTOR(const struct configuration *) seen = {0};
    bool good = true;
    for (size_t v = 0; v < plan->variant_count; v++)
        for (size_t l = 0; l < plan->variants[v].lane_count; l++)
            for (size_t s = 0; s < plan->variants[v].lanes[l].step_count && good; s++) {
                const struct configuration *one = plan->variants[v].lanes[l].steps[s].configuration;
                bool new = true;
                for (size_t i = 0; i < seen.count; i++)
                    new = new &&seen.data[i] != one;
                if (new)
                    VECTOR_PUSH(&seen, one);
                good = !new || has_solvers_of(one, why);
            }
    VECTOR_FINISH(&seen);
    return good;
}
