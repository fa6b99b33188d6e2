#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "certify/invariant_inside.h"

// Induction over several steps: the formulas hold for the first states of each run, as many as there are steps, and where
// they held for so many in a row they hold for the next one; or there is no run with so many steps. A state is one at a
// location with a formula from where edges lead to the error; runs are unrolled from one to the next, and nothing is
// asked of where no edges lead to the error. Which location a run is at is told by a Boolean variable for each of them
// at each depth, its mark.
//
// Settled locations. Where a formula says that the edges that lead to the error cannot be taken, and single steps keep
// that, a run that gets there is over: it is asked for the formula, and not followed. Preparation leaves such
// locations out, so a proof about runs that end, or about what differs, does not speak of them.
//
// Distinct states. Of a run that breaks a formula after as few states as any, no two states at one location agree in what
// is live there: the first of them could go on as the second one does, and break it sooner. Live is what a formula
// or an assumption may still read (Sheeran, Singh, Stålmarck 2000: unique states).

struct induction {
    struct checker *checker;
    struct runs *
        depths; // by depth: per location the run that is there, its condition is its mark; now = NULL: none
    uint32_t depth; // of the last
    bool *leads;    // by location: the error is there, or edges lead to it
    bool *settled;  // by location
    bool **live;    // by location and variable; NULL: states may be the same
};

static uint32_t locations(const struct induction *i)
{
    return i->checker->model->location_count;
}

static struct run *run_at(const struct induction *i, uint32_t depth, uint32_t location)
{
    return &i->depths[depth].data[location];
}

// What is live before a statement, from what is live after it; in place.
static void live_before(const struct checker *checker, const struct statement *statement,
                        bool *live);

static void read_variables(const struct checker *checker, const struct term *term, bool *live)
{
    struct term_vector variables = {0};
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *v = model_variable_of(checker->model, variables.data[i]);
        if (v != NULL)
            live[v->index] = true;
    }
    VECTOR_FINISH(&variables);
}

static void live_before_branches(const struct checker *checker, const struct statement *statement,
                                 bool *live)
{
    uint32_t count = checker->model->variable_count;
    bool *after = memory_alloc(count + 1), *branch = memory_alloc(count + 1);
    memcpy(after, live, count);
    memset(live, 0, count);
    for (uint32_t i = 0; i < statement->child_count; i++) {
        memcpy(branch, after, count);
        live_before(checker, statement->child[i], branch);
        for (uint32_t v = 0; v < count; v++)
            live[v] = live[v] || branch[v];
    }
    if (statement->kind == STATEMENT_IF)
        read_variables(checker, statement->expression, live);
    memory_free(after);
    memory_free(branch);
}

static void live_before(const struct checker *checker, const struct statement *statement,
                        bool *live)
{
    switch (statement->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        if (!live[statement->variable->index])
            break; // what it reads is for nothing
        live[statement->variable->index] = false;
        read_variables(checker, statement->expression, live);
        break;
    case STATEMENT_ASSUME:
        read_variables(checker, statement->expression, live);
        break;
    case STATEMENT_HAVOC:
        live[statement->variable->index] = false;
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = statement->child_count; i-- > 0;)
            live_before(checker, statement->child[i], live);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        live_before_branches(checker, statement, live);
        break;
    }
}

// True: something more is live at the location.
static bool live_at(struct induction *i, const struct location *location, bool *scratch)
{
    uint32_t count = i->checker->model->variable_count;
    bool *live = i->live[location->index], more = false;
    if (i->settled[location->index])
        return false;
    for (uint32_t e = 0; e < location->out_count; e++) {
        if (!i->leads[location->out[e]->target->index])
            continue; // what decides who gets there is for nothing
        memcpy(scratch, i->live[location->out[e]->target->index], count);
        live_before(i->checker, location->out[e]->action, scratch);
        for (uint32_t v = 0; v < count; v++) {
            more = more || (scratch[v] && !live[v]);
            live[v] = live[v] || scratch[v];
        }
    }
    return more;
}

static enum certify_result stopped(const struct induction *i)
{
    if (!checker_is_asked_to_stop(i->checker))
        return CERTIFY_ACCEPTED;
    text_add(i->checker->why, "asked to stop");
    return CERTIFY_UNDECIDED;
}

// Unless it is accepted too little is known to be live, and nothing may be said.
static enum certify_result find_live(struct induction *i)
{
    struct checker *checker = i->checker;
    uint32_t count = checker->model->variable_count;
    i->live = memory_zalloc((locations(i) + 1) * sizeof *i->live);
    for (uint32_t l = 0; l < locations(i); l++) {
        i->live[l] = memory_zalloc(count + 1);
        if (i->leads[l] && checker->invariant[l] != NULL)
            read_variables(checker, checker->invariant[l], i->live[l]);
    }
    bool *scratch = memory_alloc(count + 1);
    enum certify_result result = CERTIFY_ACCEPTED;
    for (bool more = true; more && result == CERTIFY_ACCEPTED; result = stopped(i)) {
        more = false;
        for (uint32_t l = locations(i); l-- > 0;)
            more = live_at(i, checker->model->locations[l], scratch) || more;
    }
    memory_free(scratch);
    return result;
}

