#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/ensure.h"
#include "certify/certify.h"
#include "certify/ground.h"
#include "certify/invariant_inside.h"
#include "certify/state_cubes.h"
#include "logic/smt/products.h"
#include "logic/smt/quotients.h"
#include "logic/smt/smt.h"
#include "logic/terms/print.h"

// Checks that an invariant is inductive: from each location that has a formula, along all paths, to
// the next ones that have one (the inductive assertions of Floyd 1967, with cut points). Actions are encoded as the terms that variables hold
// afterwards and a condition under which the action runs to its end; where branches meet, a
// variable that they leave different becomes a new copy.

// A formula of so many cubes is checked cube by cube; solvers take long over the whole of it.
enum { CUBES_LEAST = 8 };
// But not when the program would do more than so many statements for that.
static const uint64_t CUBE_STATEMENTS = 2000000;

static const struct term *held(void *context, const struct term *variable)
{
    void **pair = context;
    const struct variable *found = model_variable_of(pair[0], variable);
    return found != NULL ? ((const struct term **)pair[1])[found->index] : variable;
}

static const struct term *at(struct checker *checker, const struct term *term,
                             const struct term **now)
{
    void *pair[] = {(void *)(uintptr_t)checker->model, now};
    return rewrite_substitute_cached(checker->cache, term, held, pair);
}

static const struct term *new_copy(struct checker *checker, uint32_t variable)
{
    assert(variable < checker->model->variable_count && checker->copies < UINT32_MAX);
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
    assert(condition->sort->kind == SORT_BOOL);
    run->condition = term_and2(checker->store, run->condition, condition);
}

// Joins branches: variables on which they differ get a new copy, which each branch sets to its own.
static void meet(struct checker *checker, struct run *branches, uint32_t count, struct run *out)
{
    assert(count > 0 && "branches meet, or waiting runs");
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
    assert(statement->kind != STATEMENT_IF || count == 2);
    struct run *branches = memory_alloc(count * sizeof *branches);
    for (uint32_t i = 0; i < count; i++) {
        branches[i] = (struct run){copy_now(checker, run->now), term_true(checker->store)};
        if (statement->kind == STATEMENT_IF) {
            const struct term *condition = at(checker, statement->expression, run->now);
            require(checker, &branches[i],
                    i == 0 ? condition : term_not(checker->store, condition));
        }
        checker_encode(checker, statement->child[i], &branches[i]);
    }
    meet(checker, branches, count, run);
    for (uint32_t i = 0; i < count; i++)
        memory_free(branches[i].now);
    memory_free(branches);
}

void checker_encode(struct checker *checker, const struct statement *statement, struct run *run)
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
            checker_encode(checker, statement->child[i], run);
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
    if (answer == SMT_UNKNOWN && smt_reason(checker->smt) == SMT_REASON_ERROR)
        text_printf(checker->why, " (%s)", smt_error_text(checker->smt));
    return answer == SMT_SAT ? CERTIFY_REFUSED : CERTIFY_UNDECIDED;
}

static const struct term *rest_at(void *context, const struct term *rest, const struct term **now)
{
    return at(context, rest, now);
}

// The location's formula over what variables hold now.
const struct term *checker_formula_at(struct checker *checker, const struct location *location,
                                      const struct term **now)
{
    struct state_cubes *cubes = &checker->cubes[location->index];
    if (cubes->count > 0)
        return state_cubes_at(cubes, checker->model, checker->store, now, rest_at, checker);
    return at(checker, checker->invariant[location->index], now);
}

static bool is_unsatisfiable(struct checker *checker, const struct term *formula)
{
    smt_push(checker->smt);
    smt_assert(checker->smt, formula);
    bool out = smt_check(checker->smt) == SMT_UNSAT;
    smt_pop(checker->smt, 1);
    return out;
}

// A weaker formula, which solvers are better at, may do: it has no solution, nor has this one then.
static bool is_unsatisfiable_on_ground(struct checker *checker, const struct term *bad)
{
    const struct term *last = NULL;
    bool out = false;
    for (unsigned rounds = 1; rounds <= GROUND_ROUNDS && !out; rounds++) {
        const struct term *ground = ground_question(checker->store, bad, rounds);
        if (ground == NULL || ground == last)
            break;
        last = ground;
        out = is_unsatisfiable(checker, ground);
    }
    return out;
}

