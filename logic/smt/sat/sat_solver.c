#include "logic/smt/sat/sat_solver.h"

#include <ccadical.h>

#include "base/memory.h"

struct sat_solver {
    CCaDiCaL *cadical; // one of these two
    struct search *search;
    int variables;
    bool (*stop)(void *context);
    void *context;
};

static int should_end(void *data)
{
    const struct sat_solver *solver = data;
    return solver->stop != NULL && solver->stop(solver->context);
}

struct sat_solver *sat_solver_create(enum sat_kind kind, uint64_t seed, bool (*stop)(void *context),
                                     void *context)
{
    struct sat_solver *solver = memory_zalloc(sizeof *solver);
    solver->stop = stop;
    solver->context = context;
    if (kind == SAT_SEARCH) {
        solver->search = search_create();
        return solver;
    }
    solver->cadical = ccadical_init();
    ccadical_set_option(solver->cadical, "quiet", 1);
    ccadical_set_option(solver->cadical, "seed", (int)(seed % 1000000000));
    ccadical_set_terminate(solver->cadical, solver, should_end);
    return solver;
}

void sat_solver_destroy(struct sat_solver *solver)
{
    if (solver->cadical != NULL)
        ccadical_release(solver->cadical);
    search_destroy(solver->search);
    memory_free(solver);
}

int sat_solver_variables(const struct sat_solver *solver)
{
    return solver->variables;
}

int sat_solver_variable(struct sat_solver *solver, enum search_gate gate, const int *inputs)
{
    solver->variables++;
    return solver->search != NULL ? search_variable(solver->search, gate, inputs)
                                  : solver->variables;
}

void sat_solver_clause(struct sat_solver *solver, const int *literals, uint32_t count, bool binding)
{
    if (solver->search != NULL) {
        search_clause(solver->search, literals, count, binding);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        ccadical_add(solver->cadical, literals[i]);
    ccadical_add(solver->cadical, 0);
}

int sat_solver_run(struct sat_solver *solver, const int *assumptions, uint32_t count,
                   uint64_t conflicts)
{
    if (solver->search != NULL) {
        enum search_result result = search_run(solver->search, assumptions, count, conflicts,
                                               solver->stop, solver->context);
        return result == SEARCH_SAT ? 10 : result == SEARCH_UNSAT ? 20 : 0;
    }
    for (uint32_t i = 0; i < count; i++)
        ccadical_assume(solver->cadical, assumptions[i]);
    if (conflicts)
        ccadical_limit(solver->cadical, "conflicts",
                       conflicts > INT32_MAX ? INT32_MAX : (int)conflicts);
    return ccadical_solve(solver->cadical);
}

int sat_solver_value(const struct sat_solver *solver, int literal)
{
    if (solver->search != NULL)
        return search_value(solver->search, literal);
    return ccadical_val(solver->cadical, literal) > 0 ? 1 : -1;
}

bool sat_solver_failed(const struct sat_solver *solver, int literal)
{
    return solver->search != NULL ? search_failed(solver->search, literal)
                                  : ccadical_failed(solver->cadical, literal);
}
