#include "engines/monolithic/every_value.h"

#include <assert.h>

#define MOST_QUESTIONS 100
#define MOST_VALUES 6        // of one variable in one formula
#define ELIMINATED_SIZE 2000 // nodes as a tree; of more, elimination may make too much
#define MOST_SIZE 20000      // of what it makes

struct every_value every_value_begin(struct monolith *m, size_t bytes)
{
    return (struct every_value){m, MOST_QUESTIONS, term_store_bytes(m->store) + bytes};
}

bool every_value_is_over(const struct every_value *e)
{
    const _Atomic int *stop = e->m->workspace->environment->stop;
    return term_store_bytes(e->m->store) >= e->most_bytes ||
           (stop != NULL && atomic_load(stop) != END_NONE);
}

static bool may_ask(struct every_value *e)
{
    if (e->questions == 0 || every_value_is_over(e))
        return false;
    e->questions--;
    return true;
}

// A value for which the formula may fail where all of `known` holds; the formula's store has it. NULL: there is none, or
// (`*decided` is false) nobody knows.
static const struct term *counterexample(struct every_value *e, struct smt_context *solver,
                                         const struct term *variable, const struct term *formula,
                                         const struct term *known, bool *decided)
{
    struct smt *smt = smt_create(solver);
    smt_assert(smt, known);
    smt_assert(smt, term_not(e->m->store, formula));
    enum smt_result result = smt_check(smt);
    const struct term *value = result == SMT_SAT ? smt_model_value(smt, variable) : NULL;
    smt_destroy(smt);
    *decided = result == SMT_UNSAT || value != NULL;
    return value;
}

// Value by value, until those say it for all. Often none is needed, since the formula is valid.
static const struct term *by_values(struct every_value *e, const struct term *variable,
                                    const struct term *formula)
{
    struct term_store *store = e->m->store;
    struct smt_context *solver = workspace_solver(e->m->workspace);
    const struct term *all = term_true(store);
    for (unsigned i = 0; solver != NULL && i <= MOST_VALUES && may_ask(e); i++) {
        bool decided;
        const struct term *value = counterexample(e, solver, variable, formula, all, &decided);
        if (!decided)
            break;
        if (value == NULL)
            return all;
        all = term_and2(store, all, rewrite_replace(store, formula, variable, value));
    }
    return NULL;
}

static const struct term *by_elimination(struct every_value *e, const struct term *variable,
                                         const struct term *formula)
{
    struct smt_context *solver = workspace_solver(e->m->workspace);
    if (solver == NULL || formula->tree_size > ELIMINATED_SIZE || !may_ask(e))
        return NULL;
    const struct term *all = term_quantifier(e->m->store, TERM_FORALL, &variable, 1, formula);
    const struct term *made = smt_eliminate(solver, all);
    return made != NULL && made->tree_size <= MOST_SIZE ? made : NULL;
}

const struct term *every_value(struct every_value *e, const struct term *variable,
                               const struct term *formula)
{
    assert(variable->kind == TERM_VAR && formula->sort->kind == SORT_BOOL);
    if (!rewrite_contains(formula, variable))
        return formula;
    struct term_vector conjuncts = {0};
    rewrite_conjuncts(formula, &conjuncts);
    const struct term *out = term_true(e->m->store);
    for (size_t i = 0; i < conjuncts.count && out != NULL; i++) {
        const struct term *part = conjuncts.data[i];
        if (rewrite_contains(part, variable)) {
            const struct term *without = by_elimination(e, variable, part);
            part = without != NULL ? without : by_values(e, variable, part);
        }
        out = part != NULL ? term_and2(e->m->store, out, part) : NULL;
    }
    VECTOR_FINISH(&conjuncts);
    return out;
}