static void find_leads(struct induction *i)
{
    const struct model *model = i->checker->model;
    VECTOR(const struct location *) found = {0};
    i->leads = memory_zalloc(locations(i) + 1);
    i->leads[model->error->index] = true;
    VECTOR_PUSH(&found, model->error);
    for (size_t f = 0; f < found.count; f++)
        for (uint32_t e = 0; e < found.data[f]->in_count; e++) {
            const struct location *before = found.data[f]->in[e]->source;
            if (!i->leads[before->index])
                VECTOR_PUSH(&found, before);
            i->leads[before->index] = true;
        }
    VECTOR_FINISH(&found);
}

static const struct term *new_mark(struct checker *checker)
{
    const struct term *plain = term_var(checker->store, "!at", sort_bool(checker->store));
    return term_var_copy(checker->store, plain, ++checker->copies);
}

// The run is at its place when its mark says so.
static void put(struct induction *i, uint32_t location, struct run run)
{
    struct checker *checker = i->checker;
    const struct term *mark = new_mark(checker);
    smt_assert(checker->smt, term_implies(checker->store, mark, run.condition));
    run.condition = mark;
    *run_at(i, i->depth, location) = run;
}

static void begin_depth(struct induction *i, uint32_t depth)
{
    assert(i->depths[depth].count == 0);
    i->depth = depth;
    for (uint32_t l = 0; l < locations(i); l++)
        VECTOR_PUSH(&i->depths[depth], (struct run){0});
}

// What the runs that arrived at locations with formulas come to.
static void gather(struct induction *i, uint32_t depth)
{
    begin_depth(i, depth);
    for (uint32_t l = 0; l < locations(i); l++) {
        struct runs *arrived = &i->checker->arrived[l];
        if (!i->leads[l])
            checker_drop(arrived);
        if (arrived->count > 0)
            put(i, l, checker_join(i->checker, arrived));
    }
}

