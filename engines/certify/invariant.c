#include <assert.h>
#include <string.h>

#include "engines/certify/certify.h"
#include "engines/expr/print.h"
#include "engines/smt/smt.h"

// Checks that an invariant is inductive. Actions are encoded as the terms that variables hold
// afterwards and a condition under which the action runs to its end; where branches meet, a
// variable that they leave different becomes a new copy.

struct checker {
    const struct model *model;
    struct term_store *store;
    struct smt *smt;
    uint32_t copies; // indices handed out
    struct text *why;
};

// What variables hold, by variable index, and the condition of the run so far.
struct run {
    const struct term **now;
    const struct term *condition;
};

static const struct term *held(void *context, const struct term *variable)
{
    void **pair = context;
    const struct variable *found = model_variable_of(pair[0], variable);
    return found ? ((const struct term **)pair[1])[found->index] : variable;
}

static const struct term *at(struct checker *checker, const struct term *term,
                             const struct term **now)
{
    void *pair[] = {(void *)(uintptr_t)checker->model, now};
    return rewrite_substitute(checker->store, term, held, pair);
}

static const struct term *new_copy(struct checker *checker, uint32_t variable)
{
    return term_var_copy(checker->store, checker->model->variables[variable]->term,
                         ++checker->copies);
}

static const struct term **copy_now(const struct checker *checker, const struct term **now)
{
    size_t count = checker->model->variable_count;
    const struct term **copy = memory_alloc((count + 1) * sizeof(*copy));
    if (count > 0)
        memcpy(copy, now, count * sizeof(*copy));
    return copy;
}

static void require(struct checker *checker, struct run *run, const struct term *condition)
{
    run->condition = term_and2(checker->store, run->condition, condition);
}

static void encode(struct checker *checker, const struct statement *statement, struct run *run);

// Joins branches: variables on which they differ get a new copy, which each branch sets to its own.
static void meet(struct checker *checker, struct run *branches, uint32_t count, struct run *out)
{
    for (uint32_t v = 0; v < checker->model->variable_count; v++) {
        bool same = true;
        for (uint32_t i = 1; i < count; i++)
            same = same && branches[i].now[v] == branches[0].now[v];
        if (same) {
            out->now[v] = branches[0].now[v];
            continue;
        }
        out->now[v] = new_copy(checker, v);
        for (uint32_t i = 0; i < count; i++)
            require(checker, &branches[i],
                    term_eq(checker->store, out->now[v], branches[i].now[v]));
    }
    const struct term **conditions = memory_alloc(count * sizeof(*conditions));
    for (uint32_t i = 0; i < count; i++)
        conditions[i] = branches[i].condition;
    require(checker, out, term_or(checker->store, conditions, count));
    memory_free(conditions);
}

static void encode_branches(struct checker *checker, const struct statement *statement,
                            struct run *run)
{
    uint32_t count = statement->child_count;
    struct run *branches = memory_alloc(count * sizeof *branches);
    for (uint32_t i = 0; i < count; i++) {
        branches[i] = (struct run){copy_now(checker, run->now), term_true(checker->store)};
        if (statement->kind == STATEMENT_IF) {
            const struct term *condition = at(checker, statement->expression, run->now);
            require(checker, &branches[i],
                    i == 0 ? condition : term_not(checker->store, condition));
        }
        encode(checker, statement->child[i], &branches[i]);
    }
    meet(checker, branches, count, run);
    for (uint32_t i = 0; i < count; i++)
        memory_free(branches[i].now);
    memory_free(branches);
}

static void encode(struct checker *checker, const struct statement *statement, struct run *run)
{
    switch (statement->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        run->now[statement->variable->index] = at(checker, statement->expression, run->now);
        break;
    case STATEMENT_ASSUME:
        require(checker, run, at(checker, statement->expression, run->now));
        break;
    case STATEMENT_HAVOC:
        run->now[statement->variable->index] = new_copy(checker, statement->variable->index);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < statement->child_count; i++)
            encode(checker, statement->child[i], run);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        encode_branches(checker, statement, run);
        break;
    }
}