// Each part that speaks of all elements is asked by itself, then only what it speaks of is put for the elements of what is known; the
// others are asked together.
static bool holds_on_ground(struct checker *checker, const struct term *condition,
                            const struct term *after)
{
    struct term_store *store = checker->store;
    struct term_vector rest = {0};
    bool holds = checker->has_arrays;
    const uint32_t count = after->kind == TERM_AND ? after->child_count : 0;
    for (uint32_t i = 0; i < count && holds; i++) {
        const struct term *part = after->child[i];
        if (part->flags & TERM_HAS_QUANTIFIER)
            holds = is_unsatisfiable_on_ground(checker,
                                               term_and2(store, condition, term_not(store, part)));
        else
            VECTOR_PUSH(&rest, part);
    }
    const struct term *others = count > 0 ? term_and(store, rest.data, rest.count) : after;
    VECTOR_FINISH(&rest);
    return holds && is_unsatisfiable_on_ground(
                        checker, term_and2(store, condition, term_not(store, others)));
}

// Where words are multiplied, a formula without their products is asked first, which is weaker: if it has no solution, nor has this one.
static bool is_unsatisfiable_by_products(struct checker *checker, const struct term *bad)
{
    int64_t work = PRODUCTS_WORK / 10; // for each part of each proof: others are asked as they are
    const struct term *asked = products_question(checker->store, bad, &work);
    if (asked == NULL || term_is_false(asked))
        return asked != NULL;
    return is_unsatisfiable(checker, asked);
}

// Part by part: what is left of `after` to be asked in another way.
static const struct term *not_by_products(struct checker *checker, const struct term *condition,
                                          const struct term *after)
{
    struct term_store *store = checker->store;
    struct term_vector parts = {0}, rest = {0};
    if (!products_occur(store, condition) && !products_occur(store, after))
        return after;
    rewrite_conjuncts(after, &parts);
    for (size_t i = 0; i < parts.count; i++)
        if (!is_unsatisfiable_by_products(
                checker, term_and2(store, condition, term_not(store, parts.data[i]))))
            VECTOR_PUSH(&rest, parts.data[i]);
    const struct term *left = term_and(store, rest.data, rest.count);
    VECTOR_FINISH(&parts);
    VECTOR_FINISH(&rest);
    return left;
}

// Where a number is divided by a number: what is simple to know of quotients may do.
static bool is_unsatisfiable_without_quotients(struct checker *checker, const struct term *bad)
{
    const struct term *asked = quotients_forget(checker->store, bad);
    return asked != bad && is_unsatisfiable(checker, asked);
}

// Whatever the run may be, `after` holds at its end.
static enum certify_result check_end(struct checker *checker, const struct run *run,
                                     const struct term *after, const char *broken,
                                     const char *label)
{
    assert(after->sort->kind == SORT_BOOL && run->condition->sort->kind == SORT_BOOL);
    after = not_by_products(checker, run->condition, after);
    const struct term *bad = term_not(checker->store, after);
    bad = term_and2(checker->store, run->condition, bad);
    if (term_is_false(bad) || holds_on_ground(checker, run->condition, after) ||
        is_unsatisfiable_without_quotients(checker, bad))
        return CERTIFY_ACCEPTED;
    smt_push(checker->smt);
    smt_assert(checker->smt, bad);
    enum certify_result result = judge(checker, smt_check(checker->smt), broken, label);
    smt_pop(checker->smt, 1);
    return result;
}

struct run checker_begin_run(const struct checker *checker, const struct term *condition)
{
    uint32_t count = checker->model->variable_count;
    struct run run = {memory_alloc((count + 1) * sizeof(*run.now)), condition};
    for (uint32_t i = 0; i < count; i++)
        run.now[i] = checker->model->variables[i]->term;
    return run;
}

static void wait_at(struct checker *checker, const struct location *location, struct run run)
{
    assert(checker->invariant[location->index] == NULL && location != checker->model->error);
    VECTOR_PUSH(&checker->waiting[location->index], run);
    checker->waiting_count++;
}

// The run arrives: where there is a formula it must hold, elsewhere the run waits to go on.
enum certify_result checker_arrive(struct checker *checker, const struct location *location,
                                   struct run run, const char *broken, const char *label)
{
    const struct term *after = checker->invariant[location->index];
    if (after == NULL && !term_is_false(run.condition)) {
        wait_at(checker, location, run);
        return CERTIFY_ACCEPTED;
    }
    if (after != NULL && checker->arrived != NULL) {
        VECTOR_PUSH(&checker->arrived[location->index], run);
        return CERTIFY_ACCEPTED;
    }
    enum certify_result result =
        after != NULL ? check_end(checker, &run, checker_formula_at(checker, location, run.now),
                                  broken, label)
                      : CERTIFY_ACCEPTED;
    memory_free(run.now);
    return result;
}