static const struct term *differ(struct induction *i, uint32_t location, uint32_t a, uint32_t b)
{
    struct checker *checker = i->checker;
    const struct run *one = run_at(i, a, location), *other = run_at(i, b, location);
    struct term_vector parts = {0};
    VECTOR_PUSH(&parts, term_not(checker->store, one->condition));
    VECTOR_PUSH(&parts, term_not(checker->store, other->condition));
    for (uint32_t v = 0; v < checker->model->variable_count; v++)
        if (i->live[location][v])
            VECTOR_PUSH(&parts, term_not(checker->store,
                                         term_eq(checker->store, one->now[v], other->now[v])));
    const struct term *any = term_or(checker->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return any;
}

// The states of the last depth differ from all before them.
static void assert_distinct(struct induction *i)
{
    for (uint32_t l = 0; i->live != NULL && l < locations(i); l++)
        for (uint32_t d = 0; run_at(i, i->depth, l)->now != NULL && d < i->depth; d++)
            if (run_at(i, d, l)->now != NULL)
                smt_assert(i->checker->smt, differ(i, l, d, i->depth));
}

// Some run of the last depth is where its location's formula is false.
static const struct term *somewhere_broken(struct induction *i)
{
    struct checker *checker = i->checker;
    struct term_vector parts = {0};
    for (uint32_t l = 0; l < locations(i); l++) {
        const struct run *run = run_at(i, i->depth, l);
        if (run->now == NULL)
            continue;
        const struct term *formula =
            checker_formula_at(checker, checker->model->locations[l], run->now);
        VECTOR_PUSH(&parts,
                    term_and2(checker->store, run->condition, term_not(checker->store, formula)));
    }
    const struct term *any = term_or(checker->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return any;
}

static enum certify_result judge(struct induction *i, enum smt_result answer, const char *where)
{
    struct checker *checker = i->checker;
    if (answer == SMT_UNSAT)
        return CERTIFY_ACCEPTED;
    if (answer == SMT_SAT)
        text_printf(checker->why, "a formula does not hold after %u steps from %s", i->depth,
                    where);
    else
        text_printf(checker->why,
                    "the solver could not decide whether the formulas hold after %u steps from %s",
                    i->depth, where);
    if (answer == SMT_UNKNOWN && smt_reason(checker->smt) == SMT_REASON_ERROR)
        text_printf(checker->why, " (%s)", smt_error_text(checker->smt));
    return answer == SMT_SAT ? CERTIFY_REFUSED : CERTIFY_UNDECIDED;
}

static enum certify_result check_depth(struct induction *i, const char *where)
{
    struct checker *checker = i->checker;
    const struct term *broken = somewhere_broken(i);
    if (term_is_false(broken))
        return CERTIFY_ACCEPTED;
    smt_push(checker->smt);
    smt_assert(checker->smt, broken);
    enum certify_result result = judge(i, smt_check(checker->smt), where);
    smt_pop(checker->smt, 1);
    return result;
}

// The formulas hold at the last depth.
static void assume_depth(struct induction *i)
{
    struct checker *checker = i->checker;
    for (uint32_t l = 0; l < locations(i); l++) {
        struct run *run = run_at(i, i->depth, l);
        if (run->now == NULL)
            continue;
        const struct term *formula =
            checker_formula_at(checker, checker->model->locations[l], run->now);
        smt_assert(checker->smt, term_implies(checker->store, run->condition, formula));
    }
}

// One step from wherever the runs of the last depth may be.
static enum certify_result extend(struct induction *i)
{
    struct checker *checker = i->checker;
    enum certify_result result = CERTIFY_ACCEPTED;
    for (uint32_t l = 0; l < locations(i) && result == CERTIFY_ACCEPTED; l++) {
        const struct run *run = run_at(i, i->depth, l);
        // Nothing goes on from where the formula is false.
        if (run->now != NULL && !i->settled[l] && !term_is_false(checker->invariant[l]))
            result = checker_leave(checker, checker->model->locations[l], run);
    }
    enum certify_result rest = checker_go_on(checker); // frees what waits in any case
    result = result == CERTIFY_ACCEPTED ? rest : result;
    if (result == CERTIFY_ACCEPTED)
        gather(i, i->depth + 1);
    return result;
}

// One step from where the location's formula holds: somebody gets to where it is not settled, or no formula holds.
static const struct term *unsettled(struct induction *i, const struct location *location,
                                    enum certify_result *result)
{
    struct checker *checker = i->checker;
    struct run run = checker_begin_run(checker, checker->invariant[location->index]);
    *result = checker_leave(checker, location, &run);
    memory_free(run.now);
    enum certify_result rest = checker_go_on(checker); // frees what waits in any case
    *result = *result == CERTIFY_ACCEPTED ? rest : *result;
    struct term_vector parts = {0};
    for (uint32_t l = 0; l < locations(i); l++) {
        struct runs *arrived = &checker->arrived[l];
        for (size_t r = 0; i->leads[l] && r < arrived->count; r++) {
            const struct term *holds = term_false(checker->store);
            if (i->settled[l])
                holds =
                    checker_formula_at(checker, checker->model->locations[l], arrived->data[r].now);
            VECTOR_PUSH(&parts, term_and2(checker->store, arrived->data[r].condition,
                                          term_not(checker->store, holds)));
        }
        checker_drop(arrived);
    }
    const struct term *any = term_or(checker->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return any;
}

static enum certify_result look_at(struct induction *i, const struct location *location, bool *more)
{
    struct checker *checker = i->checker;
    enum certify_result result;
    const struct term *any = unsettled(i, location, &result);
    if (result != CERTIFY_ACCEPTED || term_is_false(any))
        return result;
    smt_push(checker->smt);
    smt_assert(checker->smt, any);
    if (smt_check(checker->smt) != SMT_UNSAT) {
        i->settled[location->index] = false;
        *more = true;
    }
    smt_pop(checker->smt, 1);
    return stopped(i);
}

// The largest set of settled locations.
static enum certify_result find_settled(struct induction *i)
{
    const struct model *model = i->checker->model;
    for (uint32_t l = 0; l < locations(i); l++)
        i->settled[l] =
            i->leads[l] && i->checker->invariant[l] != NULL && model->locations[l] != model->error;
    enum certify_result result = CERTIFY_ACCEPTED;
    for (bool more = true; more && result == CERTIFY_ACCEPTED;) {
        more = false;
        for (uint32_t l = locations(i); l-- > 0 && result == CERTIFY_ACCEPTED;)
            if (i->settled[l])
                result = look_at(i, model->locations[l], &more);
    }
    return result;
}

// No run goes on from the last depth.
static enum certify_result check_end(struct induction *i)
{
    struct checker *checker = i->checker;
    struct term_vector marks = {0};
    for (uint32_t l = 0; l < locations(i); l++)
        if (run_at(i, i->depth, l)->now != NULL && !i->settled[l])
            VECTOR_PUSH(&marks, run_at(i, i->depth, l)->condition);
    smt_assert(checker->smt, term_or(checker->store, marks.data, marks.count));
    VECTOR_FINISH(&marks);
    enum smt_result answer = smt_check(checker->smt);
    if (answer == SMT_UNSAT)
        return CERTIFY_ACCEPTED;
    text_printf(checker->why,
                answer == SMT_SAT
                    ? "there is a run of %u steps from the start"
                    : "the solver could not decide whether a run of %u steps is there",
                i->depth);
    return answer == SMT_SAT ? CERTIFY_REFUSED : CERTIFY_UNDECIDED;
}

// From the start: the first states, as many as there are steps.
static enum certify_result check_base(struct induction *i, uint32_t steps)
{
    struct checker *checker = i->checker;
    struct run run = checker_begin_run(checker, term_true(checker->store));
    checker_encode(checker, checker->model->initial_action, &run);
    enum certify_result result =
        checker_arrive(checker, checker->model->initial, run, "implied", "by the initial action");
    enum certify_result rest = checker_go_on(checker);
    result = result == CERTIFY_ACCEPTED ? rest : result;
    if (result != CERTIFY_ACCEPTED)
        return result;
    gather(i, 0);
    uint32_t last = checker->rule.ends ? steps : steps - 1;
    while ((result = check_depth(i, "the start")) == CERTIFY_ACCEPTED && i->depth < last) {
        assume_depth(i);
        result = stopped(i);
        if (result == CERTIFY_ACCEPTED)
            result = extend(i);
        if (result != CERTIFY_ACCEPTED)
            return result;
        if (checker->rule.ends)
            assert_distinct(i);
    }
    return result == CERTIFY_ACCEPTED && checker->rule.ends ? check_end(i) : result;
}

// From anywhere: the formulas hold for as many states, then for the next one.
static enum certify_result check_step(struct induction *i, uint32_t steps)
{
    struct checker *checker = i->checker;
    begin_depth(i, 0);
    for (uint32_t l = 0; l < locations(i); l++)
        if (i->leads[l] && !i->settled[l] && checker->invariant[l] != NULL &&
            !term_is_false(checker->invariant[l]))
            put(i, l, checker_begin_run(checker, term_true(checker->store)));
    while (i->depth < steps) {
        assume_depth(i);
        enum certify_result result = stopped(i);
        if (result == CERTIFY_ACCEPTED)
            result = extend(i);
        if (result != CERTIFY_ACCEPTED)
            return result;
        assert_distinct(i);
    }
    return check_depth(i, "anywhere");
}

static void drop_depths(struct induction *i, uint32_t steps)
{
    for (uint32_t d = 0; d <= steps; d++)
        checker_drop(&i->depths[d]);
    i->depth = 0;
}

static enum certify_result check_halves(struct induction *i, uint32_t steps)
{
    struct checker *checker = i->checker;
    smt_push(checker->smt);
    enum certify_result result = check_base(i, steps);
    smt_pop(checker->smt, 1);
    if (result != CERTIFY_ACCEPTED || checker->rule.ends)
        return result;
    drop_depths(i, steps);
    smt_push(checker->smt);
    result = check_step(i, steps);
    smt_pop(checker->smt, 1);
    return result;
}

enum certify_result checker_induction(struct checker *checker)
{
    uint32_t steps = checker->rule.steps > 1 ? checker->rule.steps : 1;
    assert(steps <= INDUCTION_MOST_STEPS && checker->waiting_count == 0);
    struct induction i = {.checker = checker};
    i.depths = memory_zalloc(((size_t)steps + 1) * sizeof *i.depths);
    checker->arrived = memory_zalloc((locations(&i) + 1) * sizeof *checker->arrived);
    find_leads(&i);
    i.settled = memory_zalloc(locations(&i) + 1);
    enum certify_result result = CERTIFY_ACCEPTED;
    if (checker->rule.distinct || checker->rule.ends)
        result = find_settled(&i);
    if (result == CERTIFY_ACCEPTED && checker->rule.distinct)
        result = find_live(&i);
    if (result == CERTIFY_ACCEPTED)
        result = check_halves(&i, steps);
    // Nothing is accepted before all of the steps were looked at.
    ENSURE(result != CERTIFY_ACCEPTED || i.depth == steps);
    drop_depths(&i, steps);
    for (uint32_t d = 0; d <= steps; d++)
        VECTOR_FINISH(&i.depths[d]);
    for (uint32_t l = 0; l < locations(&i); l++) {
        checker_drop(&checker->arrived[l]);
        VECTOR_FINISH(&checker->arrived[l]);
        if (i.live != NULL)
            memory_free(i.live[l]);
    }
    memory_free(checker->arrived);
    checker->arrived = NULL;
    memory_free(i.live);
    memory_free(i.leads);
    memory_free(i.settled);
    memory_free(i.depths);
    return result;
}