static enum certify_result judge(struct checker *checker, enum smt_result answer,
                                 const char *broken, const char *label)
{
    if (answer == SMT_UNSAT)
        return CERTIFY_ACCEPTED;
    if (answer == SMT_SAT)
        text_printf(checker->why, "the invariant is not %s: %s", broken, label);
    else
        text_printf(checker->why, "the solver could not decide whether the invariant is %s: %s",
                    broken, label);
    return answer == SMT_SAT ? CERTIFY_REFUSED : CERTIFY_UNDECIDED;
}

// before and action imply after.
static enum certify_result check_step(struct checker *checker, const struct term *before,
                                      const struct statement *action, const struct term *after,
                                      const char *broken, const char *label)
{
    uint32_t count = checker->model->variable_count;
    struct run run = {memory_alloc((count + 1) * sizeof(*run.now)), before};
    for (uint32_t i = 0; i < count; i++)
        run.now[i] = checker->model->variables[i]->term;
    encode(checker, action, &run);
    require(checker, &run, term_not(checker->store, at(checker, after, run.now)));
    enum smt_result answer = SMT_UNSAT;
    if (!term_is_false(run.condition)) {
        smt_push(checker->smt);
        smt_assert(checker->smt, run.condition);
        answer = smt_check(checker->smt);
        smt_pop(checker->smt, 1);
    }
    memory_free(run.now);
    return judge(checker, answer, broken, label);
}

static enum certify_result check_all(struct checker *checker, const struct term *const *invariant)
{
    const struct model *model = checker->model;
    struct statement skip = {.kind = STATEMENT_SKIP};
    enum certify_result result =
        check_step(checker, invariant[model->error->index], &skip, term_false(checker->store),
                   "false", "at the error location");
    if (result == CERTIFY_ACCEPTED)
        result = check_step(checker, term_true(checker->store), model->initial_action,
                            invariant[model->initial->index], "implied", "by the initial action");
    for (uint32_t i = 0; i < model->edge_count && result == CERTIFY_ACCEPTED; i++) {
        const struct edge *edge = model->edges[i];
        result = check_step(checker, invariant[edge->source->index], edge->action,
                            invariant[edge->target->index], "preserved by edge", edge->label);
    }
    return result;
}

// Only the model's variables may occur, or a proof could talk about something else.
static bool check_vocabulary(const struct model *model, const struct term *const *invariant,
                             struct text *why)
{
    struct term_vector variables = {0};
    bool good = invariant != NULL;
    for (uint32_t l = 0; good && l < model->location_count; l++) {
        good = invariant[l] && invariant[l]->sort->kind == SORT_BOOL;
        if (good)
            rewrite_free_variables(invariant[l], &variables);
    }
    if (!good)
        text_add(why, "there is no formula for some location");
    for (size_t i = 0; good && i < variables.count; i++) {
        const struct term *variable = variables.data[i];
        good = variable->u.var.index == 0 && model_variable_of(model, variable);
        if (!good)
            text_printf(why, "the invariant mentions %s, which is no variable of the model",
                        variable->u.var.name);
    }
    VECTOR_FINISH(&variables);
    return good;
}

static void publish(const struct certify_owner *owner, struct smt_context *solver)
{
    if (owner != NULL)
        owner->publish_solver(owner->context, solver);
}

enum certify_result certify_invariant(const struct model *model, struct term_store *store,
                                      const struct term *const *invariant, const char *backend,
                                      const _Atomic int *stop, struct text *why)
{
    return certify_invariant_owned(model, store, invariant, backend, stop, NULL, why);
}

enum certify_result certify_invariant_owned(const struct model *model, struct term_store *store,
                                            const struct term *const *invariant,
                                            const char *backend, const _Atomic int *stop,
                                            const struct certify_owner *owner, struct text *why)
{
    if (!check_vocabulary(model, invariant, why))
        return CERTIFY_REFUSED;
    struct checker checker = {.model = model, .store = term_store_create(store), .why = why};
    enum certify_result result = CERTIFY_UNDECIDED;
    const char *error = NULL;
    struct smt_context *context =
        smt_context_create(backend, checker.store, &(struct smt_options){.stop = stop}, &error);
    if (context) {
        checker.smt = smt_create(context);
        publish(owner, context);
        result = check_all(&checker, invariant);
        publish(owner, NULL);
        smt_context_destroy(context);
    } else {
        text_printf(why, "%s: %s", backend, error ? error : "the solver could not be started");
    }
    term_store_destroy(checker.store);
    return result;
}
