#include "engines/cegar/feasibility.h"

#include <assert.h>

// Encodings of dropped steps stay in the arena until it is emptied as a whole.
#define ARENA_LIMIT ((size_t)8 << 20)

void feasibility_init(struct feasibility *f, struct workspace *workspace)
{
    *f = (struct feasibility){.workspace = workspace};
    arena_init(&f->arena);
}

static void drop_steps(struct feasibility *f, size_t kept)
{
    assert(f->edges.count == f->steps.count && f->states.count == f->steps.count);
    if (f->steps.count > kept)
        smt_pop(f->smt, (unsigned)(f->steps.count - kept));
    while (f->steps.count > kept)
        encoded_step_finish(&f->steps.data[--f->steps.count]);
    f->edges.count = f->states.count = kept;
}

void feasibility_finish(struct feasibility *f)
{
    drop_steps(f, 0);
    VECTOR_FINISH(&f->edges);
    VECTOR_FINISH(&f->states);
    VECTOR_FINISH(&f->steps);
    smt_destroy(f->smt);
    arena_finish(&f->arena);
}

static bool start(struct feasibility *f)
{
    if (f->smt == NULL) {
        struct smt_context *context = workspace_refinement_solver(f->workspace);
        if (context == NULL)
            return false;
        f->smt = smt_create(context);
    }
    if (f->arena.bytes > ARENA_LIMIT) {
        drop_steps(f, 0);
        arena_finish(&f->arena);
        arena_init(&f->arena);
    }
    return true;
}

static void add_step(struct feasibility *f, const struct edge *edge, const struct term *state)
{
    const struct model *model = f->workspace->model;
    size_t k = f->steps.count;
    const uint32_t *before =
        k ? f->steps.data[k - 1].after
          : arena_zalloc(&f->arena, (model->variable_count + 1) * sizeof *before);
    struct encoded_step step;
    encoder_step(f->workspace->encoder, &f->arena,
                 edge != NULL ? edge->action : model->initial_action, (uint32_t)k, before,
                 ENCODE_SELECTORS, &step);
    VECTOR_PUSH(&f->steps, step);
    VECTOR_PUSH(&f->edges, edge);
    VECTOR_PUSH(&f->states, state);
    smt_push(f->smt);
    smt_assert(f->smt, step.formula);
    if (state != NULL)
        smt_assert(f->smt, encoder_shift(f->workspace->encoder, state, step.after));
}

static enum path_result result_of(struct feasibility *f, const struct smt *smt,
                                  enum smt_result result)
{
    if (!workspace_step(f->workspace, 1))
        return PATH_STOPPED;
    if (result == SMT_UNKNOWN)
        return workspace_tolerate(f->workspace, smt) ? PATH_UNDECIDED : PATH_STOPPED;
    return result == SMT_SAT ? PATH_FEASIBLE : PATH_INFEASIBLE;
}

bool feasibility_load_through(struct feasibility *f, const struct edge *const *edges,
                              size_t edge_count, const struct term *const *states)
{
    if (!start(f))
        return false;
    size_t common = 0;
    while (common <= edge_count && common < f->steps.count &&
           (common == 0 || f->edges.data[common] == edges[common - 1]) &&
           f->states.data[common] == (states != NULL ? states[common] : NULL))
        common++;
    drop_steps(f, common);
    for (size_t k = 0; k <= edge_count; k++)
        if (!workspace_looked_up(f->workspace, CACHE_PATHS, k < common))
            add_step(f, k ? edges[k - 1] : NULL, states != NULL ? states[k] : NULL);
    assert(f->steps.count == edge_count + 1 && f->steps.data[edge_count].occurrence == edge_count);
    return true;
}

bool feasibility_load(struct feasibility *f, const struct edge *const *edges, size_t edge_count)
{
    return feasibility_load_through(f, edges, edge_count, NULL);
}

enum path_result feasibility_check(struct feasibility *f)
{
    return result_of(f, f->smt, smt_check(f->smt));
}

struct trace *feasibility_trace(struct feasibility *f)
{
    return path_trace(f->workspace, f->smt, f->edges.data, f->steps.data, f->steps.count);
}

static enum path_result check_with(struct feasibility *f, struct smt *smt, const struct term *state,
                                   const uint32_t *index)
{
    if (state != NULL)
        state = encoder_shift(f->workspace->encoder, state, index);
    bool constrained = state != NULL && !term_is_true(state);
    if (constrained) {
        smt_push(smt);
        smt_assert(smt, state);
    }
    enum path_result result = result_of(f, smt, smt_check(smt));
    if (constrained)
        smt_pop(smt, 1);
    return result;
}

enum path_result feasibility_shortest_suffix(struct feasibility *f,
                                             const struct term *const *states, size_t *first)
{
    assert(f->steps.count > 0);
    struct smt *smt = smt_create(workspace_refinement_solver(f->workspace));
    enum path_result result = PATH_UNDECIDED;
    for (size_t k = f->steps.count; k-- > 0;) {
        smt_assert(smt, f->steps.data[k].formula);
        result =
            check_with(f, smt, k && states != NULL ? states[k - 1] : NULL, f->steps.data[k].before);
        *first = k;
        if (result == PATH_INFEASIBLE || result == PATH_STOPPED)
            break;
    }
    smt_destroy(smt);
    return result;
}

enum path_result feasibility_short_suffix(struct feasibility *f, size_t *first)
{
    struct smt *smt = smt_create(workspace_refinement_solver(f->workspace));
    enum path_result result = PATH_FEASIBLE;
    size_t count = f->steps.count;
    for (size_t length = 1; length < count; length++) {
        smt_assert(smt, f->steps.data[count - length].formula);
        if ((length & (length - 1)) != 0) // checks at 1, 2, 4, …
            continue;
        result = check_with(f, smt, NULL, NULL);
        *first = count - length;
        if (result == PATH_INFEASIBLE || result == PATH_STOPPED)
            break;
    }
    smt_destroy(smt);
    return result;
}

enum path_result feasibility_shortest_prefix(struct feasibility *f,
                                             const struct term *const *states, size_t *last)
{
    assert(f->steps.count > 0);
    struct smt *smt = smt_create(workspace_refinement_solver(f->workspace));
    enum path_result result = PATH_UNDECIDED;
    for (size_t k = 0; k < f->steps.count; k++) {
        smt_assert(smt, f->steps.data[k].formula);
        result = check_with(f, smt, states != NULL ? states[k] : NULL, f->steps.data[k].after);
        *last = k;
        if (result == PATH_INFEASIBLE || result == PATH_STOPPED)
            break;
    }
    smt_destroy(smt);
    return result;
}