enum certify_result checker_leave(struct checker *checker, const struct location *location,
                                  const struct run *run)
{
    enum certify_result result = CERTIFY_ACCEPTED;
    for (uint32_t i = 0; i < location->out_count && result == CERTIFY_ACCEPTED; i++) {
        const struct edge *edge = location->out[i];
        struct run next = {copy_now(checker, run->now), run->condition};
        checker_encode(checker, edge->action, &next);
        result = checker_arrive(checker, edge->target, next, "preserved by edge", edge->label);
    }
    return result;
}

void checker_drop(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        memory_free(runs->data[i].now);
    VECTOR_CLEAR(runs);
}

static void drop_waiting(struct checker *checker, struct runs *runs)
{
    assert(runs->count <= checker->waiting_count);
    checker->waiting_count -= runs->count;
    checker_drop(runs);
}

struct run checker_join(struct checker *checker, struct runs *runs)
{
    assert(runs->count > 0 && "there is no run of nothing");
    struct run joined = {copy_now(checker, runs->data[0].now), runs->data[0].condition};
    if (runs->count > 1) {
        joined.condition = term_true(checker->store);
        meet(checker, runs->data, (uint32_t)runs->count, &joined);
    }
    checker_drop(runs);
    return joined;
}

// All runs that wait at a location go on as one.
static enum certify_result go_on(struct checker *checker, const struct location *location)
{
    assert(checker->invariant[location->index] == NULL && "runs wait where no formula is");
    struct runs *runs = &checker->waiting[location->index];
    if (runs->count == 0)
        return CERTIFY_ACCEPTED;
    checker->waiting_count -= runs->count;
    struct run joined = checker_join(checker, runs);
    enum certify_result result = checker_leave(checker, location, &joined);
    memory_free(joined.now);
    return result;
}

enum certify_result checker_go_on(struct checker *checker)
{
    enum certify_result result = CERTIFY_ACCEPTED;
    for (size_t i = 0; i < checker->between.count; i++) {
        if (checker->waiting_count == 0)
            break;
        const struct location *location = checker->between.data[i];
        if (result == CERTIFY_ACCEPTED)
            result = go_on(checker, location);
        else
            drop_waiting(checker, &checker->waiting[location->index]);
    }
    // Edges between locations without formulas go forwards, so nothing waits behind the walk.
    ENSURE(checker->waiting_count == 0);
    return result;
}

static enum certify_result check_error(struct checker *checker)
{
    const struct term *formula = checker->invariant[checker->model->error->index];
    if (formula == NULL)
        return CERTIFY_ACCEPTED; // it counts as false
    struct run run = checker_begin_run(checker, formula);
    enum certify_result result =
        check_end(checker, &run, term_false(checker->store), "false", "at the error location");
    memory_free(run.now);
    return result;
}

static enum certify_result check_start(struct checker *checker)
{
    struct run run = checker_begin_run(checker, term_true(checker->store));
    checker_encode(checker, checker->model->initial_action, &run);
    enum certify_result result =
        checker_arrive(checker, checker->model->initial, run, "implied", "by the initial action");
    return result == CERTIFY_ACCEPTED ? checker_go_on(checker) : result;
}

// Consumes the run.
static enum certify_result check_run(struct checker *checker, const struct location *location,
                                     struct run run)
{
    assert(checker->waiting_count == 0 && "one cut point's runs at a time");
    enum certify_result result = checker_leave(checker, location, &run);
    memory_free(run.now);
    enum certify_result rest = checker_go_on(checker); // frees what waits in any case
    return result == CERTIFY_ACCEPTED ? rest : result;
}

static struct run begin_in_cube(struct checker *checker, const struct state_cube *cube)
{
    struct run run = checker_begin_run(checker, NULL);
    for (uint32_t v = 0; v < checker->model->variable_count; v++)
        if (cube->values[v] != NULL)
            run.now[v] = cube->values[v];
    run.condition = at(checker, cube->rest, run.now);
    assert(run.condition->sort->kind == SORT_BOOL);
    return run;
}

