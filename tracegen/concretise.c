#include "tracegen/concretise.h"

#include <assert.h>

#include "base/memory.h"

// Two ways. Where every state of a run is exact, each of its steps is a question of its own, small and
// quickly answered. Otherwise one formula stands for the whole run, and runs that begin alike share the
// solver's levels.

// Checks spent on making the values of one trace small.
#define SMALL_CHECKS 24

struct single_step {
    struct smt *smt; // the action is asserted at the base level; NULL until needed
    struct encoded_step step;
};

void concretiser_init(struct concretiser *c, struct workspace *workspace)
{
    *c = (struct concretiser){.workspace = workspace};
    arena_init(&c->arena);
    feasibility_init(&c->feasibility, workspace);
    c->singles = memory_zalloc((workspace->model->edge_count + 1) * sizeof *c->singles);
}

void concretiser_finish(struct concretiser *c)
{
    for (uint32_t i = 0; i <= c->workspace->model->edge_count; i++)
        if (c->singles[i].smt != NULL) {
            smt_destroy(c->singles[i].smt);
            encoded_step_finish(&c->singles[i].step);
        }
    memory_free(c->singles);
    feasibility_finish(&c->feasibility);
    arena_finish(&c->arena);
}

static bool is_exact(const struct abstract_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (!run->exact[i])
            return false;
    return true;
}

static enum path_result judge(struct concretiser *c, const struct smt *smt, enum smt_result result)
{
    if (!workspace_step(c->workspace, 1))
        return PATH_STOPPED;
    if (result == SMT_UNKNOWN)
        return workspace_tolerate(c->workspace, smt) ? PATH_UNDECIDED : PATH_STOPPED;
    return result == SMT_SAT ? PATH_FEASIBLE : PATH_INFEASIBLE;
}

// Single steps.

static struct single_step *single(struct concretiser *c, const struct edge *edge)
{
    struct workspace *ws = c->workspace;
    const struct model *model = ws->model;
    struct single_step *s = &c->singles[edge != NULL ? edge->id : model->edge_count];
    struct smt_context *context = s->smt != NULL ? NULL : workspace_solver(ws);
    if (s->smt == NULL && context != NULL) {
        uint32_t *zero = memory_zalloc((model->variable_count + 1) * sizeof *zero);
        encoder_step(ws->encoder, &c->arena, edge != NULL ? edge->action : model->initial_action, 0,
                     zero, ENCODE_SELECTORS, &s->step);
        memory_free(zero);
        s->smt = smt_create(context);
        smt_assert(s->smt, s->step.formula);
    }
    return s->smt != NULL ? s : NULL;
}

// Step i alone, between its two states.
static struct trace *solve_step(struct concretiser *c, const struct abstract_run *run, size_t i,
                                const struct term *forced, enum path_result *result)
{
    struct encoder *encoder = c->workspace->encoder;
    struct single_step *s = single(c, run->edges[i]);
    struct trace *trace = NULL;
    *result = PATH_STOPPED;
    if (s == NULL)
        return NULL;
    assert(i < run->count && (i == 0) == (run->edges[i] == NULL));
    smt_push(s->smt);
    if (i > 0)
        smt_assert(s->smt, encoder_shift(encoder, run->states[i - 1], s->step.before));
    if (run->states[i] != NULL)
        smt_assert(s->smt, encoder_shift(encoder, run->states[i], s->step.after));
    if (forced != NULL)
        smt_assert(s->smt, forced);
    *result = judge(c, s->smt, smt_check(s->smt));
    if (*result == PATH_FEASIBLE) {
        trace = path_trace(c->workspace, s->smt, &run->edges[i], &s->step, 1);
        if (trace == NULL)
            *result = PATH_UNDECIDED;
    }
    smt_pop(s->smt, 1);
    return trace;
}