bool checker_is_asked_to_stop(const struct checker *checker)
{
    return checker->stop != NULL && atomic_load(checker->stop) != 0;
}

static enum certify_result check_from(struct checker *checker, const struct location *location)
{
    const struct term *formula = checker->invariant[location->index];
    const struct state_cubes *cubes = &checker->cubes[location->index];
    if (formula == NULL || term_is_false(formula))
        return CERTIFY_ACCEPTED;
    if (cubes->count == 0)
        return check_run(checker, location, checker_begin_run(checker, formula));
    enum certify_result result = CERTIFY_ACCEPTED;
    for (size_t i = 0; i < cubes->count && result == CERTIFY_ACCEPTED; i++) {
        if (checker_is_asked_to_stop(checker)) {
            text_add(checker->why, "asked to stop");
            return CERTIFY_UNDECIDED;
        }
        result = check_run(checker, location, begin_in_cube(checker, &cubes->data[i]));
    }
    return result;
}

static uint64_t statements_of(const struct statement *statement)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < statement->child_count; i++)
        count += statements_of(statement->child[i]);
    return count;
}

// Cube by cube where that is no more work than can be done in passing. What lies between locations with formulas is
// counted too, at its full size.
static void read_cubes(struct checker *checker)
{
    const struct model *model = checker->model;
    uint64_t all = 0;
    for (uint32_t i = 0; i < model->edge_count; i++)
        all += statements_of(model->edges[i]->action);
    for (uint32_t l = 0; l < model->location_count; l++) {
        const struct location *location = model->locations[l];
        const struct term *formula = checker->invariant[l];
        uint64_t each = 0;
        for (uint32_t i = 0; i < location->out_count; i++)
            each += checker->invariant[location->out[i]->target->index] != NULL
                        ? statements_of(location->out[i]->action)
                        : all;
        const struct term *disjunction =
            formula != NULL ? state_cubes_disjunction(formula, CUBES_LEAST) : NULL;
        if (disjunction != NULL && location != model->error &&
            disjunction->child_count * each <= CUBE_STATEMENTS)
            state_cubes_read(&checker->cubes[l], model, checker->store, formula, CUBES_LEAST);
    }
}

static enum certify_result check_all(struct checker *checker)
{
    assert(checker->waiting_count == 0);
    const struct model *model = checker->model;
    enum certify_result result = check_error(checker);
    // The error location must be false, whatever is written for it.
    checker->invariant[model->error->index] = term_false(checker->store);
    if (result == CERTIFY_ACCEPTED && !induction_is_plain(checker->rule))
        return checker_induction(checker);
    if (result == CERTIFY_ACCEPTED)
        result = check_start(checker);
    for (uint32_t l = 0; l < model->location_count && result == CERTIFY_ACCEPTED; l++)
        result = check_from(checker, model->locations[l]);
    // Nothing is accepted while runs wait to be looked at, nor with an error location that may be reached.
    ENSURE(result != CERTIFY_ACCEPTED || checker->waiting_count == 0);
    ENSURE(term_is_false(checker->invariant[model->error->index]));
    return result;
}

// Orders the locations without a formula so that edges between them go forwards. False when there
// is a cycle among them: then the formulas say nothing about it.
static bool order_between(struct checker *checker)
{
    const struct model *model = checker->model;
    uint32_t *incoming = memory_zalloc((model->location_count + 1) * sizeof *incoming);
    uint32_t total = 0;
#define IS_BETWEEN(l) (!checker->invariant[(l)->index] && (l) != model->error)
    for (uint32_t i = 0; i < model->edge_count; i++)
        if (IS_BETWEEN(model->edges[i]->source))
            incoming[model->edges[i]->target->index]++;
    for (uint32_t l = 0; l < model->location_count; l++) {
        total += IS_BETWEEN(model->locations[l]);
        if (IS_BETWEEN(model->locations[l]) && incoming[l] == 0)
            VECTOR_PUSH(&checker->between, model->locations[l]);
    }
    for (size_t i = 0; i < checker->between.count; i++) {
        const struct location *location = checker->between.data[i];
        for (uint32_t k = 0; k < location->out_count; k++) {
            const struct location *target = location->out[k]->target;
            if (--incoming[target->index] == 0 && IS_BETWEEN(target))
                VECTOR_PUSH(&checker->between, target);
        }
    }
    for (uint32_t l = 0; l < model->location_count && checker->between.count < total; l++)
        if (IS_BETWEEN(model->locations[l]) && incoming[l] > 0) {
            text_printf(checker->why, "there is no formula on a cycle through location %s",
                        model->locations[l]->name);
            break;
        }
#undef IS_BETWEEN
    assert(checker->between.count <= total && "each is put once");
    memory_free(incoming);
    return checker->between.count == total;
}

// Only the model's variables may occur, or a proof could talk about something else.
static bool check_vocabulary(const struct model *model, const struct term *const *invariant,
                             struct text *why)
{
    struct term_vector variables = {0};
    bool good = invariant != NULL;
    for (uint32_t l = 0; good && l < model->location_count; l++)
        good = invariant[l] == NULL || invariant[l]->sort->kind == SORT_BOOL;
    if (!good)
        text_add(why, "there is no formula, or one that is no condition");
    for (uint32_t l = 0; good && l < model->location_count; l++) {
        variables.count = 0;
        if (invariant[l] != NULL)
            rewrite_free_variables(invariant[l], &variables);
        for (size_t i = 0; good && i < variables.count; i++) {
            const struct term *variable = variables.data[i];
            good = variable->u.var.index == 0 && model_variable_of(model, variable) != NULL;
            if (!good)
                text_printf(why, "the invariant mentions %s, which is no variable of the model",
                            variable->u.var.name);
        }
    }
    VECTOR_FINISH(&variables);
    return good;
}

static void publish(const struct certify_owner *owner, struct smt_context *solver)
{
    if (owner != NULL && owner->publish_solver != NULL)
        owner->publish_solver(owner->context, solver);
}

static enum certify_result check_with(struct checker *checker, const char *backend,
                                      const _Atomic int *stop, const struct certify_owner *owner)
{
    enum certify_result result = CERTIFY_UNDECIDED;
    const char *error = NULL;
    struct smt_options options = {.stop = stop,
                                  .step_limit = owner != NULL ? owner->step_limit : 0};
    struct smt_context *context = smt_context_create(backend, checker->store, &options, &error);
    if (context == NULL) {
        text_printf(checker->why, "%s: %s", backend,
                    error != NULL ? error : "the solver could not be started");
        return result;
    }
    checker->smt = smt_create(context);
    checker->stop = stop;
    publish(owner, context);
    result = check_all(checker);
    publish(owner, NULL);
    smt_context_destroy(context);
    return result;
}

enum certify_result certify_invariant(const struct model *model, struct term_store *store,
                                      const struct term *const *invariant, const char *backend,
                                      const _Atomic int *stop, struct text *why)
{
    return certify_invariant_owned(model, store, invariant, (struct induction_rule){0}, backend,
                                   stop, NULL, why);
}

enum certify_result certify_invariant_owned(const struct model *model, struct term_store *store,
                                            const struct term *const *invariant,
                                            struct induction_rule rule, const char *backend,
                                            const _Atomic int *stop,
                                            const struct certify_owner *owner, struct text *why)
{
    if (!check_vocabulary(model, invariant, why))
        return CERTIFY_REFUSED;
    struct checker checker = {
        .model = model, .store = term_store_create(store), .why = why, .rule = rule};
    checker.has_arrays = model_has_arrays(model);
    checker.cache = rewrite_cache_create(checker.store);
    checker.invariant = memory_zalloc((model->location_count + 1) * sizeof(*checker.invariant));
    memcpy(checker.invariant, invariant, model->location_count * sizeof(*checker.invariant));
    checker.waiting = memory_zalloc((model->location_count + 1) * sizeof(*checker.waiting));
    checker.cubes = memory_zalloc((model->location_count + 1) * sizeof *checker.cubes);
    assert(model->initial != NULL && model->error->index < model->location_count);
    if (induction_is_plain(rule))
        read_cubes(&checker);
    enum certify_result result = CERTIFY_REFUSED;
    if (order_between(&checker))
        result = check_with(&checker, backend, stop, owner);
    for (uint32_t l = 0; l < model->location_count; l++) {
        drop_waiting(&checker, &checker.waiting[l]);
        VECTOR_FINISH(&checker.waiting[l]);
        state_cubes_finish(&checker.cubes[l]);
    }
    assert(checker.waiting_count == 0);
    memory_free(checker.cubes);
    memory_free(checker.waiting);
    memory_free(checker.invariant);
    VECTOR_FINISH(&checker.between);
    rewrite_cache_destroy(checker.cache);
    term_store_destroy(checker.store);
    return result;
}