enum path_result concretise_change(struct concretiser *c, const struct edge *edge,
                                   const struct term *before, const struct term *after,
                                   const variable_bits *unless)
{
    struct workspace *ws = c->workspace;
    struct single_step *s = single(c, edge);
    if (s == NULL)
        return PATH_STOPPED;
    struct term_vector changes = {0};
    for (uint32_t v = 0; v < ws->model->variable_count; v++) {
        const struct variable *x = ws->model->variables[v];
        bool written = s->step.before[v] != s->step.after[v];
        if (!written || (x->flags & VARIABLE_LOCAL) || variable_bits_get(unless, v))
            continue;
        const struct term *was = encoder_shift(ws->encoder, x->term, s->step.before);
        const struct term *is = encoder_shift(ws->encoder, x->term, s->step.after);
        VECTOR_PUSH(&changes, term_not(ws->store, term_eq(ws->store, was, is)));
    }
    enum path_result result = PATH_INFEASIBLE;
    if (changes.count > 0) {
        smt_push(s->smt);
        smt_assert(s->smt, encoder_shift(ws->encoder, before, s->step.before));
        smt_assert(s->smt, encoder_shift(ws->encoder, after, s->step.after));
        smt_assert(s->smt, term_or(ws->store, changes.data, (uint32_t)changes.count));
        result = judge(c, s->smt, smt_check(s->smt));
        smt_pop(s->smt, 1);
    }
    VECTOR_FINISH(&changes);
    return result;
}

static void add_piece(struct trace *trace, const struct trace *piece, const struct edge *edge)
{
    assert(piece->step_count == (edge != NULL) && piece->model == trace->model);
    const struct trace_step *from = edge != NULL ? &piece->steps[0] : &piece->initial;
    struct trace_step *to = edge != NULL ? trace_add_step(trace, edge) : &trace->initial;
    for (size_t h = 0; h < from->hint_count; h++) {
        const struct trace_hint *hint = &from->hints[h];
        const struct sort *sort = hint->statement->kind == STATEMENT_HAVOC
                                      ? hint->statement->variable->sort
                                      : sort_int(trace->store);
        trace_add_hint(trace, to, hint->statement, sort, hint->value);
    }
    for (size_t d = 0; d < piece->division_count; d++) {
        const struct trace_division *division = &piece->divisions[d];
        trace_add_division(trace, division->kind, division->sort, division->dividend,
                           division->result);
    }
    for (uint32_t v = 0; edge == NULL && v < trace->model->variable_count; v++)
        trace->start[v] = trace_own(trace, trace->model->variables[v]->sort, piece->start[v]);
}

static struct trace *join_steps(struct concretiser *c, const struct abstract_run *run,
                                struct trace **step, const struct term *forced,
                                enum path_result *result)
{
    struct trace *trace = trace_create(c->workspace->model);
    *result = PATH_FEASIBLE;
    for (size_t i = 0; i < run->count && *result == PATH_FEASIBLE; i++) {
        bool last = i + 1 == run->count;
        struct trace *piece = step != NULL && step[i] != NULL && !(last && forced != NULL)
                                  ? step[i]
                                  : solve_step(c, run, i, last ? forced : NULL, result);
        assert(*result != PATH_FEASIBLE || piece != NULL);
        if (*result == PATH_FEASIBLE)
            add_piece(trace, piece, run->edges[i]);
        if (step != NULL && !(last && forced != NULL))
            step[i] = piece;
        else
            trace_destroy(piece);
    }
    if (*result == PATH_FEASIBLE)
        return trace;
    trace_destroy(trace);
    return NULL;
}

static enum path_result check_steps(struct concretiser *c, const struct abstract_run *run,
                                    size_t known, struct trace **step, size_t *last)
{
    enum path_result result = PATH_FEASIBLE;
    *last = known;
    for (size_t i = known; i < run->count && result == PATH_FEASIBLE; i++) {
        if (step[i] == NULL)
            step[i] = solve_step(c, run, i, NULL, &result);
        *last = i + (result == PATH_FEASIBLE);
    }
    assert(*last >= known && *last <= run->count);
    return result;
}

// Whole runs.

static bool load(struct concretiser *c, const struct abstract_run *run, size_t count)
{
    return feasibility_load_through(&c->feasibility, run->edges + 1, count - 1, run->states);
}

enum path_result concretise_check(struct concretiser *c, const struct abstract_run *run,
                                  size_t known, struct trace **step, size_t *last)
{
    if (is_exact(run))
        return check_steps(c, run, known, step, last);
    if (!load(c, run, run->count))
        return PATH_STOPPED;
    enum path_result result = feasibility_check(&c->feasibility);
    if (result != PATH_INFEASIBLE) {
        *last = result == PATH_FEASIBLE ? run->count : known;
        return result;
    }
    size_t low = known, high = run->count; // low can be run, high cannot
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (!load(c, run, middle))
            return PATH_STOPPED;
        result = feasibility_check(&c->feasibility);
        if (result == PATH_STOPPED)
            return result;
        if (result == PATH_FEASIBLE)
            low = middle;
        else
            high = middle;
    }
    assert(low >= known && low < run->count);
    *last = low;
    return PATH_INFEASIBLE;
}

// Equations that make what the run leaves open small: start values and the values of havocs are the
// default ones of their sorts.
static void wishes(struct concretiser *c, struct term_vector *out)
{
    struct workspace *ws = c->workspace;
    const struct feasibility *f = &c->feasibility;
    for (size_t k = 0; k < f->steps.count; k++)
        for (size_t h = 0; h < f->steps.data[k].havoc_count; h++) {
            const struct term *copy = f->steps.data[k].havoc_copy[h];
            VECTOR_PUSH(out, term_eq(ws->store, copy, term_default(ws->store, copy->sort)));
        }
    for (uint32_t v = 0; v < ws->model->variable_count; v++) {
        const struct term *start = ws->model->variables[v]->term;
        VECTOR_PUSH(out, term_eq(ws->store, start, term_default(ws->store, start->sort)));
    }
}

// Asserts as many of the wishes as go together with the run, by halves.
static void grant(struct concretiser *c, const struct term *const *wish, size_t count,
                  unsigned *checks)
{
    struct feasibility *f = &c->feasibility;
    if (count == 0 || *checks == 0)
        return;
    --*checks;
    smt_push(f->smt);
    for (size_t i = 0; i < count; i++)
        smt_assert(f->smt, wish[i]);
    enum path_result result = feasibility_check(f);
    smt_pop(f->smt, 1);
    if (result == PATH_FEASIBLE) {
        for (size_t i = 0; i < count; i++)
            smt_assert(f->smt, wish[i]);
    } else if (count > 1 && result != PATH_STOPPED) {
        grant(c, wish, count / 2, checks);
        grant(c, wish + count / 2, count - count / 2, checks);
    }
}

static struct trace *solve_whole(struct concretiser *c, const struct abstract_run *run,
                                 const struct term *forced, enum path_result *result)
{
    *result = PATH_STOPPED;
    if (!load(c, run, run->count))
        return NULL;
    struct feasibility *f = &c->feasibility;
    struct trace *trace = NULL;
    smt_push(f->smt); // the wishes go with it
    if (forced != NULL)
        smt_assert(f->smt, forced);
    *result = feasibility_check(f);
    if (*result == PATH_FEASIBLE) {
        struct term_vector wish = {0};
        unsigned checks = SMALL_CHECKS;
        wishes(c, &wish);
        grant(c, wish.data, wish.count, &checks);
        VECTOR_FINISH(&wish);
        *result = feasibility_check(f);
        trace = *result == PATH_FEASIBLE ? feasibility_trace(f) : NULL;
        if (trace == NULL && *result == PATH_FEASIBLE)
            *result = PATH_UNDECIDED;
    }
    smt_pop(f->smt, 1);
    return trace;
}

struct trace *concretise(struct concretiser *c, const struct abstract_run *run, struct trace **step,
                         enum path_result *result)
{
    return is_exact(run) ? join_steps(c, run, step, NULL, result)
                         : solve_whole(c, run, NULL, result);
}

struct trace *concretise_whole(struct concretiser *c, const struct abstract_run *run,
                               enum path_result *result)
{
    return solve_whole(c, run, NULL, result);
}

struct trace *concretise_through(struct concretiser *c, const struct abstract_run *run,
                                 const struct statement *statement, uint32_t branch,
                                 enum path_result *result)
{
    struct encoder *encoder = c->workspace->encoder;
    // The state before the last step decides: the one after it may be any.
    bool apart = true;
    for (size_t i = 0; i + 1 < run->count; i++)
        apart = apart && run->exact[i];
    uint32_t occurrence = apart ? 0 : (uint32_t)run->count - 1;
    const struct term *forced = encoder_selector(encoder, statement, branch, occurrence);
    return apart ? join_steps(c, run, NULL, forced, result) : solve_whole(c, run, forced, result);
}
